// The rules of approvals: which payouts and beneficiaries need one, who may approve, and when it is
// complete. Pure.
import type { PriceSources } from '../../prices/price.ts'
import { convertAtMid } from '../../prices/rate/rules.ts'
import { Refusal, refusal } from '../../values/errors.ts'
import { type Instant, plusMicros } from '../../values/instant.ts'
import {
  type Approval,
  type ApprovalRule,
  type ApprovalWithDecisions,
  type ApproversOfAccount,
  EXPIRES_AFTER_DAYS,
  type JudgedBeneficiary,
  type JudgedPayout,
  type KeyFacts,
  type NeededApproval,
  type RuleConditions,
  type UserDecision,
} from './approval.ts'

/** The rates that convert amounts, and the time by the database's clock, by which rates age. */
interface Rating {
  readonly pricing: PriceSources
  readonly rates_now: Instant
}

/** Whether all conditions of the rule hold. Callers pass only rules of the payout's account. */
export function fits(rule: RuleConditions, payout: JudgedPayout, rating: Rating): boolean {
  const { key_id, payout_type, network, country, currency, new_payee } = rule
  return (
    (key_id === null || key_id === payout.key_id) &&
    (payout_type === null || payout_type === payout.payout_type) &&
    (network === null || payout.networks.includes(network)) &&
    (country === null || payout.mayBeIn(country)) &&
    (currency === null || [payout.currency, payout.destination_currency].includes(currency)) &&
    (!new_payee || payout.payee_is_new) &&
    reaches(rule, payout, rating)
  )
}

/** Whether the amount reaches the rule's amount. It does when no fresh rate converts it. */
function reaches(
  { at_least, at_least_currency }: RuleConditions,
  { amount, currency }: JudgedPayout,
  { pricing, rates_now }: Rating,
): boolean {
  if (at_least === null || at_least_currency === null) return true
  try {
    return convertAtMid(pricing, amount, currency, at_least_currency, rates_now) >= at_least
  } catch (error) {
    if (error instanceof Refusal) return true
    throw error
  }
}

const DAY = 86_400_000_000n

/**
 * The approval that a new payout needs; null for none. Of several fitting rules, it takes the
 * largest number of approvers and the earliest end.
 */
export function neededFor(
  rules: readonly ApprovalRule[],
  payout: JudgedPayout,
  key: Pick<KeyFacts, 'makes_only'>,
  rating: Rating,
  now: Instant,
): NeededApproval | null {
  const fitting = rules.filter(rule => fits(rule, payout, rating))
  return fitting.length === 0 && !key.makes_only ? null : neededBy(fitting, now)
}

/** The approval that a new or changed beneficiary needs before it is paid; null for none. */
export function neededForBeneficiary(
  rules: readonly ApprovalRule[],
  judged: JudgedBeneficiary,
  now: Instant,
): NeededApproval | null {
  const fitting = rules.filter(
    rule =>
      (rule.key_id === null || rule.key_id === judged.key_id) &&
      (rule.country === null || judged.mayBeIn(rule.country)),
  )
  return fitting.length === 0 ? null : neededBy(fitting, now)
}

/** The approval that these rules require together; without a rule, one approver within 30 days. */
export function neededBy(
  fitting: readonly Pick<ApprovalRule, 'rule_id' | 'approvers' | 'expires_after_days'>[],
  now: Instant,
): NeededApproval {
  const days = fitting.map(rule => rule.expires_after_days)
  const least = fitting.length === 0 ? EXPIRES_AFTER_DAYS : Math.min(...days)
  return {
    approvers: Math.max(1, ...fitting.map(rule => rule.approvers)),
    expires_at: plusMicros(now, BigInt(least) * DAY),
    rules: fitting.map(({ rule_id }) => rule_id),
  }
}

/** A decision as a user sends it. */
export interface AskedDecision extends Pick<UserDecision, 'user_name' | 'decision' | 'reason'> {
  /** The digest of the content that the user saw. A rejection may have none. */
  readonly digest?: string
}

type AnyApproval = ApprovalWithDecisions<Approval, UserDecision>

/** Whether the approval has expired at `now`, the account's time. */
export function isExpired({ approval }: AnyApproval, now: Instant): boolean {
  return now >= approval.expires_at
}

/** The days for which a person approves no work of who gave the person the means to act. */
export const GIVEN_WITHIN_DAYS = 30

/**
 * Who of the makers is the user, or has lately given the user the means to act and so could approve
 * in the user's name; undefined for nobody.
 */
function makerBehind({ makers }: Approval, user_name: string, approvers: ApproversOfAccount) {
  const givers = approvers.get(user_name) ?? []
  return [user_name, ...givers].find(name => makers.includes(name))
}

/**
 * Refuses a decision: of a user who is no approver or is the maker (`approval_not_allowed`), after
 * the end (`invalid_transition`), a second one (`already_decided`), or one about an outdated digest
 * (`approval_outdated`). `what` names the object, such as `payout pot_…`.
 */
export function checkDecision(
  what: string,
  open: AnyApproval,
  asked: AskedDecision,
  approvers: ApproversOfAccount,
  now: Instant,
): void {
  const { user_name, digest } = asked
  const { expires_at } = open.approval
  if (!approvers.has(user_name)) {
    const message = `${user_name} is no approver of the account.`
    throw refusal('approval_not_allowed', message)
  }
  const maker = makerBehind(open.approval, user_name, approvers)
  if (maker !== undefined) {
    const message =
      maker === user_name
        ? `${user_name} has made ${what}, or the key that made it: others approve or reject it.`
        : `${maker}, who could have made ${what}, has given ${user_name} a role, a login link, a ` +
          `password or a key in the last ${GIVEN_WITHIN_DAYS} days: others approve or reject it.`
    throw refusal('approval_not_allowed', message)
  }
  if (isExpired(open, now)) {
    throw refusal('invalid_transition', `Nobody has approved ${what} by ${expires_at}.`)
  }
  const before = open.decisions.find(one => one.user_name === user_name)
  if (before !== undefined) {
    const message = `${user_name} has decided already, at ${before.decided_at}: ${before.decision}.`
    throw refusal('already_decided', message)
  }
  if (digest !== undefined && digest !== open.approval.digest) {
    const message = `The digest is not that of ${what}: look at it again.`
    throw refusal('approval_outdated', message, 'digest')
  }
}

/**
 * The approvals that count: each user may approve at this moment, is no maker, and saw the present
 * content.
 */
export function countedApprovals<By extends UserDecision>(
  { approval, decisions }: ApprovalWithDecisions<Approval, By>,
  approvers: ApproversOfAccount,
): readonly By[] {
  return decisions.filter(
    ({ user_name, decision, digest }) =>
      decision === 'approve' &&
      digest === approval.digest &&
      approvers.has(user_name) &&
      makerBehind(approval, user_name, approvers) === undefined,
  )
}

/** Whether enough people have approved. */
export function isComplete(open: AnyApproval, approvers: ApproversOfAccount): boolean {
  return countedApprovals(open, approvers).length >= open.approval.approvers
}
