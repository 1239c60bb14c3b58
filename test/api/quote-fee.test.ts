// §fee.total and §fee.row through POST /v3/payout/quote: fixed and variable fees, their bounds, the
// currency they are named in, and which row of the schedule wins.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Fee } from '../../src/price/fee/rules.ts'
import { assertRefused } from '../support/assert/check.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/payout/quote'
const MAX = 9_007_199_254_740_991

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD', 'EUR', 'JPY'] })
  await service.setRates({ 'USD/HKD': '8', 'USD/EUR': '0.8', 'USD/JPY': '150' })
  await service.setRates({ 'USD/USDT': '1', 'USD/BRL': '5' })
})
after(() => service.close())

async function feesOf(body: object) {
  const answer = await account.post(PATH, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.fee_info
}

const toHkd = {
  payout_info: { currency: 'HKD', amount: 80_000 },
  holding_info: { currency: 'USD' },
}
const part = (in_holding_currency: number, in_payout_currency: number) => ({
  in_holding_currency,
  in_payout_currency,
})

/** Amounts, bounds and the choice of a row are tabled in src/fee/rules.test.ts. */
const AMOUNTS: readonly [what: string, fee: Partial<Fee>, fixed: object, variable: object][] = [
  ['both parts', { fixed_amount: 30n, variable_bps: 35 }, part(30, 240), part(35, 280)],
  [
    'in another currency: converted at the book',
    { fixed_amount: 200n, variable_bps: 1, minimum_amount: 80n, fee_currency: 'EUR' },
    part(250, 2_000),
    part(100, 800),
  ],
  ['nothing', {}, part(0, 0), part(0, 0)],
]

for (const [what, fee, fixed, variable] of AMOUNTS) {
  test(`POST ${PATH}, fee ${what}: on top, in both currencies`, async () => {
    await service.setFees([fee])
    assert.deepEqual(await feesOf(toHkd), { fixed, variable })
  })
}

/** Each row has another fixed fee, so the fee says which row won. */
const SCHEDULE: readonly Partial<Fee>[] = [
  { fixed_amount: 1n },
  { fixed_amount: 3n, destination_country: 'HK' },
  { fixed_amount: 5n, payout_currency: 'HKD', destination_country: 'HK' },
  { fixed_amount: 6n, payout_currency: 'HKD', destination_country: 'HK', network: 'chats' },
]
const usd = { payout_info: { currency: 'USD', amount: 80_000 } }
const hkd = { payout_info: { currency: 'HKD', amount: 80_000 }, holding_info: { currency: 'USD' } }

test(`POST ${PATH}, several rows of the schedule apply: the most specific, in any letter case`, async () => {
  await service.setFees(SCHEDULE)
  const local = { fund_transfer_network: 'CHATS' }
  assert.equal((await feesOf({ ...hkd, local })).fixed.in_holding_currency, 6)
  assert.equal((await feesOf(hkd)).fixed.in_holding_currency, 5)
  const [abroad, wallet] = [{ currency: 'USD', country: 'HK' }, { payout_type: 'wallet' }]
  assert.equal((await feesOf({ ...usd, destination_info: abroad })).fixed.in_holding_currency, 3)
  const usdt = { payout_info: { currency: 'USDT', amount: 80_000 } }
  assert.deepEqual((await feesOf({ ...usdt, ...wallet })).fixed, part(0, 0))
})

test(`POST ${PATH}, fees by country, and none named where networks are in several: 400`, async () => {
  await service.setFees(SCHEDULE)
  const refused = await account.post(PATH, usd)
  assertRefused(refused, 400, 'invalid_field', 'destination_info.country')
  // The networks of HKD are all in Hong Kong, and nothing else is meant by a local payout.
  assert.equal((await feesOf(hkd)).fixed.in_holding_currency, 5)
})

test(`POST ${PATH}, fee of a country, to its territory: the same`, async () => {
  await service.setFees([{}, { fixed_amount: 3n, destination_country: 'US' }])
  for (const country of ['US', 'PR']) {
    const { fixed } = await feesOf({ ...usd, destination_info: { currency: 'USD', country } })
    assert.equal(fixed.in_holding_currency, 3)
  }
})

test(`POST ${PATH}, fee in a currency no rate joins: 422 rate_unavailable`, async () => {
  await service.setFees([{ fixed_amount: 1n, fee_currency: 'KWD' }])
  assertRefused(await account.post(PATH, usd), 422, 'rate_unavailable')
})

test(`POST ${PATH}, fee that lifts a total over 2^53 − 1: 400, never a fault`, async () => {
  await service.setFees([{ fixed_amount: 1n }])
  const same = await account.post(PATH, { payout_info: { currency: 'USD', amount: MAX } })
  assertRefused(same, 400, 'amount_out_of_range')
  // All of the amount as fee: 1125899906842624 USD cents × 8 is one more than fits into JSON.
  await service.setFees([{ variable_bps: 10_000 }])
  const display = await account.post(PATH, {
    ...hkd,
    payout_info: { currency: 'HKD', amount: MAX },
  })
  assertRefused(display, 400, 'amount_out_of_range')
})
