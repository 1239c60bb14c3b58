// The rules of quotes: the price of terms, and until when a payout can use a quote. A payout
// without a quote has its price from the same functions. Pure.
import { bankingCountry } from '../parties/beneficiary/country.ts'
import { type Fee, type FeeSubject, feeAmounts, selectFee } from '../prices/fee/rules.ts'
import type { PriceSources, Pricing } from '../prices/price.ts'
import { costAtMid, customerRate, type RateBook, yieldAtMid } from '../prices/rate/rules.ts'
import type { RouteSubject } from '../rails/rules.ts'
import { type Problem, refusal, refuseIfAny } from '../values/errors.ts'
import { type Instant, plusMilliseconds } from '../values/instant.ts'
import { currencyExponent } from '../values/money/currency.ts'
import {
  divideByRate,
  divideDown,
  divideUp,
  MAX_AMOUNT,
  multiplyByRate,
} from '../values/money/decimal.ts'
import { chainName } from '../values/network/chain.ts'
import { type Network, networksOf } from '../values/network/local.ts'
import { paymentNetworkName } from '../values/network/payment.ts'
import { type Legs, makeBasis } from './basis.ts'
import type { Price, PricedType, Quote, QuoteTerms } from './quote.ts'

/**
 * The holding currency of a request without one: the payout currency if the account holds it,
 * otherwise the account's primary currency (§quote.holding).
 */
export function defaultHoldingCurrency(
  account: { readonly currencies: readonly string[]; readonly primary_currency: string },
  payout_currency: string,
): string {
  return account.currencies.includes(payout_currency) ? payout_currency : account.primary_currency
}

/**
 * Prices terms at `now`, the time by the database's clock (§quote.conversion, §fee.total). Debits
 * and fees round up, credits round down, so that no chain of payouts ends above its start. Refuses
 * with rate_unavailable, rate_stale or fee_unavailable. Refuses with amount_out_of_range at
 * `amount_path` when a converted amount rounds to zero or exceeds MAX_AMOUNT.
 */
export function priceQuote(
  terms: QuoteTerms<PricedType>,
  pricing: PriceSources,
  now: Instant,
  amount_path = 'payout_info.amount',
): Price {
  const { fee, ...figures } = priceFigures(terms, pricing, now, amount_path)
  return { ...figures, basis: makeBasis(terms, pricing, fee) }
}

/** A price without its basis, and the row of the fee schedule that counted. Refuses as above. */
export function priceFigures(
  terms: QuoteTerms<PricedType>,
  pricing: PriceSources,
  now: Instant,
  amount_path: string,
): Omit<Price, 'basis'> & { readonly fee: Fee | undefined } {
  const { holding_currency, payout_currency, destination_currency } = terms
  const exchanged = exchange(terms, pricing, now)
  const { holding_amount: amount, holding_to_payout } = exchanged
  refuseIfAny([
    ...outOfRange(amount_path, amount, holding_currency),
    ...outOfRange(amount_path, exchanged.destination_amount, destination_currency),
  ])

  const holding = { currency: holding_currency, amount }
  const { fee, fixed, variable } = dearestFee(feesFor(terms, pricing), holding, pricing, now)
  const fees = { fixed_fee_holding: fixed, variable_fee_holding: variable }
  const price = {
    ...exchanged,
    ...fees,
    ...feesInPayoutCurrency({ holding_currency, payout_currency, holding_to_payout, ...fees }),
    fee,
  }
  const shown = [price.fixed_fee_payout, price.variable_fee_payout]
  refuseIfAny([
    ...outOfRange(amount_path, totalDebit(price), holding_currency),
    ...shown.flatMap(fee => outOfRange(amount_path, fee, payout_currency, 0n)),
  ])
  return price
}

/**
 * The rows of the fee schedule for these terms; none when no row fits. There are several for a
 * local payout that may go over several networks, each with a row of its own: the dearest counts.
 * If a network has none, the row without a network counts, which is the price of any network.
 */
export function feeRows(fees: readonly Fee[], terms: QuoteTerms<PricedType>): readonly Fee[] {
  return rowsOf(fees, feeSubject(terms), terms)
}

function rowsOf(
  fees: readonly Fee[],
  subject: FeeSubject,
  terms: QuoteTerms<PricedType>,
): readonly Fee[] {
  const general = selectFee(fees, subject)
  const own = networksLeftOpen(subject, terms).map(network =>
    selectFee(fees, { ...subject, network }),
  )
  const isPriced = own.length > 0 && (general === undefined || !own.includes(general))
  return (isPriced ? own : [general]).filter(fee => fee !== undefined)
}

