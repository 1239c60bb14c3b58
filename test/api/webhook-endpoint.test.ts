// /v3/webhook_endpoint: what is kept and how it is shown, what is refused and where, secrets and
// their rotation, disabling, deletion, tests, keys and other accounts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readList } from '../../src/http/list.ts'
import { APPROVAL_STATUSES } from '../../src/parties/entity/states.ts'
import { PAYOUT_STATUSES } from '../../src/payouts/states.ts'
import { EVENTS } from '../../src/statements/event/event.ts'
import { secretsOf } from '../../src/webhooks/rules.ts'
import { findEndpoints, listEndpoints } from '../../src/webhooks/store.ts'
import { EVENT_TYPES } from '../../src/webhooks/webhook.ts'
import { assertProblems, assertRefused, rowVersions } from '../support/assert/check.ts'
import {
  assertBounds,
  assertFilters,
  assertListed,
  assertRefusals,
} from '../support/assert/listing.ts'
import { assertPageCost, crossed, idAt } from '../support/assert/page-cost.ts'
import { IN_UTC, idOf } from '../support/assert/shapes.ts'
import {
  type Answer,
  basic,
  type Client,
  client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const PATH = '/v3/webhook_endpoint'
const NOBODY = 'whe_00000000000000000000'
/** Connected to by nobody: no worker runs here. */
const URL = 'http://127.0.0.1:26/hook'
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/

let service: TestService
let account: Client
before(async () => {
  service = await startTestService({ webhook_allow_private: true })
})
after(() => service.close())

/** So that no test sees another's endpoints. */
async function newAccount(): Promise<void> {
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
}

async function created(body: object = {}, by = account) {
  const answer = await by.post(PATH, { url: URL, ...body })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

async function ok(asked: Promise<Answer>) {
  const answer = await asked
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

function remove(id: string, { key_id, secret } = account): Promise<Answer> {
  const headers = { authorization: basic(key_id, secret) }
  return service.inject({ method: 'DELETE', url: `${PATH}/${id}`, headers })
}

function stored({ id }: { id: string }, { account: { account_id } } = account) {
  return service.deps.readers.webhookEndpoint({ account_id, id }).then(row => {
    assert.ok(row)
    return row
  })
}

test(`POST ${PATH}, only url: subscribes to every event, the answer has the secret`, async () => {
  await newAccount()
  await ok(account.post('/v3/entity', { type: 'individual', name: 'Anna' }))
  const { id, secret, created_at, updated_at, ...rest } = await created()
  assert.match(id, idOf('whe'))
  assert.match(secret, SECRET)
  assert.match(created_at, IN_UTC)
  assert.equal(updated_at, created_at)
  assert.deepEqual(rest, {
    object: 'webhook_endpoint',
    url: URL,
    description: '',
    event_types: [],
    status: 'enabled',
    disabled_reason: '',
    previous_secret_until: null,
  })
  const [book] = await service.database.owner<{ event_count: bigint }[]>`
    select event_count from books where account_id = ${account.account.account_id}`
  const { fanned_out, delivery_count } = await stored({ id })
  assert.ok(fanned_out > 0n)
  assert.deepEqual([fanned_out, delivery_count], [book?.event_count, 0n])
  const other = await created()
  assert.notEqual(other.secret, secret)
})

test(`POST ${PATH}, unusual spelling of a url: stored as the URL standard writes it`, async () => {
  await newAccount()
  const { url } = await created({ url: 'HTTP://127.1:26/a/../b?c=d e' })
  assert.equal(url, 'http://127.0.0.1:26/b?c=d%20e')
})

const REFUSED: readonly (readonly [what: string, body: object, remarks: readonly string[]])[] = [
  ['nothing', {}, ['url']],
  ['another scheme', { url: 'ftp://127.0.0.1/' }, ['url']],
  ['a password', { url: 'http://:secret@127.0.0.1/' }, ['url']],
  ['a fragment', { url: 'http://127.0.0.1/#' }, ['url']],
  ['a name that does not resolve', { url: 'https://no-such-name.invalid/' }, ['url']],
  ['a url that is long once written', { url: `http://127.0.0.1/${'é'.repeat(400)}` }, ['url']],
  [
    'an unknown type',
    { url: URL, event_types: ['payout.failed', 'payout.paid'] },
    ['event_types[1]'],
  ],
  ['what an update takes', { url: URL, status: 'disabled' }, ['status']],
  [
    'all at once',
    { url: 'ftp://x', event_types: ['x'], colour: 'red' },
    ['url', 'event_types[0]', 'colour'],
  ],
]

test(`POST ${PATH}, wrong fields: 400 naming each at once, nothing written`, async () => {
  await newAccount()
  const rows = await rowVersions(service.database.owner)
  for (const [what, body, remarks] of REFUSED) {
    const answer = await account.post(PATH, body)
    assert.equal(answer.status, 400, `${what}: ${answer.text}`)
    assertProblems(
      answer,
      400,
      remarks.map(remark => ['invalid_field', remark]),
    )
  }
  assert.deepEqual(await rowVersions(service.database.owner), rows)
})

test(`POST and PUT ${PATH}, private receiver not allowed: refused at url, also plain http`, async () => {
  await newAccount()
  const strict = await service.anotherProcess({ webhook_allow_private: false })
  try {
    const by = client(account, strict.inject)
    const endpoint = await ok(by.post(PATH, { url: 'https://1.1.1.1/hook' }))
    for (const url of ['http://1.1.1.1/', 'https://127.0.0.1/']) {
      assertRefused(await by.post(PATH, { url }), 400, 'invalid_field', 'url')
      assertRefused(await by.put(`${PATH}/${endpoint.id}`, { url }), 400, 'invalid_field', 'url')
    }
    assert.equal((await ok(by.get(`${PATH}/${endpoint.id}`))).url, 'https://1.1.1.1/hook')
  } finally {
    await strict.close()
  }
})

test('event types that an endpoint can subscribe to: every event type of payouts, entities and the other objects, and each kind as a whole', () => {
  const expected = [
    ...['payout.*', 'payout.created', ...PAYOUT_STATUSES.map(status => `payout.${status}`)],
    ...['payout.taken', 'payout.released', 'payout.rerouted', 'payout.sent', 'payout.notified'],
    ...['payout.approved', 'payout.rejected', 'payout.updated'],
    ...['payout.erased', 'entity.erased', 'beneficiary.erased'],
    ...['entity.*', 'entity.created', 'entity.updated'],
    ...APPROVAL_STATUSES.map(status => `entity.approval_${status}`),
    ...['beneficiary.*', 'beneficiary.created', 'beneficiary.updated'],
    ...['pending_approval', 'approved', 'rejected', 'archived', 'unarchived'].map(
      became => `beneficiary.${became}`,
    ),
    ...['balance_transaction.*', 'balance_transaction.created'],
    ...['payout_quote.*', 'payout_quote.created'],
    ...['conversion_quote.*', 'conversion_quote.created'],
    ...['conversion.*', 'conversion.completed'],
  ]
  assert.deepEqual([...EVENT_TYPES].sort(), expected.sort())
})

test("every event type that can be recorded: an endpoint can subscribe to it, except the endpoint's test event", async () => {
  await newAccount()
  // recordEvent takes no other type, as the compiler checks.
  const { webhook_endpoint: own, ...objects } = EVENTS
  assert.deepEqual(own, ['test'])
  const recorded = Object.entries(objects).flatMap(([object, types]) =>
    types.map(type => `${object}.${type}`),
  )
  assert.ok(recorded.includes('payout.rerouted'))
  const { status, text, json } = await account.post(PATH, { url: URL, event_types: recorded })
  assert.equal(status, 200, text)
  assert.deepEqual(json.data.event_types, recorded)
  const unknown = await account.post(PATH, { url: URL, event_types: ['payout.lost'] })
  assertRefused(unknown, 400, 'invalid_field', 'event_types[0]')
})

test(`POST ${PATH}, a seventeenth endpoint: 422, until one is deleted`, async () => {
  await newAccount()
  const ids: string[] = []
  for (let i = 0; i < 16; i++) ids.push((await created()).id)
  assertRefused(await account.post(PATH, { url: URL }), 422, 'webhook_endpoint_limit')
  assert.equal((await remove(ids[3] ?? '')).status, 200)
  const racing = await Promise.all(
    Array.from({ length: 5 }, () => account.post(PATH, { url: URL })),
  )
  assert.deepEqual(racing.map(({ status }) => status).sort(), [200, 422, 422, 422, 422])
})

test(`GET ${PATH}, pages, time bounds and filters: endpoints without their secrets`, async () => {
  await newAccount()
  const made = []
  for (let i = 0; i < 8; i++) made.unshift(await created({ description: String(i) }))
  const foreign = await created({}, await service.openAccount({ currencies: ['USD'] }))
  for (const i of [1, 4, 5]) {
    await ok(account.put(`${PATH}/${made[i].id}`, { status: 'disabled' }))
  }
  const all = await Promise.all(made.map(({ id }) => ok(account.get(`${PATH}/${id}`))))
  await assertListed(account, PATH, all)
  await assertBounds(account, PATH, all)
  await assertFilters(account, PATH, all, [
    [{ status: 'enabled' }, item => item.status === 'enabled'],
    [{ status: 'disabled' }, item => item.status === 'disabled'],
  ])
  await assertRefusals(account, PATH, 'whe', { status: ['off', ''] }, foreign.id)
  const { text } = await account.get(PATH)
  for (const { secret } of made) assert.ok(!text.includes(secret))
  assert.doesNotMatch(text, /whsec|"secret"/)
})

test(`PUT ${PATH}/{id}, each member: replaced, removed by null, unchanged if omitted`, async () => {
  await newAccount()
  const made = await created({ description: 'one', event_types: ['payout.*'] })
  const { secret: _, ...first } = made
  const url = `${PATH}/${made.id}`
  const changed = async (body: object) => {
    const { updated_at, ...rest } = await ok(account.put(url, body))
    const shown = await ok(account.get(url))
    assert.deepEqual(shown, { updated_at, ...rest })
    return rest
  }
  const { updated_at, ...before } = first
  assert.deepEqual(await changed({}), before)
  assert.equal((await ok(account.get(url))).updated_at, updated_at)
  const next = { url: 'http://127.0.0.1:26/next', description: 'two', event_types: ['entity.*'] }
  assert.deepEqual(await changed(next), { ...before, ...next })
  assert.notEqual((await ok(account.get(url))).updated_at, updated_at)
  const cleared = { ...before, url: next.url, description: '', event_types: [] }
  assert.deepEqual(await changed({ description: null, event_types: null }), cleared)
  const disabled = { ...cleared, status: 'disabled', disabled_reason: 'account' }
  assert.deepEqual(await changed({ status: 'disabled' }), disabled)
  assert.deepEqual(await changed({ status: 'disabled' }), disabled)
  assert.deepEqual(await changed({ status: 'enabled' }), cleared)
  assert.equal((await stored(made)).secret, made.secret)
})

test(`PUT ${PATH}/{id}, endpoint disabled by a 410: keeps its reason until enabled`, async () => {
  await newAccount()
  const { id } = await created()
  await service.database.owner`
    update webhook_endpoints set status = 'disabled', disabled_reason = 'gone' where id = ${id}`
  const again = await ok(account.put(`${PATH}/${id}`, { status: 'disabled', description: 'x' }))
  assert.deepEqual([again.status, again.disabled_reason], ['disabled', 'gone'])
  const enabled = await ok(account.put(`${PATH}/${id}`, { status: 'enabled' }))
  assert.deepEqual([enabled.status, enabled.disabled_reason], ['enabled', ''])
})

test(`PUT ${PATH}/{id}, wrong fields: 400 naming each`, async () => {
  await newAccount()
  const { id } = await created()
  const cases: readonly (readonly [body: object, remarks: readonly string[]])[] = [
    [{ url: 'gopher://x', status: 'on' }, ['url', 'status']],
    [{ status: null }, ['status']],
    [{ event_types: ['payout.x'] }, ['event_types[0]']],
    [{ secret: 'whsec_x', disabled_reason: 'gone' }, ['secret', 'disabled_reason']],
  ]
  for (const [body, remarks] of cases) {
    const problems = remarks.map(remark => ['invalid_field', remark] as const)
    assertProblems(await account.put(`${PATH}/${id}`, body), 400, problems)
  }
})

test(`POST ${PATH}/{id}/rotate_secret: both secrets sign during the overlap, one rotation per Idempotency-Key`, async () => {
  await newAccount()
  const made = await created()
  const url = `${PATH}/${made.id}/rotate_secret`
  const key = { 'idempotency-key': 'rotate' }
  const first = await ok(account.post(url, '', key))
  assert.deepEqual(await ok(account.post(url, {}, key)), first)
  const longer = await account.post(url, { overlap_seconds: 604_801 })
  assertRefused(longer, 400, 'invalid_field', 'overlap_seconds')
  assert.match(first.secret, SECRET)
  assert.notEqual(first.secret, made.secret)
  const seconds = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000
  assert.equal(seconds(first.updated_at, first.previous_secret_until), 86_400)
  const row = await stored(made)
  const until = first.previous_secret_until
  const justBefore = new Date(Date.parse(until) - 1).toISOString().replace('Z', '000Z')
  assert.deepEqual(secretsOf(row, justBefore), [first.secret, made.secret])
  assert.deepEqual(secretsOf(row, until), [first.secret])

  const week = await ok(account.post(url, { overlap_seconds: 604_800 }))
  assert.equal(seconds(week.updated_at, week.previous_secret_until), 604_800)
  assert.deepEqual(secretsOf(await stored(made), until), [week.secret, first.secret])

  const at_once = await ok(account.post(url, { overlap_seconds: 0 }))
  assert.equal(at_once.previous_secret_until, null)
  assert.deepEqual(secretsOf(await stored(made), at_once.updated_at), [at_once.secret])
  const shown = await account.get(`${PATH}/${made.id}`)
  assert.doesNotMatch(shown.text, /whsec|"secret"/)
})

test(`POST ${PATH}/{id}/test: sends an event about the endpoint, with the next sequence`, async () => {
  await newAccount()
  const { id } = await created({ event_types: ['payout.failed'] })
  const before = (await ok(account.get('/v3/event?limit=1'))).results[0].sequence
  const key = { 'idempotency-key': 'test' }
  const event = await ok(account.post(`${PATH}/${id}/test`, '', key))
  assert.deepEqual(event.data, await ok(account.get(`${PATH}/${id}`)))
  const { type, object_id, sequence } = event
  assert.deepEqual([type, object_id, sequence], ['webhook_endpoint.test', id, before + 1])
  await ok(account.put(`${PATH}/${id}`, { description: 'Another' }))
  assert.deepEqual(await ok(account.get(`/v3/event/${event.id}`)), event)
  assert.deepEqual((await ok(account.get(`/v3/event?object_id=${id}`))).results, [event])
  assert.deepEqual(await ok(account.post(`${PATH}/${id}/test`, {}, key)), event)
  assertRefused(await account.post(`${PATH}/${id}/test`, { a: 1 }), 400, 'invalid_field', 'a')
  await ok(account.put(`${PATH}/${id}`, { status: 'disabled' }))
  assertRefused(await account.post(`${PATH}/${id}/test`, {}), 409, 'webhook_endpoint_disabled')
})

test(`DELETE ${PATH}/{id}: 200, then 404 as for an unknown id`, async () => {
  await newAccount()
  const { id } = await created()
  const other = await created()
  assert.deepEqual(await ok(remove(id)), { id, object: 'webhook_endpoint', deleted: true })
  await assertAbsent(id, account)
  assert.deepEqual(
    (await ok(account.get(PATH))).results.map((one: { id: string }) => one.id),
    [other.id],
  )
})

/** The answers of everything below an endpoint: not_found, whatever it is asked. */
async function assertAbsent(id: string, by: Client): Promise<void> {
  const url = `${PATH}/${id}`
  const never = await by.get(`${PATH}/${NOBODY}`)
  for (const answer of [
    await by.get(url),
    await by.put(url, { description: 'x' }),
    await remove(id, by),
    await by.post(`${url}/rotate_secret`, {}),
    await by.post(`${url}/test`, {}),
    await by.post(`${url}/replay`, { sequence: { from: 1 } }),
    await by.get(`${url}/delivery`),
    await by.get(`${url}/delivery/whd_00000000000000000000`),
  ]) {
    assertRefused(answer, 404, 'not_found', '')
    assert.deepEqual(answer.json, never.json)
  }
}

test('GET webhook endpoints, list and one, statement planned for an empty table: no scan of the table', async () => {
  const cursor = idAt('whe', 7)
  const fill = (owner: TestService['database']['owner']) => owner`
    insert into webhook_endpoints (account_id, id, url, description, event_types, status,
      disabled_reason, secret, fanned_out, created_at, updated_at)
    select a, 'whe_' || lpad(i::text, 20, '0'), 'https://a', '', '{}', 'enabled', '', 'whsec_',
      0, timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second', now()
    from generate_series(1, 16) i, (select 'acc_a' as a union all
      select 'acc_' || lpad(n::text, 20, '0') from generate_series(1, 300) n) a`
  await assertPageCost({
    table: 'webhook_endpoints',
    queries: crossed([{}, { status: 'enabled' }], [{}, { starting_after: cursor }]),
    page: (tx, query) => listEndpoints(tx, 'acc_a', readList({ ...query, limit: '5' })),
    fill,
    // An account has sixteen at most, which are looked through.
    besides: () => 16,
    one: {
      read: tx => findEndpoints(tx, [{ account_id: 'acc_a', id: cursor }]),
      when: 'analyzed',
    },
  })
})
