// Reads one page of an account's list by keyset pagination: the rows between two places of the
// list's order. Works on any table with account_id and an index in that order.
import { earlierOf, laterOf, type Moment, type Order, type Place } from './order.ts'
import type { OfAccount } from './shard.ts'
import { type Fragment, sql, type Tag } from './sql.ts'
import { cutPage, type Followed, type Page, withinBytes } from './within-bytes.ts'

export type { Page } from './within-bytes.ts'

/** The rows that a request asks for. */
export interface Wanted {
  /** 1 to 100. */
  readonly limit: number
  /** Only rows newer than this. */
  readonly above: Moment
  /** Only rows older than this. */
  readonly below: Moment
  readonly filters: Filters
  /** The page has the newest rows older than this one, or the oldest rows newer than it. */
  readonly cursor: Cursor | null
}

/** Each filter's accepted values. '' accepts rows without a value, which tables store as ''. */
export type Filters = Readonly<Record<string, readonly string[]>>

export interface Cursor {
  readonly id: string
  readonly towards: 'older' | 'newer'
}

/** A filter of a list. A plain name is a column with an index that always leads. */
export interface Filter {
  readonly name: string
  /** The column to compare. */
  readonly by: string
  /**
   * When the page is read from an index on (account_id, column, …order): always; only when no other
   * filter is set; or never.
   */
  readonly leads: 'always' | 'alone' | 'never'
  /** Common values, which the index leaves out; by default '', "not set". */
  readonly common?: readonly string[]
  /** The predicate of the index, to the letter, if it does not follow from `common`. */
  readonly within?: string
  /**
   * Leaves out the equality, because the bounds have the value. With an equality the primary key
   * would have the right order too, and the planner might walk it for a rare value.
   */
  readonly by_bounds?: boolean
  /**
   * The narrow table from which the page is read. It has the account, the column and the id of each
   * row with this value. For lists in the order of ids.
   */
  readonly kept?: (value: string) => Narrow
  /** Reads the page along another table. `rangeOf` selects the list's rows for one row of it. */
  readonly walk?: Walk
}

type Walk = (sql: Tag, scan: Scan, rangeOf: (condition: Fragment) => Fragment) => Fragment

export interface Narrow {
  readonly table: string
  /**
   * The predicate of the index on (account_id, column, id), to the letter; null for a value that
   * most rows have, which is read along the primary key.
   */
  readonly stated: string | null
  /** A further condition on the narrow table, whose alias is `n`. */
  readonly besides?: Fragment
  /** Whether only the narrow table has the value. */
  readonly alone?: boolean
}

export interface Listed {
  readonly table: string
  readonly columns: readonly string[]
  /** A join that adds one row's columns to each row of the table, whose alias is `p`. */
  readonly join?: (sql: Tag, items: readonly OfAccount[]) => Fragment
  readonly order: Order
  /** The most selective filter first. */
  readonly filters: readonly (string | Filter)[]
  /**
   * Columns that together have few distinct values in an account, with an index on (account_id,
   * …kinds, …order). A filter by some of them reads from the index once for each matching
   * combination, so that one index serves all of them, even for rare values.
   */
  readonly kinds?: readonly string[]
  /**
   * The predicate of the index by kinds, if it is partial. That index then serves the whole list:
   * without filters a page merges the first rows of all kinds.
   */
  readonly merged?: string
  /** The predicate of the index of the whole list, which is true of every row. */
  readonly listed_by?: string
  /** The columns that can be long. They bound a page in bytes. */
  readonly long?: readonly string[]
}

/**
 * One page; undefined when the cursor names no row of the account. `besides` is a further
 * condition, `and …`, with its values in sub-selects.
 */
