// The steps of a held payout once its holds end: what the review of its entity decides, and what
// becomes of it when nothing holds it any more. Pure.
import type { Approvals } from '../entity/rules.ts'
import { nameOf } from '../id.ts'
import { type Book, bookOf, hasRoom } from '../ledger/rules.ts'
import type { RailStep } from '../rail/rail.ts'
import { descriptionOf } from './new-row.ts'
import type { OpenPayout, Payout } from './payout.ts'
import { isScreenedAt, mayBeOut } from './screening-step.ts'

/** What of the state of a step decides a hold; step.ts says what each is. */
export interface HeldState {
  readonly books: ReadonlyMap<string, Book>
  readonly approvals: Approvals
  readonly receivers: ReadonlyMap<string, string>
  readonly lists_version: bigint | null
}

/** The step of a payout that nothing holds any more but, perhaps, the review of its entity. */
export function stepsAfterHold(state: HeldState, payout: OpenPayout): RailStep[] {
  return payout.held_for === '' ? [released(state, payout)] : stepsByReview(state, payout)
}

/** The step of a payout that nothing holds. */
export function released(state: HeldState, payout: OpenPayout): RailStep {
  return toAccount(payout) ? release(state, payout) : { status: 'processing', failure: null }
}

/** A transfer is paid by its release, so it is released as screened at the present lists alone. */
function mayGo({ lists_version }: HeldState, payout: OpenPayout): boolean {
  return !toAccount(payout) || isScreenedAt(payout, lists_version)
}

/** The step of a held payout that the review of its entity decides; none while it is pending. */
export function stepsByReview(state: HeldState, payout: OpenPayout): RailStep[] {
  const { account_id, held_for } = payout
  if (held_for === '' || payout.screening !== '') return []
  const name = nameOf({ account_id, id: held_for })
  switch (state.approvals.get(name)?.approval_status) {
    case 'approved':
      return mayGo(state, payout) ? [released(state, payout)] : []
    case 'rejected':
      return [rejectedEntity(held_for)]
    default:
      return []
  }
}

/**
 * The step of a scheduled payout that nothing holds and nobody has: none while its entity is
 * approved still. Otherwise it waits for the review, as one that is made now would.
 */
export function stepsAtExecution(state: HeldState, payout: OpenPayout): RailStep[] {
  const { account_id, status, execute_at, particulars } = payout
  const { on_behalf_of: id } = particulars
  if (status !== 'processing' || execute_at === null || id === '' || mayBeOut(payout)) return []
  const approval_status = state.approvals.get(nameOf({ account_id, id }))?.approval_status
  if (approval_status === 'approved') return []
  if (approval_status === 'rejected') return [rejectedEntity(id)]
  return [{ status: 'compliance_hold', failure: null, description: descriptionOf(id, true) }]
}

/** The step of a payout whose entity is rejected. */
export function rejectedEntity(entity_id: string): RailStep {
  const message = `Entity ${entity_id}, for which the payout was made, is rejected.`
  return { status: 'failed', failure: { code: 'PF000300', category: 'compliance', message } }
}

/** The step of a released payout to another account: it fails if that is closed or full by now. */
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

export function toAccount(payout: Payout): boolean {
  return payout.type === 'service_account'
}

export function receiverOf(state: HeldState, payout: Payout): Book {
  const receiver = state.receivers.get(nameOf(payout))
  if (receiver === undefined) throw new Error(`payout ${payout.id} has no receiver`)
  return bookOf(state.books, receiver)
}
