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

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

/** Priced by this alone, with no rate and no fee. */
async function pricedBy(pricing: PricingValues = {}): Promise<void> {
  await service.database.owner`delete from rates`
  await service.setPricing({ max_age_s: 'calendar', ...pricing })
  await service.setFees([])
}

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
