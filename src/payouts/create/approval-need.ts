// The approval that a new payout needs by the rules, and the row that requests it. Pure.
import {
  type ApprovalRules,
  asksForNewPayees,
  type KeyFacts,
  type NeededApproval,
  type PayoutApproval,
  rulesOf,
} from '../../controls/approval/approval.ts'
import { neededFor } from '../../controls/approval/rules.ts'
import { bookOf } from '../../ledger/rules.ts'
import type { BeneficiaryDetails } from '../../parties/beneficiary/beneficiary.ts'
import { mayBeIn } from '../../parties/beneficiary/country.ts'
import { canonicalDestination } from '../../parties/beneficiary/destination.ts'
import type { BeneficiaryRequest } from '../../parties/beneficiary/request.ts'
import { routeSubject } from '../../quotes/rules.ts'
import { possibleNetworks } from '../../quotes/terms.ts'
import { hashJson } from '../../values/digest.ts'
import { nameOf } from '../../values/id.ts'
import { APPROVAL_SEAL, type WrittenPayout } from '../columns.ts'
import type { ApprovingState, Intent, PayoutState, PricedPayout } from '../payout.ts'

const NO_KEY: KeyFacts = { owner: null, makes_only: false, made_by: '' }

function keyOf({ keys }: ApprovingState, key_id: string): KeyFacts {
  return keys.get(key_id) ?? NO_KEY
}

/** The approval that a new payout needs; null for none. */
export function neededApproval(
  state: Pick<PayoutState, 'now' | 'books' | 'pricing' | 'approving'>,
  { account_id, account, key_id = '' }: Intent,
  { quote, paid, beneficiary }: PricedPayout,
): NeededApproval | null {
  const { approving } = state
  const rules = rulesOf(approving.rules, account_id, 'payout')
  const key = keyOf(approving, key_id)
  if (rules.length === 0 && !key.makes_only) return null
  const { now } = bookOf(state.books, account_id)
  const { destination_details } = beneficiary.details
  const subject = routeSubject(paid, null)
  const payee = nameOf({ account_id, id: approvedPayeeOf(beneficiary.details) })
  const judged = {
    key_id,
    payout_type: subject.payout_type,
    networks: possibleNetworks(subject),
    currency: quote.payout_currency,
    destination_currency: quote.destination_currency,
    amount: quote.payout_amount,
    payee_is_new: !approving.payees.has(payee),
    mayBeIn: (country: string) =>
      subject.country === '' ? mayBeIn(country, destination_details) : subject.country === country,
  }
  const rating = { pricing: state.pricing(account, now), rates_now: state.now }
  return neededFor(rules, judged, key, rating, now)
}

/** The row of the approval that a payout waits for. `digest` seals what approvers are shown. */
export function requestApproval(
  { approving }: Pick<PayoutState, 'approving'>,
  payout: WrittenPayout,
  payee: BeneficiaryDetails,
  needed: NeededApproval,
  { key_id = '', made_by = '' }: Intent,
): PayoutApproval {
  const key = keyOf(approving, key_id)
  return {
    account_id: payout.account_id,
    payout_id: payout.id,
    approvers: needed.approvers,
    requested_at: payout.created_at,
    expires_at: needed.expires_at,
    digest: APPROVAL_SEAL.digestRow(payout),
    payee: approvedPayeeOf(payee),
    made_by: made_by || (key.owner ?? ''),
    makers: [made_by, key.owner ?? '', key.made_by].filter(name => name !== ''),
    key_id,
    rules: needed.rules,
    outcome: '',
    ended_at: null,
  }
}

/** The distinct payees of payouts whose account has a rule about new payees. */
export function payeesUnderRules(
  rules: ApprovalRules,
  intents: readonly Intent[],
): { readonly account_id: string; readonly payee: string }[] {
  const payees = intents.flatMap(({ account_id, details }) => {
    if (!asksForNewPayees(rules, account_id)) return []
    // The beneficiary does not exist, so the payout is refused.
    return details === undefined ? [] : [{ account_id, payee: approvedPayeeOf(details) }]
  })
  return [...new Map(payees.map(one => [`${one.account_id}/${one.payee}`, one])).values()]
}

/**
 * Identifies a payee for the rules about new payees, in 64 hex digits. Another name, account or
 * bank is another payee.
 */
function approvedPayeeOf({
  name,
  destination_details,
}: Pick<BeneficiaryRequest, 'name' | 'destination_details'>): string {
  return hashJson({ name: name.trim(), destination: canonicalDestination(destination_details) })
}
