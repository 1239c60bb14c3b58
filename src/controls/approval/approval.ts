// The nouns of approvals: the rule, the payout or beneficiary that rules judge, the approval that
// it needs, and people's decisions.
import type { Instant } from '../../values/instant.ts'

/** The objects that a rule makes people approve: payouts, or beneficiaries before they are paid. */
export const RULE_SUBJECTS = ['payout', 'beneficiary'] as const
type RuleSubject = (typeof RULE_SUBJECTS)[number]

/**
 * The conditions of a rule. All must hold; null is any. A rule for beneficiaries has only the
 * conditions account, key and country.
 */
export interface RuleConditions {
  readonly subject: RuleSubject
  /** The account that makes the object; null is any account. */
  readonly account_id: string | null
  /** The key that makes the object. */
  readonly key_id: string | null
  readonly payout_type: string | null
  /** The local network, payment network or chain. */
  readonly network: string | null
  /** The destination's country, or a country that it may be in. */
  readonly country: string | null
  /** The payout currency. */
  readonly currency: string | null
  /** Whether the rule holds only for payees without an approved payout to their present details. */
  readonly new_payee: boolean
  /** The smallest payout amount of the rule, in minor units of `at_least_currency`. */
  readonly at_least: bigint | null
  readonly at_least_currency: string | null
}

export interface ApprovalRule extends RuleConditions {
  readonly rule_id: string
  /** How many people must approve. */
  readonly approvers: number
  readonly expires_after_days: number
}

/** Rules by account id; '' has the rules of every account. */
export type ApprovalRules = ReadonlyMap<string, readonly ApprovalRule[]>

/** How many days people have to decide, unless a rule has another number. */
export const EXPIRES_AFTER_DAYS = 30
export const MAX_APPROVERS = 9
export const MAX_DAYS = 365

const NONE: readonly ApprovalRule[] = []

/** The rules that judge payouts, or beneficiaries, of this account. */
export function rulesOf(rules: ApprovalRules, account_id: string, subject: RuleSubject) {
  const [all = NONE, own = NONE] = [rules.get(''), rules.get(account_id)]
  return [...all, ...own].filter(rule => rule.subject === subject)
}

export function indexRules(rules: readonly ApprovalRule[]): ApprovalRules {
  return Map.groupBy(rules, ({ account_id }) => account_id ?? '')
}

/** Whether the account has a rule with the condition `new_payee`. */
export function asksForNewPayees(rules: ApprovalRules, account_id: string): boolean {
  return rulesOf(rules, account_id, 'payout').some(({ new_payee }) => new_payee)
}

/** A payout as rules judge it; '' means "not set". */
export interface JudgedPayout {
  readonly key_id: string
  readonly payout_type: string
  /** The networks over which the payout may go. */
  readonly networks: readonly string[]
  readonly currency: string
  readonly destination_currency: string
  /** The payout amount, in minor units of the currency, without fees. */
  readonly amount: bigint
  readonly payee_is_new: boolean
  /** Whether the destination is in this country, or may be. */
  mayBeIn(country: string): boolean
}

/** The facts that approvals need about the key of a request. */
export interface KeyFacts {
  /** The user with this key; null for a key without a user. */
  readonly owner: string | null
  /** Whether each payout of the key needs an approval. */
  readonly makes_only: boolean
  /** Who made the key. */
  readonly made_by: string
}

/** A beneficiary as rules judge it. */
export interface JudgedBeneficiary {
  /** '' means "not set". */
  readonly key_id: string
  /** Whether its destination is in this country, or may be. */
  mayBeIn(country: string): boolean
}

/** The approval that a payout needs before its release, or a beneficiary before it is paid. */
export interface NeededApproval {
  /** How many people must approve. */
  readonly approvers: number
  readonly expires_at: Instant
  /** The ids of the rules that require it; none when only the key requires it. */
  readonly rules: readonly string[]
}

/** How an approval ends. */
export const APPROVAL_OUTCOMES = ['approved', 'rejected', 'expired', 'cancelled', 'failed'] as const
export type ApprovalOutcome = (typeof APPROVAL_OUTCOMES)[number]

/** The approval that an object needs, with its outcome. */
export interface Approval extends NeededApproval {
  readonly account_id: string
  readonly requested_at: Instant
  /** SHA-256 of the content that approvers see, 64 hex digits. */
  readonly digest: string
  /** The makers; '' or an empty list for a key without a user. */
  readonly made_by: string | readonly string[]
  /**
   * The people who may have made the request: its makers, the owner of the key, and the person who
   * made the key. None of them approves it.
   */
  readonly makers: readonly string[]
  readonly key_id: string
  /** '' while the approval waits. */
  readonly outcome: ApprovalOutcome | ''
  readonly ended_at: Instant | null
}

export interface PayoutApproval extends Approval {
  readonly payout_id: string
  /** The payee, as `approvedPayeeOf` of payouts/create/approval-need.ts identifies it. */
  readonly payee: string
  readonly made_by: string
}

/** The approval of a beneficiary's present content, which the digest covers. */
export interface BeneficiaryApproval extends Approval {
  readonly beneficiary_id: string
  /** All people who have made or changed the beneficiary since its last approval. */
  readonly made_by: readonly string[]
}

/** The state of a beneficiary's approval; '' when no rule required one. */
export type BeneficiaryApprovalStatus = '' | 'pending_approval' | 'approved' | 'rejected'

export const DECISIONS = ['approve', 'reject'] as const
export type Decision = (typeof DECISIONS)[number]

/** A user's decision about one object of an account. */
export interface UserDecision {
  readonly account_id: string
  readonly user_name: string
  readonly decision: Decision
  /** The digest that the user saw, 64 hex digits. */
  readonly digest: string
  /** '' for none. */
  readonly reason: string
  readonly decided_at: Instant
}

export interface ApprovalDecision extends UserDecision {
  readonly payout_id: string
}

export interface BeneficiaryDecision extends UserDecision {
  readonly beneficiary_id: string
}

/** An approval and its decisions, read under the lock of the account's book. */
export interface ApprovalWithDecisions<Of extends Approval, By extends UserDecision> {
  readonly approval: Of
  readonly decisions: readonly By[]
}
export type OpenApproval = ApprovalWithDecisions<PayoutApproval, ApprovalDecision>
export type OpenBeneficiaryApproval = ApprovalWithDecisions<
  BeneficiaryApproval,
  BeneficiaryDecision
>

/**
 * The users who may approve for an account, by name, each with the people who have lately given the
 * user the means to act: a role, a login link, a password or a key.
 */
export type ApproversOfAccount = ReadonlyMap<string, readonly string[]>

export type Approvers = ReadonlyMap<string, ApproversOfAccount>

export interface ApprovedPayee {
  readonly account_id: string
  readonly payee: string
  readonly payout_id: string
  readonly approved_at: Instant
}
