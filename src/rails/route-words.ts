// Says in words where a route leads, and until when its rail takes payouts. Pure.
import type { Timetable } from '../values/calendar/calendar.ts'
import { daysLeft } from '../values/calendar/rules.ts'
import { CALENDARS } from '../values/calendar/tables.ts'
import type { Route } from './rules.ts'
import { cutOffWords } from './timetable.ts'

export function targetWords(route: Route, in_force: Timetable | null): string {
  const { rail, priority } = route
  const cut_off = timetableWords(route, in_force)
  const words = [rail, priority !== 0 && `priority ${priority}`, cut_off && `cut-off ${cut_off}`]
  return words.filter(Boolean).join(', ')
}

/** The cut-off in force: `15:00 Europe/Berlin less 30 min, t2`, `of the rail, …`, or ''. */
export function timetableWords(
  { timetable }: Pick<Route, 'timetable'>,
  in_force: Timetable | null,
): string {
  if (in_force === null) return ''
  const { arrival_days } = in_force
  const arrives = arrival_days === null ? '' : `, arrives after ${arrival_days} days`
  const own = timetable === null ? 'of the rail, ' : ''
  return `${own}${cutOffWords(in_force)}${arrives}`
}

/** How many days before a calendar ends a list warns. */
const WARN_DAYS = 90

/** A sentence for each calendar of these timetables that ends soon, or has ended. */
export function endingWords(timetables: readonly (Timetable | null)[], now: string): string[] {
  const used = new Set(timetables.flatMap(timetable => timetable?.calendar ?? []))
  return [...used].flatMap(name => {
    const calendar = CALENDARS[name]
    if (daysLeft(calendar, now) > WARN_DAYS) return []
    const effect = 'payouts over routes with its cut-offs are refused after that; upgrade Corridor'
    return [`calendar ${name} ends on ${calendar.last}: ${effect}`]
  })
}
