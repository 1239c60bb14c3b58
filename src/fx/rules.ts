// The rate book: which rate joins two currencies, how old it is, and what the customer is given.
// Pure; rates are exact until the one rounding that contract 3 names.
import { refusal } from '../errors.ts'
import { type Instant, secondsBetween } from '../instant.ts'
import {
  type Decimal,
  divideHalfUp,
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
}

export interface RateBook {
  /** A pair without a row of its own is crossed through this currency. */
  readonly pivot: string
  /** By `BASE/QUOTE`. */
  readonly rates: ReadonlyMap<string, Rate>
}

export interface RatePolicy {
  /** Moves the mid against the customer; 100 is one percent. */
  readonly spread_bps: number
  /** Rates older than this are not quoted; 0 means any age. */
  readonly max_age_s: number
}

/** An exact mid rate n ÷ d and the oldest of the rates it is made of. */
interface Mid {
  readonly n: bigint
  readonly d: bigint
  readonly as_of: Instant
}

/**
 * Units of `to` that the customer gets for one unit of `from`: the mid less the spread, rounded
 * once to 12 significant digits (contract 3, 6). Same currency: 1. Refuses with rate_unavailable
 * (422) or rate_stale (503).
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
 * An amount in minor units converted at mid, without spread, rounded once. For fees named in
 * another currency than the one they are taken in.
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
  return divideHalfUp(amount * mid.n * pow10(to.exponent), mid.d * pow10(from.exponent))
}

function freshMid(book: RateBook, policy: RatePolicy, from: string, to: string, now: Instant): Mid {
  const mid = directMid(book, from, to) ?? crossMid(book, from, to)
  if (mid === undefined) throw refusal('rate_unavailable', `No rate joins ${from} and ${to}.`)
  if (policy.max_age_s > 0 && secondsBetween(mid.as_of, now) > policy.max_age_s) {
    throw refusal(
      'rate_stale',
      `The newest rate for ${from} and ${to} is of ${mid.as_of}, older than ${policy.max_age_s} s.`,
    )
  }
  return mid
}

function directMid(book: RateBook, from: string, to: string): Mid | undefined {
  const row = book.rates.get(`${from}/${to}`)
  if (row !== undefined) {
    return { n: row.mid.digits, d: pow10(row.mid.scale), as_of: row.as_of }
  }
  const inverse = book.rates.get(`${to}/${from}`)
  if (inverse !== undefined) {
    return { n: pow10(inverse.mid.scale), d: inverse.mid.digits, as_of: inverse.as_of }
  }
  return undefined
}

function crossMid(book: RateBook, from: string, to: string): Mid | undefined {
  const first = directMid(book, from, book.pivot)
  const second = directMid(book, book.pivot, to)
  if (first === undefined || second === undefined) return undefined
  return {
    n: first.n * second.n,
    d: first.d * second.d,
    as_of: first.as_of < second.as_of ? first.as_of : second.as_of,
  }
}

/** A rate as one line for people: `EUR/USD 1.1712 (ECB, 2026-10-06T14:00:00.000000Z)`. */
export function describeRate(rate: Rate): string {
  return `${rate.base}/${rate.quote} ${formatDecimal(rate.mid)} (${rate.source}, ${rate.as_of})`
}
