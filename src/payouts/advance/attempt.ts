// Opens and ends the attempts of a payout. Pure.
import { type AttemptEnd, attemptId, type PayoutAttempt } from '../../rails/attempt.ts'
import { type Attempt, isOutside } from '../../rails/rail.ts'
import type { RouteTaken } from '../../rails/rules.ts'
import type { Instant } from '../../values/instant.ts'
import type { Payout } from '../payout.ts'
import type { PayoutStatus } from '../states.ts'
import { uetrOf } from '../swift/uetr.ts'

/** The one attempt of a payout on the simulator. It is not stored. */
export function simulatedAttempt({ id, rail, created_at }: Payout): Attempt {
  return {
    id: attemptId(id, 1),
    number: 1,
    rail,
    opened_at: created_at,
    arrival_days: null,
    // Computed only when it is read, because the simulator does not read it.
    get uetr() {
      return uetrOf(id)
    },
  }
}

/** Whether attempts are stored: not for a payout that began on the simulator or the manual rail. */
export function keepsAttempts({ first_rail }: Pick<Payout, 'first_rail'>): boolean {
  return isOutside(first_rail)
}

export function firstAttempt(payout: Payout, opened_at: Instant): PayoutAttempt {
  return openAttempt(payout, 1, { rail: payout.first_rail, route: payout.route }, opened_at)
}

/** The attempt after this one, on another rail. */
export function attemptAfter(
  last: PayoutAttempt,
  payout: Payout,
  to: { readonly rail: string; readonly route: RouteTaken | null },
  opened_at: Instant,
): PayoutAttempt {
  return openAttempt(payout, last.number + 1, to, opened_at)
}

function openAttempt(
  { account_id, id: payout_id }: Payout,
  number: number,
  { rail, route }: { readonly rail: string; readonly route: RouteTaken | null },
  opened_at: Instant,
): PayoutAttempt {
  return {
    account_id,
    payout_id,
    number,
    rail,
    route,
    // The MT103 of the payout has the UETR of the first attempt.
    uetr: uetrOf(number === 1 ? payout_id : attemptId(payout_id, number)),
    opened_at,
    asked_at: null,
    ended_at: null,
    ended_as: '',
    not_taken: null,
    rail_references: {},
    released_at: null,
    expected_at: null,
    ask_again_at: null,
  }
}

const ENDS: Partial<Record<PayoutStatus, AttemptEnd>> = {
  succeeded: 'paid',
  failed: 'failed',
  reversed: 'returned',
}

/** The attempt once its payout has this status, which may end it. */
export function endedBy(attempt: PayoutAttempt, status: PayoutStatus, now: Instant): PayoutAttempt {
  const ended_as = ENDS[status] ?? attempt.ended_as
  if (ended_as === attempt.ended_as || attempt.ended_as === 'not_taken') return attempt
  return { ...attempt, ended_as, ended_at: now }
}
