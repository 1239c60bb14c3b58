// Reads events with their objects as they were right after the events, by a statement a kind.
import { presentConversion, presentNewConversionQuote } from '../../conversions/response.ts'
import { findConversions } from '../../conversions/store.ts'
import { findBeneficiaries } from '../../parties/beneficiary/store.ts'
import { findEntities } from '../../parties/entity/store.ts'
import { findPayouts } from '../../payouts/store.ts'
import type { Quote } from '../../quotes/quote.ts'
import { presentQuote } from '../../quotes/response.ts'
import { findConversionQuotes, findQuotes } from '../../quotes/store.ts'
import { eachShard, within } from '../../sql/shard.ts'
import type { Tag } from '../../sql/sql.ts'
import { presentBalanceTransaction } from '../../statements/balance-transaction/response.ts'
import { findBalanceTransactions } from '../../statements/balance-transaction/store.ts'
import type { EventWithObject, NamedEvent } from '../../statements/event/event.ts'
import { type ReadRow, unfold } from '../../statements/event/row.ts'
import { findEvents, READ_COLUMNS } from '../../statements/event/store.ts'
import { byName, type Key, nameOf, uniqueKeys } from '../../values/id.ts'
import { testWithObject } from '../../webhooks/response.ts'
import { type Later, withBeneficiary, withEntity, withPayout } from './rules.ts'

export async function findEventsWithObjects(
  sql: Tag,
  keys: readonly Key[],
): Promise<EventWithObject[]> {
  return withObjects(sql, await findEvents(sql, keys))
}

/** In the same order. All reads must see one snapshot. */
export async function withObjects(
  sql: Tag,
  events: readonly NamedEvent[],
): Promise<EventWithObject[]> {
  const eventsAbout = (prefix: string) => events.filter(event => event.object_id.startsWith(prefix))
  // The statements go to the database together.
  const complete = await Promise.all([
    withPayouts(sql, eventsAbout('pot_')),
    withCreated(sql, eventsAbout('btr_'), findBalanceTransactions, presentBalanceTransaction),
    withQuotes(sql, eventsAbout('poq_'), findQuotes, 'payout_quote', presentCreated),
    withQuotes(
      sql,
      eventsAbout('coq_'),
      findConversionQuotes,
      'conversion_quote',
      presentNewConversionQuote,
    ),
    withCreated(sql, eventsAbout('cnv_'), findConversions, presentConversion),
    withParties(sql, eventsAbout('bnf_'), findBeneficiaries, withBeneficiary),
    withParties(sql, eventsAbout('ent_'), findEntities, withEntity),
    eventsAbout('whe_').map(testWithObject),
  ])
  const named = byName(complete.flat())
  return events.map(event => named.get(nameOf(event)) ?? missing(event))
}

function missing({ id, object_id }: NamedEvent): never {
  throw new Error(`event ${id} is about ${object_id}, which is not in the database`)
}

const objectKey = ({ account_id, object_id: id }: NamedEvent): Key => ({ account_id, id })

type Find<Row> = (sql: Tag, keys: readonly Key[]) => Promise<readonly Row[]>

/** The returned function gives an event's object. */
async function objectsOf<Row extends Key>(
  sql: Tag,
  events: readonly NamedEvent[],
  find: Find<Row>,
): Promise<(event: NamedEvent) => Row> {
  const rows = await find(sql, uniqueKeys(events.map(objectKey)))
  const named = byName(rows)
  return event => named.get(nameOf(objectKey(event))) ?? missing(event)
}

async function withPayouts(sql: Tag, events: readonly NamedEvent[]): Promise<EventWithObject[]> {
  const payoutOf = await objectsOf(sql, events, findPayouts)
  // Only an update leaves metadata in the state of a payout.
  const updated = events.filter(event => payoutOf(event).metadata !== null)
  const later_events = await findLaterEvents(sql, updated)
  return events.map(event =>
    withPayout(payoutOf(event), event, laterOf(later_events, event).update),
  )
}

/** Events of objects whose only event is their creation. */
async function withCreated<Row extends Key>(
  sql: Tag,
  events: readonly NamedEvent[],
  find: Find<Row>,
  present: (row: Row) => object,
): Promise<EventWithObject[]> {
  const rowOf = await objectsOf(sql, events, find)
  return events.map(event => {
    const object = present(rowOf(event))
    return { ...event, object, previous_attributes: {}, erased: false }
  })
}

