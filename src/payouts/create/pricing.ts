// From a payout request to the quote that the payout is made at: the quote that the request names,
// a renewal of that quote, or one of the payout's own terms. Pure.

import type { Account } from '../../accounts/rules.ts'
import { bookOf } from '../../ledger/rules.ts'
import type { Beneficiary } from '../../parties/beneficiary/beneficiary.ts'
import { destinationCountry } from '../../parties/beneficiary/country.ts'
import type { DestinationDetails } from '../../parties/beneficiary/request.ts'
import type { Fee } from '../../prices/fee/rules.ts'
import type { Pricing } from '../../prices/price.ts'
import { sourcesOf } from '../../quotes/basis.ts'
import { checkUsable, quoteStatus } from '../../quotes/expiry.ts'
import type { Quote, QuoteTerms } from '../../quotes/quote.ts'
import {
  defaultHoldingCurrency,
  feeRows,
  feesFor,
  makeQuote,
  priceQuote,
  routeSubject,
  totalDebit,
} from '../../quotes/rules.ts'
import { checkNetwork, networkName } from '../../quotes/terms.ts'
import { type Plan, planOrRefuse, sentOf } from '../../rails/plan.ts'
import { type Routed, routeOf } from '../../rails/rules.ts'
import { type Problem, refusal, refuseIfAny } from '../../values/errors.ts'
import { nameOf, withPrefix } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { currencyExponent } from '../../values/money/currency.ts'
import { formatDecimal, formatMajor } from '../../values/money/decimal.ts'
import { chainName, findChain } from '../../values/network/chain.ts'
import { foldedNetwork, paymentNetworkName } from '../../values/network/payment.ts'
import type { Intent, Payout, PayoutState, RunCheck, UsedQuote } from '../payout.ts'
import type { PayoutRequest } from '../request.ts'
import { checkPriceUntil, notBefore } from '../schedule.ts'
import { checkTypeDetails } from './fields.ts'

/**
 * The terms of a payout without a quote. The beneficiary's bank or wallet may name the currency and
 * country of its account; otherwise funds arrive in the payout currency.
 */
export function termsWithoutQuote(
  request: PayoutRequest,
  account: Account,
  destination: DestinationDetails,
): QuoteTerms {
  const { bank, wallet, local_payment_network } = destination
  const destination_currency = bank?.currency ?? wallet?.currency ?? request.currency
  const network = request.local?.fund_transfer_network
  const wallet_type = chainName(wallet?.type ?? '')
  refuseIfAny(checkNetwork(network, destination_currency))
  return {
    payout_type: request.type ?? 'local',
    holding_currency: request.holding_currency ?? defaultHoldingCurrency(account, request.currency),
    payout_currency: request.currency,
    payout_amount: BigInt(request.amount),
    destination_currency,
    destination_country: destinationCountry(destination, destination_currency),
    fund_transfer_network: networkName(network, destination_currency),
    payment_network: foldedNetwork(local_payment_network?.type ?? ''),
    wallet_type,
    wallet_network: findChain(wallet_type)?.network ?? '',
    charge_type: request.charge_type ?? '',
    entity_id: request.on_behalf_of ?? '',
  }
}

/**
 * Refuses a payout that differs from its quote, and names every differing member with both values
 * (§payout.quoted). A member that one of the two leaves out does not differ.
 */
export function checkMatches(
  quote: Quote,
  request: PayoutRequest,
  destination: DestinationDetails,
): void {
  const network = request.local?.fund_transfer_network
  const compared: readonly Compared[] = [
    ['amount', BigInt(request.amount), quote.payout_amount],
    ['currency', request.currency, quote.payout_currency],
    ['type', request.type, quote.payout_type],
    ['holding_currency', request.holding_currency, quote.holding_currency],
    ['charge_type', request.charge_type, quote.charge_type],
    ['local.fund_transfer_network', network?.toLowerCase(), quote.fund_transfer_network],
    ['on_behalf_of', request.on_behalf_of, quote.entity_id],
  ]
  refuseIfAny([
    ...compared.flatMap(([member, ...values]) => mismatches(member, member, ...values)),
    ...comparedDestination(quote, destination).flatMap(([member, ...values]) =>
      mismatches(...namedIn(request, member), ...values),
    ),
    ...checkTypeDetails(request, quote),
  ])
}

/**
 * A member, its value in the request, and its value in the quote. Both '' and undefined are "not
 * set".
 */
type Compared = readonly [member: string, sent: unknown, quoted: unknown]

