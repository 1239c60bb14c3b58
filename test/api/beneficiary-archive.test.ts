// Beneficiaries that are archived: in no ordinary list, paid no more, and taken back; and what
// PostgreSQL and verify hold of it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { transactConfined } from '../../src/sql/confine.ts'
import { closeVerified } from '../support/assert/books.ts'
import { assertProblems, assertRefused } from '../support/assert/check.ts'
import { assertFilters, getAll, type Item, list } from '../support/assert/listing.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import {
  type AnotherProcess,
  addPerson,
  basic,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'

const PATH = '/v3/beneficiary'

let service: TestService
let other: AnotherProcess
let account: Client
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  other = await service.anotherProcess()
  account = await newAccount()
})
after(async () => {
  await other.close()
  await closeVerified(service)
})

const newAccount = () => service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })

async function made(by = account, changes: object = {}): Promise<string> {
  const { status, json, text } = await by.post(PATH, { ...bankBeneficiary, ...changes })
  assert.equal(status, 200, text)
  assert.equal(json.data.archived_at, null)
  return json.data.id
}

async function act(id: string, name: 'archive' | 'unarchive', by = account) {
  const { status, json, text } = await by.post(`${PATH}/${id}/${name}`, {})
  assert.equal(status, 200, text)
  return json.data
}

const { beneficiary_details: _, ...payout } = localPayout
const pay = (beneficiary: string, by = account) =>
  by.post('/v3/payout', { ...payout, beneficiary, allow_duplicate: true })

/** By the other process. */
const payThere = (beneficiary: string) =>
  other.inject({
    method: 'POST',
    url: '/v3/payout',
    headers: { authorization: basic(account.key_id, account.secret) },
    payload: { ...payout, beneficiary, allow_duplicate: true },
  })

async function eventsOf(id: string, by = account) {
  const { results } = await list(by, '/v3/event', { object_id: id })
  return results
    .map(event => [event.type, event.data.archived_at, event.previous_attributes.archived_at])
    .reverse()
}

