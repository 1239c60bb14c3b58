// POST /v3/webhook_endpoint/{id}/replay and what becomes of deliveries when their endpoint is
// deleted: which events go again, in which order, which wait, and how far one call comes. No worker
// runs here: its rows and its cursor are written as it leaves them.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { connect, type Sql, type TransactionSql } from '../../src/sql/connect.ts'
import type { Tag } from '../../src/sql/sql.ts'
import { insertDeliveries, listDead } from '../../src/webhooks/delivery-store.ts'
import { assertProblems, assertRefused, rowVersions } from '../support/assert/check.ts'
import { believeEmpty, costOf, idAt } from '../support/assert/page-cost.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { createDatabase } from '../support/database/database.ts'
import {
  type Answer,
  basic,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const PATH = '/v3/webhook_endpoint'

let service: TestService
let owner: Sql
let account: Client
before(async () => {
  service = await startTestService({ webhook_allow_private: true })
  owner = service.database.owner
})
after(() => service.close())

interface Happened {
  readonly id: string
  readonly sequence: number
  readonly type: string
  readonly object_id: string
  readonly created_at: string
}

/** An account with events of several kinds, and an endpoint made after them all. */
async function prepared(body: object = {}): Promise<{ id: string; events: Happened[] }> {
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  for (const name of ['Anna', 'Bo']) {
    const { json } = await account.post('/v3/entity', { type: 'individual', name })
    await account.put(`/v3/entity/${json.data.id}`, { name: `${name} X` })
    await account.put(`/v3/entity/${json.data.id}`, { name: `${name} Y` })
  }
  const id = await endpointWith(body)
  return { id, events: await happened() }
}

async function endpointWith(body: object = {}): Promise<string> {
  const { json, text } = await account.post(PATH, { url: 'http://127.0.0.1:26/', ...body })
  assert.ok(json.data, text)
  return json.data.id
}

/** From the first. */
async function happened(): Promise<Happened[]> {
  const { json } = await account.get('/v3/event?limit=100')
  return json.data.results.reverse()
}

function ask(id: string, body: object, headers: Record<string, string> = {}) {
  return account.post(`${PATH}/${id}/replay`, body, headers)
}

async function replayed(id: string, body: object): Promise<number> {
  const answer = await ask(id, body)
  assert.equal(answer.status, 200, answer.text)
  const { deliveries, ...rest } = answer.json.data
  const expected = { object: 'webhook_replay', endpoint: id, has_more: false, next: null }
  assert.deepEqual(rest, { ...expected, last: null })
  return deliveries
}

interface Row {
  readonly number: bigint
  readonly event_sequence: bigint
  readonly event_id: string
  readonly object_id: string
  readonly status: string
  readonly due: boolean
}

function deliveriesOf(id: string) {
  return owner<Row[]>`
    select number, event_sequence, event_id, object_id, status, due_at is not null as due
    from webhook_deliveries
    where account_id = ${account.account.account_id} and endpoint_id = ${id} order by number`
}

async function sequencesOf(id: string): Promise<number[]> {
  return (await deliveriesOf(id)).map(row => Number(row.event_sequence))
}

test('replay by sequence: every event of the range, in order; the first event of each object due at once', async () => {
  const { id, events } = await prepared()
  assert.ok(events.length >= 7)
  assert.equal(await replayed(id, { sequence: { from: 2, to: 6 } }), 5)
  const rows = await deliveriesOf(id)
  const wanted = events.slice(1, 6)
  assert.deepEqual(
    rows.map(row => [Number(row.number), row.event_id, row.object_id, row.status]),
    wanted.map((event, i) => [i + 1, event.id, event.object_id, 'pending']),
  )
  const firsts = new Set<string>()
  for (const { object_id, due } of rows) {
    assert.equal(due, !firsts.has(object_id))
    firsts.add(object_id)
  }
  assert.ok(firsts.size < rows.length, 'some wait')
  assert.equal(await replayed(id, { sequence: { from: 2, to: 6 } }), 5)
  const again = (await deliveriesOf(id)).slice(5)
  assert.ok(again.every(({ due }) => !due))
  assert.deepEqual(
    again.map(row => Number(row.number)),
    [6, 7, 8, 9, 10],
  )
})

test('replay, earlier deliveries of the object all ended: due at once', async () => {
  const { id } = await prepared()
  await replayed(id, { sequence: { to: 3 } })
  await owner`
    update webhook_deliveries set status = 'succeeded', due_at = null where endpoint_id = ${id}`
  await replayed(id, { sequence: { from: 3, to: 3 } })
  assert.deepEqual(
    (await deliveriesOf(id)).map(({ due }) => due),
    [false, false, false, true],
  )
})

test('replay by sequence, only from or only to given: from there to the newest, or from the first; later events still delivered once', async () => {
  const { id, events } = await prepared()
  const newest = events.length
  assert.equal(await replayed(id, { sequence: { from: 1 } }), newest)
  assert.deepEqual(
    await sequencesOf(id),
    events.map(({ sequence }) => sequence),
  )
  assert.equal(await replayed(id, { sequence: { to: 4 } }), 4)
  assert.equal(await replayed(id, { sequence: { from: 9_007_199_254_740_991 } }), 0)
  await account.post('/v3/entity', { type: 'individual', name: 'Later' })
  assert.ok((await happened()).length > newest)
  assert.equal(await replayed(id, { sequence: { from: newest } }), 1)
  assert.equal(await replayed(id, { created: { gte: '2000-01-01T00:00:00Z' } }), newest)
  await owner`update webhook_endpoints set fanned_out = ${newest - 1} where id = ${id}`
  assert.equal(await replayed(id, { event: events.at(-1)?.id }), 0)
})

test("replay by time, gt, gte, lt and lte at an event's time: inclusive or exclusive as named", async () => {
  const { id, events } = await prepared()
  const { created_at: at } = events[3] as Happened
  const count = (matches: (at: string) => boolean) =>
    events.filter(event => matches(event.created_at)).length
  for (const [created, expected] of [
    [{ gt: at }, count(time => time > at)],
    [{ gte: at }, count(time => time >= at)],
    [{ lt: at }, count(time => time < at)],
    [{ lte: at }, count(time => time <= at)],
    [{ gte: at, gt: at, lte: at }, 0],
    [{ lte: '2000-01-01T00:00:00+02:00' }, 0],
  ] as const) {
    assert.equal(await replayed(id, { created }), expected, JSON.stringify(created))
  }
})

test('replay by range, filter by type: types of the endpoint, narrowed by the request', async () => {
  const { id, events } = await prepared({ event_types: ['entity.*'] })
  const of = (type: string) => events.filter(event => event.type.startsWith(type)).length
  const all = { sequence: { from: 1 } }
  assert.equal(await replayed(id, all), of('entity.'))
  assert.equal(
    await replayed(id, { ...all, event_types: ['entity.updated'] }),
    of('entity.updated'),
  )
  assert.equal(await replayed(id, { ...all, event_types: ['balance_transaction.*'] }), 0)
  const time = { created: { gte: '2000-01-01T00:00:00Z' }, event_types: ['entity.created'] }
  assert.equal(await replayed(id, time), of('entity.created'))
})

test('replay by id: events of any type, each once, in order', async () => {
  const { id, events } = await prepared({ event_types: ['payout.failed'] })
  const [first, second, third] = events as [Happened, Happened, Happened]
  assert.equal(await replayed(id, { event: second.id }), 1)
  assert.equal(await replayed(id, { events: [third.id, first.id, third.id] }), 2)
  assert.deepEqual(await sequencesOf(id), [2, 1, 3])
})

test("replay by id, unknown event or another account's: 404 naming each; another endpoint's test event: 400", async () => {
  const { events: foreign } = await prepared()
  const { id, events } = await prepared()
  const nobody = idAt('evt', 0)
  assertRefused(await ask(id, { event: nobody }), 404, 'not_found', 'event')
  const some = [events[0]?.id, nobody, events[1]?.id, foreign[0]?.id]
  assertProblems(await ask(id, { events: some }), 404, [
    ['not_found', 'events[1]'],
    ['not_found', 'events[3]'],
  ])
  const other = await endpointWith()
  const { json } = await account.post(`${PATH}/${other}/test`, {})
  assertRefused(await ask(id, { event: json.data.id }), 400, 'invalid_field', 'event')
  assert.deepEqual(await sequencesOf(id), [])
  await owner`
    update webhook_endpoints set fanned_out = ${json.data.sequence} where id = ${other}`
  assert.equal(await replayed(other, { event: json.data.id }), 1)
})

test('replay of dead deliveries: each event whose last delivery is dead, once', async () => {
  const { id } = await prepared()
  await replayed(id, { sequence: { from: 1, to: 6 } })
  await replayed(id, { sequence: { from: 5, to: 5 } })
  // The fifth was dead and delivered again, the sixth is not dead.
  await owner`
    update webhook_deliveries set due_at = null,
      status = case when number = 6 or number = 7 then 'succeeded' else 'dead' end
    where endpoint_id = ${id}`
  assert.equal(await replayed(id, { status: 'dead' }), 4)
  assert.deepEqual((await sequencesOf(id)).slice(7), [1, 2, 3, 4])
  assert.equal(await replayed(id, { status: 'dead' }), 0)
  await owner`
    update webhook_deliveries set due_at = null, status = 'dead' where endpoint_id = ${id}`
  assert.equal(await replayed(id, { status: 'dead' }), 6)
})

test('replay, wrong bodies: 400 naming each field, nothing written', async () => {
  const { id, events } = await prepared()
  const event = events[0]?.id
  const whole = { sequence: { from: 1 } }
  const cases: readonly (readonly [body: object, remarks: readonly string[]])[] = [
    [{}, ['']],
    [{ event_types: ['payout.*'] }, ['', 'event_types']],
    [{ event, ...whole }, ['']],
    [{ event, events: [event] }, ['']],
    [{ status: 'dead', created: { gt: '2026-01-01T00:00:00Z' } }, ['']],
    [{ event, event_types: ['payout.*'] }, ['event_types']],
    [{ status: 'dead', event_types: ['payout.*'] }, ['event_types']],
    [{ sequence: {} }, ['sequence']],
    [{ created: {} }, ['created']],
    [{ sequence: { from: 5, to: 4 } }, ['sequence.to']],
    [{ created: { gt: 'yesterday', lt: '2026-01-01' } }, ['created.gt', 'created.lt']],
    [{ created: { gte: '2026-01-01T00:00:00.1234567Z' } }, ['created.gte']],
    [{ ...whole, event_types: ['payout.paid'] }, ['event_types[0]']],
  ]
  const rows = await rowVersions(owner)
  for (const [body, remarks] of cases) {
    const answer = await ask(id, body)
    assert.equal(answer.status, 400, JSON.stringify(body))
    assertProblems(
      answer,
      400,
      remarks.map(remark => ['invalid_field', remark]),
    )
  }
  assert.deepEqual(await rowVersions(owner), rows)
})

test('replay, disabled endpoint: 409; same Idempotency-Key twice: one replay', async () => {
  const { id } = await prepared()
  const key = { 'idempotency-key': 'again' }
  const whole = { sequence: { from: 1, to: 3 } }
  await account.put(`${PATH}/${id}`, { status: 'disabled' })
  assertRefused(await ask(id, whole, key), 409, 'webhook_endpoint_disabled')
  await account.put(`${PATH}/${id}`, { status: 'enabled' })
  const first = await ask(id, whole, key)
  assert.equal(first.status, 200, first.text)
  assert.equal((await ask(id, whole, key)).text, first.text)
  assert.deepEqual(await sequencesOf(id), [1, 2, 3])
})

test('replays in parallel: every delivery has a unique number', async () => {
  const { id } = await prepared()
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => ask(id, { sequence: { from: 1, to: 5 } })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(6).fill(200),
  )
  const rows = await deliveriesOf(id)
  assert.deepEqual(
    rows.map(row => Number(row.number)),
    Array.from({ length: 30 }, (_, i) => i + 1),
  )
  const due = rows.filter(row => row.due).map(row => row.object_id)
  assert.equal(new Set(due).size, due.length, 'one of each object')
})

