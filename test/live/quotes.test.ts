// A quote is held against everything that its payout would decide anew: what differs is named with
// both values, nothing is written, and the quote stays active.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { startTestService } from '../support/service/service.ts'

const service = await startTestService()
const rates = { 'USD/HKD': '7.8', 'USD/GBP': '0.75', 'USD/IDR': '16000', 'USD/USDT': '1' }
await service.setRates({ ...rates, 'USD/USDC': '1' })
const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
after(() => service.close())

const TRON = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
const ETHEREUM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const GOPAY = { deposit_key_type: 'phone', deposit_key: '+6281234567890' }

interface Row {
  readonly what: string
  readonly quote: object
  readonly type: string
  readonly amount: number
  readonly currency: string
  /** As quoted, and otherwise. */
  readonly fits: object
  readonly differs: object
  /** The member of `destination_details` that differs, the payout's value and the quote's. */
  readonly member: string
  readonly values: readonly [payout: string, quote: string]
}

const bank = (members: object) => ({ type: 'bank', bank: { ...members } })
const wallet = (type: string, deposit_address: string, currency: string) => ({
  type: 'wallet',
  wallet: { type, deposit_address, currency },
})
const paymentNetwork = (type: string) => ({
  type: 'local_payment_network',
  local_payment_network: { type, ...GOPAY },
})
const HK = {
  account_number: '123456789012',
  country: 'HK',
  currency: 'HKD',
  bank_codes: { bank_code: '004' },
}
const GB = {
  account_number: '31926819',
  country: 'GB',
  currency: 'GBP',
  bank_codes: { sort_code: '601613' },
}

const ROWS: readonly Row[] = [
  {
    what: 'Hong Kong, to an account in the United Kingdom',
    quote: {
      payout_info: { currency: 'HKD', amount: 78_000 },
      destination_info: { currency: 'HKD', country: 'HK' },
    },
    type: 'local',
    amount: 78_000,
    currency: 'HKD',
    fits: bank(HK),
    differs: bank({ ...GB, currency: 'HKD' }),
    member: 'bank.country',
    values: ['GB', 'HK'],
  },
  {
    what: 'Tron, to an address on Ethereum',
    quote: {
      payout_type: 'wallet',
      payout_info: { currency: 'USDT', amount: 5_000_000 },
      wallet: { type: 'tron' },
    },
    type: 'wallet',
    amount: 5_000_000,
    currency: 'USDT',
    fits: wallet('tron', TRON, 'USDT'),
    differs: wallet('ethereum', ETHEREUM, 'USDT'),
    member: 'wallet.type',
    values: ['ethereum', 'tron'],
  },
  {
    what: 'ShopeePay, to GoPay',
    quote: {
      payout_type: 'local_payment_network',
      payout_info: { currency: 'IDR', amount: 1_600_000 },
      local_payment_network: { type: 'shopeepay' },
    },
    type: 'local_payment_network',
    amount: 1_600_000,
    currency: 'IDR',
    fits: paymentNetwork('shopeepay'),
    differs: paymentNetwork('gopay'),
    member: 'local_payment_network.type',
    values: ['gopay', 'shopeepay'],
  },
]

async function quoteOf({ quote }: Row): Promise<string> {
  const body = { holding_info: { currency: 'USD' }, ...quote }
  const { status, json, text } = await account.post('/v3/payout/quote', body)
  assert.equal(status, 200, text)
  return json.id
}

function payoutOf({ type, amount, currency }: Row, quote: string, destination_details: object) {
  const { beneficiary_details, ...plain } = localPayout
  const details = { ...beneficiary_details, destination_details }
  return { ...plain, type, amount, currency, quote, beneficiary_details: details }
}

for (const row of ROWS) {
  test(`POST /v3/payout, a quote for ${row.what}: 422 quote_mismatch, no row changed; as quoted: paid`, async () => {
    const id = await quoteOf(row)
    const before = await rowVersions(service.database.owner)
    const answer = await account.post('/v3/payout', payoutOf(row, id, row.differs))
    const path = `beneficiary_details.destination_details.${row.member}`
    assertRefused(answer, 422, 'quote_mismatch', path)
    const [payout, quoted] = row.values
    assert.equal(
      answer.json.errors[0].message,
      `${path} is ${payout} but the quote's is ${quoted}.`,
    )
    assert.deepEqual(await rowVersions(service.database.owner), before)
    const paid = await account.post('/v3/payout', payoutOf(row, id, row.fits))
    assert.equal(paid.status, 200, paid.text)
  })

  test(`POST /v3/payout, a quote for ${row.what}, a known beneficiary: the same at beneficiary`, async () => {
    const { beneficiary_details, ...plain } = payoutOf(row, await quoteOf(row), row.differs)
    const known = await account.post('/v3/beneficiary', beneficiary_details)
    assert.equal(known.status, 200, known.text)
    const before = await rowVersions(service.database.owner)
    const body = { ...plain, beneficiary: known.json.data.id }
    const answer = await account.post('/v3/payout', body)
    assertRefused(answer, 422, 'quote_mismatch', 'beneficiary')
    assert.match(answer.json.errors[0].message, new RegExp(`${row.member} of the beneficiary is`))
    assert.deepEqual(await rowVersions(service.database.owner), before)
  })
}
