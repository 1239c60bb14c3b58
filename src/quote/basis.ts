// What a price was made from, as it is stored with the quote: the rows of the rate book and of the
// fee schedule that were used, and nothing else. They are a rate book and a fee schedule of their
// own, from which the same rules make the same price again. Pure.

import type { Instant } from '../instant.ts'
import { formatDecimal, parseDecimal } from '../money/decimal.ts'
import { type Fee, feeSteps } from '../price/fee/rules.ts'
import type { PriceSources } from '../price/price.ts'
import { type Rate, rateBookOf, stepsBetween } from '../price/rate/rules.ts'

/**
 * The column `basis` of a quote, a JSON document. What is not set is left out, because every payout
 * writes one: that of a payout in one currency without a fee is `{}`.
 */
export interface Basis {
  /** Of both rates, unless the second has one of its own; absent when it is 0. */
  readonly spread_bps?: number
  /** Of the rate from payout to destination currency, when it is another. */
  readonly destination_spread_bps?: number
  /** Set when a pair was crossed. */
  readonly pivot?: string
  /** By `BASE/QUOTE`. */
  readonly rates?: Readonly<Record<string, BasisRate>>
  /** Absent when no row of the schedule matched. */
  readonly fee?: BasisFee
}

/** `mid` is exact decimal text. A fourth member says that the row is a peg. */
export type BasisRate = readonly [mid: string, source: string, as_of: Instant, pegged?: true]

/**
 * A row of the schedule; its payout type is the quote's. Amounts are integers as text. After the
 * first three: least and most, payout currency, country, network, type of charge; null where the
 * row leaves one open, as far as the last that it does not.
 */
export type BasisFee = readonly [
  fee_currency: string,
  fixed_amount: string,
  variable_bps: number,
  ...limits: (string | null)[],
]

/** Between which currencies a quote converts. */
export interface Legs {
  readonly holding_currency: string
  readonly payout_currency: string
  readonly destination_currency: string
}

/** What a price of these currencies was made from, with the fee row that was selected. */
export function makeBasis(
  { holding_currency, payout_currency, destination_currency }: Legs,
  { rates: book, policyOf }: Pick<PriceSources, 'rates' | 'policyOf'>,
  fee: Fee | undefined,
): Basis {
  const ways = [
    stepsBetween(book, holding_currency, payout_currency) ?? [],
    stepsBetween(book, payout_currency, destination_currency) ?? [],
    fee === undefined ? [] : feeSteps(fee, holding_currency, book),
  ]
  const used: Record<string, BasisRate> = {}
  for (const { rate } of ways.flat()) {
    used[`${rate.base}/${rate.quote}`] = basisRate(rate)
  }
  const { spread_bps } = policyOf(holding_currency, payout_currency)
  const second = policyOf(payout_currency, destination_currency)
  const differs = payout_currency !== destination_currency && second.spread_bps !== spread_bps
  return {
    ...(spread_bps === 0 ? {} : { spread_bps }),
    ...(differs ? { destination_spread_bps: second.spread_bps } : {}),
    ...(ways.some(steps => steps.length > 1) ? { pivot: book.pivot } : {}),
    ...(ways.some(steps => steps.length > 0) ? { rates: used } : {}),
    ...(fee === undefined ? {} : { fee: basisFee(fee) }),
  }
}

/**
 * The rate book and the schedule of a basis. Rows that were not used are missing, so that the rules
 * choose the same ones: a row that would have come first was not there either.
 */
export function sourcesOf(
  basis: Basis,
  quote: Legs & { readonly payout_type: string },
): PriceSources {
  const rates = Object.entries(basis.rates ?? {}).map(([pair, stored]) => rateOf(pair, stored))
  return {
    rates: rateBookOf(basis.pivot ?? '', rates),
    fees: basis.fee === undefined ? [] : [feeOf(basis.fee, quote.payout_type)],
    // Whether it could be free was judged when the price was made.
    fee_required: false,
    policyOf(from, to) {
      const isFirst = from === quote.holding_currency && to === quote.payout_currency
      const { spread_bps = 0, destination_spread_bps = spread_bps } = basis
      // Its age was judged when the price was made.
      const age = { max_age_s: null, any_age: true }
      return { spread_bps: isFirst ? spread_bps : destination_spread_bps, ...age }
    },
  }
}

function basisRate({ mid, source, as_of, pegged }: Rate): BasisRate {
  const text = formatDecimal(mid)
  return pegged ? [text, source, as_of, true] : [text, source, as_of]
}

function rateOf(pair: string, [text, source, as_of, pegged]: BasisRate): Rate {
  const [base = '', quote = ''] = pair.split('/')
  const mid = parseDecimal(text)
  if (mid === undefined) throw new Error(`stored basis: rate ${pair} ${text}`)
  return { base, quote, mid, source, as_of, pegged: pegged === true, sample: false }
}

function basisFee(fee: Fee): BasisFee {
  const { fee_currency, fixed_amount, variable_bps, minimum_amount, maximum_amount } = fee
  const limits = [minimum_amount, maximum_amount].map(amount => amount?.toString() ?? null)
  const given = [fee.payout_currency, fee.destination_country, fee.network, fee.charge_type]
  const rest = [...limits, ...given]
  const set = rest.slice(0, rest.findLastIndex(value => value !== null) + 1)
  return [fee_currency, fixed_amount.toString(), variable_bps, ...set]
}

function feeOf([fee_currency, fixed, variable_bps, ...rest]: BasisFee, payout_type: string): Fee {
  const [minimum = null, maximum = null, payout_currency = null, ...place] = rest
  const [destination_country = null, network = null, charge_type = null] = place
  return {
    payout_type,
    payout_currency,
    destination_country,
    network,
    charge_type,
    fixed_amount: BigInt(fixed),
    fee_currency,
    variable_bps,
    minimum_amount: minimum === null ? null : BigInt(minimum),
    maximum_amount: maximum === null ? null : BigInt(maximum),
    sample: false,
  }
}
