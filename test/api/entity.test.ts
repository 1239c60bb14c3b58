// POST /v3/entity, GET and PUT /v3/entity/{id}: what is kept and how it is shown, what a change
// replaces, whose entities there are; submission, the operator's review, and the events that tell of
// all that (§event.types). Duplicates and what is refused for its fields have files of their own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused, assertShape, rowVersions } from '../support/assert/check.ts'
import { ENTITY, IN_UTC, idOf } from '../support/assert/shapes.ts'
import { fullEntity, plainEntity } from '../support/given/bodies.ts'
import { review } from '../support/service/review.ts'
import {
  basic,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const PATH = '/v3/entity'
const NOBODY = 'ent_00000000000000000000'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
})
after(() => service.close())

interface AccountEvent {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: an entity
  readonly data: any
  readonly previous_attributes: Readonly<Record<string, unknown>>
}

/** So that no test finds another's duplicates. */
async function newAccount(): Promise<void> {
  account = await service.openAccount()
}

async function created(body: object, by = account) {
  const answer = await by.post(PATH, body)
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.json), ['status', 'message', 'data'])
  assert.deepEqual([answer.json.status, answer.json.message], ['success', ''])
  return answer.json.data
}

async function changed(id: string, body: object, by = account) {
  const answer = await by.put(`${PATH}/${id}`, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

const EMPTY = {
  email: '',
  phone: {},
  description: '',
  vertical: '',
  on_behalf_of: '',
  national_identification_number: {},
  registration_number: '',
  registration_date: '',
  registration_address: {},
  operating_address: {},
  tax_id: '',
  purpose_of_use: '',
  relationship: '',
  representatives: [],
  documents: [],
  reference_id: '',
  metadata: null,
}
type Optional = keyof typeof EMPTY
const OPTIONAL = Object.keys(EMPTY) as Optional[]

test(`POST ${PATH}, every member, or only name and type: returned as sent, in documented order, other members null`, async () => {
  await newAccount()
  const { id: principal, made_by, created_at, ...least } = await created(plainEntity)
  assert.match(created_at, IN_UTC)
  assert.match(made_by, idOf('key'))
  assert.deepEqual(least, {
    object: 'entity',
    ...plainEntity,
    ...EMPTY,
    approval_status: 'pending',
    approval_status_description: '',
    approval_history: [{ status: 'pending', description: '', at: created_at }],
    updated_at: created_at,
  })
  const sent = { ...fullEntity, on_behalf_of: principal }
  const entity = await created(sent)
  assertShape(entity, ENTITY)
  assert.deepEqual(Object.keys(entity), Object.keys(ENTITY))
  assert.match(entity.id, idOf('ent'))
  for (const [name, value] of Object.entries(sent)) assert.deepEqual(entity[name], value, name)
})

test(`POST ${PATH}, spaces, capitals and invisible characters: text unchanged; country trimmed and in upper case; ownership exact, at most 100 in sum`, async () => {
  await newAccount()
  const text = ' Re\u0301ne\u200b  WEIẞ\u3000'
  const sent = {
    type: 'individual',
    name: text,
    email: ' ANNA@Example.com\u200b',
    vertical: text,
    tax_id: text,
    description: '\u200b',
    national_identification_number: { type: text, number: text },
    metadata: { ' key ': text },
  }
  const address = { line1: text, city: text, state: ' ', postal_code: text }
  const country = '\u00a0hk\t'
  const shares = [0, '33.3333', '33.3333', '33.3334', '0.0000', '000']
  const entity = await created({
    ...sent,
    registration_address: { ...address, country },
    operating_address: { country },
    representatives: shares.map(ownership_percentage => {
      return { ownership_percentage, nationality: country, address: { country } }
    }),
  })
  for (const [name, value] of Object.entries(sent)) assert.deepEqual(entity[name], value, name)
  assert.deepEqual(entity.registration_address, { ...address, country: 'HK' })
  assert.deepEqual(entity.operating_address, { country: 'HK' })
  assert.deepEqual(
    entity.representatives,
    shares.map(share => {
      const ownership_percentage = String(share)
      return { ownership_percentage, nationality: 'HK', address: { country: 'HK' } }
    }),
  )
})

// PUT.

test(`PUT ${PATH}/{id}, each member set to null: removed, others unchanged`, async () => {
  await newAccount()
  const principal = await created(plainEntity)
  let before = await created({ ...fullEntity, on_behalf_of: principal.id })
  for (const member of OPTIONAL) {
    const after = await changed(before.id, { [member]: null })
    const { updated_at } = after
    assert.deepEqual(after, { ...before, [member]: EMPTY[member], updated_at })
    assert.ok(updated_at > before.updated_at)
    assert.equal((await account.get(`${PATH}/${before.id}`)).json.data.updated_at, updated_at)
    before = after
  }
})

test(`PUT ${PATH}/{id}, every member at once: equals a new entity with these values`, async () => {
  await newAccount()
  const before = await created({ type: 'business', name: 'X' })
  const name = ' New\u200bName '
  const { registration_number, ...rest } = fullEntity
  const twin = await created({ ...rest, name, registration_number: 'other' })
  const { id, created_at } = before
  const { updated_at, approval_history, ...now } = await changed(id, { ...fullEntity, name })
  const { updated_at: _, approval_history: __, ...made } = twin
  assert.deepEqual(now, { ...made, id, created_at, registration_number })
})

test(`PUT ${PATH}/{id}, equal values: entity unchanged, no row changes`, async () => {
  await newAccount()
  const { id } = await created(fullEntity)
  const bare = await created(plainEntity)
  const coded = await created({ ...plainEntity, phone: { code: '1' } })
  const address = fullEntity.registration_address
  const turned = Object.fromEntries(Object.entries(address).toReversed())
  const untouched = await rowVersions(service.database.owner)
  const same: readonly (readonly [string, object])[] = [
    [id, {}],
    [id, fullEntity],
    [id, { type: 'business' }],
    [id, { on_behalf_of: null }],
    [id, { registration_address: { ...address, country: ' hk ' } }],
    [id, { registration_address: turned }],
    [bare.id, Object.fromEntries(OPTIONAL.map(name => [name, null]))],
    [bare.id, { ...EMPTY, metadata: null }],
    [coded.id, { phone: { code: '1', number: '' } }],
  ]
  for (const [of, body] of same) {
    const answer = await account.put(`${PATH}/${of}`, body)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.text, (await account.get(`${PATH}/${of}`)).text)
    assert.deepEqual(await rowVersions(service.database.owner), untouched, JSON.stringify(body))
  }
})

test(`PUT ${PATH}/{id}, another type, or on_behalf_of an unknown, rejected or foreign entity or itself: 400 at the member, no row changes`, async () => {
  await newAccount()
  const theirs = await created(plainEntity, await service.openAccount())
  const gone = await created(plainEntity)
  await review(service, account, gone.id, 'rejected')
  const { id } = await created(plainEntity)
  const untouched = await rowVersions(service.database.owner)
  const put = (body: object) => account.put(`${PATH}/${id}`, body)
  assertRefused(await put({ type: 'business', name: 'New' }), 400, 'invalid_field', 'type')
  for (const on_behalf_of of [NOBODY, theirs.id, gone.id]) {
    const made = account.post(PATH, { ...plainEntity, on_behalf_of })
    for (const answer of [await made, await put({ on_behalf_of })]) {
      assertRefused(answer, 404, 'entity_not_found', 'on_behalf_of')
    }
  }
  assertRefused(await put({ on_behalf_of: id }), 400, 'invalid_field', 'on_behalf_of')
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
})

test(`PUT ${PATH}/{id}, two parallel requests that together give the identity of another entity: the second answers that entity`, async () => {
  await newAccount()
  const at = (line1: string) => ({ country: 'HK', line1, city: 'Hong Kong' })
  const body = { type: 'individual', registration_address: at('2'), name: 'Two' }
  const live = await created(body)
  const { id } = await created({ ...body, registration_address: at('1'), name: 'One' })
  // Rejected, so that no index stands by.
  await review(service, account, id, 'rejected')
  const halves = [{ name: 'Two' }, { registration_address: at('2') }]
  const busy = account.post(PATH, { ...body, name: 'Busy' })
  const answers = await Promise.all(halves.map(half => account.put(`${PATH}/${id}`, half)))
  await busy
  assert.deepEqual(
    answers.map(answer => answer.json.data.id),
    [id, live.id],
  )
})

// Approval.

test(`POST ${PATH}/{id}/submit, no body, an empty body or {}: submitted, GET shows the same`, async () => {
  const authorization = basic(account.key_id, account.secret)
  const json = { 'content-type': 'application/json' }
  for (const request of [
    { headers: {} },
    { headers: json },
    { headers: { 'content-length': '0' } },
    { headers: json, payload: ' { }\n' },
  ]) {
    const before = await created(plainEntity)
    const url = `${PATH}/${before.id}/submit`
    const headers = { authorization, ...request.headers }
    const answer = await service.inject({ method: 'POST', url, ...request, headers })
    assert.equal(answer.status, 200, answer.text)
    const { updated_at } = answer.json.data
    const step = { status: 'submitted', description: '', at: updated_at }
    const approval_history = [...before.approval_history, step]
    const now = { ...before, approval_status: 'submitted', approval_history, updated_at }
    assert.deepEqual(answer.json.data, now)
    assert.equal((await account.get(`${PATH}/${before.id}`)).text, answer.text)
  }
})

test('GET /v3/event of an entity: created, updated with the previous values, and each approval step', async () => {
  const { name } = plainEntity
  const email = 'events@example.com'
  const { id } = await created({ ...plainEntity, email, phone: { number: '1' } })
  await changed(id, { email: null, description: 'New', phone: { number: '1' } })
  const submit = () => account.post(`${PATH}/${id}/submit`, {})
  await submit()
  await review(service, account, id, 'requires_action', 'Papers.')
  await submit()
  await review(service, account, id, 'approved')
  await changed(id, { name: 'Bo' })
  await changed(id, { name: 'Bo' })
  const { json } = await account.get(`/v3/event?object_id=${id}`)
  const told = json.data.results.toReversed().map((event: AccountEvent) => {
    const { updated_at: _, approval_history: __, ...altered } = event.previous_attributes
    const { name, description, approval_status, approval_history } = event.data
    return [event.type, name, description, approval_status, approval_history.length, altered]
  })
  const step = (status: string, nth: number, approval_status: string, altered: object = {}) => {
    const before = { approval_status, ...altered }
    return [`entity.approval_${status}`, name, 'New', status, nth, before]
  }
  const last = ['Bo', 'New', 'resubmitted', 6]
  assert.deepEqual(told, [
    ['entity.created', name, '', 'pending', 1, {}],
    ['entity.updated', name, 'New', 'pending', 1, { email, description: '' }],
    step('submitted', 2, 'pending'),
    step('requires_action', 3, 'submitted', { approval_status_description: '' }),
    step('resubmitted', 4, 'requires_action', { approval_status_description: 'Papers.' }),
    step('approved', 5, 'resubmitted'),
    ['entity.updated', ...last, { name, approval_status: 'approved' }],
    ['entity.approval_resubmitted', ...last, { approval_status: 'approved' }],
  ])
})
