// The explanation of a quote, from which a person can recompute it: the rows of the rate book and
// fee schedule, every calculation, its exact result, and the rounded result. It depends only on the
// stored quote, and not on today's rates and fees. Pure.
import { type Fee, feeWays } from '../prices/fee/rules.ts'
import { type RateBook, type Step, type Ways, waysBetween } from '../prices/rate/rules.ts'
import { currencyExponent } from '../values/money/currency.ts'
import { type Decimal, formatDecimal } from '../values/money/decimal.ts'
import { sourcesOf } from './basis.ts'
import {
  type Calculation,
  type Evaluation,
  evaluate,
  type Factor,
  literal,
  over,
  product,
  rescale,
  roundedResult,
  type Term,
  term,
  times,
} from './calculation.ts'
import type { Quote } from './quote.ts'
import { feeRows, totalDebit } from './rules.ts'

/** An amount in minor units of `currency`: its calculation and the rounded integer. */
interface Figure extends Evaluation {
  readonly figure: string
  readonly currency: string
  readonly rounded: string
  readonly rounding: 'up' | 'down' | 'none'
}

/** How the rate book joins two currencies. */
export const RATE_METHODS = ['same_currency', 'direct', 'inverted', 'crossed'] as const

export function explainQuote(quote: Quote) {
  const { basis, holding_currency, payout_currency, destination_currency } = quote
  const { rates: book, fees, policyOf } = sourcesOf(basis, quote)
  const [fee] = feeRows(fees, quote)
  const ofFee = fee && feeWays(fee, holding_currency, book)
  const stepsOfFee = ofFee?.decides ?? []
  const named = [holding_currency, payout_currency, destination_currency]
  const codes = new Set(fee === undefined ? named : [...named, fee.fee_currency])
  const rate = (name: RateName, from: string, to: string) => {
    const ways = waysIn(book, from, to)
    // A conversion into the same currency has no spread.
    const spread_bps = from === to ? 0 : policyOf(from, to).spread_bps
    return {
      figure: `exchange_rates.${name}`,
      ...presentConversion(from, to, ways),
      spread_bps,
      ...customerRate(ways.decides, spread_bps, quote[name]),
    }
  }
  return {
    object: 'quote_explanation',
    currencies: [...codes].map(currency => ({ currency, exponent: currencyExponent(currency) })),
    rates: [
      rate('holding_to_payout', holding_currency, payout_currency),
      rate('payout_to_destination', payout_currency, destination_currency),
    ],
    fee_row: fee === undefined ? null : presentFee(fee),
    fee_conversion:
      fee === undefined || ofFee === undefined || stepsOfFee.length === 0
        ? null
        : presentConversion(fee.fee_currency, holding_currency, ofFee),
    amounts: [
      ...principal(quote),
      ...(fee === undefined ? noFee(quote) : feeFigures(quote, fee, stepsOfFee)),
      ...feesInPayoutCurrency(quote),
    ],
    total_debit: total(quote),
  }
}

type RateName = 'holding_to_payout' | 'payout_to_destination'

function waysIn(book: RateBook, from: string, to: string): Ways {
  const ways = waysBetween(book, from, to)
  if (ways === undefined) throw new Error(`stored basis: no rate joins ${from} and ${to}`)
  return ways
}

/** The rows that convert one currency into another, their mid rate, and the way that lost. */
function presentConversion(from: string, to: string, { decides, other }: Ways) {
  const lost = { ...presentSteps(other), mid: evaluate(product(midFactors(other))) }
  return {
    ...presentRows(from, to, decides),
    mid: evaluate(product(midFactors(decides))),
    compared_with: other.length === 0 ? null : lost,
  }
}

/** The rows that convert one currency into another, in the order of their use. */
export function presentRows(from: string, to: string, steps: readonly Step[]) {
  return { from, to, ...presentSteps(steps) }
}

export function presentSteps(steps: readonly Step[]) {
  return {
    method: methodOf(steps),
    rows: steps.map(({ rate: { base, quote, mid, source, as_of }, inverted }) => ({
      base,
      quote,
      mid: formatDecimal(mid),
      source,
      as_of,
      inverted,
    })),
  }
}

function methodOf([first, second]: readonly Step[]): (typeof RATE_METHODS)[number] {
  if (first === undefined) return 'same_currency'
  if (second !== undefined) return 'crossed'
  return first.inverted ? 'inverted' : 'direct'
}

function midFactors(steps: readonly Step[]): Factor[] {
  return steps.map(({ rate, inverted }) => {
    const mid = term(`mid(${rate.base}/${rate.quote})`, rate.mid)
    return inverted ? over(mid) : times(mid)
  })
}

/** The mid less the spread, rounded down once to 12 significant digits (§rate.precision). */
function customerRate(steps: readonly Step[], spread_bps: number, stored: Decimal) {
  const less_spread = term('(10000 - spread_bps)', BigInt(10_000 - spread_bps))
  const spread = steps.length === 0 ? [] : [times(less_spread), over(literal(10_000n))]
  const evaluation = evaluate(product([...midFactors(steps), ...spread]))
  const rounded = formatDecimal(stored)
  const rounding = rounded === evaluation.unrounded ? 'none' : 'down_12_digits'
  return { ...evaluation, rounded, rounding }
}

function presentFee(fee: Fee) {
  const text = (amount: bigint | null) => (amount === null ? null : amount.toString())
  return {
    payout_type: fee.payout_type,
    payout_currency: fee.payout_currency,
    destination_country: fee.destination_country,
    network: fee.network,
    charge_type: fee.charge_type,
    fixed_amount: fee.fixed_amount.toString(),
    fee_currency: fee.fee_currency,
    variable_bps: fee.variable_bps,
    minimum_amount: text(fee.minimum_amount),
    maximum_amount: text(fee.maximum_amount),
  }
}

