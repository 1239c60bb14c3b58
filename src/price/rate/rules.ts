// The rate book: the rates that join two currencies, their age, and the customer's rate. Rates are
// exact until their one rounding (§rate.precision). Pure.
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

/** `mid` units of quote for one unit of base, in major units. */
export interface Rate {
  readonly base: string
  readonly quote: string
  readonly mid: Decimal
  readonly source: string
  readonly as_of: Instant
  /** The quote currency is pegged to the base, its anchor, at this rate. */
  readonly pegged: boolean
  /** Whether the rate came with the product: a sample prices sandboxes alone. */
  readonly sample: boolean
}

export interface RateBook {
  /** A pair without a row of its own is crossed through this currency. */
  readonly pivot: string
  /** By `BASE/QUOTE`. */
  readonly rates: ReadonlyMap<string, Rate>
  /** The pegs, by the pegged currency. */
  readonly pegs: ReadonlyMap<string, Rate>
}

/** How one pair is quoted to one account. */
export interface RatePolicy {
  /** Taken off the mid, against the customer; 100 is one percent. */
  readonly spread_bps: number
  /** How old a rate may be; null: the calendar of its source decides. */
  readonly max_age_s: number | null
  /** Whether rates of any age are quoted, as they are to sandboxes. */
  readonly any_age: boolean
}

/** The rate book, and how each pair of currencies is quoted. */
export interface QuotedRates {
  readonly rates: RateBook
  policyOf(from: string, to: string): RatePolicy
}

/** One row of the rate book on the way from one currency to another. */
export interface Step {
  readonly rate: Rate
  /** Whether the step goes from the row's quote to its base, and so divides by the mid. */
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
 * Converts an amount in minor units at mid, without spread, rounded up. It serves a fee that is
 * charged in another currency than it is set in.
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

/** How many minor units make one unit of a currency. */
function minorUnits(currency: string): bigint {
  return pow10(currencyExponent(currency))
}

/**
 * The least amount of `from` that buys `amount` of `to` at mid, in minor units. The difference to
 * the customer's price is income. `customerRate` has checked the age of the rates.
 */
export function costAtMid(book: RateBook, amount: bigint, from: string, to: string): bigint {
  const { n, d } = midOf(knownSteps(book, from, to))
  return divideUp(amount * d * minorUnits(from), n * minorUnits(to))
}

/** The most of `to` that `amount` of `from` buys at mid, in minor units. */
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

/** Refuses a stale rate. Each row of a crossed pair is judged by its own source. */
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
 * until it is changed. A stablecoin's peg is its issuer's word. Such pegs have broken within hours
 * before, so it ages like any rate that is set by hand (docs/decisions/0038).
 */
export function goodUntil(rate: Rate, max_age_s: number | null): Freshness | null {
  return rate.pegged && !isStablecoin(rate.quote) ? null : freshnessOf(rate, max_age_s)
}

/**
 * The steps from one currency to another, in order; undefined when no rates join them. There are
 * none for the same currency, and one if the pair or its inverse has a row. Otherwise a pegged
 * currency goes through its anchor alone, and the rest through the pivot. So there are at most
 * four: pegged → anchor → pivot → anchor → pegged.
 */
export function stepsBetween(
  book: RateBook,
  from: string,
  to: string,
): readonly Step[] | undefined {
  if (from === to) return []
  const own = stepOf(book, from, to)
  if (own !== undefined) return [own]
  const [out, home] = [book.pegs.get(from), book.pegs.get(to)]
  const middle = stepsOfTwo(book, out?.base ?? from, home?.base ?? to)
  return (
    middle && [
      ...(out === undefined ? [] : [{ rate: out, inverted: true }]),
      ...middle,
      ...(home === undefined ? [] : [{ rate: home, inverted: false }]),
    ]
  )
}

/** At most two steps: the pair's own row, or one to the pivot and one from it. */
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

export function midOf(steps: readonly Step[]): Mid {
  let [n, d] = [1n, 1n]
  for (const { rate, inverted } of steps) {
    const { digits, scale } = rate.mid
    n *= inverted ? pow10(scale) : digits
    d *= inverted ? digits : pow10(scale)
  }
  return { n, d }
}

/** A rate as one line for people: `EUR/USD 1.1712 (ECB, 2026-10-06T14:00:00.000000Z)`. */
export function describeRate(rate: Rate): string {
  const pegged = rate.pegged ? ', pegged' : ''
  const from = `${rate.source}, ${rate.as_of}${pegged}`
  return `${rate.base}/${rate.quote} ${formatDecimal(rate.mid)} (${from})`
}