export async function findPage<Row extends object>(
  tx: Tag,
  listed: Listed,
  account_id: string,
  wanted: Wanted,
  besides?: Fragment,
): Promise<Page<Row> | undefined> {
  const { order, table } = listed
  const { cursor } = wanted
  const find = (id: string) => order.find(tx, table, { account_id, id })
  const computed = cursor && order.placeOf?.(cursor.id)
  const place = computed ?? (cursor && (await find(cursor.id)))
  if (place === undefined) return undefined
  // The page is read beside the check that the cursor's row exists.
  const [found, page] = await Promise.all([
    cursor && computed ? find(cursor.id) : place,
    findPageAt<Row>(tx, listed, account_id, wanted, place, besides),
  ])
  return found === undefined ? undefined : page
}

/** One page from a place, which a row of another table may have; null reads from the bounds. */
export async function findPageAt<Row extends object>(
  tx: Tag,
  listed: Listed,
  account_id: string,
  { limit, cursor, filters, ...moments }: Wanted,
  place: Place | null,
  besides: Fragment = sql``,
): Promise<Page<Row>> {
  const { order } = listed
  const [above, below] = await Promise.all([
    order.locate(tx, account_id, moments.above, 'above'),
    order.locate(tx, account_id, moments.below, 'below'),
  ])
  const newest_first = cursor?.towards !== 'newer'
  const after = place === null || newest_first ? above : laterOf(order.columns, above, place)
  const before = place === null || !newest_first ? below : earlierOf(order.columns, below, place)
  const scan = { account_id, after, before, newest_first, limit: limit + 1, filters, besides }
  const query = tx<(Row & Followed)[]>`${withinBytes(listed, selectOf(listed, scan))}`
  const rows = await (isWorthPreparing(filters) ? query : query.unprepared())
  const page = cutPage(rows, limit)
  return newest_first ? page : { ...page, rows: page.rows.toReversed() }
}

const FEW_FILTERS = 2

/**
 * Whether connections keep the statement prepared: only for few filters with one value each.
 * Callers can combine filters in millions of ways, and each prepared statement takes PostgreSQL's
 * memory.
 */
function isWorthPreparing(filters: Filters): boolean {
  const values = Object.values(filters)
  return values.length <= FEW_FILTERS && values.every(({ length }) => length <= 1)
}

/** The rows between two places, read from one end. */
export interface Scan {
  readonly account_id: string
  readonly after: Place
  readonly before: Place
  readonly newest_first: boolean
  readonly limit: number
  readonly filters: Filters
  readonly besides: Fragment
}

function selectOf(listed: Listed, scan: Scan): Fragment {
  const lead = leadOf(listed, scan.filters)
  const { kinds = [], merged } = listed
  const columns = new Map(listed.filters.map(asFilter).map(({ name, by }) => [name, by]))
  const named = Object.keys(scan.filters).filter(name => kinds.includes(columns.get(name) ?? ''))
  if (lead !== undefined) return ledBy(listed, scan, lead)
  if (named.length === 0 && (merged === undefined || kinds.length === 0)) {
    return rangeOf(listed, scan, WHOLE)
  }
  const led = kinds.map(column => sql`k.${sql(column)}`)
  const wanted = named.map(name => {
    return sql`and k.${sql(columns.get(name) ?? '')} ${oneOf(scan.filters[name])}`
  })
  // Skips along the index from one combination of kinds to the next, and reads the first rows of
  // each.
  const names = joined(kinds.map(column => sql`${sql(column)}`))
  const table = sql(listed.table)
  const within = merged === undefined ? sql`` : sql`and ${sql.unsafe(merged)}`
  return sql`
    with recursive k as (
      (select ${names} from ${table} where account_id = ${scan.account_id} ${within}
        order by ${names} limit 1)
      union all
      select next.* from k cross join lateral (
        select ${names} from ${table}
        where account_id = ${scan.account_id} and (${names}) > (${joined(led)})
          ${within}
        order by ${names} limit 1
      ) next
    )
    select r.* from k cross join lateral (
      ${rangeOf(listed, scan, { by: kinds, led, lead: undefined })}
    ) r
    where true ${all(wanted)}
    order by ${inOrder(orderColumns(listed), scan)} limit (select ${scan.limit}::integer)`
}

