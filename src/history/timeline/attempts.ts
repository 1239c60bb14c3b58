// Works out a payout's attempts on rails, and the operator's reviews of them. Pure.
import { endedBy, firstAttempt } from '../../payouts/advance/attempt.ts'
import type { Payout } from '../../payouts/payout.ts'
import type { NotTaken, PayoutAttempt, RailException } from '../../rails/attempt.ts'
import { expectedArrival } from '../../rails/plan.ts'
import { type Failure, isAsked, isOutside, MANUAL } from '../../rails/rail.ts'
import type { RouteTaken } from '../../rails/rules.ts'
import type { Instant } from '../../values/instant.ts'

/** The states of an attempt: not yet with its rail, with its rail, or over. */
export const ATTEMPT_STATES = [
  'waiting',
  'waits_for_funds',
  'handed_over',
  'paid',
  'failed',
  'not_taken',
  'returned',
] as const
type AttemptState = (typeof ATTEMPT_STATES)[number]

/** The facts about a payout's hand-over that its row does not have. */
export interface HandOver {
  /** How often a rail was asked about the payout. */
  readonly rail_attempts: number
  /** When the rail is asked next, by the database's clock; null for never. */
  readonly ask_rail_at: Instant | null
  /** The nostro whose cover it waits for, and since when; null: it does not wait. */
  readonly awaits_funds_of: string | null
  readonly awaits_funds_since: Instant | null
  readonly attempts: readonly PayoutAttempt[]
  readonly exceptions: readonly RailException[]
}

export interface TimelineAttempt {
  readonly kind: 'attempt'
  readonly at: Instant
  readonly number: number
  readonly rail: string
  /** Null when no route was needed, or a person named the rail. */
  readonly route: RouteTaken | null
  readonly state: AttemptState
  /** '' when the payment has none. */
  readonly uetr: string
  /** When its rail gets it, while it waits for a cut-off or for its `execute_at`; else null. */
  readonly release_at: Instant | null
  /** When the rail was first asked about it. */
  readonly handed_over_at: Instant | null
  /** When the rail sent it on, and when it arrives, as the rail reports. */
  readonly released_at: Instant | null
  readonly expected_at: Instant | null
  readonly ended_at: Instant | null
  readonly failure: Failure | null
  readonly not_taken: NotTaken | null
  readonly references: Readonly<Record<string, string>>
}

/** The operator's review of a rail's answer. Until it ends, the payout does not move. */
export interface TimelineReview {
  readonly kind: 'review'
  readonly at: Instant
  readonly exception: RailException
}

export function attemptsOf(payout: Payout, known: HandOver): TimelineAttempt[] {
  if (known.attempts.length === 0) return derivedAttempt(payout, known)
  return known.attempts.map(attempt => {
    const asked = attempt.asked_at !== null
    const state = attempt.ended_as || openState(payout, known, attempt.rail, asked)
    return timelineAttempt(payout, known, attempt, state)
  })
}

function timelineAttempt(
  payout: Payout,
  known: HandOver,
  attempt: PayoutAttempt,
  state: AttemptState,
): TimelineAttempt {
  const { number, rail, route, uetr, opened_at: at, asked_at } = attempt
  const isLast = number >= known.attempts.length
  const failed = state === 'failed' || state === 'returned'
  return {
    kind: 'attempt',
    at,
    number,
    rail,
    route,
    state,
    uetr,
    release_at: state === 'waiting' ? releaseOf(payout, route, known) : null,
    handed_over_at: rail === MANUAL && isLast ? payout.taken_at : asked_at,
    released_at: attempt.released_at,
    expected_at: attempt.expected_at ?? (isLast ? expectedArrival(payout) : null),
    ended_at: attempt.ended_at,
    failure: isLast && failed ? payout.failure : null,
    not_taken: attempt.not_taken,
    references: withBankReference(payout, isLast, attempt.rail_references),
  }
}

/** The manual rail has it once a person has taken it. */
function openState(
  payout: Payout,
  known: HandOver,
  rail: string,
  asked: boolean,
): 'waiting' | 'waits_for_funds' | 'handed_over' {
  if (rail === MANUAL ? payout.taken_by !== '' : asked) return 'handed_over'
  return nostroAwaited(payout, known) === null ? 'waiting' : 'waits_for_funds'
}

const isWaiting = (state: AttemptState) => state === 'waiting' || state === 'waits_for_funds'

/** The nostro whose cover the payout waits for; null while it waits for something else. */
export function nostroAwaited(
  { rail, status }: Payout,
  { awaits_funds_of, ask_rail_at }: HandOver,
): string | null {
  const is_due = isAsked(rail) && status === 'processing' && ask_rail_at !== null
  return is_due ? awaits_funds_of : null
}

function releaseOf({ execute_at }: Payout, route: RouteTaken | null, { ask_rail_at }: HandOver) {
  return route?.timetable == null ? execute_at : ask_rail_at
}

function withBankReference(
  { rail_reference }: Payout,
  isLast: boolean,
  references: Readonly<Record<string, string>>,
) {
  if (!isLast || rail_reference === '') return references
  return { ...references, bank_reference: rail_reference }
}

/**
 * The only attempt of a payout without stored ones: of the simulator, the manual rail, or a rail
 * that was not asked yet. None for a payout that no rail had.
 */
function derivedAttempt(payout: Payout, known: HandOver): TimelineAttempt[] {
  const { first_rail: rail, status, taken_at, created_at, updated_at } = payout
  const is_handed_over = rail === MANUAL ? taken_at !== null : known.rail_attempts > 0
  const attempt = endedBy(firstAttempt(payout, created_at), status, updated_at)
  const state = attempt.ended_as || openState(payout, known, rail, is_handed_over)
  const never_handed_over = !is_handed_over && (status === 'failed' || status === 'compliance_hold')
  if (rail === '' || never_handed_over || (isOutside(rail) && !isWaiting(state))) return []
  // People give the payment a reference of their own, unless its message has one.
  const uetr = rail === MANUAL && payout.mt103 === '' ? '' : attempt.uetr
  return [timelineAttempt(payout, known, { ...attempt, uetr }, state)]
}
