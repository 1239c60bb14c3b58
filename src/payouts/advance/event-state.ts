// Works out a payout's state before and after one of its events, from the payout's row and that
// event alone. An event's `was` has the members of the state before it that differ from the
// payout's state at creation. An event stores the expected arrival only where the route and the
// rail's report do not determine it. Pure.
import { isDeepStrictEqual } from 'node:util'
import { planFor, sentOf } from '../../rails/plan.ts'
import type { Failure } from '../../rails/rail.ts'
import type { Event } from '../../statements/event/event.ts'
import type { Instant } from '../../values/instant.ts'
import type { Payout } from '../payout.ts'
import { notBefore } from '../schedule.ts'
import type { Cause, PayoutStatus } from '../states.ts'

/** The state of a payout in answers, without the metadata, which only updates store. */
export interface ShownState
  extends Forecast,
    Pick<Payout, 'status' | 'status_description' | 'failure' | 'rail_reference' | 'updated_at'> {
  /** How many answers the account had given. */
  readonly answered: number
}

/** The members of an event that determine the payout's state. */
interface StateFacts {
  readonly status: PayoutStatus
  /** Only in a step. Absent in the event of a payout that was made in this status. */
  readonly previous_status?: PayoutStatus
  readonly status_description?: string
  readonly failure?: Failure | null
  readonly answer?: number
  readonly reference?: string
  /** The earlier state's differences from the state at creation. */
  readonly was?: Partial<ShownState>
  /** In an update: the earlier metadata. */
  readonly was_metadata?: Payout['metadata']
  readonly by?: Cause
  /** The rail that gets the payout. */
  readonly rail?: string
  readonly expected_at?: Instant | null
  readonly rail_attempt?: { readonly expected_at?: Instant | null }
}

type PayoutEvent = Pick<Event, 'type' | 'data' | 'created_at'>

export const factsOf = ({ data }: Pick<Event, 'data'>) => data as StateFacts

/** Whether the event is a step to the status that it stores. */
function isStep(event: Pick<Event, 'type' | 'data'>): boolean {
  return event.type === `payout.${factsOf(event).status}`
}

/** The events that set the payout's `updated_at` without a step. */
const UPDATES: ReadonlySet<string> = new Set(['payout.rerouted', 'payout.taken', 'payout.released'])

type CreationFacts = PlanFacts & Pick<Payout, 'first_rail' | 'created_at'>

/** The payout's state at creation, but in this status. */
function stateAtCreation(payout: CreationFacts, status: PayoutStatus): ShownState {
  const { created_at: updated_at } = payout
  const untouched = { status_description: '', failure: null, rail_reference: '', answered: 0 }
  return { status, ...untouched, updated_at, ...forecastAtCreation(payout) }
}

/** The states of a payout before and after an event. Both are the same for its creation. */
export function statesAround(payout: CreationFacts, event: PayoutEvent) {
  const { status, previous_status, status_description = '', was } = factsOf(event)
  const is_creation = event.type === 'payout.created' || (isStep(event) && !previous_status)
  const original = stateAtCreation(payout, previous_status ?? status)
  if (is_creation) {
    const state = { ...original, status_description }
    return { before: state, after: state }
  }
  const before = { ...original, ...was }
  return { before, after: stateAfter(payout, before, event) }
}

function stateAfter(payout: PlanFacts, before: ShownState, event: PayoutEvent): ShownState {
  const forecast = forecastAfter(payout, before, event)
  if (isStep(event)) return { ...afterStep(before, factsOf(event), event.created_at), ...forecast }
  const updated_at = UPDATES.has(event.type) ? event.created_at : before.updated_at
  return { ...before, ...forecast, updated_at }
}

function afterStep(before: ShownState, facts: StateFacts, updated_at: Instant): ShownState {
  const { status, status_description = '', failure = null, answer = before.answered } = facts
  const rail_reference = referenceAfter(before.rail_reference, facts)
  const state = { status, status_description, failure, rail_reference, updated_at }
  return { ...before, ...state, answered: answer }
}

/** A payment keeps its reference. The reference of a return is in its event alone. */
function referenceAfter(before: string, { status, reference = '' }: StateFacts): string {
  return reference !== '' && (status === 'succeeded' || before === '') ? reference : before
}

function shownState(payout: Payout): ShownState {
  const { status, status_description, failure, rail_reference, updated_at } = payout
  const { answers, rail, expected_at } = payout
  const state = { status, status_description, failure, rail_reference, updated_at }
  return { ...state, answered: answers.length, rail, expected_at }
}

/**
 * Adds `was` to each event about the payout. The last of these also gets the expected arrival, if
 * the route and the rail's report do not determine it.
 */
export function eventsWithPriorState(
  before: Payout,
  after: Payout,
  events: readonly Event[],
): Event[] {
  let state = shownState(before)
  const original = stateAtCreation(after, after.status)
  const last = events.findLastIndex(({ object_id }) => object_id === after.id)
  return events.map((event, at) => {
    if (event.object_id !== after.id) return event
    const was = differencesFrom(original, state)
    const differs = Object.keys(was).length > 0
    const completed = differs ? { ...event, data: { ...event.data, was } } : event
    state = stateAfter(after, state, completed)
    const { expected_at } = after
    if (at !== last || state.expected_at === expected_at) return completed
    return { ...completed, data: { ...completed.data, expected_at } }
  })
}

/** As `eventsWithPriorState`, for one event about the payout. */
export function eventWithPriorState(before: Payout, after: Payout, event: Event): Event {
  return eventsWithPriorState(before, after, [event])[0] ?? event
}

/** The state's differences from the original. Each event stores the status itself. */
function differencesFrom(original: ShownState, state: ShownState): Partial<ShownState> {
  const names = (Object.keys(original) as (keyof ShownState)[]).filter(name => name !== 'status')
  const differing = names.filter(name => !isDeepStrictEqual(state[name], original[name]))
  return Object.fromEntries(differing.map(name => [name, state[name]]))
}

/** The payout's rail, and its arrival by this rail. */
type Forecast = Pick<Payout, 'rail' | 'expected_at'>

/** The members that decide a payout's plan, besides its rail. */
type PlanFacts = Pick<
  Payout,
  'route' | 'destination_currency' | 'fund_transfer_network' | 'execute_at'
>

function forecastAtCreation(payout: CreationFacts): Forecast {
  const { first_rail: rail, created_at } = payout
  return { rail, expected_at: plannedArrival(payout, rail, created_at) }
}

function forecastAfter(payout: PlanFacts, before: Forecast, event: PayoutEvent): Forecast {
  const { status, by, rail = before.rail, expected_at, rail_attempt } = factsOf(event)
  if (expected_at !== undefined) return { rail, expected_at }
  if (rail_attempt?.expected_at) return { rail, expected_at: rail_attempt.expected_at }
  // The payout was held until now, and waits for its time or its release.
  if (by !== 'rail' && status === 'processing' && event.type === 'payout.processing') {
    return { rail, expected_at: plannedArrival(payout, rail, event.created_at) }
  }
  return { rail, expected_at: before.expected_at }
}

function plannedArrival(payout: PlanFacts, rail: string, at: Instant): Instant | null {
  const { route } = payout
  if (route === null) return null
  return planFor({ rail, route }, sentOf(payout), notBefore(payout, at))?.expected_at ?? null
}
