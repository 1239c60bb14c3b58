// The approval of an entity (§entity.approval): submission, the operator's review, what a change of
// an approved entity leads to, the history of it, and the events that say so (§event.types).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  APPROVAL_STATUSES,
  APPROVAL_TRANSITIONS,
  type ApprovalStatus,
  REVIEW_RESULTS,
  type ReviewResult,
} from '../../src/entity/states.ts'
import { plainEntity } from '../support/given/bodies.ts'
import { assertProblems, assertRefused, rowVersions } from '../support/assert/check.ts'
import { review } from '../support/service/review.ts'
import { basic, type Client, startTestService, type TestService } from '../support/service/service.ts'
import { IN_UTC } from '../support/assert/shapes.ts'

const PATH = '/v3/entity'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount()
})
after(() => service.close())

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
type Json = any

/** A new entity without any identity, at this status; no step has a description. */
async function entityAt(status: ApprovalStatus, body: object = plainEntity): Promise<Json> {
  const answer = await account.post(PATH, body)
  assert.equal(answer.status, 200, answer.text)
  const { id } = answer.json.data
  if (status === 'submitted') await submit(id)
  else if (status === 'resubmitted') {
    await reviewed(id, 'requires_action')
    await submit(id)
  } else if (status !== 'pending') await reviewed(id, status)
  const entity = await read(id)
  assert.equal(entity.approval_status, status)
  return entity
}

