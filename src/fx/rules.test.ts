// The rate book as tables: which rows join two currencies, how old they may be, and what a customer
// gets (contract 3 and 6).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AN_HOUR_AGO, decimal, NOW, rateBook, refusalOf } from '../../test/support/in-memory.ts'
import { formatDecimal } from '../money/decimal.ts'
import { convertAtMid, customerRate, describeRate, type RateBook, stepsBetween } from './rules.ts'

const MID = { spread_bps: 0, max_age_s: null, any_age: true }
/** The pivot is EUR. USD/HKD and HKD/USD do not agree, so that it shows which one is used. */
const book = rateBook({
  'USD/HKD': '8',
  'HKD/USD': '0.2',
  'EUR/USD': '1.25',
  'EUR/JPY': '160',
  'GBP/EUR': '1.2',
  'CHF/USD': '1.1',
})

const WAYS: readonly (readonly [from: string, to: string, rows: string[] | undefined])[] = [
  ['USD', 'USD', []],
  ['XXX', 'XXX', []],
  ['USD', 'HKD', ['USD/HKD']],
  ['HKD', 'USD', ['HKD/USD']],
  ['EUR', 'USD', ['EUR/USD']],
  ['USD', 'EUR', ['EUR/USD inverted']],
  ['USD', 'JPY', ['EUR/USD inverted', 'EUR/JPY']],
  ['JPY', 'USD', ['EUR/JPY inverted', 'EUR/USD']],
  ['GBP', 'JPY', ['GBP/EUR', 'EUR/JPY']],
  ['JPY', 'GBP', ['EUR/JPY inverted', 'GBP/EUR inverted']],
  ['GBP', 'CHF', undefined],
  ['CHF', 'GBP', undefined],
  ['EUR', 'CHF', undefined],
  ['CHF', 'HKD', undefined],
]

for (const [from, to, rows] of WAYS) {
  test(`stepsBetween, ${from} to ${to}: ${rows?.join(', ') ?? 'no way'}`, () => {
    const steps = stepsBetween(book, from, to)?.map(({ rate, inverted }) => {
      assert.equal(typeof inverted, 'boolean')
      return `${rate.base}/${rate.quote}${inverted ? ' inverted' : ''}`
    })
    assert.deepEqual(steps, rows)
  })
}

const RATES: readonly (readonly [from: string, to: string, spread_bps: number, rate: string])[] = [
  ['USD', 'HKD', 0, '8'],
  ['USD', 'EUR', 0, '0.8'],
  ['USD', 'JPY', 0, '128'],
  ['JPY', 'GBP', 0, '0.00520833333333'],
  ['JPY', 'USD', 0, '0.0078125'],
  ['USD', 'HKD', 100, '7.92'],
  // Once, though two rows are used.
  ['USD', 'JPY', 100, '126.72'],
  ['USD', 'HKD', 10_000 - 1, '0.0008'],
]

for (const [from, to, spread_bps, rate] of RATES) {
  test(`customerRate, ${from} to ${to} less ${spread_bps} basis points: ${rate}`, () => {
    const policy = { ...MID, spread_bps }
    assert.equal(formatDecimal(customerRate(book, policy, from, to, NOW)), rate)
  })
}

test('customerRate, one currency: 1 without a rate, a spread or an age', () => {
  const empty: RateBook = { pivot: 'EUR', rates: new Map() }
  const policy = { spread_bps: 100, max_age_s: 1, any_age: false }
  assert.deepEqual(customerRate(empty, policy, 'USD', 'USD', NOW), { digits: 1n, scale: 0 })
})

test('customerRate, no row joins them: refused, both currencies named', () => {
  assert.deepEqual(
    refusalOf(() => customerRate(book, MID, 'GBP', 'CHF', NOW)),
    ['rate_unavailable at the whole: No rate joins GBP and CHF.'],
  )
})

const OLD = '2026-01-31T08:29:59.123456Z'
const FRESH = '2026-01-31T09:29:00.123456Z'
const JUST = '2026-01-31T09:29:58.123456Z'
const THREE_DAYS = '2026-01-28T09:30:00.123456Z'
const MORE_THAN_THREE_DAYS = '2026-01-28T09:29:59.123456Z'
const STALE: readonly (readonly [
  what: string,
  as_of: Readonly<Record<string, string>>,
  max_age_s: number | null,
  refused: string | undefined,
])[] = [
  ['exactly as old as allowed', {}, 3_600, undefined],
  ['of three days, where the calendar decides', { 'EUR/USD': THREE_DAYS }, null, undefined],
  ['of a second more', { 'EUR/USD': MORE_THAN_THREE_DAYS }, null, MORE_THAN_THREE_DAYS],
  ['a second older than the one allowed', { 'EUR/USD': JUST, 'EUR/JPY': JUST }, 1, JUST],
  ['one second older', { 'EUR/USD': OLD }, 3_600, OLD],
  ['the first of two too old', { 'EUR/USD': OLD, 'EUR/JPY': FRESH }, 3_600, OLD],
  ['the second of two too old', { 'EUR/USD': FRESH, 'EUR/JPY': OLD }, 3_600, OLD],
  ['both too old', { 'EUR/USD': OLD, 'EUR/JPY': AN_HOUR_AGO }, 60, OLD],
  ['a second old where one is allowed', { 'EUR/USD': FRESH, 'EUR/JPY': FRESH }, 60, undefined],
]