/** Reads the leading filter's index: one range, or one range for each of its values. */
function ledBy(listed: Listed, scan: Scan, lead: Lead): Fragment {
  const { filter, values } = lead
  const [value = '', ...more] = values
  const by = [filter.by]
  if (filter.walk !== undefined) {
    const { [filter.name]: _, ...filters } = scan.filters
    const within = (besides: Fragment) => ({ ...scan, filters, besides })
    return filter.walk(sql, scan, condition =>
      rangeOf(listed, within(sql`${scan.besides} ${condition}`), WHOLE),
    )
  }
  if (filter.kept !== undefined) {
    const { kept } = filter
    const one = (value: string) => narrowOf(listed, scan, { filter, value }, kept(value))
    if (more.length === 0) return one(value)
    // Sorted, so that there are few different statements.
    const parts = values.toSorted().map(value => sql`(${one(value)})`)
    const all = parts.reduce((all, part) => sql`${all} union all ${part}`)
    return firstOf(listed, scan, sql`(${all}) r`)
  }
  if (more.length === 0) {
    return rangeOf(listed, scan, { by, led: [sql`(select ${value})`], lead })
  }
  const each = rangeOf(listed, scan, { by, led: [sql`v.value`], lead })
  const from = sql`unnest(${[...values]}::text[]) v (value) cross join lateral (${each}) r`
  return firstOf(listed, scan, from)
}

/** The first rows of the page among those of `r`. */
function firstOf(listed: Listed, scan: Scan, from: Fragment): Fragment {
  return sql`
    select r.* from ${from}
    order by ${inOrder(orderColumns(listed), scan)} limit (select ${scan.limit}::integer)`
}

/** The columns of the index before the order. With bounds and order, only that index fits. */
interface Leading {
  readonly by: readonly string[]
  readonly led: readonly Fragment[]
  readonly lead: Lead | undefined
}

const WHOLE: Leading = { by: [], led: [], lead: undefined }

/**
 * Selects the rows between two places. Always has both bounds, so that there are few different
 * statements. Each value is a sub-select, which hides it from the planner: the planner would plan
 * for each value, and sort where it expects few rows.
 */
function rangeOf(
  listed: Listed,
  { account_id, after, before, limit, filters, besides, ...scan }: Scan,
  { by, led, lead }: Leading,
): Fragment {
  const { order } = listed
  const key = [...by.map(column => sql`${sql(column)}`), ...orderColumns(listed)]
  const bound = (place: Place) => {
    const values = order.columns.map(
      ({ type }, i) => sql`(select ${place[i] ?? ''}::text::${sql.unsafe(type)})`,
    )
    return joined([...led, ...values])
  }
  return sql`
    select ${sql([...listed.columns])} from ${rowsOf(listed, account_id)}
    where account_id = ${account_id}
      ${conditions(listed, filters, { by, led, lead })} ${besides}
      and (${joined(key)}) > (${bound(after)})
      and (${joined(key)}) < (${bound(before)})
    order by ${inOrder(key, scan)}
    limit (select ${limit}::integer)`
}

/** Walks the narrow table in order, reads each row by its key and applies the other filters. */
function narrowOf(
  listed: Listed,
  { account_id, after, before, limit, filters, besides, ...scan }: Scan,
  { filter: { name, by }, value }: { readonly filter: Filter; readonly value: string },
  { table, stated, alone, besides: within = sql`` }: Narrow,
): Fragment {
  const led = stated === null ? [] : [sql`(select ${value})`]
  const key = [...led.map(() => sql`n.${sql(by)}`), sql`n.id`]
  const bound = ([id = '']: Place) => joined([...led, sql`(select ${id}::text)`])
  const stating = { by: [by], led: [], lead: undefined }
  const { [name]: _, ...others } = filters
  const stated_filters = alone === true ? others : { ...filters, [name]: [value] }
  return sql`
    select r.* from ${sql(table)} n
    cross join lateral (
      select ${sql([...listed.columns])} from ${rowsOf(listed, account_id)}
      where account_id = ${account_id} and id = n.id
        ${conditions(listed, stated_filters, stating)} ${besides}
      limit 1
    ) r
    where n.account_id = ${account_id} and n.${sql(by)} = (select ${value})
      ${stated === null ? sql`` : sql`and ${sql.unsafe(stated)}`} ${within}
      and (${joined(key)}) > (${bound(after)}) and (${joined(key)}) < (${bound(before)})
    order by ${inOrder(key, scan)}
    limit (select ${limit}::integer)`
}

