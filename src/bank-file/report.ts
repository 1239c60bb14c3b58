// What the rail of files reports about an attempt: the steps that follow from its evidence, the
// file that it is in, and when it should arrive. Pure.
import { arrivalOf } from '../calendar/arrival.ts'
import { type Instant, plusMilliseconds, secondsBetween } from '../instant.ts'
import { sentOf } from '../rail/plan.ts'
import type { RailPayout, RailReport, RailStep } from '../rail/rail.ts'
import type { FileRailConfig } from './config.ts'
import type { KeptEvidence } from './evidence-store.ts'
import type { RailFile } from './file-store.ts'
import { type Interpretation, interpret } from './interpret.ts'
import type { FoundItem } from './item-store.ts'
import { NoSlot, slotOf } from './slot.ts'

export interface Told {
  readonly config: FileRailConfig
  readonly payout: RailPayout
  readonly item: FoundItem
  /** The file that the item is in; undefined while it waits for one. */
  readonly file: RailFile | undefined
  /** In the order of receipt. */
  readonly said: readonly KeptEvidence[]
  /**
   * The earlier attempt whose debit keeps the item out of every file; undefined when there is none.
   */
  readonly booked_before?: number | undefined
  readonly now: Instant
}

/** A bank's word wakes the payout. This question is for a wake that was lost. */
const LOOK_AGAIN_MS = 3_600_000

export function reportOf(of: Told): RailReport {
  const { config, payout, item, file, said, booked_before, now } = of
  const { profile } = config
  const told = interpret(said, { item, profile, file, now })
  const { steps, not_taken, silent_until } = told
  const exception = told.exception ?? exceptionOf(booked_before)
  // A bank's later word wakes its payout, so no question follows on a payment that was not taken.
  // None follows either on a payment that only waits for a person: if its exception is closed too
  // early, the next report opens it again.
  const is_booked = booked_before !== undefined || exception?.kind === 'rejected_but_booked'
  const rests = not_taken !== undefined || is_booked
  const arrives = expectedOf(config, payout, told.is_late ? laterItem(config, item) : item)
  return {
    steps,
    ask_again_in_ms: rests ? null : askAgainIn(steps, silent_until, now),
    ...(exception !== undefined && { exception }),
    ...(not_taken !== undefined && { not_taken: notTaken(not_taken, item, now) }),
    references: { ...referencesOf(item, file), ...told.references },
    ...(file !== undefined && { released_at: file.sealed_at }),
    ...(arrives !== null && { expected_at: arrives }),
  }
}

function exceptionOf(attempt: number | undefined): RailReport['exception'] {
  if (attempt === undefined) return undefined
  const message =
    `The bank has booked attempt ${attempt} of this payout and has not returned it: ` +
    'this one goes into no file.'
  return { kind: 'booked_before', message }
}

/** A payment that missed the cut-off goes again after it, by the next business day's. */
function notTaken(
  { code, message, again }: NonNullable<Interpretation['not_taken']>,
  { closes_at }: FoundItem,
  now: Instant,
) {
  if (again === undefined) return { code, message }
  const next_slot = plusMilliseconds(closes_at, 1)
  const again_from = again === 'next_day' && next_slot > now ? next_slot : now
  return { code, message, again_from }
}

/**
 * When the bank's silence becomes an answer, and before that in case a wake was lost; null: the
 * payment is over.
 */
function askAgainIn(
  steps: readonly RailStep[],
  silent_until: Instant | null,
  now: Instant,
): number | null {
  const last = steps.at(-1)?.status ?? 'processing'
  if (last !== 'processing') return null
  if (silent_until === null) return LOOK_AGAIN_MS
  const left = 1000 * (secondsBetween(now, silent_until) + 1)
  return Math.min(LOOK_AGAIN_MS, Math.max(1000, left))
}

/** The item as if the bank had got it after the cut-off of its slot. */
function laterItem({ timetable }: FileRailConfig, item: FoundItem): FoundItem {
  try {
    return { ...item, ...slotOf(timetable, plusMilliseconds(item.closes_at, 1)) }
  } catch (error) {
    // The calendar has ended: the item keeps its day.
    if (!(error instanceof NoSlot)) throw error
    return item
  }
}

function expectedOf({ timetable }: FileRailConfig, payout: RailPayout, item: FoundItem) {
  if (timetable === null) return null
  const arrival_days = payout.attempt.arrival_days ?? timetable.arrival_days
  const { closes_at: release_at, execution_date: value_date } = item
  return arrivalOf({ ...timetable, arrival_days }, sentOf(payout), { release_at, value_date })
}

function referencesOf(item: FoundItem, file: RailFile | undefined) {
  const { end_to_end_id, instruction_id } = item
  return {
    end_to_end_id,
    ...(file !== undefined && { file: file.name, message_id: file.msg_id, instruction_id }),
  }
}
