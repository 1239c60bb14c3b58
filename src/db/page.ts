// One page of a list, by key and not by offset: rows of one account in the order of the list,
// between two places of that order. Works on any table that has account_id and an index in the
// order of its list; knows no query parameter.
import type { Fragment } from 'postgres'
import type { Sql, TransactionSql } from './connect.ts'
import { earlierOf, laterOf, type Moment, type Order, type Place } from './order.ts'
import type { OfAccount } from './shard.ts'

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

/** What rows may be asked for; a name alone is a column that leads always. */
export interface Filter {
  readonly name: string
  /** The column that is compared. */
  readonly by: string
  /**
   * Whether the page is read from an index on (account_id, it, …order): always, only when no other
   * filter is there, or never.
   */
  readonly leads: 'always' | 'alone' | 'never'
  /** What is common, so that the index leaves it out; by default '', which is "not set". */
  readonly common?: readonly string[]
  /** Another condition that holds of all rows of the index, as the index has it. */
  readonly within?: string
  /**
   * Whether the bounds alone state the value, which they do: by an equality the primary key would
   * be in order as well, and could be walked for what few rows have.
   */
  readonly by_bounds?: boolean
  /**
   * The narrow table that has the account, the column and the id of each row with this value; the
   * page is read from it. Of lists in the order of ids.
   */
  readonly kept?: (value: string) => Narrow
}

export interface Narrow {
  readonly table: string
  /**
   * What the index on (account_id, the column, id) has of all its rows, as it has it; null for a
   * value that most rows have, which is read in the order of the primary key.
   */
  readonly stated: string | null
}

/** Where rows are listed from. */
export interface Listed {
  readonly table: string
  readonly columns: readonly string[]
  /** What is joined to each row of the table, called `p`, as a single row of other columns. */
  readonly join?: (sql: Sql | TransactionSql, items: readonly OfAccount[]) => Fragment
  readonly order: Order
  /** What fewest rows share first. */
  readonly filters: readonly (string | Filter)[]
  /**
   * Columns that together have few values in an account, with an index on (account_id, they,
   * …order). What filters by some of them is read from each of their values that fits, so that one
   * index is quick for all of them, however few rows have what is looked for.
   */
  readonly kinds?: readonly string[]
  /**
   * The condition that the index by kinds is partial by. It is then the list as well: without any
   * filter a page is the first rows of all kinds, merged.
   */
  readonly merged?: string
  /** A condition that is true of every row, and that the index of the whole list is partial by. */
  readonly listed_by?: string
}

/**
 * One page, or undefined when the cursor names no row of the account. `besides` is a further
 * condition: `and …`, its values in selects of their own.
 */
export async function findPage<Row extends object>(
  sql: Sql | TransactionSql,
  listed: Listed,
  account_id: string,
  wanted: Wanted,
  besides?: Fragment,
): Promise<Page<Row> | undefined> {
  const { order, table } = listed
  const { cursor } = wanted
  const find = (id: string) => order.find(sql, table, { account_id, id })
  const told = cursor && order.placeOf?.(cursor.id)
  const place = told ?? (cursor && (await find(cursor.id)))
  if (place === undefined) return undefined
  const [there, page] = await Promise.all([
    cursor && told ? find(cursor.id) : place,
    findPageAt<Row>(sql, listed, account_id, wanted, place, besides),
  ])
  return there === undefined ? undefined : page
}

