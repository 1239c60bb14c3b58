// The rate of a quote that an account would get now. Pure.
import type { Pricing } from '../../prices/price.ts'
import { customerRate, goodUntil, type Step, waysBetween } from '../../prices/rate/rules.ts'
import type { Instant } from '../../values/instant.ts'
import type { Decimal } from '../../values/money/decimal.ts'

export interface IndicativeRate {
  readonly from: string
  readonly to: string
  /** Units of `to` for one unit of `from`, less the spread. */
  readonly rate: Decimal
  /** The rate without the spread. */
  readonly mid: Decimal
  readonly spread_bps: number
  readonly steps: readonly Step[]
  /** The way that was compared and would give the customer more; empty when there is none. */
  readonly other: readonly Step[]
  /** Until when live accounts may be quoted by the rows; null for rows that do not age. */
  readonly good_until: Instant | null
}

/**
 * The rate of a quote made at `now`, the time by the database's clock. Refuses with
 * rate_unavailable (422) or rate_stale (503).
 */
export function indicativeRate(
  from: string,
  to: string,
  { rates, policyOf }: Pricing,
  now: Instant,
): IndicativeRate {
  const policy = policyOf(from, to)
  const rate = customerRate(rates, policy, from, to, now)
  const mid = customerRate(rates, { ...policy, spread_bps: 0 }, from, to, now)
  const { decides: steps = [], other = [] } = waysBetween(rates, from, to) ?? {}
  const ends = policy.any_age
    ? []
    : [...steps, ...other].flatMap(step => goodUntil(step.rate, policy.max_age_s)?.good_until ?? [])
  // A conversion into the same currency has no spread.
  const spread_bps = from === to ? 0 : policy.spread_bps
  return { from, to, rate, mid, spread_bps, steps, other, good_until: ends.toSorted()[0] ?? null }
}
