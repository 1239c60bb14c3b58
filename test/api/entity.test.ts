// POST /v3/entity, GET and PUT /v3/entity/{id}: what is kept and how it is shown, what a change
// replaces, whose entities there are, and keys. Duplicates, approval and what is refused for its
// fields have files of their own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused, assertShape, rowVersions } from '../support/assert/check.ts'
import { ENTITY, IN_UTC, idOf } from '../support/assert/shapes.ts'
import { fullEntity, plainEntity } from '../support/given/bodies.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/entity'
const NOBODY = 'ent_00000000000000000000'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
})
after(() => service.close())

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

test(`POST ${PATH}, every member: each comes back as it was sent, in the order of the docs`, async () => {
  await newAccount()
  const principal = await created(plainEntity)
  const sent = { ...fullEntity, on_behalf_of: principal.id }
  const entity = await created(sent)
  assertShape(entity, ENTITY)
  assert.deepEqual(Object.keys(entity), Object.keys(ENTITY))
  assert.match(entity.id, idOf('ent'))
  assert.equal(entity.object, 'entity')
  for (const [name, value] of Object.entries(sent)) assert.deepEqual(entity[name], value, name)
})

test(`POST ${PATH}, name and type alone: every member, none set, pending with one step`, async () => {
  await newAccount()
  const { id, created_at, ...entity } = await created(plainEntity)
  assert.match(created_at, IN_UTC)
  assert.deepEqual(entity, {
    object: 'entity',
    ...plainEntity,
    ...EMPTY,
    approval_status: 'pending',
    approval_status_description: '',
    approval_history: [{ status: 'pending', description: '', at: created_at }],
    updated_at: created_at,
  })
})

test(`POST ${PATH}, text with spaces, capitals and what cannot be seen: kept as it was sent`, async () => {
  await newAccount()
  const text = ' Re\u0301ne\u200b  WEIẞ\u3000'
  const sent = {
    type: 'individual',
    name: text,
    email: ' ANNA@Example.com\u200b',
    vertical: text,
    tax_id: text,
    description: '\u200b',
    registration_address: { line1: text, city: text, state: ' ', postal_code: text },
    national_identification_number: { type: text, number: text },
    metadata: { ' key ': text },
  }
  const entity = await created(sent)
  for (const [name, value] of Object.entries(sent)) assert.deepEqual(entity[name], value, name)
})

test(`POST ${PATH}, country codes in any case with space around: upper case, trimmed`, async () => {
  await newAccount()
  const country = '\u00a0hk\t'
  const person = { nationality: country, address: { country } }
  const { registration_address, operating_address, representatives } = await created({
    ...plainEntity,
    registration_address: { country },
    operating_address: { country, city: ' x ' },
    representatives: [person, {}],
  })
  assert.deepEqual(registration_address, { country: 'HK' })
  assert.deepEqual(operating_address, { country: 'HK', city: ' x ' })
  assert.deepEqual(representatives, [{ nationality: 'HK', address: { country: 'HK' } }, {}])
})

test(`POST ${PATH}, ownership percentages: integers and decimal text, exact, 100 in sum`, async () => {
  await newAccount()
  const shares = [0, '33.3333', '33.3333', '33.3334', '0.0000', '000']
  const sent = shares.map(ownership_percentage => ({ ownership_percentage }))
  const { representatives } = await created({ ...plainEntity, representatives: sent })
  const kept = representatives.map((r: { ownership_percentage: string }) => r.ownership_percentage)
  assert.deepEqual(kept, shares.map(String))
  const whole = [{ ownership_percentage: 100 }]
  assert.deepEqual((await created({ ...plainEntity, representatives: whole })).representatives, [
    { ownership_percentage: '100' },
  ])
})

// PUT.

test(`PUT ${PATH}/{id}, each member null in turn: taken away, all else as it was`, async () => {
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

test(`PUT ${PATH}/{id}, every member at once: as if it had been created so`, async () => {
  await newAccount()
  const { id, created_at } = await created({ type: 'business', name: 'X' })
  const { type: _, ...members } = fullEntity
  const entity = await changed(id, { ...members, name: ' New\u200bName ' })
  assert.deepEqual(
    { ...entity, id: '', created_at: '', updated_at: '', approval_history: [] },
    {
      ...(await created({ ...fullEntity, name: ' New\u200bName ', registration_number: 'other' })),
      ...{ id: '', created_at: '', updated_at: '', approval_history: [] },
      registration_number: fullEntity.registration_number,
    },
  )
  assert.equal(entity.created_at, created_at)
})

test(`PUT ${PATH}/{id}, what changes nothing: the entity as it was, no row changes`, async () => {
  await newAccount()
  const { on_behalf_of: _, id, ...before } = await created(fullEntity)
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
  assert.equal(before.updated_at, before.created_at)
})

test(`PUT ${PATH}/{id}, another type: 400 at type, no row changes`, async () => {
  await newAccount()
  const { id } = await created(plainEntity)
  const untouched = await rowVersions(service.database.owner)
  const answer = await account.put(`${PATH}/${id}`, { type: 'business', name: 'New' })
  assertRefused(answer, 400, 'invalid_field', 'type')
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
})

// Whom it belongs to.

test(`${PATH}, on_behalf_of nobody, another account’s or a rejected one: 404 entity_not_found there`, async () => {
  await newAccount()
  const stranger = await service.openAccount()
  const theirs = await created(plainEntity, stranger)
  const gone = await created(plainEntity)
  await review(service, account, gone.id, 'rejected')
  const { id } = await created(plainEntity)
  const untouched = await rowVersions(service.database.owner)
  for (const on_behalf_of of [NOBODY, theirs.id, gone.id]) {
    for (const answer of [
      await account.post(PATH, { ...plainEntity, on_behalf_of }),
      await account.put(`${PATH}/${id}`, { on_behalf_of }),
    ]) {
      assertRefused(answer, 404, 'entity_not_found', 'on_behalf_of')
    }
  }
  assertRefused(
    await account.put(`${PATH}/${id}`, { on_behalf_of: id }),
    400,
    'invalid_field',
    'on_behalf_of',
  )
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
})

// Keys.

test(`POST ${PATH}, a duplicate under an Idempotency-Key: the first entity, again as it was then`, async () => {
  await newAccount()
  const body = { ...plainEntity, email: 'anna@example.com' }
  const first = await created(body)
  const key = { 'idempotency-key': 'two' }
  const duplicate = await account.post(PATH, { ...body, name: 'Bo' }, key)
  assert.equal(duplicate.json.data.id, first.id)
  await changed(first.id, { description: 'later' })
  const again = await account.post(PATH, { ...body, name: 'Bo' }, key)
  assert.equal(again.text, duplicate.text)
  assert.equal(again.headers['idempotent-replayed'], 'true')
})

test(`PUT ${PATH}/{id}, two halves of another’s identity at once: the second gets that one`, async () => {
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

test('review of an entity that has changed since it was seen: refused, as it is now: taken', async () => {
  await newAccount()
  const seen = await created(plainEntity)
  const now = await changed(seen.id, { name: 'Someone else' })
  const { account_id } = account.account
  const reviewed = (updated_at: string) => {
    const result = { status: 'approved', description: '', seen: updated_at } as const
    const change = { kind: 'review', id: seen.id, ...result } as const
    return service.deps.lanes.writeEntity.run({ account_id, claim: null, change })
  }
  await assert.rejects(reviewed(seen.updated_at), { status: 409, message: /has changed/ })
  const { outcome } = await reviewed(now.updated_at)
  assert.equal(outcome?.entity.approval_status, 'approved')
})
