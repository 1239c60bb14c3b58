// A page of a list has a bound in bytes, and the cursors still read every object once and in order. An
// object that an account adds to has a bound as well.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { MAX_PAGE_BYTES } from '../../src/http/fit.ts'
import { MAX_ANSWERS, MAX_ANSWERS_BYTES } from '../../src/payouts/action.ts'
import { closeVerified } from '../support/assert/books.ts'
import { assertProblems } from '../support/assert/check.ts'
import { operatorSets, pay } from '../support/service/payouts.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
type Json = any

let service: TestService
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
})
after(() => closeVerified(service))

const funded = () => service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })

/** Documents of so many bytes together, which compress well. */
function documents(bytes: number): object[] {
  const rest = bytes % 2000
  const urls = Array.from({ length: Math.floor(bytes / 2000) }, () => 'u'.repeat(1990))
  return [...urls, 'v'.repeat(rest)].map(url => ({ url }))
}

/** Reads the whole list by its cursors, and checks the size of each page. */
async function readAll(account: Client, path: string, cursor: 'starting_after' | 'ending_before') {
  const pages: Json[][] = []
  const joint = path.includes('?') ? '&' : '?'
  let at = ''
  if (cursor === 'ending_before') {
    const all = await readAll(account, path, 'starting_after')
    at = `&ending_before=${all.flat().at(-1).id}`
  }
  for (;;) {
    const { json: body } = await account.get(`${path}${joint}limit=100${at}`)
    const { results, has_more } = body.data
    const bytes = Buffer.byteLength(JSON.stringify(results))
    assert.ok(bytes <= MAX_PAGE_BYTES + 100 || results.length === 1, `${bytes} bytes`)
    pages.push(results)
    if (!has_more) return pages
    assert.ok(results.length > 0, 'a page with has_more has an object')
    const next = cursor === 'starting_after' ? results.at(-1) : results[0]
    at = `&${cursor}=${next.id}`
  }
}

/** Reads the list in both directions. Returns the number of pages. */
async function assertReadWhole(account: Client, path: string, ids: readonly string[]) {
  const down = await readAll(account, path, 'starting_after')
  assert.deepEqual(
    down.flat().map(({ id }) => id),
    ids,
  )
  const up = await readAll(account, path, 'ending_before')
  assert.deepEqual(
    up
      .toReversed()
      .flat()
      .map(({ id }) => id),
    ids.slice(0, -1),
  )
  return down.length
}

/** Reads what an operator sees of an account: pages of 1 MiB at most, and no payout is left out. */
async function assertOperatorReads(
  account_id: string,
  made: Readonly<Record<'entity' | 'payout', readonly string[]>>,
) {
  await addPerson(service, { user: 'olga', role: 'operator' })
  const headers = await logIn(service, 'olga')
  const page = async (path: string) => {
    const url = `/v3/operator/${path}&account_id=${account_id}&limit=100`
    const { status, text, json } = await service.inject({ url, headers })
    assert.equal(status, 200, text)
    assert.ok(Buffer.byteLength(text) <= MAX_PAGE_BYTES + 1000, `${path}: ${text.length} bytes`)
    return json.data
  }
  const payouts: string[] = []
  for (let has_more = true, at = ''; has_more; at = `&starting_after=${payouts.at(-1)}`) {
    const data = await page(`payout?${at.slice(1)}`)
    payouts.push(...data.results.map((each: Json) => each.payout.id))
    has_more = data.has_more
  }
  assert.deepEqual(payouts, made.payout)
  // This list has no cursor: who has decided on its first entities sees the next.
  const entities = await page('entity?status=pending')
  const ids = entities.results.map((each: Json) => each.entity.id)
  assert.ok(ids.length > 10 && entities.has_more)
  assert.deepEqual(ids, made.entity.slice(0, ids.length))
}

const person = (i: number, fields: object) => ({
  type: 'individual',
  name: `Anna Berg ${i}`,
  email: `anna${i}@example.com`,
  ...fields,
})

const wide = () => documents(36_000)

