// The orders of lists, by id or by time, and the place of a time bound or a cursor in an order.
import { type IdPrefix, idBound, type Key } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import type { Tag } from './sql.ts'

/** The moment just before or just after everything created at this time. */
export interface Moment {
  readonly created_at: Instant
  readonly side: 'before' | 'after'
}

/** The moments before and after every instant, both as PostgreSQL's time and as text. */
export const OLDEST: Moment = { created_at: '-infinity', side: 'before' }
export const NEWEST: Moment = { created_at: 'infinity', side: 'after' }

/** Values before and after every value of a column, as text. */
const ENDS = {
  // Ids have only ASCII letters, digits and `_`.
  text: ['', '~'],
  bigint: ['0', '9223372036854775807'],
} as const

interface Ordering {
  readonly column: string
  readonly type: 'timestamptz' | keyof typeof ENDS
}

/** A place in an order: the value of each of its columns, as text. */
export type Place = readonly string[]

/** The order of a list. The place of a row never changes. */
export interface Order {
  readonly columns: readonly Ordering[]
  /** The place of a time bound. */
  readonly locate: Locate
  /** The place of an id's row, if the id alone determines it. */
  readonly placeOf?: (id: string) => Place
  /** The place of a row; undefined when the account has no such row. */
  find(sql: Tag, table: string, key: Key): Promise<Place | undefined>
}

/** `wanted` says whether the rows above or below the bound are listed. */
type Locate = (
  sql: Tag,
  account_id: string,
  moment: Moment,
  wanted: 'above' | 'below',
) => Place | Promise<Place>

/** The order by id, which is the order of the book (id.ts). The primary key is the list's index. */
export function byId(prefix: IdPrefix): Order {
  const columns: readonly Ordering[] = [{ column: 'id', type: 'text' }]
  return {
    columns,
    locate: (_sql, _account_id, { created_at, side }) => [idBound(prefix, created_at, side)],
    placeOf: id => [id],
    find: (sql, table, key) => findPlace(sql, table, columns, key),
  }
}

/** The order by time, and then by a column that distinguishes rows of one time. */
export function byTime(second: Ordering & { readonly type: keyof typeof ENDS }): Order {
  const columns: readonly Ordering[] = [{ column: 'created_at', type: 'timestamptz' }, second]
  return {
    columns,
    locate: (_sql, _account_id, { created_at, side }) => [
      created_at,
      ENDS[second.type][side === 'before' ? 0 : 1],
    ],
    find: (sql, table, key) => findPlace(sql, table, columns, key),
  }
}

/**
 * Finds a row's place. The bounds and the order fit only the index by id; with a plain equality, a
 * plan made while the table was empty might use any index of the account's rows.
 */
async function findPlace(
  sql: Tag,
  table: string,
  order: readonly Ordering[],
  { account_id, id }: Key,
): Promise<Place | undefined> {
  const [row] = await sql<Record<string, string | bigint>[]>`
    select ${sql(order.map(({ column }) => column))} from ${sql(table)}
    where account_id = ${account_id} and id >= ${id} and id <= ${id} and id <> ''
    order by id limit 1`
  return row && order.map(({ column }) => String(row[column]))
}

export function laterOf(order: readonly Ordering[], a: Place, b: Place): Place {
  return isEarlier(order, a, b) ? b : a
}

export function earlierOf(order: readonly Ordering[], a: Place, b: Place): Place {
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
