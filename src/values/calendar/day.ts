// Days of a time zone: the half-open range of a day's instants, and the day of an instant. Pure.
import { type Instant, instantFrom, plusMicros } from '../instant.ts'
import type { IsoDate } from './calendar.ts'

/** Whether the text is a day of the calendar such as `2026-11-29`, from the years 1000 to 9998. */
export function isDay(text: string): boolean {
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(text) || text >= '9999') return false
  try {
    return Temporal.PlainDate.from(text).toString() === text
  } catch {
    return false
  }
}

/** The first instant of the day. Some zones begin a day after midnight, when the clocks skip it. */
export function startOfDay(zone: string, day: IsoDate): Instant {
  return instantFrom(Temporal.PlainDate.from(day).toZonedDateTime(zone).toInstant())
}

/** The first instant after the day. A day has 23 or 25 hours when the clocks change. */
export function endOfDay(zone: string, day: IsoDate): Instant {
  return startOfDay(zone, plusDays(day, 1))
}

export function plusDays(day: IsoDate, days: number): IsoDate {
  return Temporal.PlainDate.from(day).add({ days }).toString()
}

/** The day of an instant in the zone. */
export function dayAt(zone: string, instant: Instant): IsoDate {
  if (zone === 'UTC') return instant.slice(0, 10)
  return Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDate().toString()
}

/** The day of the last instant before `to`, which ends a half-open range. */
export function lastDayBefore(zone: string, to: Instant): IsoDate {
  return dayAt(zone, plusMicros(to, -1n))
}

/**
 * Reads the days of many instants in a row. Time zones are slow to compute, and most neighbours are
 * of one day.
 */
export function dayReader(zone: string): (instant: Instant) => IsoDate {
  let known = { from: '', to: '', day: '' }
  return instant => {
    if (instant >= known.from && instant < known.to) return known.day
    const day = dayAt(zone, instant)
    known = { from: startOfDay(zone, day), to: endOfDay(zone, day), day }
    return day
  }
}
