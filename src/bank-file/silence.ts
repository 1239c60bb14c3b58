// When silence becomes an answer: a bank that speaks of failures alone has accepted a payment once
// the time for such a word is over. Pure.
import type { BankProfile } from '../bank-format.ts'
import type { CalendarName, IsoDate } from '../calendar/calendar.ts'
import { addBusinessDays, businessDayFrom, instantAt, nextDay } from '../calendar/rules.ts'
import { CALENDARS } from '../calendar/tables.ts'
import { type Instant, plusMilliseconds } from '../instant.ts'
import type { FileState } from './file-store.ts'

/** What of a file decides how long its bank may speak. */
export interface SentFile {
  /** The day of settlement that the file asks for. */
  readonly execution_date: IsoDate
  readonly state: FileState
  readonly sent_at: Instant | null
  /** When it came to its state. */
  readonly updated_at: Instant
}

export type Silence = Pick<BankProfile, 'silent_after_days' | 'silent_calendar'>

const DAY_MS = 86_400_000

/** The end of the time; null: silence says nothing, or nobody knows the banking days. */
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
  // The whole of the last day belongs to the bank.
  return last === undefined ? null : instantAt(zone, nextDay(last), '00:00')
}

/** Since when the bank has the file and could refuse it; null: it may not have it. */
function silentSince({ state, sent_at, updated_at }: SentFile): Instant | null {
  if (state === 'sent') return sent_at
  // It has answered before our upload was known to have ended.
  return state === 'acknowledged' ? (sent_at ?? updated_at) : null
}

/** The end of the last window of FedACH for the same day. What comes later settles later. */
const LAST_WINDOW = '16:45'

/**
 * The day of settlement, not earlier than it can be: of a file that the bank got too late for its
 * day, the next banking day.
 */
function settlementDay(calendar: CalendarName, wanted: IsoDate, sent: Instant) {
  const local = Temporal.Instant.from(sent).toZonedDateTimeISO(CALENDARS[calendar].zone)
  const day = local.toPlainDate().toString()
  const in_time = day < wanted || (day === wanted && local.toPlainTime().toString() < LAST_WINDOW)
  return businessDayFrom(calendar, in_time ? wanted : nextDay(day))
}
