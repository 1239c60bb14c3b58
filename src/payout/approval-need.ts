// The approval that a new payout needs by the rules, and the row that requests it. Pure.
import {
  type ApprovalRules,
  asksForNewPayees,
  type KeyFacts,
  type NeededApproval,
  type PayoutApproval,
  rulesOf,
} from '../approval/approval.ts'
import { neededFor } from '../approval/rules.ts'
import type { Beneficiary } from '../beneficiary/beneficiary.ts'
import { mayBeIn } from '../beneficiary/country.ts'
import { canonicalDestination } from '../beneficiary/destination.ts'
import type { BeneficiaryRequest } from '../beneficiary/request.ts'
import { nameOf } from '../id.ts'
import { bookOf } from '../ledger/rules.ts'
import type { Quote } from '../quote/quote.ts'
import { routeSubject } from '../quote/rules.ts'
import { possibleNetworks } from '../quote/terms.ts'
import { hashJson } from '../seal.ts'
import { APPROVAL_SEAL } from './columns.ts'
import { payeeDetails } from './destination.ts'
import type { ApprovingState, CreatePayout, Payout, PayoutState } from './payout.ts'
import { paidTerms } from './pricing.ts'

const NO_KEY: KeyFacts = { owner: null, makes_only: false, made_by: '' }

function keyOf({ keys }: ApprovingState, key_id: string): KeyFacts {
  return keys.get(key_id) ?? NO_KEY
}

/** The approval that a new payout needs; null for none. */
export function neededApproval(
  state: Pick<PayoutState, 'now' | 'books' | 'pricing' | 'approving'>,
  { account, request, key_id = '' }: Pick<CreatePayout, 'account' | 'request' | 'key_id'>,
  { quote, beneficiary }: { readonly quote: Quote; readonly beneficiary: Beneficiary },
): NeededApproval | null {
  const { account_id } = account
  const { approving } = state
  const rules = rulesOf(approving.rules, account_id, 'payout')
  const key = keyOf(approving, key_id)
  if (rules.length === 0 && !key.makes_only) return null
  const { now } = bookOf(state.books, account_id)
  const { destination_details } = beneficiary.details
  const paid = routeSubject(paidTerms(quote, request, destination_details), null)
  const payee = nameOf({ account_id, id: approvedPayeeOf(beneficiary.details) })
  const judged = {
    key_id,
    payout_type: paid.payout_type,
    networks: possibleNetworks(paid),
    currency: quote.payout_currency,
    destination_currency: quote.destination_currency,
    amount: quote.payout_amount,
    payee_is_new: !approving.payees.has(payee),
    mayBeIn: (country: string) =>
      paid.country === '' ? mayBeIn(country, destination_details) : paid.country === country,
  }
  const rating = { pricing: state.pricing(account, now), rates_now: state.now }
  return neededFor(rules, judged, key, rating, now)
}

/** The row of the approval that a payout waits for. `digest` seals what approvers are shown. */
export function requestApproval(
  { approving }: Pick<PayoutState, 'approving'>,
  payout: Payout,
  needed: NeededApproval,
  { key_id = '', made_by = '' }: Pick<CreatePayout, 'key_id' | 'made_by'>,
): PayoutApproval {
  const key = keyOf(approving, key_id)
  return {
    account_id: payout.account_id,
    payout_id: payout.id,
    approvers: needed.approvers,
    requested_at: payout.created_at,
    expires_at: needed.expires_at,
    digest: APPROVAL_SEAL.digest(payout),
    payee: approvedPayeeOf(payout.beneficiary_details),
    made_by: made_by || (key.owner ?? ''),
    makers: [made_by, key.owner ?? '', key.made_by].filter(name => name !== ''),
    key_id,
    rules: needed.rules,
    outcome: '',
    ended_at: null,
  }
}

/** The distinct payees of commands whose account has a rule about new payees. */
export function payeesUnderRules(
  rules: ApprovalRules,
  commands: readonly CreatePayout[],
  beneficiaries: ReadonlyMap<string, Beneficiary>,
): { readonly account_id: string; readonly payee: string }[] {
  const payees = commands.flatMap(command => {
    const { account_id } = command
    if (!asksForNewPayees(rules, account_id)) return []
    const details = payeeDetails(command, beneficiaries)
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
