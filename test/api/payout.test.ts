// POST /v3/payout without a quote and GET /v3/payout/{id}: the resource, its conversions, whom it
// pays, and the refusals in their order. Quotes, balances and settlement have files of their own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  assertProblems,
  assertRefused,
  assertShape,
  balancesOf,
  rowVersions,
} from '../support/assert/check.ts'
import { FX_TRANSACTION, IN_UTC, idOf, PAYOUT } from '../support/assert/shapes.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/payout'
const NOBODY = 'bnf_00000000000000000000'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({
    currencies: ['USD', 'EUR'],
    fund: { USD: 1_000_000_000n, EUR: 1_000_000n },
  })
  await service.setRates({ 'USD/HKD': '8', 'USD/EUR': '0.8', 'USD/BRL': '5', 'EUR/JPY': '160' })
  await service.setRates({ 'USD/USDC': '1' })
})
after(() => service.close())

async function paid(body: object, client = account) {
  const answer = await client.post(PATH, body)
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.json), ['status', 'message', 'data'])
  assert.equal(answer.json.status, 'success')
  assert.equal(answer.json.message, '')
  return answer.json.data
}

const individual = (destination_details: object) => ({
  name: 'Joana Silva',
  type: 'individual',
  destination_details,
})
const byIban = {
  ...individual({
    type: 'bank',
    bank: {
      iban: 'DE89370400440532013000',
      country: 'DE',
      bank_codes: { swift_code: 'COBADEFF' },
    },
  }),
  address: { city: 'Berlin', country: 'DE' },
}
const byPix = individual({
  type: 'local_payment_network',
  local_payment_network: {
    type: 'pix',
    deposit_key_type: 'email',
    deposit_key: 'joana@example.com',
  },
})
const byWallet = individual({
  type: 'wallet',
  wallet: {
    deposit_address: '0x52908400098527886E0F7030069857D2E4169EE7',
    type: 'ethereum',
    currency: 'USDC',
  },
})

const common = { amount: 1_000, purpose: 'salary', transaction_description: 'March' }

const TYPES: readonly (readonly [type: string, body: object])[] = [
  [
    'swift',
    {
      ...common,
      currency: 'EUR',
      charge_type: 'shared',
      beneficiary_details: byIban,
    },
  ],
  ['local', localPayout],
  ['local_payment_network', { ...common, currency: 'BRL', beneficiary_details: byPix }],
  ['wallet', { ...common, amount: 1_000_000, currency: 'USDC', beneficiary_details: byWallet }],
]

for (const [type, body] of TYPES) {
  test(`POST ${PATH}, type ${type}: processing, every field of the table`, async () => {
    const payout = await paid({ ...body, type })
    assertShape(payout, PAYOUT)
    assert.equal(payout.object, 'payout')
    assert.equal(payout.type, type)
    assert.equal(payout.status, 'processing')
    assert.equal(payout.failure, null)
    assert.match(payout.id, idOf('pot'))
    assert.match(payout.balance_transaction, idOf('btr'))
    assert.match(payout.beneficiary, idOf('bnf'))
    assert.match(payout.quote, idOf('poq'))
    assert.match(payout.created_at, IN_UTC)
    assert.equal(payout.beneficiary_details.status, 'active')
  })
}

test(`POST ${PATH}, nothing optional sent: empty strings, arrays and objects, null metadata`, async () => {
  const payout = await paid(localPayout)
  for (const field of [
    'charge_type',
    'mt103',
    'on_behalf_of',
    'reference_id',
    'statement_descriptor',
    'status_description',
    'holding_fx_quote',
  ]) {
    assert.equal(payout[field], '', field)
  }
  for (const field of ['confirmation_documents', 'documents', 'logistics_tracking_details']) {
    assert.deepEqual(payout[field], [], field)
  }
  assert.equal(payout.metadata, null)
  assert.deepEqual(payout.local, { fund_transfer_network: '' })
  assert.deepEqual(payout.tracking_details, { tracking_number: '', tracking_type: '' })
  assert.deepEqual(payout.holding_fx_transaction, {})
  assert.deepEqual(payout.payout_fx_transaction, {})
  const { beneficiary_details } = payout
  assert.deepEqual(beneficiary_details.address, localPayout.beneficiary_details.address)
  assert.deepEqual(beneficiary_details.phone, {})
  assert.deepEqual(beneficiary_details.documents, [])
  for (const field of ['date_of_birth', 'email', 'name_local', 'tax_id', 'registration_number']) {
    assert.equal(beneficiary_details[field], '', field)
  }
})

