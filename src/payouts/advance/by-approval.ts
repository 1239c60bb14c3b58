// The steps of a payout that waits for its approval: a person approves it, a person rejects it, or
// its approval expires. Pure.
import type {
  ApprovalDecision,
  ApprovalOutcome,
  ApprovedPayee,
  Approvers,
  ApproversOfAccount,
  OpenApproval,
  PayoutApproval,
} from '../../controls/approval/approval.ts'
import {
  checkDecision,
  countedApprovals,
  isComplete,
  isExpired,
} from '../../controls/approval/rules.ts'
import { type Book, bookOf } from '../../ledger/rules.ts'
import type { RailStep } from '../../rails/rail.ts'
import type { Event } from '../../statements/event/event.ts'
import { recordChange } from '../../statements/event/rules.ts'
import { refusal } from '../../values/errors.ts'
import { failureWith } from '../../values/failures.ts'
import { nameOf } from '../../values/id.ts'
import { personFacts } from '../by-hand/by-hand.ts'
import { APPROVAL_SEAL, PAYOUT_SEAL } from '../columns.ts'
import { descriptionOf } from '../create/new-row.ts'
import type { OpenPayout } from '../payout.ts'
import type { Cause } from '../states.ts'
import type { ByApproval } from './advance.ts'
import {
  type HeldState,
  isHeldForMatch,
  isScreenedAt,
  isTransfer,
  rejectedEntity,
  released,
  underReview,
} from './release.ts'

export interface ApprovalState {
  readonly books: ReadonlyMap<string, Book>
  /** The approvals of payouts that wait for one, by `account_id/payout id`; decisions are added. */
  readonly pending: Map<string, OpenApproval>
  readonly approvers: Approvers
}

export interface DecidedApproval {
  readonly steps: readonly RailStep[]
  readonly decision: ApprovalDecision | null
  /** The hold of the approved payout. */
  readonly hold: Hold
  /** How the approval ends; null: more people must approve. */
  readonly outcome: ApprovalOutcome | null
}

/** `held_for` is the entity whose review the payout waits for. */
type Hold = Partial<Pick<OpenPayout, 'held_for' | 'screening' | 'screened'>>

const NO_HOLD: Hold = {}
const NO_APPROVERS: ApproversOfAccount = new Map()
const UNDECIDED: DecidedApproval = { steps: [], decision: null, hold: NO_HOLD, outcome: null }

/**
 * The steps of a decision or an expiry. Refuses what the person may not decide, such as a payout of
 * their own. While screening holds the payout, its money is not given back. The state stays as it
 * is until `rememberDecision`.
 */
export function stepsByApproval(
  state: ApprovalState & HeldState,
  payout: OpenPayout,
  { decided: asked }: ByApproval,
) {
  const decided = decideApproval(state, payout, asked)
  const gives_back = decided.steps.some(({ status }) => status === 'failed')
  if (gives_back && isHeldForMatch(payout)) throw underReview(payout.id)
  const changes = ({ status }: RailStep) => (status === 'compliance_hold' ? decided.hold : {})
  return { steps: decided.steps, decided, changes }
}

function decideApproval(
  state: ApprovalState & HeldState,
  payout: OpenPayout,
  asked: ByApproval['decided'],
): DecidedApproval {
  const { account_id, id } = payout
  const open = state.pending.get(nameOf(payout))
  const { now } = bookOf(state.books, account_id)
  if (asked === 'expire') {
    if (open === undefined || open.approval.outcome !== '' || !isExpired(open, now))
      return UNDECIDED
    const message = 'Nobody has approved it in time.'
    const failure = failureWith('PF000410', message)
    return { ...UNDECIDED, steps: [{ status: 'failed', failure }], outcome: 'expired' }
  }
  const approvers = state.approvers.get(account_id) ?? NO_APPROVERS
  if (open !== undefined) checkDecision(`payout ${id}`, open, asked, approvers, now)
  if (open === undefined || open.approval.outcome !== '' || payout.status !== 'pending_approval') {
    const status = open !== undefined && isRejected(open) ? 'rejected' : payout.status
    const message = `Payout ${id} does not wait for approval: it is ${status}.`
    throw refusal('invalid_transition', message)
  }
  const { user_name, decision: choice, reason, digest = open.approval.digest } = asked
  const key = { account_id, payout_id: id, user_name }
  const decision = { ...key, decision: choice, digest, reason, decided_at: now }
  if (choice === 'reject') {
    return { steps: stepsByRejection(payout, reason), decision, hold: NO_HOLD, outcome: 'rejected' }
  }
  if (APPROVAL_SEAL.digest(payout) !== open.approval.digest) {
    const message = `Payout ${id} has changed since its approval was asked for.`
    throw refusal('approval_outdated', message)
  }
  const decisions = [...open.decisions, decision]
  if (!isComplete({ ...open, decisions }, approvers)) return { ...UNDECIDED, decision }
  return { ...stepsOfApproved(state, payout), decision, outcome: 'approved' }
}

/**
 * A rejected payout fails, and its money goes back. While a person must still look at a match, the
 * rejected payout takes no step: its money stays held until the match is cleared. A payout with a
 * confirmed match cannot be rejected: the law decides about its money.
 */
