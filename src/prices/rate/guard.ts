// Judges new rates by the stored rates. Finds a rate that is older, would replace a peg, gives a
// pair a second direction, or looks like a mistake, most often the wrong direction. Pure.
import { type Decimal, formatDecimal, pow10, quotient } from '../../values/money/decimal.ts'
import type { Line } from '../../values/text/csv.ts'
import { type Gap, MAX_GAP_BPS } from './gap.ts'
import { type Mid, midOf, type Rate, type RateBook, stepsBetween } from './rules.ts'

/** A person must confirm a larger move of a rate: ten percent. */
const MAX_MOVE_BPS = 1_000

/** If a larger share of a publication has moved too far, the file is wrong, and not the market. */
const MAX_MOVED_PERCENT = 10

interface Problem {
  readonly kind: 'older' | 'pegged' | 'moved' | 'inverse' | 'gap'
  readonly message: string
}

export interface Judged {
  readonly line: number
  readonly rate: Rate
  readonly before: Rate | undefined
  /** The stored row of the inverse pair. This rate replaces it, as a pair has one direction. */
  readonly inverse: Rate | undefined
  readonly problem: Problem | undefined
}

/**
 * Judges each rate only by the stored book, and not by earlier lines. `guide` has an expected rate
 * for pairs that the book does not join.
 */
export function judgeRates(lines: readonly Line<Rate>[], book: RateBook, guide: RateBook = book) {
  return lines.map(({ line, value: rate }) => ({
    line,
    rate,
    before: book.rates.get(pairOf(rate)),
    inverse: inverseOf(rate, book),
    problem: findProblem(rate, book, findMoved(rate, [book, guide])),
  }))
}

/**
 * The problem of a rate. For a market rate that replaces a peg and has moved too far, the message
 * has both facts.
 */
function findProblem(rate: Rate, book: RateBook, moved: Problem | undefined): Problem | undefined {
  const older = findOlder(rate, book)
  if (older !== undefined) return older
  const pegged = findPegged(rate, book)
  if (pegged === undefined) return moved ?? findInverse(rate, book)
  return moved ? { ...pegged, message: `${pegged.message}; ${moved.message}` } : pegged
}

/**
 * Adds the problem of a wide gap to the rates that have no other problem. `isBlamed` decides which
 * of a gap's rows is at fault.
 */
export function withGaps(
  judged: readonly Judged[],
  gaps: readonly Gap[],
  isBlamed: (gap: Gap, rate: Rate) => boolean,
): Judged[] {
  const wide = gaps.filter(({ distance_bps }) => distance_bps > BigInt(MAX_GAP_BPS))
  return judged.map(one => {
    const gap = wide.find(gap => isBlamed(gap, one.rate))
    if (gap === undefined || one.problem !== undefined) return one
    return { ...one, problem: { kind: 'gap', message: gap.message } }
  })
}

export function pairOf(rate: { readonly base: string; readonly quote: string }): string {
  return `${rate.base}/${rate.quote}`
}

function inverseOf({ base, quote }: Rate, book: RateBook): Rate | undefined {
  return book.rates.get(`${quote}/${base}`)
}

/** The problem of an older rate. An operator's rate of any age may replace a sample. */
function findOlder(rate: Rate, book: RateBook): Problem | undefined {
  const stored = book.rates.get(pairOf(rate))
  if (stored === undefined || stored.sample || rate.as_of >= stored.as_of) return undefined
  const message = `${pairOf(rate)} of ${rate.as_of} is older than the stored ${stored.as_of}`
  return { kind: 'older', message }
}

/**
 * The problem of a market rate of a pegged currency, in any pair. Prices would use it instead of
 * the peg, and a customer could gain by a conversion through it and back by the peg.
 */
function findPegged(rate: Rate, book: RateBook): Problem | undefined {
  if (rate.pegged) return undefined
  const peg = book.pegs.get(rate.quote) ?? book.pegs.get(rate.base)
  if (peg === undefined) return undefined
  const message = `${peg.quote} is pegged to ${peg.base} at ${formatDecimal(peg.mid)}`
  return { kind: 'pegged', message }
}

/**
 * The problem of a rate too far from the expected rate. The first book that joins the pair, by a
 * row or crossed, has the expected rate. A pair that no book joins passes.
 */
function findMoved(rate: Rate, books: readonly RateBook[]): Problem | undefined {
  const mid = books.map(book => midBetween(book, rate)).find(known => known !== undefined)
  if (mid === undefined) return undefined
  const { difference, present } = compare(rate.mid, mid)
  const distance = difference < 0n ? -difference : difference
  if (distance * 10_000n <= BigInt(MAX_MOVE_BPS) * present) return undefined
  const percent = formatDecimal({ digits: (distance * 1_000n) / present, scale: 1 })
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
 * The problem of a second direction of a stored pair. With two rows, each direction would have its
 * own rate, and a customer could gain by a conversion there and back. A rate replaces the inverse
 * sample without a problem.
 */
function findInverse(rate: Rate, book: RateBook): Problem | undefined {
  const stored = inverseOf(rate, book)
  if (stored === undefined || stored.sample) return undefined
  const message = `the pair has a row already, ${pairOf(stored)} ${formatDecimal(stored.mid)}`
  return { kind: 'inverse', message }
}

/** The new rate minus the present rate, and the present rate, in one unit. */
function compare({ digits, scale }: Decimal, { n, d }: Mid) {
  const present = n * pow10(scale)
  return { difference: digits * d - present, present }
}

/** Why a row cannot be a peg, even with `force`; undefined for a possible peg. */
export function checkPeg({ base, quote, pegged }: Rate, book: RateBook): string | undefined {
  if (!pegged) return undefined
  const stored = book.pegs.get(quote)
  if (stored !== undefined && stored.base !== base) {
    return `${quote} is pegged to ${stored.base} already; remove ${stored.base}/${quote} first`
  }
  const anchor = book.pegs.get(base)
  if (anchor !== undefined) {
    return `${base} is pegged itself, to ${anchor.base}; peg ${quote} to that`
  }
  const dependent = [...book.pegs.values()].find(peg => peg.base === quote)
  if (dependent !== undefined) {
    return `${quote} is the anchor of ${dependent.quote} and cannot be pegged`
  }
  if (!book.rates.has(`${quote}/${base}`)) return undefined
  return `${quote}/${base} has a row of its own; remove it first`
}

/** The outcome of a publication that no person reviews. */
export interface FeedDecision {
  readonly taken: readonly Judged[]
  /**
   * The number of older, unchanged and pegged rates, which the decision ignores without an error.
   */
  readonly passed: number
  readonly refused: readonly Judged[]
}

/**
 * Decides which rates of a publication to take. It refuses a rate that has moved too far, or whose
 * pair has a row in the other direction, or that has too wide a gap. The stored row stays and gets
 * stale. If too many rates have moved, it refuses all: the file has shifted columns or another
 * base. With a person's `force` it takes doubtful rates.
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
