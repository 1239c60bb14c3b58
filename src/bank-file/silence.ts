// When silence becomes an answer: a bank that reports only failures has accepted a payment once its
// time for a report is over. Pure.
import type { BankProfile } from '../bank-format/bank-format.ts'
import type { CalendarName, IsoDate } from '../calendar/calendar.ts'
import { addBusinessDays, businessDayFrom, instantAt, nextDay } from '../calendar/rules.ts'
import { CALENDARS } from '../calendar/tables.ts'
import { DAY_MS, type Instant, plusMilliseconds } from '../instant.ts'
import type { RailFile } from './file-store.ts'

/**
 * The members of a file that decide how long its bank may report failures. The execution date is
 * the day of settlement that it asks for, and it was updated when it reached its state.
 */
export type SentFile = Pick<RailFile, 'execution_date' | 'state' | 'sent_at' | 'updated_at'>

export type Silence = Pick<BankProfile, 'silent_after_days' | 'silent_calendar'>

/** When that time ends; null: silence says nothing, or the banking days are not known. */
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
  // The bank has the whole of the last day.
  return last === undefined ? null : instantAt(zone, nextDay(last), '00:00')
}

/** From when on the bank has had the file and could refuse it; null: it may not have it. */
function silentSince({ state, sent_at, updated_at }: SentFile): Instant | null {
  if (state === 'sent') return sent_at
  // The bank has answered before the end of our upload was recorded.
  return state === 'acknowledged' ? (sent_at ?? updated_at) : null
}

/** The end of FedACH's last same-day window. What comes later settles later. */
const LAST_WINDOW = '16:45'

/**
 * The day of settlement that is still possible: if the bank got the file too late for the wanted
 * day, the next banking day.
 */
function settlementDay(calendar: CalendarName, wanted: IsoDate, sent: Instant) {
  const local = Temporal.Instant.from(sent).toZonedDateTimeISO(CALENDARS[calendar].zone)
  const day = local.toPlainDate().toString()
  const in_time = day < wanted || (day === wanted && local.toPlainTime().toString() < LAST_WINDOW)
  return businessDayFrom(calendar, in_time ? wanted : nextDay(day))
}
