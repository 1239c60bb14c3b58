// The fee schedule as tables: the row that applies (§fee.row), and its fees.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feeRow, NOW, rateBook, refusalOf } from '../../../test/support/given/in-memory.ts'
import { type Fee, type FeeSubject, feeAmounts, feeWays, selectFee } from './rules.ts'

const subject: FeeSubject = {
  payout_type: 'local',
  payout_currency: 'HKD',
  destination_country: 'HK',
  network: 'chats',
  charge_type: 'ours',
}

const COLUMNS = ['payout_currency', 'destination_country', 'network', 'charge_type'] as const
const columnsOf = (bits: number) => COLUMNS.filter((_, i) => (bits & (8 >> i)) !== 0)

/** A row for each set of columns: every one matches the subject. */
const EVERY_ROW: readonly Fee[] = Array.from({ length: 16 }, (_, bits) =>
  feeRow(Object.fromEntries(columnsOf(bits).map(column => [column, subject[column]]))),
)

/** From the most specific to the least: most columns first, then the earlier column. */
const ORDER: readonly (readonly (typeof COLUMNS)[number][])[] = [
  ['payout_currency', 'destination_country', 'network', 'charge_type'],
  ['payout_currency', 'destination_country', 'network'],
  ['payout_currency', 'destination_country', 'charge_type'],
  ['payout_currency', 'network', 'charge_type'],
  ['destination_country', 'network', 'charge_type'],
  ['payout_currency', 'destination_country'],
  ['payout_currency', 'network'],
  ['payout_currency', 'charge_type'],
  ['destination_country', 'network'],
  ['destination_country', 'charge_type'],
  ['network', 'charge_type'],
  ['payout_currency'],
  ['destination_country'],
  ['network'],
  ['charge_type'],
  [],
]

const setIn = (fee: Fee | undefined) => fee && COLUMNS.filter(column => fee[column] !== null)

test('selectFee, rows with any set of columns: the row with most columns, then the one with the earlier column', () => {
  for (const rows of [EVERY_ROW, EVERY_ROW.toReversed()]) {
    const left = [...rows]
    const chosen = ORDER.map(() => {
      const fee = selectFee(left, subject)
      left.splice(left.indexOf(fee as Fee), 1)
      return setIn(fee)
    })
    assert.deepEqual(chosen, ORDER)
    assert.equal(selectFee(left, subject), undefined)
  }
})

for (const column of COLUMNS) {
  test(`selectFee, row for another ${column}: not selected, nor for a payout without ${column}`, () => {
    const row = feeRow({ [column]: subject[column] })
    assert.equal(selectFee([row], subject), row)
    for (const value of ['other', '', `${subject[column]}x`]) {
      assert.equal(selectFee([row], { ...subject, [column]: value }), undefined)
    }
    const any = feeRow({})
    assert.equal(selectFee([row, any], { ...subject, [column]: '' }), any)
  })

  test(`selectFee, ${column} in another letter case: selected`, () => {
    const lower = feeRow({ [column]: subject[column].toLowerCase() })
    const upper = feeRow({ [column]: subject[column].toUpperCase() })
    const asked = { ...subject, [column]: subject[column].toUpperCase() }
    assert.equal(selectFee([lower], asked), lower)
    assert.equal(selectFee([upper], { ...subject, [column]: subject[column].toLowerCase() }), upper)
  })
}

test('selectFee, another payout type: no row selected, not even a row of wildcards', () => {
  assert.equal(selectFee(EVERY_ROW, { ...subject, payout_type: 'swift' }), undefined)
  assert.equal(selectFee([], subject), undefined)
})

test('selectFee, two equal rows: the first is selected', () => {
  const [first, second] = [feeRow({}), feeRow({})]
  assert.equal(selectFee([first, second], subject), first)
})

test('selectFee, a sample row with every column, and an own row with none: the own row', () => {
  const sample = feeRow({ ...EVERY_ROW.at(-1), sample: true })
  const own = feeRow({})
  assert.equal(selectFee([sample, own], subject), own)
  assert.equal(selectFee([own, sample], subject), own)
  assert.equal(selectFee([sample], subject), sample)
})

const rates = rateBook({ 'USD/HKD': '8', 'EUR/USD': '1.25' })
const AT_MID = {
  rates,
  policyOf: () => ({ spread_bps: 500, max_age_s: null, any_age: true }),
}

