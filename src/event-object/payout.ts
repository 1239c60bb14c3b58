// A payout as it was after each of its events: its row, which is written once, and what the events
// say of its state, one after the other. Pure.
import type { NamedEvent, ToldEvent } from '../event/event.ts'
import type { Instant } from '../instant.ts'
import { type Forecast, firstForecast, forecastAfter } from '../payout/forecast.ts'
import type { Payout } from '../payout/payout.ts'
import { presentPayout } from '../payout/response.ts'
import type { PayoutStatus } from '../payout/states.ts'
import type { Failure } from '../rail/rail.ts'
import { changedMembers } from './changed.ts'

/** What an answer shows of a payout's state. */
interface Then
  extends Forecast,
    Pick<
      Payout,
      'status' | 'status_description' | 'failure' | 'rail_reference' | 'metadata' | 'updated_at'
    > {
  /** How many answers the account had given. */
  readonly answered: number
}

interface Facts {
  readonly status: PayoutStatus
  readonly previous_status?: PayoutStatus
  readonly status_description?: string
  readonly failure?: Failure | null
  readonly answer?: number
  readonly reference?: string
  readonly previous_rail?: string
  readonly metadata?: Payout['metadata']
}

const CHANGED = 'payout.updated'

const factsOf = ({ data }: NamedEvent) => data as Facts

/** Whether the event tells that the payout came to be in a status. */
function isStep(event: NamedEvent): boolean {
  return event.type === `payout.${factsOf(event).status}`
}

/** What happens to a payout beside its steps, and is written down in it. */
const WRITTEN: ReadonlySet<string> = new Set(['payout.rerouted', 'payout.taken', 'payout.released'])

function isWritten(event: NamedEvent): boolean {
  return isStep(event) || WRITTEN.has(event.type)
}

/**
 * `events` are those of the payout, in order: all but its creation and its usual success, which may
 * be left out. `event` is one of them.
 */
export function tellPayout(
  payout: Payout,
  events: readonly NamedEvent[],
  event: NamedEvent,
): ToldEvent {
  const erased = payout.beneficiary_details.status === 'erased'
  // What was held or paid at once has an event of that beside the one of its creation.
  const second = events.find(one => isStep(one) && factsOf(one).previous_status === undefined)
  let before: Then | undefined
  let after = firstState(payout, events, second)
  for (const one of events) {
    if (one.sequence > event.sequence) break
    if (one.type === 'payout.created') continue
    before = seenBefore(payout, after, one)
    after = one === second ? before : stateAfter(payout, before, one)
  }
  const object = shown(payout, after)
  const told = { ...event, object, erased }
  if (event.type === 'payout.created' || event.type === 'payout.erased' || before === undefined) {
    return { ...told, previous_attributes: {} }
  }
  return { ...told, previous_attributes: changedMembers(shown(payout, before), object) }
}

function shown(payout: Payout, { answered, ...state }: Then) {
  return presentPayout({ ...payout, ...state, answers: payout.answers.slice(0, answered) })
}

/**
 * The payout before the events that are known. Those before them may have been taken out of the
 * database, so that what no known event has changed is as the payout has it now.
 */
function firstState(
  payout: Payout,
  events: readonly NamedEvent[],
  second: NamedEvent | undefined,
): Then {
  const made = events.some(({ type }) => type === 'payout.created')
  const facts = events.map(factsOf)
  const answer = facts.find(fact => fact.answer !== undefined)?.answer
  const rerouted = facts.find(fact => fact.previous_rail !== undefined)
  const first = facts[events.findIndex(({ type }) => type !== 'payout.created')]
  const is_now = !made && !events.some(isWritten) && first?.status === payout.status
  return {
    ...(is_now ? stateOf(payout) : stateAsMade(payout, second)),
    metadata: made || events.some(({ type }) => type === CHANGED) ? null : payout.metadata,
    rail_reference: firstReference(payout, events),
    answered: answer === undefined ? (made ? 0 : payout.answers.length) : answer - 1,
    expected_at: firstForecast(payout).expected_at,
    rail: rerouted?.previous_rail ?? (made ? payout.first_rail : payout.rail),
  }
}

function stateOf({ status, status_description, failure, updated_at }: Payout) {
  return { status, status_description, failure, updated_at }
}

function stateAsMade({ created_at }: Payout, second: NamedEvent | undefined) {
  const { status = 'processing', status_description = '' } = second ? factsOf(second) : {}
  return { status, status_description, failure: null, updated_at: created_at }
}

/** None, unless the known events do not lead from there to the reference that the payout has. */
function firstReference({ rail_reference }: Payout, events: readonly NamedEvent[]): string {
  const steps = events.filter(isStep).map(factsOf)
  const last = steps.reduce(referenceAfter, '')
  return last === rail_reference ? '' : rail_reference
}

/**
 * In the status that the event has found. A usual success may be in no row that was read: the
 * outcome has its time.
 */
function seenBefore(payout: Payout, known: Then, event: NamedEvent): Then {
  const { status: said, previous_status = isStep(event) ? known.status : said } = factsOf(event)
  if (previous_status === known.status) return known
  const succeeded_at = payout.succeeded_at ?? payout.updated_at
  const updated_at = previous_status === 'succeeded' ? succeeded_at : known.updated_at
  return inStatus(known, { status: previous_status }, updated_at)
}

function stateAfter(payout: Payout, before: Then, event: NamedEvent): Then {
  const forecast = forecastAfter(payout, before, event)
  if (isStep(event)) return { ...inStatus(before, factsOf(event), event.created_at), ...forecast }
  const updated_at = isWritten(event) ? event.created_at : before.updated_at
  const { metadata = null } = event.type === CHANGED ? factsOf(event) : before
  return { ...before, ...forecast, metadata, updated_at }
}

function inStatus(before: Then, facts: Facts, updated_at: Instant): Then {
  const { status, status_description = '', failure = null, answer = before.answered } = facts
  return {
    ...before,
    status,
    status_description,
    failure,
    rail_reference: referenceAfter(before.rail_reference, facts),
    answered: answer,
    updated_at,
  }
}

/** A payment keeps its reference; that of a return is in its event alone. */
function referenceAfter(before: string, { status, reference = '' }: Facts): string {
  return reference !== '' && (status === 'succeeded' || before === '') ? reference : before
}
