// The approval of a beneficiary by people, which a payout to it may need: which approval a new or
// changed beneficiary needs, and what follows from a decision. Pure.
import type { Making } from '../../accounts/maker.ts'
import {
  type ApprovalRules,
  type Approvers,
  type BeneficiaryApproval,
  type BeneficiaryDecision,
  type Decision,
  type KeyFacts,
  type NeededApproval,
  type OpenBeneficiaryApproval,
  rulesOf,
} from '../../controls/approval/approval.ts'
import {
  type AskedDecision,
  checkDecision,
  countedApprovals,
  isComplete,
  neededBy,
  neededForBeneficiary,
} from '../../controls/approval/rules.ts'
import { type Book, bookOf } from '../../ledger/rules.ts'
import type { Event } from '../../statements/event/event.ts'
import { recordChange } from '../../statements/event/rules.ts'
import { refusal } from '../../values/errors.ts'
import { nameOf } from '../../values/id.ts'
import { type ArchiveState, stillArchived } from './archive.ts'
import type { Beneficiary } from './beneficiary.ts'
import { BENEFICIARY_SEAL } from './columns.ts'
import { mayBeIn } from './country.ts'
import type { DestinationDetails } from './request.ts'

/** The approval rules, of the same version as the prices, and the owners of keys. */
interface ApprovalContext {
  readonly rules: ApprovalRules
  readonly keys: ReadonlyMap<string, KeyFacts>
}

export interface ApprovalState {
  readonly books: ReadonlyMap<string, Book>
  readonly context: ApprovalContext
  /** The latest approval of each beneficiary, by `account_id/id`, this batch's changes included. */
  readonly open: Map<string, OpenBeneficiaryApproval>
}

/** A new or changed beneficiary, and the approval that people were asked for. */
export interface ApprovalOutcome {
  readonly beneficiary: Beneficiary
  /** The approval that the beneficiary needs before it can be paid; null for none. */
  readonly requested: BeneficiaryApproval | null
  readonly events: readonly Event[]
}

function isUnapproved({ approval }: Beneficiary): boolean {
  return approval === 'pending_approval' || approval === 'rejected'
}

/**
 * The approval that rules require now for a new or changed beneficiary with this destination; null
 * for none.
 */
function neededNow(
  { rules }: ApprovalContext,
  { account_id, now }: Book,
  key_id: string,
  destination: DestinationDetails,
): NeededApproval | null {
  const judged = { key_id, mayBeIn: (country: string) => mayBeIn(country, destination) }
  return neededForBeneficiary(rulesOf(rules, account_id, 'beneficiary'), judged, now)
}

/**
 * Asks for the approval of a new or changed beneficiary, if a rule requires it. A beneficiary that
 * waits for an approval or was rejected needs as many approvers as before, even if no rule fits it
 * any more: no change frees it.
 */
export function askApproval(
  state: ApprovalState,
  before: Beneficiary | null,
  after: Beneficiary,
  { key_id, made_by }: Making,
): ApprovalOutcome {
  const { account_id, id: beneficiary_id, details } = after
  const book = bookOf(state.books, account_id)
  const earlier =
    before !== null && isUnapproved(before) ? state.open.get(nameOf(after)) : undefined
  const needed =
    neededNow(state.context, book, key_id, details.destination_details) ??
    (earlier && { ...neededBy([], book.now), approvers: earlier.approval.approvers })
  if (needed === undefined || needed === null) {
    return { beneficiary: { ...after, approval: '' }, requested: null, events: [] }
  }
  const key = state.context.keys.get(key_id)
  const maker = made_by || (key?.owner ?? '')
  const all = [...(earlier?.approval.made_by ?? []), maker, key?.owner ?? '', key?.made_by ?? '']
  const makers = [...new Set(all.filter(name => name !== ''))]
  const digest = BENEFICIARY_SEAL.digest(after)
  const { approvers, expires_at, rules } = needed
  const requested: BeneficiaryApproval = {
    account_id,
    beneficiary_id,
    approvers,
    requested_at: after.updated_at,
    expires_at,
    digest,
    made_by: makers,
    makers,
    key_id,
    rules,
    outcome: '',
    ended_at: null,
  }
  state.open.set(nameOf(after), { approval: requested, decisions: [] })
  const { updated_at } = after
  const approval = { digest, needed: approvers, expires_at }
  const facts = { approval, updated_at, ...stillArchived(after) }
  const event = recordChange(state, after, 'beneficiary.pending_approval', facts, digest)
  return { beneficiary: { ...after, approval: 'pending_approval' }, requested, events: [event] }
}

