// When a way is used again, and which rates have become stale. Pure.
import { goodUntil, type Rate } from '../prices/rate/rules.ts'
import type { News, Period } from './notification.ts'

/** At most one message of a kind in so long. */
export const EVERY_S = 60

/** The longest wait of a way that fails. */
const LONGEST_WAIT_S = 3600

/** After so many failures in a row: 1, 2, 4 … minutes, an hour at most. */
export function waitAfter(failures: number): number {
  return Math.min(EVERY_S * 2 ** Math.min(Math.max(failures - 1, 0), 10), LONGEST_WAIT_S)
}

/** The rates whose good time has ended in the period. Samples serve no live account. */
export function becameStale(
  rates: readonly Rate[],
  maxAgeOf: (rate: Rate) => number | null,
  { from, to }: Period,
): News[] {
  return rates.flatMap((rate): News[] => {
    const until = rate.sample ? undefined : goodUntil(rate, maxAgeOf(rate))?.good_until
    if (until === undefined || until <= from || until > to) return []
    return [{ sort: 'rate', account_id: '', count: 1, of: `${rate.base}/${rate.quote}` }]
  })
}
