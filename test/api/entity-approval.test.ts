// The approval of an entity (§entity.approval): submission, the operator's review, what a change of
// an approved entity leads to, the history of it, and the events that say so (§event.types).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  APPROVAL_STATUSES,
  APPROVAL_TRANSITIONS,
  type ApprovalStatus,
  type ReviewResult,
} from '../../src/entity/states.ts'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { plainEntity } from '../support/given/bodies.ts'
import { review } from '../support/service/review.ts'
import {
  basic,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

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

interface Told {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: an entity
  readonly data: any
  readonly previous_attributes: Readonly<Record<string, unknown>>
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

test(`POST ${PATH}/{id}/submit, with no body, an empty one and {}: submitted, as its GET then shows it`, async () => {
  const authorization = basic(account.key_id, account.secret)
  const json = { 'content-type': 'application/json' }
  for (const request of [
    { headers: {} },
    { headers: json },
    { headers: { 'content-length': '0' } },
    { headers: json, payload: ' { }\n' },
  ]) {
    const before = await entityAt('pending')
    const url = `${PATH}/${before.id}/submit`
    const headers = { authorization, ...request.headers }
    const answer = await service.inject({ method: 'POST', url, ...request, headers })
    assert.equal(answer.status, 200, answer.text)
    const { data } = answer.json
    const step = { status: 'submitted', description: '', at: data.updated_at }
    assert.deepEqual(data, {
      ...before,
      approval_status: 'submitted',
      approval_history: [...before.approval_history, step],
      updated_at: data.updated_at,
    })
    assert.equal((await account.get(`${PATH}/${before.id}`)).text, answer.text)
  }
})

test(`POST ${PATH}/{id}/submit and review, what the status forbids: 409, no row changes`, async () => {
  const [approved, rejected] = [await entityAt('approved'), await entityAt('rejected')]
  const untouched = await rowVersions(service.database.owner)
  const submitted = await account.post(`${PATH}/${approved.id}/submit`, {})
  assertRefused(submitted, 409, 'invalid_transition', 'approval_status')
  const answer = await review(service, account, rejected.id, 'requires_action')
  assert.deepEqual([answer.status, answer.reason], [409, 'invalid_transition'])
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
})

test(`PUT ${PATH}/{id}, name of an approved entity: resubmitted; its description: approved`, async () => {
  const { id } = await entityAt('approved')
  const put = async (body: object) => (await account.put(`${PATH}/${id}`, body)).json.data
  assert.equal((await put({ description: 'Other' })).approval_status, 'approved')
  assert.equal((await put({ name: 'Bo' })).approval_status, 'resubmitted')
})

test('review, rejected to approved beside a live duplicate: 409 entity_duplicate, no row changes', async () => {
  const body = { ...plainEntity, email: 'back@example.com' }
  const { id } = await entityAt('rejected', body)
  const live = await entityAt('pending', body)
  const untouched = await rowVersions(service.database.owner)
  const answer = await review(service, account, id, 'approved')
  assert.deepEqual([answer.status, answer.reason], [409, 'entity_duplicate'])
  assert.ok(answer.text.includes(live.id), answer.text)
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
})

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
  const answer = await account.get(`/v3/event?object_id=${id}`)
  const read = answer.json.data.results.toReversed()
  const told = read.map(({ type, data, previous_attributes: before }: Told) => {
    const { updated_at: _, approval_history: __, ...altered } = before
    const { name, email, description, approval_status, approval_history } = data
    return [type, [name, email, description, approval_status, approval_history.length], altered]
  })
  const { name } = plainEntity
  const step = (status: string, nth: number, previous: string, altered: object = {}) => [
    `entity.approval_${status}`,
    [name, '', 'New', status, nth],
    { approval_status: previous, ...altered },
  ]
  assert.deepEqual(told, [
    ['entity.created', [name, 'events@example.com', '', 'pending', 1], {}],
    [
      'entity.updated',
      [name, '', 'New', 'pending', 1],
      { email: 'events@example.com', description: '' },
    ],
    step('submitted', 2, 'pending'),
    step('requires_action', 3, 'submitted', { approval_status_description: '' }),
    step('resubmitted', 4, 'requires_action', { approval_status_description: 'Papers.' }),
    step('approved', 5, 'resubmitted'),
    [
      'entity.updated',
      ['Bo', '', 'New', 'resubmitted', 6],
      { name, reference_id: '', approval_status: 'approved' },
    ],
    [
      'entity.approval_resubmitted',
      ['Bo', '', 'New', 'resubmitted', 6],
      { approval_status: 'approved' },
    ],
  ])
  assert.equal(events[0]?.created_at, created_at)
  assert.equal(events.at(-1)?.created_at, last.updated_at)
})
