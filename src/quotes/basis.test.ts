// The stored basis of a price: only the rows that made it, and everything that the same rules need
// to make the same price again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AN_HOUR_AGO, feeRow, NOW, pricing, terms } from '../../test/support/given/in-memory.ts'
import type { Fee } from '../prices/fee/rules.ts'
import { RateBook } from '../prices/rate/rules.ts'
import { type Basis, makeBasis, sourcesOf } from './basis.ts'
import type { QuoteTerms } from './quote.ts'
import { priceQuote } from './rules.ts'

const RATES = {
  'USD/HKD': '8',
  'EUR/USD': '1.25',
  'EUR/JPY': '160.0',
  'GBP/EUR': '1.2',
  'USD/AED peg': '3.6725',
}
const peg = (mid: string) => ({ ...row(mid), pegged: true }) as const
const row = (mid: string) => ({ mid, source: 'test', as_of: AN_HOUR_AGO })

const named = (fee_currency: string, fixed_amount: string) => ({
  fee_currency,
  fixed_amount,
  variable_bps: 0,
})

const FULL: Fee = {
  payout_type: 'local',
  payout_currency: 'USD',
  destination_country: 'HK',
  network: 'chats',
  charge_type: 'ours',
  fixed_amount: 150n,
  fee_currency: 'USD',
  variable_bps: 25,
  minimum_amount: 10n,
  maximum_amount: 0n,
  sample: false,
}

const BASES: readonly (readonly [
  what: string,
  currencies: Partial<QuoteTerms>,
  fee: Fee | undefined,
  basis: Omit<Basis, 'spread_bps'>,
])[] = [
  ['no conversion, no fee', {}, undefined, {}],
  [
    'the holding side converted',
    { payout_currency: 'HKD', destination_currency: 'HKD' },
    undefined,
    { rates: { 'USD/HKD': row('8') } },
  ],
  [
    'the destination side converted',
    { destination_currency: 'HKD' },
    undefined,
    { rates: { 'USD/HKD': row('8') } },
  ],
  [
    'by an inverse row',
    { destination_currency: 'EUR' },
    undefined,
    { rates: { 'EUR/USD': row('1.25') } },
  ],
  [
    'crossed',
    { destination_currency: 'JPY' },
    undefined,
    { pivot: 'EUR', rates: { 'EUR/USD': row('1.25'), 'EUR/JPY': row('160') } },
  ],
  [
    'crossed through an anchor and the pivot',
    { holding_currency: 'GBP', payout_currency: 'AED', destination_currency: 'AED' },
    undefined,
    {
      pivot: 'EUR',
      rates: { 'GBP/EUR': row('1.2'), 'EUR/USD': row('1.25'), 'USD/AED': peg('3.6725') },
    },
  ],
  ['no rate', { destination_currency: 'XXX', payout_currency: 'YYY' }, undefined, {}],
  ['a fee of zero', {}, feeRow({}), { fee: named('USD', '0') }],
  [
    'a converted fee',
    {},
    feeRow({ fixed_amount: 1n, fee_currency: 'EUR' }),
    { rates: { 'EUR/USD': row('1.25') }, fee: named('EUR', '1') },
  ],
  [
    'a crossed fee',
    {},
    feeRow({ minimum_amount: 1n, fee_currency: 'JPY' }),
    {
      pivot: 'EUR',
      rates: { 'EUR/JPY': row('160'), 'EUR/USD': row('1.25') },
      fee: { ...named('JPY', '0'), minimum_amount: '1' },
    },
  ],
  [
    'a fee with every column',
    {},
    FULL,
    {
      fee: {
        fee_currency: 'USD',
        fixed_amount: '150',
        variable_bps: 25,
        minimum_amount: '10',
        maximum_amount: '0',
        payout_currency: 'USD',
        destination_country: 'HK',
        network: 'chats',
        charge_type: 'ours',
      },
    },
  ],
]

for (const [what, currencies, fee, basis] of BASES) {
  const all = { ...terms, ...currencies }

  test(`makeBasis, ${what}: contains exactly the rows used`, () => {
    assert.deepEqual(makeBasis(all, pricing(RATES, [], { spread_bps: 30 }), fee), {
      spread_bps: 30,
      ...basis,
    })
  })

  test(`sourcesOf, ${what}: the rows of the basis, of any age`, () => {
    const { pivot = '', rates = {} } = basis
    const sources = sourcesOf({ spread_bps: 30, ...basis }, all)
    const book = pricing(RATES).rates
    const rows = Object.keys(rates).flatMap(pair => book.rates.get(pair) ?? [])
    assert.deepEqual(sources.rates, new RateBook(pivot, rows))
    assert.deepEqual(sources.fees, fee === undefined ? [] : [fee])
    const policy = sources.policyOf(all.holding_currency, all.payout_currency)
    assert.deepEqual(policy, { spread_bps: 30, max_age_s: null, any_age: true })
  })
}

test('quote basis without a spread: spread not stored, read as zero', () => {
  const all = { ...terms, destination_currency: 'HKD' }
  const basis = makeBasis(all, pricing(RATES, [], { spread_bps: 0 }), undefined)
  assert.deepEqual(basis, { rates: { 'USD/HKD': row('8') } })
  assert.equal(sourcesOf(basis, all).policyOf('USD', 'HKD').spread_bps, 0)
})

test('quote priced again from its basis: same price, whatever the current rates and fees', () => {
  const fees = [feeRow({}), FULL, feeRow({ payout_currency: 'USD', fixed_amount: 9n })]
  const sources = pricing(RATES, fees, { spread_bps: 30 })
  const all: QuoteTerms = {
    ...terms,
    holding_currency: 'EUR',
    destination_currency: 'JPY',
    destination_country: 'HK',
    fund_transfer_network: 'CHATS',
    charge_type: 'ours',
    payout_amount: 100_000n,
  }
  const price = priceQuote(all, sources, NOW)
  assert.equal(price.basis.fee?.fixed_amount, '150')
  const basis = JSON.parse(JSON.stringify(price.basis))
  assert.deepEqual(priceQuote(all, sourcesOf(basis, all), NOW), price)
})

test('sourcesOf, stored rate that is no number: throws, naming the rate', () => {
  const basis: Basis = { rates: { 'USD/HKD': { ...row('8e1'), as_of: NOW } } }
  assert.throws(() => sourcesOf(basis, terms), /^Error: stored basis: rate USD\/HKD 8e1$/)
})
