// What a payout costs, worked out from chapters 1 to 4 of the specification in fractions of
// bigints. Shares no code with the product and knows nothing of accounts.
import { decimal, down, type Fraction, toDigits, up } from '../support/oracle/fraction.ts'

/** Mid rates by `BASE/QUOTE`, as text; a pair without a row is crossed through PIVOT. */
export type Rates = Readonly<Record<string, string>>

/** One row of the schedule: of a type, and of one payout currency or (null) any. */
export interface FeeRow {
  readonly payout_type: string
  readonly payout_currency: string | null
  readonly fee_currency: string
  readonly fixed_amount: bigint
  readonly variable_bps: number
  readonly minimum_amount: bigint | null
  readonly maximum_amount: bigint | null
}

export interface Terms {
  readonly type: string
  readonly amount: bigint
  readonly holding: string
  readonly currency: string
  readonly destination: string
}

/** Minor units of the holding currency, unless named otherwise. */
export interface Price {
  readonly holding_amount: bigint
  readonly fixed_fee: bigint
  readonly variable_fee: bigint
  readonly destination_amount: bigint
  /** The same fees in the payout currency, for display. */
  readonly fixed_fee_shown: bigint
  readonly variable_fee_shown: bigint
  /** Units of the destination currency for one of the holding currency. */
  readonly rate: Fraction
}

export type Refused = readonly [status: number, reason: string, ...also: string[]]

export const PIVOT = 'USD'
export const SPREAD_BPS = 50
/** The digits of ISO 4217 (§money.currency). */
const EXPONENTS: Readonly<Record<string, bigint>> = { USD: 2n, EUR: 2n, HKD: 2n, JPY: 0n, KWD: 3n }
export const MAX_AMOUNT = 2n ** 53n - 1n

/** Rates are judged before amounts: what cannot be converted has none. */
export function priceOf(terms: Terms, rates: Rates, fees: readonly FeeRow[]): Price | Refused {
  const { holding, currency, destination } = terms
  const toPayout = customerRate(rates, holding, currency)
  const toDestination = customerRate(rates, currency, destination)
  if (toPayout === undefined || toDestination === undefined) return [422, 'rate_unavailable']
  const back = { n: toPayout.d, d: toPayout.n }
  const holding_amount = up(convert(terms.amount, back, currency, holding))
  const destination_amount = down(convert(terms.amount, toDestination, currency, destination))
  if (!fits(holding_amount) || !fits(destination_amount)) return [400, 'amount_out_of_range']
  const { fixed_fee, variable_fee } = feesOf(terms, holding_amount, rates, fees)
  const fixed_fee_shown = up(convert(fixed_fee, toPayout, holding, currency))
  const variable_fee_shown = up(convert(variable_fee, toPayout, holding, currency))
  const total = holding_amount + fixed_fee + variable_fee
  const most = [total, fixed_fee_shown, variable_fee_shown]
  if (most.some(amount => amount > MAX_AMOUNT)) return [400, 'amount_out_of_range']
  const fees_shown = { fixed_fee_shown, variable_fee_shown }
  const rate = times(toPayout, toDestination)
  return { holding_amount, fixed_fee, variable_fee, destination_amount, ...fees_shown, rate }
}

/**
 * The principal that goes back when the account wants it after the end of its price: the lower of
 * what was taken and what the destination amount is worth now, one unit at least (§state.give_back).
 */
export function worthOf(terms: Terms, price: Price, rates: Rates): bigint {
  const { holding, currency, destination } = terms
  const toPayout = customerRate(rates, holding, currency)
  const toDestination = customerRate(rates, currency, destination)
  if (toPayout === undefined || toDestination === undefined) throw new Error('no present rate')
  const now = times(toPayout, toDestination)
  if (now.n * price.rate.d <= price.rate.n * now.d) return price.holding_amount
  const back = { n: now.d, d: now.n }
  const worth = down(convert(price.destination_amount, back, destination, holding))
  if (worth < 1n) return 1n
  return worth < price.holding_amount ? worth : price.holding_amount
}

