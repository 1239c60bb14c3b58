// What an event about a payout tells about the state before it: the members that were no longer as
// they were made. The payout before and after an event so follows from its row and from that event
// alone. The expected arrival follows from the route and from what events say about the rail; where
// it does not, the event has it. Pure.
import { isDeepStrictEqual } from 'node:util'
import type { Event } from '../event/event.ts'
import type { Instant } from '../instant.ts'
import { planFor, sentOf } from '../rail/plan.ts'
import type { Failure } from '../rail/rail.ts'
import type { Payout } from './payout.ts'
import { notBefore } from './schedule.ts'
import type { Cause, PayoutStatus } from './states.ts'

/** What answers show of the state of a payout. Only updates tell its metadata. */
export interface Seen
  extends Forecast,
    Pick<Payout, 'status' | 'status_description' | 'failure' | 'rail_reference' | 'updated_at'> {
  /** How many answers the account had given. */
  readonly answered: number
}

/** The data of an event about a payout from which its state follows. */
interface StateFacts {
  readonly status: PayoutStatus
  /** In a step alone; absent where the payout was made in this status. */
  readonly previous_status?: PayoutStatus
  readonly status_description?: string
  readonly failure?: Failure | null
  readonly answer?: number
  readonly reference?: string
  /** The members that were no longer as made before the event. */
  readonly was?: Partial<Seen>
  /** In an update: the metadata before it. */
  readonly was_metadata?: Payout['metadata']
  readonly by?: Cause
  /** The rail that gets the payout. */
  readonly rail?: string
  readonly expected_at?: Instant | null
  readonly rail_attempt?: { readonly expected_at?: Instant | null }
}

type Telling = Pick<Event, 'type' | 'data' | 'created_at'>

export const factsOf = ({ data }: Pick<Event, 'data'>) => data as StateFacts

/** Whether the event tells that the payout reached a status. */
function isStep(event: Pick<Event, 'type' | 'data'>): boolean {
  return event.type === `payout.${factsOf(event).status}`
}

/** Events beside the steps that change the row of a payout. */
const WRITTEN: ReadonlySet<string> = new Set(['payout.rerouted', 'payout.taken', 'payout.released'])

type Made = Planned & Pick<Payout, 'first_rail' | 'created_at'>

/** The payout as it was made, but in this status. */
function asMade(payout: Made, status: PayoutStatus): Seen {
  const { created_at: updated_at } = payout
  const untouched = { status_description: '', failure: null, rail_reference: '', answered: 0 }
  return { status, ...untouched, updated_at, ...firstForecast(payout) }
}

/** The payout before and after an event, by that event. */
export function seenAt(
  payout: Made,
  event: Telling,
): { readonly before: Seen; readonly after: Seen } {
  const { status, previous_status, status_description = '', was } = factsOf(event)
  const is_made = event.type === 'payout.created' || (isStep(event) && !previous_status)
  const made = asMade(payout, previous_status ?? status)
  if (is_made) {
    const seen = { ...made, status_description }
    return { before: seen, after: seen }
  }
  const before = { ...made, ...was }
  return { before, after: seenAfter(payout, before, event) }
}

function seenAfter(payout: Planned, before: Seen, event: Telling): Seen {
  const forecast = forecastAfter(payout, before, event)
  if (isStep(event)) return { ...inStatus(before, factsOf(event), event.created_at), ...forecast }
  const updated_at = WRITTEN.has(event.type) ? event.created_at : before.updated_at
  return { ...before, ...forecast, updated_at }
}

function inStatus(before: Seen, facts: StateFacts, updated_at: Instant): Seen {
  const { status, status_description = '', failure = null, answer = before.answered } = facts
  const rail_reference = referenceAfter(before.rail_reference, facts)
  const state = { status, status_description, failure, rail_reference, updated_at }
  return { ...before, ...state, answered: answer }
}

/** A payment keeps its reference. The reference of a return is in its event alone. */
function referenceAfter(before: string, { status, reference = '' }: StateFacts): string {
  return reference !== '' && (status === 'succeeded' || before === '') ? reference : before
}

function seenOf(payout: Payout): Seen {
  const { status, status_description, failure, rail_reference, updated_at } = payout
  const { answers, rail, expected_at } = payout
  const state = { status, status_description, failure, rail_reference, updated_at }
  return { ...state, answered: answers.length, rail, expected_at }
}

/**
 * The events of a command, each with the state before it. The last one also tells the expected
 * arrival where it does not follow.
 */
export function withFound(before: Payout, after: Payout, events: readonly Event[]): Event[] {
  let seen = seenOf(before)
  const made = asMade(after, after.status)
  const last = events.findLastIndex(({ object_id }) => object_id === after.id)
  return events.map((event, at) => {
    if (event.object_id !== after.id) return event
    const was = otherThan(made, seen)
    const is_told = Object.keys(was).length > 0
    const told = is_told ? { ...event, data: { ...event.data, was } } : event
    seen = seenAfter(after, seen, told)
    const { expected_at } = after
    if (at !== last || seen.expected_at === expected_at) return told
    return { ...told, data: { ...told.data, expected_at } }
  })
}

/** The same for a command with one event, about the payout. */
export function withFoundAlone(before: Payout, after: Payout, event: Event): Event {
  return withFound(before, after, [event])[0] ?? event
}

/** Leaves out the status, which each event tells by itself. */
function otherThan(made: Seen, seen: Seen): Partial<Seen> {
  const names = (Object.keys(made) as (keyof Seen)[]).filter(name => name !== 'status')
  const others = names.filter(name => !isDeepStrictEqual(seen[name], made[name]))
  return Object.fromEntries(others.map(name => [name, seen[name]]))
}

/** The rail that has the payout, and when the payout then arrives. */
type Forecast = Pick<Payout, 'rail' | 'expected_at'>

type Planned = Pick<
  Payout,
  'route' | 'destination_currency' | 'fund_transfer_network' | 'execute_at'
>

function firstForecast(payout: Made): Forecast {
  const { first_rail: rail, created_at } = payout
  return { rail, expected_at: planned(payout, rail, created_at) }
}

function forecastAfter(payout: Planned, before: Forecast, event: Telling): Forecast {
  const { status, by, rail = before.rail, expected_at, rail_attempt } = factsOf(event)
  if (expected_at !== undefined) return { rail, expected_at }
  if (rail_attempt?.expected_at) return { rail, expected_at: rail_attempt.expected_at }
  // The payout was held until now, and waits for its time or its release.
  if (by !== 'rail' && status === 'processing' && event.type === 'payout.processing') {
    return { rail, expected_at: planned(payout, rail, event.created_at) }
  }
  return { rail, expected_at: before.expected_at }
}

function planned(payout: Planned, rail: string, at: Instant): Instant | null {
  const { route } = payout
  if (route === null) return null
  return planFor({ rail, route }, sentOf(payout), notBefore(payout, at))?.expected_at ?? null
}
