// One page of a list, by key and not by offset: rows of one account in the order (created_at, id),
// between two places of that order. Works on any table that has account_id, id and created_at, and
// an index on (account_id, …, created_at, id) for each filter; knows no query parameter.
import type { Key } from '../id.ts'
import type { Instant } from '../instant.ts'
import type { Sql, TransactionSql } from './connect.ts'

/** A place in the order of a list. */
export interface Place {
  readonly created_at: Instant
  readonly id: string
}

/** Ids are ASCII of a small alphabet, so that one text stands before all of them, one after. */
export const BEFORE_IDS = ''
export const AFTER_IDS = '~'

/** What PostgreSQL compares as time, and JavaScript as text, as before and after every instant. */
export const OLDEST: Place = { created_at: '-infinity', id: BEFORE_IDS }
export const NEWEST: Place = { created_at: 'infinity', id: AFTER_IDS }

/** Which rows are wanted. */
export interface Wanted {
  /** 1 to 100. */
  readonly limit: number
  /** Only rows newer than this place. */
  readonly above: Place
  /** Only rows older than this place. */
  readonly below: Place
  /** Exact values by column; '' means "not set" in the tables and is never looked for. */
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

/** Where rows are listed from. */
export interface Listed {
  readonly table: string
  readonly columns: readonly string[]
  /** Columns to filter by, what fewest rows share first; each leads an index after the account. */
  readonly filters: readonly string[]
}

/** One page, or undefined when the cursor names no row of the account. */
export async function findPage<Row extends Key & Place>(
  sql: Sql | TransactionSql,
  { table, columns, filters: indexed }: Listed,
  account_id: string,
  { limit, cursor, filters, ...bounds }: Wanted,
): Promise<Page<Row> | undefined> {
  const place = cursor && (await findPlace(sql, table, { account_id, id: cursor.id }))
  if (place === undefined) return undefined
  const { above, below } = narrowed(bounds, place, cursor)
  const newest_first = cursor?.towards !== 'newer'
  const lead = indexed.find(name => name in filters)
  // Bounds and order are those of the index that the first filter leads, so that no other will do.
  const prefix = lead === undefined ? sql`` : sql`${sql(lead)},`
  const value = lead === undefined ? sql`` : sql`(select ${filters[lead] ?? ''}),`
  const back = newest_first ? sql`desc` : sql``
  const by = lead === undefined ? sql`` : sql`${sql(lead)} ${back},`
  // Both bounds always stand here, so that there are few statements to plan. Values stand in
  // selects of their own, which hides them from the planner: it would else plan for each value, and
  // sort what looks like few rows.
  const rows = await sql<Row[]>`
    select ${sql([...columns])} from ${sql(table)}
    where account_id = (select ${account_id}) ${equalTo(sql, filters)}
      and (${prefix} created_at, id)
        > (${value} (select ${above.created_at}::timestamptz), (select ${above.id}))
      and (${prefix} created_at, id)
        < (${value} (select ${below.created_at}::timestamptz), (select ${below.id}))
    order by ${by} created_at ${back}, id ${back} limit (select ${limit + 1}::integer)`
  const page = rows.slice(0, limit)
  return { rows: newest_first ? page : page.reverse(), has_more: rows.length > limit }
}

/** Without the second half, an index that leaves out what is not set could not be used. */
function equalTo(sql: Sql | TransactionSql, filters: Wanted['filters']) {
  // Sorted, so that the order in which they were sent makes no other statement.
  const names = Object.keys(filters).sort()
  return names.reduce(
    (all, name) =>
      sql`${all} and ${sql(name)} = (select ${filters[name] ?? ''}) and ${sql(name)} <> ''`,
    sql``,
  )
}

/** A row's place never changes, so that it may be read ahead of the page. */
async function findPlace(sql: Sql | TransactionSql, table: string, key: Key) {
  const [place] = await sql<Place[]>`
    select created_at, id from ${sql(table)}
    where account_id = ${key.account_id} and id = ${key.id} limit 1`
  return place
}

function narrowed(
  { above, below }: Pick<Wanted, 'above' | 'below'>,
  place: Place | null,
  cursor: Cursor | null,
): Pick<Wanted, 'above' | 'below'> {
  if (place === null) return { above, below }
  return cursor?.towards === 'newer'
    ? { above: newerOf(above, place), below }
    : { above, below: olderOf(below, place) }
}

export function newerOf(a: Place, b: Place): Place {
  return isOlder(a, b) ? b : a
}

export function olderOf(a: Place, b: Place): Place {
  return isOlder(a, b) ? a : b
}

function isOlder(a: Place, b: Place): boolean {
  return a.created_at === b.created_at ? a.id < b.id : a.created_at < b.created_at
}
