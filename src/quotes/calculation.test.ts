// Calculations that a person can repeat: the formula, the numbers, and the exact result.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimal } from '../../test/support/given/in-memory.ts'
import {
  type Calculation,
  evaluate,
  type Factor,
  literal,
  over,
  product,
  rescale,
  roundedResult,
  TRUNCATED_DIGITS,
  term,
  times,
} from './calculation.ts'

const amount = (value: bigint) => term('amount', value)
const rate = (text: string) => term('rate', decimal(text))

test('TRUNCATED_DIGITS: 20, as documented', () => {
  assert.equal(TRUNCATED_DIGITS, 20)
})

const WRITTEN: readonly (readonly [calculation: Calculation, formula: string, text: string])[] = [
  [{ first: amount(5n), factors: [] }, 'amount', '5'],
  [{ first: amount(5n), factors: [times(rate('7.80'))] }, 'amount * rate', '5 * 7.8'],
  [
    { first: amount(5n), factors: [over(rate('0.5')), times(literal(100n))] },
    'amount / rate * 100',
    '5 / 0.5 * 100',
  ],
  [product([]), '1', '1'],
  [product([times(rate('7.8'))]), 'rate', '7.8'],
  [product([over(rate('7.8'))]), '1 / rate', '1 / 7.8'],
  [product([times(rate('7.8')), over(literal(3n))]), 'rate / 3', '7.8 / 3'],
  [product([over(rate('7.8')), times(literal(3n))]), '1 / rate * 3', '1 / 7.8 * 3'],
]

for (const [calculation, formula, text] of WRITTEN) {
  test(`evaluate, ${formula}: same formula in words and in numbers, from left to right`, () => {
    const evaluation = evaluate(calculation)
    assert.equal(evaluation.formula, formula)
    assert.equal(evaluation.calculation, text)
  })
}

const RESCALED: readonly (readonly [from: number, to: number, text: string])[] = [
  [2, 2, '7'],
  [0, 0, '7'],
  [0, 2, '7 * 100'],
  [2, 6, '7 * 10000'],
  [2, 3, '7 * 10'],
  [3, 2, '7 / 10'],
  [2, 0, '7 / 100'],
  [6, 2, '7 / 10000'],
]

for (const [from, to, text] of RESCALED) {
  test(`rescale, from ${from} places to ${to}: ${text}`, () => {
    const { formula, calculation } = evaluate({ first: literal(7n), factors: rescale(from, to) })
    assert.deepEqual([formula, calculation], [text, text])
  })
}

const EXACT: readonly (readonly [text: string, unrounded: string, rounded: bigint])[] = [
  ['0 / 7', '0', 0n],
  ['6 / 3', '2', 2n],
  ['1 / 2', '0.5', 1n],
  ['1 / 4', '0.25', 1n],
  ['1 / 8', '0.125', 1n],
  ['1 / 5', '0.2', 1n],
  ['1 / 25', '0.04', 1n],
  ['1 / 40', '0.025', 1n],
  ['1 / 50', '0.02', 1n],
  ['3 / 2', '1.5', 2n],
  ['10 / 4', '2.5', 3n],
  ['7.81 * 100', '781', 781n],
  ['0.25 * 0.5', '0.125', 1n],
  ['3 / 0.6', '5', 5n],
  ['21 / 1.4 * 0.1', '1.5', 2n],
]

const CUT: readonly (readonly [text: string, unrounded: string, rounded: bigint])[] = [
  ['1 / 3', '0.33333333333333333333', 1n],
  ['2 / 3', '0.66666666666666666666', 1n],
  ['7 / 3', '2.3333333333333333333', 3n],
  ['10 / 3', '3.3333333333333333333', 4n],
  ['20 / 3', '6.6666666666666666666', 7n],
  ['10000 / 3', '3333.3333333333333333', 3334n],
  ['1 / 3000', '0.00033333333333333333333', 1n],
  ['1 / 7.8', '0.12820512820512820512', 1n],
  // A little more than 1, which only the twenty-first digit shows.
  [`3${'0'.repeat(19)}1 / 3${'0'.repeat(20)}`, `1.${'0'.repeat(19)}`, 2n],
  // All digits before the point, and one after it.
  [`1${'0'.repeat(19)} / 3`, `3333333333333333333.3`, 3_333_333_333_333_333_334n],
  [`1${'0'.repeat(20)} / 3`, `33333333333333333333.3`, 33_333_333_333_333_333_334n],
  [`1${'0'.repeat(25)} / 3`, `${'3'.repeat(25)}.3`, BigInt(`${'3'.repeat(24)}4`)],
]

const numberOf = (text: string) => term('', text.includes('.') ? decimal(text) : BigInt(text))

/** `6 / 3 * 0.5`, read from left to right. */
function calculationOf(text: string): Calculation {
  const [first = '', ...rest] = text.split(' ')
  const factors: Factor[] = []
  for (let i = 0; i < rest.length; i += 2) {
    const factor = numberOf(rest[i + 1] ?? '')
    factors.push(rest[i] === '*' ? times(factor) : over(factor))
  }
  return { first: numberOf(first), factors }
}

for (const [text, unrounded, rounded] of EXACT) {
  test(`evaluate, ${text}: ${unrounded} exactly, ${rounded} rounded up`, () => {
    const evaluation = evaluate(calculationOf(text))
    assert.deepEqual([evaluation.unrounded, evaluation.truncated], [unrounded, false])
    assert.equal(roundedResult(calculationOf(text)), rounded)
  })
}

for (const [text, unrounded, rounded] of CUT) {
  test(`evaluate, ${text}: begins ${unrounded}, ${rounded} rounded up`, () => {
    const evaluation = evaluate(calculationOf(text))
    assert.deepEqual([evaluation.unrounded, evaluation.truncated], [unrounded, true])
    assert.equal(roundedResult(calculationOf(text)), rounded)
  })
}

test('evaluate, random fractions: printed result exact, or low by less than one unit of the last digit', () => {
  const positive = fc.bigInt({ min: 1n, max: 10n ** 15n })
  fc.assert(
    fc.property(positive, positive, (n, d) => {
      const { unrounded, truncated } = evaluate({ first: amount(n), factors: [over(literal(d))] })
      const [, fraction = ''] = unrounded.split('.')
      const shown = BigInt(unrounded.replace('.', ''))
      const left = n * 10n ** BigInt(fraction.length) - shown * d
      if (!truncated) return assert.equal(left, 0n)
      assert.ok(left > 0n && left < d)
      assert.equal(unrounded.replace('.', '').replace(/^0+/, '').length, TRUNCATED_DIGITS)
    }),
  )
})
