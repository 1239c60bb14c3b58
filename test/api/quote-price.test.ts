// Chapters 1 to 4 of the specification through POST /v3/payout/quote: a row of each kind. Rates, fees and
// figures are tabled in src/price and src/quote. Every expected figure here is worked out by hand, in
// the comment or in the rate.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import {
  type PricingValues,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const PATH = '/v3/payout/quote'
const MAX = 9_007_199_254_740_991

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const DEFAULTS = { spread_bps: 0, quote_validity_s: 1_800, max_age_s: 'calendar', pivot: 'EUR' }

/** Priced by this alone, with no rate and no fee. */
async function pricedBy(pricing: PricingValues = {}): Promise<void> {
  await service.database.owner`delete from rates`
  await service.setPricing({ ...DEFAULTS, ...pricing })
  await service.setFees([])
}

type Row = readonly [
  why: string,
  rates: Record<string, string>,
  holding: string,
  payout: readonly [currency: string, amount: number],
  expected: number,
]

const HOLDING_AMOUNTS: readonly Row[] = [
  ['2 places from 0', { 'USD/JPY': '150' }, 'USD', ['JPY', 15_000], 10_000],
  ['6 places from 0', { 'USDC/JPY': '160' }, 'USDC', ['JPY', 1], 6_250],
  ['0.8 and 2 are 2.5, up', { 'USD/EUR': '0.8' }, 'USD', ['EUR', 2], 3],
  // 1 ÷ 0.3 is rounded down to 3.33333333333 first; 10^11 USD by it is 3 × 10^10 KWD and 0.031 more.
  [
    'the printed rate is the rate used',
    { 'USD/KWD': '0.3' },
    'KWD',
    ['USD', 10_000_000_000_000],
    30_000_000_000_031,
  ],
  // Doubles would lose the last digit: 9007199254740991 ÷ 3 is 3002399751580330.33.
  [
    'largest amount divided exactly',
    { 'USD/EUR': '3' },
    'USD',
    ['EUR', MAX],
    3_002_399_751_580_331,
  ],
]

test(`POST ${PATH}, holding amount = payout amount ÷ rate: rounded once, up`, async t => {
  await pricedBy()
  const currencies = ['USD', 'KWD', 'USDC']
  const account = await service.openAccount({ currencies })
  for (const [why, rates, holding, [currency, amount], expected] of HOLDING_AMOUNTS) {
    await t.test(`${why}: ${amount} ${currency} cost ${expected} ${holding}`, async () => {
      await service.database.owner`delete from rates`
      await service.setRates(rates)
      const answer = await account.post(PATH, {
        payout_type: 'service_account',
        payout_info: { currency, amount },
        holding_info: { currency: holding },
      })
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(answer.json.holding_info, { currency: holding, amount: expected })
      assert.deepEqual(answer.json.payout_info, { currency, amount })
    })
  }
})

test(`POST ${PATH}, three currencies: each side at its own rate, the destination rounded down`, async () => {
  await pricedBy()
  await service.setRates({ 'USD/EUR': '0.8', 'EUR/JPY': '160' })
  const account = await service.openAccount({ currencies: ['USD'] })
  const answer = await account.post(PATH, {
    payout_info: { currency: 'EUR', amount: 1_000_003 },
    destination_info: { currency: 'JPY', country: 'JP' },
  })
  assert.equal(answer.status, 200, answer.text)
  // 12500.0375 USD, and 1600004.8 JPY.
  assert.deepEqual(answer.json.holding_info, { currency: 'USD', amount: 1_250_004 })
  assert.deepEqual(answer.json.destination_info, { currency: 'JPY', amount: 1_600_004 })
  const rates = { holding_to_payout: 0.8, payout_to_destination: 160 }
  assert.deepEqual(answer.json.exchange_rates, rates)
})

test(`POST ${PATH}, pair without a row: crossed through EUR, printed with 12 significant digits`, async () => {
  await pricedBy()
  const account = await service.openAccount({ currencies: ['USD'] })
  const ask = { payout_info: { currency: 'HKD', amount: 720_000 } }
  await service.setRates({ 'EUR/USD': '1.25', 'EUR/HKD': '9' })
  const even = await account.post(PATH, ask)
  assert.equal(even.json.exchange_rates.holding_to_payout, 7.2)
  assert.equal(even.json.holding_info.amount, 100_000)
  // 9 ÷ 1.1 = 8.18181818181818…
  await service.setRates({ 'EUR/USD': '1.1' })
  const endless = await account.post(PATH, ask)
  assert.equal(endless.json.exchange_rates.holding_to_payout, 8.18181818181)
})

test(`POST ${PATH}, another pivot configured: crossed through it and not through EUR`, async () => {
  await pricedBy({ pivot: 'GBP' })
  const account = await service.openAccount({ currencies: ['USD'] })
  const ask = { payout_info: { currency: 'HKD', amount: 1_000_000 } }
  await service.setRates({ 'EUR/USD': '1.25', 'EUR/HKD': '9' })
  assertRefused(await account.post(PATH, ask), 422, 'rate_unavailable')
  await service.setRates({ 'GBP/USD': '1.25', 'HKD/GBP': '0.1' })
  const answer = await account.post(PATH, ask)
  assert.equal(answer.json.exchange_rates.holding_to_payout, 8)
})

