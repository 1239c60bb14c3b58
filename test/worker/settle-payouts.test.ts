// The settling worker: how often it looks, whatever it finds, and what it does about scheduled payouts
// whose time has come and whose entities are not all approved any more. What else it does with what it
// finds is in test/api/settlement.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { settleOnce, startSettling } from '../../src/app/worker/settle-payouts.ts'
import { localPayout } from '../support/given/bodies.ts'
import { entityOf, findPayout, pay } from '../support/service/payouts.ts'
import { until } from '../support/service/process.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const POLL_MS = 100
const WATCHED_MS = 1_000
/** As many as a round takes, so that it is a full one. */
const DUE = 500

let service: TestService
let account: Client
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0, settle_poll_ms: POLL_MS })
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
})
after(() => service.close())

test('worker, due payouts that cannot be claimed: one look per interval, continues once they can', async () => {
  const { owner } = service.database
  const payouts = Array(DUE).fill({ ...localPayout, amount: 1 })
  assert.equal((await account.post('/v3/payout_batch', { payouts })).status, 200)
  let failures = 0
  const warn = () => {
    failures += 1
  }
  const log = Object.assign(Object.create(service.deps.log), { warn })
  await owner`revoke update on open_payouts from corridor_service`
  const worker = startSettling({ ...service.deps, log })
  try {
    await until('it has failed', () => failures > 0)
    failures = 0
    await delay(WATCHED_MS)
    // Two lines for each look: all at once, then the one account.
    assert.ok(failures > 0 && failures <= 2 * (WATCHED_MS / POLL_MS + 1), `${failures} failures`)
    await owner`grant update on open_payouts to corridor_service`
    await until('all are settled', async () => {
      const [left] = await owner`select from open_payouts where status = 'processing' limit 1`
      return left === undefined
    })
  } finally {
    await worker.stop()
  }
})

test('scheduled payout that cannot be put on hold: not sent, other payouts of its account sent', async () => {
  const entities = [await entityOf(account), await entityOf(account)]
  const execute_at = new Date(Date.now() + 3_600_000).toISOString()
  const ids: string[] = []
  for (const on_behalf_of of entities) {
    await review(service, account, on_behalf_of, 'approved')
    ids.push((await pay(account, { on_behalf_of, execute_at })).id)
  }
  await account.post('/v3/sandbox/clock/advance', { seconds: 3_600 })
  await review(service, account, entities[0] ?? '', 'requires_action')
  const { lanes } = service.deps
  const advancePayout: typeof lanes.advancePayout = Object.create(lanes.advancePayout)
  advancePayout.run = command =>
    command.by === 'review' && command.screened === undefined
      ? Promise.reject(new Error('the database is away'))
      : lanes.advancePayout.run(command)
  const deps = { ...service.deps, lanes: { ...lanes, advancePayout } }
  for (let round = 0; round < 3; round++) {
    deps.screening.again()
    await settleOnce(deps)
  }
  const statuses = await Promise.all(ids.map(async id => (await findPayout(account, id)).status))
  assert.deepEqual(statuses, ['processing', 'succeeded'])
})
