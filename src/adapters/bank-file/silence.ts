// When silence means acceptance: a bank that reports only failures has accepted a payment once its
// time for a failure is over. Pure.
import type { BankProfile } from '../../values/bank-format/bank-format.ts'
import type { CalendarName, IsoDate } from '../../values/calendar/calendar.ts'
import {
  addBusinessDays,
  businessDayFrom,
  instantAt,
  nextDay,
} from '../../values/calendar/rules.ts'
import { CALENDARS } from '../../values/calendar/tables.ts'
import { DAY_MS, type Instant, plusMilliseconds } from '../../values/instant.ts'
import type { RailFile } from './file-store.ts'

/**
 * The members of a file that decide how long its bank may report failures. `execution_date` is the
 * requested settlement day, `updated_at` the time of the last change of state.
 */
export type SentFile = Pick<RailFile, 'execution_date' | 'state' | 'sent_at' | 'updated_at'>

export type Silence = Pick<BankProfile, 'silent_after_days' | 'silent_calendar'>

/**
 * When silence means acceptance; null when it never does, the bank may not have the file, or the
 * calendar has ended.
 */
export function silentUntil(
  { silent_after_days: days, silent_calendar: calendar }: Silence,
  file: SentFile,
): Instant | null {
  const since = silentSince(file)
  if (days === null || since === null) return null
  if (calendar === null) return plusMilliseconds(since, days * DAY_MS)
  const { zone } = CALENDARS[calendar]
  const settled = settlementDay(calendar, file.execution_date, since)
  const last = settled === undefined ? undefined : addBusinessDays(calendar, settled, days)
  // The bank has until the end of the last day.
  return last === undefined ? null : instantAt(zone, nextDay(last), '00:00')
}

/** Since when the bank has the file; null when it may not have it. */
function silentSince({ state, sent_at, updated_at }: SentFile): Instant | null {
  if (state === 'sent') return sent_at
  // The bank may answer before the end of the upload is recorded.
  return state === 'acknowledged' ? (sent_at ?? updated_at) : null
}

/** The facts by which silence is judged. */
export interface SilenceProof {
  /** Whether the payout has succeeded before, so that its silence was proved. */
  readonly is_counted: boolean
  /** When the inbox was last read to its end; null: never. */
  readonly fetched_at: Instant | null
  /** Why the inbox cannot be read; '' when it can. */
  readonly problem: string
  /** The file or line of the bank that may be about the payment and is not applied; '' for none. */
  readonly unread: string
  /** Whether a file of the bank is stored and will be read at once. */
  readonly is_reading: boolean
}

/**
 * Whether the silence of a bank means acceptance. It does once the inbox was read to its end after
 * `until`, and no file or line of the bank lies unread. Otherwise returns the reason for a person,
 * or `wait`.
 */
export function judgeSilence(
  until: Instant,
  { is_counted, fetched_at, problem, unread, is_reading }: SilenceProof,
): 'proved' | 'wait' | { readonly why: string } {
  if (is_counted) return 'proved'
  if (unread !== '') return { why: unread }
  const is_read = fetched_at !== null && fetched_at >= until
  if (!is_read && problem !== '') return { why: `the inbox was not read since: ${problem}` }
  return is_read && !is_reading ? 'proved' : 'wait'
}

/** The end of FedACH's last same-day window. A later file settles on a later day. */
const LAST_WINDOW = '16:45'

/**
 * The settlement day: the execution date, or the next banking day if the bank got the file too late
 * for it; undefined past the end of the calendar.
 */
function settlementDay(calendar: CalendarName, execution_date: IsoDate, sent: Instant) {
  const local = Temporal.Instant.from(sent).toZonedDateTimeISO(CALENDARS[calendar].zone)
  const day = local.toPlainDate().toString()
  const is_before_window = local.toPlainTime().toString() < LAST_WINDOW
  const is_in_time = day < execution_date || (day === execution_date && is_before_window)
  return businessDayFrom(calendar, is_in_time ? execution_date : nextDay(day))
}
