// An event: one change of one object, numbered in its account.
import { type IdPrefix, numberedId } from '../id.ts'
import type { Instant } from '../instant.ts'

/** What events are about, by the prefix of its id. */
export const OBJECTS: { readonly [P in IdPrefix]?: string } = {
  bnf: 'beneficiary',
  btr: 'balance_transaction',
  ent: 'entity',
  poq: 'payout_quote',
  pot: 'payout',
  whe: 'webhook_endpoint',
}
export const OBJECT_IDS = Object.keys(OBJECTS) as IdPrefix[]

/**
 * One change of state. `data` holds the facts that may change later; the rest is joined on reading.
 */
export interface Event {
  readonly account_id: string
  /** Gap-free per account, in the order of the book. */
  readonly sequence: bigint
  readonly type: string
  readonly object_id: string
  readonly data: object
  readonly created_at: Instant
  /** Digest of the object's row as the event left it. Written, and not read with the rest. */
  readonly content?: string | undefined
}

/** An event as it is read: its id is made of its number and its time. */
export interface NamedEvent extends Event {
  readonly id: string
}

export function nameEvent<E extends Event>(event: E): E & NamedEvent {
  return { ...event, id: numberedId('evt', event, event.sequence) }
}
