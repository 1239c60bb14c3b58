// Payouts of entities and beneficiaries that a person has confirmed to be listed: held, whatever the lists say by then.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { localPayout } from '../support/given/bodies.ts'
import { review } from '../support/service/review.ts'
import { readLists, requireLists } from '../support/service/un-list.ts'
import { Office } from './office.ts'

const HELD = 'compliance_hold'

let office: Office
/** Eric Badege is not on it. */
let other: string
before(async () => {
  office = await Office.open()
  other = office.without('BADEGE').replace('CDi.001', 'CDi.901')
})
beforeEach(() => office.renew())
after(() => office.close())

const pay = (more: object) => office.pay('Harbour Trading Ltd', more)

/** What `make` has made was found on a list, which has dropped it since. */
async function foundOnce(make: () => Promise<string>): Promise<string> {
  await requireLists(office.service, 'un')
  await office.listIs(other)
  const id = await make()
  await office.listIs(office.un)
  await office.screenAll()
  await office.listIs(other)
  await office.screenAll()
  assert.equal((await office.show(id)).screening, 'open')
  return id
}

const entityOnce = () =>
  foundOnce(async () => {
    const id = await office.makeEntity('Eric Badege')
    await review(office.service, office.live, id, 'approved')
    return id
  })

test('entity whose match is confirmed: its open and new payouts held', async () => {
  const on_behalf_of = await entityOnce()
  const [before, elsewhere] = [await pay({ on_behalf_of }), await pay({})]
  assert.equal(before.status, 'processing')
  await office.decides('confirm', on_behalf_of)
  await office.settle()
  assert.deepEqual(office.got, [elsewhere.id])
  assert.equal(await office.statusOf(before.id), HELD)
  const after = await pay({ on_behalf_of })
  assert.deepEqual([after.status, after.status_description], [HELD, 'Held for review.'])
  for (const { id } of [before, after]) {
    const { screening, matches } = await office.show(id)
    assert.deepEqual([screening, matches[0]?.party, matches[0]?.listed], ['open', 'entity', false])
  }
  const early = await office.fails('screening', 'clear', after.id, '--reason', 'Another one.')
  assert.match(early, /held for ent_\w+, which is confirmed to be listed: clear ent_\w+/)
  for (const id of [on_behalf_of, before.id, after.id]) await office.decides('clear', id)
  await office.settle()
  assert.deepEqual(office.got.toSorted(), [elsewhere.id, before.id, after.id].toSorted())
})

test('beneficiary whose match is confirmed: its open and new payouts held', async () => {
  const beneficiary = await foundOnce(() => office.makeBeneficiary('Eric Badege'))
  const { beneficiary_details: _, ...without } = localPayout
  const payTo = async (): Promise<{ id: string; status: string }> =>
    (await office.live.post('/v3/payout', { ...without, amount: 1000, beneficiary })).json.data
  const before = await payTo()
  assert.equal(before.status, 'processing')
  await office.decides('confirm', beneficiary)
  await office.settle()
  const after = await payTo()
  assert.deepEqual([await office.statusOf(before.id), after.status], [HELD, HELD])
  assert.deepEqual(office.got, [])
  for (const id of [beneficiary, before.id, after.id]) await office.decides('clear', id)
  await office.settle()
  assert.deepEqual(office.got.toSorted(), [before.id, after.id].toSorted())
})

test('match confirmed, then screening switched off: payouts of the party still held', async () => {
  const on_behalf_of = await entityOnce()
  await office.decides('confirm', on_behalf_of)
  await requireLists(office.service)
  await readLists(office.service)
  assert.equal((await pay({ on_behalf_of })).status, HELD)
})

test('match confirmed while the worker screens a payout of the party: payout screened again', async () => {
  const on_behalf_of = await entityOnce()
  const { id } = await pay({ on_behalf_of })
  await office.listIs(other)
  const { deps } = office.service
  const { lanes } = deps
  let confirmed = false
  type Advance = Parameters<typeof lanes.advancePayout.run>[0]
  const advancePayout = {
    run: async (advance: Advance) => {
      if (advance.by === 'review' && advance.screened && !confirmed) {
        confirmed = true
        await office.decides('confirm', on_behalf_of)
      }
      return lanes.advancePayout.run(advance)
    },
  } as unknown as typeof lanes.advancePayout
  await office.settle(office.rail, { ...deps, lanes: { ...lanes, advancePayout } })
  await office.settle()
  assert.deepEqual([confirmed, office.got], [true, []])
  assert.equal(await office.statusOf(id), HELD)
})

test('beneficiary with an undecided match, renamed: its payouts held', async () => {
  await requireLists(office.service, 'un')
  await office.listIs(office.un)
  const beneficiary = await office.makeBeneficiary('Eric Badege')
  await office.screenAll()
  assert.equal((await office.show(beneficiary)).screening, 'open')
  await office.rename(beneficiary, 'Lucia Chen')
  await office.screenAll()
  const { beneficiary_details: _, ...without } = localPayout
  const pays = async (): Promise<{ id: string; status: string }> =>
    (await office.live.post('/v3/payout', { ...without, amount: 1000, beneficiary })).json.data
  const held = await pays()
  assert.equal(held.status, HELD)
  await office.decides('clear', beneficiary)
  await office.decides('clear', held.id)
  await office.settle()
  assert.equal((await pays()).status, 'processing')
  assert.ok(office.got.includes(held.id))
})
