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

const factsOf = ({ data }: NamedEvent) => data as Facts

/** Whether the event tells that the payout came to be in a status. */
function isStep(event: NamedEvent): boolean {
  return event.type === `payout.${factsOf(event).status}`
}

/** What happens to a payout beside its steps, and is written down in it. */
const WRITTEN: ReadonlySet<string> = new Set(['payout.rerouted', 'payout.taken', 'payout.released'])

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
  let after = { ...firstState(payout, second), ...archived(payout, events) }
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

const CHANGED = 'payout.updated'

function firstState(payout: Payout, second: NamedEvent | undefined): Omit<Then, 'metadata'> {
  const { status = 'processing', status_description = '' } = second ? factsOf(second) : {}
  return {
    status,
    status_description,
    failure: null,
    rail_reference: '',
    updated_at: payout.created_at,
    answered: 0,
    ...firstForecast(payout),
  }
}

/**
 * What events have told that are in an archive alone: what no event tells that is here, and the
 * payout has. Of a payout that has all of its events it is as it was made.
 */
function archived(
  payout: Payout,
  events: readonly NamedEvent[],
): Pick<Then, 'answered' | 'rail' | 'metadata'> {
  const told = events.filter(event => factsOf(event).answer !== undefined).length
  const rerouted = events.find(({ type }) => type === 'payout.rerouted')
  const { previous_rail: rail = payout.rail } = rerouted === undefined ? {} : factsOf(rerouted)
  const metadata = events.some(({ type }) => type === CHANGED) ? null : payout.metadata
  return { answered: Math.max(0, payout.answers.length - told), rail, metadata }
}

/**
 * A usual success may be in no row that was read: the outcome has its time. Other steps before are
 * in an archive alone, when none that is here has led to the status from which this one goes on.
 */
function seenBefore(payout: Payout, known: Then, event: NamedEvent): Then {
  const { status, previous_status = isStep(event) ? known.status : status } = factsOf(event)
  if (previous_status === known.status) return known
  const { succeeded_at, updated_at } = payout
  const at = previous_status === 'succeeded' ? (succeeded_at ?? updated_at) : known.updated_at
  return inStatus(known, { status: previous_status }, at)
}

function stateAfter(payout: Payout, before: Then, event: NamedEvent): Then {
  const forecast = forecastAfter(payout, before, event)
  if (isStep(event)) return { ...inStatus(before, factsOf(event), event.created_at), ...forecast }
  const updated_at = WRITTEN.has(event.type) ? event.created_at : before.updated_at
  const { metadata = null } = event.type === CHANGED ? factsOf(event) : before
  return { ...before, ...forecast, metadata, updated_at }
}

function inStatus(before: Then, facts: Facts, updated_at: Instant): Then {
  const { status, status_description = '', failure = null, answer, reference = '' } = facts
  const { rail_reference, answered } = before
  // A payment keeps its reference; that of a return is in its event alone.
  const is_its_own = status === 'succeeded' || rail_reference === ''
  return {
    ...before,
    status,
    status_description,
    failure,
    rail_reference: is_its_own && reference !== '' ? reference : rail_reference,
    answered: answer ?? answered,
    updated_at,
  }
}
