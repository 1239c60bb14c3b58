// The report of a rail of files about an attempt: the steps by its evidence, its file, and its
// expected arrival. Pure.
import { sentOf } from '../../rails/plan.ts'
import type { RailPayout, RailReport, RailStep } from '../../rails/rail.ts'
import { arrivalOf } from '../../values/calendar/arrival.ts'
import { type Instant, plusMilliseconds, secondsBetween } from '../../values/instant.ts'
import type { FileRailConfig } from './config.ts'
import type { RailFile } from './file-store.ts'
import { type Interpretation, interpret } from './interpret.ts'
import type { FoundItem, StoredEvidence } from './item-store.ts'
import type { SilenceProof } from './silence.ts'
import { NoSlot, slotOf } from './slot.ts'

export interface ReportInput {
  readonly config: FileRailConfig
  readonly payout: RailPayout
  readonly item: FoundItem
  /** The file that the item is in; undefined while it waits for one. */
  readonly file: RailFile | undefined
  /** In the order of receipt. */
  readonly evidence: readonly StoredEvidence[]
  /** The earlier attempt whose debit is booked, which keeps the item out of files. */
  readonly booked_before?: number | undefined
  /** The proof of the bank's silence; undefined for a bank whose silence means nothing. */
  readonly silence?: SilenceProof | undefined
  readonly now: Instant
}

/** New evidence wakes the payout. This question is for a wake that was lost. */
const ASK_AGAIN_MS = 3_600_000

/** The wait for the inbox to be read once more. */
const READ_INBOX_MS = 10_000

export function reportOf(input: ReportInput): RailReport {
  const { config, payout, item, file, evidence, booked_before, silence, now } = input
  const { profile } = config
  const interpretation = interpret(evidence, {
    item,
    profile,
    file,
    now,
    ...(silence && { silence }),
  })
  const { steps, not_taken, silent_until, is_late } = interpretation
  const exception = interpretation.exception ?? exceptionOf(booked_before)
  // New evidence wakes the payout, so a payment that was not taken needs no further question. A
  // payment that only waits for a person needs none either: if its exception is closed too early,
  // the next report opens it again.
  const is_booked =
    booked_before !== undefined ||
    ['rejected_but_booked', 'silence_unproved'].includes(exception?.kind ?? '')
  const needs_no_question = not_taken !== undefined || is_booked
  const expected_at = expectedOf(config, payout, is_late ? laterItem(config, item) : item)
  return {
    steps,
    ask_again_in_ms: needs_no_question ? null : askAgainIn(steps, silent_until, now),
    ...(exception !== undefined && { exception }),
    ...(not_taken !== undefined && { not_taken: notTaken(not_taken, item, now) }),
    references: { ...referencesOf(item, file), ...interpretation.references },
    ...(file !== undefined && { released_at: file.sealed_at }),
    ...(expected_at !== null && { expected_at }),
  }
}

function exceptionOf(attempt: number | undefined): RailReport['exception'] {
  if (attempt === undefined) return undefined
  const message =
    `The bank has booked attempt ${attempt} of this payout and has not returned it: ` +
    'this one goes into no file.'
  return { kind: 'booked_before', message }
}

/** A payment that missed its cut-off may go again once that cut-off has passed, by the next one. */
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
 * The milliseconds to the end of the bank's silence, at most ASK_AGAIN_MS in case a wake was lost;
 * null when the payment is over or waits for the account.
 */
function askAgainIn(steps: readonly RailStep[], silent_until: Instant | null, now: Instant) {
  const last = steps.at(-1)?.status ?? 'processing'
  if (last !== 'processing') return null
  if (silent_until === null) return ASK_AGAIN_MS
  // The silence is over, and the inbox is read in a moment.
  if (silent_until <= now) return READ_INBOX_MS
  const left = 1000 * (secondsBetween(now, silent_until) + 1)
  return Math.min(ASK_AGAIN_MS, Math.max(1000, left))
}

/** The item in the slot after its own. */
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
