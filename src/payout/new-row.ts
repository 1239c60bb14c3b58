// The row of a payout that is made, from its quote, its request and what was decided. Pure.
import type { Entry } from '../balance-transaction/balance-transaction.ts'
import type { Beneficiary } from '../beneficiary/beneficiary.ts'
import type { Instant } from '../instant.ts'
import { bookOf } from '../ledger/rules.ts'
import { carriedTerms } from '../quote/carried.ts'
import type { Quote } from '../quote/quote.ts'
import type { Plan } from '../rail/plan.ts'
import { isAsked } from '../rail/rail.ts'
import type { Routed } from '../rail/rules.ts'
import type { OpenPayout, Particulars, PayoutState } from './payout.ts'
import { networkOf } from './pricing.ts'
import type { PayoutRequest } from './request.ts'

/** What a payout has in these members until a rail, a person or the account acts on it. */
const UNTOUCHED = {
  rail_reference: '',
  taken_by: '',
  taken_at: null,
  taken_over_at: null,
  succeeded_at: null,
  failure: null,
  rail_steps: 0,
  answers: [],
}

/** The row of a payout whose debit is posted. */
export function payoutRow(
  state: Pick<PayoutState, 'now' | 'books' | 'bookId'>,
  quote: Quote,
  request: PayoutRequest,
  made: {
    readonly id: string
    readonly beneficiary: Beneficiary
    readonly entry: Entry
    readonly held_for: string
    readonly mt103: string
    readonly import_keys: string
    readonly routed: Routed
    readonly plan: Plan
    /** Whether the payout carries the quote, which then has no row. */
    readonly carried: boolean
  },
): OpenPayout {
  const { id, beneficiary, entry, held_for, mt103, import_keys, routed, carried } = made
  const book = bookOf(state.books, quote.account_id)
  const now = entry.line.created_at
  const internal = quote.payout_type === 'service_account'
  const status = internal ? 'succeeded' : 'processing'
  const converted = (from: string, to: string) => (from === to ? '' : state.bookId(book, 'fx'))
  return {
    account_id: quote.account_id,
    id,
    quote_id: carried ? '' : quote.id,
    type: quote.payout_type,
    amount: quote.payout_amount,
    currency: quote.payout_currency,
    holding_currency: quote.holding_currency,
    holding_amount: quote.holding_amount,
    fixed_fee: quote.fixed_fee_holding,
    variable_fee: quote.variable_fee_holding,
    destination_currency: quote.destination_currency,
    destination_amount: quote.destination_amount,
    holding_to_payout: quote.holding_to_payout,
    payout_to_destination: quote.payout_to_destination,
    holding_fx_id: converted(quote.holding_currency, quote.payout_currency),
    payout_fx_id: converted(quote.payout_currency, quote.destination_currency),
    balance_transaction_id: entry.line.id,
    beneficiary_id: beneficiary.id,
    beneficiary_details: beneficiary.details,
    particulars: particularsOf(request, quote),
    fund_transfer_network: networkOf(quote, request),
    charge_type: quote.charge_type || (request.charge_type ?? ''),
    ...carriedTerms(carried ? quote : null),
    first_rail: routed.rail,
    ...routed,
    ...UNTOUCHED,
    status: held_for === '' ? status : 'compliance_hold',
    status_description: held_for === '' ? '' : `Held until entity ${held_for} is reviewed.`,
    ...planned(made, state.now),
    held_for,
    mt103,
    import_keys,
    created_at: now,
    updated_at: now,
  }
}

/** When the rail is asked first, and when the payout arrives where the row does not tell. */
function planned(
  made: { readonly held_for: string; readonly routed: Routed; readonly plan: Plan },
  now: Instant,
): Pick<OpenPayout, 'ask_rail_at' | 'claimed_until' | 'rail_attempts' | 'expected_at'> {
  const { held_for, routed, plan } = made
  return {
    ask_rail_at: held_for === '' && isAsked(routed.rail) ? (plan.release_at ?? now) : null,
    claimed_until: null,
    rail_attempts: 0,
    expected_at: routed.route === null ? null : plan.expected_at,
  }
}

function particularsOf(request: PayoutRequest, quote: Quote): Particulars {
  return {
    purpose: request.purpose,
    transaction_description: request.transaction_description,
    reference_id: request.reference_id ?? '',
    statement_descriptor: request.statement_descriptor ?? '',
    on_behalf_of: request.on_behalf_of ?? quote.entity_id,
    documents: request.documents ?? [],
    logistics_tracking_details: request.logistics_tracking_details ?? [],
    metadata: request.metadata ?? null,
  }
}
