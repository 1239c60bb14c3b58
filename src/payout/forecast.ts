// When a payout arrives, as of each of its events. The forecast follows from its route and from
// what its events say of its rail; where it does not, the event says it. Pure.
import type { Event } from '../event/event.ts'
import type { Instant } from '../instant.ts'
import { planFor, sentOf } from '../rail/plan.ts'
import type { RouteTaken } from '../rail/rules.ts'
import type { Payout } from './payout.ts'
import { notBefore } from './schedule.ts'

/** What an event may say of the arrival. */
interface Facts {
  readonly status?: string
  readonly by?: string
  /** The rail that gets the payout by it. */
  readonly rail?: string
  readonly expected_at?: Instant | null
  readonly rail_attempt?: { readonly expected_at?: Instant | null }
}

export interface Forecast {
  readonly rail: string
  readonly expected_at: Instant | null
}

export type Planned = Pick<
  Payout,
  'route' | 'destination_currency' | 'fund_transfer_network' | 'execute_at'
>

/** As a payout is planned when it is made. */
export function firstForecast(
  payout: Planned & Pick<Payout, 'first_rail' | 'created_at'>,
): Forecast {
  const { first_rail: rail, route, created_at } = payout
  return { rail, expected_at: planned(payout, { rail, route }, created_at) }
}

/** As it is after an event. */
export function forecastAfter(
  payout: Planned,
  before: Forecast,
  { type, data, created_at }: Pick<Event, 'type' | 'data' | 'created_at'>,
): Forecast {
  const { status, by, rail = before.rail, expected_at, rail_attempt } = data as Facts
  if (expected_at !== undefined) return { rail, expected_at }
  if (rail_attempt?.expected_at) return { rail, expected_at: rail_attempt.expected_at }
  // It was held until now, and waits for its time or its release.
  if (by !== 'rail' && status === 'processing' && type === 'payout.processing') {
    const { route } = payout
    return { rail, expected_at: planned(payout, { rail, route }, created_at) }
  }
  return { rail, expected_at: before.expected_at }
}

function planned(
  payout: Planned,
  routed: { readonly rail: string; readonly route: RouteTaken | null },
  at: Instant,
): Instant | null {
  if (routed.route === null) return null
  return planFor(routed, sentOf(payout), notBefore(payout, at))?.expected_at ?? null
}
