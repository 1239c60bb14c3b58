// The nouns of pricing: the rate book, the fee schedule and the policy of each pair, for one
// account at one instant.
import type { Instant } from '../values/instant.ts'
import type { Fee } from './fee/rules.ts'
import type { QuotedRates, RatePolicy } from './rate/rules.ts'

/** The reference data that makes a price. */
export interface PriceSources extends QuotedRates {
  readonly fees: readonly Fee[]
  /** Whether a payout without a matching fee row is refused; else it is free. */
  readonly fee_required: boolean
}

/** The policy of one pair for one account. */
export interface PairPolicy extends RatePolicy {
  readonly quote_validity_s: number
  /** How many seconds ahead a payout that converts the pair may be scheduled at its price. */
  readonly schedule_s: number
}

export interface Pricing extends PriceSources {
  policyOf(from: string, to: string): PairPolicy
}

/** Returns the pricing of an account at an instant by its clock. */
export type PricingAt = (
  account: { readonly account_id: string; readonly sandbox: boolean },
  at: Instant,
) => Pricing
