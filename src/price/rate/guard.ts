// Judges new rates by the stored ones. Finds rates that are older, that would replace a peg, that
// give a pair its second direction, or that look like a slip, most often the wrong direction. Pure.

import { type Decimal, formatDecimal, pow10, quotient } from '../../money/decimal.ts'
import type { Line } from '../../text/csv.ts'
import { type Mid, midOf, type Rate, type RateBook, stepsBetween } from './rules.ts'

/** How far a rate may move before a person must confirm it: ten percent. */
export const MAX_MOVE_BPS = 1_000

/** If more of a publication's rates have moved too far, the file is wrong, not the market. */
const MAX_MOVED_PERCENT = 10

interface Problem {
  readonly kind: 'older' | 'pegged' | 'moved' | 'inverse'
  readonly message: string
}

export interface Judged {
  readonly line: number
  readonly rate: Rate
  /** The stored row of the pair. */
  readonly before: Rate | undefined
  /** The stored row of the inverse pair, which this rate replaces: a pair has one direction. */
  readonly inverse: Rate | undefined
  readonly problem: Problem | undefined
}

/**
 * Judges every rate by the stored book, without the lines before it. `guide` gives an expected rate
 * where the book has none.
 */
export function judgeRates(
  lines: readonly Line<Rate>[],
  book: RateBook,
  max_move_bps: number,
  guide: RateBook = book,
): Judged[] {
  return lines.map(({ line, value: rate }) => ({
    line,
    rate,
    before: book.rates.get(pairOf(rate)),
    inverse: inverseOf(rate, book),
    problem: findProblem(rate, book, findMoved(rate, [book, guide], max_move_bps)),
  }))
}

/** If a market rate replaces a peg and has moved too far, the message says both. */
function findProblem(rate: Rate, book: RateBook, moved: Problem | undefined): Problem | undefined {
  const older = findOlder(rate, book)
  if (older !== undefined) return older
  const pegged = findPegged(rate, book)
  if (pegged === undefined) return moved ?? findInverse(rate, book)
  return moved ? { ...pegged, message: `${pegged.message}; ${moved.message}` } : pegged
}

export function pairOf(rate: { readonly base: string; readonly quote: string }): string {
  return `${rate.base}/${rate.quote}`
}

function inverseOf({ base, quote }: Rate, book: RateBook): Rate | undefined {
  return book.rates.get(`${quote}/${base}`)
}

/** A rate of the operator replaces a sample, whatever its age. */
function findOlder(rate: Rate, book: RateBook): Problem | undefined {
  const kept = book.rates.get(pairOf(rate))
  if (kept === undefined || kept.sample || rate.as_of >= kept.as_of) return undefined
  const message = `${pairOf(rate)} of ${rate.as_of} is older than the stored ${kept.as_of}`
  return { kind: 'older', message }
}

/**
 * A market rate of a pegged currency, in any pair. It would be used instead of the peg, and a
 * customer could gain by converting one way through it and back by the peg.
 */
function findPegged(rate: Rate, book: RateBook): Problem | undefined {
  if (rate.pegged) return undefined
  const peg = book.pegs.get(rate.quote) ?? book.pegs.get(rate.base)
  if (peg === undefined) return undefined
  const message = `${peg.quote} is pegged to ${peg.base} at ${formatDecimal(peg.mid)}`
  return { kind: 'pegged', message }
}

/**
 * A rate that has moved too far from the expected one, which the first book that has the pair
 * gives: stored, inverse or crossed. A pair that no book joins passes.
 */
function findMoved(
  rate: Rate,
  books: readonly RateBook[],
  max_move_bps: number,
): Problem | undefined {
  const mid = books.map(book => midBetween(book, rate)).find(known => known !== undefined)
  if (mid === undefined) return undefined
  const { difference, whole } = compare(rate.mid, mid)
  const distance = difference < 0n ? -difference : difference
  if (distance * 10_000n <= BigInt(max_move_bps) * whole) return undefined
  const percent = formatDecimal({ digits: (distance * 1_000n) / whole, scale: 1 })
  const now = formatDecimal(quotient(mid.n, mid.d))
  const side = difference < 0n ? 'below' : 'above'
  const words = `${percent} % ${side} the present ${now}`
  return { kind: 'moved', message: `${pairOf(rate)} ${formatDecimal(rate.mid)} is ${words}` }
}

function midBetween(book: RateBook, { base, quote }: Rate): Mid | undefined {
  const steps = stepsBetween(book, base, quote)
  return steps && midOf(steps)
}

/**
 * A second direction of a stored pair. With both stored, each direction would be quoted by its own
 * row, and a customer could gain by converting there and back. A real rate replaces a sample
 * silently.
 */
function findInverse(rate: Rate, book: RateBook): Problem | undefined {
  const kept = inverseOf(rate, book)
  if (kept === undefined || kept.sample) return undefined
  const message = `the pair has a row already, ${pairOf(kept)} ${formatDecimal(kept.mid)}`
  return { kind: 'inverse', message }
}

/** The new rate minus the present one, and the present one, in the same unit. */
function compare({ digits, scale }: Decimal, { n, d }: Mid) {
  const whole = n * pow10(scale)
  return { difference: digits * d - whole, whole }
}

/** Why a row cannot be a peg, even by force; undefined when it can. */
export function checkPeg({ base, quote, pegged }: Rate, book: RateBook): string | undefined {
  if (!pegged) return undefined
  const kept = book.pegs.get(quote)
  if (kept !== undefined && kept.base !== base) {
    return `${quote} is pegged to ${kept.base} already; run: ${removal(kept.base, quote)}`
  }
  const anchor = book.pegs.get(base)
  if (anchor !== undefined) {
    return `${base} is pegged itself, to ${anchor.base}; peg ${quote} to that`
  }
  const held = [...book.pegs.values()].find(peg => peg.base === quote)
  if (held !== undefined) return `${quote} is the anchor of ${held.quote} and cannot be pegged`
  if (!book.rates.has(`${quote}/${base}`)) return undefined
  return `${quote}/${base} has a row of its own; run: ${removal(quote, base)}`
}

function removal(base: string, quote: string): string {
  return `corridor rates remove ${base} ${quote}`
}

/** The outcome of a publication that no person reviews. */
export interface FeedDecision {
  readonly taken: readonly Judged[]
  /** How many rates were passed over as older, unchanged or pegged, which is no error. */
  readonly passed: number
  readonly refused: readonly Judged[]
}

/**
 * Decides which rates of a publication to take. A rate that has moved too far, or whose pair is
 * stored in the other direction, is refused: the stored row stays, ages, and is then no longer
 * quoted. If too many rates have moved, all are refused: columns have shifted, or the base is
 * another. A person can set `force`, and then doubtful rates are taken.
 */
export function decideFeed(judged: readonly Judged[], force: boolean): FeedDecision {
  const news = judged.filter(isNews)
  const passed = judged.length - news.length
  const doubtful = force ? [] : news.filter(({ problem }) => problem !== undefined)
  const moved = doubtful.filter(({ problem }) => problem?.kind === 'moved')
  const isWrong = moved.length * 100 > judged.length * MAX_MOVED_PERCENT
  const taken = isWrong ? [] : news.filter(one => !doubtful.includes(one))
  return { taken, passed, refused: isWrong ? news : doubtful }
}

function isNews({ rate, before, problem }: Judged): boolean {
  if (problem?.kind === 'older' || problem?.kind === 'pegged') return false
  if (before === undefined || before.sample) return true
  const isSame = formatDecimal(before.mid) === formatDecimal(rate.mid)
  return !isSame || before.as_of !== rate.as_of || before.source !== rate.source
}
