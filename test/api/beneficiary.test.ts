// POST and GET /v3/beneficiary, GET and PUT /v3/beneficiary/{id}: what is kept and how it is shown,
// what is refused and where, what a change replaces and what it leaves alone, and lists.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readList } from '../../src/http/list.ts'
import { findBeneficiaries, listBeneficiaries } from '../../src/parties/beneficiary/store.ts'
import { assertProblems, assertShape, balancesOf, rowVersions } from '../support/assert/check.ts'
import {
  assertBounds,
  assertFilters,
  assertListed,
  assertRefusals,
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
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
})
after(() => service.close())

async function created(body: object, by = account) {
  const answer = await by.post(PATH, body)
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.json), ['status', 'message', 'data'])
  assert.deepEqual([answer.json.status, answer.json.message], ['success', ''])
  return answer.json.data
}

async function changed(id: string, body: object) {
  const answer = await account.put(`${PATH}/${id}`, body)
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
      bank_codes: { bic: 'DEUTDEFF', bank_code: ' as - it was ' },
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
  reference_id: 'VENDOR-7',
  metadata: { team: 'Einkauf' },
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
  reference_id: '',
  metadata: {},
}
type Optional = keyof typeof EMPTY
const OPTIONAL = Object.keys(EMPTY) as Optional[]

const TIMES = ['archived_at', 'made_by', 'created_at', 'updated_at']
const MEMBERS = ['id', 'object', ...Object.keys(BENEFICIARY_DETAILS), ...TIMES]

/** No more than every beneficiary has. */
const { address: _, ...least } = bankBeneficiary

const bankWith = (bank: object) => ({ destination_details: { type: 'bank', bank } })
const { bank } = full.destination_details
/** The IBAN of `full` as people write it. */
const printed = bankWith({ ...bank, iban: 'de89 3704 0044 0532 0130 00' })

test(`POST ${PATH}, every member: returned as sent, in documented order, codes in standard form; GET: the same bytes`, async () => {
  const answer = await account.post(PATH, { ...full, ...printed })
  assert.equal(answer.status, 200, answer.text)
  const { id, object, archived_at, made_by, created_at, updated_at, ...details } = answer.json.data
  assertShape(details, BENEFICIARY_DETAILS)
  assert.match(id, idOf('bnf'))
  assert.match(details.destination, idOf('dst'))
  assert.match(created_at, IN_UTC)
  assert.match(made_by, idOf('key'))
  assert.deepEqual([object, archived_at, updated_at], ['beneficiary', null, created_at])
  for (const [name, value] of Object.entries(full)) assert.deepEqual(details[name], value, name)
  const read = await account.get(`${PATH}/${id}`)
  assert.deepEqual([read.status, read.text], [200, answer.text])
})

test(`POST ${PATH}, required members only: other members null, status active; a payout copies these details`, async () => {
  const beneficiary = await created(least)
  assert.deepEqual(Object.keys(beneficiary), MEMBERS)
  const { id, destination, made_by, created_at, updated_at, ...rest } = beneficiary
  const own = { object: 'beneficiary', status: 'active', archived_at: null }
  assert.deepEqual(rest, { ...least, ...EMPTY, ...own })
  const payout = await paid(localPayout)
  const inline = (await account.get(`${PATH}/${payout.beneficiary}`)).json.data
  assert.deepEqual(Object.keys(inline), MEMBERS)
  const { beneficiary: its, created_at: at } = payout
  const times = { archived_at: null, created_at: at, updated_at: at }
  const made = { id: its, object: 'beneficiary', made_by, ...times }
  assert.deepEqual(inline, { ...payout.beneficiary_details, ...made })
})

// Refusals.

