// Reads events with their objects as they were right after the events: one statement for all events
// of one kind of object.
import { presentBalanceTransaction } from '../balance-transaction/response.ts'
import { findBalanceTransactions } from '../balance-transaction/store.ts'
import { findBeneficiaries } from '../beneficiary/store.ts'
import type { Tag } from '../db/sql.ts'
import { findEntities } from '../entity/store.ts'
import type { NamedEvent, ToldEvent } from '../event/event.ts'
import { findEvents } from '../event/store.ts'
import { byName, type Key, nameOf, uniqueKeys } from '../id.ts'
import { findPayouts } from '../payout/store.ts'
import type { Quote } from '../quote/quote.ts'
import { presentQuote } from '../quote/response.ts'
import { findQuotes } from '../quote/store.ts'
import { toldTest } from '../webhook/response.ts'
import { type Later, tellBeneficiary, tellEntity, tellPayout } from './rules.ts'
import { type EventsByObject, findBehind } from './store.ts'

/** Events by (account, id), in no order. */
export async function findToldEvents(sql: Tag, keys: readonly Key[]): Promise<ToldEvent[]> {
  return tellEvents(sql, await findEvents(sql, keys))
}

/** These events with their objects, in the same order. All reads must see one snapshot. */
export async function tellEvents(sql: Tag, events: readonly NamedEvent[]): Promise<ToldEvent[]> {
  const of = (prefix: string) => events.filter(event => event.object_id.startsWith(prefix))
  // Sent together.
  const told = await Promise.all([
    tellPayouts(sql, of('pot_')),
    tellMade(sql, of('btr_'), findBalanceTransactions, presentBalanceTransaction),
    tellMade(sql, of('poq_'), findQuotes, presentMade),
    tellParties(sql, of('bnf_'), findBeneficiaries, tellBeneficiary),
    tellParties(sql, of('ent_'), findEntities, tellEntity),
    of('whe_').map(toldTest),
  ])
  const named = byName(told.flat())
  return events.map(event => named.get(nameOf(event)) ?? missing(event))
}

function missing({ id, object_id }: NamedEvent): never {
  throw new Error(`event ${id} tells of ${object_id}, which is not there`)
}

const objectKey = ({ account_id, object_id: id }: NamedEvent): Key => ({ account_id, id })

type Sources<Row> = (sql: Tag, keys: readonly Key[]) => Promise<readonly Row[]>

/** The objects of events, by `account_id/id`. */
async function objectsOf<Row extends Key>(
  sql: Tag,
  events: readonly NamedEvent[],
  find: Sources<Row>,
): Promise<(event: NamedEvent) => Row> {
  const rows = await find(sql, uniqueKeys(events.map(objectKey)))
  const named = byName(rows)
  return event => named.get(nameOf(objectKey(event))) ?? missing(event)
}

async function tellPayouts(sql: Tag, events: readonly NamedEvent[]): Promise<ToldEvent[]> {
  const payoutOf = await objectsOf(sql, events, findPayouts)
  // Only an update leaves metadata in the state of a payout.
  const updated = events.filter(event => payoutOf(event).metadata !== null)
  const behind = await findBehind(sql, updated)
  return events.map(event => tellPayout(payoutOf(event), event, laterOf(behind, event).update))
}

/** Events of objects that are told by their creation alone. */
async function tellMade<Row extends Key>(
  sql: Tag,
  events: readonly NamedEvent[],
  find: Sources<Row>,
  present: (row: Row) => object,
): Promise<ToldEvent[]> {
  const rowOf = await objectsOf(sql, events, find)
  return events.map(event => {
    const object = present(rowOf(event))
    return { ...event, object, previous_attributes: {}, erased: false }
  })
}

/**
 * A quote that was asked for is active at first; one that a payout carries is used from the start.
 */
function presentMade(quote: Quote): object {
  const { created_at, updated_at } = quote
  const made =
    updated_at === created_at
      ? quote
      : { ...quote, status: 'active' as const, updated_at: created_at }
  return presentQuote(made, created_at)
}

async function tellParties<Row extends Key>(
  sql: Tag,
  events: readonly NamedEvent[],
  find: Sources<Row>,
  tell: (row: Row, event: NamedEvent, later: Later) => ToldEvent,
): Promise<ToldEvent[]> {
  const [partyOf, behind] = await Promise.all([
    objectsOf(sql, events, find),
    findBehind(sql, events),
  ])
  return events.map(event => tell(partyOf(event), event, laterOf(behind, event)))
}

function laterOf(behind: EventsByObject, event: NamedEvent): Later {
  const known = behind.get(nameOf(objectKey(event))) ?? []
  const after = known.filter(({ sequence }) => sequence > event.sequence)
  return { update: after.find(({ type }) => type.endsWith('.updated')), next: after[0] }
}
