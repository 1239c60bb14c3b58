// Decides until when a rate is good. A rate of the European Central Bank is good until its next
// publication: Friday's until Monday's. Pure.
import { type Instant, instantFrom } from '../../values/instant.ts'

export const ECB_SOURCE = 'ECB euro foreign exchange reference rates'

/** The ECB's names in the column `source`, in lower case. */
const ECB_NAMES = [ECB_SOURCE.toLowerCase(), 'ecb']

/**
 * "Usually updated around 16:00 CET every working day, except on TARGET closing days":
 * https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates
 */
const PUBLISHED_AT = { timeZone: 'Europe/Berlin', plainTime: '16:00' }

/** The time for a late publication and its import. */
const MARGIN = { hours: 2 }

/** The largest age of a rate without a calendar: one that the operator sets or imports. */
const DEFAULT_MAX_AGE_S = 86_400

/** The members of a rate that decide how long the rate is good. */
interface Dated {
  readonly source: string
  readonly as_of: Instant
}

export interface Freshness {
  /** When the ECB publishes next; for other sources, the same as `good_until`. */
  readonly due: Instant
  readonly good_until: Instant
}

/** The computation of the calendar takes longer than a price. */
const cache = new WeakMap<Dated, Freshness>()

/**
 * Until when a rate is good: `max_age_s` after `as_of`; for null, by the calendar of its source.
 */
export function freshnessOf(rate: Dated, max_age_s: number | null): Freshness {
  if (max_age_s !== null) return goodFor(rate, max_age_s)
  const found = cache.get(rate)
  if (found !== undefined) return found
  const isFromEcb = ECB_NAMES.includes(rate.source.toLowerCase())
  const freshness = isFromEcb ? byCalendar(rate) : goodFor(rate, DEFAULT_MAX_AGE_S)
  cache.set(rate, freshness)
  return freshness
}

function goodFor({ as_of }: Dated, seconds: number): Freshness {
  const good_until = instantFrom(Temporal.Instant.from(as_of).add({ seconds }))
  return { due: good_until, good_until }
}

function byCalendar({ as_of }: Dated): Freshness {
  const due = nextPublication(Temporal.Instant.from(as_of))
  return { due: instantFrom(due), good_until: instantFrom(due.add(MARGIN)) }
}

function nextPublication(after: Temporal.Instant): Temporal.Instant {
  let day = after.toZonedDateTimeISO(PUBLISHED_AT.timeZone).toPlainDate()
  for (;;) {
    const at = publicationOn(day)
    if (isTargetDay(day) && Temporal.Instant.compare(at, after) > 0) return at
    day = day.add({ days: 1 })
  }
}

/** The ECB's time of publication on this day, if TARGET is open. */
export function publicationOn(day: Temporal.PlainDate): Temporal.Instant {
  return day.toZonedDateTime(PUBLISHED_AT).toInstant()
}

/**
 * Open days of TARGET (T2), since 2002: not on Saturdays, Sundays, 1 January, Good Friday, Easter
 * Monday, 1 May, 25 and 26 December.
 * Source: https://www.ecb.europa.eu/press/pr/date/2000/html/pr001214_4.en.html
 */
export function isTargetDay(day: Temporal.PlainDate): boolean {
  if (day.dayOfWeek >= 6 || CLOSED.has(day.toString().slice(5))) return false
  const fromEaster = easterSunday(day.year).until(day, { largestUnit: 'day' }).days
  return fromEaster !== -2 && fromEaster !== 1
}

const CLOSED = new Set(['01-01', '05-01', '12-25', '12-26'])

/**
 * Easter Sunday of the Gregorian calendar, by the anonymous algorithm (Nature, 1876; Meeus,
 * Astronomical Algorithms, chapter 8).
 */
export function easterSunday(year: number): Temporal.PlainDate {
  const trunc = Math.trunc
  const a = year % 19
  const b = trunc(year / 100)
  const c = year % 100
  const g = trunc((8 * b + 13) / 25)
  const h = (19 * a + b - trunc(b / 4) - g + 15) % 30
  const l = (32 + 2 * (b % 4) + 2 * trunc(c / 4) - h - (c % 4)) % 7
  const m = trunc((a + 11 * h + 22 * l) / 451)
  const n = h + l - 7 * m + 114
  return Temporal.PlainDate.from({ year, month: trunc(n / 31), day: (n % 31) + 1 })
}
