// Events: each is one change of one object, numbered in its account.
import { type IdPrefix, numberedId } from '../id.ts'
import type { Instant } from '../instant.ts'

/** The prefixes of the ids of objects that events are about. */
export const OBJECT_IDS: readonly IdPrefix[] = ['bnf', 'btr', 'ent', 'poq', 'pot', 'whe']

/** What events tell, by the object that they are about. What is not here cannot be recorded. */
export const EVENTS = {
  payout_quote: ['created'],
  payout: [
    'created',
    'pending_approval',
    'approved',
    'rejected',
    'processing',
    'requires_action',
    'compliance_hold',
    'succeeded',
    'failed',
    'reversed',
    'sent',
    'rerouted',
    'taken',
    'released',
    'updated',
    'erased',
  ],
  entity: [
    'created',
    'updated',
    'approval_pending',
    'approval_submitted',
    'approval_approved',
    'approval_rejected',
    'approval_requires_action',
    'approval_resubmitted',
    'erased',
  ],
  beneficiary: [
    'created',
    'updated',
    'pending_approval',
    'approved',
    'rejected',
    'archived',
    'unarchived',
    'erased',
  ],
  balance_transaction: ['created'],
  webhook_endpoint: ['test'],
} as const

/** `payout.created` and every other type of event that is ever recorded. */
export type EventType = {
  [Kind in keyof typeof EVENTS]: `${Kind}.${(typeof EVENTS)[Kind][number]}`
}[keyof typeof EVENTS]

/**
 * One change of state. `data` holds the facts from which, with what never changes, the object is
 * made as it was then.
 */
export interface Event {
  readonly account_id: string
  /** From 1 in each account, without gaps, in the order of commits. */
  readonly sequence: bigint
  readonly type: string
  readonly object_id: string
  readonly data: object
  readonly created_at: Instant
  /** Digest of the object's row after the event. Reads of events leave it out. */
  readonly content?: string | undefined
}

/** An event as read, with the id that its time and number make. */
export interface NamedEvent extends Event {
  readonly id: string
}

export function nameEvent<E extends Event>(event: E): E & NamedEvent {
  return { ...event, id: numberedId('evt', event, event.sequence) }
}

/** An event with its object as it was right after the change. */
export interface ToldEvent extends NamedEvent {
  readonly object: object
  /** The members of the object that the change altered, as they were before. */
  readonly previous_attributes: object
  /** Whether personal data of the object was erased, which is then left out. */
  readonly erased: boolean
}

/** The status that a change found under the lock, as its first event says it; '' without one. */
export function previousStatus([event]: readonly Pick<Event, 'data'>[]): string {
  const data = event?.data as { previous_status?: string } | undefined
  return data?.previous_status ?? ''
}
