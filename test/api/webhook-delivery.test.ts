// GET /v3/webhook_endpoint/{id}/delivery and one delivery with its attempts: how they are shown,
// filtered and paged, by which clock, and what a page costs. No worker runs here: rows are written
// as it leaves them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readList } from '../../src/http/list.ts'
import type { Sql } from '../../src/sql/connect.ts'
import { plusMilliseconds } from '../../src/values/instant.ts'
import { findDeliveries, listDeliveries } from '../../src/webhooks/delivery-store.ts'
import { DeliveryResponse, DeliverySummary } from '../../src/webhooks/response.ts'
import { DELIVERY_STATUSES } from '../../src/webhooks/webhook.ts'
import {
  assertBounds,
  assertFilters,
  assertListed,
  assertRefusals,
  type Case,
  type Item,
} from '../support/assert/listing.ts'
import { assertPageCost, crossed, idAt } from '../support/assert/page-cost.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/webhook_endpoint'
const AHEAD_MS = 3_600_000

let service: TestService
let owner: Sql
let account: Client
let endpoint: string
let path: string

before(async () => {
  service = await startTestService({ webhook_allow_private: true })
  owner = service.database.owner
  account = await service.openAccount({ currencies: ['USD'], sandbox: true })
  endpoint = await newEndpoint()
  path = `${PATH}/${endpoint}/delivery`
  await insertDeliveries(endpoint, 12, 1)
  await insertDeliveries(await newEndpoint(), 3, 100)
})
after(() => service.close())

async function newEndpoint(): Promise<string> {
  const { json, text } = await account.post(PATH, { url: 'http://127.0.0.1:26/' })
  assert.ok(json.data, text)
  return json.data.id
}

/** Of each status in turn, from the oldest; every other pending one waits for another. */
function insertDeliveries(endpoint_id: string, count: number, from: number) {
  return owner`
    insert into webhook_deliveries (account_id, endpoint_id, number, id, event_id, event_sequence,
      event_type, object_id, status, attempts, due_at, created_at, updated_at)
    select ${account.account.account_id}, ${endpoint_id}, i, ${'whd_'} || lpad(i::text, 20, '0'),
      'evt_' || lpad(i::text, 20, '0'), i, 'payout.created', 'pot_' || lpad((i % 5)::text, 20, '0'),
      (${[...DELIVERY_STATUSES]}::text[])[i % 4 + 1], i % 3,
      case when i % 8 = 0 then now() + i * interval '1 second' end,
      timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second',
      timestamptz '2026-01-01T00:00:30Z' + i * interval '1 second'
    from generate_series(${from}::integer, ${from + count - 1}::integer) i`
}

