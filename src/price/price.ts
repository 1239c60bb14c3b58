// What prices are made from: the rate book, the fee schedule and the policy of each pair, as one
// account sees them at one instant.
import type { Instant } from '../instant.ts'
import type { Fee } from './fee/rules.ts'
import type { QuotedRates, RatePolicy } from './rate/rules.ts'

/** The reference data that the rules of prices read. */
export interface PriceSources extends QuotedRates {
  readonly fees: readonly Fee[]
  /** Whether a payout without a matching row of the schedule is refused; otherwise it is free. */
  readonly fee_required: boolean
}

/** How one pair is quoted to one account, and for how long. */
export interface PairPolicy extends RatePolicy {
  readonly quote_validity_s: number
  /** How far ahead a payout that converts the pair can be scheduled at its price. */
  readonly schedule_s: number
}

/** The sources of one account's prices at one instant. */
export interface Pricing extends PriceSources {
  policyOf(from: string, to: string): PairPolicy
}

/** Gives the pricing of an account at an instant of its clock. */
export type PricingAt = (
  account: { readonly account_id: string; readonly sandbox: boolean },
  at: Instant,
) => Pricing