function stepsByRejection({ id, screening }: OpenPayout, reason: string): readonly RailStep[] {
  if (screening === 'confirmed') {
    const message =
      `Payout ${id} is under review, and its money stays held: nobody can reject the payout ` +
      'before the review ends.'
    throw refusal('invalid_transition', message)
  }
  return screening === 'open' ? [] : [rejected(reason)]
}

function rejected(reason: string): RailStep {
  const message = reason === '' ? 'Rejected.' : `Rejected: ${reason}`
  return { status: 'failed', failure: failureWith('PF000400', message) }
}

function isRejected({ approval }: OpenApproval): boolean {
  return approval.outcome === 'rejected'
}

/** The step of a rejected payout that screening held; none for a payout that was not rejected. */
export function stepsOfRejected(state: ApprovalState, payout: OpenPayout): readonly RailStep[] {
  const open = state.pending.get(nameOf(payout))
  if (open === undefined || !isRejected(open)) return []
  const rejection = open.decisions.find(({ decision }) => decision === 'reject')
  return [rejected(rejection?.reason ?? '')]
}

/**
 * The steps of an approved payout: it is paid, it fails because its entity is rejected, or the
 * review of its entity or its parties holds it.
 */
function stepsOfApproved(
  state: HeldState,
  payout: OpenPayout,
): Pick<DecidedApproval, 'steps' | 'hold'> {
  const { account_id, screening, particulars } = payout
  const entity = particulars.on_behalf_of
  const approval_status = state.approvals.get(nameOf({ account_id, id: entity }))?.approval_status
  if (screening === '' && entity !== '' && approval_status === 'rejected') {
    return { steps: [rejectedEntity(entity)], hold: NO_HOLD }
  }
  const held_for = entity === '' || approval_status === 'approved' ? '' : entity
  // A transfer is paid at its release, so it must be screened at the present lists.
  const unscreened = isTransfer(payout) && !isScreenedAt(payout, state.lists_version)
  const waits = screening === '' && unscreened && held_for === ''
  if (held_for !== '' || screening !== '' || waits) {
    const description = descriptionOf(held_for, true)
    const step = { status: 'compliance_hold', failure: null, description } as const
    return {
      steps: [step],
      hold: waits ? { held_for, screening: 'waits', screened: null } : { held_for },
    }
  }
  const processing = { status: 'processing', failure: null } as const
  const steps = isTransfer(payout) ? [processing, released(state, payout)] : [processing]
  return { steps, hold: NO_HOLD }
}

/** Adds the decision, if any, to the state; returns its event. */
export function rememberDecision(
  state: ApprovalState,
  payout: OpenPayout,
  decided: DecidedApproval | undefined,
): Event[] {
  const decision = decided?.decision ?? null
  if (decision === null) return []
  const name = nameOf(payout)
  const before = state.pending.get(name)
  if (before === undefined) throw new Error(`payout ${payout.id} waits for no approval`)
  const open = { ...before, decisions: [...before.decisions, decision] }
  state.pending.set(name, open)
  const { approvers } = open.approval
  const given = countedApprovals(
    open,
    state.approvers.get(payout.account_id) ?? NO_APPROVERS,
  ).length
  const { user_name, reason, decision: choice } = decision
  const facts = {
    status: payout.status,
    by: 'approval' satisfies Cause,
    journals: [],
    ...personFacts({ name: user_name, ...(reason !== '' && { reason }) }),
    approval: { digest: decision.digest, given, needed: approvers },
  }
  const type = choice === 'approve' ? 'payout.approved' : 'payout.rejected'
  return [recordChange(state, payout, type, facts, PAYOUT_SEAL.digest(payout))]
}

export interface ApprovalChanges {
  readonly decision: ApprovalDecision | null
  readonly ended: Pick<PayoutApproval, 'account_id' | 'payout_id' | 'outcome' | 'ended_at'> | null
  readonly payee: ApprovedPayee | null
}

/** The outcome of an undecided approval, by the cause that ends its payout. */
const ENDED_BY: Readonly<Partial<Record<Cause, ApprovalOutcome>>> = {
  account: 'cancelled',
  operator: 'failed',
}

/** The command's changes of the payout's approval. Adds them to the state. */
export function approvalChanges(
  state: ApprovalState,
  before: OpenPayout,
  after: OpenPayout,
  by: Cause,
  decided: DecidedApproval | undefined,
): ApprovalChanges {
  const decision = decided?.decision ?? null
  const isLeft = before.status === 'pending_approval' && after.status !== 'pending_approval'
  const outcome = decided?.outcome ?? (isLeft ? ENDED_BY[by] : undefined)
  const open = state.pending.get(nameOf(after))
  // A payout that was rejected while screening held it has an approval that is over already.
  const is_over = open !== undefined && open.approval.outcome !== ''
  if (outcome === undefined || is_over) return { decision, ended: null, payee: null }
  const { account_id, id: payout_id } = after
  const ended_at = decision?.decided_at ?? after.updated_at
  if (open !== undefined) {
    state.pending.set(nameOf(after), { ...open, approval: { ...open.approval, outcome, ended_at } })
  }
  const payee =
    outcome === 'approved' && open !== undefined
      ? { account_id, payee: open.approval.payee, payout_id, approved_at: ended_at }
      : null
  return { decision, ended: { account_id, payout_id, outcome, ended_at }, payee }
}