/** The networks among which local terms choose none; fewer than two are no choice. */
function networksLeftOpen(
  { network }: FeeSubject,
  { payout_type, destination_currency, destination_country }: QuoteTerms<PricedType>,
): readonly string[] {
  if (payout_type !== 'local' || network !== '') return []
  return localNetworksTo(destination_currency, destination_country)
}

/**
 * The rows of the fee schedule for these terms. When `fee_required`, refuses with fee_unavailable
 * terms without a row, or with a network without one: a free payout of a live account needs a row
 * of zero.
 */
export function feesFor(
  terms: QuoteTerms<PricedType>,
  { fees, fee_required }: PriceSources,
): readonly Fee[] {
  const subject = feeSubject(terms)
  const rows = rowsOf(fees, subject, terms)
  if (!fee_required) return rows
  const isPriced = (network: string) => selectFee(fees, { ...subject, network }) !== undefined
  const networks = networksLeftOpen(subject, terms)
  const isComplete = isPriced(subject.network) || (networks.length > 0 && networks.every(isPriced))
  if (isComplete) return rows
  const { payout_type, ...named } = subject
  const words = Object.entries(named).flatMap(([name, value]) =>
    value === '' ? [] : [`${name} ${value}`],
  )
  const what = payout_type === 'conversion' ? payout_type : `payout by ${payout_type}`
  const message = `No fee is set for a ${[what, ...words].join(', ')}.`
  throw refusal('fee_unavailable', message)
}

/** The row with the highest fees for this amount, and its fees. Of equal rows, the first. */
export function dearestFee(
  rows: readonly Fee[],
  holding: { readonly currency: string; readonly amount: bigint },
  pricing: PriceSources,
  now: Instant,
) {
  const [first, ...others] = rows.map(fee => ({ fee, ...feeAmounts(fee, holding, pricing, now) }))
  if (first === undefined) return { fee: undefined, fixed: 0n, variable: 0n }
  return others.reduce(
    (most, one) => (one.fixed + one.variable > most.fixed + most.variable ? one : most),
    first,
  )
}

/** Converts the payout amount to the holding and the destination currency. */
function exchange(terms: QuoteTerms<PricedType>, { rates, policyOf }: PriceSources, now: Instant) {
  const rate = (from: string, to: string) => customerRate(rates, policyOf(from, to), from, to, now)
  const { holding_currency, payout_currency, destination_currency, payout_amount: amount } = terms
  const holding_to_payout = rate(holding_currency, payout_currency)
  const payout_to_destination = rate(payout_currency, destination_currency)
  const payout_exponent = currencyExponent(payout_currency)
  const holding_exponent = currencyExponent(holding_currency)
  const destination_exponent = currencyExponent(destination_currency)
  const amounts = {
    holding_amount: divideByRate(
      amount,
      holding_to_payout,
      payout_exponent,
      holding_exponent,
      divideUp,
    ),
    destination_amount: multiplyByRate(
      amount,
      payout_to_destination,
      payout_exponent,
      destination_exponent,
      divideDown,
    ),
  }
  const margin = marginOf({ ...terms, ...amounts }, rates)
  return { ...amounts, holding_to_payout, payout_to_destination, ...margin }
}

/** The margins of both exchanges: the difference from the same exchanges at mid. */
export function marginOf(
  figures: Legs & Pick<Quote, 'payout_amount' | 'holding_amount' | 'destination_amount'>,
  rates: RateBook,
): Pick<Price, 'fx_income_holding' | 'fx_income_destination'> {
  const { holding_currency, payout_currency, destination_currency, payout_amount: paid } = figures
  const cost = costAtMid(rates, paid, holding_currency, payout_currency)
  const worth = yieldAtMid(rates, paid, payout_currency, destination_currency)
  return {
    fx_income_holding: figures.holding_amount - cost,
    fx_income_destination: worth - figures.destination_amount,
  }
}

/** The fees, which the holding currency pays, converted to the payout currency. */
export function feesInPayoutCurrency(
  charged: Pick<
    Quote,
    | 'holding_currency'
    | 'payout_currency'
    | 'holding_to_payout'
    | 'fixed_fee_holding'
    | 'variable_fee_holding'
  >,
): Pick<Price, 'fixed_fee_payout' | 'variable_fee_payout'> {
  const from = currencyExponent(charged.holding_currency)
  const to = currencyExponent(charged.payout_currency)
  const worth = (fee: bigint) => multiplyByRate(fee, charged.holding_to_payout, from, to, divideUp)
  return {
    fixed_fee_payout: worth(charged.fixed_fee_holding),
    variable_fee_payout: worth(charged.variable_fee_holding),
  }
}

/** The holding amount and both fees, in minor units of the holding currency. */
export function totalDebit(
  price: Pick<Price, 'holding_amount' | 'fixed_fee_holding' | 'variable_fee_holding'>,
): bigint {
  return price.holding_amount + price.fixed_fee_holding + price.variable_fee_holding
}

