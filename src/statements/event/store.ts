// The SQL statements of events, an append-only table. A row holds several events (row.ts), so each
// statement finds rows and returns the wanted events in them.
import { locateNumber, type Numbers, numbersOf, withKeys } from '../../sql/by-number.ts'
import type { Sql } from '../../sql/connect.ts'
import type { Moment } from '../../sql/order.ts'
import type { Filters, Page, Wanted } from '../../sql/page.ts'
import { inserter } from '../../sql/rows.ts'
import { eachShard, within } from '../../sql/shard.ts'
import { type Fragment, sql as part, type Tag } from '../../sql/sql.ts'
import { type Followed, withinBytes } from '../../sql/within-bytes.ts'
import { type Key, numberIn, timesIn, uniqueKeys } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { type Cut, isLastOf, refuseArchived } from './cut.ts'
import { findCut } from './cut-store.ts'
import type { NamedEvent } from './event.ts'
import {
  COMMON_LETTERS,
  endOf,
  firstOf,
  idHasTime,
  MAX_EVENTS,
  type ReadRow,
  successEndOf,
  unfold,
} from './row.ts'
import { beforeSql } from './row-sql.ts'
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

const LONG = { columns: READ_COLUMNS, long: ['data'] }

export const insertEvents = inserter<SealedRow>('events', { ...ROW_KINDS, hash: 'hex' })

/** Events by (account, id), in no order. Ids that are unknown or of other accounts give none. */
export async function findEvents(sql: Tag, keys: readonly Key[]): Promise<readonly NamedEvent[]> {
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

/** The events numbered above `after` up to `to`, in order; at most `limit`, fewer if long. */
export async function listEventsAfter(
  sql: Tag,
  account_id: string,
  { after, to }: Numbered,
  limit: number,
): Promise<readonly NamedEvent[]> {
  const range = { after, before: to + 1n, newest_first: false, limit }
  const { rows } = await listWithin(sql, account_id, range, {})
  return rows
}

/** As `listEventsAfter`, without the data of the events, however long it is: `limit` events. */
export async function listSubjectsAfter(
  sql: Tag,
  account_id: string,
  { after, to }: Numbered,
  limit: number,
): Promise<readonly Omit<NamedEvent, 'data'>[]> {
  const range = { after, before: to + 1n, newest_first: false, limit, subjects: true }
  const { rows } = await listWithin(sql, account_id, range, {})
  return rows
}

/** A range of numbers, without `after`. */
interface Numbered {
  readonly after: bigint
  readonly to: bigint
}

/** The number of events of each account, or of one. It equals the newest sequence. */
export async function countEvents(sql: Tag, account_id: string | undefined) {
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
    limit,
  }
  const { rows, has_more } = await listWithin(sql, account_id, range, filters)
  return { rows: newest_first ? rows : rows.toReversed(), has_more }
}

export function listEventsOf(sql: Tag, { account_id, id }: Key, limit: number) {
  const range = { ...ALL_NUMBERS, newest_first: true, limit }
  return listWithin(sql, account_id, range, { object_id: [id] })
}

/** The events between two numbers, both exclusive, read from one end. */
interface Range {
  readonly after: bigint
  readonly before: bigint
  readonly newest_first: boolean
  readonly limit: number
  /** Leaves out the data of the events. */
  readonly subjects?: boolean
}

const ALL_NUMBERS = { after: 0n, before: 2n ** 63n - 1n }

/** The events in the order of reading. With `has_more`, others follow. */
async function listWithin(sql: Tag, account_id: string, range: Range, filters: Filters) {
  const { newest_first, limit } = range
  const { type: types, object_id: ids } = filters
  const found = await Promise.all(
    ids === undefined
      ? (types ?? [undefined]).map(type => findRows(sql, account_id, range, type))
      : ids.map(id => findRowsOf(sql, { account_id, id }, range, types)),
  )
  const { after, before, is_cut } = reachOf(found.flat(), range)
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
  return { rows: events.slice(0, limit), has_more: is_cut || events.length > limit }
}

