// What an account's prices are made from: the rows of the rate book and of the fee schedule that it
// may see, and the policy of each pair. Pure.
import type { Fee } from './fee/rules.ts'
import { indexPolicies, type Policy, type PolicyName, valueInForce } from './policy/rules.ts'
import type { PricingAt } from './price.ts'
import { type Rate, rateBookOf } from './rate/rules.ts'

/** The rows that all prices are made from. */
export interface PriceBook {
  readonly rates: readonly Rate[]
  readonly fees: readonly Fee[]
  readonly policies: readonly Policy[]
}

/**
 * Samples serve sandboxes alone, and only where the operator has set nothing: a live account
 * without a rate or a fee is refused, never priced by a figure that nobody has decided on.
 */
export function pricingFrom({ rates, fees, policies }: PriceBook): PricingAt {
  // The pivot is of the policy, and may change while the rows do not.
  const own = {
    rates: rateBookOf(
      '',
      rates.filter(rate => !rate.sample),
    ),
    fees: fees.filter(fee => !fee.sample),
  }
  const all = { rates: rateBookOf('', rates), fees }
  const index = indexPolicies(policies)
  return ({ account_id, sandbox }, at) => {
    const visible = sandbox ? all : own
    const value = (name: PolicyName, from_currency: string | null, to_currency: string | null) =>
      valueInForce(index, name, { account_id, from_currency, to_currency }, at)
    return {
      rates: { ...visible.rates, pivot: value('pivot', null, null) },
      fees: visible.fees,
      fee_required: !sandbox,
      policyOf(from, to) {
        const max_age = value('max_age_s', from, to)
        return {
          spread_bps: Number(value('spread_bps', from, to)),
          quote_validity_s: Number(value('quote_validity_s', from, to)),
          max_age_s: max_age === 'calendar' ? null : Number(max_age),
          any_age: sandbox,
        }
      },
    }
  }
}
