// The rate book as tables: the rows that join two currencies, their largest age, and the customer's
// rate (§rate.precision, §rate.cross, §rate.age).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimal, NOW, rateBook, refusalOf } from '../../../test/support/given/in-memory.ts'
import { plusMilliseconds } from '../../values/instant.ts'
import { formatDecimal } from '../../values/money/decimal.ts'
import {
  convertAtMid,
  customerRate,
  goodUntil,
  RateBook,
  type Step,
  stepsBetween,
  valueSteps,
  waysBetween,
} from './rules.ts'

const MID = { spread_bps: 0, max_age_s: null, any_age: true }
const BY_SOURCE = { spread_bps: 0, max_age_s: null, any_age: false }
/** The pivot is EUR. USD/HKD and HKD/USD do not agree, so that a result shows which row it used. */
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
  test(`stepsBetween, ${from} to ${to}: ${rows?.join(', ') ?? 'not connected'}`, () => {
    const steps = stepsBetween(book, from, to)?.map(({ rate, inverted }) => {
      assert.equal(typeof inverted, 'boolean')
      return `${rate.base}/${rate.quote}${inverted ? ' inverted' : ''}`
    })
    assert.deepEqual(steps, rows)
  })
}

/**
 * The pivot is EUR; AED and SAR are pegged to USD, XAF to EUR; a desk sets AED/INR, and GBP/XAF.
 */
const pegs = rateBook({
  'USD/AED peg': '3.6725',
  'USD/SAR peg': '3.75',
  'EUR/XAF peg': '655.957',
  'EUR/USD': '1.25',
  'EUR/GBP': '0.8',
  'USD/HKD': '8',
  'AED/INR': '25',
  'GBP/XAF': '820',
  'ZAR/ZMW peg': '2',
})

const PEGGED: readonly (readonly [from: string, to: string, rows: string[] | undefined])[] = [
  ['USD', 'AED', ['USD/AED']],
  ['AED', 'USD', ['USD/AED inverted']],
  ['AED', 'SAR', ['USD/AED inverted', 'USD/SAR']],
  ['AED', 'HKD', ['USD/AED inverted', 'USD/HKD']],
  ['EUR', 'AED', ['EUR/USD', 'USD/AED']],
  ['AED', 'GBP', ['USD/AED inverted', 'EUR/USD inverted', 'EUR/GBP']],
  ['XAF', 'AED', ['EUR/XAF inverted', 'EUR/USD', 'USD/AED']],
  ['USD', 'XAF', ['EUR/USD inverted', 'EUR/XAF']],
  // A row of its own comes first, in either direction.
  ['AED', 'INR', ['AED/INR']],
  ['INR', 'AED', ['AED/INR inverted']],
  ['GBP', 'XAF', ['GBP/XAF']],
  // No conversion goes through a pegged currency.
  ['SAR', 'INR', undefined],
  ['USD', 'INR', undefined],
  // No row joins the anchor with another currency.
  ['ZMW', 'USD', undefined],
]

for (const [from, to, rows] of PEGGED) {
  test(`stepsBetween with pegs, ${from} to ${to}: ${rows?.join(', ') ?? 'not connected'}`, () => {
    const steps = stepsBetween(pegs, from, to)
    assert.deepEqual(
      steps?.map(
        ({ rate, inverted }) => `${rate.base}/${rate.quote}${inverted ? ' inverted' : ''}`,
      ),
      rows,
    )
  })
}

test('stepsBetween with pegs, two anchors, neither is the pivot: four rows', () => {
  const far = rateBook({
    'USD/AED peg': '4',
    'GBP/GIP peg': '1',
    'EUR/USD': '1.25',
    'EUR/GBP': '0.8',
  })
  assert.equal(stepsBetween(far, 'AED', 'GIP')?.length, 4)
  // 1 AED = 0.25 USD = 0.2 EUR = 0.16 GBP = 0.16 GIP.
  assert.equal(formatDecimal(customerRate(far, MID, 'AED', 'GIP', NOW)), '0.16')
})

test('customerRate with pegs, two currencies pegged to USD: unchanged when EUR/USD moves', () => {
  const rateAt = (eur: string) => {
    const moved = rateBook({ 'USD/AED peg': '3.6725', 'USD/SAR peg': '3.75', 'EUR/USD': eur })
    return ['USD', 'SAR'].map(to => formatDecimal(customerRate(moved, MID, 'AED', to, NOW)))
  }
  assert.deepEqual(rateAt('1.1'), rateAt('1.2'))
})

