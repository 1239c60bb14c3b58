// The delivery worker against receivers that answer well, badly, late and never: what is sent, when
// it is sent again, and in which order. Time is moved in the database, never waited for.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { deliverDue } from '../../src/app/worker/deliver-webhooks.ts'
import { deleteOldDeliveries } from '../../src/webhooks/queue-store.ts'
import { bankBeneficiary } from '../support/given/bodies.ts'
import {
  addEndpoint,
  type Receiver,
  startReceiver,
  verifySignature,
} from '../support/network/receiver.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

let service: TestService
let receiver: Receiver
let account: Client
before(async () => {
  service = await startTestService({ webhook_allow_private: true, webhook_timeout_ms: 400 })
})
after(() => service.close())
afterEach(() => receiver.close())

/** A new account, so that tests see nothing of each other, and a receiver for it. */
async function open(): Promise<void> {
  account = await service.openAccount()
  receiver = await startReceiver()
}

const deliver = () => deliverDue(service.deps, service.deps.sql)

/** An object with so many events: created once, then updated. Returns its id. */
async function makeEvents(count: number): Promise<string> {
  const { json, text } = await account.post('/v3/beneficiary', bankBeneficiary)
  const id = json.data?.id
  assert.match(id ?? text, /^bnf_/)
  for (let i = 1; i < count; i++) {
    const body = { ...bankBeneficiary, name: `${bankBeneficiary.name} ${i}` }
    const answer = await account.put(`/v3/beneficiary/${id}`, body)
    assert.equal(answer.status, 200, answer.text)
  }
  return id
}

interface Row {
  id: string
  status: string
  attempts: number
  due_in_s: number | null
  object_id: string
}

function deliveries(endpoint_id: string): Promise<Row[]> {
  return service.database.owner<Row[]>`
    select id, status, attempts, object_id,
      extract(epoch from due_at - clock_timestamp())::float8 as due_in_s
    from webhook_deliveries where endpoint_id = ${endpoint_id} order by number`
}

async function only(endpoint_id: string): Promise<Row> {
  const rows = await deliveries(endpoint_id)
  assert.equal(rows.length, 1)
  return rows[0] as Row
}

function attemptsOf(delivery_id: string) {
  return service.database.owner<
    { number: number; status_code: number | null; error: string; answer: string }[]
  >`
    select number, status_code, error, answer from webhook_attempts
    where delivery_id = ${delivery_id} order by number`
}

async function makeDue(endpoint_id: string): Promise<void> {
  await service.database.owner`
    update webhook_deliveries set due_at = statement_timestamp()
    where endpoint_id = ${endpoint_id} and due_at is not null`
}

test('delivery, receiver accepts: event equals GET /v3/event/{id}, signed with both secrets', async () => {
  await open()
  const former = await addEndpoint(service.database, account.account.account_id, receiver.url)
  await service.database.owner`delete from webhook_endpoints where id = ${former.id}`
  const { id, secret } = await addEndpoint(
    service.database,
    account.account.account_id,
    `${receiver.url}/hook?a=b`,
    { previous_secret: former.secret },
  )
  await makeEvents(1)
  assert.equal(await deliver(), 1)
  const [got] = receiver.received
  assert.ok(got !== undefined && receiver.received.length === 1)
  assert.equal(got.path, '/hook?a=b')
  assert.equal(got.headers['webhook-id'], got.event.id)
  const { json } = await account.get(`/v3/event/${got.event.id}`)
  assert.equal(got.body, JSON.stringify(json.data))
  verifySignature(secret, got)
  verifySignature(former.secret, got)
  const { status, attempts, due_in_s, id: delivery_id } = await only(id)
  assert.deepEqual(
    { status, attempts, due_in_s },
    { status: 'succeeded', attempts: 1, due_in_s: null },
  )
  assert.deepEqual(
    (await attemptsOf(delivery_id)).map(row => ({ ...row })),
    [{ number: 1, status_code: 204, error: '', answer: '' }],
  )
  assert.equal(await deliver(), 0)
})

test('delivery, endpoint subscribed to some event types: only these, none from before the endpoint', async () => {
  await open()
  await makeEvents(1)
  const wanted = { event_types: ['beneficiary.updated'] }
  await addEndpoint(service.database, account.account.account_id, receiver.url, wanted)
  await makeEvents(3)
  await deliver()
  const types = receiver.received.map(({ event }) => event.type)
  assert.deepEqual(types, ['beneficiary.updated', 'beneficiary.updated'])
})

const FAILURES: readonly [
  what: string,
  answer: { status: number; headers?: Record<string, string> } | undefined,
  kept: { status_code: number | null; error: string },
  wait_s: number,
][] = [
  ['never answers', undefined, { status_code: null, error: 'timeout' }, 5],
  [
    'redirects',
    { status: 302, headers: { location: '/elsewhere' } },
    { status_code: 302, error: '' },
    5,
  ],
  [
    'answers 429 with Retry-After',
    { status: 429, headers: { 'retry-after': '77' } },
    { status_code: 429, error: '' },
    77,
  ],
]

