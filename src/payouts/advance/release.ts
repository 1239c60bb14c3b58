// What holds a payout, and the step of a payout that nothing holds any more. Pure.
import { type Book, bookOf, hasRoom } from '../../ledger/rules.ts'
import type { Approvals } from '../../parties/entity/entity.ts'
import type { ApprovalStatus } from '../../parties/entity/states.ts'
import type { RailStep } from '../../rails/rail.ts'
import { refusal } from '../../values/errors.ts'
import { failureWith } from '../../values/failures.ts'
import { type Key, nameOf } from '../../values/id.ts'
import type { OpenPayout, Payout } from '../payout.ts'
import { ENTITY_REJECTED } from './rate-difference.ts'

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
 * Whether a rail was asked about the payout, or a person has taken it. Both may pay it from then
 * on.
 */
export function isHandedOver(payout: Pick<OpenPayout, 'rail_attempts' | 'taken_by'>): boolean {
  return payout.rail_attempts > 0 || payout.taken_by !== ''
}

/** Whether an open or a confirmed match holds the payout. */
export function isHeldForMatch({ screening }: Pick<OpenPayout, 'screening'>): boolean {
  return screening === 'open' || screening === 'confirmed'
}

/** Refuses a change of a payout that screening holds. */
export function underReview(payout_id: string) {
  const message = `Payout ${payout_id} is under review, and cannot change before the review ends.`
  return refusal('invalid_transition', message, 'status')
}

/** The stored parties of a payout, which are also screened by themselves. */
export function partiesOfPayout({ account_id, beneficiary_id, particulars }: Payout): Key[] {
  const ids = [particulars.on_behalf_of, beneficiary_id].filter(id => id !== '')
  return ids.map(id => ({ account_id, id }))
}

/** Whether the payout is screened at this version of the lists; null: at any version. */
export function isScreenedAt(
  { screened }: Pick<OpenPayout, 'screened'>,
  lists_version: bigint | null,
): boolean {
  return screened !== null && screened === (lists_version ?? screened)
}

/** Refuses to let a person pay a payout that is not screened at the present lists. */
export function checkScreened(payout: OpenPayout, lists_version: bigint | null): void {
  if (isScreenedAt(payout, lists_version)) return
  const { id } = payout
  const message =
    `Payout ${id} is not screened by the present sanctions lists: its screening and the state of ` +
    'the lists say why.'
  throw refusal('invalid_transition', message)
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

/** The status of a scheduled payout's entity that stops the payout; undefined: nothing stops it. */
export function unapprovedStatus(
  approvals: Approvals,
  { account_id, execute_at, particulars }: OpenPayout,
): ApprovalStatus | 'unknown' | undefined {
  const { on_behalf_of: id } = particulars
  if (execute_at === null || id === '') return undefined
  const status = approvals.get(nameOf({ account_id, id }))?.approval_status ?? 'unknown'
  return status === 'approved' ? undefined : status
}

export function rejectedEntity(entity_id: string): RailStep {
  const message = `Entity ${entity_id}, for which the payout was made, is rejected.`
  return { status: 'failed', failure: failureWith(ENTITY_REJECTED, message) }
}

/** The step of a payout that nothing holds. */
export function released(state: HeldState, payout: OpenPayout): RailStep {
  return isTransfer(payout) ? release(state, payout) : { status: 'processing', failure: null }
}

/**
 * The step of a released payout to another account: success, or a failure if the account is closed
 * or its balance has no room.
 */
function release(state: HeldState, payout: Payout): RailStep {
  const { destination_currency, destination_amount } = payout
  const receiver = receiverOf(state, payout)
  const failed = (code: 'PF000310' | 'PF000320', message: string): RailStep => {
    return { status: 'failed', failure: failureWith(code, message) }
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
