// Events: each is one change of one object, numbered in its account.
import { type IdPrefix, numberedId } from '../id.ts'
import type { Instant } from '../instant.ts'

/** The objects that events are about, by the prefix of their ids. */
export const OBJECTS: { readonly [P in IdPrefix]?: string } = {
  bnf: 'beneficiary',
  btr: 'balance_transaction',
  ent: 'entity',
  poq: 'payout_quote',
  pot: 'payout',
  whe: 'webhook_endpoint',
}
export const OBJECT_IDS = Object.keys(OBJECTS) as IdPrefix[]

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
  beneficiary: ['created', 'updated', 'pending_approval', 'approved', 'rejected', 'erased'],
  balance_transaction: ['created'],
  webhook_endpoint: ['test'],
} as const

/** `payout.created` and every other type of event that is ever recorded. */
export type EventType = {
  [Kind in keyof typeof EVENTS]: `${Kind}.${(typeof EVENTS)[Kind][number]}`
}[keyof typeof EVENTS]

/** One change of state. `data` holds the values that can change later, as they were then. */
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

/** The status that a change found under the lock, as its first event says it; '' without one. */
export function previousStatus([event]: readonly Pick<Event, 'data'>[]): string {
  const data = event?.data as { previous_status?: string } | undefined
  return data?.previous_status ?? ''
}
