// What operators are told of payouts that wait for approvals: how many, and when the first of them ends.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { countWaiting } from '../../src/worker/counts.ts'
import { localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const DAY_S = 86_400

let service: TestService
let live: Client
let sandbox: Client
before(async () => {
  service = await startTestService()
  await service.setFees([{ payout_type: 'local' }])
  await service.setRoutes([{}])
  const fund = { USD: 10n ** 9n }
  live = await service.openAccount({ currencies: ['USD'], fund, sandbox: false })
  sandbox = await service.openAccount({ currencies: ['USD'], fund })
})
after(() => service.close())

/** The payouts that wait, and how long it is until the first of them ends. */
async function told(): Promise<readonly [payouts: number, ends_in_s: number]> {
  await countWaiting(service.deps)
  const text = await service.deps.metrics.registry.metrics()
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  return [value('corridor_payouts_pending_approval'), value('corridor_approvals_end_in_seconds')]
}

async function payWithin(days: number, by: Client): Promise<string> {
  const { account_id } = by.account
  const remove = await addApprovalRule(service, { account_id, expires_after_days: days })
  await service.deps.reference.refresh()
  const { json, text } = await by.post('/v3/payout', localPayout)
  assert.equal(json.data?.status, 'pending_approval', text)
  await remove()
  await service.deps.reference.refresh()
  return json.data.id
}

test('payouts of live accounts that wait are counted, with the time until the first one ends', async () => {
  assert.deepEqual(await told(), [0, 0])
  await payWithin(1, sandbox)
  assert.deepEqual(await told(), [0, 0])
  await payWithin(9, live)
  const soon = await payWithin(2, live)
  const [two, first_s] = await told()
  assert.equal(two, 2)
  assert.ok(first_s > DAY_S && first_s <= 2 * DAY_S, String(first_s))
  assert.equal((await live.post(`/v3/payout/${soon}/cancel`, {})).status, 200)
  const [one, then_s] = await told()
  assert.equal(one, 1)
  assert.ok(then_s > 8 * DAY_S && then_s <= 9 * DAY_S, String(then_s))
})
