// The steps of one payout reported by two workers at the same moment: each is applied exactly once,
// and money goes back exactly once.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { claimDuePayouts } from '../../src/payouts/advance/claim-store.ts'
import type { RailStep } from '../../src/rails/rail.ts'
import { openDeps } from '../../src/runtime/deps.ts'
import { makeMetrics } from '../../src/runtime/metrics.ts'
import { verifyBooks } from '../support/assert/books.ts'
import { pay as payFrom } from '../support/service/payouts.ts'
import { type Client, startTestService } from '../support/service/service.ts'

let account: Client
const START = 100_000_000n

const service = await startTestService({ simulator_delay_ms: 0 })
const log = pino({ level: 'silent' })
const other = await openDeps(service.database.url, service.deps.config, log, makeMetrics())
after(async () => {
  await other.close()
  await service.close()
})

const FAILURE = { code: 'PF000900', category: 'simulated', message: 'No.' }
const failed: RailStep = { status: 'failed', failure: FAILURE }
const succeeded: RailStep = { status: 'succeeded', failure: null }
const reversed: RailStep = { status: 'reversed', failure: FAILURE }

async function pay(amount = 10_000): Promise<string> {
  account ??= await service.openAccount({ currencies: ['USD'], fund: { USD: START } })
  return (await payFrom(account, { amount })).id
}

async function balance(): Promise<bigint | undefined> {
  const [row] = await service.database.owner<{ available: bigint }[]>`
    select available from balances where account_id = ${account.account.account_id}`
  return row?.available
}

function listEvents(payout_id: string) {
  return service.database.owner<{ type: string }[]>`
    select type from each_event where object_id = ${payout_id} order by sequence`
}

for (const steps of [[failed], [succeeded, reversed]]) {
  const path = steps.map(step => step.status).join(' then ')
  test(`rail report, ${path}, 50 times in parallel by two workers: applied once`, async () => {
    const payout_id = await pay()
    const { account_id } = account.account
    // Both workers have claimed it in turn, the first one's lease having run out.
    await claimDuePayouts(service.deps.sql, [{ account_id, id: payout_id }], 0)
    const [claimed] = await claimDuePayouts(other.sql, [{ account_id, id: payout_id }], 60_000)
    assert.equal(claimed?.rail_attempts, 1)
    const report = { account_id, payout_id, steps, by: 'rail', ask_again_in_ms: null } as const
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 === 0 ? service.deps : other).lanes.advancePayout.run(report),
      ),
    )
    assert.equal(outcomes.filter(outcome => outcome.entries.length > 0).length, 1)
    assert.equal(await balance(), START)
    const events = (await listEvents(payout_id)).map(event => event.type)
    assert.deepEqual(events, ['payout.created', ...steps.map(step => `payout.${step.status}`)])
  })
}

test('settling, 8 rounds in parallel by two workers, 60 payouts: each step applied once', async () => {
  // By these amounts the simulator fails, reverses, and lets succeed.
  const kinds = [200_001, 500_002, 10_000]
  const ids = await Promise.all(Array.from({ length: 60 }, (_, i) => pay(kinds[i % 3])))
  const rounds = Array.from({ length: 8 }, (_, i) => settleOnce(i % 2 === 0 ? service.deps : other))
  await Promise.all(rounds)
  assert.equal(await balance(), START - 20n * 10_000n)
  const events = await Promise.all(ids.map(listEvents))
  const counts = [2, 3, 2]
  assert.deepEqual(
    events.map(list => list.length),
    ids.map((_, i) => counts[i % 3]),
  )
  await verifyBooks(service.database.owner)
})