/** A row, and whether the bound of bytes has cut off the rows after it. */
type CutRow = ReadRow & Followed & { readonly is_last?: boolean }

/** The part of the range that is read whole: each statement stops at its bound of bytes. */
function reachOf(rows: readonly CutRow[], { after, before, newest_first }: Range) {
  const cuts = rows.filter(row => row.is_last === true && row.followed === true)
  if (cuts.length === 0) return { after, before, is_cut: false }
  if (newest_first) {
    const reached = cuts.map(row => firstOf(row) - 1n)
    return { after: reached.reduce(larger, after), before, is_cut: true }
  }
  const reached = cuts.map(row => row.sequence + 1n)
  return { after, before: reached.reduce(smaller, before), is_cut: true }
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b)
const smaller = (a: bigint, b: bigint) => (a < b ? a : b)

/**
 * The rows of the events of a range. Bounds and order fit one index alone, so that a plan made
 * while the table was empty cannot use another. Each value is a sub-select, which hides it from the
 * planner.
 */
function findRows(sql: Tag, account_id: string, range: Range, type: string | undefined) {
  const { after, end, begins, order, limit } = boundsOf(sql, range)
  if (type === undefined || COMMON_LETTERS.has(type)) {
    return cutRows(
      sql,
      range,
      columns => part`
      select ${columns} from events
      where account_id = ${account_id} and sequence > ${after} and sequence < ${end}
        ${begins} ${hasTypes(sql, type === undefined ? undefined : [type])}
      order by sequence ${order} limit ${limit}`,
    )
  }
  return cutRows(
    sql,
    range,
    columns => part`
    select ${columns} from events
    where account_id = ${account_id} and type <> '' and type = (select ${type}::text) ${begins}
      and (type, sequence) > ((select ${type}::text), ${after})
      and (type, sequence) < ((select ${type}::text), ${end})
    order by type ${order}, sequence ${order} limit ${limit}`,
  )
}

/** The selected rows within the bound of bytes, or all of them without their data. */
async function cutRows(
  sql: Tag,
  { subjects = false }: Range,
  select: (columns: Fragment) => Fragment,
): Promise<CutRow[]> {
  if (subjects) {
    const columns = part`${part(READ_COLUMNS.filter(name => name !== 'data'))}, null::json as data`
    return sql<ReadRow[]>`${select(columns)}`
  }
  const all = select(part`${part(READ_COLUMNS)}`)
  const rows = await sql<CutRow[]>`${withinBytes(LONG, all)}`
  return rows.map((row, i) => ({ ...row, is_last: i === rows.length - 1 }))
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
): Promise<CutRow[]> {
  const { after, end, begins, order, limit } = boundsOf(sql, range)
  const [creation, success, others] = await Promise.all([
    idHasTime(id) ? findRowsAt(sql, account_id, timesIn(id), endOf(id)) : [],
    id.startsWith('pot_') ? findUsualSuccess(sql, { account_id, id }) : [],
    cutRows(
      sql,
      range,
      columns => part`
      select ${columns} from events
      where account_id = ${account_id} and object_id <> '' and object_id = (select ${id}::text)
        ${begins} ${hasTypes(sql, types)}
        and (object_id, sequence) > ((select ${id}::text), ${after})
        and (object_id, sequence) < ((select ${id}::text), ${end})
      order by object_id ${order}, sequence ${order} limit ${limit}`,
    ),
  ])
  // One row can be found in several ways.
  return [
    ...new Map<bigint, CutRow>(
      [...creation, ...success, ...others].map(row => [row.sequence, row]),
    ).values(),
  ]
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
  const begins = sql.unsafe(`${beforeSql('events')} + 1`)
  return {
    after: sql`(select ${String(after)}::text::bigint)`,
    end: sql`(select ${String(end)}::text::bigint)`,
    begins: sql`and ${begins} < (select ${String(before)}::text::bigint)`,
    order: newest_first ? sql`desc` : sql``,
    limit: sql`(select ${limit + 2}::integer)`,
  }
}

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