function times(a: Fraction, b: Fraction): Fraction {
  return { n: a.n * b.n, d: a.d * b.d }
}

/** What leaves the balance (§fee.total). */
export function totalOf({ holding_amount, fixed_fee, variable_fee }: Price): bigint {
  return holding_amount + fixed_fee + variable_fee
}

export function isRefused(price: Price | Refused): price is Refused {
  return Array.isArray(price)
}

/** The most specific row; named amounts are converted at mid (§fee.row, §fee.amount). */
function feesOf(
  { type, currency, holding }: Terms,
  holding_amount: bigint,
  rates: Rates,
  fees: readonly FeeRow[],
) {
  const rows = fees.filter(fee => fee.payout_type === type)
  const row =
    rows.find(fee => fee.payout_currency === currency) ??
    rows.find(fee => fee.payout_currency === null)
  if (row === undefined) return { fixed_fee: 0n, variable_fee: 0n }
  const inHolding = (amount: bigint) => {
    const mid = midRate(rates, row.fee_currency, holding, 'most')
    if (mid === undefined) throw new Error(`no rate for fees in ${row.fee_currency}`)
    return up(convert(amount, mid, row.fee_currency, holding))
  }
  let variable_fee = up({ n: holding_amount * BigInt(row.variable_bps), d: 10_000n })
  const minimum = row.minimum_amount === null ? 0n : inHolding(row.minimum_amount)
  if (variable_fee < minimum) variable_fee = minimum
  const maximum = row.maximum_amount === null ? variable_fee : inHolding(row.maximum_amount)
  if (variable_fee > maximum) variable_fee = maximum
  return { fixed_fee: inHolding(row.fixed_amount), variable_fee }
}

/** The mid less the spread, rounded down once to 12 significant digits (§rate.precision). */
function customerRate(rates: Rates, from: string, to: string): Fraction | undefined {
  if (from === to) return { n: 1n, d: 1n }
  const mid = midRate(rates, from, to, 'least')
  return mid && toDigits({ n: mid.n * BigInt(10_000 - SPREAD_BPS), d: mid.d * 10_000n }, 12)
}

/** The row of the pair or the ratio through the pivot, whichever is worse for the account. */
function midRate(
  rates: Rates,
  from: string,
  to: string,
  bound: 'least' | 'most',
): Fraction | undefined {
  if (from === to) return { n: 1n, d: 1n }
  const direct = rowOf(rates, from, to)
  const first = rowOf(rates, from, PIVOT)
  const second = rowOf(rates, PIVOT, to)
  const ratio = first && second && { n: first.n * second.n, d: first.d * second.d }
  if (direct === undefined || ratio === undefined || to === PIVOT || from === PIVOT) {
    return direct ?? ratio
  }
  const ratioIsLess = ratio.n * direct.d < direct.n * ratio.d
  return ratioIsLess === (bound === 'least') ? ratio : direct
}

function rowOf(rates: Rates, from: string, to: string): Fraction | undefined {
  const row = rates[`${from}/${to}`]
  if (row !== undefined) return decimal(row)
  const inverse = rates[`${to}/${from}`]
  if (inverse === undefined) return undefined
  const { n, d } = decimal(inverse)
  return { n: d, d: n }
}

/** Minor units of one currency in another's, exact until rounded (§quote.conversion). */
function convert(amount: bigint, rate: Fraction, from: string, to: string): Fraction {
  return { n: amount * rate.n * unit(to), d: rate.d * unit(from) }
}

function unit(currency: string): bigint {
  const exponent = EXPONENTS[currency]
  if (exponent === undefined) throw new Error(`no exponent of ${currency}`)
  return 10n ** exponent
}

function fits(amount: bigint): boolean {
  return amount >= 1n && amount <= MAX_AMOUNT
}
