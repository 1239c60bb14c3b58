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

const AMOUNTS: readonly [what: string, fee: Partial<Fee>, fixed: object, variable: object][] = [
  ['fixed in the holding currency', { fixed_amount: 250n }, part(250, 2_000), part(0, 0)],
  [
    'fixed in another currency: converted at the book',
    { fixed_amount: 200n, fee_currency: 'EUR' },
    part(250, 2_000),
    part(0, 0),
  ],
  // 100 JPY ÷ 150 = 0.6666… USD
  [
    'fixed in a currency without places: rounded once',
    { fixed_amount: 100n, fee_currency: 'JPY' },
    part(67, 536),
    part(0, 0),
  ],
  ['25 basis points of the holding amount', { variable_bps: 25 }, part(0, 0), part(25, 200)],
  // 10 000 × 0.0035 = 35; half a cent goes up: see 5 below.
  ['both parts', { fixed_amount: 30n, variable_bps: 35 }, part(30, 240), part(35, 280)],
  ['minimum', { variable_bps: 25, minimum_amount: 40n }, part(0, 0), part(40, 320)],
  ['minimum not reached', { variable_bps: 25, minimum_amount: 25n }, part(0, 0), part(25, 200)],
  ['maximum', { variable_bps: 2_500, maximum_amount: 99n }, part(0, 0), part(99, 792)],
  [
    'minimum in another currency',
    { variable_bps: 1, minimum_amount: 80n, fee_currency: 'EUR' },
    part(0, 0),
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

test(`POST ${PATH}, variable fee of a part of a cent: rounded up`, async () => {
  await service.setFees([{ variable_bps: 50 }])
  const fees = await feesOf({ payout_info: { currency: 'USD', amount: 100 } })
  assert.deepEqual(fees.variable, part(1, 1))
  const less = await feesOf({ payout_info: { currency: 'USD', amount: 1 } })
  assert.deepEqual(less.variable, part(1, 1))
})

test(`POST ${PATH}, fee without a row for its type: 0`, async () => {
  await service.setFees([{ payout_type: 'swift', fixed_amount: 500n }])
  const none = { fixed: part(0, 0), variable: part(0, 0) }
  assert.deepEqual(await feesOf(toHkd), none)
  assert.deepEqual(await feesOf({ ...usdt, payout_type: 'wallet' }), none)
  const swift = await feesOf({ ...toHkd, payout_type: 'swift' })
  assert.deepEqual(swift.fixed, part(500, 4_000))
})

/** Each row has another fixed fee, so the fee says which row won. */
const SCHEDULE: readonly Partial<Fee>[] = [
  { fixed_amount: 1n },
  { fixed_amount: 2n, payout_currency: 'HKD' },
  { fixed_amount: 3n, destination_country: 'HK' },
  { fixed_amount: 4n, network: 'ach' },
  { fixed_amount: 5n, payout_currency: 'HKD', destination_country: 'HK' },
  { fixed_amount: 6n, payout_currency: 'HKD', destination_country: 'HK', network: 'chats' },
  { payout_type: 'swift', fixed_amount: 7n },
  { payout_type: 'swift', fixed_amount: 8n, charge_type: 'ours' },
  { payout_type: 'local_payment_network', fixed_amount: 9n, network: 'pix' },
  { payout_type: 'wallet', fixed_amount: 10n, network: 'ethereum' },
]
const hk = { currency: 'HKD', country: 'HK' }
const usd = { payout_info: { currency: 'USD', amount: 80_000 } }
const usdt = {
  payout_info: { currency: 'USDT', amount: 80_000 },
  holding_info: { currency: 'USD' },
}
const brl = { payout_info: { currency: 'BRL', amount: 80_000 }, holding_info: { currency: 'USD' } }
const elsewhere = { destination_info: { currency: 'USD', country: 'US' } }
const hkd = { payout_info: { currency: 'HKD', amount: 80_000 }, holding_info: { currency: 'USD' } }

const SELECTED: readonly [what: string, body: object, row: number][] = [
  ['type alone', { ...usd, ...elsewhere }, 1],
  ['payout currency', { ...hkd, ...elsewhere }, 2],
  ['destination country', { ...usd, destination_info: hk }, 3],
  ['network', { ...usd, ...elsewhere, local: { fund_transfer_network: 'ach' } }, 4],
  ['currency and country', { ...hkd, destination_info: hk }, 5],
  ['all three', { ...hkd, destination_info: hk, local: { fund_transfer_network: 'chats' } }, 6],
  ['charge_type another', { ...usd, payout_type: 'swift', swift: { charge_type: 'shared' } }, 7],
  ['charge_type', { ...usd, payout_type: 'swift', swift: { charge_type: 'ours' } }, 8],
  [
    'payment network',
    { ...brl, payout_type: 'local_payment_network', local_payment_network: { type: 'pix' } },
    9,
  ],
  ['chain', { ...usdt, payout_type: 'wallet', wallet: { type: 'ethereum' } }, 10],
]

for (const [what, body, row] of SELECTED) {
  test(`POST ${PATH}, fee schedule, most specific match is ${what}: row ${row} wins`, async () => {
    await service.setFees(SCHEDULE)
    assert.equal((await feesOf(body)).fixed.in_holding_currency, row)
  })
}

const ANY_CASE: readonly [what: string, body: object, row: number][] = [
  [
    'PIX',
    { ...brl, payout_type: 'local_payment_network', local_payment_network: { type: 'PIX' } },
    9,
  ],
  ['Ethereum', { ...usdt, payout_type: 'wallet', wallet: { type: 'Ethereum' } }, 10],
  ['ACH', { ...usd, ...elsewhere, local: { fund_transfer_network: 'ACH' } }, 4],
]

for (const [name, body, row] of ANY_CASE) {
  test(`POST ${PATH}, network written ${name}: costs what it costs in small letters`, async () => {
    await service.setFees(SCHEDULE)
    assert.equal((await feesOf(body)).fixed.in_holding_currency, row)
  })
}

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
