// The SQL statements of events, an append-only table. A row holds several events (row.ts), so each
// statement finds rows and returns the wanted events in them.
import { locateNumber, type Numbers, numbersOf, withKeys } from '../db/by-number.ts'
import type { Sql } from '../db/connect.ts'
import type { Moment } from '../db/order.ts'
import type { Filters, Page, Wanted } from '../db/page.ts'
import { inserter } from '../db/rows.ts'
import { eachShard, within } from '../db/shard.ts'
import type { Tag } from '../db/sql.ts'
import { type Key, numberIn, timesIn, uniqueKeys } from '../id.ts'
import type { Instant } from '../instant.ts'
import { type Cut, isLastOf, refuseArchived } from './cut.ts'
import { findCut } from './cut-store.ts'
import type { NamedEvent } from './event.ts'
import {
  COMMON_LETTERS,
  endOf,
  idHasTime,
  MAX_EVENTS,
  type ReadRow,
  successEndOf,
  unfold,
} from './row.ts'
import { ROW_KINDS, type SealedRow } from './rules.ts'

/** All columns but `content`, `kept` and `hash`, which only the chain needs. */
export const READ_COLUMNS = [
  'account_id',
  'sequence',
  'created_at',
  'told',
  'type',
  'object_id',
  'data',
] as const satisfies readonly (keyof ReadRow)[]

export const insertEvents = inserter<SealedRow>('events', { ...ROW_KINDS, hash: 'hex' })

/** Events by (account, id), in no order. Ids that are unknown or of other accounts give none. */
export async function findEvents(sql: Tag, keys: readonly Key[]): Promise<NamedEvent[]> {
  const rows = await eachShard(
    keys,
    keys => sql<ReadRow[]>`
      select r.* from ${numbersOf(sql, keys)}
      cross join lateral (
        select ${sql(READ_COLUMNS)} from events e
        where e.account_id = k.account_id and e.sequence >= k.number ${within('e', keys)}
        order by e.sequence limit 1
      ) r`,
  )
  // Several keys can be events of one row.
  return uniqueKeys(withKeys(unfold(rows), keys))
}

/** The events numbered above `after` up to `to`, in order; at most `limit`. */
export async function listEventsAfter(
  sql: Tag,
  account_id: string,
  { after, to }: { readonly after: bigint; readonly to: bigint },
  limit: number,
): Promise<NamedEvent[]> {
  return listWithin(sql, account_id, { after, before: to + 1n, newest_first: false, limit }, {})
}

/** The number of events of each account, or of one. It equals the newest sequence. */
export async function countEvents(
  sql: Tag,
  account_id: string | undefined,
): Promise<{ account_id: string; count: bigint }[]> {
  const condition = account_id === undefined ? sql`` : sql`where account_id = ${account_id}`
  return sql<{ account_id: string; count: bigint }[]>`
    select account_id, event_count as count from books ${condition} order by account_id`
}

/** The number of events of all accounts. */
export async function countAllEvents(sql: Sql): Promise<bigint> {
  const [row] = await sql<{ count: bigint }[]>`
    select coalesce(sum(event_count), 0)::bigint as count from books`
  return row?.count ?? 0n
}

const NUMBERS: Numbers = { table: 'events', column: 'sequence', count: 'event_count' }

/** Whether the cursor asks for newer events than the last removed one. */
function isCutAt(cut: Cut | undefined, cursor: NonNullable<Wanted['cursor']>): boolean {
  return cut !== undefined && cursor.towards === 'newer' && isLastOf(cut, cursor.id)
}

/**
 * A page of the account's events; undefined when the cursor names none of them. Refuses a cursor in
 * the removed events, unless every event after it is still there.
 */
