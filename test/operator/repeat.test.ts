// What becomes of answers that are kept under an Idempotency-Key: forgotten after a day, given again
// after others have changed the same, and once for all who ask at once. access.test.ts repeats each write.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deleteExpiredReplies } from '../../src/http/idempotency/store.ts'
import { assertRefused } from '../support/assert/check.ts'
import { openCli } from '../support/service/cli.ts'
import { addPerson } from '../support/service/service.ts'
import { callUntilAnswered, makeOperatorWorld, newReference, type OperatorWorld } from './world.ts'

let world: OperatorWorld
before(async () => {
  world = await makeOperatorWorld()
})
after(() => world.close())

async function auditHead(): Promise<bigint> {
  const [row] = await world.service.database.owner<{ head: bigint }[]>`
    select coalesce(max(change_id), 0) as head from audit_log`
  return row?.head ?? 0n
}

// The first test, for verify: calls of the others write rows that the product would not.
test('operator Idempotency-Key a day old, sent again: executed anew; corridor verify clean', async () => {
  const headers = { 'idempotency-key': newReference() }
  const [name, body] = ['POST /v3/operator/rate', { base: 'USD', quote: 'DKK', mid: '7' }]
  const first = await world.call(name, { body, headers })
  assert.equal(first.status, 200, first.text)
  const cli = await openCli(world.service.database.url, { CORRIDOR_USER: 'ada' })
  const verified = await cli.run('verify')
  await cli.close()
  assert.equal(verified.code, 0, verified.stdout + verified.stderr)
  const key = headers['idempotency-key']
  const { owner } = world.service.database
  await owner`
    update idempotency_keys set created_at = statement_timestamp() - interval '25 hours'
    where key = ${key}`
  assert.equal(await deleteExpiredReplies(world.service.deps), 1)
  const again = await world.call(name, { body, headers })
  assert.equal(again.headers['idempotent-replayed'], undefined)
  assert.equal(again.json.data.previous?.mid, '7', again.text)
})

test('POST rate, key replayed after another rate was set: that rate stays, the original answer', async () => {
  const pair = { base: 'USD', quote: 'SGD' }
  const headers = { 'idempotency-key': newReference() }
  const set = (mid: string, more: object = {}) =>
    world.call('POST /v3/operator/rate', { body: { ...pair, mid }, ...more })
  const first = await set('1.3', { headers })
  assert.equal(first.status, 200, first.text)
  assert.equal((await set('1.31')).status, 200)
  const again = await set('1.3', { headers })
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
  const { json } = await world.call('GET /v3/operator/rate', {})
  const [rate] = json.data.results.filter(({ quote }: { quote: string }) => quote === 'SGD')
  assert.equal(rate.mid, '1.31')
  assertRefused(await set('1.32', { headers }), 422, 'idempotency_key_reused')
  const mary = await addPerson(world.service, { user: 'mary', role: 'operator' })
  const body = { ...pair, mid: '1.32' }
  const hers = await world.call('POST /v3/operator/rate', { body, headers }, mary.headers())
  assert.deepEqual([hers.status, hers.json.data.previous?.mid], [200, '1.31'], hers.text)
})

test('POST limit, key replayed after another person changed the cap: the changed cap stays', async () => {
  const headers = { 'idempotency-key': newReference() }
  const name = 'POST /v3/operator/limit'
  const of = { account_id: world.live.account.account_id, per: 'day', zone: 'Asia/Seoul' }
  const rounds = [
    { what: 'the limit is new', first: 900_001, theirs: 900_002, key: headers },
    { what: 'the limit is there', first: 900_003, theirs: 900_004, key: undefined },
  ]
  for (const { what, first: count, theirs, key } of rounds) {
    const call = { body: { ...of, count }, headers: key ?? { 'idempotency-key': newReference() } }
    const first = await world.call(name, call)
    assert.equal(first.status, 200, first.text)
    const other = await world.call(name, { body: { ...of, count: theirs } })
    assert.equal(other.json.data.before?.cap, count, what)
    const again = await world.call(name, call)
    assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
    const { json } = await world.call('GET /v3/operator/limit', {})
    const mine = json.data.results.filter(({ zone }: { zone: string }) => zone === of.zone)
    assert.deepEqual(
      mine.map(({ cap }: { cap: number }) => cap),
      [theirs],
      what,
    )
  }
  assertRefused(
    await world.call(name, { body: { ...of, count: 1 }, headers }),
    422,
    'idempotency_key_reused',
  )
})

test('POST pricing and limit, eight requests in parallel with one key: one answer, one log row', async () => {
  for (const [route, body] of [
    ['pricing', { spread_bps: 41, from_currency: 'EUR', to_currency: 'USD' }],
    ['limit', { count: 900_000, per: 'day', zone: 'Asia/Taipei' }],
  ] as const) {
    const headers = { 'idempotency-key': newReference() }
    const head = await auditHead()
    const calls = Array.from({ length: 8 }, () =>
      callUntilAnswered(world, `POST /v3/operator/${route}`, { body, headers }),
    )
    const answers = await Promise.all(calls)
    const { text } = answers[0] ?? assert.fail()
    for (const answer of answers) assert.deepEqual([answer.status, answer.text], [200, text])
    assert.equal(await auditHead(), head + 1n)
  }
})

test('POST with a key, refused: answer not stored; sent again once possible: succeeds', async () => {
  const headers = { 'idempotency-key': newReference() }
  const name = 'POST /v3/operator/rate/remove'
  const body = { base: 'USD', quote: 'NOK' }
  assertRefused(await world.call(name, { body, headers }), 404, 'not_found')
  await world.service.setRates({ 'USD/NOK': '10' })
  assert.equal((await world.call(name, { body, headers })).status, 200)
})
