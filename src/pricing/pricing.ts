// What an account's prices are made from: the rows of the rate book and of the fee schedule that it
// may see, and the policy of each pair. Pure.
import type { Fee } from '../fee/rules.ts'
import { type Rate, rateBookOf } from '../fx/rules.ts'
import type { PairPolicy, PricingAt } from '../quote/rules.ts'

/** The rows that all prices are made from. */
export interface PriceBook {
  readonly rates: readonly Rate[]
  readonly fees: readonly Fee[]
  readonly pivot: string
  readonly policy: Omit<PairPolicy, 'any_age'>
}

/**
 * Samples serve sandboxes alone, and only where the operator has set nothing: a live account
 * without a rate or a fee is refused, never priced by a figure that nobody has decided on.
 */
export function pricingFrom({ rates, fees, pivot, policy }: PriceBook): PricingAt {
  const own = {
    rates: rateBookOf(
      pivot,
      rates.filter(rate => !rate.sample),
    ),
    fees: fees.filter(f => !f.sample),
  }
  const all = { rates: rateBookOf(pivot, withoutReplaced(rates)), fees }
  return ({ sandbox }) => {
    const visible = sandbox ? all : own
    return {
      rates: visible.rates,
      fees: visible.fees,
      fee_required: !sandbox,
      policyOf: () => ({ ...policy, any_age: sandbox }),
    }
  }
}

/** Without samples of a pair that the operator has a rate for, whichever way round. */
function withoutReplaced(rates: readonly Rate[]): Rate[] {
  const own = new Set(rates.filter(rate => !rate.sample).map(rate => `${rate.quote}/${rate.base}`))
  return rates.filter(({ sample, base, quote }) => !sample || !own.has(`${base}/${quote}`))
}