/** The same from a known place, which a row of another table may have; null without cursor. */
export async function findPageAt<Row extends object>(
  sql: Sql | TransactionSql,
  listed: Listed,
  account_id: string,
  { limit, cursor, filters, ...moments }: Wanted,
  place: Place | null,
  besides: Fragment = sql``,
): Promise<Page<Row>> {
  const { order } = listed
  const [above, below] = await Promise.all([
    order.locate(sql, account_id, moments.above, 'above'),
    order.locate(sql, account_id, moments.below, 'below'),
  ])
  const newest_first = cursor?.towards !== 'newer'
  const after = place === null || newest_first ? above : laterOf(order.columns, above, place)
  const before = place === null || !newest_first ? below : earlierOf(order.columns, below, place)
  const scan = { account_id, after, before, newest_first, limit: limit + 1, filters, besides }
  const rows = await sql<Row[]>`${selectOf(sql, listed, scan)}`
  const page = rows.slice(0, limit)
  return { rows: newest_first ? page : page.reverse(), has_more: rows.length > limit }
}

/** The rows between two places, from one end of them. */
interface Scan {
  readonly account_id: string
  readonly after: Place
  readonly before: Place
  readonly newest_first: boolean
  readonly limit: number
  readonly filters: Wanted['filters']
  readonly besides: Fragment
}

function selectOf(sql: Sql | TransactionSql, listed: Listed, scan: Scan): Fragment {
  const lead = leadOf(listed, scan.filters)
  const { kinds = [], merged } = listed
  const columns = new Map(listed.filters.map(asFilter).map(({ name, by }) => [name, by]))
  const named = Object.keys(scan.filters).filter(name => kinds.includes(columns.get(name) ?? ''))
  if (lead?.filter.kept !== undefined) {
    return narrowOf(sql, listed, scan, lead, lead.filter.kept(lead.value))
  }
  if (lead !== undefined || (named.length === 0 && (merged === undefined || kinds.length === 0))) {
    const led = lead === undefined ? [] : [sql`(select ${lead.value})`]
    return rangeOf(sql, listed, scan, { by: lead === undefined ? [] : [lead.filter.by], led, lead })
  }
  const led = kinds.map(column => sql`k.${sql(column)}`)
  const wanted = named.map(name => {
    return sql`and k.${sql(columns.get(name) ?? '')} = (select ${scan.filters[name] ?? ''})`
  })
  // The values that there are, from each to the next by index; of those that fit, the first rows.
  const names = joined(
    sql,
    kinds.map(column => sql`${sql(column)}`),
  )
  const table = sql(listed.table)
  const within = merged === undefined ? sql`` : sql`and ${sql.unsafe(merged)}`
  return sql`
    with recursive k as (
      (select ${names} from ${table} where account_id = ${scan.account_id} ${within}
        order by ${names} limit 1)
      union all
      select next.* from k cross join lateral (
        select ${names} from ${table}
        where account_id = ${scan.account_id} and (${names}) > (${joined(sql, led)})
          ${within}
        order by ${names} limit 1
      ) next
    )
    select r.* from k cross join lateral (
      ${rangeOf(sql, listed, scan, { by: kinds, led, lead: undefined })}
    ) r
    where true ${all(sql, wanted)}
    order by ${inOrder(sql, orderColumns(sql, listed), scan)} limit (select ${scan.limit}::integer)`
}

/**
 * What stands before the order in the index that is read, so that bounds and order are those of
 * that index alone.
 */
interface Leading {
  readonly by: readonly string[]
  readonly led: readonly Fragment[]
  readonly lead: Lead | undefined
}

/**
 * Both bounds always stand here, so that there are few statements to plan. Values stand in selects
 * of their own, which hides them from the planner: it would else plan for each value, and sort what
 * looks like few rows.
 */
function rangeOf(
  sql: Sql | TransactionSql,
  listed: Listed,
  { account_id, after, before, limit, filters, besides, ...scan }: Scan,
  { by, led, lead }: Leading,
): Fragment {
  const { order } = listed
  const key = [...by.map(column => sql`${sql(column)}`), ...orderColumns(sql, listed)]
  const bound = (place: Place) => {
    const values = order.columns.map(
      ({ type }, i) => sql`(select ${place[i] ?? ''}::text::${sql.unsafe(type)})`,
    )
    return joined(sql, [...led, ...values])
  }
  return sql`
    select ${sql([...listed.columns])} from ${rowsOf(sql, listed, account_id)}
    where account_id = ${account_id}
      ${conditions(sql, listed, filters, by, lead)} ${besides}
      and (${joined(sql, key)}) > (${bound(after)})
      and (${joined(sql, key)}) < (${bound(before)})
    order by ${inOrder(sql, key, scan)}
    limit (select ${limit}::integer)`
}

