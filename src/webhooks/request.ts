// Requests about webhook endpoints: the schemas of bodies and queries.
import type { Static } from 'typebox'
import { oneOf } from '../http/docs.ts'
import { ListQueryOf } from '../http/list.ts'
import { Several } from '../http/query.ts'
import { Closed, clearable, Id, Literals, Text } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { DELIVERY_STATUSES, ENDPOINT_STATUSES, EVENT_TYPES, MAX_URL_LENGTH } from './webhook.ts'

const Url = Type.String({
  minLength: 1,
  maxLength: MAX_URL_LENGTH,
  description:
    'Where events are sent: https, no user name, no fragment, and a name that resolves to public ' +
    'addresses alone. Checked again whenever something is sent; redirects are not followed.',
  examples: ['https://example.com/webhooks'],
})

const EventType = Literals(EVENT_TYPES, { title: 'WebhookEventType' })

const EventTypes = Type.Array(EventType, {
  maxItems: 100,
  description:
    'The types of the events to send; `payout.*` is every type about payouts. An empty ' +
    'list, the default, is every type, including types that are added later.',
  examples: [['payout.*', 'balance_transaction.created']],
})

const Description = Text(255, { description: 'For people.' })

export const EndpointRequest = Closed(
  {
    url: Url,
    description: Type.Optional(Description),
    event_types: Type.Optional(EventTypes),
  },
  { title: 'WebhookEndpointRequest' },
)
export type EndpointRequest = Static<typeof EndpointRequest>

export const EndpointUpdate = Closed(
  {
    url: Type.Optional(Url),
    ...clearable({ description: Description, event_types: EventTypes }),
    status: Type.Optional(
      Literals(ENDPOINT_STATUSES, {
        description:
          'To a disabled endpoint nothing is sent. When it is enabled again, deliveries ' +
          'continue where they stopped, and no event is missed.',
      }),
    ),
  },
  {
    title: 'WebhookEndpointUpdate',
    description: 'A member that is sent replaces the earlier value; null removes it.',
  },
)
export type EndpointUpdate = Static<typeof EndpointUpdate>

const MAX_OVERLAP_S = 604_800
export const DEFAULT_OVERLAP_S = 86_400

export const RotationRequest = Closed(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_OVERLAP_S,
        default: DEFAULT_OVERLAP_S,
        description:
          'For how many seconds the former secret also signs: up to 7 days; 0 for not at all.',
      }),
    ),
  },
  { title: 'SecretRotationRequest', type: ['object', 'null'] },
)
export type RotationRequest = Static<typeof RotationRequest>

const Sequence = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description }))
const Bound = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, description, examples: ['2026-01-31T09:30:00Z'] }))

export const ReplayRequest = Closed(
  {
    event: Type.Optional(Id('evt', 'The id of one event.')),
    events: Type.Optional(
      Type.Array(Id('evt', 'Event id.'), {
        minItems: 1,
        maxItems: 100,
        description: 'The ids of events.',
      }),
    ),
    created: Type.Optional(
      Closed(
        {
          gt: Bound('Events after this time (ISO 8601 with an offset).'),
          gte: Bound('Events at this time or after it.'),
          lt: Bound('Events before this time.'),
          lte: Bound('Events at this time or before it.'),
        },
        { title: 'CreatedRange', description: 'The events of this period.' },
      ),
    ),
    sequence: Type.Optional(
      Closed(
        {
          from: Sequence('The first number; by default that of the oldest event in the service.'),
          to: Sequence('The last number; by default the newest.'),
        },
        { title: 'SequenceRange', description: 'The events of these numbers.' },
      ),
    ),
    status: Type.Optional(
      Literals(['dead'] as const, {
        description: 'Every event whose last delivery to this endpoint is dead.',
      }),
    ),
    event_types: Type.Optional(
      Type.Array(EventType, {
        minItems: 1,
        maxItems: 100,
        description:
          'For a range: only events of these types, as `event_types` of an endpoint names ' +
          'them.',
      }),
    ),
  },
  {
    title: 'WebhookReplayRequest',
    description: 'Exactly one of `event`, `events`, `created`, `sequence` and `status`.',
    ...oneOf('event', 'events', 'created', 'sequence', 'status'),
  },
)
export type ReplayRequest = Static<typeof ReplayRequest>

export const EndpointQuery = ListQueryOf('whe', {
  status: Several(Literals(ENDPOINT_STATUSES)),
})

export const DeliveryQuery = ListQueryOf('whd', {
  status: Several(Literals(DELIVERY_STATUSES)),
})
