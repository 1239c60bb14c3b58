// Says which day's statement is late, by the banking days and the time that a nostro has set. Pure.
import { CALENDAR_NAMES, type CalendarName, type IsoDate } from '../../values/calendar/calendar.ts'
import { plusDays } from '../../values/calendar/day.ts'
import { instantAt, isBusinessDay } from '../../values/calendar/rules.ts'
import type { Instant } from '../../values/instant.ts'
import type { Nostro } from '../nostro.ts'

/** The first day whose statement is late, and when it was due. */
export interface Late {
  readonly day: IsoDate
  readonly due_at: Instant
}

/** Without a calendar, Saturdays and Sundays have no banks. */
function isBankingDay(calendar: CalendarName | undefined, day: IsoDate): boolean {
  const is_weekday = Temporal.PlainDate.from(day).dayOfWeek <= 5
  return (calendar === undefined ? undefined : isBusinessDay(calendar, day)) ?? is_weekday
}

function nextBankingDay(calendar: CalendarName | undefined, day: IsoDate): IsoDate {
  let next = plusDays(day, 1)
  while (!isBankingDay(calendar, next)) next = plusDays(next, 1)
  return next
}

/**
 * The statement of a banking day is due on the next one, by `due_by` in UTC. Undefined when none is
 * late, or when the nostro says no time. `last` is the last day that a statement covers; null
 * before the first.
 */
export function lateStatement(
  { settings, opening_on, closed_at }: Pick<Nostro, 'settings' | 'opening_on' | 'closed_at'>,
  last: IsoDate | null,
  now: Instant,
): Late | undefined {
  const { due_by, calendar: named } = settings.statement ?? {}
  if (due_by === undefined || closed_at !== null) return undefined
  const calendar = CALENDAR_NAMES.find(name => name === named)
  const before = plusDays(opening_on, -1)
  const day = nextBankingDay(calendar, last === null || last < before ? before : last)
  const due_at = instantAt('UTC', nextBankingDay(calendar, day), due_by)
  return due_at <= now ? { day, due_at } : undefined
}