/** Found in order in the narrow table, rows are read by key and judged by what else is asked. */
function narrowOf(
  sql: Sql | TransactionSql,
  listed: Listed,
  { account_id, after, before, limit, filters, besides, ...scan }: Scan,
  { filter: { by }, value }: Lead,
  { table, stated }: Narrow,
): Fragment {
  const led = stated === null ? [] : [sql`(select ${value})`]
  const key = [...led.map(() => sql`n.${sql(by)}`), sql`n.id`]
  const bound = ([id = '']: Place) => joined(sql, [...led, sql`(select ${id}::text)`])
  return sql`
    select r.* from ${sql(table)} n
    cross join lateral (
      select ${sql([...listed.columns])} from ${rowsOf(sql, listed, account_id)}
      where account_id = ${account_id} and id = n.id
        ${conditions(sql, listed, filters, [by], undefined)} ${besides}
      limit 1
    ) r
    where n.account_id = ${account_id} and n.${sql(by)} = (select ${value})
      ${stated === null ? sql`` : sql`and ${sql.unsafe(stated)}`}
      and (${joined(sql, key)}) > (${bound(after)}) and (${joined(sql, key)}) < (${bound(before)})
    order by ${inOrder(sql, key, scan)}
    limit (select ${limit}::integer)`
}

/** The table, with what is joined to it. */
function rowsOf(sql: Sql | TransactionSql, { table, join }: Listed, account_id: string): Fragment {
  return join === undefined
    ? sql`${sql(table)}`
    : sql`${sql(table)} p ${join(sql, [{ account_id }])}`
}

function orderColumns(sql: Sql | TransactionSql, { order }: Listed): Fragment[] {
  return order.columns.map(({ column }) => sql`${sql(column)}`)
}

function inOrder(
  sql: Sql | TransactionSql,
  key: readonly Fragment[],
  { newest_first }: Pick<Scan, 'newest_first'>,
): Fragment {
  return joined(sql, newest_first ? key.map(column => sql`${column} desc`) : key)
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
  { filters: known, listed_by, merged }: Listed,
  filters: Wanted['filters'],
  by: readonly string[],
  lead: Lead | undefined,
): Fragment {
  // Sorted, so that the order in which they were sent makes no other statement.
  const names = Object.keys(filters).sort()
  const equal = names.map(name => {
    const filter = known.map(asFilter).find(filter => filter.name === name)
    if (filter === undefined) throw new Error(`no filter ${name}`)
    if (lead?.filter.name === name && filter.by_bounds === true) return sql``
    return sql`and ${sql(filter.by)} = (select ${filters[name] ?? ''})`
  })
  const whole = by.length === 0 ? listed_by : merged
  const stated = lead === undefined ? whole : said(lead.filter)
  if (stated !== undefined) equal.push(sql`and ${sql.unsafe(stated)}`)
  return all(sql, equal)
}

/** What the index has of all its rows, to the letter. */
function said({ by, within, common = NOT_SET }: Filter): string {
  if (within !== undefined) return within
  const [first = '', ...more] = common.map(value => `'${value}'`)
  return more.length === 0 ? `${by} <> ${first}` : `${by} not in (${[first, ...more].join(', ')})`
}

function joined(sql: Sql | TransactionSql, parts: readonly Fragment[]): Fragment {
  return parts.reduce((all, part) => sql`${all}, ${part}`)
}

function all(sql: Sql | TransactionSql, conditions: readonly Fragment[]): Fragment {
  return conditions.reduce((all, one) => sql`${all} ${one}`, sql``)
}
