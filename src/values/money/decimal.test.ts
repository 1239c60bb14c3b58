// Exact decimals: examples by hand, and properties that hold for any amount and rate.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  basisPoints,
  type Decimal,
  divideByRate,
  divideDown,
  divideHalfUp,
  divideUp,
  formatDecimal,
  formatMajor,
  MAX_AMOUNT,
  multiplyByRate,
  ONE,
  parseDecimal,
  parseMajor,
  pow10,
  quotient,
  RATE_SIGNIFICANT_DIGITS,
} from './decimal.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const options = { seed, numRuns: 2_000 }
console.log(`SEED=${seed}`)

const amount = fc.bigInt({ min: 1n, max: MAX_AMOUNT })
const exponent = fc.constantFrom(0, 2, 3, 6)
/** A rate of up to 12 significant digits between 1e-8 and 1e8. */
const rate: fc.Arbitrary<Decimal> = fc
  .tuple(fc.bigInt({ min: 1n, max: pow10(12) - 1n }), fc.integer({ min: 4, max: 20 }))
  .map(([digits, scale]) => ({ digits, scale }))

test('decimal constants: the values of the specification', () => {
  assert.equal(MAX_AMOUNT, 2n ** 53n - 1n)
  assert.equal(RATE_SIGNIFICANT_DIGITS, 12)
  assert.deepEqual(ONE, { digits: 1n, scale: 0 })
})

test('divideHalfUp, exact halves: rounded away from zero', () => {
  const rows: readonly [n: bigint, d: bigint, want: bigint][] = [
    [5n, 2n, 3n],
    [-5n, 2n, -3n],
    [4n, 3n, 1n],
    [7n, 4n, 2n],
    [1n, 2n, 1n],
    [49n, 100n, 0n],
    [0n, 7n, 0n],
  ]
  for (const [n, d, want] of rows) assert.equal(divideHalfUp(n, d), want, `${n}/${d}`)
})

test('divideUp and divideDown: rounded up or down, exact quotients unchanged; negatives and divisor zero refused', () => {
  const rows: readonly [n: bigint, d: bigint, down: bigint, up: bigint][] = [
    [0n, 3n, 0n, 0n],
    [1n, 3n, 0n, 1n],
    [3n, 3n, 1n, 1n],
    [4n, 3n, 1n, 2n],
    [MAX_AMOUNT, 2n, MAX_AMOUNT / 2n, MAX_AMOUNT / 2n + 1n],
  ]
  for (const [n, d, down, up] of rows) {
    assert.deepEqual([divideDown(n, d), divideUp(n, d)], [down, up], `${n}/${d}`)
  }
  for (const [n, d] of [
    [-1n, 3n],
    [1n, 0n],
    [1n, -3n],
  ] as const) {
    assert.throws(() => divideDown(n, d), RangeError)
    assert.throws(() => divideUp(n - d, d), RangeError)
  }
})

test('divideHalfUp, divisor zero or negative: throws', () => {
  for (const d of [0n, -1n]) {
    assert.throws(() => divideHalfUp(1n, d), /^RangeError: divideHalfUp needs a positive divisor$/)
  }
})

test('basis points, 42 of 3,682,500, where floating point fails: 15,467', () => {
  assert.equal(basisPoints(3_682_500n, 42), 15_467n)
})

test('rate, parsed and printed: the same text, without trailing zeros', () => {
  const rows: readonly [string, string | undefined][] = [
    ['7.81', '7.81'],
    ['007.8100', '7.81'],
    ['1', '1'],
    ['0.000012', '0.000012'],
    ['1e2', undefined],
    ['-1', undefined],
    ['.5', undefined],
    ['1.', undefined],
    ['', undefined],
    ['NaN', undefined],
    ['x1', undefined],
    ['1x', undefined],
    ['0', '0'],
    ['10', '10'],
    ['0.00', '0'],
    ['10.50', '10.5'],
    ['9'.repeat(20), '9'.repeat(20)],
    ['9'.repeat(21), undefined],
    [`0.${'9'.repeat(30)}`, `0.${'9'.repeat(30)}`],
    [`0.${'9'.repeat(31)}`, undefined],
  ]
  for (const [text, want] of rows) {
    const value = parseDecimal(text)
    assert.equal(value && formatDecimal(value), want, text)
  }
})

