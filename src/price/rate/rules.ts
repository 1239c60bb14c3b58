// The rate book: the rows that join two currencies, their age, and the customer's rate. A rate is
// exact until its one rounding (§rate.precision). Pure.
import { refusal } from '../../errors.ts'
import type { Instant } from '../../instant.ts'
import { currencyExponent, isStablecoin } from '../../money/currency.ts'
import {
  type Decimal,
  divideDown,
  divideUp,
  formatDecimal,
  ONE,
  pow10,
  quotient,
} from '../../money/decimal.ts'
import { type Freshness, freshnessOf } from './calendar.ts'

/** A row: `mid` major units of the quote currency for one major unit of the base currency. */
export interface Rate {
  readonly base: string
  readonly quote: string
  readonly mid: Decimal
  readonly source: string
  readonly as_of: Instant
  /** Whether the quote currency is pegged to the base, its anchor, at this rate. */
  readonly pegged: boolean
  /** Whether the rate came with the product. A sample prices only sandboxes. */
  readonly sample: boolean
}

export interface RateBook {
  /** The currency that crosses a pair without a row. */
  readonly pivot: string
  /** The rows, by `BASE/QUOTE`. */
  readonly rates: ReadonlyMap<string, Rate>
  /** The pegs, by the pegged currency. */
  readonly pegs: ReadonlyMap<string, Rate>
}

/** The policy of one pair's rate for one account. */
export interface RatePolicy {
  /** Basis points off the mid, against the customer. 100 is one percent. */
  readonly spread_bps: number
  /** The largest age of a rate, in seconds. Null: the calendar of the rate's source decides. */
  readonly max_age_s: number | null
  /** Whether a rate of any age is good, as for sandboxes. */
  readonly any_age: boolean
}

/** The rate book, and the policy of each pair. */
export interface QuotedRates {
  readonly rates: RateBook
  policyOf(from: string, to: string): RatePolicy
}

/** A row of the rate book as a step of a conversion. */
export interface Step {
  readonly rate: Rate
  /** Whether the step goes from the row's quote to its base, and divides by the mid. */
  readonly inverted: boolean
}

/** An exact mid rate n ÷ d. */
export interface Mid {
  readonly n: bigint
  readonly d: bigint
}

export function rateBookOf(pivot: string, rows: readonly Rate[]): RateBook {
  return {
    pivot,
    rates: new Map(rows.map(rate => [`${rate.base}/${rate.quote}`, rate])),
    pegs: new Map(rows.filter(rate => rate.pegged).map(rate => [rate.quote, rate])),
  }
}

/**
 * The customer's rate, in units of `to` for one unit of `from`: the mid less the spread, rounded
 * down once to 12 significant digits (§rate.precision); 1 for the same currency. Refuses with
 * rate_unavailable (422) or rate_stale (503).
 */
export function customerRate(
  book: RateBook,
  policy: RatePolicy,
  from: string,
  to: string,
  now: Instant,
): Decimal {
  if (from === to) return ONE
  const mid = freshMid(book, policy, from, to, now)
  return quotient(mid.n * BigInt(10_000 - policy.spread_bps), mid.d * 10_000n)
}

/**
 * Converts an amount in minor units at mid, without a spread, and rounds up. It serves fees, limits
 * and approval rules in another currency. Refuses with rate_unavailable (422) or rate_stale (503).
 */
export function convertAtMid(
  { rates, policyOf }: QuotedRates,
  amount: bigint,
  from: string,
  to: string,
  now: Instant,
): bigint {
  if (from === to || amount === 0n) return amount
  const { n, d } = freshMid(rates, policyOf(from, to), from, to, now)
  return divideUp(amount * n * minorUnits(to), d * minorUnits(from))
}

/** The number of minor units in one major unit. */
function minorUnits(currency: string): bigint {
  return pow10(currencyExponent(currency))
}

/**
 * The smallest amount of `from` that buys `amount` of `to` at mid, in minor units. The difference
 * to the customer's price is the margin. Callers have checked the rates' age by `customerRate`.
 */
export function costAtMid(book: RateBook, amount: bigint, from: string, to: string): bigint {
  const { n, d } = midOf(knownSteps(book, from, to))
  return divideUp(amount * d * minorUnits(from), n * minorUnits(to))
}