/** The members of the destination that a quote may fix. */
function comparedDestination(quote: Quote, destination: DestinationDetails): Compared[] {
  const { bank, wallet, local_payment_network } = destination
  const country = destinationCountry(destination)
  const chain = (name: string | undefined) => name && chainName(name)
  const network = (name: string | undefined) => name && paymentNetworkName(name)
  return [
    ['bank.currency', bank?.currency, quote.destination_currency],
    ['bank.country', bank && (country || undefined), quote.destination_country],
    ['wallet.type', chain(wallet?.type), chain(quote.wallet_type)],
    ['wallet.currency', wallet?.currency, quote.destination_currency],
    [
      'local_payment_network.type',
      network(local_payment_network?.type),
      network(quote.payment_network),
    ],
  ]
}

function mismatches(remarks: string, what: string, sent: unknown, quoted: unknown): Problem[] {
  if (sent === undefined || quoted === '' || sent === quoted) return []
  const message = `${what} is ${sent} but the quote's is ${quoted}.`
  return [{ reason: 'quote_mismatch', message, remarks }]
}

/** The terms with the network, charges and country that the payout adds to its quote. */
export function paidTerms<Terms extends QuoteTerms>(
  terms: Terms,
  request: PayoutRequest,
  destination: DestinationDetails,
): Terms {
  const { wallet, local_payment_network } = destination
  return {
    ...terms,
    destination_country:
      destinationCountry(destination, terms.destination_currency) || terms.destination_country,
    fund_transfer_network:
      networkName(request.local?.fund_transfer_network, terms.destination_currency) ||
      terms.fund_transfer_network,
    payment_network: foldedNetwork(local_payment_network?.type ?? terms.payment_network),
    wallet_type: chainName(wallet?.type ?? terms.wallet_type),
    charge_type: request.charge_type ?? terms.charge_type,
  }
}

/**
 * Refuses a payout if its fee is not the one that its quote was priced with. The request may set
 * what the quote left open, as long as the fee stays the same.
 */
export function checkSameFee(
  quote: Quote,
  request: PayoutRequest,
  destination: DestinationDetails,
  fees: readonly Fee[],
): void {
  const paid = paidTerms(quote, request, destination)
  const rowsOf = (terms: QuoteTerms) => feeRows(fees, terms)
  const [rows, quoted] = [rowsOf(paid), rowsOf(quote)]
  if (isSubset(rows, quoted) && isSubset(pricedWith(quote, quoted), rows)) return
  const added = OPEN_MEMBERS.filter(([column]) => paid[column] !== quote[column])
  // Members that change the fee each by themselves; else only together.
  const decisive = added.filter(([column]) => {
    const without = rowsOf({ ...paid, [column]: quote[column] })
    return !isSubset(without, rows) || !isSubset(rows, without)
  })
  refuseIfAny(
    (decisive.length > 0 ? decisive : added).flatMap(([column, member]) =>
      mismatches(...namedIn(request, member), paid[column], 'not named'),
    ),
  )
}

function isSubset(rows: readonly Fee[], of: readonly Fee[]): boolean {
  return rows.every(row => of.includes(row))
}

/** Of the rows that fit the quote now, the one that it was priced with; all if that is gone. */
function pricedWith(quote: Quote, rows: readonly Fee[]): readonly Fee[] {
  const [priced] = sourcesOf(quote.basis, quote).fees
  const same = rows.filter(row => row.network === priced?.network)
  return same.length > 0 ? same : rows
}

/** The terms that a quote may leave open, each with the member of the payout that names it. */
const OPEN_MEMBERS = [
  ['fund_transfer_network', 'local.fund_transfer_network'],
  ['charge_type', 'charge_type'],
  ['destination_country', 'bank.country'],
  ['payment_network', 'local_payment_network.type'],
  ['wallet_type', 'wallet.type'],
] as const satisfies readonly (readonly [keyof QuoteTerms, string])[]

const OF_DESTINATION = /^(bank|wallet|local_payment_network)\./

/** Where a problem of this member is reported, and the name of the member in its message. */
function namedIn(request: PayoutRequest, member: string): [remarks: string, what: string] {
  if (!OF_DESTINATION.test(member)) return [member, member]
  const path = `destination_details.${member}`
  if (request.beneficiary !== undefined) return ['beneficiary', `${path} of the beneficiary`]
  return [`beneficiary_details.${path}`, `beneficiary_details.${path}`]
}