async function submit(id: string): Promise<Json> {
  const answer = await account.post(`${PATH}/${id}/submit`, {})
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

async function reviewed(id: string, status: ReviewResult, description = ''): Promise<Json> {
  const { status: code, text } = await review(service, account, id, status, description)
  assert.equal(code, 200, text)
  return JSON.parse(text).data
}

async function read(id: string): Promise<Json> {
  return (await account.get(`${PATH}/${id}`)).json.data
}

interface EventRow {
  readonly type: string
  readonly data: Json
  readonly created_at: string
}

/** Oldest first. */
async function eventsOf(id: string): Promise<EventRow[]> {
  return service.database.owner<EventRow[]>`
    select type, data, created_at from each_event where object_id = ${id} order by sequence`
}

/** What §entity.approval says, written out: from each status, by the account. */
const SUBMITTED: { readonly [From in ApprovalStatus]: ApprovalStatus | undefined } = {
  pending: 'submitted',
  submitted: undefined,
  approved: undefined,
  rejected: undefined,
  requires_action: 'resubmitted',
  resubmitted: undefined,
}
/** And by the operator. */
const REVIEWED: { readonly [From in ApprovalStatus]: readonly ReviewResult[] } = {
  pending: ['approved', 'rejected', 'requires_action'],
  submitted: ['approved', 'rejected', 'requires_action'],
  approved: ['rejected', 'requires_action'],
  rejected: ['approved'],
  requires_action: ['approved', 'rejected'],
  resubmitted: ['approved', 'rejected', 'requires_action'],
}

for (const from of APPROVAL_STATUSES) {
  const to = SUBMITTED[from]
  test(`POST ${PATH}/{id}/submit, ${from}: ${to ?? '409 invalid_transition, no row changes'}`, async () => {
    const entity = await entityAt(from)
    const untouched = await rowVersions(service.database.owner)
    const answer = await account.post(`${PATH}/${entity.id}/submit`, {})
    if (to === undefined) {
      assertRefused(answer, 409, 'invalid_transition', 'approval_status')
      assert.deepEqual(await rowVersions(service.database.owner), untouched)
      return
    }
    assert.equal(answer.status, 200, answer.text)
    assertStepped(entity, answer.json.data, to, '')
    assert.equal((await account.get(`${PATH}/${entity.id}`)).text, answer.text)
  })

  for (const to of REVIEW_RESULTS) {
    const allowed = REVIEWED[from].includes(to)
    test(`review, ${from} to ${to}: ${allowed ? 'done' : '409 invalid_transition, no row changes'}`, async () => {
      const entity = await entityAt(from)
      const untouched = await rowVersions(service.database.owner)
      const answer = await review(service, account, entity.id, to, 'Because.')
      if (!allowed) {
        assert.deepEqual([answer.status, answer.reason], [409, 'invalid_transition'])
        assert.deepEqual(await rowVersions(service.database.owner), untouched)
        return
      }
      assert.equal(answer.status, 200, answer.text)
      assertStepped(entity, JSON.parse(answer.text).data, to, 'Because.')
      assert.equal((await account.get(`${PATH}/${entity.id}`)).text, answer.text)
    })
  }
}

/** Nothing but the approval is another than before. */
function assertStepped(before: Json, after: Json, status: string, description: string): void {
  const { updated_at, approval_history } = after
  assert.match(updated_at, IN_UTC)
  assert.ok(updated_at > before.updated_at)
  assert.deepEqual(after, {
    ...before,
    approval_status: status,
    approval_status_description: description,
    approval_history: [...before.approval_history, { status, description, at: updated_at }],
    updated_at,
  })
  assert.equal(approval_history.length, before.approval_history.length + 1)
}

test('APPROVAL_TRANSITIONS: what is submitted, reviewed and changed, and no other in the database', async () => {
  const expected = APPROVAL_STATUSES.flatMap(from => [
    ...REVIEWED[from].map(to => `${from} ${to}`),
    ...(SUBMITTED[from] === undefined ? [] : [`${from} ${SUBMITTED[from]}`]),
    ...(from === 'approved' ? ['approved resubmitted'] : []),
  ]).sort()
  const inCode = APPROVAL_STATUSES.flatMap(from =>
    APPROVAL_TRANSITIONS[from].map(to => `${from} ${to}`),
  )
  assert.deepEqual(inCode.sort(), expected)
  const { id } = await entityAt('pending')
  const taken: string[] = []
  for (const from of APPROVAL_STATUSES) {
    for (const to of APPROVAL_STATUSES) {
      if (from === to || !(await isTaken(id, from, to))) continue
      taken.push(`${from} ${to}`)
    }
  }
  assert.deepEqual(taken.sort(), expected)
})

/** Whether the database lets an entity make the step, whatever it is now. Nothing of it stays. */
async function isTaken(id: string, from: string, to: string): Promise<boolean> {
  const undone = new Error('undone')
  const tried = service.database.owner.begin(async tx => {
    await tx`alter table entities disable trigger legal_transition`
    await tx`update entities set approval_status = ${from} where id = ${id}`
    await tx`alter table entities enable trigger legal_transition`
    await tx`update entities set approval_status = ${to} where id = ${id}`
    throw undone
  })
  const error = await tried.catch(error => error)
  if (error === undone) return true
  assert.match(error.message, new RegExp(`cannot go from ${from} to ${to}`))
  return false
}

test('approval_history, a whole life: every step with its reason and time, oldest first', async () => {
  const { id } = await entityAt('pending')
  await submit(id)
  await reviewed(id, 'requires_action', 'Send the register.')
  await submit(id)
  await reviewed(id, 'approved')
  await reviewed(id, 'rejected', 'Forged.')
  const last = await reviewed(id, 'approved', 'A mistake.')
  assert.deepEqual(
    last.approval_history.map((s: Json) => [s.status, s.description]),
    [
      ['pending', ''],
      ['submitted', ''],
      ['requires_action', 'Send the register.'],
      ['resubmitted', ''],
      ['approved', ''],
      ['rejected', 'Forged.'],
      ['approved', 'A mistake.'],
    ],
  )
  const times = last.approval_history.map((s: Json) => s.at)
  assert.deepEqual(times, [...new Set(times)].sort())
  assert.deepEqual([times[0], times.at(-1)], [last.created_at, last.updated_at])
})

// The body of a submission.

const BODIES: readonly (readonly [
  what: string,
  headers: Record<string, string>,
  payload?: string,
])[] = [
  ['no body', {}],
  ['no body, Content-Type JSON', { 'content-type': 'application/json' }],
  ['no body, Content-Length 0', { 'content-length': '0' }],
  ['{}', { 'content-type': 'application/json' }, '{}'],
  ['{} with white space', { 'content-type': 'application/json' }, ' { }\n'],
]
for (const [what, headers, payload] of BODIES) {
  test(`POST ${PATH}/{id}/submit, ${what}: submitted`, async () => {
    const { id } = await entityAt('pending')
    const authorization = basic(account.key_id, account.secret)
    const answer = await service.inject({
      method: 'POST',
      url: `${PATH}/${id}/submit`,
      headers: { authorization, ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.json.data.approval_status, 'submitted')
  })
}

test(`POST ${PATH}/{id}/submit, any other body: 400 naming it, no row changes`, async () => {
  const { id } = await entityAt('pending')
  const url = `${PATH}/${id}/submit`
  const untouched = await rowVersions(service.database.owner)
  assertProblems(await account.post(url, { x: 1, name: ' ', email: 'nobody' }), 400, [
    ['invalid_field', 'x'],
    ['invalid_field', 'name'],
    ['invalid_field', 'email'],
  ])
  for (const body of ['[]', '"x"', '7', 'true']) {
    assertRefused(await account.post(url, body), 400, 'invalid_field', '')
  }
  for (const body of ['{', 'x', ' '])
    assertRefused(await account.post(url, body), 400, 'invalid_json')
  const xml = await account.post(url, '<x/>', { 'content-type': 'text/xml' })
  assertRefused(xml, 415, 'unsupported_media_type')
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
})

test(`POST ${PATH}/{id}/submit, one Idempotency-Key twice: the first answer again, with no body too`, async () => {
  const { id } = await entityAt('pending')
  const other = await entityAt('pending')
  const url = `${PATH}/${id}/submit`
  const key = { 'idempotency-key': 'submit' }
  const first = await account.post(url, {}, key)
  assert.deepEqual([first.status, first.headers['idempotent-replayed']], [200, undefined])
  await reviewed(id, 'approved')
  const untouched = await rowVersions(service.database.owner)
  const again = await account.post(url, {}, key)
  assert.deepEqual([again.status, again.text], [200, first.text])
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal((await account.post(url, '', key)).text, first.text)
  assertRefused(await account.post(url, {}), 409, 'invalid_transition')
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
  const elsewhere = await account.post(`${PATH}/${other.id}/submit`, {}, key)
  assert.equal(elsewhere.headers['idempotent-replayed'], undefined)
  assert.equal(elsewhere.json.data.id, other.id)
})

// A change of an approved entity.

const CHANGES: readonly (readonly [member: string, value: unknown, status: ApprovalStatus])[] = [
  ['description', 'Other', 'approved'],
  ['reference_id', 'other', 'approved'],
  ['metadata', { tier: 'gold' }, 'approved'],
  ['name', 'Bo', 'resubmitted'],
  ['email', 'approved@example.com', 'resubmitted'],
  ['phone', { number: '7' }, 'resubmitted'],
  ['vertical', 'food', 'resubmitted'],
  ['national_identification_number', { number: '7' }, 'resubmitted'],
  ['registration_number', '7', 'resubmitted'],
  ['registration_date', '2014-03-31', 'resubmitted'],
  ['registration_address', { country: 'HK' }, 'resubmitted'],
  ['operating_address', { country: 'HK' }, 'resubmitted'],
  ['tax_id', '7', 'resubmitted'],
  ['purpose_of_use', 'Other', 'resubmitted'],
  ['relationship', 'owner', 'resubmitted'],
  ['representatives', [{ first_name: 'Mei' }], 'resubmitted'],
  ['documents', [{ type: 'passport' }], 'resubmitted'],
]

for (const [member, value, status] of CHANGES) {
  test(`PUT ${PATH}/{id}, ${member} of an approved entity: ${status}`, async () => {
    const entity = await entityAt('approved')
    const answer = await account.put(`${PATH}/${entity.id}`, { [member]: value })
    assert.equal(answer.status, 200, answer.text)
    const { updated_at: at } = answer.json.data
    const step = { status: 'resubmitted', description: '', at }
    const history = entity.approval_history
    assert.deepEqual(answer.json.data, {
      ...entity,
      [member]: value,
      approval_status: status,
      approval_history: status === 'approved' ? history : [...history, step],
      updated_at: at,
    })
    assert.equal((await account.get(`${PATH}/${entity.id}`)).text, answer.text)
  })
}

test(`PUT ${PATH}/{id}, an approved entity as it is: stays approved`, async () => {
  const { id, ...entity } = await entityAt('approved')
  const { object, on_behalf_of, approval_status, approval_status_description, ...rest } = entity
  const { approval_history, created_at, updated_at, metadata, ...members } = rest
  const answer = await account.put(`${PATH}/${id}`, members)
  assert.deepEqual(answer.json.data, { id, ...entity })
})

for (const status of APPROVAL_STATUSES.filter(s => s !== 'approved')) {
  test(`PUT ${PATH}/{id}, name of an entity that is ${status}: stays ${status}, one step less to tell`, async () => {
    const entity = await entityAt(status)
    const answer = await account.put(`${PATH}/${entity.id}`, { name: 'Bo' })
    const { approval_status, approval_history } = answer.json.data
    assert.equal(approval_status, status)
    assert.deepEqual(approval_history, entity.approval_history)
  })
}

// A rejected entity comes back.

test('review, rejected to approved beside a live duplicate: 409 entity_duplicate, no row changes', async () => {
  const rules: readonly object[] = [
    { email: 'back@example.com' },
    { national_identification_number: { type: 'passport', number: 'B1' } },
    { registration_address: { country: 'DE', line1: 'B 1', city: 'Bonn' } },
    { type: 'business', registration_number: 'B1', registration_address: { country: 'DE' } },
  ]
  for (const rule of rules) {
    const body = { ...plainEntity, ...rule }
    const { id } = await entityAt('rejected', body)
    const live = await entityAt('pending', body)
    assert.notEqual(live.id, id)
    const untouched = await rowVersions(service.database.owner)
    const answer = await review(service, account, id, 'approved')
    assert.deepEqual([answer.status, answer.reason], [409, 'entity_duplicate'])
    assert.ok(answer.text.includes(live.id), answer.text)
    assert.deepEqual(await rowVersions(service.database.owner), untouched)
    await reviewed(live.id, 'rejected')
    assert.equal((await reviewed(id, 'approved')).approval_status, 'approved')
  }
})

// Events.

test('events of an entity: created, updated with what was there, and each step of its approval', async () => {
  const { id, created_at } = await entityAt('pending', {
    ...plainEntity,
    email: 'events@example.com',
    phone: { number: '1' },
  })
  const put = (body: object) => account.put(`${PATH}/${id}`, body)
  await put({ email: null, description: 'New', phone: { number: '1' } })
  await submit(id)
  await reviewed(id, 'requires_action', 'Papers.')
  await submit(id)
  await reviewed(id, 'approved')
  const last = (await put({ name: 'Bo', reference_id: '7' })).json.data
  await put({ name: 'Bo' })
  const events = await eventsOf(id)
  const step = (approval_status: string, previous_status: string, description = '') => ({
    type: `entity.approval_${approval_status}`,
    data: { approval_status, previous_status, description },
  })
  assert.deepEqual(
    events.map(({ type, data }) => ({ type, data })),
    [
      { type: 'entity.created', data: {} },
      {
        type: 'entity.updated',
        data: { previous: { email: 'events@example.com', description: null } },
      },
      step('submitted', 'pending'),
      step('requires_action', 'submitted', 'Papers.'),
      step('resubmitted', 'requires_action'),
      step('approved', 'resubmitted'),
      {
        type: 'entity.updated',
        data: { previous: { name: plainEntity.name, reference_id: null } },
      },
      step('resubmitted', 'approved'),
    ],
  )
  assert.equal(events[0]?.created_at, created_at)
  assert.equal(events.at(-1)?.created_at, last.updated_at)
})

test('events, what is refused, is a duplicate or changes nothing: none', async () => {
  const body = { ...plainEntity, email: 'silent@example.com' }
  const entity = await entityAt('submitted', body)
  const count = (await eventsOf(entity.id)).length
  await account.post(PATH, body)
  await account.put(`${PATH}/${entity.id}`, body)
  await account.post(`${PATH}/${entity.id}/submit`, {})
  await account.put(`${PATH}/${entity.id}`, { type: 'business' })
  assert.equal((await eventsOf(entity.id)).length, count)
})