/** The rows of `book` that agree. */
const agreed = rateBook({
  'USD/HKD': '8',
  'EUR/USD': '1.25',
  'EUR/JPY': '160',
  'GBP/EUR': '1.2',
})

const RATES: readonly (readonly [from: string, to: string, spread_bps: number, rate: string])[] = [
  ['USD', 'HKD', 0, '8'],
  ['USD', 'EUR', 0, '0.8'],
  ['USD', 'JPY', 0, '128'],
  ['JPY', 'GBP', 0, '0.00520833333333'],
  ['JPY', 'USD', 0, '0.0078125'],
  ['USD', 'HKD', 100, '7.92'],
  // The spread counts once, even with two rows.
  ['USD', 'JPY', 100, '126.72'],
  ['USD', 'HKD', 10_000 - 1, '0.0008'],
]

for (const [from, to, spread_bps, rate] of RATES) {
  test(`customerRate, ${from} to ${to} less ${spread_bps} basis points: ${rate}`, () => {
    const policy = { ...MID, spread_bps }
    assert.equal(formatDecimal(customerRate(agreed, policy, from, to, NOW)), rate)
  })
}

test('customerRate, one currency: 1, without rate, spread and age check', () => {
  const empty = new RateBook('EUR', [])
  const policy = { spread_bps: 100, max_age_s: 1, any_age: false }
  assert.deepEqual(customerRate(empty, policy, 'USD', 'USD', NOW), { digits: 1n, scale: 0 })
})

test('customerRate, currencies that no rate connects: refused, naming both', () => {
  assert.deepEqual(
    refusalOf(() => customerRate(book, MID, 'GBP', 'CHF', NOW)),
    ['rate_unavailable at the whole: No rate joins GBP and CHF.'],
  )
})

const OLD = '2026-01-31T08:29:59.123456Z'
const FRESH = '2026-01-31T09:29:00.123456Z'
const JUST = '2026-01-31T09:29:58.123456Z'
/** NOW is Saturday 31 January 2026, 10:30 in Frankfurt. */
const FRIDAY = '2026-01-30T15:00:00.000000Z'
const THURSDAY = '2026-01-29T15:00:00.000000Z'
const DAY_AGO = '2026-01-30T09:30:00.123456Z'
const LONGER_AGO = '2026-01-30T09:30:00.123455Z'

const STALE: readonly (readonly [
  what: string,
  as_of: Readonly<Record<string, string>>,
  max_age_s: number | null,
  refused: string | undefined,
])[] = [
  ['exactly as old as allowed', {}, 3_600, undefined],
  ['one second older than allowed', { 'EUR/USD': JUST, 'EUR/JPY': JUST }, 1, 'EUR/USD'],
  ['one second old where none is allowed', { 'EUR/USD': OLD }, 3_600, 'EUR/USD'],
  ['the first of two too old', { 'EUR/USD': OLD, 'EUR/JPY': FRESH }, 3_600, 'EUR/USD'],
  ['the second of two too old', { 'EUR/USD': FRESH, 'EUR/JPY': OLD }, 3_600, 'EUR/JPY'],
  ['a minute old where a minute is allowed', { 'EUR/USD': FRESH, 'EUR/JPY': FRESH }, 61, undefined],
  ['set by hand a day ago', { 'EUR/USD': DAY_AGO, 'EUR/JPY': DAY_AGO }, null, undefined],
  ['set by hand longer ago', { 'EUR/USD': FRESH, 'EUR/JPY': LONGER_AGO }, null, 'EUR/JPY'],
]

