// The nouns of approvals: the rule, the payout that rules judge, what a payout needs, and what
// people have decided.
import type { Instant } from '../instant.ts'

/** What people can approve by a rule: payouts, or beneficiaries before a payout may go to them. */
export const RULE_SUBJECTS = ['payout', 'beneficiary'] as const
type RuleSubject = (typeof RULE_SUBJECTS)[number]

/**
 * What needs an approval. All conditions must hold; null is any. A rule for beneficiaries has only
 * the conditions account, key and country.
 */
export interface RuleConditions {
  readonly subject: RuleSubject
  /** The account that makes it; null: any account. */
  readonly account_id: string | null
  /** The key that makes it. */
  readonly key_id: string | null
  readonly payout_type: string | null
  /** The local network, payment network or chain. */
  readonly network: string | null
  /** The country that the money goes to, or may go to. */
  readonly country: string | null
  /** The payout currency. */
  readonly currency: string | null
  /** Whether the rule holds only for payees without an approved payout to their present details. */
  readonly new_payee: boolean
  /** The amount from which on it holds, in minor units of `at_least_currency`. */
  readonly at_least: bigint | null
  readonly at_least_currency: string | null
}

export interface ApprovalRule extends RuleConditions {
  readonly rule_id: string
  /** How many people must approve. */
  readonly approvers: number
  readonly expires_after_days: number
}

/** The rules of each account; '' has those of every account. */
export type ApprovalRules = ReadonlyMap<string, readonly ApprovalRule[]>

/** How many days people have if no rule says otherwise. */
export const EXPIRES_AFTER_DAYS = 30
export const MAX_APPROVERS = 9
export const MAX_DAYS = 365

const NONE: readonly ApprovalRule[] = []

/** The rules that judge payouts, or beneficiaries, of this account. */
export function rulesOf(
  rules: ApprovalRules,
  account_id: string,
  subject: RuleSubject,
): readonly ApprovalRule[] {
  const [all = NONE, own = NONE] = [rules.get(''), rules.get(account_id)]
  return [...all, ...own].filter(rule => rule.subject === subject)
}

export function indexRules(rules: readonly ApprovalRule[]): ApprovalRules {
  return Map.groupBy(rules, ({ account_id }) => account_id ?? '')
}

/** Whether a rule of the account needs to know which payees are new. */
export function asksForNewPayees(rules: ApprovalRules, account_id: string): boolean {
  return rulesOf(rules, account_id, 'payout').some(({ new_payee }) => new_payee)
}

/** A payout as rules judge it; '' is "not set". */
export interface JudgedPayout {
  readonly key_id: string
  readonly payout_type: string
  readonly network: string
  readonly currency: string
  /** The payout amount, in minor units of the currency, without fees. */
  readonly amount: bigint
  readonly payee_is_new: boolean
  /** Whether the payout goes to this country, or may go there. */
  mayBeIn(country: string): boolean
}

/** What is known about the key that asks for a payout. */
export interface KeyFacts {
  /** The person whose key it is; null: no person in particular. */
  readonly owner: string | null
  /** Whether each payout of the key needs an approval. */
  readonly makes_only: boolean
}

/** A beneficiary as rules judge it. */
export interface JudgedBeneficiary {
  /** '' is "not set". */
  readonly key_id: string
  /** Whether its account is in this country, or may be. */
  mayBeIn(country: string): boolean
}

/** The approval that a new payout needs before it goes out, or a beneficiary before it is paid. */
export interface Needed {
  readonly approvers: number
  readonly expires_at: Instant
  /** The rules that fit it; none when only its key requires an approval. */
  readonly rules: readonly string[]
}

/** How an approval ends. */
export const APPROVAL_OUTCOMES = ['approved', 'rejected', 'expired', 'cancelled', 'failed'] as const
export type ApprovalOutcome = (typeof APPROVAL_OUTCOMES)[number]

/** What an object that people approve needs, and the outcome. */
export interface Approval {
  readonly account_id: string
  readonly approvers: number
  readonly requested_at: Instant
  readonly expires_at: Instant
  /** SHA-256 of all that approvers are shown, 64 hex digits. */
  readonly digest: string
  /** The maker, who never approves it; '' or nobody when a key made it that is no person's. */
  readonly made_by: string | readonly string[]
  readonly key_id: string
  readonly rules: readonly string[]
  /** '' while it waits. */
  readonly outcome: ApprovalOutcome | ''
  readonly ended_at: Instant | null
}

export interface PayoutApproval extends Approval {
  readonly payout_id: string
  /** The payee, as `approvedPayeeOf` of payout/approval-need.ts identifies it. */
  readonly payee: string
  readonly made_by: string
}

/** What a beneficiary with the content of the digest needs. */
export interface BeneficiaryApproval extends Approval {
  readonly beneficiary_id: string
  /** All people who have made or changed it since its last approval. */
  readonly made_by: readonly string[]
}

/** The state of a beneficiary's approval; '' when no rule required one. */
export type BeneficiaryApprovalStatus = '' | 'pending_approval' | 'approved' | 'rejected'

export const DECISIONS = ['approve', 'reject'] as const
export type Decision = (typeof DECISIONS)[number]

/** A person's decision. */
export interface Decided {
  readonly account_id: string
  readonly user_name: string
  readonly decision: Decision
  readonly digest: string
  /** '' for none. */
  readonly reason: string
  readonly decided_at: Instant
}

export interface ApprovalDecision extends Decided {
  readonly payout_id: string
}

export interface BeneficiaryDecision extends Decided {
  readonly beneficiary_id: string
}

/** An approval with all that decides it, read under the lock of the account's book. */
export interface Open<Of extends Approval, By extends Decided> {
  readonly approval: Of
  readonly decisions: readonly By[]
}
export type OpenApproval = Open<PayoutApproval, ApprovalDecision>
export type OpenBeneficiaryApproval = Open<BeneficiaryApproval, BeneficiaryDecision>

/** The people who may approve payouts of each account, by its id. */
export type Approvers = ReadonlyMap<string, ReadonlySet<string>>

/** A payee to whom a payout of the account was approved. */
export interface ApprovedPayee {
  readonly account_id: string
  readonly payee: string
  readonly payout_id: string
  readonly approved_at: Instant
}