/** The largest amount of `to` that `amount` of `from` buys at mid, in minor units. */
export function yieldAtMid(book: RateBook, amount: bigint, from: string, to: string): bigint {
  const { n, d } = midOf(knownSteps(book, from, to))
  return divideDown(amount * n * minorUnits(to), d * minorUnits(from))
}

function knownSteps(book: RateBook, from: string, to: string): readonly Step[] {
  const steps = stepsBetween(book, from, to)
  if (steps === undefined) throw refusal('rate_unavailable', `No rate joins ${from} and ${to}.`)
  return steps
}

function freshMid(book: RateBook, policy: RatePolicy, from: string, to: string, now: Instant): Mid {
  const steps = knownSteps(book, from, to)
  for (const { rate } of steps) checkFresh(rate, policy, now)
  return midOf(steps)
}

/** Refuses a stale rate. Each row of a crossed pair ages by its own source. */
function checkFresh(rate: Rate, policy: RatePolicy, now: Instant): void {
  if (policy.any_age) return
  const freshness = goodUntil(rate, policy.max_age_s)
  if (freshness === null || now <= freshness.good_until) return
  const { due, good_until } = freshness
  const next = due === good_until ? '' : `the next one was due at ${due}, and `
  const message =
    `The rate ${rate.base}/${rate.quote} of ${rate.as_of} (${rate.source}) is too old to quote: ` +
    `${next}it was good until ${good_until}.`
  throw refusal('rate_stale', message)
}

/**
 * Until when a rate may be quoted; null for a rate that does not age. A central bank's peg holds
 * until somebody changes it. A stablecoin's peg is its issuer's promise, and such pegs have broken
 * within hours. So it ages like a rate that an operator sets (docs/decisions/0038).
 */
export function goodUntil(rate: Rate, max_age_s: number | null): Freshness | null {
  return rate.pegged && !isStablecoin(rate.quote) ? null : freshnessOf(rate, max_age_s)
}

/**
 * The steps from one currency to another, in order; undefined when no rows join them. The same
 * currency has no step, and a pair with a row in either direction has one. Else a pegged currency
 * goes only through its anchor, and the remaining pair through the pivot. So there are at most four
 * steps: pegged → anchor → pivot → anchor → pegged.
 */
export function stepsBetween(
  book: RateBook,
  from: string,
  to: string,
): readonly Step[] | undefined {
  if (from === to) return []
  const own = stepOf(book, from, to)
  if (own !== undefined) return [own]
  const [fromPeg, toPeg] = [book.pegs.get(from), book.pegs.get(to)]
  const middle = stepsOfTwo(book, fromPeg?.base ?? from, toPeg?.base ?? to)
  return (
    middle && [
      ...(fromPeg === undefined ? [] : [{ rate: fromPeg, inverted: true }]),
      ...middle,
      ...(toPeg === undefined ? [] : [{ rate: toPeg, inverted: false }]),
    ]
  )
}

/** At most two steps: the pair's own row, or a step to the pivot and a step from it. */
function stepsOfTwo(book: RateBook, from: string, to: string): readonly Step[] | undefined {
  if (from === to) return []
  const own = stepOf(book, from, to)
  if (own !== undefined) return [own]
  const first = stepOf(book, from, book.pivot)
  const second = stepOf(book, book.pivot, to)
  return first === undefined || second === undefined ? undefined : [first, second]
}

function stepOf(book: RateBook, from: string, to: string): Step | undefined {
  const rate = book.rates.get(`${from}/${to}`)
  if (rate !== undefined) return { rate, inverted: false }
  const inverse = book.rates.get(`${to}/${from}`)
  return inverse && { rate: inverse, inverted: true }
}

/** The exact mid rate of these steps together. */
export function midOf(steps: readonly Step[]): Mid {
  let [n, d] = [1n, 1n]
  for (const { rate, inverted } of steps) {
    const { digits, scale } = rate.mid
    n *= inverted ? pow10(scale) : digits
    d *= inverted ? digits : pow10(scale)
  }
  return { n, d }
}

/** A rate on one line: `EUR/USD 1.1712 (ECB, 2026-10-06T14:00:00.000000Z)`. */
export function describeRate(rate: Rate): string {
  const pegged = rate.pegged ? ', pegged' : ''
  const from = `${rate.source}, ${rate.as_of}${pegged}`
  return `${rate.base}/${rate.quote} ${formatDecimal(rate.mid)} (${from})`
}