for (const [what, as_of, max_age_s, refused] of STALE) {
  const verdict = refused === undefined ? 'quoted' : 'refused with its name'
  test(`customerRate and convertAtMid, rate ${what}: ${verdict}`, () => {
    const dated = rateBook({ 'EUR/USD': '1.25', 'EUR/JPY': '160' }, as_of)
    const policy = { spread_bps: 0, max_age_s, any_age: false }
    const rate = () => customerRate(dated, policy, 'USD', 'JPY', NOW)
    const amount = () =>
      convertAtMid({ rates: dated, policyOf: () => policy }, 100n, 'USD', 'JPY', NOW)
    if (refused === undefined) {
      assert.equal(formatDecimal(rate()), '128')
      assert.equal(amount(), 128n)
      return
    }
    const old = dated.rates.get(refused)
    const until = plusMilliseconds(old?.as_of ?? '', 1000 * (max_age_s ?? 86_400))
    const message =
      `The rate ${refused} of ${old?.as_of} (test) is too old to quote: ` +
      `it was good until ${until}.`
    assert.deepEqual(refusalOf(rate), [`rate_stale at the whole: ${message}`])
    assert.deepEqual(refusalOf(amount), [`rate_stale at the whole: ${message}`])
  })
}

test('customerRate, age not checked: a rate of any age is used', () => {
  const dated = rateBook({ 'USD/JPY': '128' }, { 'USD/JPY': '2001-01-01T00:00:00.000000Z' })
  const policy = { spread_bps: 0, max_age_s: 1, any_age: true }
  assert.equal(formatDecimal(customerRate(dated, policy, 'USD', 'JPY', NOW)), '128')
})

test("customerRate, ECB rates on a Saturday: Friday's used, Thursday's refused with the time the next was due", () => {
  const quoted = (usd: string, jpy: string) => {
    const rows = [
      {
        base: 'EUR',
        quote: 'USD',
        mid: decimal('1.25'),
        source: 'ECB',
        as_of: usd,
        pegged: false,
        sample: false,
      },
      {
        base: 'EUR',
        quote: 'JPY',
        mid: decimal('160'),
        source: 'ECB',
        as_of: jpy,
        pegged: false,
        sample: false,
      },
    ]
    return () => customerRate(new RateBook('EUR', rows), BY_SOURCE, 'USD', 'JPY', NOW)
  }
  assert.equal(formatDecimal(quoted(FRIDAY, FRIDAY)()), '128')
  assert.deepEqual(refusalOf(quoted(FRIDAY, THURSDAY)), [
    `rate_stale at the whole: The rate EUR/JPY of ${THURSDAY} (ECB) is too old to quote: ` +
      `the next one was due at ${FRIDAY}, and it was good until 2026-01-30T17:00:00.000000Z.`,
  ])
})

test('goodUntil, peg of a central bank: no end; peg of a stablecoin: a day', () => {
  const peg = (quote: string) => ({
    base: 'USD',
    quote,
    mid: decimal('1'),
    source: 'test',
    as_of: '2020-01-01T00:00:00.000000Z',
    pegged: true,
    sample: false,
  })
  for (const max_age_s of [null, 60]) assert.equal(goodUntil(peg('AED'), max_age_s), null)
  for (const coin of ['USDC', 'USDT']) {
    assert.equal(goodUntil(peg(coin), null)?.good_until, '2020-01-02T00:00:00.000000Z')
    assert.equal(goodUntil(peg(coin), 60)?.good_until, '2020-01-01T00:01:00.000000Z')
  }
})

const CONVERSIONS: readonly (readonly [
  amount: bigint,
  from: string,
  to: string,
  converted: bigint,
])[] = [
  [100n, 'USD', 'HKD', 800n],
  [100n, 'USD', 'JPY', 128n],
  [128n, 'JPY', 'USD', 100n],
  // 0.78125 of a cent, and 2.34375: any part of a unit rounds up.
  [1n, 'JPY', 'USD', 1n],
  [3n, 'JPY', 'USD', 3n],
  // 10 cents and 5 cents exactly; 4.375 cents.
  [16n, 'JPY', 'EUR', 10n],
  [8n, 'JPY', 'EUR', 5n],
  [7n, 'JPY', 'EUR', 5n],
]

for (const [amount, from, to, converted] of CONVERSIONS) {
  test(`convertAtMid, ${amount} of ${from} to ${to}: ${converted}, with any spread`, () => {
    const quoted = { rates: agreed, policyOf: () => ({ ...MID, spread_bps: 500 }) }
    assert.equal(convertAtMid(quoted, amount, from, to, NOW), converted)
  })
}

