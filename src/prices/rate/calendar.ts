// Decides until when a rate is good. A rate of the European Central Bank is good until its next
// publication: Friday's until Monday's. Pure.
import { isBusinessDay } from '../../values/calendar/rules.ts'
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

/** Whether TARGET (T2) is open. Past the table of its closing days, it is on Monday to Friday. */
export function isTargetDay(day: Temporal.PlainDate): boolean {
  return isBusinessDay('t2', day.toString()) ?? day.dayOfWeek <= 5
}
