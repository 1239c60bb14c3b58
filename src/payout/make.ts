// A payout as it is made once nothing refuses it: its debit and its row, from the quote it is made
// at. Pure; the refusals stand in rules.ts.
import type { Entry, FxConversion } from '../balance-transaction/balance-transaction.ts'
import { postEntry } from '../balance-transaction/rules.ts'
import type { Beneficiary } from '../beneficiary/beneficiary.ts'
import { type Book, bookOf } from '../ledger/rules.ts'
import { carriedTerms } from '../quote/carried.ts'
import type { Quote } from '../quote/quote.ts'
import { networkName } from '../quote/terms.ts'
import { isAsked } from '../rail/rail.ts'
import type { Routed } from '../rail/rules.ts'
import type { OpenPayout, Particulars, PayoutState } from './payout.ts'
import { payoutPostings } from './postings.ts'
import type { PayoutRequest } from './request.ts'

/** Principal and fees leave the balance (§payout.debit). */
export function postDebit(book: Book, quote: Quote, id: string, toAccount: boolean): Entry {
  return postEntry(
    book,
    { kind: 'payout', source: id, postings: payoutPostings(quote, toAccount) },
    {
      currency: quote.holding_currency,
      amount: -quote.holding_amount,
      fixed_fee: -quote.fixed_fee_holding,
      variable_fee: -quote.variable_fee_holding,
      fx_conversions: fxConversions(quote),
    },
  )
}

/** The conversions that took place, holding side first (§payout.conversions). */
function fxConversions(quote: Quote): FxConversion[] {
  const { holding_currency, payout_currency, destination_currency } = quote
  const paid = { amount: quote.payout_amount, currency: payout_currency }
  const conversions: FxConversion[] = []
  if (holding_currency !== payout_currency) {
    const initial = { amount: quote.holding_amount, currency: holding_currency }
    conversions.push({ exchange_rate: quote.holding_to_payout, initial, final: paid })
  }
  if (payout_currency !== destination_currency) {
    const final = { amount: quote.destination_amount, currency: destination_currency }
    conversions.push({ exchange_rate: quote.payout_to_destination, initial: paid, final })
  }
  return conversions
}

/** The local network of a payout: its quote's, or the one that the quote left open. */
export function networkOf(quote: Quote, { local }: Pick<PayoutRequest, 'local'>): string {
  return (
    quote.fund_transfer_network ||
    networkName(local?.fund_transfer_network, quote.destination_currency)
  )
}

/** What nobody has done with a new payout. */
const UNTOUCHED = {
  rail_reference: '',
  taken_by: '',
  taken_at: null,
  failure: null,
  rail_steps: 0,
  answers: [],
}

/** The row of a payout whose debit is posted. */
export function makePayout(
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
    /** Whether the quote has no row of its own. */
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
    ...routed,
    ...UNTOUCHED,
    status: held_for === '' ? status : 'compliance_hold',
    status_description: held_for === '' ? '' : `Held until entity ${held_for} is reviewed.`,
    ask_rail_at: held_for === '' && isAsked(routed.rail) ? state.now : null,
    claimed_until: null,
    rail_attempts: 0,
    held_for,
    mt103,
    import_keys,
    created_at: now,
    updated_at: now,
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
