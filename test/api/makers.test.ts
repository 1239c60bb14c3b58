// Who made, changed and cancelled an object: the person or the key that called, as the account and as
// operators see it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listEventsOf } from '../../src/statements/event/store.ts'
import { Team } from '../approval/team.ts'
import { closeVerified } from '../support/assert/books.ts'
import { assertProblems } from '../support/assert/check.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { importInto } from '../support/service/importing.ts'
import {
  addPerson,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

let service: TestService
/** A live account, whose payouts people pay by hand. */
let team: Team
let ada: PersonClient
let bob: PersonClient
let olga: PersonClient
before(async () => {
  service = await startTestService()
  await service.setRates({ 'USD/HKD': '7.8' })
  await service.setFees([{}])
  await service.setRoutes([{}])
  const account = await service.openAccount({
    currencies: ['USD'],
    fund: { USD: 10_000_000n },
    sandbox: false,
  })
  team = new Team(service, account)
  ada = await team.person('ada', 'maker')
  bob = await team.person('bob', 'maker')
  olga = await addPerson(service, { user: 'olga', role: 'operator' })
})
after(() => closeVerified(service))

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
type Json = any

async function made(who: PersonClient | null, url: string, body: object): Promise<Json> {
  const post = who === null ? team.account.post(url, body) : team.ask(who, 'POST', url, body)
  const answer = await post
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data ?? answer.json
}

/** The makers in the events of an object, the oldest first. */
async function makersOf(id: string): Promise<string[]> {
  const { results } = (await team.account.get(`/v3/event?object_id=${id}&limit=100`)).json.data
  const told = results.map(({ type, change }: Json) => `${type.split('.')[1]} ${change.made_by}`)
  return told.reverse()
}

async function timelineOf(id: string): Promise<Json[]> {
  return (await team.account.get(`/v3/payout/${id}/timeline`)).json.data.items
}

const quote = { holding_info: { currency: 'USD' }, payout_info: { currency: 'USD', amount: 100 } }

test('POST of each object, by a key and by a person: made_by names the caller, whatever metadata says', async () => {
  const { account } = team
  const bodies: readonly (readonly [url: string, body: object])[] = [
    ['/v3/payout', { ...localPayout, metadata: { made_by: 'user:bob' } }],
    ['/v3/payout_batch', { payouts: [localPayout], metadata: { made_by: 'user:bob' } }],
    ['/v3/payout/quote', { ...quote, payout_type: 'local' }],
    ['/v3/beneficiary', bankBeneficiary],
    ['/v3/entity', { type: 'individual', name: 'Anna' }],
  ]
  for (const [url, body] of bodies) {
    const by_key = await made(null, url, body)
    assert.equal(by_key.made_by, account.key_id, url)
    const by_person = await made(ada, url, body)
    assert.equal(by_person.made_by, 'user:ada', url)
    const read = await account.get(`${url}/${by_person.id}`)
    assert.equal((read.json.data ?? read.json).made_by, 'user:ada', url)
    if (url !== '/v3/payout_batch') {
      assert.deepEqual(await makersOf(by_person.id), ['created user:ada'], url)
    }
  }
})

test('POST /v3/payout with a member made_by: refused, as any unknown member', async () => {
  const answer = await team.account.post('/v3/payout', { ...localPayout, made_by: 'user:bob' })
  assertProblems(answer, 400, [['invalid_field', 'made_by']])
})

test('POST /v3/payout, inline payee, no quote: both have the maker of the payout', async () => {
  const payout = await made(ada, '/v3/payout', localPayout)
  assert.equal((await team.read(payout.beneficiary)).made_by, 'user:ada')
  assert.equal(
    (await team.account.get(`/v3/payout/quote/${payout.quote}`)).json.made_by,
    'user:ada',
  )
  assert.deepEqual(await makersOf(payout.quote), ['created user:ada'])
})

test('POST /v3/payout/{id}/cancel and PUT, by others than the maker: events and timeline name them', async () => {
  const payout = await made(null, '/v3/payout', localPayout)
  const path = `/v3/payout/${payout.id}`
  const changed = await team.ask(ada, 'PUT', path, { metadata: { team: 'a' } })
  assert.equal(changed.status, 200, changed.text)
  const cancelled = await made(bob, `${path}/cancel`, {})
  assert.equal(cancelled.made_by, team.account.key_id)
  const { key_id } = team.account
  assert.deepEqual(await makersOf(payout.id), [
    `created ${key_id}`,
    'updated user:ada',
    'failed user:bob',
  ])
  const items = await timelineOf(payout.id)
  const told = items.filter(({ made_by }) => made_by).map(item => [item.kind, item.made_by])
  assert.deepEqual(told, [
    ['state', key_id],
    ['update', 'user:ada'],
    ['state', 'user:bob'],
  ])
})

test('PUT, archive and submission of payees and entities: their events name who has changed them', async () => {
  const { id } = await made(null, '/v3/beneficiary', bankBeneficiary)
  await team.ask(ada, 'PUT', `/v3/beneficiary/${id}`, { name: 'New name' })
  await made(bob, `/v3/beneficiary/${id}/archive`, {})
  const by = [`created ${team.account.key_id}`, 'updated user:ada', 'archived user:bob']
  assert.deepEqual(await makersOf(id), by)
  const entity = await made(ada, '/v3/entity', { type: 'individual', name: 'Ben' })
  await team.ask(bob, 'PUT', `/v3/entity/${entity.id}`, { email: 'ben@example.com' })
  await made(ada, `/v3/entity/${entity.id}/submit`, {})
  const { updated_at: seen } = (await team.account.get(`/v3/entity/${entity.id}`)).json.data
  await made(olga, `/v3/operator/entity/${entity.id}/review`, { status: 'approved', seen })
  assert.deepEqual(await makersOf(entity.id), [
    'created user:ada',
    'updated user:bob',
    'approval_submitted user:ada',
    'approval_approved operator',
  ])
})

test('POST /v3/operator/payout/{id}/transition: the account sees operator, operators see the name', async () => {
  const payout = await made(ada, '/v3/payout', localPayout)
  const path = `/v3/operator/payout/${payout.id}`
  await made(olga, `${path}/take`, {})
  await made(olga, `${path}/transition`, { status: 'succeeded', reference: 'B-77' })
  const by_hand = (items: readonly Json[]) => items.flatMap(item => item.by_hand?.operator ?? [])
  const items = await timelineOf(payout.id)
  assert.deepEqual(by_hand(items), ['operator', 'operator'])
  assert.equal(items.findLast(({ kind }) => kind === 'state').made_by, 'operator')
  const events = await team.account.get(`/v3/event?object_id=${payout.id}`)
  assert.doesNotMatch(events.text, /olga/)
  assert.deepEqual(await makersOf(payout.id), [
    'created user:ada',
    'taken operator',
    'succeeded operator',
  ])
  const shown = await team.ask(olga, 'GET', path)
  const { timeline, made_by } = shown.json.data
  assert.equal(made_by, 'user:ada')
  assert.deepEqual(by_hand(timeline), ['olga', 'olga'])
  assert.equal(timeline.findLast(({ kind }: Json) => kind === 'state').made_by, 'operator:olga')
})

test('events as stored, usual creation: no data for the maker, which the row of the object has', async () => {
  const payout = await made(ada, '/v3/payout', localPayout)
  const { owner } = service.database
  const { rows } = await listEventsOf(owner, { account_id: team.id, id: payout.id }, 10)
  assert.deepEqual(
    rows.map(({ data }) => Object.keys(data)),
    [['status', 'by', 'journals']],
  )
  const [stored] = await owner<{ is_usual: boolean }[]>`
    select data is null as is_usual from events
    where account_id = ${team.id} and sequence >= ${String(rows[0]?.sequence)}::text::bigint
    order by sequence limit 1`
  assert.equal(stored?.is_usual, true)
})

test('GET /v3/payout?made_by, by person, key, operator and several: exactly theirs, newest first', async () => {
  for (const user of ['olga', 'otto']) {
    await importInto(service, team.account, user, [{ ...localPayout, reference_id: user }], user)
  }
  const { owner } = service.database
  const all = await owner<{ id: string; made_by: string }[]>`
    select id, made_by from payouts where account_id = ${team.id} order by id desc`
  const { key_id } = team.account
  const asked: readonly (readonly string[])[] = [
    ['user:ada'],
    [key_id],
    ['user:bob'],
    ['operator'],
    ['operator', 'user:ada', key_id],
  ]
  for (const made_by of asked) {
    const query = made_by.map(maker => `&made_by=${maker}`).join('')
    const found = (await allPayouts(query)).map(({ id }) => id)
    const wanted = all.filter(row =>
      made_by.includes(row.made_by.replace(/^operator:.*/, 'operator')),
    )
    assert.deepEqual(
      found,
      wanted.map(({ id }) => id),
      query,
    )
    assert.equal(found.length > 0, query !== '&made_by=user:bob')
  }
})

test('GET /v3/payout?made_by, another form than a maker: refused', async () => {
  for (const wrong of ['ada', 'operator:olga', 'key_', 'user:']) {
    const answer = await team.account.get(`/v3/payout?made_by=${wrong}`)
    assertProblems(answer, 400, [['invalid_query_parameter', 'made_by']])
  }
})

test('GET /v3/maker: the people of the account and its keys by name, none of another account', async () => {
  await service.addKey(team.account, 'write')
  const { makers, truncated } = (await team.account.get('/v3/maker')).json.data
  assert.equal(truncated, false)
  assert.deepEqual(
    makers.map(({ kind, name, active }: Json) => [kind, name, active]),
    [
      ['user', 'ada', true],
      ['user', 'bob', true],
      ['key', 'test', true],
      ['key', 'first key', true],
    ],
  )
  assert.ok(makers.some(({ id }: Json) => id === team.account.key_id))
})

/** All payouts with these filters, two on a page. */
async function allPayouts(query: string): Promise<Json[]> {
  const all: Json[] = []
  for (;;) {
    const after = all.length === 0 ? '' : `&starting_after=${all.at(-1).id}`
    const answer = await team.account.get(`/v3/payout?limit=2${query}${after}`)
    assert.equal(answer.status, 200, answer.text)
    all.push(...answer.json.data.results)
    if (!answer.json.data.has_more) return all
  }
}
