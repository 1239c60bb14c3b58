// Figures of the installation's rails: how many payouts ended lately, how many of them were paid,
// and how long payment took. Pure, but for the figures that the process keeps.
import type { Instant } from '../values/instant.ts'

/** How many days the figures cover. */
export const FIGURES_DAYS = 90

/** The shorter windows that operators see as well, in days. */
export const FIGURES_WINDOWS = [1, 7, 30] as const

/** One rail's payouts with the same end and about the same duration. */
export interface EndedPayouts {
  readonly rail: string
  readonly paid: boolean
  /** From creation to success, to three digits; 0 for payouts that were not paid. */
  readonly seconds: number
  readonly payouts: number
  /** Their weight in the median and the 95th percentile, as durations are read of a sample. */
  readonly stands_for: number
}

export interface RailFigures {
  /** Payouts that ended. */
  readonly payouts: number
  /** How many of them were paid and did not come back. */
  readonly succeeded: number
  /** The median duration of paid payouts, in seconds; null when none was paid. */
  readonly median_s: number | null
  /** The 95th percentile of the same. */
  readonly p95_s: number | null
}

/** Sums up the figures by rail. */
export function figuresOf(ended: readonly EndedPayouts[]): ReadonlyMap<string, RailFigures> {
  const rails = Map.groupBy(ended, ({ rail }) => rail)
  return new Map(
    [...rails].map(([rail, all]) => {
      const paid = all.filter(group => group.paid)
      const succeeded = count(paid)
      const durations = { median_s: percentile(paid, 50), p95_s: percentile(paid, 95) }
      return [rail, { payouts: count(all), succeeded, ...durations }]
    }),
  )
}

function count(ended: readonly EndedPayouts[]): number {
  return ended.reduce((sum, { payouts }) => sum + payouts, 0)
}

/** The seconds within which `percent` of the payouts were paid; for 50, the lower median. */
function percentile(paid: readonly EndedPayouts[], percent: number): number | null {
  const sampled = paid.filter(({ stands_for }) => stands_for > 0)
  const total = sampled.reduce((sum, { stands_for }) => sum + stands_for, 0)
  let passed = 0
  for (const { seconds, stands_for } of sampled.toSorted((a, b) => a.seconds - b.seconds)) {
    passed += stands_for
    if (100 * passed >= percent * total) return seconds
  }
  return null
}

/** The last figures that a process has counted; empty before its first count. */
export class KnownFigures {
  current: ReadonlyMap<string, RailFigures> = new Map()
  /** The figures of each shorter window, by its days. */
  windows: ReadonlyMap<number, ReadonlyMap<string, RailFigures>> = new Map()
  counted_at: Instant | null = null
}
