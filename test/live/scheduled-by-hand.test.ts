// Scheduled payouts that people pay: nobody takes one whose entity is not approved any more, and nobody
// says of another that it is paid which no rail has had.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused, balancesOf } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { entityOf, findPayout, pay } from '../support/service/payouts.ts'
import { until } from '../support/service/process.ts'
import { review } from '../support/service/review.ts'
import type { Client } from '../support/service/service.ts'
import { scriptedRail, settleAll } from '../support/service/settling.ts'
import { openWithCli } from '../support/service/with-cli.ts'

const FUNDED = 10_000_000n

const { service, cli, rows } = await openWithCli()
await service.setFees([{ fixed_amount: 150n }])
await service.setRoutes([{ rail: 'manual' }])

function funded(sandbox: boolean): Promise<Client> {
  return service.openAccount({ currencies: ['USD'], fund: { USD: FUNDED }, sandbox })
}

async function approvedEntity(account: Client): Promise<string> {
  const id = await entityOf(account)
  await review(service, account, id, 'approved')
  return id
}

/** A payout whose time has come since it was made. No clock of a live account is moved. */
async function duePayout(account: Client, on_behalf_of: string): Promise<string> {
  for (let ahead_ms = 250; ; ahead_ms *= 2) {
    const execute_at = new Date(Date.now() + ahead_ms).toISOString()
    const made = await account.post('/v3/payout', { ...localPayout, on_behalf_of, execute_at })
    // A busy machine was slower than that.
    if (made.status === 400) continue
    assert.equal(made.status, 200, made.text)
    const { owner } = service.database
    await until('its time has come', async () => {
      const [row] = await owner<{ due: boolean }[]>`
        select clock_timestamp() > ${execute_at}::timestamptz as due`
      return row?.due === true
    })
    return made.json.data.id
  }
}

const NOT_APPROVED = /entity of payout .* is not approved/

test('corridor payout take, scheduled payout whose entity was rejected: refused, nothing changed', async () => {
  const live = await funded(false)
  const entity = await approvedEntity(live)
  const [id, other] = [await duePayout(live, entity), await duePayout(live, entity)]
  await review(service, live, entity, 'rejected')
  const { owner } = service.database
  const before = await rows()
  const taken = await cli.run('payout', 'take', id)
  assert.equal(taken.code, 1)
  assert.match(taken.stderr, new RegExp(`for entity ${entity}, which is rejected: nobody pays it`))
  assert.deepEqual(await rows(), before)
  const take = owner`update open_payouts set taken_by = 'olga', taken_at = now() where id = ${id}`
  await assert.rejects(take.execute(), NOT_APPROVED)
  // Its account has the money back, unless the entity is approved again.
  assert.equal((await live.post(`/v3/payout/${other}/cancel`, {})).status, 200)
  assert.deepEqual(await balancesOf(live), { USD: String(FUNDED - 10_150n) })
  await review(service, live, entity, 'approved')
  assert.equal((await cli.run('payout', 'take', id)).code, 0)
  // What may be paid by now is told as it is.
  await review(service, live, entity, 'rejected')
  const paid = await cli.run('payout', 'transition', id, 'succeeded', '--reference', 'B-1')
  assert.equal(paid.code, 0, paid.stderr)
})

test('scheduled payout whose entity was rejected: not claimed, cannot be set to succeeded by hand', async () => {
  const account = await funded(true)
  const entity = await approvedEntity(account)
  const execute_at = new Date(Date.now() + 3_600_000).toISOString()
  const { id } = await pay(account, { on_behalf_of: entity, execute_at })
  await account.post('/v3/sandbox/clock/advance', { seconds: 3_600 })
  await review(service, account, entity, 'rejected')
  const { owner } = service.database
  const claim = owner`update open_payouts set rail_attempts = 1 where id = ${id}`
  await assert.rejects(claim.execute(), NOT_APPROVED)
  const path = `/v3/sandbox/payout/${id}/transition`
  assertRefused(await account.post(path, { status: 'succeeded' }), 409, 'invalid_transition')
  const rail = scriptedRail()
  await settleAll(service, rail)
  assert.deepEqual(rail.calls, [])
  assert.equal((await findPayout(account, id)).failure.code, 'PF000300')
})
