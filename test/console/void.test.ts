// The form by which an operator gives up a payment on a chain: shown while a payment may be void, and a
// wrong value changes nothing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ChainWorld, type Made, openChainWorld } from '../support/chain/world.ts'
import { addPerson } from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

let world: ChainWorld
let ada: Awaited<ReturnType<typeof logIn>>
before(async () => {
  world = await openChainWorld()
  await addPerson(world.service, { user: 'ada', role: 'operator' })
  ada = await logIn(world.service, 'ada')
  await world.start()
})
after(() => world?.close())

const pageOf = ({ id }: Made) => `/console/installation/payouts/${id}`
const look = async (made: Made) =>
  (await world.service.inject({ url: pageOf(made), headers: ada })).text
type Fields = readonly (readonly [name: string, value: string])[]
const send = (made: Made, ...fields: Fields) =>
  sendForm(world.service, ada, `${pageOf(made)}/void`, [
    ['key', crypto.randomUUID()],
    ...fields.map(([name, value]): [string, string] => [name, value]),
  ])
const FORM = /<details><summary>Give the payment up<\/summary>/

/** A payout whose payment is with the providers, and in no block. */
async function sent(): Promise<Made> {
  const made = await world.payOne()
  await world.untilSlot(made, 'sent')
  return made
}

/** Who has given the payment up, and what follows. */
async function givenUp({ id }: Made) {
  const [row] = await world.service.database.owner`
    select void_as, void_by, void_reason from evm_slots where payout_id = ${id}`
  return row
}

const stuck = ['reason', 'Stuck since Monday'] as const
const WRONG: readonly (readonly [string, Fields, RegExp])[] = [
  ['no reason', [['then', 'fail']], /reason/],
  ['neither choice', [stuck], /fail|again/],
  ['a choice that there is not', [['then', 'twice'], stuck], /twice/],
]

test('console, payment in no block: its form gives it up, once, and names who and why', async () => {
  const made = await sent()
  assert.match(await look(made), FORM)
  for (const [what, fields, words] of WRONG) {
    const refused = await send(made, ...fields)
    assert.equal(refused.status, 400, `${what}: ${refused.text}`)
    assert.match(refused.text, /<details open><summary>Give the payment up<\/summary>/, what)
    assert.match(refused.text, words, what)
  }
  assert.deepEqual(await givenUp(made), { void_as: '', void_by: '', void_reason: '' })
  const done = await send(made, ['then', 'fail'], stuck)
  assert.equal(done.status, 303, done.text)
  const by_ada = { void_as: 'fail', void_by: 'ada', void_reason: 'Stuck since Monday' }
  assert.deepEqual(await givenUp(made), by_ada)
  const again = await send(made, ['then', 'again'], stuck)
  assert.equal(again.status, 409, again.text)
  assert.deepEqual(await givenUp(made), by_ada)
  await world.whileAsking('its void is sent', async () => {
    const [row] = await world.service.database.owner`
      select from evm_transactions where kind = 'void' and sends > 0`
    return row !== undefined
  })
  await world.untilStatus('failed', [made])
  await world.checkPaidOnce([made])
  assert.doesNotMatch(await look(made), FORM)
})

test('console, payment in a block: its form changes nothing, and says why; its transaction is a link', async () => {
  const made = await sent()
  await world.anvil.mine()
  await world.untilSlot(made, 'mined')
  const refused = await send(made, ['then', 'fail'], stuck)
  assert.equal(refused.status, 409, refused.text)
  assert.match(refused.text, /its payment is mined/)
  await world.untilStatus('succeeded', [made])
  await world.checkPaidOnce([made])
  const [{ hash = '' } = {}] = await world.transactionsOf(made)
  const seen = await look(made)
  assert.ok(seen.includes(`<a href="https://polygonscan.com/tx/${hash}"><code>${hash}</code></a>`))
  assert.match(seen, new RegExp(`, block \\d+, number 1 of wallet <code>${world.wallet.address}`))
})