test('convertAtMid, one currency: no rate needed', () => {
  const strict = { spread_bps: 0, max_age_s: 1, any_age: false }
  const empty = { rates: new RateBook('EUR', []), policyOf: () => strict }
  assert.equal(convertAtMid(empty, 0n, 'USD', 'GBP', NOW), 0n)
  assert.equal(convertAtMid(empty, 7n, 'USD', 'USD', NOW), 7n)
  assert.deepEqual(
    refusalOf(() => convertAtMid(empty, 7n, 'USD', 'GBP', NOW)),
    ['rate_unavailable at the whole: No rate joins USD and GBP.'],
  )
})

/** The pivot is EUR. USD/HKD contradicts the ratio 8; HKD/USD contradicts both. */
const torn = rateBook({
  'EUR/USD': '1.25',
  'EUR/HKD': '10',
  'USD/HKD': '8.4',
  'HKD/USD': '0.2',
  'USD/AED peg': '4',
  'HKD/AED': '0.45',
})

const COMPARED: readonly (readonly [
  from: string,
  to: string,
  bound: 'least' | 'most',
  mid: string,
  decides: string,
  other: string,
])[] = [
  ['USD', 'HKD', 'least', '8', 'USD/EUR EUR/HKD', 'USD/HKD'],
  ['USD', 'HKD', 'most', '8.4', 'USD/HKD', 'USD/EUR EUR/HKD'],
  ['HKD', 'USD', 'least', '0.125', 'HKD/EUR EUR/USD', 'HKD/USD'],
  ['HKD', 'USD', 'most', '0.2', 'HKD/USD', 'HKD/EUR EUR/USD'],
  ['HKD', 'AED', 'least', '0.45', 'HKD/AED', 'HKD/EUR EUR/USD USD/AED'],
  ['AED', 'HKD', 'least', '2', 'AED/USD USD/EUR EUR/HKD', 'AED/HKD'],
  ['AED', 'USD', 'least', '0.25', 'AED/USD', ''],
  ['EUR', 'AED', 'least', '5', 'EUR/USD USD/AED', ''],
  ['EUR', 'EUR', 'least', '1', '', ''],
]

const inWords = (steps: readonly Step[]) =>
  steps
    .map(({ rate, inverted }) => (inverted ? [rate.quote, rate.base] : [rate.base, rate.quote]))
    .map(pair => pair.join('/'))
    .join(' ')

for (const [from, to, bound, mid, decides, other] of COMPARED) {
  test(`waysBetween, contradicting rows, ${from} to ${to} at the ${bound}: ${mid}`, () => {
    const ways = waysBetween(torn, from, to, bound)
    assert.ok(ways)
    assert.deepEqual([inWords(ways.decides), inWords(ways.other)], [decides, other])
    if (bound === 'most') {
      const one = 10n ** 20n
      const quoted = { rates: torn, policyOf: () => MID }
      assert.equal(
        formatDecimal({ digits: convertAtMid(quoted, one, from, to, NOW), scale: 20 }),
        mid,
      )
    } else assert.equal(formatDecimal(customerRate(torn, MID, from, to, NOW)), mid)
  })
}

test('valueSteps, circle of rows without the pivot: every pair uses the same tree of rows', () => {
  const circle = rateBook({ 'USD/HKD': '8', 'HKD/JPY': '16', 'JPY/USD': '0.01' })
  const ways = [
    ['USD', 'HKD', 'USD/JPY JPY/HKD'],
    ['HKD', 'USD', 'HKD/JPY JPY/USD'],
    ['HKD', 'JPY', 'HKD/JPY'],
    ['JPY', 'USD', 'JPY/USD'],
  ]
  for (const [from = '', to = '', words] of ways) {
    assert.equal(inWords(valueSteps(circle, from, to)), words)
  }
})

test('customerRate, two ways to cross, the better fresh and the other too old: refused, as both are checked', () => {
  const rows = { 'EUR/USD': '1.25', 'EUR/HKD': '10', 'USD/HKD': '8.4' }
  const dated = rateBook(rows, { 'USD/HKD': '2026-01-29T00:00:00.000000Z' })
  const [words] = refusalOf(() => customerRate(dated, BY_SOURCE, 'USD', 'HKD', NOW))
  assert.match(String(words), /^rate_stale .*USD\/HKD/)
  assert.equal(formatDecimal(customerRate(dated, BY_SOURCE, 'EUR', 'HKD', NOW)), '10')
})