test(`POST ${PATH}, no rate joins the pair: 422 rate_unavailable`, async () => {
  await pricedBy()
  const account = await service.openAccount({ currencies: ['USD'] })
  await service.setRates({ 'EUR/USD': '1.25', 'USD/JPY': '150', 'HKD/JPY': '20' })
  const answer = await account.post(PATH, { payout_info: { currency: 'HKD', amount: 100 } })
  assertRefused(answer, 422, 'rate_unavailable')
})

test(`POST ${PATH}, spread of 100 basis points: every converted side moved against the customer`, async () => {
  await pricedBy({ spread_bps: 100 })
  const account = await service.openAccount({ currencies: ['USD'] })
  await service.setRates({ 'USD/HKD': '7.81', 'HKD/EUR': '0.1' })
  const answer = await account.post(PATH, {
    payout_info: { currency: 'HKD', amount: 773_190 },
    destination_info: { currency: 'EUR', country: 'DE' },
  })
  assert.equal(answer.status, 200, answer.text)
  const rates = { holding_to_payout: 7.7319, payout_to_destination: 0.099 }
  assert.deepEqual(answer.json.exchange_rates, rates)
  assert.equal(answer.json.holding_info.amount, 100_000)
  assert.equal(answer.json.destination_info.amount, 76_545) // 765.4581
})

test(`POST ${PATH}, another validity configured: valid_until that long after creation`, async () => {
  await pricedBy({ quote_validity_s: 90 })
  const account = await service.openAccount({ currencies: ['USD'] })
  const { json } = await account.post(PATH, { payout_info: { currency: 'USD', amount: 1 } })
  assert.equal(Date.parse(json.valid_until) - Date.parse(json.created_at), 90_000)
})

test('POST /v3/payout, rate gone stale: without a quote 503 and nothing written, with one paid at its rate', async () => {
  await pricedBy({ max_age_s: 3_600 })
  await service.setFees([{}])
  await service.setRoutes([{}])
  const account = await service.openAccount({
    sandbox: false,
    currencies: ['USD'],
    fund: { USD: 100_000n },
  })
  await service.setRates({ 'USD/HKD': '8' })
  const payout_info = { currency: 'HKD', amount: 80_000 }
  const quote = (await account.post(PATH, { payout_info })).json.id
  await service.setRates({ 'USD/HKD': '4' }, '2020-01-01T00:00:00Z')
  const before = await rowVersions(service.database.owner)
  const body = { ...localPayout, currency: 'HKD', amount: 80_000 }
  assertRefused(await account.post('/v3/payout', body), 503, 'rate_stale')
  assert.deepEqual(await rowVersions(service.database.owner), before)
  const paid = await account.post('/v3/payout', { ...body, quote })
  assert.equal(paid.status, 200, paid.text)
  assert.deepEqual(await balancesOf(account), { USD: '90000' })
})

test(`POST ${PATH}, the fee of the most specific row: on top, in both currencies`, async () => {
  await pricedBy()
  await service.setRates({ 'USD/HKD': '8', 'USD/EUR': '0.8' })
  const account = await service.openAccount({ currencies: ['USD'] })
  const named = { payout_currency: 'HKD', destination_country: 'HK' }
  const fee = { fixed_amount: 200n, variable_bps: 1, minimum_amount: 80n, fee_currency: 'EUR' }
  await service.setFees([{ fixed_amount: 1n }, { ...named, network: 'chats', ...fee }])
  const payout_info = { currency: 'HKD', amount: 80_000 }
  const local = { fund_transfer_network: 'CHATS' }
  const { json } = await account.post(PATH, { payout_info, local })
  // Of 100 USD a basis point is less than the minimum. Euros are converted at the book.
  assert.deepEqual(json.fee_info, {
    fixed: { in_holding_currency: 250, in_payout_currency: 2_000 },
    variable: { in_holding_currency: 100, in_payout_currency: 800 },
  })
  assert.equal(json.total_debit.amount, 10_000 + 250 + 100)
  // The networks of HKD are all in Hong Kong, and nothing else is meant by a local payout.
  await service.setFees([{ fixed_amount: 1n }, { fixed_amount: 5n, ...named }])
  const other = await account.post(PATH, { payout_info })
  assert.equal(other.json.fee_info.fixed.in_holding_currency, 5)
})

test(`POST ${PATH}, fees that lift a total over 2^53 − 1: 400, never a fault`, async () => {
  await pricedBy()
  await service.setRates({ 'USD/HKD': '8' })
  await service.setFees([{ variable_bps: 10_000 }])
  const account = await service.openAccount({ currencies: ['USD'] })
  // All of the amount as fee: 1125899906842624 USD cents × 8 is one more than fits into JSON.
  const answer = await account.post(PATH, { payout_info: { currency: 'HKD', amount: MAX } })
  assertRefused(answer, 400, 'amount_out_of_range')
})
