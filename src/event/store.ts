// The statements of events. Append-only. A row is what one command told (row.ts), so each looks for
// rows and gives the events in them that were asked for.
import { locateNumber, type Numbers, named, numbersOf } from '../db/by-number.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import type { Moment } from '../db/order.ts'
import type { Page, Wanted } from '../db/page.ts'
import { inserter } from '../db/rows.ts'
import { eachShard, within } from '../db/shard.ts'
import { type Key, numberIn, timesIn, uniqueKeys } from '../id.ts'
import type { NamedEvent } from './event.ts'
import { COMMON_LETTERS, endOf, isMadeById, MAX_EVENTS, type ReadRow, unfold } from './row.ts'
import { ROW_KINDS, type SealedRow } from './rules.ts'

/** What is read; the chain is of no use to whoever asks for events. */
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

/** By (account, id), in no order; what is not found or another account's is simply absent. */
export async function findEvents(
  sql: Sql | TransactionSql,
  keys: readonly Key[],
): Promise<NamedEvent[]> {
  const rows = await eachShard(
    keys,
    keys => sql<ReadRow[]>`
      select r.* from ${numbersOf(sql, keys)}
      cross join lateral (
        select ${sql(READ_COLUMNS)} from events e
        where e.account_id = k.account_id and e.sequence >= k.number ${within(sql, 'e', keys)}
        order by e.sequence limit 1
      ) r`,
  )
  // Several keys can stand in one row.
  return uniqueKeys(named(unfold(rows), keys))
}

/** The events after a number and up to another, in order; at most `limit`. */
export async function listEventsAfter(
  sql: Sql | TransactionSql,
  account_id: string,
  { after, to }: { readonly after: bigint; readonly to: bigint },
  limit: number,
): Promise<NamedEvent[]> {
  return listWithin(sql, account_id, { after, before: to + 1n, newest_first: false, limit }, {})
}

/** How many events accounts have, which is the number of the newest; of all accounts, or of one. */
export async function countEvents(
  sql: Sql,
  account_id: string | undefined,
): Promise<{ account_id: string; count: bigint }[]> {
  const of = account_id === undefined ? sql`` : sql`where account_id = ${account_id}`
  return sql<{ account_id: string; count: bigint }[]>`
    select account_id, event_count as count from books ${of} order by account_id`
}

const NUMBERS: Numbers = { table: 'events', column: 'sequence', count: 'event_count' }