test(`POST ${PATH}, everything optional sent: it comes back as sent`, async () => {
  const sent = {
    reference_id: 'INV-2041',
    statement_descriptor: 'HARBOUR 2041',
    documents: [{ type: 'invoice', file_name: 'a.pdf', url: 'https://example.com/a.pdf' }],
    logistics_tracking_details: [{ tracking_number: '1Z', tracking_type: 'parcel' }],
    metadata: { order: '77', constructor: 'Ünïcødé 😀', '': undefined },
    purpose: 'goods',
    transaction_description: 'Zwölf Boxen "A\\B"\n\t€',
  }
  const body = {
    ...localPayout,
    ...sent,
    currency: 'HKD',
    local: { fund_transfer_network: 'fps' },
    beneficiary_details: {
      ...bankBeneficiary,
      name_local: '海港貿易',
      email: 'pay@example.com',
      phone: { code: '+852', number: '21234567' },
      address: { line1: '1 Pier Road', city: 'Hong Kong', country: 'HK' },
      registration_number: 'CR-1',
      tax_id: 'T1',
      documents: [{ type: 'registration' }],
    },
  }
  const payout = await paid(body)
  for (const [field, value] of Object.entries(JSON.parse(JSON.stringify(sent)))) {
    assert.deepEqual(payout[field], value, field)
  }
  assert.deepEqual(payout.local, { fund_transfer_network: 'fps' })
  for (const [field, value] of Object.entries(body.beneficiary_details)) {
    assert.deepEqual(payout.beneficiary_details[field], value, field)
  }
})

const CONVERSIONS: readonly [
  what: string,
  holding: string,
  destination: string | undefined,
  holding_fx: object | undefined,
  payout_fx: object | undefined,
][] = [
  ['no conversion', 'EUR', undefined, undefined, undefined],
  [
    'both sides converted',
    'USD',
    'JPY',
    {
      exchange_rate: 0.8,
      initial: { amount: 1_250, currency: 'USD' },
      final: { amount: 1_000, currency: 'EUR' },
    },
    {
      exchange_rate: 160,
      initial: { amount: 1_000, currency: 'EUR' },
      final: { amount: 1_600, currency: 'JPY' },
    },
  ],
]

for (const [what, holding_currency, currency, holding_fx, payout_fx] of CONVERSIONS) {
  test(`POST ${PATH}, ${what}: a record of each conversion and of no other`, async () => {
    const bank = { iban: 'DE89370400440532013000', ...(currency && { currency }) }
    const beneficiary_details = individual({ type: 'bank', bank })
    const payout = await paid({ ...common, currency: 'EUR', holding_currency, beneficiary_details })
    for (const [record, expected] of [
      [payout.holding_fx_transaction, holding_fx],
      [payout.payout_fx_transaction, payout_fx],
    ]) {
      if (expected === undefined) {
        assert.deepEqual(record, {})
        continue
      }
      assertShape(record, FX_TRANSACTION)
      const { id, object, ...rest } = record
      assert.match(id, /^fx_[0-9a-z]{20}$/)
      assert.equal(id.length, 23)
      assert.equal(object, 'fx_transaction')
      assert.deepEqual(rest, expected)
    }
    assert.equal(payout.holding_fx_quote, holding_fx === undefined ? '' : payout.quote)
  })
}

test(`POST ${PATH}, no quote sent: priced at once, a used quote recorded and referenced`, async () => {
  const payout = await paid({ ...localPayout, currency: 'HKD', amount: 8_000 })
  const quote = (await account.get(`/v3/payout/quote/${payout.quote}`)).json
  assert.equal(quote.status, 'used')
  assert.deepEqual(quote.holding_info, { currency: 'USD', amount: 1_000 })
  assert.deepEqual(quote.payout_info, { currency: 'HKD', amount: 8_000 })
  const again = await account.post(PATH, { ...localPayout, quote: payout.quote })
  assertRefused(again, 422, 'quote_used', 'quote')
})

test(`POST ${PATH}, beneficiary by id: the same beneficiary, the same details`, async () => {
  const first = await paid(localPayout)
  const { beneficiary_details: _, ...body } = localPayout
  const second = await paid({ ...body, beneficiary: first.beneficiary })
  assert.equal(second.beneficiary, first.beneficiary)
  assert.deepEqual(second.beneficiary_details, first.beneficiary_details)
  const inline = await paid(localPayout)
  assert.notEqual(inline.beneficiary, first.beneficiary)
})