test('GET /v3/event, an entity of 60 KB edited 20 times: pages of at most 1 MiB, every event once, in order', async () => {
  const account = await service.openAccount({ currencies: ['USD'] })
  const representatives = Array.from({ length: 40 }, (_, i) => ({
    first_name: `Person ${i}`,
    address: { line1: 'a'.repeat(250), line2: 'b'.repeat(250), city: 'c'.repeat(128) },
  }))
  const { json: body } = await account.post('/v3/entity', {
    type: 'business',
    name: 'Berg Ltd',
    documents: wide(),
    representatives,
  })
  const { id } = body.data
  const edits = Array.from({ length: 20 }, (_, i) => i)
  for (const i of edits) await account.put(`/v3/entity/${id}`, { description: `edit ${i}` })
  const [{ event_count }] = await service.database.owner<Json[]>`
    select event_count from books where account_id = ${account.account.account_id}`
  const listed = (await readAll(account, '/v3/event', 'starting_after')).flat()
  assert.equal(listed.length, Number(event_count))
  const sequences = listed.map(({ sequence }) => sequence)
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => b - a),
  )
  const ids = listed.map(event => event.id)
  assert.ok((await assertReadWhole(account, '/v3/event', ids)) > 1)
  assert.ok((await assertReadWhole(account, `/v3/event?object_id=${id}`, ids)) > 1)
  const updated = listed.filter(({ type }) => type === 'entity.updated').map(event => event.id)
  assert.equal(updated.length, 20)
  assert.ok((await assertReadWhole(account, '/v3/event?type=entity.updated', updated)) > 1)
})

test('GET lists, 40 objects of 40 KB: pages of at most 1 MiB, every object once, in order', async () => {
  const account = await funded()
  const made: Record<'entity' | 'beneficiary' | 'payout', string[]> = {
    entity: [],
    beneficiary: [],
    payout: [],
  }
  for (let i = 0; i < 40; i += 1) {
    const entity = await account.post('/v3/entity', person(i, { documents: wide() }))
    made.entity.unshift(entity.json.data.id)
    const payout = await pay(account, { amount: 100 + i, documents: wide() })
    made.payout.unshift(payout.id)
  }
  assert.ok((await assertReadWhole(account, '/v3/entity', made.entity)) > 1)
  assert.ok((await assertReadWhole(account, '/v3/payout', made.payout)) > 1)
  await assertOperatorReads(account.account.account_id, made)
  const expanded = await readAll(account, '/v3/payout?expand=beneficiary', 'starting_after')
  assert.deepEqual(
    expanded.flat().map(({ id }) => id),
    made.payout,
  )
})

test('POST /v3/payout/{id}/action, answers above their total size: refused at the field, nothing stored', async () => {
  const account = await funded()
  const { id } = await pay(account)
  const act = async (body: object) => {
    await operatorSets(service, account, id, 'requires_action')
    return account.post(`/v3/payout/${id}/action`, body)
  }
  const long = () => ({ note: 'first', documents: documents(39_000) })
  for (let i = 0; i < 3; i += 1) assert.equal((await act(long())).status, 200)
  const refused = await act(long())
  assertProblems(refused, 422, [['object_full', 'documents']])
  assert.match(refused.json.errors[0].message, /131072: send a shorter documents/)
  for (let i = 3; i < MAX_ANSWERS; i += 1) {
    if (i > 3) await operatorSets(service, account, id, 'requires_action')
    assert.equal((await account.post(`/v3/payout/${id}/action`, { note: `n${i}` })).status, 200)
  }
  assertProblems(await act({ note: 'one more' }), 422, [['object_full', '']])
  const [kept] = await service.database.owner<Json[]>`
    select json_array_length(answers) as count, octet_length(answers::text) as bytes
    from payout_states where account_id = ${account.account.account_id} and id = ${id}`
  assert.equal(Number(kept.count), MAX_ANSWERS)
  assert.ok(Number(kept.bytes) <= MAX_ANSWERS_BYTES)
  const events = (await readAll(account, '/v3/event', 'starting_after')).flat()
  assert.ok(events.length > 100)
})

test('PUT /v3/entity/{id}, members above 256 KiB in total: refused at the largest member, entity unchanged', async () => {
  const account = await service.openAccount({ currencies: ['USD'] })
  const glyphs = (count: number) => '𝒶'.repeat(count)
  const { json: body } = await account.post(
    '/v3/entity',
    person(1, { documents: Array.from({ length: 20 }, () => ({ url: glyphs(2048) })) }),
  )
  const { id } = body.data
  const metadata = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`name ${i}`, glyphs(500)]),
  )
  const refused = await account.put(`/v3/entity/${id}`, { metadata })
  assertProblems(refused, 422, [['object_full', 'documents']])
  assert.deepEqual((await account.get(`/v3/entity/${id}`)).json.data, body.data)
})
