// Business days, cut-offs and release times, in their own time zones, across changes to summer
// time. Outside a table the functions return undefined, and never guess. Pure.
import { type Instant, instantFrom } from '../instant.ts'
import type { Calendar, CalendarName, IsoDate, Timetable } from './calendar.ts'
import { CALENDARS } from './tables.ts'

const HOLIDAYS: ReadonlyMap<CalendarName, ReadonlySet<IsoDate>> = new Map(
  Object.values(CALENDARS).map(({ name, holidays }) => [
    name,
    new Set(holidays.map(({ date }) => date)),
  ]),
)

/** Whether the currency settles on this day; undefined outside the table. */
export function isBusinessDay(name: CalendarName, date: IsoDate): boolean | undefined {
  const { first, last } = CALENDARS[name]
  if (date < first || date > last) return undefined
  const { dayOfWeek } = Temporal.PlainDate.from(date)
  return dayOfWeek <= 5 && HOLIDAYS.get(name)?.has(date) !== true
}

/** This day or the first business day after it; undefined past the table. */
export function businessDayFrom(name: CalendarName, date: IsoDate): IsoDate | undefined {
  let day = date
  for (;;) {
    const settles = isBusinessDay(name, day)
    if (settles === undefined) return undefined
    if (settles) return day
    day = nextDay(day)
  }
}

/** The business day this many business days after `date`; 0 is `businessDayFrom`. */
export function addBusinessDays(name: CalendarName, date: IsoDate, days: number) {
  return businessDaysFrom(name, date).drop(days).next().value
}

function* businessDaysFrom(name: CalendarName, date: IsoDate): Generator<IsoDate, undefined> {
  let day = businessDayFrom(name, date)
  while (day !== undefined) {
    yield day
    day = businessDayFrom(name, nextDay(day))
  }
}

export function nextDay(date: IsoDate): IsoDate {
  return Temporal.PlainDate.from(date).add({ days: 1 }).toString()
}

/**
 * The instant of a local time on a day. It is the first one when the clocks repeat the time, and an
 * hour earlier when they skip it: a cut-off that is too early costs minutes, one that is too late
 * costs a day.
 */
export function instantAt(zone: string, date: IsoDate, time: string): Instant {
  const local = Temporal.PlainDate.from(date).toPlainDateTime(time)
  return instantFrom(local.toZonedDateTime(zone, { disambiguation: 'earlier' }).toInstant())
}

/** The longest lead: a release is at most a day before its cut-off. */
export const MAX_LEAD_MINUTES = 1_440

/** When a payout goes to its rail, and the business day it belongs to. */
export interface Release {
  readonly release_at: Instant
  readonly value_date: IsoDate
}

export type CutOff = Pick<Timetable, 'calendar' | 'cut_off' | 'zone' | 'lead_minutes'>

/**
 * The release of a payout that is made at `made`: the next cut-off of a business day, minus the
 * lead. Undefined outside the calendar.
 */
export function releaseOf(cut_off: CutOff, made: Instant): Release | undefined {
  const { begins, releases } = scheduleOf(cut_off, made)
  if (made < begins) return undefined
  return releases.find(({ release_at }) => made <= release_at)
}

/** The possible releases of the payouts made in a month, in order. */
interface Schedule {
  /** The beginning of the calendar. */
  readonly begins: Instant
  readonly releases: readonly Release[]
}

/**
 * A cache of schedules by cut-off and month, because time zones are slow, and each answer about a
 * payout may need one.
 */
const SCHEDULES = new Map<string, Schedule>()
const MAX_SCHEDULES = 1_000

function scheduleOf(cut_off: CutOff, made: Instant): Schedule {
  const { calendar, zone, lead_minutes } = cut_off
  const key = `${made.slice(0, 7)} ${calendar} ${cut_off.cut_off} ${zone} ${lead_minutes}`
  const known = SCHEDULES.get(key)
  if (known !== undefined) return known
  if (SCHEDULES.size >= MAX_SCHEDULES) SCHEDULES.clear()
  const { first } = CALENDARS[calendar]
  // Starts a day early, because the zone may be behind UTC, and ends after the longest lead.
  const month = Temporal.PlainDate.from(`${made.slice(0, 7)}-01`)
  const start = month.subtract({ days: 1 }).toString()
  const end = month.add({ months: 1, days: 2 }).toString()
  const releases: Release[] = []
  for (const value_date of businessDaysFrom(calendar, start < first ? first : start)) {
    releases.push({ release_at: releaseOn(cut_off, value_date), value_date })
    if (value_date >= end) break
  }
  const schedule = { begins: instantAt(zone, first, '00:00'), releases }
  SCHEDULES.set(key, schedule)
  return schedule
}

function releaseOn({ zone, cut_off, lead_minutes }: CutOff, day: IsoDate): Instant {
  const at = Temporal.Instant.from(instantAt(zone, day, cut_off))
  return instantFrom(at.subtract({ minutes: lead_minutes }))
}

/** The release of every business day in the calendar, by the day. */
export function releasesOf(cut_off: CutOff): ReadonlyMap<IsoDate, Instant> {
  const { calendar } = cut_off
  const days = businessDaysFrom(calendar, CALENDARS[calendar].first)
  return new Map(days.map(day => [day, releaseOn(cut_off, day)]))
}

/** How many days the calendar still covers, today included; 0 once it has ended. */
export function daysLeft({ zone, last }: Calendar, now: Instant): number {
  const today = Temporal.Instant.from(now).toZonedDateTimeISO(zone).toPlainDate()
  return Math.max(0, today.until(last, { largestUnit: 'days' }).days + 1)
}

/** Whether Intl knows an IANA time zone of this name. Offsets such as +01:00 are refused. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]+(\/[A-Za-z0-9_+-]+)*$/.test(name)) return false
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    return true
  } catch {
    return false
  }
}