export async function listEvents(
  sql: Tag,
  account_id: string,
  { limit, cursor, filters, ...moments }: Wanted,
): Promise<Page<NamedEvent> | undefined> {
  // Reads by number, because numbers rise with created_at, and events of one batch share their
  // time.
  const [above, below, named] = await Promise.all([
    locateNumber(sql, NUMBERS, account_id, moments.above, 'above'),
    locateNumber(sql, NUMBERS, account_id, moments.below, 'below'),
    cursor === null ? [] : findEvents(sql, [{ account_id, id: cursor.id }]),
  ])
  if (cursor !== null && named.length === 0) {
    const cut = await findCut(sql, account_id)
    refuseArchived(isCutAt(cut, cursor) ? undefined : cut, { account_id, id: cursor.id })
    if (!isCutAt(cut, cursor)) return undefined
  }
  const newest_first = cursor?.towards !== 'newer'
  const place = cursor === null ? null : numberIn(cursor.id)
  const [after, before] = [BigInt(above), BigInt(below)]
  const range = {
    after: place === null || newest_first || place < after ? after : place,
    before: place === null || !newest_first || place > before ? before : place,
    newest_first,
    limit: limit + 1,
  }
  const events = await listWithin(sql, account_id, range, filters)
  const page = events.slice(0, limit)
  return { rows: newest_first ? page : page.reverse(), has_more: events.length > limit }
}

/** The events of one object, newest first. */
export function listEventsOf(
  sql: Tag,
  { account_id, id: object_id }: Key,
  limit: number,
): Promise<NamedEvent[]> {
  const filters = { object_id: [object_id] }
  return listWithin(sql, account_id, { ...ALL_NUMBERS, newest_first: true, limit }, filters)
}

/** The events between two numbers, both exclusive, read from one end. */
interface Range {
  readonly after: bigint
  readonly before: bigint
  readonly newest_first: boolean
  readonly limit: number
}

const ALL_NUMBERS = { after: 0n, before: 2n ** 63n - 1n }

async function listWithin(
  sql: Tag,
  account_id: string,
  range: Range,
  filters: Filters,
): Promise<NamedEvent[]> {
  const { after, before, newest_first, limit } = range
  const { type: types, object_id: ids } = filters
  const found = await Promise.all(
    ids === undefined
      ? (types ?? [undefined]).map(type => findRows(sql, account_id, range, type))
      : ids.map(id => findRowsOf(sql, { account_id, id }, range, types)),
  )
  // One row can have events of several types and objects.
  const rows = new Map(found.flat().map(row => [row.sequence, row]))
  const events = unfold([...rows.values()]).filter(
    event =>
      event.sequence > after &&
      event.sequence < before &&
      (types === undefined || types.includes(event.type)) &&
      (ids === undefined || ids.includes(event.object_id)),
  )
  events.sort((a, b) => (a.sequence < b.sequence === newest_first ? 1 : -1))
  return events.slice(0, limit)
}

/**
 * The rows of the events of a range. Bounds and order fit one index alone, so that a plan made
 * while the table was empty cannot use another. Each value is a sub-select, which hides it from the
 * planner.
 */
function findRows(
  sql: Tag,
  account_id: string,
  range: Range,
  type: string | undefined,
): Promise<ReadRow[]> {
  const { after, end, begins, order, limit } = boundsOf(sql, range)
  if (type === undefined || COMMON_LETTERS.has(type)) {
    return sql<ReadRow[]>`
      select ${sql(READ_COLUMNS)} from events
      where account_id = ${account_id} and sequence > ${after} and sequence < ${end}
        ${begins} ${hasTypes(sql, type === undefined ? undefined : [type])}
      order by sequence ${order} limit ${limit}`
  }
  return sql<ReadRow[]>`
    select ${sql(READ_COLUMNS)} from events
    where account_id = ${account_id} and type <> '' and type = (select ${type}::text) ${begins}
      and (type, sequence) > ((select ${type}::text), ${after})
      and (type, sequence) < ((select ${type}::text), ${end})
    order by type ${order}, sequence ${order} limit ${limit}`
}

/**
 * The rows of one object. Rows are in the order of time, so the time in the object's id locates the
 * row of its creation. The time of a payout's outcome locates the row of its usual success. An
 * index finds all other events.
 */
