// What each account at a bank will have on the next banking days, and the day on which it falls
// below what the operator has set. Pure.
import type { CalendarName } from '../values/calendar/calendar.ts'
import { plusDays } from '../values/calendar/day.ts'
import { isBusinessDay } from '../values/calendar/rules.ts'
import type { Nostro } from './nostro.ts'

/** How many banking days a forecast has, today included. */
export const FORECAST_DAYS = 5

/** Money that is expected to move on a day, in minor units; out is negative. */
export interface Expected {
  readonly nostro: string
  readonly day: string
  readonly amount: bigint
}

export interface ForecastDay {
  readonly nostro: string
  readonly currency: string
  readonly day: string
  readonly moves: bigint
  /** At the end of the day. */
  readonly balance: bigint
  readonly state: 'good' | 'low' | 'critical'
  /** Of the moves of today: payouts that wait for funds. */
  readonly waits_for_funds: bigint
  /** What is missing to the level that the balance has fallen below; 0 while it is good. */
  readonly missing: bigint
}

/**
 * By nostro and day. What was expected before today, or moves on a day without banks, counts on the
 * next banking day.
 */
export function forecastOf(
  nostro: Pick<Nostro, 'name' | 'currency' | 'settings'>,
  bank: bigint,
  expected: readonly Expected[],
  today: string,
  waits_for_funds = 0n,
): ForecastDay[] {
  const { name, currency, settings } = nostro
  const days = bankingDays(settings.statement?.calendar as CalendarName | undefined, today)
  let balance = bank
  let before = ''
  return days.map(day => {
    const moves = expected
      .filter(one => one.nostro === name && one.day > before && one.day <= day)
      .reduce((sum, { amount }) => sum + amount, 0n)
    before = day
    balance += moves
    const waits = day === days[0] ? waits_for_funds : 0n
    const moved = { nostro: name, currency, day, moves, balance, waits_for_funds: waits }
    return { ...moved, ...levelOf(settings, balance) }
  })
}

function levelOf({ low, critical }: Nostro['settings'], balance: bigint) {
  for (const [state, level] of [
    ['critical', critical],
    ['low', low],
  ] as const) {
    if (level !== undefined && balance < BigInt(level)) {
      return { state, missing: BigInt(level) - balance }
    }
  }
  return { state: 'good', missing: 0n } as const
}

/** Without a calendar, Saturdays and Sundays have no banks. */
function bankingDays(calendar: CalendarName | undefined, today: string): string[] {
  const days: string[] = []
  for (let day = today; days.length < FORECAST_DAYS; day = plusDays(day, 1)) {
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
    const isOpen = weekday !== 0 && weekday !== 6
    if ((calendar === undefined ? undefined : isBusinessDay(calendar, day)) ?? isOpen)
      days.push(day)
  }
  return days
}
