// Judges the terms of a quote: whether an account could make a payout of them, its rail, its
// arrival and its price. Pure.
import type { Account } from '../accounts/rules.ts'
import type { Pricing } from '../prices/price.ts'
import { type Plan, planOrRefuse, sentOf } from '../rails/plan.ts'
import { type Route, type Routed, routeOf } from '../rails/rules.ts'
import type { Instant } from '../values/instant.ts'
import type { FixedAmount, Price, QuoteTerms } from './quote.ts'
import { priceQuote, routeSubject } from './rules.ts'
import { payoutAmountFor } from './solve.ts'
import { checkLimits } from './terms.ts'

/** The account that pays, and the routes of the installation. */
export interface Payer {
  readonly account: Account
  readonly routes: readonly Route[]
}

/** The time of a judgement by two clocks. */
export interface Times {
  /** By the database's clock, by which rates age. */
  readonly now: Instant
  /** By the account's clock, by which payouts are planned. */
  readonly at: Instant
}

export interface Judged {
  /** The terms. Their payout amount follows from a fixed amount, if there is one. */
  readonly terms: QuoteTerms
  readonly price: Price
  /**
   * The route of a payout of exactly these terms. Without one, the route of a payout that names the
   * open members. Each payout chooses its route at its creation.
   */
  readonly routed: Routed
  readonly plan: Plan
}

/**
 * Prices the terms at `now` and plans a payout of them at `at`. What the terms leave open, the
 * payout may name: a fee row or a route of a country does not make the country required. Refuses in
 * this order: no route; no rate or no fee; an amount outside the limits of all routes or of the
 * network; a route whose calendar has ended.
 */
export function judgeTerms(
  requested: QuoteTerms,
  { account, routes }: Payer,
  pricing: Pricing,
  { now, at }: Times,
  fixed?: FixedAmount,
): Judged {
  const path = fixed?.path ?? 'payout_info.amount'
  // Refuses a quote that no payout could use.
  routeOf(routes, account, routeSubject(requested, null), 'payout_type', 'open')
  const terms = fixed
    ? { ...requested, payout_amount: payoutAmountFor(fixed, requested, pricing, now) }
    : requested
  const price = priceQuote(terms, pricing, now, path)
  const subject = routeSubject(terms, price.destination_amount)
  const routed = routeOf(routes, account, subject, path, 'open')
  checkLimits({ ...terms, ...price }, terms.fund_transfer_network, path)
  return { terms, price, routed, plan: planOrRefuse(routed, sentOf(terms), at) }
}