test(`POST ${PATH}/{id}/archive: payouts to this beneficiary refused, to others accepted; unarchived: accepted again`, async () => {
  const id = await made()
  const open = (await pay(id)).json.data
  const record = (await account.get(`${PATH}/${id}`)).json.data
  const archived = await act(id, 'archive')
  const { archived_at } = archived
  assert.match(archived_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  assert.deepEqual(archived, { ...record, archived_at })
  assert.deepEqual(await act(id, 'archive'), archived, 'as it is, without an event')
  assert.deepEqual((await account.get(`${PATH}/${id}`)).json.data, archived)
  assertRefused(await pay(id), 422, 'beneficiary_archived', 'beneficiary')
  const dry = await account.post('/v3/payout?dry_run=true', { ...payout, beneficiary: id })
  assert.deepEqual(
    dry.json.data.errors.map(({ reason }: { reason: string }) => reason),
    ['beneficiary_archived'],
  )
  const batch = await account.post('/v3/payout_batch', {
    payouts: [{ ...payout, beneficiary: id }],
  })
  assertRefused(batch, 422, 'beneficiary_archived', 'payouts[0].beneficiary')
  // The same details again are another beneficiary, which is paid.
  const inline = await account.post('/v3/payout', localPayout)
  assert.equal(inline.status, 200, inline.text)
  for (const other of [inline.json.data.beneficiary, await made()]) assert.notEqual(other, id)
  // Its own record may still be put right.
  assert.equal((await account.put(`${PATH}/${id}`, { email: 'a@example.com' })).status, 200)
  await settleAll(service)
  assert.equal((await account.get(`/v3/payout/${open.id}`)).json.data.status, 'succeeded')
  for (let i = 0; i < 2; i++) assert.equal((await act(id, 'unarchive')).archived_at, null)
  assert.equal((await pay(id)).status, 200)
  assert.deepEqual(await eventsOf(id), [
    ['beneficiary.created', null, undefined],
    ['beneficiary.archived', archived_at, null],
    ['beneficiary.updated', archived_at, undefined],
    ['beneficiary.unarchived', null, archived_at],
  ])
})

test(`GET ${PATH}?archived=true: only archived ones; without it: only others, for any page size`, async () => {
  const by = await newAccount()
  const ids: string[] = []
  for (let i = 0; i < 9; i++) {
    ids.unshift(await made(by, { type: i % 4 === 0 ? 'individual' : 'business' }))
    if (i % 2 === 0) await act(ids[0] ?? '', 'archive', by)
  }
  const all = await getAll(by, PATH, ids)
  const isArchived = (item: Item) => item.archived_at !== null
  await assertFilters(by, PATH, all, [
    [{}, item => !isArchived(item)],
    [{ archived: 'true', type: 'business' }, i => isArchived(i) && i.type === 'business'],
    [{ type: ['business', 'individual'], archived: 'true' }, isArchived],
    [{ type: ['business', 'individual'], archived: 'false' }, item => !isArchived(item)],
  ])
  assertProblems(await by.get(`${PATH}?archived=yes`), 400, [
    ['invalid_query_parameter', 'archived'],
  ])
})

test('PostgreSQL, payout to an archived beneficiary: refused for every writer', async () => {
  const id = await made()
  const { json } = await pay(id)
  await act(id, 'archive')
  const { account_id } = account.account
  const copied = transactConfined(service.deps.sql, [account_id], tx =>
    tx.unsafe(`
      insert into payouts select (jsonb_populate_record(null::payouts, to_jsonb(p) || jsonb_build_object(
        'id', 'pot_' || reverse(substr(p.id, 5)), 'quote_id', ''))).*
      from payouts p where id = '${json.data.id}'`),
  )
  await assert.rejects(copied, { constraint_name: 'beneficiary_not_archived' })
})

test('beneficiary archived and paid at once in two processes: no payout after the archiving', async () => {
  for (let round = 0; round < 8; round++) {
    const id = await made()
    const [archived, ...answers] = await Promise.all([
      act(id, 'archive'),
      ...Array.from({ length: 6 }, (_, i) => (i % 2 === 0 ? payThere(id) : pay(id))),
    ])
    for (const answer of answers) {
      if (answer.status === 200) assert.ok(answer.json.data.created_at < archived.archived_at)
      else assertRefused(answer, 422, 'beneficiary_archived', 'beneficiary')
    }
    assertRefused(await pay(id), 422, 'beneficiary_archived', 'beneficiary')
  }
})

test('beneficiary archived while its payout awaits approval: approval accepted, payout waits until unarchived', async () => {
  const by = await newAccount()
  const { account_id } = by.account
  await addApprovalRule(service, { account_id, subject: 'beneficiary' })
  const ann = await addPerson(service, { user: 'ann', roles: [[account_id, 'approver']] })
  const id = (await by.post(PATH, bankBeneficiary)).json.data.id
  await act(id, 'archive', by)
  const { digest } = (await by.get(`${PATH}/${id}/approval`)).json.data
  const approved = await service.inject({
    method: 'POST',
    url: `${PATH}/${id}/approve`,
    headers: ann.headers(account_id),
    payload: { digest },
  })
  assert.equal(approved.status, 200, approved.text)
  assertRefused(await pay(id, by), 422, 'beneficiary_archived')
  await act(id, 'unarchive', by)
  assert.equal((await pay(id, by)).status, 200)
})

test('corridor verify, beneficiary archived without an event, or paid while archived: named', async () => {
  const id = await made()
  assert.equal((await pay(id)).status, 200)
  const verdict = await undone(service.database.owner, async tx => {
    await tx`
      update beneficiaries set archived_at = created_at + interval '1 microsecond' where id = ${id}`
    return verdictIn(tx, true)
  })
  assert.ok(!verdict.ok)
  assert.deepEqual(
    verdict.problems.map(({ table, found }) => [table, found.replace(/\d{4}.*$/, '…')]),
    [
      ['beneficiaries', 'archived since …'],
      ['payouts', 'made after …'],
    ],
  )
})