function rateTerm(quote: Quote, name: RateName): Term {
  return term(`exchange_rates.${name}`, quote[name])
}

/** The holding and destination amounts, from the payout amount (§quote.conversion). */
function principal(quote: Quote): Figure[] {
  const { holding_currency, payout_currency, destination_currency } = quote
  const first = term('payout_info.amount', quote.payout_amount)
  const toHolding = over(rateTerm(quote, 'holding_to_payout'))
  const toDestination = times(rateTerm(quote, 'payout_to_destination'))
  const holding = { first, factors: [toHolding, ...between(payout_currency, holding_currency)] }
  const destination = {
    first,
    factors: [toDestination, ...between(payout_currency, destination_currency)],
  }
  return [
    figure('holding_info.amount', holding_currency, holding, quote.holding_amount),
    figure(
      'destination_info.amount',
      destination_currency,
      destination,
      quote.destination_amount,
      'down',
    ),
  ]
}

function noFee(quote: Quote): Figure[] {
  const nothing = product([times(literal(0n))])
  return [
    figure(FIXED, quote.holding_currency, nothing, quote.fixed_fee_holding),
    figure(VARIABLE, quote.holding_currency, nothing, quote.variable_fee_holding),
  ]
}

const FIXED = 'fee_info.fixed.in_holding_currency'
const VARIABLE = 'fee_info.variable.in_holding_currency'

/**
 * The figures of the fees. They convert the fee row's amounts at mid, and apply basis points to the
 * holding amount (§fee.amount).
 */
function feeFigures(quote: Quote, fee: Fee, steps: readonly Step[]): Figure[] {
  const { holding_currency: currency, holding_amount } = quote
  const converted = (name: string, amount: bigint): Calculation => ({
    first: term(`fee_row.${name}`, amount),
    // Zero needs no rate.
    factors: amount === 0n ? [] : [...midFactors(steps), ...between(fee.fee_currency, currency)],
  })
  const bound = (name: string, amount: bigint | null) =>
    amount === null ? [] : [figure(`variable_fee.${name}`, currency, converted(name, amount))]
  const points = term('fee_row.variable_bps', BigInt(fee.variable_bps))
  const share = {
    first: term('holding_info.amount', holding_amount),
    factors: [times(points), over(literal(10_000n))],
  }
  const variable = figure('variable_fee.before_bounds', currency, share)
  const minimum = bound('minimum_amount', fee.minimum_amount)
  const maximum = bound('maximum_amount', fee.maximum_amount)
  return [
    figure(FIXED, currency, converted('fixed_amount', fee.fixed_amount), quote.fixed_fee_holding),
    ...[variable, ...minimum, ...maximum],
    boundedFee(quote, variable, minimum[0], maximum[0]),
  ]
}

/** The variable fee, first raised to the minimum and then lowered to the maximum. */
function boundedFee(
  quote: Quote,
  variable: Figure,
  minimum: Figure | undefined,
  maximum: Figure | undefined,
): Figure {
  const textOf = (write: (figure: Figure) => string) => {
    const raised =
      minimum === undefined ? write(variable) : `max(${write(variable)}, ${write(minimum)})`
    return maximum === undefined ? raised : `min(${raised}, ${write(maximum)})`
  }
  return exactFigure(
    VARIABLE,
    quote.holding_currency,
    textOf(({ figure }) => figure),
    textOf(figure => figure.rounded),
    quote.variable_fee_holding,
  )
}

/** The fees in the payout currency at the quote's rate, only for display (§fee.display). */
function feesInPayoutCurrency(quote: Quote): Figure[] {
  const { holding_currency, payout_currency } = quote
  const rate = times(rateTerm(quote, 'holding_to_payout'))
  const factors = [rate, ...between(holding_currency, payout_currency)]
  const shown = (name: string, charged: Term, stored: bigint) =>
    figure(name, payout_currency, { first: charged, factors }, stored)
  const fixed = term(FIXED, quote.fixed_fee_holding)
  const variable = term(VARIABLE, quote.variable_fee_holding)
  return [
    shown('fee_info.fixed.in_payout_currency', fixed, quote.fixed_fee_payout),
    shown('fee_info.variable.in_payout_currency', variable, quote.variable_fee_payout),
  ]
}

function total(quote: Quote): Figure {
  const { holding_amount, fixed_fee_holding, variable_fee_holding } = quote
  return exactFigure(
    'total_debit.amount',
    quote.holding_currency,
    `holding_info.amount + ${FIXED} + ${VARIABLE}`,
    `${holding_amount} + ${fixed_fee_holding} + ${variable_fee_holding}`,
    totalDebit(quote),
  )
}

/** A figure of integers, without rounding. */
function exactFigure(
  name: string,
  currency: string,
  formula: string,
  calculation: string,
  amount: bigint,
): Figure {
  const rounded = amount.toString()
  const result = { unrounded: rounded, truncated: false, rounded, rounding: 'none' } as const
  return { figure: name, currency, formula, calculation, ...result }
}

/** A figure with its stored amount. Without one, it is an intermediate figure, rounded up. */
function figure(
  name: string,
  currency: string,
  calculation: Calculation,
  stored = roundedResult(calculation),
  direction: 'up' | 'down' = 'up',
): Figure {
  const evaluation = evaluate(calculation)
  const rounded = stored.toString()
  const rounding = rounded === evaluation.unrounded ? 'none' : direction
  return { figure: name, currency, ...evaluation, rounded, rounding }
}

/** Factors from one currency's minor units to another's. */
function between(from: string, to: string): Factor[] {
  return rescale(currencyExponent(from), currencyExponent(to))
}
