// Ends the holds of payouts whose entity was reviewed. Each hold ends by a command in the payouts'
// lane. A round ends a bounded number of them, so that a review of thousands delays no other
// payout. The worker may be killed at any point: an unfinished claim comes due again, and a hold
// ends once.

import {
  type ClaimedReview,
  claimEndedReviews,
  deleteEndedReview,
  type Hold,
  listHeldPayouts,
  renewEndedReview,
} from '../../payouts/advance/hold-store.ts'
import type { Deps } from '../../runtime/deps.ts'
import { Refusal } from '../../values/errors.ts'

/** Most reviews of one round, and most payouts of each review. */
const REVIEWS = 10
const PAYOUTS = 500

/** Much longer than a round takes. */
const LEASE_MS = 10_000

/** One round; returns the number of held payouts whose entity was reviewed. */
export async function endHolds(deps: Deps): Promise<number> {
  const reviews = await claimEndedReviews(deps, REVIEWS, LEASE_MS)
  const counts = await Promise.all(reviews.map(review => endHoldsOf(deps, review)))
  return counts.reduce((sum, count) => sum + count, 0)
}

async function endHoldsOf(deps: Deps, review: ClaimedReview): Promise<number> {
  const holds = await listHeldPayouts(deps.sql, review, PAYOUTS)
  const outcomes = await Promise.all(holds.map(hold => endHold(deps, hold)))
  // A payout that could not be moved, or whose account is frozen, is tried again when the claim
  // runs out. If a payout stays held, its review was taken back, and the next review makes it due.
  if (outcomes.includes('failed') || outcomes.includes('waits')) return holds.length
  const more = holds.length === PAYOUTS && !outcomes.includes('stays')
  await (more ? renewEndedReview : deleteEndedReview)(deps.sql, review)
  return holds.length
}

async function endHold(deps: Deps, { account_id, payout_id }: Hold) {
  const advance = { account_id, payout_id, by: 'review' } as const
  try {
    const { payout } = await deps.lanes.advancePayout.run(advance)
    return payout.held_for === '' ? 'ended' : 'stays'
  } catch (error) {
    // An approved entity gets no further review, so the claim must come due again.
    if (isFrozen(error)) return 'waits'
    deps.log.warn({ err: error, payout_id }, 'hold not ended')
    return 'failed'
  }
}

function isFrozen(error: unknown): boolean {
  return error instanceof Refusal && error.problems[0]?.reason === 'account_frozen'
}