const NULL = Object.fromEntries([...OPTIONAL, 'name', 'type'].map(name => [name, null]))
const BAD: readonly (readonly [members: object, ...at: string[]])[] = [
  [
    { destination_details: { type: 'wallet', bank: { account_number: '1' } } },
    'invalid_field destination_details.wallet',
    'type_mismatch destination_details.bank',
  ],
  [
    { id: NOBODY, name: '', email: 'x', ...bankWith({ iban: 'DE00000' }) },
    ...['id', 'name', 'email', 'destination_details.bank.iban'].map(at => `invalid_field ${at}`),
  ],
]

test(`POST and PUT ${PATH}, wrong, missing, null or mistyped members: 400 that names each, no row changes`, async () => {
  const { id } = await created(full)
  const untouched = await rowVersions(service.database.owner)
  for (const [members, ...at] of BAD) {
    const problems = at.map(problem => problem.split(' ') as [string, string])
    assertProblems(await account.post(PATH, { ...bankBeneficiary, ...members }), 400, problems)
    assertProblems(await account.put(`${PATH}/${id}`, members), 400, problems)
  }
  const fieldsOf = (...names: string[]) => names.map(name => ['invalid_field', name] as const)
  assertProblems(await account.post(PATH, {}), 400, [
    ...fieldsOf('name', 'type', 'destination_details'),
  ])
  const nothing = await account.post(PATH, { ...bankBeneficiary, ...NULL })
  assertProblems(nothing, 400, fieldsOf(...Object.keys(NULL)))
  const other = await account.put(`${PATH}/${id}`, { type: 'individual', name: 'New' })
  assertProblems(other, 400, fieldsOf('type'))
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
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
  reference_id: '7',
  metadata: { a: '7' },
}

test(`PUT ${PATH}/{id}, each member: replaced whole, then removed by null, other members unchanged`, async () => {
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

test(`PUT ${PATH}/{id}, every member at once: equals a new beneficiary; new destination: new id, old one in the event`, async () => {
  const before = await created({ ...bankBeneficiary, name: 'X' })
  const moved = await changed(before.id, { ...full, ...printed })
  const { id, created_at, updated_at, destination } = moved
  const twin = await created(full)
  assert.deepEqual(moved, { ...twin, id, created_at, updated_at, destination })
  assert.deepEqual(Object.keys(moved), MEMBERS)
  assert.deepEqual([id, created_at], [before.id, before.created_at])
  const { destination_details } = bankBeneficiary
  const back = await changed(id, { destination_details, email: null, tax_id: full.tax_id })
  assert.equal(new Set([before, moved, back].map(b => b.destination)).size, 3)
  const [event] = (await list(account, '/v3/event', { object_id: id })).results
  assert.deepEqual([event?.type, event?.data], ['beneficiary.updated', back])
  const was = { destination_details: full.destination_details, email: full.email }
  assert.deepEqual(event?.previous_attributes, { destination, ...was, updated_at })
})

test(`PUT ${PATH}/{id}, equal values: beneficiary unchanged, no row changes`, async () => {
  const [{ id }, bare] = [await created(full), await created(least)]
  const turned = Object.fromEntries(Object.entries(full.address).toReversed())
  const untouched = await rowVersions(service.database.owner)
  const same: readonly (readonly [string, object])[] = [
    [id, {}],
    [id, full],
    [id, { type: 'business' }],
    [id, { address: turned }],
    [id, printed],
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

test(`PUT ${PATH}/{id}, stored destination that today's checks refuse: kept until it is replaced`, async () => {
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

test(`PUT ${PATH}/{id}, twenty members in parallel requests: every change kept`, async () => {
  const { id } = await created(bankBeneficiary)
  const { type, ...members } = full
  await Promise.all(Object.entries(members).map(([name, value]) => changed(id, { [name]: value })))
  const { json } = await account.get(`${PATH}/${id}`)
  for (const [name, value] of Object.entries(full)) assert.deepEqual(json.data[name], value, name)
})

// Payouts.

test(`PUT ${PATH}/{id}, after a payout: that payout unchanged, the next payout has the new details`, async () => {
  const bank = { account_number: '987654321', country: 'HK', bank_codes: { bank_code: '004' } }
  const { id } = await created({ ...full, destination_details: { type: 'bank', bank } })
  const before = await paid(payoutTo(id))
  const { destination_details } = bankBeneficiary
  const now = await changed(id, { name: 'New name', destination_details, email: null })
  const read = await account.get(`/v3/payout/${before.id}`)
  assert.deepEqual(read.json.data, before)
  assert.equal(before.beneficiary_details.name, full.name)
  const next = await paid(payoutTo(id))
  const { object, archived_at, made_by: _by, created_at, updated_at, id: _, ...details } = now
  assert.equal(next.beneficiary, id)
  assert.deepEqual(next.beneficiary_details, details)
})

test('POST /v3/payout to an account, beneficiary changed while the request waits: the payout has the new values', async () => {
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

// Lists.

const deposit_address = '0x52908400098527886E0F7030069857D2E4169EE7'
const toWallet = { type: 'wallet', wallet: { deposit_address, type: 'ethereum' } }

test(`GET ${PATH}, pages and filters: newest first, each item equals its GET by id; wrong parameters: 400 that names each`, async () => {
  const own = await service.openAccount()
  const made: { id: string }[] = []
  for (const name of 'abcdef') {
    const type = 'ad'.includes(name) ? 'individual' : 'business'
    const to = 'bd'.includes(name) ? { destination_details: toWallet } : {}
    made.unshift(await created({ ...bankBeneficiary, name, type, ...to }, own))
  }
  const { destination_details } = bankBeneficiary
  await own.put(`${PATH}/${made[2]?.id}`, { destination_details })
  const mine = { reference_id: 'VENDOR-7', metadata: { team: 'Einkauf', floor: '2' } }
  await own.put(`${PATH}/${made[0]?.id}`, mine)
  await own.put(`${PATH}/${made[4]?.id}`, { metadata: { team: 'Einkauf' } })
  const all = await getAll(own, PATH, idsOf(made))
  await assertListed(own, PATH, all)
  await assertBounds(own, PATH, all)
  const to = (type: string) => (item: Item) => item.destination_details.type === type
  await assertFilters(own, PATH, all, [
    [{ type: 'individual' }, item => item.type === 'individual'],
    [{ destination_type: 'wallet' }, to('wallet')],
    [{ destination_type: 'bank' }, to('bank')],
    [{ destination_type: 'wallet', type: 'individual' }, () => false],
    [{ reference_id: 'VENDOR-7' }, item => item.reference_id === 'VENDOR-7'],
    [{ reference_id: 'VENDOR' }, () => false],
  ])
  const pairs = { 'metadata[team]': 'Einkauf' }
  assert.deepEqual((await list(own, PATH, pairs)).ids, [made[0]?.id, made[4]?.id])
  const both = { ...pairs, 'metadata[floor]': '2' }
  assert.deepEqual((await list(own, PATH, both)).ids, [made[0]?.id])
  const wrong = { type: ['person'], destination_type: ['cash'] }
  await assertRefusals(own, PATH, 'bnf', wrong, (await created(least)).id)
})

test('GET many beneficiaries or one by id, statement planned for an empty table: reads only the rows shown', async () => {
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
      insert into beneficiaries (made_by, account_id, id, details, created_at, updated_at, archived_at)
      select 'key_1', case when i % 3 = 0 then 'acc_b' else 'acc_a' end, ${madeAtSql(owner, 'bnf')},
        json_build_object('type', case when i % 20 = 2 then 'individual' else 'business' end,
          'destination_details', json_build_object(
            'type', case when i % 40 = 2 then 'wallet' else 'bank' end)),
        timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second', now(),
        case when i % 10 = 4 then now() end
      from generate_series(1, 5000) i`,
    one: { read: tx => findBeneficiaries(tx, [key]), when: 'always' },
  })
})