for (const [what, answer, kept, wait_s] of FAILURES) {
  test(`delivery, receiver that ${what}: retried after about ${wait_s} s, then accepted`, async () => {
    await open()
    receiver.answer(() => answer)
    const { id } = await addEndpoint(service.database, account.account.account_id, receiver.url)
    await makeEvents(1)
    assert.equal(await deliver(), 1)
    const row = await only(id)
    assert.equal(row.status, 'pending')
    const waits = row.due_in_s ?? 0
    assert.ok(waits > wait_s * 0.9 - 2 && waits <= wait_s * 1.1, `${waits} s`)
    const [attempt] = await attemptsOf(row.id)
    assert.deepEqual({ status_code: attempt?.status_code, error: attempt?.error }, kept)
    assert.ok(receiver.received.every(({ path }) => path === '/'))
    receiver.answer(() => ({ status: 200 }))
    await makeDue(id)
    assert.equal(await deliver(), 1)
    assert.equal((await only(id)).status, 'succeeded')
    const codes = (await attemptsOf(row.id)).map(({ number, status_code }) => [number, status_code])
    assert.deepEqual(codes, [
      [1, kept.status_code],
      [2, 200],
    ])
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    assert.equal(new Set(ids).size, 1)
  })
}

test('delivery, receiver answers 410: endpoint disabled; enabled: continues at the same event', async () => {
  await open()
  receiver.answer(() => ({ status: 410 }))
  const { id } = await addEndpoint(service.database, account.account.account_id, receiver.url)
  await makeEvents(3)
  assert.equal(await deliver(), 1)
  const { owner } = service.database
  const [endpoint] = await owner`
    select status, disabled_reason from webhook_endpoints where id = ${id}`
  assert.deepEqual({ ...endpoint }, { status: 'disabled', disabled_reason: 'gone' })
  await makeEvents(2)
  await makeDue(id)
  assert.equal(await deliver(), 0)
  receiver.answer(() => ({ status: 204 }))
  await owner`
    update webhook_endpoints set status = 'enabled', disabled_reason = '' where id = ${id}`
  assert.equal(await deliver(), 5)
  const sequences = receiver.received.map(({ event }) => event.sequence)
  assert.equal(new Set(sequences).size, 5)
  assert.ok((await deliveries(id)).every(row => row.status === 'succeeded'))
})

test('delivery, first event of an object fails: later events of the object wait in order, other objects proceed', async () => {
  await open()
  const { id } = await addEndpoint(service.database, account.account.account_id, receiver.url)
  const stuck = await makeEvents(3)
  const free = await makeEvents(3)
  receiver.answer(({ event }) => ({ status: event.object_id === stuck ? 503 : 200 }))
  await deliver()
  const typesOf = (object_id: string) =>
    receiver.received.filter(r => r.event.object_id === object_id).map(r => r.event.type)
  const path = ['beneficiary.created', 'beneficiary.updated', 'beneficiary.updated']
  assert.deepEqual(typesOf(free), path)
  assert.deepEqual(typesOf(stuck), path.slice(0, 1))
  await makeDue(id)
  await deliver()
  assert.deepEqual(typesOf(stuck), ['beneficiary.created', 'beneficiary.created'])
  receiver.answer(() => ({ status: 200 }))
  await makeDue(id)
  assert.equal(await deliver(), 3)
  assert.deepEqual(typesOf(stuck), ['beneficiary.created', 'beneficiary.created', ...path])
  const sequences = receiver.received
    .filter(r => r.event.object_id === stuck)
    .map(r => r.event.sequence)
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => a - b),
  )
})

test('delivery, first event of an object dead after its last attempt: the next event sent', async () => {
  await open()
  const { id } = await addEndpoint(service.database, account.account.account_id, receiver.url)
  await makeEvents(2)
  receiver.answer(({ event }) => ({ status: event.type === 'beneficiary.created' ? 500 : 200 }))
  await deliver()
  await service.database.owner`
    update webhook_deliveries set attempts = 10, due_at = statement_timestamp()
    where endpoint_id = ${id} and due_at is not null`
  assert.equal(await deliver(), 2)
  const ended = (await deliveries(id)).map(row => [row.status, row.attempts, row.due_in_s])
  assert.deepEqual(ended, [
    ['dead', 11, null],
    ['succeeded', 1, null],
  ])
})

test('delivery, cancelled while its request is open: stays cancelled, nothing recorded', async () => {
  await open()
  const { owner } = service.database
  const { id } = await addEndpoint(service.database, account.account.account_id, receiver.url)
  await makeEvents(1)
  const reached = Promise.withResolvers<void>()
  receiver.answer(() => {
    reached.resolve()
    return undefined
  })
  const round = deliver()
  await reached.promise
  await owner`
    update webhook_deliveries set status = 'cancelled', due_at = null where endpoint_id = ${id}`
  await round
  const row = await only(id)
  assert.equal(row.status, 'cancelled')
  assert.equal((await attemptsOf(row.id)).length, 0)
})

test('deliveries ended more than 30 days ago: deleted with their attempts; younger or pending ones kept', async () => {
  await open()
  const { owner } = service.database
  const { id } = await addEndpoint(service.database, account.account.account_id, receiver.url)
  await Promise.all([1, 2, 3].map(() => makeEvents(1)))
  await deliver()
  const [old, young, pending] = await deliveries(id)
  assert.ok(old && young && pending)
  const age = (delivery: Row, days: number) => owner`
    update webhook_deliveries set created_at = statement_timestamp() - ${`${days} days`}::interval,
      updated_at = statement_timestamp() - ${`${days} days`}::interval where id = ${delivery.id}`
  await age(old, 31)
  await age(young, 29)
  await age(pending, 31)
  await owner`update webhook_deliveries set status = 'pending' where id = ${pending.id}`
  assert.equal(await deleteOldDeliveries(service.deps), 1)
  const left = (await deliveries(id)).map(row => row.id)
  assert.deepEqual(left.toSorted(), [young.id, pending.id].toSorted())
  assert.equal((await attemptsOf(old.id)).length, 0)
  assert.equal((await attemptsOf(young.id)).length, 1)
})
