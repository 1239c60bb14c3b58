// When a payout arrives, as of each of its events. The forecast follows from its route and from
// what its events say of its rail; where it does not, the event says it. Pure.
import type { Event } from '../event/event.ts'
import type { Instant } from '../instant.ts'
import type { PayoutAttempt } from '../rail/attempt.ts'
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

type Planned = Pick<
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

/**
 * The events of a command, of which the last one about the payout says when it arrives, unless that
 * follows. What the rail had said of its `attempt` before may be in no event.
 */
export function withForecast(
  before: Payout,
  after: Payout,
  attempt: Pick<PayoutAttempt, 'expected_at'> | undefined,
  events: readonly Event[],
): readonly Event[] {
  const { expected_at } = after
  if (before.expected_at === null && expected_at === null) return events
  const at = events.findLastIndex(({ object_id }) => object_id === after.id)
  const last = events[at]
  if (last === undefined) return events
  const known = attempt?.expected_at ? UNTOLD : before.expected_at
  let followed: Forecast = { rail: before.rail, expected_at: known }
  for (const event of events) {
    if (event.object_id === after.id) followed = forecastAfter(after, followed, event)
  }
  if (followed.expected_at === expected_at) return events
  return events.with(at, { ...last, data: { ...last.data, expected_at } })
}

/** No forecast is this: what a rail has said may be in no event. */
const UNTOLD = ''
