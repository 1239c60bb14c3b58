// One page of a list, by key and not by offset: rows of one account in the order of the list,
// between two places of that order. Works on any table that has account_id, id and an index of the
// list's own; knows no query parameter.
import type { Fragment } from 'postgres'
import type { Key } from '../id.ts'
import type { Instant } from '../instant.ts'
import type { Sql, TransactionSql } from './connect.ts'

/** Just before or just after everything that was created at this time. */
export interface Moment {
  readonly created_at: Instant
  readonly side: 'before' | 'after'
}

/** What PostgreSQL compares as time, and JavaScript as text, as before and after every instant. */
export const OLDEST: Moment = { created_at: '-infinity', side: 'before' }
export const NEWEST: Moment = { created_at: 'infinity', side: 'after' }

/** Which rows are wanted. */
export interface Wanted {
  /** 1 to 100. */
  readonly limit: number
  /** Only rows newer than this. */
  readonly above: Moment
  /** Only rows older than this. */
  readonly below: Moment
  /** Exact values by name; '' means "not set" in the tables and is never looked for. */
  readonly filters: Readonly<Record<string, string>>
  /** The page is the newest rows older than this one, or the oldest rows newer than it. */
  readonly cursor: Cursor | null
}

export interface Cursor {
  readonly id: string
  readonly towards: 'older' | 'newer'
}

export interface Page<Row> {
  /** Newest first, whatever the direction of paging. */
  readonly rows: readonly Row[]
  /** More rows follow in the direction of paging. */
  readonly has_more: boolean
}

/** What can be ordered by, and texts that stand before and after every value of ours. */
const ENDS = {
  timestamptz: ['-infinity', 'infinity'],
  // Ids are ASCII of a small alphabet.
  text: ['', '~'],
  bigint: ['0', '9223372036854775807'],
} as const

export interface Ordering {
  readonly column: string
  readonly type: keyof typeof ENDS
}

/** A place in the order of a list: a value for each column of the order, as text. */
export type Place = readonly string[]

/** What rows may be asked for; a name alone is a column that leads always. */
export interface Filter {
  readonly name: string
  /** What is compared: a column or an expression of the table, written as its index has it. */
  readonly by: string
  /**
   * Whether the page is read from an index on (account_id, it, …order): always, only when no other
   * filter is there, which the index of the whole list can judge and that one cannot, or never.
   */
  readonly leads: 'always' | 'alone' | 'never'
  /** What is common, so that the index leaves it out; by default '', which is "not set". */
  readonly common?: readonly string[]
}

/** Where rows are listed from. */
export interface Listed {
  readonly table: string
  readonly columns: readonly string[]
  /** Together one row's alone within the account; by default the time of creation and the id. */
  readonly order?: readonly Ordering[]
  /** What fewest rows share first. */
  readonly filters: readonly (string | Filter)[]
  /**
   * A condition that is true of every row. The index of the whole list is partial by it, and only
   * lists state it: else a look-up that was planned while the table was small could take that index
   * for its own, and would walk the account by it when the table is large.
   */
  readonly listed_by?: string
  /** Where a moment stands when the order does not begin with the time of creation. */
  readonly locate?: Locate
}

/** For the bound above which rows are wanted, or below which. */
export type Locate = (
  sql: Sql | TransactionSql,
  account_id: string,
  moment: Moment,
  wanted: 'above' | 'below',
) => Promise<Place>

const BY_TIME_AND_ID: readonly Ordering[] = [
  { column: 'created_at', type: 'timestamptz' },
  { column: 'id', type: 'text' },
]

/**
 * One page, or undefined when the cursor names no row of the account. `besides` is a further
 * condition: `and …`, its values in selects of their own.
 */
export async function findPage<Row extends Key>(
  sql: Sql | TransactionSql,
  listed: Listed,
  account_id: string,
  wanted: Wanted,
  besides?: Fragment,
): Promise<Page<Row> | undefined> {
  const { cursor } = wanted
  const place = cursor && (await findPlace(sql, listed, { account_id, id: cursor.id }))
  return place === undefined ? place : findPageAt(sql, listed, account_id, wanted, place, besides)
}