function rowsOf({ table, join }: Listed, account_id: string): Fragment {
  return join === undefined
    ? sql`${sql(table)}`
    : sql`${sql(table)} p ${join(sql, [{ account_id }])}`
}

function orderColumns({ order }: Listed): Fragment[] {
  return order.columns.map(({ column }) => sql`${sql(column)}`)
}

function inOrder(key: readonly Fragment[], { newest_first }: Pick<Scan, 'newest_first'>): Fragment {
  return joined(newest_first ? key.map(column => sql`${column} desc`) : key)
}

/** The filter whose index is read. */
interface Lead {
  readonly filter: Filter
  readonly values: readonly string[]
}

const NOT_SET = ['']

function leadOf({ filters: known }: Listed, filters: Filters): Lead | undefined {
  const alone = Object.keys(filters).length === 1
  for (const filter of known.map(asFilter)) {
    const { name, leads, common = NOT_SET } = filter
    const values = filters[name]
    if (values === undefined || values.some(value => common.includes(value))) continue
    if (leads === 'always' || (leads === 'alone' && alone)) return { filter, values }
  }
  return undefined
}

function asFilter(filter: string | Filter): Filter {
  return typeof filter === 'string' ? { name: filter, by: filter, leads: 'always' } : filter
}

/** The equalities, and the predicate of the index. Without it the planner cannot use the index. */
function conditions(
  { filters: known, listed_by, merged }: Listed,
  filters: Filters,
  { by, led, lead }: Leading,
): Fragment {
  // Sorted, so that another order of a request's filters makes the same statement.
  const names = Object.keys(filters).sort()
  const equal = names.map(name => {
    const filter = known.map(asFilter).find(filter => filter.name === name)
    if (filter === undefined) throw new Error(`no filter ${name}`)
    const several = (filters[name] ?? []).length > 1
    if (lead?.filter.name === name) {
      if (filter.by_bounds === true) return sql``
      if (several) return sql`and ${sql(filter.by)} = ${led[0] ?? sql``}`
    }
    // The filter has already chosen the kinds.
    if (several && lead === undefined && by.includes(filter.by)) return sql``
    return sql`and ${sql(filter.by)} ${oneOf(filters[name])}`
  })
  const whole = by.length === 0 ? listed_by : merged
  const stated = lead === undefined ? whole : predicateOf(lead.filter)
  if (stated !== undefined) equal.push(sql`and ${sql.unsafe(stated)}`)
  return all(equal)
}

/** The condition that a column has one of these values, which are hidden from the planner. */
function oneOf(values: readonly string[] = []): Fragment {
  const [value = '', ...more] = values
  if (more.length === 0) return sql`= (select ${value})`
  return sql`= any ((select ${[...values]}::text[])::text[])`
}

/** The predicate of a filter's index, to the letter. */
function predicateOf({ by, within, common = NOT_SET }: Filter): string {
  if (within !== undefined) return within
  const [first = '', ...more] = common.map(value => `'${value}'`)
  return more.length === 0 ? `${by} <> ${first}` : `${by} not in (${[first, ...more].join(', ')})`
}

function joined(parts: readonly Fragment[]): Fragment {
  return parts.reduce((all, part) => sql`${all}, ${part}`)
}

function all(conditions: readonly Fragment[]): Fragment {
  return conditions.reduce((all, one) => sql`${all} ${one}`, sql``)
}
