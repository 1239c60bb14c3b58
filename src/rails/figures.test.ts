// The figures of rails: sums by rail, and percentiles of the paid payouts' durations.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EndedPayouts, figuresOf } from './figures.ts'

const paid = (seconds: number, payouts = 1, rail = 'bank'): EndedPayouts => {
  return { rail, paid: true, seconds, payouts, stands_for: payouts }
}
const unpaid = (payouts: number, rail = 'bank'): EndedPayouts => {
  return { rail, paid: false, seconds: 0, payouts, stands_for: 0 }
}

const CASES: readonly (readonly [
  what: string,
  ended: readonly EndedPayouts[],
  ...figures: unknown[],
])[] = [
  ['one paid', [paid(7)], 1, 1, 7],
  ['none paid: no median', [unpaid(3)], 3, 0, null],
  ['an odd number: the middle one', [paid(9), paid(1), paid(5)], 3, 3, 5, 9],
  ['an even number: the lower of the two', [paid(9), paid(1)], 2, 2, 1, 9],
  ['95 of 100: the 95th, not the 96th', [paid(1, 95), paid(8, 5)], 100, 100, 1],
  ['fewer than 95 of 100 are as fast', [paid(1, 94), paid(8, 6)], 100, 100, 1, 8],
  ['weighted payouts', [paid(1), paid(9, 3)], 4, 4, 9],
  [
    'a sample: it stands for the others, which are counted',
    [{ ...paid(0, 10), stands_for: 0 }, ...[3, 8].map(s => ({ ...paid(s, 0), stands_for: 5 }))],
    ...[10, 10, 3, 8],
  ],
  ['unpaid payouts: counted, but not in the median', [paid(4), unpaid(9)], 10, 1, 4],
]

for (const [what, ended, payouts, succeeded, median_s, p95_s = median_s] of CASES) {
  test(`figuresOf ended payouts, ${what}`, () => {
    assert.deepEqual(figuresOf(ended).get('bank'), { payouts, succeeded, median_s, p95_s })
  })
}

test('figuresOf, several rails: separate figures for each', () => {
  const figures = figuresOf([paid(1), paid(5, 1, 'other'), unpaid(1, 'other')])
  assert.deepEqual(figures.get('bank'), { payouts: 1, succeeded: 1, median_s: 1, p95_s: 1 })
  assert.deepEqual(figures.get('other'), { payouts: 2, succeeded: 1, median_s: 5, p95_s: 5 })
  assert.equal(figures.get('third'), undefined)
})
