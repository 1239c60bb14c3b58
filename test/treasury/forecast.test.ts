// The forecast of an account at a bank, by banking day.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forecastOf } from '../../src/treasury/forecast.ts'

const NOSTRO = { name: 'eur_main', currency: 'EUR', settings: { low: '500', critical: '100' } }
const on = (day: string, amount: bigint, nostro = 'eur_main') => ({ nostro, day, amount })

test('moves of five banking days: each day’s balance, and the days below the levels', () => {
  const days = forecastOf(
    NOSTRO,
    1_000n,
    [on('2026-11-30', -300n), on('2026-12-01', -300n), on('2026-12-02', -350n)],
    '2026-11-30',
  )
  assert.deepEqual(
    days.map(({ day, balance, state, missing }) => [day, balance, state, missing]),
    [
      ['2026-11-30', 700n, 'good', 0n],
      ['2026-12-01', 400n, 'low', 100n],
      ['2026-12-02', 50n, 'critical', 50n],
      ['2026-12-03', 50n, 'critical', 50n],
      ['2026-12-04', 50n, 'critical', 50n],
    ],
  )
})

test('moves on a weekend: count on Monday, and those of another account not at all', () => {
  const days = forecastOf(
    NOSTRO,
    1_000n,
    [
      on('2026-12-05', -1n),
      on('2026-12-06', -2n),
      on('2026-12-07', -4n),
      on('2026-12-07', -8n, 'x'),
    ],
    '2026-12-04',
  )
  assert.deepEqual(
    days.slice(0, 2).map(({ day, moves }) => [day, moves]),
    [
      ['2026-12-04', 0n],
      ['2026-12-07', -7n],
    ],
  )
})

test('calendar of TARGET: Good Friday has no bank', () => {
  const settings = { statement: { calendar: 't2' } }
  const days = forecastOf({ ...NOSTRO, settings }, 0n, [], '2027-03-25')
  assert.deepEqual(
    days.slice(0, 2).map(({ day }) => day),
    ['2027-03-25', '2027-03-30'],
  )
})