/** Refuses (422) a payout to a beneficiary that people have not approved. */
export function checkPayable(beneficiary: Beneficiary): void {
  if (!isUnapproved(beneficiary)) return
  const { id, approval } = beneficiary
  const message =
    approval === 'rejected'
      ? `Beneficiary ${id} was rejected: change it, and have it approved.`
      : `Beneficiary ${id} waits until people approve it.`
  throw refusal('beneficiary_not_approved', message, 'beneficiary')
}

/** Refuses (422) inline details of a payee where beneficiaries must be approved first. */
export function checkInlinePayee(
  context: ApprovalContext,
  book: Book,
  key_id: string,
  destination: DestinationDetails,
): void {
  if (neededNow(context, book, key_id, destination) === null) return
  const message =
    'People approve beneficiaries before they are paid: create the beneficiary by POST ' +
    '/v3/beneficiary, and send its id as `beneficiary` once it is approved.'
  throw refusal('beneficiary_not_approved', message, 'beneficiary_details')
}

/** Everything that decisions may touch, read under the locks of their books. */
export interface DecidingState extends ArchiveState {
  readonly open: Map<string, OpenBeneficiaryApproval>
  readonly approvers: Approvers
}

/** The result of a decision. */
export interface DecidedBeneficiary {
  readonly beneficiary: Beneficiary
  readonly decision: BeneficiaryDecision
  /** The approval, if this decision has ended it. */
  readonly ended: BeneficiaryApproval | null
  readonly events: readonly Event[]
}

/** Refuses a person who may not decide, and a beneficiary that waits for no approval. */
export function decideApprovalOf(
  state: DecidingState,
  beneficiary: Beneficiary,
  asked: AskedDecision,
): DecidedBeneficiary {
  const { account_id, id: beneficiary_id } = beneficiary
  const name = nameOf(beneficiary)
  const { now } = bookOf(state.books, account_id)
  const approvers = state.approvers.get(account_id) ?? new Map()
  const open = state.open.get(name)
  const what = `beneficiary ${beneficiary_id}`
  if (open !== undefined) checkDecision(what, open, asked, approvers, now)
  if (open === undefined || beneficiary.approval !== 'pending_approval') {
    throw refusal('invalid_transition', `The ${what} does not wait for approval.`)
  }
  const content = BENEFICIARY_SEAL.digest(beneficiary)
  if (content !== open.approval.digest) {
    throw refusal('approval_outdated', `The ${what} has changed since its approval was asked for.`)
  }
  const { user_name, decision: choice, reason } = asked
  const decision: BeneficiaryDecision = {
    account_id,
    beneficiary_id,
    user_name,
    decision: choice,
    digest: content,
    reason,
    decided_at: now,
  }
  const after = { ...open, decisions: [...open.decisions, decision] }
  const outcome = outcomeOf(choice, isComplete(after, approvers))
  const ended = outcome === null ? null : { ...open.approval, outcome, ended_at: now }
  const next = { ...beneficiary, approval: outcome ?? beneficiary.approval }
  state.open.set(name, { ...after, approval: ended ?? open.approval })
  state.beneficiaries.set(name, next)
  const { approvers: needed } = open.approval
  const facts = {
    ...stillArchived(next),
    operator: user_name,
    approval: { digest: content, given: countedApprovals(after, approvers).length, needed },
    approval_status: next.approval,
    updated_at: next.updated_at,
  }
  const type = choice === 'approve' ? 'beneficiary.approved' : 'beneficiary.rejected'
  const events = [recordChange(state, next, type, facts, content)]
  return { beneficiary: next, decision, ended, events }
}

/** The outcome of an approval after a decision; null while more people must approve. */
function outcomeOf(choice: Decision, is_complete: boolean): 'approved' | 'rejected' | null {
  if (choice === 'reject') return 'rejected'
  return is_complete ? 'approved' : null
}
