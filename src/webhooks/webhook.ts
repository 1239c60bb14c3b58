// The nouns of webhooks.
import { EVENTS } from '../statements/event/event.ts'
import type { Instant } from '../values/instant.ts'

export const ENDPOINT_STATUSES = ['enabled', 'disabled'] as const
/** Its account disabled it, or it answered 410; '' while enabled. */
export const DISABLED_REASONS = ['', 'account', 'gone'] as const
export interface WebhookEndpoint {
  readonly account_id: string
  readonly id: string
  readonly url: string
  readonly description: string
  /** Event types, and `payout.*` for every type about payouts; empty means all events. */
  readonly event_types: readonly string[]
  readonly status: (typeof ENDPOINT_STATUSES)[number]
  readonly disabled_reason: (typeof DISABLED_REASONS)[number]
  /** `whsec_` and base64. */
  readonly secret: string
  /** Also signs until `previous_secret_until`, by the account's clock; '' for none. */
  readonly previous_secret: string
  readonly previous_secret_until: Instant | null
  /** The sequence of the newest event that deliveries were made from. */
  readonly fanned_out: bigint
  /** The number of deliveries ever made, which is also the number of the newest one. */
  readonly delivery_count: bigint
  readonly created_at: Instant
  readonly updated_at: Instant
}

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'dead', 'cancelled'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export interface Delivery {
  readonly account_id: string
  readonly endpoint_id: string
  /** Counted from 1 in each endpoint. Deliveries about one object are sent in this order. */
  readonly number: bigint
  readonly id: string
  readonly event_id: string
  readonly event_sequence: bigint
  readonly event_type: string
  readonly object_id: string
  readonly status: DeliveryStatus
  readonly attempts: number
  /** By the database's clock; null when ended or while another about its object is pending. */
  readonly due_at: Instant | null
  readonly created_at: Instant
  readonly updated_at: Instant
}

export interface Attempt {
  readonly account_id: string
  readonly delivery_id: string
  /** Counted from 1 in each delivery. */
  readonly number: number
  /** By the account's clock. */
  readonly created_at: Instant
  readonly duration_ms: number
  /** 200 to 599; null without a complete answer, and `error` then says why. */
  readonly status_code: number | null
  /** A few words, such as `timeout`; '' with an answer. */
  readonly error: string
  /** The first 1,000 characters of the answer's body, without control characters. */
  readonly answer: string
}

export interface Replayed {
  readonly deliveries: number
  readonly has_more: boolean
  readonly next: bigint | null
  readonly last: bigint | null
}

/** POST /v3/webhook_endpoint/{id}/test; its endpoint always gets it. */
export const TEST_EVENT = 'webhook_endpoint.test'

/** Each type (§event.types), and `object.*` for all types of an object. */
export const EVENT_TYPES: readonly string[] = Object.entries(EVENTS)
  .flatMap(([object, types]) => ['*', ...types].map(type => `${object}.${type}`))
  .filter(type => !type.startsWith('webhook_endpoint.'))

export const MAX_URL_LENGTH = 2048
