// Answers about webhook endpoints, deliveries and replays.
import { Id, integerOrNull, Literals, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import {
  type Event,
  type EventWithObject,
  type NamedEvent,
  nameEvent,
} from '../statements/event/event.ts'
import { EventOf, presentEvent } from '../statements/event/response.ts'
import type { Instant } from '../values/instant.ts'
import { MAX_REPLAYED } from './rules.ts'
import {
  type Attempt,
  DELIVERY_STATUSES,
  type Delivery,
  DISABLED_REASONS,
  ENDPOINT_STATUSES,
  type Replayed,
  type WebhookEndpoint,
} from './webhook.ts'

const ENDPOINT = {
  id: Id('whe', 'Webhook endpoint id.', { title: 'WebhookEndpointId' }),
  object: Type.Literal('webhook_endpoint'),
  url: Type.String({ description: 'The address, in the form of the URL standard.' }),
  description: Type.String(),
  event_types: Type.Array(Type.String(), {
    description: 'The types of the events that are sent; empty for all events.',
  }),
  status: Literals(ENDPOINT_STATUSES),
  disabled_reason: Literals(DISABLED_REASONS, {
    description:
      'Why nothing is sent: `account`: the account has disabled the endpoint; `gone`: the ' +
      'endpoint has answered 410. Empty when it is enabled.',
  }),
  previous_secret_until: textOrNull({
    format: 'date-time',
    description: 'Until when the former secret also signs; null when there is none.',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const EndpointResponse = Type.Object(ENDPOINT, {
  title: 'WebhookEndpoint',
  description: 'Where events are sent.',
})

export const WebhookEndpointEvent = EventOf(
  'webhook_endpoint',
  'WebhookEndpointEvent',
  EndpointResponse,
)

export const EndpointWithSecret = Type.Object(
  {
    ...ENDPOINT,
    secret: Type.String({
      description:
        'The secret that signs deliveries (Standard Webhooks, HMAC-SHA256); it is shown ' +
        'only in this answer. The key is the base64 text after `whsec_`, decoded.',
    }),
  },
  {
    title: 'WebhookEndpointWithSecret',
    description: 'The endpoint, and the secret that is shown once.',
  },
)

export const EndpointDeleted = Type.Object(
  {
    id: ENDPOINT.id,
    object: ENDPOINT.object,
    deleted: Type.Literal(true),
  },
  { title: 'WebhookEndpointDeleted' },
)

const DELIVERY = {
  id: Id('whd', 'Webhook delivery id.'),
  object: Type.Literal('webhook_delivery'),
  endpoint: ENDPOINT.id,
  event: Id('evt', 'The id of the event, which is the `webhook-id` of every attempt.'),
  event_type: Type.String(),
  object_id: Type.String({ description: 'The object that the event is about.' }),
  status: Literals(DELIVERY_STATUSES, {
    description:
      '`pending` while the event is still to be sent, `succeeded` after an answer of 2xx, ' +
      '`dead` after the last attempt, `cancelled` together with its endpoint.',
  }),
  attempt_count: Type.Integer({ minimum: 0, description: 'How often the event was sent.' }),
  next_attempt_at: textOrNull({
    format: 'date-time',
    description:
      'When the event is sent next; null when the delivery has ended, or waits for an ' +
      'earlier delivery about the same object.',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const DeliverySummary = Type.Object(DELIVERY, {
  title: 'WebhookDelivery',
  description: 'The delivery of one event to one endpoint.',
})

const AttemptResponse = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    created_at: Timestamp,
    duration_ms: Type.Integer({ minimum: 0 }),
    status_code: integerOrNull({
      description: 'The HTTP status of the answer; null when there was none.',
    }),
    error: Type.String({ description: 'Why there was no answer; empty when there was one.' }),
    answer: Type.String({ description: 'The beginning of the answer.' }),
  },
  { title: 'WebhookAttempt' },
)

export const DeliveryResponse = Type.Object(
  {
    ...DELIVERY,
    attempts: Type.Array(AttemptResponse, {
      description: 'The attempts that have ended, in order.',
    }),
  },
  {
    title: 'WebhookDeliveryDetails',
    description: 'The delivery of one event to one endpoint, with every attempt.',
  },
)

export const ReplayResponse = Type.Object(
  {
    object: Type.Literal('webhook_replay'),
    endpoint: ENDPOINT.id,
    deliveries: Type.Integer({ minimum: 0, description: 'How many deliveries were made.' }),
    has_more: Type.Boolean({
      description: `Whether events are left: one call looks at ${MAX_REPLAYED} events at most.`,
    }),
    next: integerOrNull({
      description:
        'For a range with more events: the number to continue from, `sequence: {from: next, ' +
        'to: last}`.',
    }),
    last: integerOrNull({ description: 'For a range with more events: its last number.' }),
  },
  { title: 'WebhookReplay' },
)

export function presentEndpoint(endpoint: WebhookEndpoint) {
  return {
    id: endpoint.id,
    object: 'webhook_endpoint',
    url: endpoint.url,
    description: endpoint.description,
    event_types: endpoint.event_types,
    status: endpoint.status,
    disabled_reason: endpoint.disabled_reason,
    previous_secret_until: endpoint.previous_secret_until,
    created_at: endpoint.created_at,
    updated_at: endpoint.updated_at,
  }
}

/** Its data holds the endpoint as it was. */
export function presentTest(event: Event) {
  return presentEvent(testWithObject(nameEvent(event)))
}

export function testWithObject(event: NamedEvent): EventWithObject {
  const { endpoint } = event.data as { readonly endpoint: object }
  return { ...event, object: endpoint, previous_attributes: {}, erased: false }
}

export function presentReplay({ id }: WebhookEndpoint, replayed: Replayed | null) {
  const { deliveries = 0, has_more = false, next = null, last = null } = replayed ?? {}
  return {
    object: 'webhook_replay',
    endpoint: id,
    deliveries,
    has_more,
    next: next === null ? null : Number(next),
    last: last === null ? null : Number(last),
  }
}

/** `next_attempt_at` is by the account's clock. */
export function presentDelivery(delivery: Delivery, next_attempt_at: Instant | null) {
  return {
    id: delivery.id,
    object: 'webhook_delivery',
    endpoint: delivery.endpoint_id,
    event: delivery.event_id,
    event_type: delivery.event_type,
    object_id: delivery.object_id,
    status: delivery.status,
    attempt_count: delivery.attempts,
    next_attempt_at,
    created_at: delivery.created_at,
    updated_at: delivery.updated_at,
  }
}

export function presentDeliveryWith(
  delivery: Delivery,
  next_attempt_at: Instant | null,
  attempts: readonly Attempt[],
) {
  return {
    ...presentDelivery(delivery, next_attempt_at),
    attempts: attempts.map(attempt => ({
      number: attempt.number,
      created_at: attempt.created_at,
      duration_ms: attempt.duration_ms,
      status_code: attempt.status_code,
      error: attempt.error,
      answer: attempt.answer,
    })),
  }
}
