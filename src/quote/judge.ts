// Judges the terms of a quote: whether a payout of these terms could go, where, and what it would
// cost. Pure.
import type { Account } from '../account/rules.ts'
import type { Instant } from '../instant.ts'
import type { Pricing } from '../price/price.ts'
import { type Route, type Routed, routeOf } from '../rail/rules.ts'
import type { Price, QuoteTerms } from './quote.ts'
import { priceQuote, routeSubject } from './rules.ts'
import { checkCountryKnown, checkLimits } from './terms.ts'

/**
 * The price of the terms, and the route that a payout of just these terms would take. Refuses in
 * this order: no route; a fee that depends on a country that is not named; no rate or no fee; an
 * amount that no route or not the network takes.
 */
export function judgeTerms(
  terms: QuoteTerms,
  { account, routes }: { readonly account: Account; readonly routes: readonly Route[] },
  pricing: Pricing,
  now: Instant,
): { readonly price: Price; readonly routed: Routed } {
  // Refuse a quote that no payout could use; the payout's own route is chosen when it is made.
  routeOf(routes, account, routeSubject(terms, null), 'payout_type')
  checkCountryKnown(terms, pricing.fees)
  const price = priceQuote(terms, pricing, now)
  const subject = routeSubject(terms, price.destination_amount)
  const routed = routeOf(routes, account, subject, 'payout_info.amount')
  checkLimits({ ...terms, ...price }, terms.fund_transfer_network, 'payout_info.amount')
  return { price, routed }
}
