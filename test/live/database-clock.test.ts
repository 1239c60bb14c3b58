// The clock of the database was a day ahead and was set back: what was to happen meanwhile does not
// wait for a day. Times are set by hand, as such a clock would have left them.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { settleOnce } from '../../src/worker/settle-payouts.ts'
import { pay as payFrom, statusOf as readStatus } from '../support/service/payouts.ts'
import { startTestService } from '../support/service/service.ts'

const service = await startTestService({ simulator_delay_ms: 60_000 })
const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
after(() => service.close())

const pay = async (): Promise<string> => (await payFrom(account)).id

const statusOf = (id: string) => readStatus(account, id)

test('a clock set back by 25 hours: the simulator settles what is dated in the future', async () => {
  const { owner } = service.database
  await owner`
    update books set last_written_at = statement_timestamp() + interval '25 hours'
    where account_id = ${account.account.account_id}`
  const id = await pay()
  await settleOnce(service.deps)
  assert.equal(await statusOf(id), 'succeeded')
})

test('a payout due in 25 hours: goes on at once by what the runbook says', async () => {
  const { owner } = service.database
  const id = await pay()
  await owner`
    update open_payouts set ask_rail_at = statement_timestamp() + interval '25 hours',
      claimed_until = statement_timestamp() + interval '25 hours', rail_attempts = 1
    where id = ${id}`
  await settleOnce(service.deps)
  assert.equal(await statusOf(id), 'processing')
  const runbook = await readFile('docs/operations.md', 'utf8')
  const [, sql = ''] =
    /## The clock was set wrong.*?```sql\nbegin;\n(.*?)commit;\n```/s.exec(runbook) ?? []
  assert.match(sql, /update open_payouts/)
  await owner.begin(tx => tx.unsafe(sql))
  await settleOnce(service.deps)
  assert.equal(await statusOf(id), 'succeeded')
})
