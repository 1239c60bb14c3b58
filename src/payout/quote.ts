// The quote that a payout is made at: the one it names, that one priced anew when it has expired
// and the payout says what it may cost, or one of its own terms. Pure.
import type { Account } from '../account/rules.ts'
import type { Beneficiary } from '../beneficiary/beneficiary.ts'
import { refusal } from '../errors.ts'
import { type BookId, nameOf, withPrefix } from '../id.ts'
import type { Instant } from '../instant.ts'
import { type Book, bookOf } from '../ledger/rules.ts'
import { currencyExponent } from '../money/currency.ts'
import { formatDecimal, formatMajor } from '../money/decimal.ts'
import type { Pricing, PricingAt } from '../price/price.ts'
import type { Quote, QuoteTerms } from '../quote/quote.ts'
import {
  checkFee,
  checkUsable,
  makeQuote,
  priceQuote,
  quoteStatus,
  routeSubject,
  totalDebit,
} from '../quote/rules.ts'
import { type Route, type Routed, routeOf } from '../rail/rules.ts'
import type { Attempt, UsedQuote } from './payout.ts'
import type { PayoutRequest } from './request.ts'
import { checkMatches, checkSameFee, paidTerms, termsWithoutQuote } from './terms.ts'

/** What a quote is found and made with. */
export interface QuoteState {
  /** The database's clock, by which rates are judged. */
  readonly now: Instant
  readonly books: ReadonlyMap<string, Book>
  /** By `account_id/id`. */
  readonly quotes: ReadonlyMap<string, Quote>
  readonly pricing: PricingAt
  readonly routes: readonly Route[]
  readonly bookId: BookId
}

/** The quote that the request names, null when it names none. Refuses with not_found. */
export function findSentQuote(
  state: QuoteState,
  { account_id }: Account,
  { quote: id }: PayoutRequest,
): Quote | null {
  if (id === undefined) return null
  const quote = state.quotes.get(nameOf({ account_id, id }))
  if (quote === undefined) throw refusal('not_found', `No quote ${id} in this account.`, 'quote')
  return quote
}

/**
 * `sent` itself while it is active, else a new quote that is used at once (§payout.unquoted); and
 * the rail that the payout goes to. Refuses quotes that are used, or expired without
 * `max_total_debit`, or differ from the request, what no rail takes, and whatever costs more than
 * `max_total_debit`.
 */
export function quoteFor(
  state: QuoteState,
  account: Account,
  {
    id,
    request,
    beneficiary,
  }: {
    readonly id: string
    readonly request: PayoutRequest
    readonly beneficiary: Beneficiary
  },
  sent: Quote | null,
  attempt: Attempt,
): { readonly quote: Quote | undefined; readonly routed: Routed | undefined } {
  const destination = beneficiary.details.destination_details
  const book = bookOf(state.books, account.account_id)
  const { now } = book
  const pricing = state.pricing(account, now)
  const expired = sent !== null && quoteStatus(sent, now) === 'expired'
  if (sent !== null) {
    if (!expired || request.max_total_debit === undefined) attempt(() => checkUsable(sent, now))
    attempt(() => checkMatches(sent, request, destination))
    attempt(() => checkSameFee(sent, request, destination, pricing.fees))
  }
  const terms = attempt(() =>
    sent === null ? termsWithoutQuote(request, account, destination) : termsOf(sent),
  )
  if (terms === undefined) return { quote: undefined, routed: undefined }
  const subject = routeSubject(paidTerms(terms, request, destination))
  // Without a quote the payout carries one, which is named after it.
  const nameNew = () => (sent === null ? withPrefix(id, 'poq') : state.bookId(book, 'poq'))
  const routed = attempt(() => routeOf(state.routes, account, subject, 'type'))
  const quote = attempt(() =>
    sent === null || expired ? newQuote(state, account, nameNew(), terms, pricing) : sent,
  )
  // What is wrong with the rate must not hide that there is no fee either.
  if (quote === undefined) attempt(() => checkFee(terms, pricing))
  else attempt(() => checkCap(quote, request.max_total_debit, quote === sent))
  return { quote, routed }
}

/** Used either way: an expired quote that is renewed cannot be renewed again. */
export function useQuote(quote: Quote, renewed_as: string, now: Instant): UsedQuote {
  return { ...quote, status: 'used', updated_at: now, renewed_as }
}

function newQuote(
  state: QuoteState,
  { account_id }: Account,
  id: string,
  terms: QuoteTerms,
  pricing: Pricing,
): Quote {
  const price = priceQuote(terms, pricing, state.now, 'amount')
  const { now } = bookOf(state.books, account_id)
  return makeQuote({ account_id, id }, terms, price, 'used', now, pricing)
}

function termsOf(quote: Quote): QuoteTerms {
  return {
    payout_type: quote.payout_type,
    holding_currency: quote.holding_currency,
    payout_currency: quote.payout_currency,
    payout_amount: quote.payout_amount,
    destination_currency: quote.destination_currency,
    destination_country: quote.destination_country,
    fund_transfer_network: quote.fund_transfer_network,
    payment_network: quote.payment_network,
    wallet_type: quote.wallet_type,
    wallet_network: quote.wallet_network,
    charge_type: quote.charge_type,
    entity_id: quote.entity_id,
  }
}

/** The message ends in the figures as `name=value`, for programs to read. */
function checkCap(quote: Quote, cap: number | undefined, quoted: boolean): void {
  const total = totalDebit(quote)
  if (cap === undefined || total <= BigInt(cap)) return
  const { holding_currency: code } = quote
  const exponent = currencyExponent(code)
  const figures = Object.entries({
    holding_currency: code,
    holding_amount: quote.holding_amount,
    fixed_fee: quote.fixed_fee_holding,
    variable_fee: quote.variable_fee_holding,
    total_debit: total,
    holding_to_payout: formatDecimal(quote.holding_to_payout),
    payout_to_destination: formatDecimal(quote.payout_to_destination),
  })
  const message =
    `The payout costs ${code} ${formatMajor(total, exponent)} including fees, ` +
    `${quoted ? 'as quoted' : 'at the rates and fees of this moment'}; ` +
    `max_total_debit is ${code} ${formatMajor(BigInt(cap), exponent)}. ` +
    `In minor units: ${figures.map(([name, value]) => `${name}=${value}`).join(' ')}`
  throw refusal('max_total_debit_exceeded', message, 'max_total_debit')
}
