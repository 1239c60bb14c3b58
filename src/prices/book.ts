// Makes the pricing of an account: its rates, its fees, and the policy of each pair. Pure.
import type { Instant } from '../values/instant.ts'
import type { Fee } from './fee/rules.ts'
import {
  DEFAULTS,
  indexPolicies,
  type Policy,
  type PolicyName,
  SANDBOX_DEFAULTS,
  valueInForce,
} from './policy/rules.ts'
import type { Pricing, PricingAt } from './price.ts'
import { type Rate, RateBook } from './rate/rules.ts'

interface PriceBook {
  readonly rates: readonly Rate[]
  readonly fees: readonly Fee[]
  readonly policies: readonly Policy[]
}

/**
 * The pricing of each account at each instant. Samples price only sandboxes, and only where the
 * operator has set no row. A live account without a rate or a fee gets a refusal, because nobody
 * has decided that a sample's figures are right.
 */
export function pricingFrom({ rates, fees, policies }: PriceBook): PricingAt {
  const operatorRates = rates.filter(rate => !rate.sample)
  const own = { rates: byPivot(operatorRates), fees: fees.filter(fee => !fee.sample) }
  const all = { rates: byPivot(rates), fees }
  const index = indexPolicies(policies)
  const pricingOf: PricingAt = ({ account_id, sandbox }, at) => {
    const visible = sandbox ? all : own
    const defaults = sandbox ? SANDBOX_DEFAULTS : DEFAULTS
    const value = (name: PolicyName, from_currency: string | null, to_currency: string | null) =>
      valueInForce(index, name, { account_id, from_currency, to_currency }, at, defaults)
    return {
      rates: visible.rates(value('pivot', null, null)),
      fees: visible.fees,
      fee_required: !sandbox,
      policyOf: oncePerPair((from, to) => {
        const max_age = value('max_age_s', from, to)
        return {
          spread_bps: Number(value('spread_bps', from, to)),
          quote_validity_s: Number(value('quote_validity_s', from, to)),
          schedule_s: Number(value('schedule_s', from, to)),
          max_age_s: max_age === 'calendar' ? null : Number(max_age),
          any_age: sandbox,
        }
      }),
    }
  }
  return keepingLast(pricingOf)
}

/** The rate book of each pivot, which comes from a policy and may change without the rows. */
function byPivot(rows: readonly Rate[]): (pivot: string) => RateBook {
  const books = new Map<string, RateBook>()
  return pivot => {
    const book = books.get(pivot) ?? new RateBook(pivot, rows)
    books.set(pivot, book)
    return book
  }
}

/** Caches the last pricing, because all payouts of an account in a batch have one time. */
function keepingLast(pricingOf: PricingAt): PricingAt {
  let last: { readonly account: string; readonly at: Instant; readonly pricing: Pricing }
  return (account, at) => {
    const name = `${account.account_id} ${account.sandbox}`
    if (last?.account === name && last.at === at) return last.pricing
    last = { account: name, at, pricing: pricingOf(account, at) }
    return last.pricing
  }
}

/** Caches the policy of each pair. A price reads it some five times. */
function oncePerPair(policyOf: Pricing['policyOf']): Pricing['policyOf'] {
  const found = new Map<string, ReturnType<Pricing['policyOf']>>()
  return (from, to) => {
    const pair = `${from}/${to}`
    const known = found.get(pair) ?? policyOf(from, to)
    found.set(pair, known)
    return known
  }
}
