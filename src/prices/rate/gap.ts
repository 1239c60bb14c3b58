// Finds gaps: rows of the rate book that differ from the ratio of the values of their currencies.
// A pair with a gap is quoted at the worse of both, so a gap costs customers. Pure.
import { formatDecimal, pow10, quotient } from '../../values/money/decimal.ts'
import { midOf, type Rate, RateBook, valueSteps } from './rules.ts'

/** A person must confirm a wider gap: three percent. */
export const MAX_GAP_BPS = 300

/** The spread of a pair, in basis points, for accounts without a spread of their own. */
export type SpreadOf = (from: string, to: string) => number

export interface Gap {
  readonly rate: Rate
  /** The rows that make the ratio. */
  readonly rows: readonly Rate[]
  /** How far the row is from the ratio, in hundredths of a percent, rounded down. */
  readonly distance_bps: bigint
  readonly message: string
}

/**
 * The live accounts' rows that differ from the ratio by more than the smaller spread of the pair's
 * two directions. Sandboxes alone use samples, so that a sample has no gap.
 */
export function findGaps(book: RateBook, spreadOf: SpreadOf): Gap[] {
  const own = new RateBook(
    book.pivot,
    [...book.rates.values()].filter(({ sample }) => !sample),
  )
  return [...own.rates.values()].flatMap(rate => {
    const steps = valueSteps(own, rate.base, rate.quote)
    const rows = steps.map(step => step.rate)
    if (rows.length === 1 && rows[0] === rate) return []
    const spread = Math.min(spreadOf(rate.base, rate.quote), spreadOf(rate.quote, rate.base))
    const gap = gapOf(rate, rows, midOf(steps))
    return gap.scaled > BigInt(spread) * gap.ratio ? [gap.shown] : []
  })
}

function gapOf(rate: Rate, rows: readonly Rate[], { n, d }: ReturnType<typeof midOf>) {
  const ratio = n * pow10(rate.mid.scale)
  const difference = rate.mid.digits * d - ratio
  const scaled = (difference < 0n ? -difference : difference) * 10_000n
  const distance_bps = scaled / ratio
  const percent = formatDecimal({ digits: distance_bps, scale: 2 })
  const side = difference < 0n ? 'below' : 'above'
  const [pair, ...others] = [rate, ...rows].map(({ base, quote }) => `${base}/${quote}`)
  const message =
    `${pair} ${formatDecimal(rate.mid)} is ${percent} % ${side} ` +
    `${formatDecimal(quotient(n, d))}, which ${others.join(' and ')} make; ` +
    'accounts get the worse of both'
  return { ratio, scaled, shown: { rate, rows, distance_bps, message } }
}

/** The gaps that these rows make, as the row itself or as a part of the ratio. */
export function gapsOf(gaps: readonly Gap[], changed: readonly Rate[]): Gap[] {
  return gaps.filter(({ rate, rows }) => [rate, ...rows].some(row => changed.includes(row)))
}

/** The book with these rows in the place of the rows of their pairs, in either direction. */
export function withRates(book: RateBook, rates: readonly Rate[]): RateBook {
  const rows = new Map(book.rates)
  for (const rate of rates) {
    rows.delete(`${rate.quote}/${rate.base}`)
    rows.set(`${rate.base}/${rate.quote}`, rate)
  }
  return new RateBook(book.pivot, [...rows.values()])
}
