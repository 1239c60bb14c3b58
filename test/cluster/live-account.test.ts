// A spread database takes no live account: whoever opens one is told so, and no row of it is written.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeOperatorWorld, type OperatorWorld } from '../operator/world.ts'
import { assertRefused } from '../support/assert/check.ts'
import { unlessCluster } from '../support/database/citus.ts'

const skip = unlessCluster

let world: OperatorWorld
before(async () => {
  if (skip === false) world = await makeOperatorWorld()
})
after(() => world?.close())

test('POST /v3/operator/account, a live account: refused at sandbox, none created', {
  skip,
}, async () => {
  const body = { name: 'Harbour', currencies: ['USD'], primary_currency: 'USD' }
  const answer = await world.call('POST /v3/operator/account', { body })
  assertRefused(answer, 400, 'invalid_field', 'sandbox')
  const opened = await world.call('POST /v3/operator/account', { body: { ...body, sandbox: true } })
  assert.equal(opened.status, 200, opened.text)
  const { json } = await world.call('GET /v3/operator/account', { query: '?limit=100' })
  const named = json.data.results.filter(({ name }: { name: string }) => name === body.name)
  assert.deepEqual(
    named.map(({ account_id }: { account_id: string }) => account_id),
    [opened.json.data.account_id],
  )
})