test('quotient of any size: rounded down once to 12 significant digits', () => {
  const rows: readonly [n: bigint, d: bigint, want: string][] = [
    [1n, 3n, '0.333333333333'],
    [2n, 3n, '0.666666666666'],
    [8_843_800n, 1_126_900n, '7.84790132221'],
    [1n, 7_000_000_000n, '0.000000000142857142857'],
    [10n ** 20n, 3n, '33333333333300000000'],
    [9_999_999_999_995n, 10n, '999999999999'],
    [1n, 1n, '1'],
  ]
  for (const [n, d, want] of rows) assert.equal(formatDecimal(quotient(n, d)), want, `${n}/${d}`)
})

test('quotient with zero or negatives: throws', () => {
  for (const [n, d] of [
    [0n, 1n],
    [1n, 0n],
    [-1n, 1n],
    [1n, -1n],
  ] as const) {
    assert.throws(() => quotient(n, d), /^RangeError: quotient needs positive numbers$/)
  }
})

test('amount times rate: exact across decimals, rounded once, down or up', () => {
  const rows: readonly [
    amount: bigint,
    rate: string,
    from: number,
    to: number,
    by: bigint,
    over: bigint,
  ][] = [
    [10_000n, '7.81', 2, 2, 78_100n, 1_281n],
    [10_000n, '150', 2, 0, 15_000n, 1n],
    [15_000n, '0.0064', 0, 2, 9_600n, 234_375_000n],
    [1n, '0.5', 2, 2, 0n, 2n],
    [3n, '0.15', 2, 2, 0n, 20n],
    [1_000n, '1.000001', 2, 6, 10_000_010n, 9_999_991n],
  ]
  for (const [amount, text, from, to, by, over] of rows) {
    const rate = parseDecimal(text)
    assert.ok(rate)
    assert.equal(multiplyByRate(amount, rate, from, to, divideDown), by, `${amount} × ${text}`)
    assert.equal(divideByRate(amount, rate, from, to, divideUp), over, `${amount} ÷ ${text}`)
  }
})

test('amount printed in major units: every decimal of the currency, with sign', () => {
  const rows: readonly [amount: bigint, exponent: number, want: string][] = [
    [123_450n, 2, '1234.50'],
    [-123_450n, 2, '-1234.50'],
    [5n, 2, '0.05'],
    [-5n, 3, '-0.005'],
    [0n, 2, '0.00'],
    [0n, 0, '0'],
    [100n, 0, '100'],
    [-100n, 0, '-100'],
  ]
  for (const [value, e, want] of rows) assert.equal(formatMajor(value, e), want)
})

test('quotient: at most the exact quotient, low by less than one unit of its twelfth digit', () => {
  fc.assert(
    fc.property(amount, amount, (n, d) => {
      const { digits, scale } = quotient(n, d)
      // 0 ≤ n/d − digits·10^-scale < 10^-(scale of the twelfth digit)
      const places = RATE_SIGNIFICANT_DIGITS - digits.toString().length + scale
      const missing = n * pow10(scale) - digits * d
      const unit = d * pow10(scale)
      assert.ok(missing >= 0n, `${n}/${d}`)
      assert.ok(
        places >= 0 ? missing * pow10(places) < unit : missing < unit * pow10(-places),
        `${n}/${d}`,
      )
    }),
    options,
  )
})

test('amount converted there and back at one rate: never more than at the start', () => {
  fc.assert(
    fc.property(amount, rate, exponent, exponent, (start, r, a, b) => {
      const there = multiplyByRate(start, r, a, b, divideDown)
      const back = divideByRate(there, r, b, a, divideUp)
      assert.ok(back <= start, `${start} -> ${there} -> ${back}`)
    }),
    options,
  )
})

test('amount parsed from major units: exact, excess decimals refused', () => {
  const rows: readonly [text: string, exponent: number, want: bigint | undefined][] = [
    ['1234.50', 2, 123_450n],
    ['1234.5', 2, 123_450n],
    ['1234.505', 2, undefined],
    ['100', 0, 100n],
    ['100.5', 0, undefined],
    ['0.001', 3, 1n],
    ['-1', 2, undefined],
  ]
  for (const [text, e, want] of rows) assert.equal(parseMajor(text, e), want, text)
  fc.assert(
    fc.property(amount, exponent, (value, e) => {
      assert.equal(parseMajor(formatMajor(value, e), e), value)
    }),
    options,
  )
})