for (const [what, as_of, max_age_s, refused] of STALE) {
  const verdict = refused === undefined ? 'quoted' : 'refused with the oldest time'
  test(`customerRate and convertAtMid, a rate ${what}: ${verdict}`, () => {
    const dated = rateBook({ 'EUR/USD': '1.25', 'EUR/JPY': '160' }, as_of)
    const policy = { spread_bps: 0, max_age_s, any_age: false }
    const [usd, jpy] = [
      { currency: 'USD', exponent: 2 },
      { currency: 'JPY', exponent: 0 },
    ]
    const rate = () => customerRate(dated, policy, 'USD', 'JPY', NOW)
    const amount = () => convertAtMid(dated, policy, 100n, usd, jpy, NOW)
    if (refused === undefined) {
      assert.equal(formatDecimal(rate()), '128')
      assert.equal(amount(), 128n)
      return
    }
    const message = `The newest rate for USD and JPY is of ${refused}, older than ${max_age_s ?? 259_200} s.`
    assert.deepEqual(refusalOf(rate), [`rate_stale at the whole: ${message}`])
    assert.deepEqual(refusalOf(amount), [`rate_stale at the whole: ${message}`])
  })
}

test('customerRate, any age will do: quoted, however short the age that would be allowed', () => {
  const dated = rateBook({ 'USD/JPY': '128' }, { 'USD/JPY': '2001-01-01T00:00:00.000000Z' })
  const policy = { spread_bps: 0, max_age_s: 1, any_age: true }
  assert.equal(formatDecimal(customerRate(dated, policy, 'USD', 'JPY', NOW)), '128')
})

const CONVERSIONS: readonly (readonly [
  amount: bigint,
  from: readonly [currency: string, exponent: number],
  to: readonly [currency: string, exponent: number],
  converted: bigint,
])[] = [
  [100n, ['USD', 2], ['HKD', 2], 800n],
  [100n, ['USD', 2], ['JPY', 0], 128n],
  [128n, ['JPY', 0], ['USD', 2], 100n],
  // 0.78125 of a cent; 2.34375; any part of a unit goes up.
  [1n, ['JPY', 0], ['USD', 2], 1n],
  [3n, ['JPY', 0], ['USD', 2], 3n],
  [16n, ['JPY', 0], ['EUR', 1], 1n],
  [8n, ['JPY', 0], ['EUR', 1], 1n],
  [7n, ['JPY', 0], ['EUR', 1], 1n],
]

for (const [amount, [from, fromExponent], [to, toExponent], converted] of CONVERSIONS) {
  test(`convertAtMid, ${amount} of ${from} to ${to}: ${converted}, whatever the spread`, () => {
    const result = convertAtMid(
      book,
      { ...MID, spread_bps: 500 },
      amount,
      { currency: from, exponent: fromExponent },
      { currency: to, exponent: toExponent },
      NOW,
    )
    assert.equal(result, converted)
  })
}

test('convertAtMid, nothing to convert: needs no rate', () => {
  const empty: RateBook = { pivot: 'EUR', rates: new Map() }
  const [usd, gbp] = [
    { currency: 'USD', exponent: 2 },
    { currency: 'GBP', exponent: 2 },
  ]
  const strict = { spread_bps: 0, max_age_s: 1, any_age: false }
  assert.equal(convertAtMid(empty, strict, 0n, usd, gbp, NOW), 0n)
  assert.equal(convertAtMid(empty, strict, 7n, usd, { ...usd }, NOW), 7n)
  assert.deepEqual(
    refusalOf(() => convertAtMid(empty, MID, 7n, usd, gbp, NOW)),
    ['rate_unavailable at the whole: No rate joins USD and GBP.'],
  )
})

test('describeRate: the pair, the mid, its source and its time', () => {
  const mid = decimal('1.1712')
  const rate = { base: 'EUR', quote: 'USD', mid, source: 'ECB', as_of: NOW, sample: false }
  assert.equal(describeRate(rate), `EUR/USD 1.1712 (ECB, ${NOW})`)
})
