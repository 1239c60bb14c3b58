// The basis of a price, stored with the quote: the rows of the rate book and of the fee schedule
// that the price was made from, and no others. The same rules make the same price from it. Pure.
import type { Instant } from '../instant.ts'
import { formatDecimal, parseDecimal } from '../money/decimal.ts'
import { type Fee, feeSteps } from '../price/fee/rules.ts'
import type { PriceSources } from '../price/price.ts'
import { type Rate, rateBookOf, stepsBetween } from '../price/rate/rules.ts'

/**
 * The column `basis` of a quote, a JSON document. Members that are not set are left out to keep it
 * short: every payout writes one. In one currency and without a fee it is `{}`.
 */
export interface Basis {
  /** The spread of both rates, or of the first when they differ; absent when it is 0. */
  readonly spread_bps?: number
  /** The spread from payout to destination currency; absent when it is the same. */
  readonly destination_spread_bps?: number
  /** The currency that a pair was crossed through; absent when none was. */
  readonly pivot?: string
  /** By `BASE/QUOTE`. */
  readonly rates?: Readonly<Record<string, BasisRate>>
  /** Absent when no row of the fee schedule matched. */
  readonly fee?: BasisFee
}

/** `mid` is exact decimal text; `pegged` marks a peg. */
type BasisRate = readonly [mid: string, source: string, as_of: Instant, pegged?: true]

/**
 * A row of the fee schedule; its payout type is the quote's. Amounts are integers as text. `limits`
 * are minimum, maximum, payout currency, country, network and charge type: null where the row has
 * none, and without trailing nulls.
 */
type BasisFee = readonly [
  fee_currency: string,
  fixed_amount: string,
  variable_bps: number,
  ...limits: (string | null)[],
]

/** The three currencies between which a quote converts. */
export interface Legs {
  readonly holding_currency: string
  readonly payout_currency: string
  readonly destination_currency: string
}

/** The basis of a price of these currencies and this fee row. */
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
 * The rate book and the fee schedule of a basis. They have no other rows, so the rules choose the
 * same ones again.
 */
export function sourcesOf(
  basis: Basis,
  quote: Legs & { readonly payout_type: string },
): PriceSources {
  const rates = Object.entries(basis.rates ?? {}).map(([pair, stored]) => rateOf(pair, stored))
  return {
    rates: rateBookOf(basis.pivot ?? '', rates),
    fees: basis.fee === undefined ? [] : [feeOf(basis.fee, quote.payout_type)],
    // The first pricing has checked that a fee exists and that the rates are fresh.
    fee_required: false,
    policyOf(from, to) {
      const isFirst = from === quote.holding_currency && to === quote.payout_currency
      const { spread_bps = 0, destination_spread_bps = spread_bps } = basis
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
