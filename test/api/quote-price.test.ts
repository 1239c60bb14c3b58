// Chapters 1 to 4 of the specification through POST /v3/payout/quote: amounts divided and
// multiplied by rates, rounded once, debits up and credits down, in currencies of zero, two, three
// and six places. Every expected figure is worked out by hand, in the comment or in the rate.
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
  ['2 places from 2', { 'USD/HKD': '7.81' }, 'USD', ['HKD', 781_000], 100_000],
  ['2 places from 0', { 'USD/JPY': '150' }, 'USD', ['JPY', 15_000], 10_000],
  ['0 places from 2', { 'JPY/USD': '0.008' }, 'JPY', ['USD', 100], 125],
  ['6 places from 0', { 'USDC/JPY': '160' }, 'USDC', ['JPY', 1], 6_250],
  ['0.8 and 2 are 2.5, up', { 'USD/EUR': '0.8' }, 'USD', ['EUR', 2], 3],
  ['inverse of the row the book has', { 'HKD/USD': '0.128' }, 'USD', ['HKD', 78_125], 10_000],
  // 1 ÷ 0.3 is rounded down to 3.33333333333 first; 10^11 USD by it is 3 × 10^10 KWD and 0.031 more.
  [
    'the printed rate is the rate used',
    { 'USD/KWD': '0.3' },
    'KWD',
    ['USD', 10_000_000_000_000],
    30_000_000_000_031,
  ],
  ['largest amount at rate 1', {}, 'USD', ['USD', MAX], MAX],
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
  const currencies = ['USD', 'EUR', 'JPY', 'KWD', 'USDC']
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

const DESTINATION_AMOUNTS: readonly Row[] = [
  ['4.5 yen, down', { 'USD/JPY': '150' }, 'JPY', ['USD', 3], 4],
  ['largest amount', { 'USD/EUR': '0.5' }, 'EUR', ['USD', MAX], 4_503_599_627_370_495],
]

test(`POST ${PATH}, destination amount = payout amount × rate: rounded once, down`, async t => {
  await pricedBy()
  const account = await service.openAccount({ currencies: ['USD'] })
  for (const [why, rates, destination, [currency, amount], expected] of DESTINATION_AMOUNTS) {
    await t.test(`${why}: ${amount} ${currency} become ${expected} ${destination}`, async () => {
      await service.database.owner`delete from rates`
      await service.setRates(rates)
      const answer = await account.post(PATH, {
        payout_type: 'service_account',
        payout_info: { currency, amount },
        destination_info: { currency: destination, country: 'US' },
      })
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(answer.json.destination_info, { currency: destination, amount: expected })
    })
  }
})

test(`POST ${PATH}, three currencies: holding and destination side each at its own rate`, async () => {
  await pricedBy()
  await service.setRates({ 'USD/EUR': '0.8', 'EUR/JPY': '160' })
  const account = await service.openAccount({ currencies: ['USD'] })
  const answer = await account.post(PATH, {
    payout_info: { currency: 'EUR', amount: 10_000 },
    destination_info: { currency: 'JPY', country: 'JP' },
  })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.json.holding_info, { currency: 'USD', amount: 12_500 })
  assert.deepEqual(answer.json.destination_info, { currency: 'JPY', amount: 16_000 })
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
  // A row of its own wins over the cross.
  await service.setRates({ 'USD/HKD': '7.5' })
  assert.equal((await account.post(PATH, ask)).json.exchange_rates.holding_to_payout, 7.5)
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
  const holding = await account.post(PATH, { payout_info: { currency: 'HKD', amount: 100 } })
  assertRefused(holding, 422, 'rate_unavailable')
  const destination = await account.post(PATH, {
    payout_info: { currency: 'USD', amount: 100 },
    destination_info: { currency: 'HKD', country: 'HK' },
  })
  assertRefused(destination, 422, 'rate_unavailable')
})

test(`POST ${PATH}, spread of 100 basis points: every converted side moved against the customer`, async () => {
  await pricedBy({ spread_bps: 100 })
  const account = await service.openAccount({ currencies: ['USD'] })
  await service.setRates({ 'USD/HKD': '7.81', 'HKD/EUR': '0.1', 'GBP/USD': '1.25' })
  const answer = await account.post(PATH, {
    payout_info: { currency: 'HKD', amount: 773_190 },
    destination_info: { currency: 'EUR', country: 'DE' },
  })
  assert.equal(answer.status, 200, answer.text)
  const rates = { holding_to_payout: 7.7319, payout_to_destination: 0.099 }
  assert.deepEqual(answer.json.exchange_rates, rates)
  assert.equal(answer.json.holding_info.amount, 100_000)
  assert.equal(answer.json.destination_info.amount, 76_545) // 765.4581
  // The inverse row is moved after it is inverted: 0.8 × 0.99, not 1 ÷ (1.25 × 0.99).
  const inverse = await account.post(PATH, { payout_info: { currency: 'GBP', amount: 792 } })
  assert.equal(inverse.json.exchange_rates.holding_to_payout, 0.792)
  const same = await account.post(PATH, { payout_info: { currency: 'USD', amount: 100 } })
  assert.equal(same.json.exchange_rates.holding_to_payout, 1)
})

test(`POST ${PATH}, rate older than the configured age: 503 rate_stale, also within a cross`, async () => {
  await pricedBy({ max_age_s: 3_600 })
  await service.setFees([{}])
  await service.setRoutes([{}])
  const account = await service.openAccount({ sandbox: false, currencies: ['USD'] })
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()
  const ask = { payout_info: { currency: 'HKD', amount: 100 } }
  await service.setRates({ 'USD/HKD': '7.81' }, ago(3_700))
  const stale = await account.post(PATH, ask)
  assertRefused(stale, 503, 'rate_stale')
  await service.setRates({ 'USD/HKD': '7.81' }, ago(3_500))
  assert.equal((await account.post(PATH, ask)).status, 200)
  // A cross is as old as the older of its two rows.
  await service.setRates({ 'EUR/USD': '1.1' }, ago(10))
  await service.setRates({ 'EUR/GBP': '0.8' }, ago(3_700))
  const cross = await account.post(PATH, { payout_info: { currency: 'GBP', amount: 100 } })
  assertRefused(cross, 503, 'rate_stale')
  // One currency needs no rate.
  const same = await account.post(PATH, { payout_info: { currency: 'USD', amount: 100 } })
  assert.equal(same.status, 200)
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
