// Moves payouts that wait: ends holds whose entity was reviewed, ends approvals whose time is over,
// and holds or fails scheduled payouts whose entity is no longer approved. The worker may be killed
// at any point: an unfinished claim comes due again.
import { listExpired } from '../../controls/approval/store.ts'
import { findApprovals } from '../../parties/entity/store.ts'
import type { DuePayout } from '../../payouts/advance/claim-store.ts'
import {
  type ClaimedReview,
  claimEndedReviews,
  deleteEndedReview,
  type Hold,
  listHeldPayouts,
  renewEndedReview,
} from '../../payouts/advance/hold-store.ts'
import { findPayouts } from '../../payouts/store.ts'
import type { Deps } from '../../runtime/deps.ts'
import { readConfined } from '../../sql/confine.ts'
import { Refusal } from '../../values/errors.ts'
import { type Key, nameOf, uniqueKeys } from '../../values/id.ts'
import { warned } from './worker.ts'

/** Most reviews of one round, and most payouts of each review. */
const REVIEWS = 10
const PAYOUTS = 500

/** Much longer than a round takes. */
const LEASE_MS = 10_000

/** Returns the number of held payouts whose entity was reviewed. */
export async function endHolds(deps: Deps): Promise<number> {
  const reviews = await claimEndedReviews(deps, REVIEWS, LEASE_MS)
  const counts = await Promise.all(reviews.map(review => endHoldsOf(deps, review)))
  return counts.reduce((sum, count) => sum + count, 0)
}

async function endHoldsOf(deps: Deps, review: ClaimedReview): Promise<number> {
  const holds = await listHeldPayouts(deps.sql, review, PAYOUTS)
  const outcomes = await Promise.all(holds.map(hold => endHold(deps, hold)))
  // A payout that could not be moved is tried again when the claim runs out. If it stays held, its
  // review was taken back, and the next review makes it due.
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

/** Most payouts of one round. */
const ROUND = 500

/** Returns the number of failed payouts. An error of one stops no other. */
export function expireApprovals(deps: Deps): Promise<number> {
  return expireRound(deps).catch(warned(deps, 'approvals that have expired could not be ended', 0))
}

async function expireRound(deps: Deps): Promise<number> {
  const expired = await listExpired(deps.finder, ROUND)
  const ended = expired.map(key => {
    const failed = warned(deps, 'approval not ended', false, { payout: nameOf(key) })
    return expire(deps, key).catch(failed)
  })
  return (await Promise.all(ended)).filter(Boolean).length
}

async function expire(deps: Deps, { account_id, id: payout_id }: Key): Promise<boolean> {
  const advance = { account_id, payout_id, by: 'approval', decided: 'expire' } as const
  const { payout } = await deps.lanes.advancePayout.run(advance)
  return payout.status === 'failed'
}

/** The due payouts except those that were now held or failed, or could not be checked. */
export async function leaveOutReviewed(
  deps: Deps,
  due: readonly DuePayout[],
): Promise<readonly DuePayout[]> {
  const begins = due.filter(payout => payout.begins)
  const groups = [...Map.groupBy(begins, ({ account_id }) => account_id)]
  const reviews = groups.map(([account_id, payouts]) =>
    holdUnapproved(deps, account_id, payouts).catch(
      warned(deps, 'scheduled payouts could not be looked at', payouts, { account_id }),
    ),
  )
  const left_out = new Set((await Promise.all(reviews)).flat())
  return due.filter(payout => !left_out.has(payout))
}

/** Holds or fails the payouts whose entity is not approved, and returns them. */
async function holdUnapproved(
  deps: Deps,
  account_id: string,
  due: readonly DuePayout[],
): Promise<readonly DuePayout[]> {
  const unapproved = await readConfined(deps.sql, [account_id], async tx => {
    const payouts = (await findPayouts(tx, due)).filter(
      ({ particulars }) => particulars.on_behalf_of !== '',
    )
    const entityOf = ({ particulars }: (typeof payouts)[number]) => {
      return { account_id, id: particulars.on_behalf_of }
    }
    const approvals = await findApprovals(tx, uniqueKeys(payouts.map(entityOf)))
    const approved = new Set(
      approvals.filter(({ approval_status }) => approval_status === 'approved').map(nameOf),
    )
    return payouts.filter(payout => !approved.has(nameOf(entityOf(payout))))
  })
  const review = { account_id, by: 'review' } as const
  const moves = unapproved.map(({ id: payout_id }) => {
    // After a failure the payout stays due, and no rail gets it.
    const words = 'scheduled payout neither held nor failed'
    const failed = warned(deps, words, undefined, { payout_id })
    return deps.lanes.advancePayout.run({ ...review, payout_id }).catch(failed)
  })
  await Promise.all(moves)
  const names = new Set(unapproved.map(nameOf))
  return due.filter(payout => names.has(nameOf(payout)))
}
