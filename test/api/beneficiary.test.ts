// POST and GET /v3/beneficiary, GET and PUT /v3/beneficiary/{id}: what is kept and how it is shown,
// what is refused and where, what a change replaces and what it leaves alone, lists, keys and events.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findBeneficiaries, listBeneficiaries } from '../../src/beneficiary/store.ts'
import { readList } from '../../src/http/list.ts'
import {
  assertProblems,
  assertRefused,
  assertShape,
  balancesOf,
  rowVersions,
} from '../support/assert/check.ts'
import {
  assertBounds,
  assertFilters,
  assertListed,
  getAll,
  type Item,
  idsOf,
  list,
} from '../support/assert/listing.ts'
import { assertPageCost, crossed, madeAt, madeAtSql } from '../support/assert/page-cost.ts'
import { BENEFICIARY_DETAILS, IN_UTC, idOf } from '../support/assert/shapes.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { bankBeneficiary, internalPayout, localPayout } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/beneficiary'
const NOBODY = 'bnf_00000000000000000000'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
})
after(() => service.close())

interface Told {
  readonly sequence: number
  readonly type: string
  readonly data: object
  readonly previous_attributes: object
}

/** So that no test sees another's beneficiaries. */
async function newAccount(): Promise<void> {
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
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

async function paid(body: object) {
  const answer = await account.post('/v3/payout', body)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

function payoutTo(beneficiary: string) {
  const { beneficiary_details: _, ...payout } = localPayout
  return { ...payout, beneficiary }
}

/** Every member there is, each code as its standard writes it. */
const full = {
  type: 'business',
  name: ' Harbour\u200b Trading ',
  destination_details: {
    type: 'bank',
    bank: {
      iban: 'DE89370400440532013000',
      bank_name: 'Musterbank',
      country: 'DE',
      currency: 'USD',
      bank_codes: { bic: 'DEUTDEFF', own: ' as - it was ' },
    },
  },
  name_local: '港口贸易',
  email: 'accounts@harbour.example',
  phone: { code: '+852', number: '2345 6789' },
  address: {
    line1: '1 Queen’s Road',
    line2: 'Floor 12',
    city: 'Hong Kong',
    state: 'Central',
    country: 'HK',
    postal_code: '999077',
  },
  date_of_birth: '1980-02-29',
  national_identification_number: 'K1',
  party_classification: 'supplier',
  registration_number: '2041-7',
  tax_id: 'T-1',
  documents: [{ type: 'certificate', file_name: 'cr.pdf', url: 'https://files.example/cr.pdf' }],
}

/** What says "not set", by member. */
const EMPTY = {
  name_local: '',
  email: '',
  phone: {},
  address: {},
  date_of_birth: '',
  national_identification_number: '',
  party_classification: '',
  registration_number: '',
  tax_id: '',
  documents: [],
}
type Optional = keyof typeof EMPTY
const OPTIONAL = Object.keys(EMPTY) as Optional[]

const TIMES = ['archived_at', 'created_at', 'updated_at']
const MEMBERS = ['id', 'object', ...Object.keys(BENEFICIARY_DETAILS), ...TIMES]

test(`POST ${PATH}, every member: each comes back as it was sent, in the order of the docs`, async () => {
  await newAccount()
  const { id, object, archived_at, created_at, updated_at, ...details } = await created(full)
  assertShape(details, BENEFICIARY_DETAILS)
  assert.match(id, idOf('bnf'))
  assert.match(details.destination, idOf('dst'))
  assert.equal(object, 'beneficiary')
  assert.match(created_at, IN_UTC)
  assert.equal(archived_at, null)
  assert.equal(updated_at, created_at)
  for (const [name, value] of Object.entries(full)) assert.deepEqual(details[name], value, name)
})

/** No more than every beneficiary has. */
const { address: _, ...least } = bankBeneficiary

test(`POST ${PATH}, what must be sent alone: every member, the others not set, active`, async () => {
  await newAccount()
  const beneficiary = await created(least)
  assert.deepEqual(Object.keys(beneficiary), MEMBERS)
  const { id, destination, created_at, updated_at, ...rest } = beneficiary
  const expected = {
    ...least,
    ...EMPTY,
    object: 'beneficiary',
    status: 'active',
    archived_at: null,
  }
  assert.deepEqual(rest, expected)
})

const DESTINATIONS = {
  bank: [
    { bank: { iban: 'de89 3704 0044 0532 0130 00' } },
    { bank: { iban: 'DE89370400440532013000' } },
  ],
  wallet: [
    {
      wallet: { deposit_address: ' 0x52908400098527886E0F7030069857D2E4169EE7 ', type: 'ethereum' },
    },
    { wallet: { deposit_address: '0x52908400098527886E0F7030069857D2E4169EE7', type: 'ethereum' } },
  ],
} as const

for (const [type, [sent, kept]] of Object.entries(DESTINATIONS)) {
  test(`POST and PUT ${PATH}, a destination of type ${type}: kept as its standard writes it`, async () => {
    await newAccount()
    const destination_details = { type, ...kept }
    const body = { ...bankBeneficiary, destination_details: { type, ...sent } }
    const one = await created(body)
    assert.deepEqual(one.destination_details, destination_details)
    const { id } = await created(bankBeneficiary)
    const other = await changed(id, { destination_details: body.destination_details })
    assert.deepEqual(other.destination_details, destination_details)
    const read = await account.get(`${PATH}/${id}`)
    assert.deepEqual(read.json.data, other)
  })
}

test(`GET ${PATH}/{id}: byte for byte what its creation answered, also one made by a payout`, async () => {
  await newAccount()
  const answer = await account.post(PATH, full)
  const read = await account.get(`${PATH}/${answer.json.data.id}`)
  assert.deepEqual([read.status, read.text], [200, answer.text])
  const { beneficiary, beneficiary_details, created_at } = await paid(localPayout)
  const inline = await account.get(`${PATH}/${beneficiary}`)
  const { id, object, archived_at, created_at: at, updated_at, ...details } = inline.json.data
  assert.deepEqual(Object.keys(inline.json.data), MEMBERS)
  assert.deepEqual(
    [id, object, archived_at, at, updated_at],
    [beneficiary, 'beneficiary', null, created_at, created_at],
  )
  assert.deepEqual(details, beneficiary_details)
})

// Refusals.

const bankWith = (bank: object) => ({ destination_details: { type: 'bank', bank } })
const BAD: readonly (readonly [members: object, ...at: string[]])[] = [
  [{ id: NOBODY, status: 'x' }, 'invalid_field id', 'invalid_field status'],
  [
    { destination_details: { type: 'wallet', bank: { account_number: '1' } } },
    'invalid_field destination_details.wallet',
    'type_mismatch destination_details.bank',
  ],
  [
    { name: '', email: 'x', destination_details: { type: 'bank', bank: { iban: 'DE00000' } } },
    ...['invalid_field name', 'invalid_field email', 'invalid_field destination_details.bank.iban'],
  ],
]

test(`POST and PUT ${PATH}, wrong members: 400 at each, no row changes`, async () => {
  await newAccount()
  const { id } = await created(full)
  const untouched = await rowVersions(service.database.owner)
  for (const [members, ...at] of BAD) {
    const problems = at.map(problem => problem.split(' ') as [string, string])
    assertProblems(await account.post(PATH, { ...bankBeneficiary, ...members }), 400, problems)
    assertProblems(await account.put(`${PATH}/${id}`, members), 400, problems)
  }
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
})

test(`POST ${PATH}, nothing of what must be sent, and null: 400 at each`, async () => {
  await newAccount()
  const must = ['name', 'type', 'destination_details']
  const problems = must.map(name => ['invalid_field', name] as const)
  assertProblems(await account.post(PATH, {}), 400, problems)
  const email = { email: 'x', ...Object.fromEntries(must.map(name => [name, null])) }
  assertProblems(await account.post(PATH, email), 400, [...problems, ['invalid_field', 'email']])
  for (const name of OPTIONAL) {
    const answer = await account.post(PATH, { ...bankBeneficiary, [name]: null })
    assertProblems(answer, 400, [['invalid_field', name]])
  }
})

// PUT.

const OTHER: { readonly [Member in Optional]: unknown } = {
  name_local: 'x',
  email: 'b@example.com',
  phone: { number: '7' },
  address: { city: 'Macau' },
  date_of_birth: '2000-02-29',
  national_identification_number: '7',
  party_classification: '7',
  registration_number: '7',
  tax_id: '7',
  documents: [{ type: 'x' }, {}],
}

test(`PUT ${PATH}/{id}, each member in turn: replaced whole, then taken away by null, all else as it was`, async () => {
  await newAccount()
  let before = await created(full)
  for (const member of OPTIONAL) {
    const value = OTHER[member]
    const replaced = await changed(before.id, { [member]: value })
    const { updated_at } = replaced
    assert.deepEqual(replaced, { ...before, [member]: value, updated_at })
    assert.ok(updated_at > before.updated_at)
    const cleared = await changed(before.id, { [member]: null })
    const then = cleared.updated_at
    assert.deepEqual(cleared, { ...before, [member]: EMPTY[member], updated_at: then })
    before = cleared
  }
  assert.deepEqual((await account.get(`${PATH}/${before.id}`)).json.data, before)
})

test(`PUT ${PATH}/{id}, every member at once: as if it had been created so, in the same order`, async () => {
  await newAccount()
  const before = await created({ ...bankBeneficiary, name: 'X' })
  const answer = await account.put(`${PATH}/${before.id}`, full)
  const { id, created_at, updated_at, destination } = answer.json.data
  const twin = await created(full)
  assert.deepEqual(answer.json.data, { ...twin, id, created_at, updated_at, destination })
  assert.deepEqual(Object.keys(answer.json.data), MEMBERS)
  assert.deepEqual([id, created_at], [before.id, before.created_at])
})

test(`PUT ${PATH}/{id}, another destination: a new id of it, another name: the same one`, async () => {
  await newAccount()
  const before = await created(full)
  const { bank } = full.destination_details
  const renamed = await changed(before.id, { name: 'New' })
  assert.deepEqual([renamed.name, renamed.destination], ['New', before.destination])
  const moved = await changed(before.id, {
    destination_details: { type: 'bank', bank: { ...bank, bank_name: 'Other' } },
  })
  assert.match(moved.destination, idOf('dst'))
  assert.notEqual(moved.destination, before.destination)
  const back = await changed(before.id, { destination_details: full.destination_details })
  assert.equal(new Set([before, moved, back].map(b => b.destination)).size, 3)
  assert.deepEqual(back.destination_details, before.destination_details)
})

test(`PUT ${PATH}/{id}, what changes nothing: the beneficiary as it was, no row changes`, async () => {
  await newAccount()
  const [{ id }, bare] = [await created(full), await created(least)]
  const { bank } = full.destination_details
  const turned = Object.fromEntries(Object.entries(full.address).toReversed())
  const untouched = await rowVersions(service.database.owner)
  const same: readonly (readonly [string, object])[] = [
    [id, {}],
    [id, full],
    [id, { type: 'business' }],
    [id, { address: turned }],
    [id, bankWith({ ...bank, iban: 'de89 3704 0044 0532 0130 00' })],
    [bare.id, Object.fromEntries(OPTIONAL.map(name => [name, null]))],
    [bare.id, EMPTY],
  ]
  for (const [of, body] of same) {
    const answer = await account.put(`${PATH}/${of}`, body)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.text, (await account.get(`${PATH}/${of}`)).text)
    assert.deepEqual(await rowVersions(service.database.owner), untouched, JSON.stringify(body))
  }
})

test(`PUT ${PATH}/{id}, a destination kept before its codes were checked: stays until it is replaced`, async () => {
  await newAccount()
  const { id, destination } = await created(full)
  const old = { type: 'bank', bank: { iban: 'de89 3704', country: 'DE' } }
  await service.database.owner`
    update beneficiaries
    set details = (details::jsonb || ${JSON.stringify({ destination_details: old })}::text::jsonb)::json
    where id = ${id}`
  const renamed = await changed(id, { name: 'New', email: null })
  assert.deepEqual([renamed.destination, renamed.destination_details], [destination, old])
  const again = await account.put(`${PATH}/${id}`, { destination_details: old })
  assertProblems(again, 400, [['invalid_field', 'destination_details.bank.iban']])
})

test(`PUT ${PATH}/{id}, another type: 400 at type, no row changes`, async () => {
  await newAccount()
  const { id } = await created(full)
  const untouched = await rowVersions(service.database.owner)
  const answer = await account.put(`${PATH}/${id}`, { type: 'individual', name: 'New' })
  assertProblems(answer, 400, [['invalid_field', 'type']])
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
})

test(`PUT ${PATH}/{id}, twenty members at the same moment: each change is there`, async () => {
  await newAccount()
  const { id } = await created(bankBeneficiary)
  const { type, ...members } = full
  await Promise.all(Object.entries(members).map(([name, value]) => changed(id, { [name]: value })))
  const { json } = await account.get(`${PATH}/${id}`)
  for (const [name, value] of Object.entries(full)) assert.deepEqual(json.data[name], value, name)
})

// Payouts.

test(`PUT ${PATH}/{id}, after a payout: the payout as it was, the next one with the new details`, async () => {
  await newAccount()
  const { id } = await created(full)
  const before = await paid(payoutTo(id))
  const { destination_details } = bankBeneficiary
  const now = await changed(id, { name: 'New name', destination_details, email: null })
  const read = await account.get(`/v3/payout/${before.id}`)
  assert.deepEqual(read.json.data, before)
  assert.equal(before.beneficiary_details.name, full.name)
  const next = await paid(payoutTo(id))
  const { object, archived_at, created_at, updated_at, id: _, ...details } = now
  assert.equal(next.beneficiary, id)
  assert.deepEqual(next.beneficiary_details, details)
})

test(`POST /v3/payout, a beneficiary that has another kind of destination now: 400 type_mismatch`, async () => {
  await newAccount()
  const { id } = await created(full)
  const [wallet] = DESTINATIONS.wallet
  await changed(id, { destination_details: { type: 'wallet', ...wallet } })
  const answer = await account.post('/v3/payout', payoutTo(id))
  assertRefused(answer, 400, 'type_mismatch', 'beneficiary')
})

test('POST /v3/payout to an account, another name and deposit address while the payout waits: it has the new ones', async () => {
  await newAccount()
  const [one, two] = [await service.openAccount(), await service.openAccount()]
  const { beneficiary_details, ...payout } = internalPayout(one.account.deposit_address)
  const { id } = await created(beneficiary_details)
  const { deposit_address } = two.account
  const now = {
    name: 'New',
    destination_details: { type: 'service_account', service_account: { deposit_address } },
  }
  // As a change by another process that has the lock first.
  const { paying } = await service.database.owner.begin(async tx => {
    const { account_id } = account.account
    await tx`select from books where account_id = ${account_id} for update`
    const asked = paid({ ...payout, beneficiary: id })
    await untilBlocked(service.database.owner)
    await tx`
      update beneficiaries
      set details = (details::jsonb || ${JSON.stringify(now)}::text::jsonb)::json
      where id = ${id}`
    return { paying: asked }
  })
  const { name, destination_details } = (await paying).beneficiary_details
  assert.deepEqual({ name, destination_details }, now)
  const got = await Promise.all([one, two].map(async who => (await balancesOf(who)).USD))
  assert.deepEqual(got, ['0', '10000'])
})

// Events and the database.

test(`${PATH}, events: created, then updated with what was there before, numbered without gaps`, async () => {
  await newAccount()
  const before = await created(full)
  const { destination_details } = bankBeneficiary
  await changed(before.id, { destination_details, email: null, tax_id: full.tax_id })
  await changed(before.id, { email: null })
  const now = (await account.get(`${PATH}/${before.id}`)).json.data
  const told = (await account.get(`/v3/event?object_id=${before.id}`)).json.data.results
  const { destination, email, updated_at } = before
  const previous = { destination, destination_details: before.destination_details, email }
  const from = told.at(-1).sequence
  assert.deepEqual(
    told.map(({ sequence, type, data, previous_attributes }: Told) => {
      return { sequence, type, data, previous_attributes }
    }),
    [
      {
        sequence: from + 1,
        type: 'beneficiary.updated',
        data: now,
        previous_attributes: { ...previous, updated_at },
      },
      { sequence: from, type: 'beneficiary.created', data: before, previous_attributes: {} },
    ],
  )
  const [book] = await service.database.owner`
    select event_count::integer as count from books where account_id = ${account.account.account_id}`
  assert.equal(book?.count, from + 1)
})

test('beneficiaries, the service’s role: cannot change what is fixed, delete or truncate', async () => {
  await newAccount()
  const { id } = await created(full)
  const { sql } = service.deps
  const refused = { code: '42501' }
  for (const column of ['account_id', 'id', 'created_at']) {
    const attempt = sql`update beneficiaries set ${sql(column)} = ${sql(column)} where id = ${id}`
    await assert.rejects(attempt, refused, column)
  }
  await assert.rejects(sql`delete from beneficiaries where id = ${id}`, refused)
  await assert.rejects(sql`truncate beneficiaries`, refused)
})

// Lists.

test(`GET ${PATH}, pages both ways and by filters: newest first, each as its own GET shows it`, async () => {
  await newAccount()
  const [wallet] = DESTINATIONS.wallet
  const made: { id: string }[] = []
  for (const name of 'abcdef') {
    const type = 'ad'.includes(name) ? 'individual' : 'business'
    const to = 'bd'.includes(name) ? { destination_details: { type: 'wallet', ...wallet } } : {}
    made.unshift(await created({ ...bankBeneficiary, name, type, ...to }))
  }
  await changed(made[2]?.id ?? '', { destination_details: bankBeneficiary.destination_details })
  const all = await getAll(account, PATH, idsOf(made))
  await assertListed(account, PATH, all)
  await assertBounds(account, PATH, all)
  const to = (type: string) => (item: Item) => item.destination_details.type === type
  await assertFilters(account, PATH, all, [
    [{ type: 'individual' }, item => item.type === 'individual'],
    [{ destination_type: 'wallet' }, to('wallet')],
    [{ destination_type: 'bank' }, to('bank')],
    [{ destination_type: 'wallet', type: 'individual' }, () => false],
  ])
  assert.deepEqual((await list(await service.openAccount(), PATH)).ids, [])
})

test(`GET ${PATH}, what is no parameter, no value or no beneficiary: 400 at each`, async () => {
  await newAccount()
  const bad = '?limit=0&type=person&destination_type=cash&nickname=x&starting_after=x'
  assertProblems(
    await account.get(`${PATH}${bad}`),
    400,
    ['limit', 'type', 'destination_type', 'nickname', 'starting_after'].map(name => [
      'invalid_query_parameter',
      name,
    ]),
  )
  const nobody = await account.get(`${PATH}?ending_before=${NOBODY}`)
  assertProblems(nobody, 400, [['invalid_query_parameter', 'ending_before']])
})

test('a page of many beneficiaries, and one by id, planned while there were none: fetches no more', async () => {
  const cursor = madeAt('bnf', 2500)
  const key = { account_id: 'acc_a', id: madeAt('bnf', 1) }
  await assertPageCost({
    table: 'beneficiaries',
    queries: crossed(
      [{}, { type: 'individual' }, { destination_type: 'wallet' }, { archived: 'true' }],
      [{}, { starting_after: cursor }, { ending_before: cursor }],
    ),
    page: (tx, query) => listBeneficiaries(tx, 'acc_a', readList({ ...query, limit: '5' })),
    // Of each kind a page is read, after its kinds have been: of four.
    besides: () => 4 * 7,
    fill: owner => owner`
      insert into beneficiaries (account_id, id, details, created_at, updated_at, archived_at)
      select case when i % 3 = 0 then 'acc_b' else 'acc_a' end, ${madeAtSql(owner, 'bnf')},
        json_build_object('type', case when i % 20 = 2 then 'individual' else 'business' end,
          'destination_details', json_build_object(
            'type', case when i % 40 = 2 then 'wallet' else 'bank' end)),
        timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second', now(),
        case when i % 10 = 4 then now() end
      from generate_series(1, 5000) i`,
    one: { read: tx => findBeneficiaries(tx, [key]), when: 'always' },
  })
})

test(`POST ${PATH}, one Idempotency-Key twice and at once: one beneficiary, the first answer again`, async () => {
  await newAccount()
  const key = { 'idempotency-key': 'one' }
  const [first, twin] = await Promise.all([
    account.post(PATH, full, key),
    account.post(PATH, full, key),
  ])
  assert.deepEqual([first?.status, twin?.text], [200, first?.text])
  await changed(first?.json.data.id, { name: 'New' })
  const untouched = await rowVersions(service.database.owner)
  const again = await account.post(PATH, full, key)
  assert.deepEqual([again.status, again.text], [200, first?.text])
  assert.equal(again.headers['idempotent-replayed'], 'true')
  const other = await account.post(PATH, bankBeneficiary, key)
  assertRefused(other, 422, 'idempotency_key_reused')
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
})