/**
 * Refuses a request with another holding or destination amount than the computed one. The message
 * names the computed amount (§quote.expectation).
 */
export function checkExpectations(
  price: Price,
  expected: {
    readonly holding_amount: bigint | undefined
    readonly destination_amount: bigint | undefined
  },
): void {
  const problems: Problem[] = []
  for (const [field, remarks] of [
    ['holding_amount', 'holding_info.amount'],
    ['destination_amount', 'destination_info.amount'],
  ] as const) {
    const sent = expected[field]
    if (sent === undefined || sent === price[field]) continue
    const message = `${remarks} is ${sent} but the computed amount is ${price[field]}.`
    problems.push({ reason: 'amount_mismatch', message, remarks })
  }
  refuseIfAny(problems)
}

/** The two currency pairs of a price, the holding side first. */
export function pairsOf({ holding_currency, payout_currency, destination_currency }: Legs) {
  return [
    [holding_currency, payout_currency],
    [payout_currency, destination_currency],
  ] as const
}

/**
 * The shortest validity of the converted pairs, in seconds; without a conversion, of both pairs.
 */
function quoteValidity(legs: Legs, { policyOf }: Pricing): number {
  const pairs = pairsOf(legs)
  const converted = pairs.filter(([from, to]) => from !== to)
  const validities = (converted.length > 0 ? converted : pairs).map(
    ([from, to]) => policyOf(from, to).quote_validity_s,
  )
  return Math.min(...validities)
}

/** A quote of these terms at this price, valid from `now`. */
export function makeQuote<Type extends PricedType>(
  identity: Pick<Quote, 'account_id' | 'id' | 'made_by'>,
  terms: QuoteTerms<Type>,
  price: Price,
  status: Quote['status'],
  now: Instant,
  pricing: Pricing,
): Quote<Type> {
  const valid_until = plusMilliseconds(now, quoteValidity(terms, pricing) * 1000)
  return {
    ...terms,
    ...price,
    ...identity,
    status,
    valid_until,
    expected_at: null,
    created_at: now,
    updated_at: now,
  }
}

/** The local networks that reach a country, '' for any, in this currency. */
export function localNetworksTo(currency: string, country: string): readonly string[] {
  const networks = networksOf(currency)
  const reaching = REACHING.getOrInsertComputed(
    networks,
    () => new Map<string, readonly string[]>(),
  )
  const found = reaching.get(country)
  if (found !== undefined) return found
  const names = networks
    .filter(({ countries }) => country === '' || countries.map(bankingCountry).includes(country))
    .map(({ name }) => name)
  // Only known countries are kept.
  if (names.length > 0) reaching.set(country, names)
  return names
}

/** By the networks of a currency, then by country: every price asks. */
const REACHING = new Map<readonly Network[], Map<string, readonly string[]>>()

/** The network of a local payout that names none, if there is only one; otherwise ''. */
function soleNetwork({
  payout_type,
  destination_currency,
  destination_country,
}: QuoteTerms<PricedType>) {
  if (payout_type !== 'local') return ''
  const [only = '', ...others] = localNetworksTo(destination_currency, destination_country)
  return others.length === 0 ? only : ''
}

/** The values that select the fee row of these terms. */
export function feeSubject(terms: QuoteTerms<PricedType>): FeeSubject {
  return {
    payout_type: terms.payout_type,
    payout_currency: terms.payout_currency,
    destination_country: terms.destination_country,
    // Fee rows have networks and chains in lower case, so that no spelling costs less.
    network: (
      terms.fund_transfer_network ||
      soleNetwork(terms) ||
      paymentNetworkName(terms.payment_network) ||
      chainName(terms.wallet_type)
    ).toLowerCase(),
    charge_type: terms.charge_type,
  }
}

/**
 * The values that select the route of these terms. `amount` is the destination amount in minor
 * units; null before pricing.
 */
export function routeSubject(terms: QuoteTerms, amount: bigint | null): RouteSubject {
  return {
    payout_type: terms.payout_type,
    network: feeSubject(terms).network,
    currency: terms.destination_currency,
    country: terms.destination_country,
    amount,
  }
}

/** The problem of an amount below `minimum` or above MAX_AMOUNT, at the path `remarks`. */
function outOfRange(remarks: string, amount: bigint, currency: string, minimum = 1n): Problem[] {
  const problem = (what: string): Problem[] => {
    const message = `With these terms an amount comes to ${what} of ${currency}.`
    return [{ reason: 'amount_out_of_range', message, remarks }]
  }
  if (amount < minimum) return problem('less than one minor unit')
  if (amount > MAX_AMOUNT) return problem(`more than ${MAX_AMOUNT} minor units`)
  return []
}