/** The same from a known place, which a row of another table may have; null without cursor. */
export async function findPageAt<Row extends Key>(
  sql: Sql | TransactionSql,
  listed: Listed,
  account_id: string,
  { limit, cursor, filters, ...moments }: Wanted,
  place: Place | null,
  besides: Fragment = sql``,
): Promise<Page<Row>> {
  const { table, order = BY_TIME_AND_ID, locate = byTime(order) } = listed
  const [above, below] = await Promise.all([
    locate(sql, account_id, moments.above, 'above'),
    locate(sql, account_id, moments.below, 'below'),
  ])
  const newest_first = cursor?.towards !== 'newer'
  const after = place === null || newest_first ? above : laterOf(order, above, place)
  const before = place === null || !newest_first ? below : earlierOf(order, below, place)
  const lead = leadOf(listed, filters)
  const key = keyColumns(sql, order, lead)
  // Both bounds always stand here, so that there are few statements to plan. Values stand in
  // selects of their own, which hides them from the planner: it would else plan for each value, and
  // sort what looks like few rows.
  const rows = await sql<Row[]>`
    select ${sql([...listed.columns])} from ${sql(table)}
    where account_id = (select ${account_id}) ${conditions(sql, listed, filters, lead)} ${besides}
      and (${joined(sql, key)}) > (${joined(sql, keyValues(sql, order, lead, after))})
      and (${joined(sql, key)}) < (${joined(sql, keyValues(sql, order, lead, before))})
    order by ${joined(sql, newest_first ? key.map(column => sql`${column} desc`) : key)}
    limit (select ${limit + 1}::integer)`
  const page = rows.slice(0, limit)
  return { rows: newest_first ? page : page.reverse(), has_more: rows.length > limit }
}

/** The filter whose index is walked, which its rows are in order of. */
interface Lead {
  readonly filter: Filter
  readonly value: string
}

const NOT_SET = ['']

function leadOf({ filters: known }: Listed, filters: Wanted['filters']): Lead | undefined {
  const alone = Object.keys(filters).length === 1
  for (const filter of known.map(asFilter)) {
    const { name, leads, common = NOT_SET } = filter
    const value = filters[name]
    if (value === undefined || common.includes(value)) continue
    if (leads === 'always' || (leads === 'alone' && alone)) return { filter, value }
  }
  return undefined
}

function asFilter(filter: string | Filter): Filter {
  return typeof filter === 'string' ? { name: filter, by: filter, leads: 'always' } : filter
}

/** What is equal, and what the index says of all its rows, or it could not be used. */
function conditions(
  sql: Sql | TransactionSql,
  { filters: known, listed_by }: Listed,
  filters: Wanted['filters'],
  lead: Lead | undefined,
): Fragment {
  // Sorted, so that the order in which they were sent makes no other statement.
  const names = Object.keys(filters).sort()
  const equal = names.map(name => {
    const filter = known.map(asFilter).find(filter => filter.name === name)
    if (filter === undefined) throw new Error(`no filter ${name}`)
    return sql`and ${sql.unsafe(filter.by)} = (select ${filters[name] ?? ''})`
  })
  const stated = lead === undefined ? listed_by : leavesOut(lead.filter)
  if (stated !== undefined) equal.push(sql`and ${sql.unsafe(stated)}`)
  return equal.reduce((all, one) => sql`${all} ${one}`, sql``)
}

/** As the index has it, to the letter. */
function leavesOut({ by, common = NOT_SET }: Filter): string {
  const [first = '', ...more] = common.map(value => `'${value}'`)
  return more.length === 0 ? `${by} <> ${first}` : `${by} not in (${[first, ...more].join(', ')})`
}

/** The lead stands before the order, so that bounds and order are those of its index alone. */
function keyColumns(
  sql: Sql | TransactionSql,
  order: readonly Ordering[],
  lead: Lead | undefined,
): Fragment[] {
  const columns = order.map(({ column }) => sql`${sql(column)}`)
  return lead === undefined ? columns : [sql`${sql.unsafe(lead.filter.by)}`, ...columns]
}