/** Of an unused quote that is deleted, only the id is left. */
async function withQuotes<Row extends Key>(
  sql: Tag,
  events: readonly NamedEvent[],
  find: Find<Row>,
  kind: string,
  present: (row: Row) => object,
): Promise<EventWithObject[]> {
  const quotes = byName(await find(sql, uniqueKeys(events.map(objectKey))))
  return events.map(event => {
    const quote = quotes.get(nameOf(objectKey(event)))
    const deleted = { id: event.object_id, object: kind, deleted: true }
    const object = quote === undefined ? deleted : present(quote)
    return { ...event, object, previous_attributes: {}, erased: false }
  })
}

/**
 * A requested quote was active then, and its use updates it. A carried one is used from the start.
 */
function presentCreated(quote: Quote): object {
  const { created_at, updated_at } = quote
  const made =
    updated_at === created_at
      ? quote
      : { ...quote, status: 'active' as const, updated_at: created_at }
  return presentQuote(made, created_at)
}

async function withParties<Row extends Key>(
  sql: Tag,
  events: readonly NamedEvent[],
  find: Find<Row>,
  attach: (row: Row, event: NamedEvent, later: Later) => EventWithObject,
): Promise<EventWithObject[]> {
  const [partyOf, later_events] = await Promise.all([
    objectsOf(sql, events, find),
    findLaterEvents(sql, events),
  ])
  return events.map(event => attach(partyOf(event), event, laterOf(later_events, event)))
}

function laterOf(later_events: EventsByObject, event: NamedEvent): Later {
  const known = later_events.get(nameOf(objectKey(event))) ?? []
  const after = known.filter(({ sequence }) => sequence > event.sequence)
  return { update: after.find(({ type }) => type.endsWith('.updated')), next: after[0] }
}

type EventsByObject = ReadonlyMap<string, readonly NamedEvent[]>

// Bounds and order fit one index alone: a plan made for an empty table cannot use another.

/**
 * Finds the first later update of each event's object, and the next event about it. A row's number
 * is that of its last event, so the row may be the event's own: hence two rows each.
 */
export async function findLaterEvents(
  sql: Tag,
  events: readonly NamedEvent[],
): Promise<EventsByObject> {
  const rows = await eachShard(
    events,
    events => sql<ReadRow[]>`
      select r.* from ${placesOf(sql, events)}
      cross join lateral (
        (select ${sql(READ_COLUMNS)} from events e
          where e.account_id = k.account_id ${within('e', events)} and e.object_id <> ''
            and (e.object_id, e.sequence) >= (k.id, k.sequence) and e.object_id <= k.id
          order by e.object_id, e.sequence limit 2)
        union all
        (select ${sql(READ_COLUMNS)} from events u
          where u.account_id = k.account_id ${within('u', events)} and u.object_id <> ''
            and (u.object_id, u.sequence) >= (k.id, k.sequence) and u.object_id <= k.id
            and u.type in ('beneficiary.updated', 'entity.updated', 'payout.updated')
          order by u.object_id, u.sequence limit 2)
      ) r`,
  )
  return byObject(
    rows,
    events.map(({ account_id, object_id: id }) => ({ account_id, id })),
  )
}

/** `k(account_id, id, sequence)`. */
function placesOf(sql: Tag, events: readonly NamedEvent[]) {
  const account_ids = events.map(event => event.account_id)
  const ids = events.map(event => event.object_id)
  const numbers = events.map(event => String(event.sequence))
  return sql`unnest(${account_ids}::text[], ${ids}::text[], ${numbers}::text[]::bigint[])
    as k(account_id, id, sequence)`
}

function byObject(rows: readonly ReadRow[], keys: readonly Key[]): EventsByObject {
  const names = new Set(keys.map(nameOf))
  // One row can be found several times.
  const events = new Map(unfold(rows).map(event => [event.id, event]))
  const nameIn = ({ account_id, object_id: id }: NamedEvent) => nameOf({ account_id, id })
  const about = [...events.values()].filter(event => names.has(nameIn(event)))
  return Map.groupBy(
    about.toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1)),
    nameIn,
  )
}
