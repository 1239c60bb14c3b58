// Changes the metadata of an existing payout, which moves no money. Null in a payout means that it
// has not changed. Pure.
import type { Maker } from '../accounts/maker.ts'
import type { Book } from '../ledger/rules.ts'
import type { Event } from '../statements/event/event.ts'
import { recordChange } from '../statements/event/rules.ts'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import { eventWithPriorState } from './advance/event-state.ts'
import { PAYOUT_SEAL } from './columns.ts'
import type { Payout, ReadPayout } from './payout.ts'
import { MOST_NAMES, type PayoutUpdate } from './request.ts'

/** The metadata as answers show it: null when there is none. */
export function metadataOf({ metadata, particulars }: Pick<Payout, 'metadata' | 'particulars'>) {
  if (metadata === null) return particulars.metadata
  return Object.keys(metadata).length === 0 ? null : metadata
}

/**
 * The payout with its metadata changed. A name that is sent gets the new text; null or an empty
 * text removes it; other names stay. Null instead of names removes all. Refuses (400) too many
 * names.
 */
function withMetadata(payout: ReadPayout, { metadata: sent }: PayoutUpdate): ReadPayout {
  const merged = new Map(sent === null ? [] : Object.entries(metadataOf(payout) ?? {}))
  for (const [name, text] of Object.entries(sent ?? {})) {
    if (text === null || text === '') merged.delete(name)
    else merged.set(name, text)
  }
  const message = `metadata would have ${merged.size} names; it has at most ${MOST_NAMES}.`
  refuseIfAny(merged.size > MOST_NAMES ? [invalidField('metadata', message)] : [])
  return { ...payout, metadata: Object.fromEntries(merged) }
}

/**
 * A payout after its update, and the event; null when the update changes nothing. Refuses with
 * party_erased.
 */
export function decideUpdate(
  state: { readonly books: ReadonlyMap<string, Book> },
  before: ReadPayout,
  update: PayoutUpdate,
  made_by: Maker,
): { readonly payout: ReadPayout; readonly event: Event | null } {
  if (before.beneficiary_details.status === 'erased') {
    throw refusal('party_erased', `The data of payout ${before.id} is erased.`)
  }
  const payout = withMetadata(before, update)
  if (JSON.stringify(metadataOf(payout)) === JSON.stringify(metadataOf(before))) {
    return { payout: before, event: null }
  }
  const { metadata: was_metadata } = before
  const facts = { status: payout.status, by: 'account', made_by, journals: [], was_metadata }
  const content = PAYOUT_SEAL.digest(payout)
  const event = recordChange(state, payout, 'payout.updated', facts, content)
  return { payout, event: eventWithPriorState(before, payout, event) }
}