function keyValues(
  sql: Sql | TransactionSql,
  order: readonly Ordering[],
  lead: Lead | undefined,
  place: Place,
): Fragment[] {
  const values = order.map(
    ({ type }, i) => sql`(select ${place[i] ?? ''}::text::${sql.unsafe(type)})`,
  )
  return lead === undefined ? values : [sql`(select ${lead.value})`, ...values]
}

function joined(sql: Sql | TransactionSql, parts: readonly Fragment[]): Fragment {
  return parts.reduce((all, part) => sql`${all}, ${part}`)
}

/**
 * A row's place never changes, so that it may be read ahead of the page. In an order that only the
 * index by id has: equality alone, planned while the table was empty, would cost the same by any
 * index of the account's rows.
 */
async function findPlace(
  sql: Sql | TransactionSql,
  { table, order = BY_TIME_AND_ID }: Listed,
  { account_id, id }: Key,
): Promise<Place | undefined> {
  const [row] = await sql<Record<string, string | bigint>[]>`
    select ${joined(sql, keyColumns(sql, order, undefined))} from ${sql(table)}
    where account_id = ${account_id} and id >= ${id} and id <= ${id} and id <> ''
    order by id limit 1`
  return row && placeOf(row, order)
}

/** Where a row stands in the order of its list. */
export function placeOf(
  row: Readonly<Record<string, unknown>>,
  order: readonly Ordering[] = BY_TIME_AND_ID,
): Place {
  return order.map(({ column }) => String(row[column]))
}

/** Between the rows of one time and those of the next. */
function byTime(order: readonly Ordering[]): Locate {
  return async (_sql, _account_id, { created_at, side }) => {
    const ends = order.slice(1).map(({ type }) => ENDS[type][side === 'before' ? 0 : 1])
    return [created_at, ...ends]
  }
}

function laterOf(order: readonly Ordering[], a: Place, b: Place): Place {
  return isEarlier(order, a, b) ? b : a
}

function earlierOf(order: readonly Ordering[], a: Place, b: Place): Place {
  return isEarlier(order, a, b) ? a : b
}

function isEarlier(order: readonly Ordering[], a: Place, b: Place): boolean {
  for (const [i, { type }] of order.entries()) {
    const [one = '', other = ''] = [a[i], b[i]]
    if (one === other) continue
    return type === 'bigint' ? BigInt(one) < BigInt(other) : one < other
  }
  return false
}

/** What a list of two tables is ordered by. */
type Placed = Key & { readonly created_at: Instant }

/**
 * What of the second of two tables can still stand on a page of which this is the first one's part:
 * nothing beyond the last row of a full page. So no table is walked farther than the other reaches.
 */
export function withinReach(wanted: Wanted, page: Page<Placed>): Wanted {
  const newest_first = wanted.cursor?.towards !== 'newer'
  const last = newest_first ? page.rows.at(-1) : page.rows[0]
  if (!page.has_more || last === undefined) return wanted
  const { created_at } = last
  if (newest_first) {
    return { ...wanted, above: newerOf(wanted.above, { created_at, side: 'before' }) }
  }
  return { ...wanted, below: olderOf(wanted.below, { created_at, side: 'after' }) }
}

/** One page of the pages of two tables, whose ids differ behind the prefix that they now share. */
export function mergePages<Row extends Placed>(
  { limit, cursor }: Wanted,
  ...[first, second]: readonly [Page<Row>, Page<Row>]
): Page<Row> {
  const rows = [...first.rows, ...second.rows].sort(newestFirst)
  const page = cursor?.towards === 'newer' ? rows.slice(-limit) : rows.slice(0, limit)
  return { rows: page, has_more: first.has_more || second.has_more || rows.length > limit }
}

function newestFirst(a: Placed, b: Placed): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1
  return a.id < b.id ? 1 : -1
}

export function newerOf(a: Moment, b: Moment): Moment {
  return isOlder(a, b) ? b : a
}

export function olderOf(a: Moment, b: Moment): Moment {
  return isOlder(a, b) ? a : b
}

function isOlder(a: Moment, b: Moment): boolean {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at
  return a.side === 'before' && b.side === 'after'
}
