// Judges the terms of a quote: whether a payout of these terms could be made, by which rail and
// when, and what it would cost. Pure.
import type { Account } from '../account/rules.ts'
import type { Instant } from '../instant.ts'
import type { Pricing } from '../price/price.ts'
import { type Plan, planOrRefuse, sentOf } from '../rail/plan.ts'
import { type Route, type Routed, routeOf } from '../rail/rules.ts'
import type { FixedAmount, Price, QuoteTerms } from './quote.ts'
import { priceQuote, routeSubject } from './rules.ts'
import { payoutAmountFor } from './solve.ts'
import { checkCountryKnown, checkLimits } from './terms.ts'

/** Whose quote it is, and where the payouts of live accounts go. */
export interface Payer {
  readonly account: Account
  readonly routes: readonly Route[]
}

/** The times that terms are judged at. */
export interface Times {
  /** The database's clock, which judges the age of rates. */
  readonly now: Instant
  /** The account's clock. */
  readonly at: Instant
}

export interface Judged {
  /** The terms. A fixed amount has already led to their payout amount. */
  readonly terms: QuoteTerms
  readonly price: Price
  /**
   * Where a payout of exactly these terms would go. A payout's own route is chosen when it is made.
   */
  readonly routed: Routed
  readonly plan: Plan
}

/**
 * Prices the terms at `now` and plans a payout of them at `at`. Refuses in this order: no route; a
 * fee that depends on a country that is not named; no rate or no fee; an amount outside the bounds
 * of all routes or of the network; a route whose calendar has ended.
 */
export function judgeTerms(
  asked: QuoteTerms,
  { account, routes }: Payer,
  pricing: Pricing,
  { now, at }: Times,
  fixed?: FixedAmount,
): Judged {
  const path = fixed?.path ?? 'payout_info.amount'
  // Refuse a quote that no payout could use.
  routeOf(routes, account, routeSubject(asked, null), 'payout_type')
  checkCountryKnown(asked, pricing.fees)
  const terms = fixed
    ? { ...asked, payout_amount: payoutAmountFor(fixed, asked, pricing, now) }
    : asked
  const price = priceQuote(terms, pricing, now, path)
  const subject = routeSubject(terms, price.destination_amount)
  const routed = routeOf(routes, account, subject, path)
  checkLimits({ ...terms, ...price }, terms.fund_transfer_network, path)
  return { terms, price, routed, plan: planOrRefuse(routed, sentOf(terms), at) }
}
