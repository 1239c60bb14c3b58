// Mistakes of the finger in fees: what a person must confirm, and what is set at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feeRow } from '../../../test/support/given/in-memory.ts'
import { findFeeMistakes } from './guard.ts'
import type { Fee } from './rules.ts'

const PRESENT = {
  fixed_amount: 100n,
  variable_bps: 10,
  minimum_amount: 200n,
  maximum_amount: 2_500n,
}
const SAMPLE = { fixed_amount: 1n, sample: true }

const CASES: readonly (readonly [
  what: string,
  fee: Partial<Fee>,
  present: Partial<Fee> | undefined,
  mistakes: readonly string[],
])[] = [
  ['a tenth of the payout', { variable_bps: 1_000 }, undefined, []],
  ['more', { variable_bps: 1_001 }, undefined, ['local: variable_bps 1001 is more than 1000']],
  ['the same fee', PRESENT, PRESENT, []],
  [
    'ten times as much',
    { fixed_amount: 1_000n, variable_bps: 100, minimum_amount: 200n, maximum_amount: 25_000n },
    PRESENT,
    [
      'local: fixed_amount 10.00 is ten times the present 1.00 or more',
      'local: variable_bps 100 is ten times the present 10 or more',
      'local: maximum_amount 250.00 is ten times the present 25.00 or more',
    ],
  ],
  [
    'a tenth, without minimum and maximum',
    { fixed_amount: 10n, variable_bps: 1 },
    PRESENT,
    [
      'local: fixed_amount 0.10 is a tenth of the present 1.00 or less',
      'local: variable_bps 1 is a tenth of the present 10 or less',
    ],
  ],
  [
    'nearly ten times as much',
    { fixed_amount: 999n, variable_bps: 99, minimum_amount: 1_999n },
    PRESENT,
    [],
  ],
  [
    'another currency',
    { ...PRESENT, fee_currency: 'JPY', fixed_amount: 1n },
    PRESENT,
    ['local: fee_currency JPY was USD'],
  ],
  ['the row removed', { fixed_amount: 0n }, PRESENT, []],
  ['a first fee', { fixed_amount: 100_000n }, { fixed_amount: 0n }, []],
  ['a sample replaced', { fixed_amount: 500n }, SAMPLE, []],
]

for (const [what, fee, present, mistakes] of CASES) {
  test(`findFeeMistakes, ${what}: ${mistakes.length === 0 ? 'none' : mistakes.join('; ')}`, () => {
    const before = present === undefined ? undefined : feeRow(present)
    assert.deepEqual(findFeeMistakes(feeRow(fee), before), mistakes)
  })
}
