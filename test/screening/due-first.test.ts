// New lists: what is to go out now is screened before what is executed later, however much that is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { screenPayouts } from '../../src/worker/screen-payouts.ts'
import { localPayout } from '../support/given/bodies.ts'
import { pay } from '../support/service/payouts.ts'
import { startTestService } from '../support/service/service.ts'
import { readUnList, takeUnList } from '../support/service/un-list.ts'

/** More than a round of the worker takes. */
const SCHEDULED = 510

test('lists that have changed, beside many scheduled payouts: what is due is screened first', async () => {
  const service = await startTestService()
  try {
    const fund = { USD: 100_000_000n }
    const account = await service.openAccount({ currencies: ['USD'], fund })
    const execute_at = new Date(Date.now() + 86_400_000).toISOString()
    const payouts = Array.from({ length: SCHEDULED }, (_, i) => {
      return { ...localPayout, amount: 1_000 + i, execute_at }
    })
    const made = await account.post('/v3/payout_batch', { payouts })
    assert.equal(made.status, 200, made.text)
    const { id } = await pay(account)
    await takeUnList(service, await readUnList(), { reason: 'A test.' })
    await service.deps.lists.read()
    const present = async () => {
      const rows = await service.database.owner<{ id: string }[]>`
        select id from open_payouts where screened = (select lists_version from reference_version)`
      return rows.map(row => row.id)
    }
    assert.deepEqual(await present(), [])
    await screenPayouts(service.deps)
    const first = await present()
    assert.ok(first.includes(id))
    assert.ok(first.length <= SCHEDULED)
    service.deps.screening.again()
    while ((await screenPayouts(service.deps)) > 0) service.deps.screening.again()
    assert.equal((await present()).length, SCHEDULED + 1)
  } finally {
    await service.close()
  }
})
