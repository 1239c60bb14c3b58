// What the settling worker does about scheduled payouts whose time has come and whose entities are not
// all approved any more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulator } from '../../src/rail/simulator.ts'
import { settleOnce } from '../../src/worker/settle-payouts.ts'
import { entityOf, findPayout, pay } from '../support/service/payouts.ts'
import { review } from '../support/service/review.ts'
import { startTestService } from '../support/service/service.ts'
import { askingRail } from '../support/service/settling.ts'

test('a scheduled payout that cannot be held: goes to nobody, and others of its account go out', async () => {
  const service = await startTestService({ simulator_delay_ms: 0 })
  try {
    const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
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
    const rail = simulator({ delay_ms: 0 })
    for (let round = 0; round < 3; round++) {
      deps.screening.again()
      await settleOnce(askingRail(deps, rail))
    }
    const statuses = await Promise.all(ids.map(async id => (await findPayout(account, id)).status))
    assert.deepEqual(statuses, ['processing', 'succeeded'])
  } finally {
    await service.close()
  }
})
