// Money that came back: a table of amounts, and whether they are the whole payment.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWholeReturn } from './returned.ts'

const ROWS: readonly (readonly [
  paid: bigint,
  returned: bigint,
  currency: string,
  whole: boolean,
])[] = [
  [1_000_00n, 1_000_00n, 'USD', true],
  [1_000_00n, 950_00n, 'USD', true],
  [1_000_00n, 949_99n, 'USD', false],
  [1_000_000_00n, 999_900_00n, 'USD', true],
  [1_000_000_00n, 999_899_99n, 'USD', false],
  [1_000_000n, 999_900n, 'JPY', true],
  [1_000_000n, 999_899n, 'JPY', false],
  [1_000_000_000n, 999_900_000n, 'KWD', true],
  [100n, 0n, 'USD', false],
]

for (const [paid, amount, currency, whole] of ROWS) {
  test(`isWholeReturn, ${amount} of ${paid} in ${currency}: ${whole}`, () => {
    assert.equal(isWholeReturn({ amount, currency }, { amount: paid, currency }), whole)
  })
}

test('isWholeReturn, another currency: false', () => {
  const [returned, paid] = [
    { amount: 100n, currency: 'EUR' },
    { amount: 100n, currency: 'USD' },
  ]
  assert.equal(isWholeReturn(returned, paid), false)
})
