// Answers about events. `data` holds the values of the change, not the whole object.

import { Id, Literals, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { IdPrefix } from '../id.ts'
import { type NamedEvent, OBJECTS } from './event.ts'

export const EventResponse = Type.Object(
  {
    id: Id('evt', 'Event id.'),
    object: Type.Literal('event'),
    type: Type.String({
      description: 'What happened: the kind of object, and what became of it.',
      examples: ['payout.succeeded'],
    }),
    created_at: Timestamp,
    sequence: Type.Integer({
      minimum: 1,
      description: 'The number of the event in its account: from 1, without gaps, in order.',
    }),
    object_id: Type.String({ description: 'Id of the object it happened to.' }),
    data: Type.Unsafe<{ id: string; object: string }>({
      type: 'object',
      properties: {
        id: { type: 'string', description: 'As `object_id`.' },
        object: { ...Literals(Object.values(OBJECTS)), description: 'What the object is.' },
      },
      required: ['id', 'object'],
      additionalProperties: true,
      description:
        'The id and the kind of the object, with what the event says of it: for payouts ' +
        '`status`, `previous_status`, ' +
        '`failure`, `by` (who caused it: `account`, `rail`, `operator` or `review`, the review ' +
        'of its entity), `journals` (numbers of the journals it wrote in the book of the ' +
        'account, which GET /v3/payout/{id}/timeline shows) and, where there is one, ' +
        '`status_description`, of what was done by hand `operator`, `reference` and `reason`, ' +
        'of payout.rerouted `rail`, `previous_rail` and `attempt`, and of payout.sent and each ' +
        'step that a rail reports `rail_attempt` (`number`, `rail`, `uetr`, `references`, ' +
        '`released_at`, `expected_at`, as far as the rail had said); for entities ' +
        '`approval_status`, `previous_status` and `description`, or `previous`, the values that ' +
        'were changed, `erased` when these are no longer kept. More members may come.',
    }),
  },
  {
    title: 'AccountEvent',
    description: 'One change of state, written in the transaction of the change.',
  },
)

export function presentEvent(event: NamedEvent) {
  const { object_id } = event
  const kind = object_id.slice(0, object_id.indexOf('_')) as IdPrefix
  return {
    id: event.id,
    object: 'event',
    type: event.type,
    created_at: event.created_at,
    sequence: Number(event.sequence),
    object_id,
    data: { id: object_id, object: OBJECTS[kind] ?? kind, ...event.data },
  }
}