test('replay while the worker holds the endpoint: waits, then its numbers follow', async () => {
  const { id } = await prepared()
  const answers = await owner.begin(async worker => {
    await worker`select from webhook_endpoints where id = ${id} for update`
    const answer = ask(id, { sequence: { from: 1, to: 2 } })
    await untilBlocked(owner)
    await worker`
      update webhook_endpoints set delivery_count = delivery_count + 5 where id = ${id}`
    return { answer }
  })
  assert.equal((await answers.answer).status, 200)
  assert.deepEqual(
    (await deliveriesOf(id)).map(row => Number(row.number)),
    [6, 7],
  )
  const [row] = await owner<{ delivery_count: bigint }[]>`
    select delivery_count from webhook_endpoints where id = ${id}`
  assert.equal(row?.delivery_count, 7n)
})

/** So many more events than there are, of two kinds in turn, and the endpoint has had them all. */
async function addEvents(id: string, count: number): Promise<number> {
  const { account_id } = account.account
  const before = (await happened()).length
  await owner`
    insert into events (account_id, sequence, created_at, told, type, object_id, hash)
    select ${account_id}, ${before}::bigint + i, now(), '-',
      case when i % 2 = 0 then 'payout.created' else 'payout.failed' end,
      'pot_' || lpad((i % 1000)::text, 20, '0'), sha256('')
    from generate_series(1, ${count}::integer) i`
  await owner`
    update books set event_count = ${before + count} where account_id = ${account_id}`
  await owner`
    update webhook_endpoints set fanned_out = ${before + count} where id = ${id}`
  return before + count
}