/** A page of the account's events; undefined when its cursor names none of them. */
export async function listEvents(
  sql: Sql | TransactionSql,
  account_id: string,
  { limit, cursor, filters, ...moments }: Wanted,
): Promise<Page<NamedEvent> | undefined> {
  // By their numbers, which created_at follows: the events of one batch have the same time.
  const [above, below, named] = await Promise.all([
    locateNumber(sql, NUMBERS, account_id, moments.above, 'above'),
    locateNumber(sql, NUMBERS, account_id, moments.below, 'below'),
    cursor === null ? [] : findEvents(sql, [{ account_id, id: cursor.id }]),
  ])
  if (cursor !== null && named.length === 0) return undefined
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

/** Of one object, newest first. */
export function listEventsOf(
  sql: Sql | TransactionSql,
  { account_id, id: object_id }: Key,
  limit: number,
): Promise<NamedEvent[]> {
  return listWithin(sql, account_id, { ...EVERY, newest_first: true, limit }, { object_id })
}

/** The events between two numbers, from one end of them. */
interface Range {
  readonly after: bigint
  readonly before: bigint
  readonly newest_first: boolean
  readonly limit: number
}

const EVERY = { after: 0n, before: 2n ** 63n - 1n }

type Filters = Wanted['filters']

async function listWithin(
  sql: Sql | TransactionSql,
  account_id: string,
  range: Range,
  filters: Filters,
): Promise<NamedEvent[]> {
  const { after, before, newest_first, limit } = range
  const { type, object_id } = filters
  const rows =
    object_id === undefined
      ? await findRows(sql, account_id, range, type)
      : await findRowsOf(sql, { account_id, id: object_id }, range, type)
  const events = unfold(rows).filter(
    event =>
      event.sequence > after &&
      event.sequence < before &&
      (type === undefined || event.type === type) &&
      (object_id === undefined || event.object_id === object_id),
  )
  events.sort((a, b) => (a.sequence < b.sequence === newest_first ? 1 : -1))
  return events.slice(0, limit)
}

/**
 * The rows that events between two numbers stand in. Bounds and order are those of one index alone:
 * a plan made while the table was empty must not take another. Values stand in selects of their
 * own, which hides them from the planner.
 */
function findRows(
  sql: Sql | TransactionSql,
  account_id: string,
  range: Range,
  type: string | undefined,
): Promise<ReadRow[]> {
  const { after, end, begins, order, limit } = boundsOf(sql, range)
  if (type === undefined || COMMON_LETTERS.has(type)) {
    return sql<ReadRow[]>`
      select ${sql(READ_COLUMNS)} from events
      where account_id = ${account_id} and sequence > ${after} and sequence < ${end}
        ${begins} ${tells(sql, type)}
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
 * The rows of one object. What it was made by is found by the time that its id has: rows are in the
 * order of time. What has happened to it since has an index.
 */
async function findRowsOf(
  sql: Sql | TransactionSql,
  { account_id, id }: Key,
  range: Range,
  type: string | undefined,
): Promise<ReadRow[]> {
  const { after, end, begins, order, limit } = boundsOf(sql, range)
  const [made, changed] = await Promise.all([
    isMadeById(id) ? findMaking(sql, { account_id, id }) : [],
    sql<ReadRow[]>`
      select ${sql(READ_COLUMNS)} from events
      where account_id = ${account_id} and object_id <> '' and object_id = (select ${id}::text)
        ${begins} ${tells(sql, type)}
        and (object_id, sequence) > ((select ${id}::text), ${after})
        and (object_id, sequence) < ((select ${id}::text), ${end})
      order by object_id ${order}, sequence ${order} limit ${limit}`,
  ])
  // A row can be both.
  return [...made.filter(row => row.object_id !== id), ...changed]
}

async function findMaking(sql: Sql | TransactionSql, { account_id, id }: Key): Promise<ReadRow[]> {
  const { from, to } = timesIn(id)
  const [before, after] = await Promise.all([
    locateNumber(sql, NUMBERS, account_id, { created_at: from, side: 'before' }, 'above'),
    locateNumber(sql, NUMBERS, account_id, { created_at: to, side: 'after' }, 'below'),
  ])
  return sql<ReadRow[]>`
    select ${sql(READ_COLUMNS)} from events
    where account_id = ${account_id} and sequence > (select ${before}::text::bigint)
      and sequence < (select ${after}::text::bigint)
      and strpos(told, (select ${endOf(id)}::text)) > 0
    order by sequence`
}

/**
 * A row has the number of its last event, and may begin long before. At each end of a range one can
 * have its other events inside, so that of a type two more rows are read.
 */
function boundsOf(sql: Sql | TransactionSql, { after, before, newest_first, limit }: Range) {
  const farthest = EVERY.before - BigInt(MAX_EVENTS)
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

/** Of rows that have an event of this type. */
function tells(sql: Sql | TransactionSql, type: string | undefined) {
  if (type === undefined) return sql``
  const letter = COMMON_LETTERS.get(type)
  return letter === undefined
    ? sql`and type = (select ${type}::text)`
    : sql`and (strpos(told, ${sql.unsafe(`'${letter}'`)}) > 0 or type = (select ${type}::text))`
}

/** The numbers of the first and the last event of a time; the last is before the first for none. */
export async function findNumbers(
  sql: Sql | TransactionSql,
  account_id: string,
  { above, below }: { readonly above: Moment; readonly below: Moment },
): Promise<{ readonly from: bigint; readonly to: bigint }> {
  const [older, newer] = await Promise.all([
    locateNumber(sql, NUMBERS, account_id, above, 'above'),
    locateNumber(sql, NUMBERS, account_id, below, 'below'),
  ])
  return { from: BigInt(older) + 1n, to: BigInt(newer) - 1n }
}
