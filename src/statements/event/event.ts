// Events: each is one change of one object, numbered within its account.
import { type IdPrefix, numberedId } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'

export const OBJECT_IDS: readonly IdPrefix[] = [
  'bnf',
  'btr',
  'cnv',
  'coq',
  'ent',
  'poq',
  'pot',
  'whe',
]

/** The types of events, by the object that they are about. No other type can be recorded. */
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
    'notified',
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
  conversion_quote: ['created'],
  conversion: ['completed'],
  webhook_endpoint: ['test'],
} as const

/** The type of an event that the service records, such as `payout.created`. */
export type EventType = {
  [Kind in keyof typeof EVENTS]: `${Kind}.${(typeof EVENTS)[Kind][number]}`
}[keyof typeof EVENTS]

/**
 * One change of state. `data` has the changing facts. The object as it was follows from them and
 * its constant members.
 */
export interface Event {
  readonly account_id: string
  /** From 1 in each account, without gaps, in the order of commits. */
  readonly sequence: bigint
  readonly type: string
  readonly object_id: string
  readonly data: object
  readonly created_at: Instant
  /** The digest of the object's row after the event. Reads of events leave it out. */
  readonly content?: string | undefined
}

/** An event as read, with the id that follows from its time and number. */
export interface NamedEvent extends Event {
  readonly id: string
}

export function nameEvent<E extends Event>(event: E): E & NamedEvent {
  return { ...event, id: numberedId('evt', event, event.sequence) }
}

/** An event with its object as it was right after the change. */
export interface EventWithObject extends NamedEvent {
  readonly object: object
  /** The changed members of the object, with their values before the change. */
  readonly previous_attributes: object
  /** Whether the object's personal data was erased. The event then shows none. */
  readonly erased: boolean
}

/** The `previous_status` in the first of a command's events; '' when there is none. */
export function previousStatus([event]: readonly Pick<Event, 'data'>[]): string {
  const data = event?.data as { previous_status?: string } | undefined
  return data?.previous_status ?? ''
}
