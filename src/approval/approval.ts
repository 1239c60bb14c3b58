// The nouns of approvals: the rule, the payout that rules judge, what a payout needs, and what
// people have decided.
import type { Instant } from '../instant.ts'

/** Which payouts need an approval: its conditions hold together, null is any. */
export interface RuleConditions {
  /** Null: the payouts of every account. */
  readonly account_id: string | null
  /** The key that asks for the payout. */
  readonly key_id: string | null
  readonly payout_type: string | null
  /** The local network, payment network or chain. */
  readonly network: string | null
  /** The country that the money goes to. */
  readonly country: string | null
  /** What is paid in. */
  readonly currency: string | null
  /** Only payees to whom no payout was approved as they are now. */
  readonly new_payee: boolean
  /** Only from this amount on, in minor units of `at_least_currency`. */
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

/** How long people have where no rule says it, in days. */
export const EXPIRES_AFTER_DAYS = 30
export const MAX_APPROVERS = 9
export const MAX_DAYS = 365

const NONE: readonly ApprovalRule[] = []

/** The rules that judge payouts of this account. */
export function rulesOf(rules: ApprovalRules, account_id: string): readonly ApprovalRule[] {
  const [all = NONE, own = NONE] = [rules.get(''), rules.get(account_id)]
  return own.length === 0 ? all : [...all, ...own]
}

export function indexRules(rules: readonly ApprovalRule[]): ApprovalRules {
  return Map.groupBy(rules, ({ account_id }) => account_id ?? '')
}

/** Whether a rule of the account asks which payees are new. */
export function asksForNewPayees(rules: ApprovalRules, account_id: string): boolean {
  return rulesOf(rules, account_id).some(({ new_payee }) => new_payee)
}

/** A payout as rules judge it; '' is "not set". */
export interface JudgedPayout {
  readonly key_id: string
  readonly payout_type: string
  readonly network: string
  readonly country: string
  readonly currency: string
  /** What is paid, in minor units of the currency, without fees. */
  readonly amount: bigint
  readonly payee_is_new: boolean
}

/** What is known of the key that asks for a payout. */
export interface KeyFacts {
  /** The person whose key it is; null: nobody's in particular. */
  readonly owner: string | null
  /** Each payout of the key needs an approval. */
  readonly makes_only: boolean
}

/** What a new payout needs before it goes out. */
export interface Needed {
  readonly approvers: number
  readonly expires_at: Instant
  /** The rules that fit it; none when its key alone asks for an approval. */
  readonly rules: readonly string[]
}

/** How an approval ends. */
export const APPROVAL_OUTCOMES = ['approved', 'rejected', 'expired', 'cancelled', 'failed'] as const
export type ApprovalOutcome = (typeof APPROVAL_OUTCOMES)[number]

/** What a payout needs, and what became of that. */
export interface PayoutApproval {
  readonly account_id: string
  readonly payout_id: string
  readonly approvers: number
  readonly requested_at: Instant
  readonly expires_at: Instant
  /** SHA-256 of all that approvers are shown of the payout, 64 hex digits. */
  readonly digest: string
  /** Who is paid, as `approvedAs` of payee.ts has it. */
  readonly payee: string
  /** The person who made the payout; '' when a key did that is nobody's. */
  readonly made_by: string
  readonly key_id: string
  readonly rules: readonly string[]
  /** '' while it waits. */
  readonly outcome: ApprovalOutcome | ''
  readonly ended_at: Instant | null
}

export const DECISIONS = ['approve', 'reject'] as const
export type Decision = (typeof DECISIONS)[number]

/** What a person has decided of a payout. */
export interface ApprovalDecision {
  readonly account_id: string
  readonly payout_id: string
  readonly user_name: string
  readonly decision: Decision
  readonly digest: string
  /** '' for none. */
  readonly reason: string
  readonly decided_at: Instant
}

/** An approval with all that decides about it, read under the lock of the account's book. */
export interface OpenApproval {
  readonly approval: PayoutApproval
  readonly decisions: readonly ApprovalDecision[]
}

/** The people who may approve payouts of each account, by its id. */
export type Approvers = ReadonlyMap<string, ReadonlySet<string>>

/** A payee to whom a payout of the account was approved. */
export interface ApprovedPayee {
  readonly account_id: string
  readonly payee: string
  readonly payout_id: string
  readonly approved_at: Instant
}
