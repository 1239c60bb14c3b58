// The day on which entries should settle: the file's day when the bank allows it and a same-day
// window is open, else a later banking day. Sources: Nacha Operating Rules 2.5 (Same Day Entries),
// FedACH processing schedule; windows of 2021-03-19, bound of 2022-03-18. Pure.
import type { IsoDate } from '../../values/calendar/calendar.ts'
import { businessDayFrom, isBusinessDay, nextDay } from '../../values/calendar/rules.ts'
import type { Instant } from '../../values/instant.ts'

/** The ACH operators work by New York time. */
const ZONE = 'America/New_York'

/** The most cents of an entry that settles on the same day: USD 1,000,000.00. */
export const SAME_DAY_LIMIT = 100_000_000n

/**
 * The same-day windows: until when, as HHMM in New York, operators take a file, and the indicator
 * by which a batch header asks for the window.
 */
const WINDOWS = [
  { until: '1030', indicator: 'SD1300' },
  { until: '1445', indicator: 'SD1700' },
  { until: '1645', indicator: 'SD1800' },
] as const

/** The indicators that a batch may have. */
export const SAME_DAY_INDICATORS: readonly string[] = WINDOWS.map(({ indicator }) => indicator)

/** A point in time on New York's clock: YYYY-MM-DD and HHMM. */
export interface LocalTime {
  readonly date: IsoDate
  readonly time: string
}

export function inNewYork(instant: Instant): LocalTime {
  const [date = '', clock = ''] = Temporal.Instant.from(instant)
    .toZonedDateTimeISO(ZONE)
    .toPlainDateTime()
    .toString({ smallestUnit: 'minute' })
    .split('T')
  return { date, time: clock.replace(':', '') }
}

export interface Settlement {
  readonly effective_entry_date: IsoDate
  /** The same-day indicator; '' when the entries settle on a later day. */
  readonly same_day: string
}

/**
 * The settlement that a file made at `now` asks for: on the execution date, or on the next banking
 * day that is still possible. The network would replace any other date. Throws RangeError past the
 * end of the calendar.
 */
export function settlementOf(now: LocalTime, execution_date: IsoDate, same_day: boolean) {
  const { date, time } = now
  const may_settle_today = same_day && execution_date <= date && isBusinessDay('fed', date) === true
  const window = WINDOWS.find(({ until }) => time < until)
  if (may_settle_today && window !== undefined) {
    return { effective_entry_date: date, same_day: window.indicator }
  }
  const first = execution_date > date ? execution_date : nextDay(date)
  const effective_entry_date = businessDayFrom('fed', first)
  if (effective_entry_date === undefined) {
    throw new RangeError(
      `the calendar of the Federal Reserve knows no banking day from ${first} on`,
    )
  }
  return { effective_entry_date, same_day: '' }
}