test(`POST ${PATH}, beneficiary in no way, in both, unknown, another account's: refused, nothing written`, async () => {
  const stranger = await service.openAccount({ fund: { USD: 10_000n } })
  const theirs = (await paid(localPayout, stranger)).beneficiary
  const { beneficiary_details: _, ...bare } = localPayout
  const before = await rowVersions(service.database.owner)
  const neither = await account.post(PATH, bare)
  assertRefused(neither, 400, 'beneficiary_missing')
  const both = await account.post(PATH, { ...localPayout, beneficiary: NOBODY })
  assertRefused(both, 400, 'beneficiary_missing')
  const unknown = await account.post(PATH, { ...bare, beneficiary: NOBODY })
  assertRefused(unknown, 404, 'beneficiary_not_found', 'beneficiary')
  const other = await account.post(PATH, { ...bare, beneficiary: theirs })
  assertRefused(other, 404, 'beneficiary_not_found', 'beneficiary')
  assert.equal(other.text.replaceAll(theirs, 'X'), unknown.text.replaceAll(NOBODY, 'X'))
  assert.deepEqual(await rowVersions(service.database.owner), before)
})

test(`POST ${PATH}, bank destination for type wallet: 400 type_mismatch`, async () => {
  const answer = await account.post(PATH, { ...localPayout, type: 'wallet' })
  assertRefused(answer, 400, 'type_mismatch')
})

test(`POST ${PATH}, destination member that is not its type's: 400 naming what lacks and what is too much`, async () => {
  const destination_details = { type: 'wallet', bank: { account_number: '1' } }
  const beneficiary_details = { ...bankBeneficiary, destination_details }
  const answer = await account.post(PATH, { ...localPayout, beneficiary_details })
  const path = 'beneficiary_details.destination_details'
  assertProblems(answer, 400, [
    ['invalid_field', `${path}.wallet`],
    ['type_mismatch', `${path}.bank`],
  ])
})

for (const field of ['amount', 'currency', 'purpose', 'transaction_description']) {
  test(`POST ${PATH}, no ${field}: 400 naming it`, async () => {
    const answer = await account.post(PATH, { ...localPayout, [field]: undefined })
    assertRefused(answer, 400, 'invalid_field', field)
  })
}

test(`GET ${PATH}/{id}, a new payout: byte for byte its creation, in the envelope`, async () => {
  const created = await account.post(PATH, { ...localPayout, metadata: { b: '1', a: '2' } })
  const fetched = await account.get(`${PATH}/${created.json.data.id}`)
  assert.equal(fetched.status, 200)
  assert.equal(fetched.text, created.text)
})

test(`GET ${PATH}/{id}, fees and what was debited: those of its quote and of its line`, async () => {
  const client = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  await service.setFees([{ fixed_amount: 251n, variable_bps: 37 }])
  const body = { ...localPayout, currency: 'HKD', amount: 123_457 }
  const payout = await paid(body, client)
  const { fee_info, total_debit, balance_transaction } = payout
  const quote = (await client.get(`/v3/payout/quote/${payout.quote}`)).json
  const line = (await client.get(`/v3/balance_transaction/${balance_transaction}`)).json.data
  assert.deepEqual(fee_info, quote.fee_info)
  assert.ok(fee_info.fixed.in_holding_currency > 0 && fee_info.variable.in_holding_currency > 0)
  assert.deepEqual(total_debit, { currency: 'USD', amount: -line.net.amount })
  await service.setRates({ 'USD/HKD': '7' })
  await service.setFees([])
  const [listed] = (await client.get(PATH)).json.data.results
  await service.setRates({ 'USD/HKD': '8' })
  assert.deepEqual(listed, payout)
})

test(`GET ${PATH}/{id}, updated_at: its creation, then its last change`, async () => {
  const payout = await paid(localPayout)
  assert.equal(payout.updated_at, payout.created_at)
  const path = `/v3/sandbox/payout/${payout.id}/transition`
  const moved = (await account.post(path, { status: 'succeeded' })).json.data
  const [event] = (await account.get('/v3/event?limit=1')).json.data.results
  assert.match(moved.updated_at, IN_UTC)
  assert.deepEqual([event.object_id, event.created_at], [payout.id, moved.updated_at])
  const fetched = (await account.get(`${PATH}/${payout.id}`)).json.data
  assert.equal(fetched.updated_at, moved.updated_at)
})

test(`POST ${PATH}, debit: taken in the creating transaction, once`, async () => {
  const client = await service.openAccount({ fund: { USD: 10_000n } })
  await paid({ ...localPayout, amount: 4_000 }, client)
  assert.equal((await balancesOf(client)).USD, '6000')
})
