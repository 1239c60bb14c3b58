// The rate book: which rates join two currencies, how old they are, and what the customer is given.
// Pure; rates are exact until their one rounding (§rate.precision).
import { refusal } from '../../errors.ts'
import type { Instant } from '../../instant.ts'
import { isStablecoin } from '../../money/currency.ts'
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
  /** Whether it came with the product: sandboxes alone are quoted by it. */
  readonly sample: boolean
}

export interface RateBook {
  /** A pair without a row of its own is crossed through this currency. */
  readonly pivot: string
  /** By `BASE/QUOTE`. */
  readonly rates: ReadonlyMap<string, Rate>
  /** The row that pegs a currency to its anchor, by the currency. */
  readonly pegs: ReadonlyMap<string, Rate>
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

/** One row of the book on the way from one currency to another. */
export interface Step {
  readonly rate: Rate
  /** The way leads from its quote to its base, dividing by the mid. */
  readonly inverted: boolean
}

/** An exact mid rate n ÷ d. */
export interface Mid {
  readonly n: bigint
  readonly d: bigint
}

/** A rate book of these rows. */
export function rateBookOf(pivot: string, rows: readonly Rate[]): RateBook {
  return {
    pivot,
    rates: new Map(rows.map(rate => [`${rate.base}/${rate.quote}`, rate])),
    pegs: new Map(rows.filter(rate => rate.pegged).map(rate => [rate.quote, rate])),
  }
}

/**
 * Units of `to` that the customer gets for one unit of `from`: the mid less the spread, rounded
 * down once to 12 significant digits (§rate.precision). Same currency: 1. Refuses with
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
  const { n, d } = midOf(knownSteps(book, from.currency, to.currency))
  return divideUp(amount * d * pow10(from.exponent), n * pow10(to.exponent))
}

export function yieldAtMid(book: RateBook, amount: bigint, from: Unit, to: Unit): bigint {
  const { n, d } = midOf(knownSteps(book, from.currency, to.currency))
  return divideDown(amount * n * pow10(to.exponent), d * pow10(from.exponent))
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

/** Each row by its own source: a fresh one does not lend its time to a stale one. */
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
 * Until when a rate may be quoted; null: it does not age. That is the peg of a central bank, which
 * holds until it is changed. The peg of a stablecoin is its issuer's word, and it has broken before
 * within hours, so it ages like any rate set by hand (docs/decisions/0038).
 */
export function goodUntil(rate: Rate, max_age_s: number | null): Freshness | null {
  return rate.pegged && !isStablecoin(rate.quote) ? null : freshnessOf(rate, max_age_s)
}

/**
 * The rows that lead from one currency to another, in order: none for a currency itself, else its
 * own row or that of the inverse. Where there is neither, a pegged currency goes through its anchor
 * and through nothing else; what is then left to join, through the pivot. So there are four at
 * most: pegged → anchor → pivot → anchor → pegged. Undefined when no rates join them.
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

/** At most two rows: their own, or one to the pivot and one from it. */
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
