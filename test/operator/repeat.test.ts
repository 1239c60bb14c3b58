// What a repeat of each write does, such as after an answer was lost: what takes an Idempotency-Key
// answers as before, and of the rest a repeat changes nothing more, or is refused.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import document from '../../docs/operator.openapi.json' with { type: 'json' }
import { deleteExpiredReplies } from '../../src/http/idempotency/store.ts'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { openCli } from '../support/service/cli.ts'
import { type Answer, addPerson } from '../support/service/service.ts'
import {
  CALLS,
  callUntilAnswered,
  makeOperatorWorld,
  newReference,
  type OperatorWorld,
} from './world.ts'

let world: OperatorWorld
before(async () => {
  world = await makeOperatorWorld()
})
after(() => world.close())

/** Those whose answer has a secret, which is kept nowhere: a repeat makes another one. */
const WITH_SECRET = [
  'POST /v3/operator/account',
  'POST /v3/operator/account/:id/key',
  'POST /v3/operator/user/:name/login_link',
]

/** Whether the document says that a route takes an Idempotency-Key. */
function takesKey(name: string): boolean {
  const [method = '', url = ''] = name.split(' ')
  const paths: Readonly<Record<string, object>> = document.paths
  const path = paths[url.replace(/:(\w+)/g, '{$1}')] as Readonly<Record<string, object>>
  return JSON.stringify(path[method.toLowerCase()]).includes('Idempotency-Key')
}

async function auditHead(): Promise<string> {
  const [row] = await world.service.database.owner<{ head: string }[]>`
    select coalesce(max(change_id), 0)::text as head from audit_log`
  return row?.head ?? ''
}

async function rowsOfLog(after: bigint): Promise<number | undefined> {
  const [row] = await world.service.database.owner<{ count: number }[]>`
    select count(*)::integer as count from audit_log where change_id > ${after}`
  return row?.count
}

// The first test, for verify: calls of the others write rows that the product would not.
test('a kept answer, a day old: forgotten with those of accounts, and the call is done anew; verify finds nothing', async () => {
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

for (const [name, callOf] of Object.entries(CALLS)) {
  if (name.startsWith('GET')) continue
  const keyed = takesKey(name)
  const what = keyed
    ? 'under its key, the first answer, and no row changes'
    : WITH_SECRET.includes(name)
      ? 'another one'
      : 'refused, or nothing more is in the log'

  test(`${name}, repeated: ${what}`, async () => {
    const call = { ...(await callOf(world)), headers: { 'idempotency-key': newReference() } }
    const first = await world.call(name, call)
    assert.equal(first.status, 200, first.text)
    const [head, rows] = [await auditHead(), await rowVersions(world.service.database.owner)]
    const again = await world.call(name, call)
    if (WITH_SECRET.includes(name)) {
      assert.equal(again.status, 200, again.text)
      const secret = ({ json: { data } }: Answer) => String(data.secret ?? data.link)
      assert.notEqual(secret(again), secret(first))
      return
    }
    assert.ok(again.status < 500, again.text)
    assert.equal(await auditHead(), head, again.text)
    if (keyed) {
      assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
    }
    if (keyed || again.status >= 400) {
      assert.deepEqual(await rowVersions(world.service.database.owner), rows)
    }
  })
}

test('a rate set again under its key after another was set: the other one stays', async () => {
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

test('a limit set again under its key after somebody else changed it: their cap stays', async () => {
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

test('a new limit, set eight times at once under one key: one answer, and one row in the log', async () => {
  const headers = { 'idempotency-key': newReference() }
  const body = { count: 900_000, per: 'day', zone: 'Asia/Taipei' }
  const head = BigInt(await auditHead())
  const calls = Array.from({ length: 8 }, () =>
    callUntilAnswered(world, 'POST /v3/operator/limit', { body, headers }),
  )
  const answers = await Promise.all(calls)
  for (const { status, text } of answers) assert.deepEqual([status, text], [200, answers[0]?.text])
  assert.equal(await rowsOfLog(head), 1)
})

test('a name given again under its key after another: the other one stays', async () => {
  const name = 'PATCH /v3/operator/account/:id'
  const ids = [world.sandbox.account.account_id]
  const headers = { 'idempotency-key': newReference() }
  const first = await world.call(name, { ids, body: { name: 'Harbour' }, headers })
  assert.equal(first.status, 200, first.text)
  assert.equal((await world.call(name, { ids, body: { name: 'Pier' } })).status, 200)
  const again = await world.call(name, { ids, body: { name: 'Harbour' }, headers })
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
  const { json } = await world.call('GET /v3/operator/account/:id', { ids })
  assert.equal(json.data.name, 'Pier')
  const elsewhere = { ids: ['acc_00000000'], body: { name: 'Harbour' }, headers }
  assertRefused(await world.call(name, elsewhere), 404, 'not_found')
})

test('eight calls at once under one key: one answer for all, and one row in the log', async () => {
  const headers = { 'idempotency-key': newReference() }
  const body = { spread_bps: 41, from_currency: 'EUR', to_currency: 'USD' }
  const head = BigInt(await auditHead())
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      callUntilAnswered(world, 'POST /v3/operator/pricing', { body, headers }),
    ),
  )
  for (const { status, text } of answers) assert.deepEqual([status, text], [200, answers[0]?.text])
  assert.equal(await rowsOfLog(head), 1)
})

test('what is refused under a key is not kept: the same call is done once it can be', async () => {
  const headers = { 'idempotency-key': newReference() }
  const name = 'POST /v3/operator/rate/remove'
  const body = { base: 'USD', quote: 'NOK' }
  assertRefused(await world.call(name, { body, headers }), 404, 'not_found')
  await world.service.setRates({ 'USD/NOK': '10' })
  assert.equal((await world.call(name, { body, headers })).status, 200)
})