/** A busy machine may not write some thousand deliveries in time: it is asked again. */
async function askUntilAnswered(id: string, body: object): Promise<Answer> {
  // Of an answer that came too late nobody knows whether it took effect: the key keeps it from twice.
  const key = { 'idempotency-key': randomUUID() }
  for (;;) {
    const answer = await ask(id, body, key)
    if (answer.status !== 503) return answer
  }
}

/** So many deliveries of this status after the first `before`, as the worker leaves them. */
async function addDeliveries(id: string, status: string, before: number, count: number) {
  await owner`
    insert into webhook_deliveries (account_id, endpoint_id, number, id, event_id, event_sequence,
      event_type, object_id, status, due_at, created_at, updated_at)
    select ${account.account.account_id}, ${id}, i, 'whd_' || lpad(i::text, 20, '0'), 'evt_' || i,
      i, 'payout.created', 'pot_' || i % 1000, ${status},
      case when ${status} = 'pending' and i % 10 = 0 then now() end, now(), now()
    from generate_series(${before + 1}::integer, ${before + count}::integer) i`
  await owner`
    update webhook_endpoints set delivery_count = ${before + count}, fanned_out = ${before + count}
    where id = ${id}`
}

test('replay, more than 10,000 events: 10,000 a call, the answer names where to continue', async () => {
  const { id } = await prepared({ event_types: ['payout.failed'] })
  const last = await addEvents(id, 10_100)
  const calls: unknown[] = []
  let from: number | null = 1
  while (from !== null) {
    const { json, text }: Answer = await askUntilAnswered(id, { sequence: { from } })
    assert.ok(json.data, text)
    const { has_more, next, last } = json.data
    calls.push([has_more, next, last])
    from = next
  }
  assert.deepEqual(calls, [
    [true, 10_001, last],
    [false, null, null],
  ])
  const sequences = await sequencesOf(id)
  assert.equal(sequences.length, 5_050)
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => a - b),
  )
})

