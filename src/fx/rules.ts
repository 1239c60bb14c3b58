// The rate book: which rate joins two currencies, how old it is, and what the customer is given.
// Pure; rates are exact until the one rounding that contract 3 names.
import { refusal } from '../errors.ts'
import { type Instant, secondsBetween } from '../instant.ts'
import {
  type Decimal,
  divideDown,
  divideUp,
  formatDecimal,
  ONE,
  pow10,
  quotient,
} from '../money/decimal.ts'

/** `mid` units of quote for one unit of base, in major units. */
export interface Rate {
  readonly base: string
  readonly quote: string
  readonly mid: Decimal
  readonly source: string
  readonly as_of: Instant
  /** Whether it came with the product: sandboxes alone are quoted by it. */
  readonly sample: boolean
}

export interface RateBook {
  /** A pair without a row of its own is crossed through this currency. */
  readonly pivot: string
  /** By `BASE/QUOTE`. */
  readonly rates: ReadonlyMap<string, Rate>
}

/** How one pair is quoted to one account. */
export interface RatePolicy {
  /** Moves the mid against the customer; 100 is one percent. */
  readonly spread_bps: number
  /** Rates older than this are not quoted; null: as old as its source's calendar allows. */
  readonly max_age_s: number | null
  /** Whether age does not matter: sandboxes are quoted at rates of any day. */
  readonly any_age: boolean
}

/** Bridges a weekend without publication. */
const MAX_AGE_S = 259_200

/** One row of the book on the way from one currency to another. */
export interface Step {
  readonly rate: Rate
  /** The way leads from its quote to its base, dividing by the mid. */
  readonly inverted: boolean
}

/** An exact mid rate n ÷ d and the oldest of the rates it is made of. */
interface Mid {
  readonly n: bigint
  readonly d: bigint
  readonly as_of: Instant
}

/**
 * Units of `to` that the customer gets for one unit of `from`: the mid less the spread, rounded
 * down once to 12 significant digits (contract 3, 6). Same currency: 1. Refuses with
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
 * An amount in minor units converted at mid, without spread, rounded up. For fees named in another
 * currency than the one they are taken in.
 */
export function convertAtMid(
  book: RateBook,
  policy: RatePolicy,
  amount: bigint,
  from: { readonly currency: string; readonly exponent: number },
  to: { readonly currency: string; readonly exponent: number },
  now: Instant,
): bigint {
  if (from.currency === to.currency || amount === 0n) return amount
  const mid = freshMid(book, policy, from.currency, to.currency, now)
  return divideUp(amount * mid.n * pow10(to.exponent), mid.d * pow10(from.exponent))
}

/** A currency and its number of decimals. */
interface Unit {
  readonly currency: string
  readonly exponent: number
}

/**
 * What an exchange at mid comes to, in minor units, so that the rest of the customer's price is
 * income: the least that buys `amount` of `to`, and the most that `amount` of `from` buys. The way
 * through the rate book is that of `customerRate`, which has judged the rates' age.
 */
export function costAtMid(book: RateBook, amount: bigint, from: Unit, to: Unit): bigint {
  const { n, d } = knownMid(book, from.currency, to.currency)
  return divideUp(amount * d * pow10(from.exponent), n * pow10(to.exponent))
}

export function yieldAtMid(book: RateBook, amount: bigint, from: Unit, to: Unit): bigint {
  const { n, d } = knownMid(book, from.currency, to.currency)
  return divideDown(amount * n * pow10(to.exponent), d * pow10(from.exponent))
}

function knownMid(book: RateBook, from: string, to: string): Mid {
  const steps = stepsBetween(book, from, to)
  if (steps === undefined) throw refusal('rate_unavailable', `No rate joins ${from} and ${to}.`)
  return midOf(steps)
}

function freshMid(book: RateBook, policy: RatePolicy, from: string, to: string, now: Instant): Mid {
  const mid = knownMid(book, from, to)
  const max_age_s = policy.max_age_s ?? MAX_AGE_S
  if (policy.any_age || secondsBetween(mid.as_of, now) <= max_age_s) return mid
  throw refusal(
    'rate_stale',
    `The newest rate for ${from} and ${to} is of ${mid.as_of}, older than ${max_age_s} s.`,
  )
}

/**
 * The rows that lead from one currency to another, in order: none for a currency itself, its own
 * row or that of the inverse, else two through the pivot. Undefined when no rate joins them.
 */
export function stepsBetween(
  book: RateBook,
  from: string,
  to: string,
): readonly Step[] | undefined {
  if (from === to) return []
  const direct = stepOf(book, from, to)
  if (direct !== undefined) return [direct]
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

function midOf(steps: readonly Step[]): Mid {
  let [n, d] = [1n, 1n]
  for (const { rate, inverted } of steps) {
    const { digits, scale } = rate.mid
    n *= inverted ? pow10(scale) : digits
    d *= inverted ? digits : pow10(scale)
  }
  const [as_of = ''] = steps.map(({ rate }) => rate.as_of).sort()
  return { n, d, as_of }
}

/** A rate as one line for people: `EUR/USD 1.1712 (ECB, 2026-10-06T14:00:00.000000Z)`. */
export function describeRate(rate: Rate): string {
  return `${rate.base}/${rate.quote} ${formatDecimal(rate.mid)} (${rate.source}, ${rate.as_of})`
}
