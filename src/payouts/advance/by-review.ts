// The steps of a payout that the review of its entity decides, or whose holds have ended. Pure.

import { type Book, bookOf, hasRoom } from '../../ledger/rules.ts'
import type { Approvals } from '../../parties/entity/entity.ts'
import type { ApprovalStatus } from '../../parties/entity/states.ts'
import type { RailStep } from '../../rails/rail.ts'
import { refusal } from '../../values/errors.ts'
import { nameOf } from '../../values/id.ts'
import { type Instant, plusMicros } from '../../values/instant.ts'
import { descriptionOf } from '../create/new-row.ts'
import type { OpenPayout, Payout } from '../payout.ts'
import { checkExecuted } from '../schedule.ts'
import type { Cause } from '../states.ts'
import { ENTITY_REJECTED } from './rate-difference.ts'
import { isHandedOver, isScreenedAt } from './release.ts'

/**
 * How long a payout that converts keeps its price while its entity is not approved. The account
 * decides when it submits the entity. Without an end, it could choose among later rates.
 */
const PRICE_HELD_DAYS = 7

/** The state that decides how a hold ends. */
export interface HeldState {
  readonly books: ReadonlyMap<string, Book>
  /** Approvals of the entities that payouts are held for, or may be. */
  readonly approvals: Approvals
  /** Ids of the accounts that held payouts credit, by `account_id/payout id`. */
  readonly receivers: ReadonlyMap<string, string>
  /** The version of the sanctions lists; null when it is on another machine. */
  readonly lists_version: bigint | null
}

/**
 * The step of a payout whose hold by screening has ended. Its entity's review may still hold it.
 */
export function stepsAfterHold(state: HeldState, payout: OpenPayout): RailStep[] {
  return payout.held_for === '' ? [released(state, payout)] : stepsByReview(state, payout)
}

/** The step of a payout that nothing holds. */
export function released(state: HeldState, payout: OpenPayout): RailStep {
  return isTransfer(payout) ? release(state, payout) : { status: 'processing', failure: null }
}

/**
 * The step of a payout that waits for the review of its entity; none while the review is open or
 * screening holds the payout.
 */
export function stepsByReview(state: HeldState, payout: OpenPayout): RailStep[] {
  const { account_id, held_for } = payout
  if (held_for === '' || payout.screening !== '') return []
  const approval = state.approvals.get(nameOf({ account_id, id: held_for }))
  switch (approval?.approval_status) {
    case 'approved':
      if (isPriceOver(payout, approval.decided_at)) return [overdue(held_for)]
      // A transfer is paid at its release, so it must be screened at the present lists.
      if (isTransfer(payout) && !isScreenedAt(payout, state.lists_version)) return []
      return [released(state, payout)]
    case 'rejected':
      return [rejectedEntity(held_for)]
    default:
      return []
  }
}

/**
 * Whether the entity was approved too late for the payout's price: more than PRICE_HELD_DAYS after
 * `execute_at`, or after the creation of a payout without one. A payout that converts nothing keeps
 * its price. A delay after the approval does not count.
 */
function isPriceOver(payout: Payout, approved_at: Instant): boolean {
  const { created_at, execute_at, holding_fx_id, payout_fx_id } = payout
  if (holding_fx_id === '' && payout_fx_id === '') return false
  const last = plusMicros(execute_at ?? created_at, BigInt(PRICE_HELD_DAYS) * 86_400_000_000n)
  return approved_at > last
}

function overdue(entity_id: string): RailStep {
  const message =
    `Entity ${entity_id} was approved later than ${PRICE_HELD_DAYS} days, for which the payout ` +
    'keeps its rate.'
  return { status: 'failed', failure: { code: 'PF000330', category: 'compliance', message } }
}

/**
 * The step of a scheduled payout that is neither held nor handed over: none if its entity is
 * approved, a failure if it is rejected, otherwise the hold that a new payout would get.
 */
export function stepsAtExecution({ approvals }: HeldState, payout: OpenPayout): RailStep[] {
  if (payout.status !== 'processing' || isHandedOver(payout)) return []
  const { on_behalf_of: id } = payout.particulars
  const status = unapprovedStatus(approvals, payout)
  if (status === undefined) return []
  if (status === 'rejected') return [rejectedEntity(id)]
  return [{ status: 'compliance_hold', failure: null, description: descriptionOf(id, true) }]
}

/**
 * Refuses to let a person take a scheduled payout, or report its success, while its entity is not
 * approved. Workers check the entity only before they ask a rail.
 */
export function checkStillApproved(approvals: Approvals, payout: OpenPayout): void {
  const status = unapprovedStatus(approvals, payout)
  if (status === undefined) return
  const { id, particulars } = payout
  const message =
    `Payout ${id} is for entity ${particulars.on_behalf_of}, which is ${status}: nobody pays it ` +
    'while the entity is not approved.'
  throw refusal('invalid_transition', message)
}

/**
 * Refuses the success of a scheduled payout before `execute_at`. Also refuses the success that a
 * person reports while the entity is not approved and the payout is not handed over.
 */
export function checkScheduled(
  { approvals }: HeldState,
  payout: OpenPayout,
  steps: readonly RailStep[],
  { by, now }: { readonly by: Cause; readonly now: Instant },
): void {
  checkExecuted(payout, steps, by, now)
  const is_held = payout.status === 'compliance_hold'
  if (by !== 'operator' || is_held || isHandedOver(payout)) return
  if (steps.some(({ status }) => status === 'succeeded')) checkStillApproved(approvals, payout)
}

/** The status of a scheduled payout's entity that stops the payout; undefined: nothing stops it. */
function unapprovedStatus(
  approvals: Approvals,
  { account_id, execute_at, particulars }: OpenPayout,
): ApprovalStatus | 'unknown' | undefined {
  const { on_behalf_of: id } = particulars
  if (execute_at === null || id === '') return undefined
  const status = approvals.get(nameOf({ account_id, id }))?.approval_status ?? 'unknown'
  return status === 'approved' ? undefined : status
}

/** The step of a payout whose entity is rejected. */
export function rejectedEntity(entity_id: string): RailStep {
  const message = `Entity ${entity_id}, for which the payout was made, is rejected.`
  return { status: 'failed', failure: { code: ENTITY_REJECTED, category: 'compliance', message } }
}

/**
 * The step of a released payout to another account: success, or a failure if the account is closed
 * or its balance has no room.
 */
function release(state: HeldState, payout: Payout): RailStep {
  const { destination_currency, destination_amount } = payout
  const receiver = receiverOf(state, payout)
  const failed = (code: string, message: string): RailStep => {
    return { status: 'failed', failure: { code, category: 'receiver', message } }
  }
  if (receiver.state === 'closed') return failed('PF000320', 'The receiving account is closed.')
  if (hasRoom(receiver, destination_currency, destination_amount)) {
    return { status: 'succeeded', failure: null }
  }
  return failed('PF000310', 'The balance of the receiving account cannot take this amount.')
}

/** Whether the payout pays another account of this installation. */
export function isTransfer(payout: Payout): boolean {
  return payout.type === 'service_account'
}

export function receiverOf(state: HeldState, payout: Payout): Book {
  const receiver = state.receivers.get(nameOf(payout))
  if (receiver === undefined) throw new Error(`payout ${payout.id} has no receiver`)
  return bookOf(state.books, receiver)
}
