// What the rules of webhooks speak of: endpoints, deliveries, attempts, types of events.
import { APPROVAL_STATUSES } from '../entity/states.ts'
import type { Instant } from '../instant.ts'
import { PAYOUT_STATUSES } from '../payout/states.ts'

export const ENDPOINT_STATUSES = ['enabled', 'disabled'] as const
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number]

/** Who disabled it: nobody, its account, or its own answer 410. */
export const DISABLED_REASONS = ['', 'account', 'gone'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** Where events of an account are sent to. */
export interface WebhookEndpoint {
  readonly account_id: string
  readonly id: string
  readonly url: string
  readonly description: string
  /** What is wanted: types, and `payout.*` for all of one kind; none for everything. */
  readonly event_types: readonly string[]
  readonly status: EndpointStatus
  readonly disabled_reason: DisabledReason
  /** `whsec_` and base64. */
  readonly secret: string
  /** Signs as well until its time is over, by the account's clock; '' when there is none. */
  readonly previous_secret: string
  readonly previous_secret_until: Instant | null
  /** The number of the newest event that deliveries were made from. */
  readonly fanned_out: bigint
  /** How many deliveries were ever made. */
  readonly delivery_count: bigint
  readonly created_at: Instant
  readonly updated_at: Instant
}

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'dead', 'cancelled'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** One event for one endpoint. */
export interface Delivery {
  readonly account_id: string
  readonly endpoint_id: string
  /** From 1 at each endpoint; those of one object are sent in this order. */
  readonly number: bigint
  readonly id: string
  readonly event_id: string
  readonly event_sequence: bigint
  readonly event_type: string
  readonly object_id: string
  readonly status: DeliveryStatus
  readonly attempts: number
  /** By the database's clock; null when it is over, or waits for an earlier one of its object. */
  readonly due_at: Instant | null
  readonly created_at: Instant
  readonly updated_at: Instant
}

/** One request to the receiver, as it ended. */
export interface Attempt {
  readonly account_id: string
  readonly delivery_id: string
  /** From 1 in each delivery. */
  readonly number: number
  /** By the account's clock. */
  readonly created_at: Instant
  readonly duration_ms: number
  /** Null when there was no answer; `error` then says why. */
  readonly status_code: number | null
  readonly error: string
  /** The beginning of the answer's body, as text. */
  readonly answer: string
}

/** Written for POST /v3/webhook_endpoint/{id}/test. */
export const TEST_EVENT = 'webhook_endpoint.test'

/** The types there are, by what they are about (§event.types). */
const TYPES_BY_OBJECT: Readonly<Record<string, readonly string[]>> = {
  payout_quote: ['created'],
  payout: ['created', ...PAYOUT_STATUSES],
  entity: ['created', 'updated', ...APPROVAL_STATUSES.map(status => `approval_${status}`)],
  beneficiary: ['created', 'updated'],
  balance_transaction: ['created'],
}

/** What an endpoint may ask for: each type, and each kind of object as a whole. */
export const EVENT_TYPES: readonly string[] = Object.entries(TYPES_BY_OBJECT).flatMap(
  ([object, types]) => [`${object}.*`, ...types.map(type => `${object}.${type}`)],
)

export const MAX_URL_LENGTH = 2048
