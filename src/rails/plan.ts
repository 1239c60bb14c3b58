// When a payout is handed to its rail, and when it is expected to arrive. Pure.
import { arrivalBy, arrivalOf, type Sent } from '../values/calendar/arrival.ts'
import { releaseOf } from '../values/calendar/rules.ts'
import { CALENDARS } from '../values/calendar/tables.ts'
import { refusal } from '../values/errors.ts'
import type { Instant } from '../values/instant.ts'
import { MANUAL, SIMULATOR } from './rail.ts'
import type { Routed } from './rules.ts'

export interface Plan {
  /** When the rail is first asked; null for at once. The payout can be cancelled before. */
  readonly release_at: Instant | null
  /** When the beneficiary has the money at the latest; null when that is not known. */
  readonly expected_at: Instant | null
}

/**
 * The plan of a payout that may be released from `now` on. Undefined when the calendar of the
 * route's cut-off has ended, so that the next business day is not known.
 */
export function planFor({ rail, route }: Routed, sent: Sent, now: Instant): Plan | undefined {
  // A transfer to another account of the installation arrives at once.
  if (rail === '') return { release_at: null, expected_at: now }
  const timetable = route?.timetable ?? null
  if (timetable === null) {
    // Only a cut-off of the route says by when people pay.
    return { release_at: null, expected_at: rail === MANUAL ? null : arrivalBy(sent, now) }
  }
  const release = releaseOf(timetable, now)
  if (release === undefined) return undefined
  return { release_at: release.release_at, expected_at: arrivalOf(timetable, sent, release) }
}

/** As `planFor`, but refuses with calendar_ended instead of undefined. */
export function planOrRefuse(routed: Routed, sent: Sent, now: Instant): Plan {
  const plan = planFor(routed, sent, now)
  if (plan !== undefined) return plan
  const { title, last } = CALENDARS[routed.route?.timetable?.calendar ?? 't2']
  const message =
    'The route has a cut-off, and the calendar of its business days ' +
    `(${title}) ends on ${last}.`
  throw refusal('calendar_ended', message)
}

/** The members of a payout that decide its expected arrival. */
interface Expected {
  readonly rail: string
  readonly status: string
  readonly destination_currency: string
  readonly fund_transfer_network: string
  readonly created_at: Instant
  readonly execute_at: Instant | null
  readonly updated_at: Instant
  /** As planned, or as the rail has reported since; null for sandboxes and for transfers. */
  readonly expected_at: Instant | null
}

/**
 * When the beneficiary of a payout has the money. Null while the payout is held, once it has
 * failed, and when the time is not known. Two times are computed: a sandbox's payout arrives
 * after its network's usual time, counted from its execution, and a transfer when it succeeds.
 */
export function expectedArrival(payout: Expected): Instant | null {
  const { rail, status, created_at, execute_at, updated_at } = payout
  if (status !== 'processing' && status !== 'succeeded') return null
  if (rail === '') return status === 'succeeded' ? updated_at : null
  if (rail !== SIMULATOR) return payout.expected_at
  return arrivalBy(sentOf(payout), execute_at ?? created_at)
}

/** The members of a payout that decide how long it takes. */
export function sentOf({
  destination_currency: currency,
  fund_transfer_network: network,
}: Pick<Expected, 'destination_currency' | 'fund_transfer_network'>): Sent {
  return { currency, network }
}
