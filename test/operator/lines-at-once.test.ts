// People who decide about lines of one nostro at the same moment, by one service.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { untilBlocked } from '../support/database/blocked.ts'
import { giveLines } from '../support/treasury/open-rows.ts'
import { newNostro } from './treasury-calls.ts'
import { makeOperatorWorld, type OperatorWorld } from './world.ts'

let world: OperatorWorld
before(async () => {
  world = await makeOperatorWorld()
})
after(() => world.close())

test('credit of a line while others book lines of its nostro: each is done, none waits for ever', async () => {
  const { owner } = world.service.database
  const nostro = { name: await newNostro(world), currency: 'USD' }
  const lines = await giveLines(
    owner,
    nostro,
    [100n, 200n, 300n, 400n, 500n].map(amount => ({ amount })),
  )
  const [first, ...others] = lines.map(id => `line_${id}`)
  const { account_id } = world.live.account
  const acts = await owner.begin(async tx => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${`corridor match ${nostro.name}`}, 0))`
    const body = { account_id, reason: 'Theirs' }
    const credit = world.call('POST /v3/operator/nostro_line/:id/credit', {
      ids: [first ?? ''],
      body,
    })
    await untilBlocked(owner)
    const books = others.map(id =>
      world.call('POST /v3/operator/nostro_line/:id/book', { ids: [id], body: { as: 'interest' } }),
    )
    // The books have come in: a later call is answered.
    await world.call('GET /v3/operator/nostro_line', { query: `?nostro=${nostro.name}` })
    return [credit, ...books]
  })
  const answers = await Promise.all(acts)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200],
    answers.map(({ text }) => text).join('\n'),
  )
})
