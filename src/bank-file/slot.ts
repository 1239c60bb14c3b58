// The slots of a bank's days: when a file is sealed, by when the bank must have it, and the day of
// the debit. Pure.
import type { Timetable } from '../calendar/calendar.ts'
import { releaseOf } from '../calendar/rules.ts'
import { type Instant, plusMilliseconds } from '../instant.ts'

/** The payments that a bank takes by one cut-off, which it debits on one day. */
export interface Slot {
  readonly seal_at: Instant
  readonly closes_at: Instant
  /** YYYY-MM-DD */
  readonly execution_date: string
}

/** The calendar ends before the payment could go. No day is guessed: the payment waits. */
export class NoSlot extends Error {
  override readonly name = 'NoSlot'
}

/** The slot of a payment that is taken now; null: the bank takes files at any time. */
export function slotOf(timetable: Timetable | null, now: Instant): Slot {
  if (timetable === null) return openSlot(now)
  const cut_off = releaseOf({ ...timetable, lead_minutes: 0 }, now)
  if (cut_off === undefined) {
    throw new NoSlot(`the calendar ${timetable.calendar} knows no business day from ${now} on`)
  }
  const { release_at: closes_at, value_date: execution_date } = cut_off
  // Payouts are released from the lead on. The first half of the lead is for the last payouts, the
  // second for the way to the bank.
  const seal_at = plusMilliseconds(closes_at, -(timetable.lead_minutes * 60_000) / 2)
  return { seal_at, closes_at, execution_date }
}

/** Payments that are taken within this time go into one file. */
const GATHER_MS = 1_000
const OPEN_MS = 86_400_000

function openSlot(now: Instant): Slot {
  return {
    seal_at: plusMilliseconds(now, GATHER_MS),
    closes_at: plusMilliseconds(now, OPEN_MS),
    execution_date: now.slice(0, 10),
  }
}