async function ok(url: string, by = account) {
  const answer = await by.get(url)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

/** Newest first, as each is listed: without its attempts. */
async function allOf(): Promise<Item[]> {
  const ids = Array.from({ length: 12 }, (_, i) => idAt('whd', 12 - i))
  const found = await Promise.all(ids.map(id => ok(`${path}/${id}`)))
  return found.map(({ attempts, ...item }) => {
    assert.deepEqual(attempts, [])
    return item
  })
}

test(`GET ${PATH}/{id}/delivery, pages, time bounds and statuses: deliveries of this endpoint only`, async () => {
  const all = await allOf()
  assert.deepEqual(Object.keys(all[0] ?? {}), Object.keys(DeliverySummary.properties))
  await assertListed(account, path, all)
  await assertBounds(account, path, all)
  await assertFilters(account, path, all, [
    ...DELIVERY_STATUSES.map((status): Case => [{ status }, item => item.status === status]),
  ])
  await assertRefusals(account, path, 'whd', { status: ['failed', ''] }, idAt('whd', 999))
})

test(`GET ${PATH}/{id}/delivery/{delivery_id}: the delivery with every attempt, in order`, async () => {
  const id = idAt('whd', 8)
  const [one, two] = [
    [1, '2026-01-01T00:00:09.000001Z', 15_000, null, 'timeout', ''],
    [2, '2026-01-01T00:00:14.000000Z', 87, 503, '', 'try “again”\n'],
  ] as const
  const { account_id } = account.account
  for (const [number, at, duration_ms, code, error, answer] of [two, one]) {
    await owner`
      insert into webhook_attempts values
        (${account_id}, ${id}, ${number}, ${at}, ${duration_ms}, ${code}, ${error}, ${answer})`
  }
  const { attempts, next_attempt_at, ...delivery } = await ok(`${path}/${id}`)
  assert.deepEqual(
    attempts.map((attempt: object) => Object.values(attempt)),
    [one, two],
  )
  const documented = DeliveryResponse.properties.attempts.items.properties
  assert.deepEqual(Object.keys(attempts[0]), Object.keys(documented))
  assert.deepEqual(delivery, {
    id,
    object: 'webhook_delivery',
    endpoint,
    event: idAt('evt', 8),
    event_type: 'payout.created',
    object_id: idAt('pot', 3),
    status: 'pending',
    attempt_count: 2,
    created_at: '2026-01-01T00:00:08.000000Z',
    updated_at: '2026-01-01T00:00:38.000000Z',
  })
  assert.ok(next_attempt_at)
  await owner`delete from webhook_attempts where delivery_id = ${id}`
})

test(`GET ${PATH}/{id}/delivery, next_attempt_at: by the account's clock; null while an earlier event is pending`, async () => {
  const due = async () => {
    const { results } = await ok(`${path}?limit=100`)
    const [row] = await owner<{ due_at: string }[]>`
      select due_at from webhook_deliveries where id = ${idAt('whd', 8)}`
    const byId = new Map(results.map((item: Item) => [item.id, item.next_attempt_at]))
    assert.equal(byId.get(idAt('whd', 4)), null, 'waits for another')
    assert.equal(byId.get(idAt('whd', 5)), null, 'is over')
    return { due_at: row?.due_at ?? '', shown: byId.get(idAt('whd', 8)) }
  }
  const before = await due()
  assert.equal(before.shown, before.due_at)
  const { account_id } = account.account
  await owner`
    update books set clock_ahead = clock_ahead + ${`${AHEAD_MS} milliseconds`}::interval
    where account_id = ${account_id}`
  const later = await due()
  assert.equal(later.shown, plusMilliseconds(later.due_at, AHEAD_MS))
  await account.put(`${PATH}/${endpoint}`, { status: 'disabled' })
  assert.equal((await due()).shown, null, 'nothing is sent')
  await account.put(`${PATH}/${endpoint}`, { status: 'enabled' })
  assert.equal((await due()).shown, later.shown)
})

test('GET a page of many deliveries, statement planned for an empty table: reads only the rows of the page', async () => {
  const key = { account_id: 'acc_a', id: idAt('whe', 1) }
  const cursor = idAt('whd', 2000)
  const time = { 'created.gte': '2026-01-01T00:10:00Z', 'created.lt': '2026-01-01T00:50:00Z' }
  await assertPageCost({
    table: 'webhook_deliveries',
    queries: crossed(
      [{}, { status: 'dead' }, { status: 'succeeded' }],
      [{}, time, { starting_after: cursor }, { ending_before: cursor }],
    ),
    page: (tx, query) => listDeliveries(tx, key, readList({ ...query, limit: '5' })),
    fill: owner => owner`
      insert into webhook_deliveries (account_id, endpoint_id, number, id, event_id, event_sequence,
        event_type, object_id, status, created_at, updated_at)
      select a, 'whe_' || lpad((i % 2)::text, 20, '0'), i, 'whd_' || lpad(i::text, 20, '0'),
        'evt_' || lpad(i::text, 20, '0'), i, 'payout.created', 'pot_' || i % 11,
        case when i % 100 = 1 then 'dead' else 'succeeded' end,
        timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second', now()
      from generate_series(1, 4000) i, unnest(array['acc_a', 'acc_b']) a`,
    // What has succeeded is most of them, and looked for among all.
    besides: query => (query.status === 'succeeded' ? 2 : 0),
    one: {
      read: tx => findDeliveries(tx, [{ account_id: 'acc_a', id: cursor }]),
      when: 'always',
    },
  })
})