async function findRowsOf(
  sql: Tag,
  { account_id, id }: Key,
  range: Range,
  types: readonly string[] | undefined,
): Promise<ReadRow[]> {
  const { after, end, begins, order, limit } = boundsOf(sql, range)
  const [creation, success, others] = await Promise.all([
    idHasTime(id) ? findRowsAt(sql, account_id, timesIn(id), endOf(id)) : [],
    id.startsWith('pot_') ? findUsualSuccess(sql, { account_id, id }) : [],
    sql<ReadRow[]>`
      select ${sql(READ_COLUMNS)} from events
      where account_id = ${account_id} and object_id <> '' and object_id = (select ${id}::text)
        ${begins} ${hasTypes(sql, types)}
        and (object_id, sequence) > ((select ${id}::text), ${after})
        and (object_id, sequence) < ((select ${id}::text), ${end})
      order by object_id ${order}, sequence ${order} limit ${limit}`,
  ])
  // One row can be found in several ways.
  return [...new Map([...creation, ...success, ...others].map(row => [row.sequence, row])).values()]
}

/** The row in which a payout succeeded as usual, found by the time of its outcome. */
async function findUsualSuccess(sql: Tag, { account_id, id }: Key): Promise<ReadRow[]> {
  const [outcome] = await sql<{ at: Instant }[]>`
    select coalesce(succeeded_at, updated_at) as at from payout_outcomes
    where account_id = ${account_id} and id = ${id} and status in ('succeeded', 'reversed') limit 1`
  if (outcome === undefined) return []
  return findRowsAt(sql, account_id, { from: outcome.at, to: outcome.at }, successEndOf(id))
}

/** The rows between two times, both included, with a word that contains these characters. */
async function findRowsAt(
  sql: Tag,
  account_id: string,
  { from, to }: ReturnType<typeof timesIn>,
  end: string,
): Promise<ReadRow[]> {
  const [before, after] = await Promise.all([
    locateNumber(sql, NUMBERS, account_id, { created_at: from, side: 'before' }, 'above'),
    locateNumber(sql, NUMBERS, account_id, { created_at: to, side: 'after' }, 'below'),
  ])
  return sql<ReadRow[]>`
    select ${sql(READ_COLUMNS)} from events
    where account_id = ${account_id} and sequence > (select ${before}::text::bigint)
      and sequence < (select ${after}::text::bigint)
      and strpos(told, (select ${end}::text)) > 0
    order by sequence`
}

/**
 * A row has the number of its last event and begins up to MAX_EVENTS - 1 before it. A row at either
 * end of a range may hold none of the wanted events, so two more rows are read.
 */
function boundsOf(sql: Tag, { after, before, newest_first, limit }: Range) {
  const farthest = ALL_NUMBERS.before - BigInt(MAX_EVENTS)
  const end = before > farthest ? before : before + BigInt(MAX_EVENTS) - 1n
  const words = sql`length(told) - length(replace(told, ' ', ''))`
  return {
    after: sql`(select ${String(after)}::text::bigint)`,
    end: sql`(select ${String(end)}::text::bigint)`,
    begins: sql`and sequence - (${words}) < (select ${String(before)}::text::bigint)`,
    order: newest_first ? sql`desc` : sql``,
    limit: sql`(select ${limit + 2}::integer)`,
  }
}

/** The condition that a row has an event of one of these types. */
function hasTypes(sql: Tag, types: readonly string[] | undefined) {
  if (types === undefined) return sql``
  const letters = new Set(types.flatMap(type => [...(COMMON_LETTERS.get(type) ?? '')]))
  const any = [...letters].sort().map(letter => `strpos(told, '${letter}') > 0 or `)
  const [type = '', ...more] = types
  const named =
    more.length === 0
      ? sql`type = (select ${type}::text)`
      : sql`type = any ((select ${[...types]}::text[])::text[])`
  return sql`and (${sql.unsafe(any.join(''))} ${named})`
}

/** The first and last sequence in a range of time. Without events `to` is below `from`. */
export async function findNumbers(
  sql: Tag,
  account_id: string,
  { above, below }: { readonly above: Moment; readonly below: Moment },
): Promise<{ readonly from: bigint; readonly to: bigint }> {
  const [older, newer] = await Promise.all([
    locateNumber(sql, NUMBERS, account_id, above, 'above'),
    locateNumber(sql, NUMBERS, account_id, below, 'below'),
  ])
  return { from: BigInt(older) + 1n, to: BigInt(newer) - 1n }
}
