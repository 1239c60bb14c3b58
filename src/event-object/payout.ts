// A payout as it was after each of its events: its row, which is written once, with the state that
// the event tells. Its metadata is what the next update replaced, or the metadata of the row. Pure.
import type { NamedEvent, ToldEvent } from '../event/event.ts'
import type { Payout } from '../payout/payout.ts'
import { presentPayout } from '../payout/response.ts'
import { factsOf, type Seen, seenAt } from '../payout/told.ts'
import { changedMembers } from './changed.ts'

/** `update` is the first `payout.updated` behind the event. */
export function tellPayout(
  payout: Payout,
  event: NamedEvent,
  update: NamedEvent | undefined,
): ToldEvent {
  const erased = payout.beneficiary_details.status === 'erased'
  const { before, after } = seenAt(payout, event)
  const metadata = metadataBefore(update, payout)
  const object = shown({ ...payout, metadata }, after)
  const told = { ...event, object, erased }
  if (event.type === 'payout.created' || event.type === 'payout.erased') {
    return { ...told, previous_attributes: {} }
  }
  const replaced = event.type === 'payout.updated' ? metadataBefore(event, payout) : metadata
  const previous = shown({ ...payout, metadata: replaced }, before)
  return { ...told, previous_attributes: changedMembers(previous, object) }
}

function shown(payout: Payout, { answered, ...state }: Seen) {
  return presentPayout({ ...payout, ...state, answers: payout.answers.slice(0, answered) })
}

/** The metadata before an update; null when an erasure has removed it. */
function metadataBefore(update: NamedEvent | undefined, payout: Payout): Payout['metadata'] {
  return update === undefined ? payout.metadata : (factsOf(update).was_metadata ?? null)
}
