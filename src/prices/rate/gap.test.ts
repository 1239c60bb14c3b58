// Gaps as a table: rows beside the ratio of the values, the spread that they may differ by, and the
// rows of a change that a gap is blamed on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rateBook } from '../../../test/support/given/in-memory.ts'
import { findGaps, gapsOf, withRates } from './gap.ts'

const values = { 'EUR/USD': '1.2', 'EUR/GBP': '0.8' }

const CASES: readonly (readonly [mid: string, spread_bps: number, words: string | undefined])[] = [
  ['1.5', 0, undefined],
  ['1.500000000000000001', 0, '0 % above 1.5'],
  ['1.5075', 50, undefined],
  ['1.5076', 50, '0.5 % above 1.5'],
  ['1.4', 50, '6.66 % below 1.5'],
]

for (const [mid, spread_bps, words] of CASES) {
  test(`findGaps, rate ${mid} where two other rows give 1.5, spread of ${spread_bps}: ${words ?? 'no gap'}`, () => {
    const gaps = findGaps(rateBook({ ...values, 'GBP/USD': mid }), () => spread_bps)
    const made = 'which EUR/GBP and EUR/USD make; accounts get the worse of both'
    assert.deepEqual(
      gaps.map(({ message }) => message),
      words === undefined ? [] : [`GBP/USD ${mid} is ${words}, ${made}`],
    )
  })
}

test('findGaps, two spreads: the smaller of both directions decides', () => {
  const book = rateBook({ ...values, 'GBP/USD': '1.503' })
  const spreadOf = (from: string) => (from === 'USD' ? 10 : 100)
  assert.equal(findGaps(book, spreadOf).length, 1)
  assert.equal(findGaps(book, () => 100).length, 0)
})

test('findGaps, sample rate: has no gap and causes none', () => {
  const book = rateBook({ ...values, 'GBP/USD': '9' })
  const sample = (pair: string) => {
    const rate = book.rates.get(pair)
    assert.ok(rate)
    return withRates(book, [{ ...rate, sample: true }])
  }
  for (const pair of ['GBP/USD', 'EUR/USD'])
    assert.deepEqual(
      findGaps(sample(pair), () => 0),
      [],
    )
})

test('gapsOf: a gap is listed at its three rows only', () => {
  const book = rateBook({ ...values, 'GBP/USD': '1.6', 'EUR/JPY': '160' })
  const gaps = findGaps(book, () => 0)
  const of = (pair: string) =>
    gapsOf(
      gaps,
      [...book.rates.values()].filter(r => `${r.base}/${r.quote}` === pair),
    )
  for (const pair of ['GBP/USD', 'EUR/USD', 'EUR/GBP']) assert.equal(of(pair).length, 1)
  assert.equal(of('EUR/JPY').length, 0)
})

test('withRates, new rate: replaces its pair and the inverse pair', () => {
  const book = rateBook(values)
  const [usd] = [...rateBook({ 'USD/EUR': '0.9' }).rates.values()]
  assert.ok(usd)
  assert.deepEqual([...withRates(book, [usd]).rates.keys()], ['EUR/GBP', 'USD/EUR'])
})
