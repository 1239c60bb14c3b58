// The rows of a quarter by state of the US: the average daily liability, payouts, and each day's
// liability. Pure.
import { plusDays } from '../values/calendar/day.ts'
import { refusal } from '../values/errors.ts'
import { divideHalfUp } from '../values/money/decimal.ts'
import type { Days, Liability, StatePayouts } from './state-store.ts'

/** A quarter such as 2026Q4. */
export const QUARTER = /^(19|20)[0-9]{2}Q[1-4]$/

export const quarterOf = (day: string): string =>
  `${day.slice(0, 4)}Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`

export function firstDayOf(quarter: string): string {
  const month = Number(quarter.slice(5)) * 3 - 2
  return `${quarter.slice(0, 4)}-${String(month).padStart(2, '0')}-01`
}

export function daysOfQuarter(quarter: string): Days {
  const first = firstDayOf(quarter)
  return { first, last: plusDays(firstDayOf(quarterOf(plusDays(first, 95))), -1) }
}

/** Those of the days that are over `today`; undefined before the first one is. */
export function daysOver({ first, last }: Days, today: string): Days | undefined {
  const yesterday = plusDays(today, -1)
  if (yesterday < first) return undefined
  return { first, last: last < yesterday ? last : yesterday }
}

/** Refuses (409) figures that journals of the days are missing in. */
export function checkDerived({ last }: Days, behind: bigint): void {
  if (behind === 0n) return
  const accounts = behind === 1n ? '1 account has' : `${behind} accounts have`
  const message = `${accounts} journals up to ${last} that are not in the house’s books yet: wait.`
  throw refusal('invalid_transition', message)
}

/** Amounts are minor units. */
export interface StateRow {
  readonly figure: 'average_daily_liability' | 'payouts' | 'payouts_returned' | 'liability'
  readonly us_state: string
  readonly currency: string
  readonly day: string
  /** Of the average: over so many days. */
  readonly days: string
  /** Of payouts: so many. */
  readonly number: string
  readonly amount: bigint
}

/** The average is over all days, also those without a liability, and rounded half up. */
export function stateRows(
  { first, last }: Days,
  liabilities: readonly Liability[],
  payouts: readonly StatePayouts[],
): StateRow[] {
  const { days } = Temporal.PlainDate.from(first).until(last).add({ days: 1 })
  const nothing = { day: '', days: '', number: '' }
  const [sums, daily] = [liabilities.filter(isSum), liabilities.filter(row => !isSum(row))]
  return [
    ...sums.map(({ us_state, currency, amount }) => ({
      ...{ figure: 'average_daily_liability' as const, us_state, currency, ...nothing },
      ...{ days: String(days), amount: divideHalfUp(amount, BigInt(days)) },
    })),
    ...payouts.map(({ kind, number, us_state, currency, amount }) => ({
      figure: kind === 'payout' ? ('payouts' as const) : ('payouts_returned' as const),
      ...{ us_state, currency, ...nothing, number: String(number), amount },
    })),
    ...daily.map(({ us_state, currency, day, amount }) => ({
      ...{ figure: 'liability' as const, us_state, currency, ...nothing, day: day ?? '', amount },
    })),
  ]
}

const isSum = ({ day }: Liability) => day === null
