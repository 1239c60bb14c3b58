// Submitting entities: with the members of an update, a business never without what names it, and
// an entity that is not there is not found whatever its id is made of.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertProblems, assertRefused, rowVersions } from '../support/assert/check.ts'
import { localPayout, plainEntity } from '../support/given/bodies.ts'
import { review } from '../support/service/review.ts'
import { startTestService } from '../support/service/service.ts'

const service = await startTestService()
const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
after(() => service.close())

const business = { name: 'Harbour Trading Ltd', type: 'business' }
const NUMBER = 'registration_number'
const COUNTRY = 'registration_address.country'

async function made(body: object): Promise<string> {
  const { status, json, text } = await account.post('/v3/entity', body)
  assert.equal(status, 200, text)
  return json.data.id
}

const INCOMPLETE: readonly (readonly [
  what: string,
  stored: object,
  sent: object,
  missing: string[],
])[] = [
  ['nothing', business, {}, [NUMBER, COUNTRY]],
  ['blanks', { ...business, registration_number: ' \u200b' }, {}, [NUMBER, COUNTRY]],
  ['a number in the request only', business, { registration_number: '2' }, [COUNTRY]],
  [
    'a number that the request removes',
    { ...business, registration_number: '3', registration_address: { country: 'HK' } },
    { registration_number: null },
    [NUMBER],
  ],
]

for (const [what, stored, sent, missing] of INCOMPLETE) {
  test(`POST /v3/entity/{id}/submit, business with ${what}: 400 naming the missing members, no row changes`, async () => {
    const id = await made(stored)
    const before = await rowVersions(service.database.owner)
    const answer = await account.post(`/v3/entity/${id}/submit`, sent)
    assertProblems(
      answer,
      400,
      missing.map(path => ['invalid_field', path]),
    )
    assert.deepEqual(await rowVersions(service.database.owner), before)
  })
}

test('POST /v3/entity/{id}/submit with members to update: updated and submitted in one step', async () => {
  const id = await made(business)
  const update = { registration_number: '2041-7', registration_address: { country: 'hk' } }
  const { status, json, text } = await account.post(`/v3/entity/${id}/submit`, update)
  assert.equal(status, 200, text)
  assert.equal(json.data.approval_status, 'submitted')
  assert.equal(json.data.registration_number, '2041-7')
  assert.deepEqual(json.data.registration_address, { country: 'HK' })
  assert.deepEqual(json.data, (await account.get(`/v3/entity/${id}`)).json.data)
  const events = await account.get(`/v3/event?object_id=${id}`)
  const types = events.json.data.results.map((event: { type: string }) => event.type)
  assert.deepEqual(types, ['entity.approval_submitted', 'entity.updated', 'entity.created'])
})

test('POST /v3/entity/{id}/submit, update makes it a duplicate: the first entity, no row changes', async () => {
  const registered = { registration_number: '77', registration_address: { country: 'HK' } }
  const first = await made({ ...business, ...registered })
  const second = await made(business)
  const versions = async () => {
    const { entity_duplicates: _, ...others } = await rowVersions(service.database.owner)
    return others
  }
  const before = await versions()
  const answer = await account.post(`/v3/entity/${second}/submit`, registered)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.json.data.id, first)
  assert.equal(answer.headers['duplicate-of'], `${first}; rule=registration_number`)
  assert.deepEqual(await versions(), before)
})

test('PUT /v3/entity/{id}, registration number of a business in review removed: 400, no row changes', async () => {
  const registered = { registration_number: '88', registration_address: { country: 'HK' } }
  const id = await made({ ...business, ...registered })
  assert.equal((await account.post(`/v3/entity/${id}/submit`, {})).status, 200)
  const untouched = await rowVersions(service.database.owner)
  const answer = await account.put(`/v3/entity/${id}`, { registration_number: null })
  assertRefused(answer, 400, 'invalid_field', NUMBER)
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
  // Approved, the change would hand it in again.
  assert.equal((await review(service, account, id, 'approved')).status, 200)
  const again = await account.put(`/v3/entity/${id}`, { registration_address: null })
  assertRefused(again, 400, 'invalid_field', COUNTRY)
})

test('PostgreSQL, business in review without registration: refused', async () => {
  const id = await made(business)
  const update = service.database.owner.begin(async tx => {
    await tx`set local corridor.maintenance = 'on'`
    await tx`update entities set approval_status = 'submitted' where id = ${id}`
  })
  await assert.rejects(update, /business_in_review_is_registered/)
})

test('quote, payout and entity routes, unknown ent_ id of 24 characters: 404; another length or prefix: 400; no row changes', async () => {
  const before = await rowVersions(service.database.owner)
  const quoteFor = (entity_id: string) => {
    const quote = { payout_info: { currency: 'USD', amount: 100 }, entity_id }
    return account.post('/v3/payout/quote', quote)
  }
  for (const id of ['ent_0000000000000000000u', "ent_' or 1=1 --........."]) {
    assertRefused(await quoteFor(id), 404, 'entity_not_found', 'entity_id')
    for (const [path, body] of [
      ['/v3/payout', localPayout],
      ['/v3/entity', plainEntity],
    ] as const) {
      const answer = await account.post(path, { ...body, on_behalf_of: id })
      assertRefused(answer, 404, 'entity_not_found', 'on_behalf_of')
    }
  }
  for (const id of ['ent_0000000000000000000', `ent_${'0'.repeat(21)}`, `pot_${'0'.repeat(20)}`]) {
    assertRefused(await quoteFor(id), 400, 'invalid_field', 'entity_id')
  }
  assert.deepEqual(await rowVersions(service.database.owner), before)
})
