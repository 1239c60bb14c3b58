// Until when a rate is good, by the calendar of its source: Friday's rate is good until Monday's is
// due. Pure.
import { type Instant, instantFrom } from '../../instant.ts'

/** A publisher of rates and its calendar. */
interface RateSource {
  /** How the column `source` names it, in any letter case. */
  readonly names: readonly string[]
  readonly publishesOn: (day: Temporal.PlainDate) => boolean
  /** The time of day of a publication, in `zone`. */
  readonly time: string
  readonly zone: string
  /** How long the old rates stay good once the next publication is due. */
  readonly margin_s: number
}

export const ECB_SOURCE = 'ECB euro foreign exchange reference rates'

/**
 * "Usually updated around 16:00 CET every working day, except on TARGET closing days":
 * https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates
 * Two hours allow for a late publication and for loading it.
 */
export const ECB: RateSource = {
  names: [ECB_SOURCE, 'ECB'],
  publishesOn: isTargetDay,
  time: '16:00',
  zone: 'Europe/Berlin',
  margin_s: 7_200,
}

const SOURCES = new Map([ECB].flatMap(source => source.names.map(n => [n.toLowerCase(), source])))

/** For rates without a calendar: set by hand, or from a file of the operator's own. */
const DEFAULT_MAX_AGE_S = 86_400

/** The members of a rate that decide how long the rate is good. */
interface Dated {
  readonly source: string
  readonly as_of: Instant
}

export interface Freshness {
  /** When its source publishes next; without a calendar, the same as `good_until`. */
  readonly due: Instant
  readonly good_until: Instant
}

/** A cache: computing the calendar takes longer than a price. */
const known = new WeakMap<Dated, Freshness>()

/** Until when a rate is good: `max_age_s` after `as_of` if that is set, else by its source. */
export function freshnessOf(rate: Dated, max_age_s: number | null): Freshness {
  if (max_age_s !== null) return goodFor(rate, max_age_s)
  const found = known.get(rate)
  if (found !== undefined) return found
  const source = SOURCES.get(rate.source.toLowerCase())
  const freshness =
    source === undefined ? goodFor(rate, DEFAULT_MAX_AGE_S) : bySource(rate.as_of, source)
  known.set(rate, freshness)
  return freshness
}

function goodFor({ as_of }: Dated, seconds: number): Freshness {
  const good_until = instantFrom(Temporal.Instant.from(as_of).add({ seconds }))
  return { due: good_until, good_until }
}

function bySource(as_of: Instant, source: RateSource): Freshness {
  const from = Temporal.Instant.from(as_of)
  const due = nextPublication(from, source)
  return { due: instantFrom(due), good_until: instantFrom(due.add({ seconds: source.margin_s })) }
}

function nextPublication(after: Temporal.Instant, source: RateSource): Temporal.Instant {
  let day = after.toZonedDateTimeISO(source.zone).toPlainDate()
  for (;;) {
    const at = publicationOn(day, source)
    if (source.publishesOn(day) && Temporal.Instant.compare(at, after) > 0) return at
    day = day.add({ days: 1 })
  }
}

export function publicationOn(day: Temporal.PlainDate, source: RateSource): Temporal.Instant {
  return day.toZonedDateTime({ timeZone: source.zone, plainTime: source.time }).toInstant()
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
  const whole = Math.trunc
  const a = year % 19
  const b = whole(year / 100)
  const c = year % 100
  const g = whole((8 * b + 13) / 25)
  const h = (19 * a + b - whole(b / 4) - g + 15) % 30
  const l = (32 + 2 * (b % 4) + 2 * whole(c / 4) - h - (c % 4)) % 7
  const m = whole((a + 11 * h + 22 * l) / 451)
  const n = h + l - 7 * m + 114
  return Temporal.PlainDate.from({ year, month: whole(n / 31), day: (n % 31) + 1 })
}