/** The state from which the quote of a payout is found or made. */
type QuoteState = Pick<PayoutState, 'now' | 'books' | 'quotes' | 'pricing' | 'routes' | 'bookId'>

/** The quote that the request names, null when it names none. Refuses with not_found. */
export function findSentQuote(
  state: QuoteState,
  { account_id, request: { quote: id } }: Intent,
): Quote | null {
  if (id === undefined) return null
  const quote = state.quotes.get(nameOf({ account_id, id }))
  if (quote === undefined) throw refusal('not_found', `No quote ${id} in this account.`, 'quote')
  return quote
}

/**
 * The quote that the payout is made at, and its rail. The quote is `sent` while that is active,
 * else a new one that is used at once (§payout.unquoted). Refuses a quote that is used, or that
 * differs from the request. Refuses an expired quote unless a `max_total_debit` allows a renewal.
 * Refuses a payout without a route, and a cost above `max_total_debit`.
 */
export function quoteFor(
  state: QuoteState,
  { account, request, maker }: Intent,
  payout: Pick<Payout, 'id' | 'execute_at'> & { readonly beneficiary: Beneficiary },
  sent: Quote | null,
  tryCheck: RunCheck,
): {
  readonly quote?: Quote | undefined
  readonly paid?: QuoteTerms
  readonly routed?: Routed | undefined
  readonly plan?: Plan | undefined
} {
  const { id, execute_at } = payout
  const destination = payout.beneficiary.details.destination_details
  const book = bookOf(state.books, account.account_id)
  const { now } = book
  const pricing = state.pricing(account, now)
  const expired = sent !== null && quoteStatus(sent, now) === 'expired'
  if (sent !== null) {
    if (!expired || request.max_total_debit === undefined) tryCheck(() => checkUsable(sent, now))
    tryCheck(() => checkMatches(sent, request, destination))
    tryCheck(() => checkSameFee(sent, request, destination, pricing.fees))
  }
  const terms = tryCheck(() =>
    sent === null ? termsWithoutQuote(request, account, destination) : sent,
  )
  if (terms === undefined) return {}
  const paid = paidTerms(terms, request, destination)
  // A payout without a quote carries its own, which takes the payout's id.
  const nameNew = () => (sent === null ? withPrefix(id, 'poq') : state.bookId(book, 'poq'))
  const route = (amount: bigint | null, remarks: string) =>
    tryCheck(() => routeOf(state.routes, account, routeSubject(paid, amount), remarks))
  const routed = route(null, 'type')
  const { account_id } = account
  const quote = tryCheck(() => {
    if (sent !== null && !expired) return sent
    return newQuote(state, { account_id, id: nameNew(), made_by: maker }, terms, pricing)
  })
  // A refused rate must not hide a missing fee.
  if (quote === undefined) tryCheck(() => feesFor(terms, pricing))
  else tryCheck(() => checkCap(quote, request.max_total_debit, quote === sent))
  // A route may have bounds for the amount that arrives, and that amount needs the price.
  const chosen = quote === undefined ? routed : routed && route(quote.destination_amount, 'amount')
  const from = notBefore({ execute_at }, now)
  const plan = chosen && tryCheck(() => planOrRefuse(chosen, sentOf(paid), from))
  if (quote !== undefined) tryCheck(() => checkPriceUntil(execute_at, quote, now, pricing))
  return { quote, paid, routed: chosen, plan }
}

/** Marks a quote as used. A renewed quote is used too: it cannot be renewed again. */
export function useQuote(quote: Quote, renewed_as: string, now: Instant): UsedQuote {
  return { ...quote, status: 'used', updated_at: now, renewed_as }
}

function newQuote(
  state: QuoteState,
  identity: Pick<Quote, 'account_id' | 'id' | 'made_by'>,
  terms: QuoteTerms,
  pricing: Pricing,
): Quote {
  const price = priceQuote(terms, pricing, state.now, 'amount')
  const { now } = bookOf(state.books, identity.account_id)
  return makeQuote(identity, terms, price, 'used', now, pricing)
}

/** Refuses a cost above `cap`. The message ends in figures as `name=value`, for programs. */
function checkCap(quote: Quote, cap: number | undefined, is_quoted: boolean): void {
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
    `${is_quoted ? 'as quoted' : 'at the rates and fees of this moment'}; ` +
    `max_total_debit is ${code} ${formatMajor(BigInt(cap), exponent)}. ` +
    `In minor units: ${figures.map(([name, value]) => `${name}=${value}`).join(' ')}`
  throw refusal('max_total_debit_exceeded', message, 'max_total_debit')
}