const AMOUNTS: readonly (readonly [
  what: string,
  fee: Partial<Fee>,
  holding: readonly [currency: string, amount: bigint],
  fixed: bigint,
  variable: bigint,
])[] = [
  ['a row of zero', {}, ['USD', 10_000n], 0n, 0n],
  ['a fixed part', { fixed_amount: 150n }, ['USD', 10_000n], 150n, 0n],
  ['a fixed part, converted at mid', { fixed_amount: 150n }, ['HKD', 10_000n], 1_200n, 0n],
  ['basis points', { variable_bps: 25 }, ['USD', 10_000n], 0n, 25n],
  ['basis points, half a unit', { variable_bps: 25 }, ['USD', 10_200n], 0n, 26n],
  ['basis points in any currency', { variable_bps: 25 }, ['HKD', 10_000n], 0n, 25n],
  ['both', { fixed_amount: 7n, variable_bps: 100 }, ['USD', 500n], 7n, 5n],
  ['below the minimum', { variable_bps: 25, minimum_amount: 26n }, ['USD', 10_000n], 0n, 26n],
  ['at the minimum', { variable_bps: 25, minimum_amount: 25n }, ['USD', 10_000n], 0n, 25n],
  ['above the minimum', { variable_bps: 25, minimum_amount: 24n }, ['USD', 10_000n], 0n, 25n],
  ['a minimum, converted', { variable_bps: 25, minimum_amount: 26n }, ['HKD', 10_000n], 0n, 208n],
  ['above the maximum', { variable_bps: 25, maximum_amount: 24n }, ['USD', 10_000n], 0n, 24n],
  ['below the maximum', { variable_bps: 25, maximum_amount: 26n }, ['USD', 10_000n], 0n, 25n],
  ['a maximum, converted', { variable_bps: 25, maximum_amount: 2n }, ['HKD', 10_000n], 0n, 16n],
  ['a maximum of zero', { variable_bps: 25, maximum_amount: 0n }, ['USD', 10_000n], 0n, 0n],
  [
    'between both bounds',
    { variable_bps: 25, minimum_amount: 24n, maximum_amount: 26n },
    ['USD', 10_000n],
    0n,
    25n,
  ],
]

for (const [what, fee, [currency, amount], fixed, variable] of AMOUNTS) {
  test(`feeAmounts, ${what}: ${fixed} fixed and ${variable} variable`, () => {
    const holding = { currency, amount }
    assert.deepEqual(feeAmounts(feeRow(fee), holding, AT_MID, NOW), { fixed, variable })
  })
}

test('feeAmounts, no fee row: zero', () => {
  const holding = { currency: 'XXX', amount: 10_000n }
  assert.deepEqual(feeAmounts(undefined, holding, AT_MID, NOW), { fixed: 0n, variable: 0n })
})

test('feeAmounts, fee currency without a rate: refused if an amount must be converted', () => {
  const holding = { currency: 'GBP', amount: 10_000n }
  const free = feeRow({ variable_bps: 25 })
  assert.deepEqual(feeAmounts(free, holding, AT_MID, NOW), { fixed: 0n, variable: 25n })
  for (const part of [{ fixed_amount: 1n }, { minimum_amount: 1n }, { maximum_amount: 1n }]) {
    assert.deepEqual(
      refusalOf(() => feeAmounts(feeRow(part), holding, AT_MID, NOW)),
      ['rate_unavailable at the whole: No rate joins USD and GBP.'],
    )
  }
})

const STEPS: readonly (readonly [fee: Partial<Fee>, currency: string, rows: string[]])[] = [
  [{}, 'HKD', []],
  [{ variable_bps: 25 }, 'HKD', []],
  [{ minimum_amount: 0n, maximum_amount: 0n }, 'HKD', []],
  [{ fixed_amount: 1n }, 'HKD', ['USD/HKD']],
  [{ minimum_amount: 1n }, 'HKD', ['USD/HKD']],
  [{ maximum_amount: 1n }, 'HKD', ['USD/HKD']],
  [{ fixed_amount: 1n }, 'USD', []],
  [{ fixed_amount: 1n }, 'GBP', []],
  [{ fixed_amount: 1n, fee_currency: 'HKD' }, 'USD', ['USD/HKD']],
]

for (const [part, currency, rows] of STEPS) {
  const named = Object.keys(part).join(' and ') || 'nothing'
  test(`feeWays, fee in ${named}, payout in ${currency}: ${rows.join(', ') || 'no rate row'}`, () => {
    const { decides, other } = feeWays(feeRow(part), currency, rates)
    assert.deepEqual(other, [])
    assert.deepEqual(
      decides.map(({ rate }) => `${rate.base}/${rate.quote}`),
      rows,
    )
  })
}
