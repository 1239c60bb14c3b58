// The settling worker's pace: how often it looks, whatever it finds. What it does with what it finds
// is in test/api/settlement.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startSettling } from '../../src/worker/settle-payouts.ts'
import { localPayout } from '../support/given/bodies.ts'
import { until } from '../support/service/process.ts'
import { startTestService, type TestService } from '../support/service/service.ts'

const POLL_MS = 100
const WATCHED_MS = 1_000
/** As many as a round takes, so that it is a full one. */
const DUE = 500

let service: TestService
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0, settle_poll_ms: POLL_MS })
  const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
  const payouts = Array(DUE).fill({ ...localPayout, amount: 1 })
  assert.equal((await account.post('/v3/payout_batch', { payouts })).status, 200)
})
after(() => service.close())

test('the worker, a full round of which nothing can be claimed: looks once in each interval, and goes on when it can', async () => {
  const { owner } = service.database
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
