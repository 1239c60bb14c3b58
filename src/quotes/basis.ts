// The basis of a price, stored with the quote: only the rows of the rate book and the fee schedule
// that made the price. The same rules make the same price from it. Pure.
import { type Fee, feeWays } from '../prices/fee/rules.ts'
import type { PriceSources } from '../prices/price.ts'
import { type Rate, RateBook, waysBetween } from '../prices/rate/rules.ts'
import { formatDecimal, parseDecimal } from '../values/money/decimal.ts'

/**
 * A quote's column `basis`, a JSON document. It leaves out unset members to stay short, because
 * every payout writes one. Without a conversion, a spread and a fee it is `{}`.
 */
export interface Basis {
  /** The spread from holding to payout currency; absent for 0. */
  readonly spread_bps?: number
  /** The spread from payout to destination currency; absent when it is the same. */
  readonly destination_spread_bps?: number
  /** The rate book's pivot; absent when each pair had one row. */
  readonly pivot?: string
  /** The used rates of both ways of each pair, by `BASE/QUOTE`. */
  readonly rates?: Readonly<Record<string, BasisRate>>
  /** Absent when no row of the fee schedule matched. */
  readonly fee?: BasisFee
}

/** A row of the rate book. `mid` is exact decimal text; `pegged` is absent unless it is true. */
type BasisRate = Pick<Rate, 'source' | 'as_of'> & {
  readonly mid: string
  readonly pegged?: boolean
}

/**
 * A row of the fee schedule, without the payout type, which is the quote's. Amounts are integers as
 * text. Columns without a value are left out.
 */
type BasisFee = Pick<Fee, 'fee_currency' | 'variable_bps'> & {
  readonly fixed_amount: string
  readonly minimum_amount?: string
  readonly maximum_amount?: string
} & { readonly [Name in keyof typeof ANY]?: string }

/** The columns of a row that fits every payout. */
const ANY = { payout_currency: null, destination_country: null, network: null, charge_type: null }

/** The three currencies of a quote. */
export interface Legs {
  readonly holding_currency: string
  readonly payout_currency: string
  readonly destination_currency: string
}

/** Makes the basis of a price from its currencies and its fee row. */
export function makeBasis(
  { holding_currency, payout_currency, destination_currency }: Legs,
  { rates: book, policyOf }: Pick<PriceSources, 'rates' | 'policyOf'>,
  fee: Fee | undefined,
): Basis {
  const compared = [
    waysBetween(book, holding_currency, payout_currency),
    waysBetween(book, payout_currency, destination_currency),
    fee && feeWays(fee, holding_currency, book),
  ]
  const conversions = compared.flatMap(ways => (ways ? [ways.decides, ways.other] : []))
  // The pivot decides which rows make the values.
  const needsPivot = compared.some(ways => ways && ways.decides.length + ways.other.length > 1)
  const used: Record<string, BasisRate> = {}
  for (const { rate } of conversions.flat()) {
    used[`${rate.base}/${rate.quote}`] = basisRate(rate)
  }
  const { spread_bps } = policyOf(holding_currency, payout_currency)
  const second = policyOf(payout_currency, destination_currency)
  const differs = payout_currency !== destination_currency && second.spread_bps !== spread_bps
  return {
    ...(spread_bps === 0 ? {} : { spread_bps }),
    ...(differs ? { destination_spread_bps: second.spread_bps } : {}),
    ...(needsPivot ? { pivot: book.pivot } : {}),
    ...(conversions.some(steps => steps.length > 0) ? { rates: used } : {}),
    ...(fee === undefined ? {} : { fee: basisFee(fee) }),
  }
}

/**
 * A rate book and a fee schedule with only the rows of the basis, so that the rules choose the same
 * rows again. Throws for a rate that is no decimal.
 */
export function sourcesOf(
  basis: Basis,
  quote: Legs & { readonly payout_type: string },
): PriceSources {
  const rates = Object.entries(basis.rates ?? {}).map(([pair, stored]) => rateOf(pair, stored))
  return {
    rates: new RateBook(basis.pivot ?? '', rates),
    fees: basis.fee === undefined ? [] : [feeOf(basis.fee, quote.payout_type)],
    // The first pricing checked that a fee exists and that the rates are fresh.
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
  return { mid: formatDecimal(mid), source, as_of, ...(pegged ? { pegged } : {}) }
}

function rateOf(pair: string, { mid: text, source, as_of, pegged = false }: BasisRate): Rate {
  const [base = '', quote = ''] = pair.split('/')
  const mid = parseDecimal(text)
  if (mid === undefined) throw new Error(`stored basis: rate ${pair} ${text}`)
  return { base, quote, mid, source, as_of, pegged, sample: false }
}

function basisFee({ payout_type: _, sample: _sample, ...fee }: Fee): BasisFee {
  const { fee_currency, variable_bps, fixed_amount, ...limits } = fee
  const set = Object.entries(limits).filter(([, limit]) => limit !== null)
  const texts = Object.fromEntries(set.map(([name, limit]) => [name, String(limit)]))
  return { fee_currency, fixed_amount: fixed_amount.toString(), variable_bps, ...texts }
}

function feeOf(fee: BasisFee, payout_type: string): Fee {
  const { fixed_amount, minimum_amount: least, maximum_amount: most, ...row } = fee
  return {
    ...ANY,
    ...row,
    payout_type,
    fixed_amount: BigInt(fixed_amount),
    minimum_amount: least === undefined ? null : BigInt(least),
    maximum_amount: most === undefined ? null : BigInt(most),
    sample: false,
  }
}
