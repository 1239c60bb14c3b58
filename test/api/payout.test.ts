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
import {
  BALANCE_TRANSACTION,
  FX_TRANSACTION,
  IN_UTC,
  idOf,
  PAYOUT,
} from '../support/assert/shapes.ts'
import { bankBeneficiary, internalPayout, localPayout, yenBank } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { linesOf, scriptedRail, settleAll } from '../support/service/settling.ts'

const PATH = '/v3/payout'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({
    currencies: ['USD', 'EUR'],
    fund: { USD: 1_000_000_000n, EUR: 1_000_000n },
  })
  await service.setRates({ 'USD/HKD': '8', 'USD/EUR': '0.8', 'USD/BRL': '5', 'EUR/JPY': '160' })
  await service.setRates({ 'USD/USDC': '1', 'EUR/HKD': '10' })
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
  test(`POST ${PATH}, type ${type}: status processing, every documented field`, async () => {
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

test(`POST ${PATH}, required members only: empty strings, arrays and objects, null metadata`, async () => {
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

test(`POST ${PATH}, every optional member: returned as sent; GET: the bytes of its creation, in the envelope`, async () => {
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
  const created = await account.post(PATH, body)
  assert.equal(created.status, 200, created.text)
  const payout = created.json.data
  assert.equal((await account.get(`${PATH}/${payout.id}`)).text, created.text)
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
  test(`POST ${PATH}, ${what}: one conversion record per conversion`, async () => {
    const bank = currency === 'JPY' ? yenBank : { iban: 'DE89370400440532013000' }
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

test(`POST ${PATH}, beneficiary by id: its details in the payout`, async () => {
  const first = await paid(localPayout)
  const { beneficiary_details: _, ...body } = localPayout
  const second = await paid({ ...body, beneficiary: first.beneficiary })
  assert.equal(second.beneficiary, first.beneficiary)
  assert.deepEqual(second.beneficiary_details, first.beneficiary_details)
  const inline = await paid(localPayout)
  assert.notEqual(inline.beneficiary, first.beneficiary)
})

test(`POST ${PATH}, destination of another payout type: 400 naming missing and surplus members`, async () => {
  const destination_details = { type: 'wallet', bank: { account_number: '1' } }
  const beneficiary_details = { ...bankBeneficiary, destination_details }
  const answer = await account.post(PATH, { ...localPayout, beneficiary_details })
  const path = 'beneficiary_details.destination_details'
  assertProblems(answer, 400, [
    ['invalid_field', `${path}.wallet`],
    ['type_mismatch', `${path}.bank`],
  ])
})

test(`POST ${PATH}, a required member missing: 400 naming it`, async () => {
  assertProblems(await account.post(PATH, {}), 400, [
    ['invalid_field', 'amount'],
    ['invalid_field', 'currency'],
    ['invalid_field', 'purpose'],
    ['beneficiary_missing', 'beneficiary'],
  ])
})

test(`GET ${PATH}/{id}, fees and total debit: equal to quote and statement line, debited once, in the creating transaction`, async () => {
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
  assert.deepEqual(await balancesOf(client), { USD: String(1_000_000 - total_debit.amount) })
  await service.setRates({ 'USD/HKD': '7' })
  await service.setFees([])
  const [listed] = (await client.get(PATH)).json.data.results
  await service.setRates({ 'USD/HKD': '8' })
  assert.deepEqual(listed, payout)
})

test(`GET ${PATH}/{id}, updated_at: the creation time, after a change the time of the last change`, async () => {
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

// Of type service_account: another account of the installation is paid in the same transaction, and
// the payout is final at once (§transfer.receiver).

async function pair() {
  const sender = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000n } })
  const receiver = await service.openAccount({ currencies: ['USD', 'EUR'], fund: { EUR: 5n } })
  return { sender, receiver, address: receiver.account.deposit_address }
}

test(`POST ${PATH}, service_account: succeeded at once, receiver credited, every documented field, rail not asked`, async () => {
  const { sender, receiver, address } = await pair()
  const answer = await sender.post(PATH, internalPayout(address, 40_000))
  assert.equal(answer.status, 200, answer.text)
  const payout = answer.json.data
  assertShape(payout, PAYOUT)
  assert.equal(payout.status, 'succeeded')
  assert.equal(payout.failure, null)
  assert.equal(payout.type, 'service_account')
  assert.deepEqual(payout.beneficiary_details.destination_details, {
    type: 'service_account',
    service_account: { deposit_address: address },
  })
  assert.deepEqual(await balancesOf(sender), { USD: '60000' })
  assert.deepEqual(await balancesOf(receiver), { EUR: '5', USD: '40000' })
  const rail = scriptedRail()
  await settleAll(service, rail)
  assert.ok(!rail.calls.some(call => call.includes(payout.id)))
  assert.equal((await sender.get(`${PATH}/${payout.id}`)).text, answer.text)
})

test(`POST ${PATH}, service_account with conversion: receiver credited the destination amount, sender pays the fees`, async () => {
  const { sender, receiver, address } = await pair()
  await service.setFees([{ payout_type: 'service_account', fixed_amount: 100n, variable_bps: 100 }])
  const answer = await sender.post(PATH, internalPayout(address, 800, 'EUR'))
  assert.equal(answer.status, 200, answer.text)
  const { id, balance_transaction } = answer.json.data
  assert.deepEqual(await balancesOf(sender), { USD: String(100_000 - 1_000 - 100 - 10) })
  assert.deepEqual(await balancesOf(receiver), { EUR: '805', USD: '0' })
  const [debit] = await linesOf(service, sender, [id])
  assert.equal(debit.id, balance_transaction)
  assert.equal(debit.operation_type, 'debit')
  const [credit, ...more] = await linesOf(service, receiver, [id])
  assert.deepEqual(more, [])
  assertShape(credit, BALANCE_TRANSACTION)
  assert.equal(credit.type, 'payout')
  assert.equal(credit.operation_type, 'credit')
  assert.equal(credit.amount, 800)
  assert.equal(credit.currency, 'EUR')
  assert.deepEqual(credit.net, { amount: 800, currency: 'EUR' })
  assert.deepEqual(credit.fee_details, [])
  assert.equal(credit.source, id)
  await service.setFees([])
})

test(`POST ${PATH}, service_account, quote that converts the destination: receiver credited in that currency`, async () => {
  const { sender } = await pair()
  const receiver = await service.openAccount({ currencies: ['HKD'] })
  const quote = await sender.post('/v3/payout/quote', {
    payout_type: 'service_account',
    payout_info: { currency: 'EUR', amount: 800 },
    destination_info: { currency: 'HKD', country: 'HK' },
  })
  assert.equal(quote.status, 200, quote.text)
  const body = internalPayout(receiver.account.deposit_address, 800, 'EUR')
  const answer = await sender.post(PATH, { ...body, quote: quote.json.id })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(await balancesOf(receiver), { HKD: '8000' })
})

test(`POST ${PATH}, service_account, receiver unknown, the payer itself, sandbox to live, or without the currency: 422, nothing written`, async () => {
  const { sender } = await pair()
  const fund = { USD: 10_000n }
  const live = await service.openAccount({ currencies: ['USD'], fund, sandbox: false })
  const other = await service.openAccount({ currencies: ['HKD'] })
  await service.setFees([{ payout_type: 'service_account', fixed_amount: 0n }])
  const before = await rowVersions(service.database.owner)
  for (const [from, to, reason] of [
    [sender, `dep_${'0'.repeat(20)}`, 'deposit_address_not_found'],
    [sender, sender.account.deposit_address, 'deposit_address_not_found'],
    [sender, live.account.deposit_address, 'deposit_address_not_found'],
    [live, sender.account.deposit_address, 'deposit_address_not_found'],
    [sender, other.account.deposit_address, 'deposit_currency_not_accepted'],
  ] as const) {
    assertRefused(await from.post(PATH, internalPayout(to, 1_000)), 422, reason)
  }
  assert.deepEqual(await rowVersions(service.database.owner), before)
})

test(`POST ${PATH}, two accounts pay each other in parallel, twenty times: no deadlock, totals agree`, async () => {
  const a = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000n } })
  const b = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000n } })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0
        ? a.post(PATH, internalPayout(b.account.deposit_address, 300))
        : b.post(PATH, internalPayout(a.account.deposit_address, 100)),
    ),
  )
  for (const answer of answers) assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(await balancesOf(a), { USD: '8000' })
  assert.deepEqual(await balancesOf(b), { USD: '12000' })
})
