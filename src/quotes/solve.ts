// The payout amount of a quote whose total debit or destination amount is fixed. Pure.
import type { PriceSources } from '../prices/price.ts'
import { customerRate } from '../prices/rate/rules.ts'
import { refusal } from '../values/errors.ts'
import type { Instant } from '../values/instant.ts'
import { currencyExponent } from '../values/money/currency.ts'
import { divideByRate, divideUp, MAX_AMOUNT, multiplyByRate } from '../values/money/decimal.ts'
import type { FixedAmount, PricedType, QuoteTerms } from './quote.ts'
import { dearestFee, feesFor } from './rules.ts'

/**
 * The payout amount of a fixed amount, in minor units (§quote.fixed_debit,
 * §quote.fixed_destination). It ignores the payout amount of the terms. Refuses as `priceQuote`
 * does, and with amount_out_of_range when no payout amount fits.
 */
export function payoutAmountFor(
  fixed: FixedAmount,
  terms: QuoteTerms<PricedType>,
  pricing: PriceSources,
  now: Instant,
): bigint {
  const amount =
    fixed.path === 'total_debit'
      ? largestWithin(fixed.amount, terms, pricing, now)
      : smallestReaching(fixed.amount, terms, pricing, now)
  if (amount >= 1n && amount <= MAX_AMOUNT) return amount
  const message =
    amount < 1n
      ? `${fixed.path} of ${fixed.amount} does not cover the fees and a payout of one minor unit.`
      : `With these terms the payout comes to more than ${MAX_AMOUNT} minor units.`
  throw refusal('amount_out_of_range', message, fixed.path)
}

/**
 * The smallest payout amount a that yields at least the fixed destination amount at the rate r. The
 * destination amount is a × r, rounded down, which reaches an integer exactly when a × r does. So a
 * is the fixed amount ÷ r, rounded up.
 */
function smallestReaching(
  amount: bigint,
  { payout_currency, destination_currency }: QuoteTerms<PricedType>,
  { rates, policyOf }: PriceSources,
  now: Instant,
): bigint {
  const policy = policyOf(payout_currency, destination_currency)
  const rate = customerRate(rates, policy, payout_currency, destination_currency, now)
  const destination_exponent = currencyExponent(destination_currency)
  const payout_exponent = currencyExponent(payout_currency)
  return divideByRate(amount, rate, destination_exponent, payout_exponent, divideUp)
}

/**
 * The largest payout amount with a total debit of at most the limit; 0 for none. Holding amount and
 * fees never fall when the payout grows, so a binary search finds it. A payout that converts to
 * more than the limit costs too much even without fees, which gives the upper end.
 */
function largestWithin(
  limit: bigint,
  terms: QuoteTerms<PricedType>,
  pricing: PriceSources,
  now: Instant,
) {
  const { holding_currency, payout_currency } = terms
  const { rates, policyOf } = pricing
  const policy = policyOf(holding_currency, payout_currency)
  const rate = customerRate(rates, policy, holding_currency, payout_currency, now)
  const holding_exponent = currencyExponent(holding_currency)
  const payout_exponent = currencyExponent(payout_currency)
  const rows = feesFor(terms, pricing)
  const debit = (payout: bigint) => {
    const amount = divideByRate(payout, rate, payout_exponent, holding_exponent, divideUp)
    const holding = { currency: holding_currency, amount }
    const { fixed, variable } = dearestFee(rows, holding, pricing, now)
    return amount + fixed + variable
  }
  let within = 0n
  let above = multiplyByRate(limit, rate, holding_exponent, payout_exponent, divideUp) + 1n
  if (above > MAX_AMOUNT) above = MAX_AMOUNT + 1n
  while (above - within > 1n) {
    const middle = (within + above) / 2n
    if (debit(middle) <= limit) within = middle
    else above = middle
  }
  return within
}