test('replay of dead deliveries, more than 10,000: 10,000 a call', async () => {
  const { id } = await prepared()
  await addDeliveries(id, 'dead', 0, 10_050)
  const dead = await askUntilAnswered(id, { status: 'dead' })
  const answered = { object: 'webhook_replay', endpoint: id, deliveries: 10_000, has_more: true }
  assert.deepEqual(dead.json.data, { ...answered, next: null, last: null })
  assert.equal(await replayed(id, { status: 'dead' }), 50)
})

test('DELETE of an endpoint, more than 10,000 pending deliveries: all cancelled', async () => {
  const { id } = await prepared()
  await addDeliveries(id, 'succeeded', 0, 10)
  await addDeliveries(id, 'pending', 10, 10_050)
  const kept = await endpointWith()
  await replayed(kept, { sequence: { from: 1, to: 3 } })
  const { key_id, secret } = account
  const headers = { authorization: basic(key_id, secret), 'content-type': 'application/json' }
  const answer = await service.inject({ method: 'DELETE', url: `${PATH}/${id}`, headers })
  assert.equal(answer.status, 200, answer.text)
  const counts = await owner<{ status: string; due: boolean; count: number }[]>`
    select status, due_at is not null as due, count(*)::integer as count
    from webhook_deliveries where endpoint_id = ${id} group by 1, 2 order by 1`
  assert.deepEqual(
    [...counts],
    [
      { status: 'cancelled', due: false, count: 10_050 },
      { status: 'succeeded', due: false, count: 10 },
    ],
  )
  assert.deepEqual(await sequencesOf(kept), [1, 2, 3])
  assert.ok((await deliveriesOf(kept)).every(({ status }) => status === 'pending'))
})

