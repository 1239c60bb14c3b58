// Answers about events: the members of every event, and the schema of the events of one kind of
// object.
import type { TProperties, TSchema } from 'typebox'
import { shownMaker } from '../../accounts/maker.ts'
import { Id, Literals, MadeBy, optional, Timestamp } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { EVENTS, type EventWithObject } from './event.ts'
import { makerIn } from './rules.ts'

/** The schema of events about one kind of object. `change` has the members of their `change`. */
export function EventOf(
  kind: keyof typeof EVENTS,
  title: string,
  object: TSchema & { readonly properties?: TProperties },
  change: TProperties = {},
) {
  const { properties = {} } = object
  const can_change = kind === 'payout' || kind === 'entity' || kind === 'beneficiary'
  return Type.Object(
    {
      id: Id('evt', 'Event id.'),
      object: Type.Literal('event'),
      type: Literals(
        EVENTS[kind].map(what => `${kind}.${what}`),
        { description: 'What happened: the kind of the object, and the change.' },
      ),
      created_at: Timestamp,
      sequence: Type.Integer({
        minimum: 1,
        description: 'The number of the event in its account: from 1, without gaps, in order.',
      }),
      account: Type.String({
        description: 'The account in which the change happened.',
        examples: ['acc_7k2m9x4q'],
      }),
      object_id: Type.String({ description: 'Id of the object that changed.' }),
      data: object,
      previous_attributes: Type.Object(can_change ? optional(properties) : {}, {
        title: can_change ? `${title}Before` : 'NothingBefore',
        description:
          'The members of `data` that this change altered, with their earlier values. Empty ' +
          'when the object was created or its data erased.',
      }),
      change: Type.Object(optional({ ...change, made_by: MadeBy }), {
        title: can_change ? `${title}Change` : 'ChangeByMaker',
        description: 'What led to the change, where no member of the object says it.',
      }),
      erased: Type.Boolean({
        description:
          'Whether personal data of the object was erased; `data` then shows the object ' +
          'without it.',
      }),
    },
    { title },
  )
}

/** The facts of an event that are in its `change`, because its object does not have them. */
const CHANGE = [
  'by',
  'reason',
  'reference',
  'journals',
  'answer',
  'rail',
  'previous_rail',
  'attempt',
  'rail_attempt',
  'notice',
  'approval',
  'erased_rows',
  'digest',
] as const

/** A conversion is completed at once. */
const CREATION = /\.(created|completed)$/

export function presentEvent(event: EventWithObject) {
  const facts = event.data as Readonly<Record<string, unknown>>
  const { made_by } = event.object as { readonly made_by?: string }
  const maker = makerIn(event) ?? (CREATION.test(event.type) ? made_by : undefined)
  const change = CHANGE.filter(name => facts[name] !== undefined).map(name => [name, facts[name]])
  if (maker !== undefined) change.push(['made_by', shownMaker(maker)])
  return {
    id: event.id,
    object: 'event',
    type: event.type,
    created_at: event.created_at,
    sequence: Number(event.sequence),
    account: event.account_id,
    object_id: event.object_id,
    data: event.object,
    previous_attributes: event.previous_attributes,
    change: Object.fromEntries(change),
    erased: event.erased,
  }
}
