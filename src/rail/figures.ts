// The figures of the rails of this installation: how many payouts have ended lately, how many of
// them were paid, and how long that took. Pure, but for what the process remembers.

import type { Instant } from '../instant.ts'

/** How many days the figures cover. */
export const FIGURES_DAYS = 90

/** The shorter windows that operators see as well, in days. */
export const FIGURES_WINDOWS = [1, 7, 30] as const

/** Payouts of one rail that ended in the same way, after about the same time. */
export interface Ended {
  readonly rail: string
  readonly paid: boolean
  /** From creation to success, to three digits; 0 for payouts that were not paid. */
  readonly seconds: number
  readonly payouts: number
  /** How many paid payouts the median and the 95 of 100 count these as: only a sample is read. */
  readonly stands_for: number
}

export interface RailFigures {
  /** Payouts that ended. */
  readonly payouts: number
  /** How many of them were paid and did not come back. */
  readonly succeeded: number
  /** Half of the paid payouts took no longer; null when none was paid. */
  readonly median_s: number | null
  /** 95 of 100 paid payouts took no longer; null when none was paid. */
  readonly p95_s: number | null
}

/** Sums up the figures by rail. */
export function figuresOf(ended: readonly Ended[]): ReadonlyMap<string, RailFigures> {
  const rails = Map.groupBy(ended, ({ rail }) => rail)
  return new Map(
    [...rails].map(([rail, all]) => {
      const paid = all.filter(one => one.paid)
      const succeeded = count(paid)
      const took = { median_s: tookAtMost(paid, 50), p95_s: tookAtMost(paid, 95) }
      return [rail, { payouts: count(all), succeeded, ...took }]
    }),
  )
}

function count(ended: readonly Ended[]): number {
  return ended.reduce((sum, { payouts }) => sum + payouts, 0)
}

/** The time within which `of_100` of 100 were paid; with 50, the lower median. */
function tookAtMost(paid: readonly Ended[], of_100: number): number | null {
  const looked_at = paid.filter(({ stands_for }) => stands_for > 0)
  const all = looked_at.reduce((sum, { stands_for }) => sum + stands_for, 0)
  let passed = 0
  for (const { seconds, stands_for } of looked_at.toSorted((a, b) => a.seconds - b.seconds)) {
    passed += stands_for
    if (100 * passed >= of_100 * all) return seconds
  }
  return null
}

/** The figures that a process has counted; empty before its first count. */
export class KnownFigures {
  current: ReadonlyMap<string, RailFigures> = new Map()
  /** The figures of each shorter window, by its days. */
  windows: ReadonlyMap<number, ReadonlyMap<string, RailFigures>> = new Map()
  counted_at: Instant | null = null
}