test('deliveries among many rows, written and found, planned for an empty table: only index look-ups', async () => {
  const another = await createDatabase()
  const sql = connect(another.url, { max: 1, as: 'service', look_ups: true })
  const key = { account_id: 'acc_a', id: idAt('whe', 1) }
  let made = 100_000
  const insert = (tx: TransactionSql) => {
    made += 1
    const row = {
      account_id: 'acc_a',
      endpoint_id: key.id,
      number: BigInt(made),
      id: idAt('whd', made),
      event_id: idAt('evt', made),
      event_sequence: BigInt(made),
      event_type: 'payout.created',
      object_id: idAt('pot', 7),
      created_at: '2026-01-01T00:00:00.000000Z',
    }
    return insertDeliveries(tx, [row])
  }
  const cost = (work: (tx: TransactionSql) => Promise<unknown>) =>
    costOf(sql, 'webhook_deliveries', work)
  const dead = (tx: TransactionSql) => listDead(tx, key, 5)
  const fill = (tx: Tag, object_id: string) => tx`
    insert into webhook_deliveries (account_id, endpoint_id, number, id, event_id, event_sequence,
      event_type, object_id, status, created_at, updated_at)
    select 'acc_a', ${key.id}, i, 'whd_' || lpad(i::text, 20, '0'),
      'evt_' || lpad(i::text, 20, '0'), i, 'payout.created', ${object_id} || i % 500,
      case when i % 2 = 0 then 'dead' else 'pending' end, now(), now()
    from generate_series(1, 20000) i`
  try {
    await another.owner`
      insert into books (account_id, head_hash) values ('acc_a', sha256(''))`
    // Long ids make the index of what waits taller than the others.
    await believeEmpty(another.owner, 'webhook_deliveries', tx => fill(tx, 'x'.repeat(500)))
    await cost(insert)
    await cost(dead)
    await fill(another.owner, 'pot_00000000000000000')
    const [inserting, finding] = [await cost(insert), await cost(dead)]
    const what = JSON.stringify([inserting.fetched, finding.fetched])
    assert.ok(inserting.fetched <= 3 && finding.fetched <= 15, what)
    assert.deepEqual([inserting.scans, finding.scans], [0, 0])
  } finally {
    await sql.end()
    await another.drop()
  }
})
