// The slots of a bank's business days: when a file is sealed, when the bank must have it, and when
// the bank debits it. Pure.
import type { Timetable } from '../../values/calendar/calendar.ts'
import { releaseOf } from '../../values/calendar/rules.ts'
import { type Instant, plusMilliseconds } from '../../values/instant.ts'

/** The time slot of payments that the bank takes by one cut-off and debits on one day. */
export interface Slot {
  readonly seal_at: Instant
  readonly closes_at: Instant
  /** YYYY-MM-DD */
  readonly execution_date: string
}

/** The calendar has ended. No business day is guessed: the payment waits. */
export class NoSlot extends Error {
  override readonly name = 'NoSlot'
}

/**
 * The slot of a payment that is taken at `now`. Without a timetable the bank takes files at any
 * time. Throws NoSlot.
 */
export function slotOf(timetable: Timetable | null, now: Instant): Slot {
  if (timetable === null) return openSlot(now)
  const cut_off = releaseOf({ ...timetable, lead_minutes: 0 }, now)
  if (cut_off === undefined) {
    throw new NoSlot(`the calendar ${timetable.calendar} knows no business day from ${now} on`)
  }
  const { release_at: closes_at, value_date: execution_date } = cut_off
  // Payouts are released when the lead begins. Half of it is for the last payouts, half for sending
  // the file.
  const seal_at = plusMilliseconds(closes_at, -(timetable.lead_minutes * 60_000) / 2)
  return { seal_at, closes_at, execution_date }
}

/** How long a slot waits for more payments before its file is sealed. */
const GATHER_MS = 1_000
const OPEN_MS = 86_400_000

function openSlot(now: Instant): Slot {
  return {
    seal_at: plusMilliseconds(now, GATHER_MS),
    closes_at: plusMilliseconds(now, OPEN_MS),
    execution_date: now.slice(0, 10),
  }
}
