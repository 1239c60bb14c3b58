// The order of a list: by id or by time, and where bounds of time and cursors stand in it.
import { type IdPrefix, idBound, type Key } from '../id.ts'
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

/** Texts that stand before and after every value of ours. */
const ENDS = {
  // Ids are ASCII of a small alphabet.
  text: ['', '~'],
  bigint: ['0', '9223372036854775807'],
} as const

/** A column that rows are ordered by. */
export interface Ordering {
  readonly column: string
  readonly type: 'timestamptz' | keyof typeof ENDS
}

/** A place in the order of a list: a value for each column of the order, as text. */
export type Place = readonly string[]

/** The order of a list, in which each row of an account has a place that never changes. */
export interface Order {
  readonly columns: readonly Ordering[]
  /** Where a bound of time stands. */
  readonly locate: Locate
  /** Where the row of an id stands, when the id alone says so. */
  readonly placeOf?: (id: string) => Place
  /** The place of a row; undefined when the account has no row of that id. */
  find(sql: Sql | TransactionSql, table: string, key: Key): Promise<Place | undefined>
}

/** For the bound above which rows are wanted, or below which. */
export type Locate = (
  sql: Sql | TransactionSql,
  account_id: string,
  moment: Moment,
  wanted: 'above' | 'below',
) => Place | Promise<Place>

/** In the order of ids, which is that of the book (id.ts): the primary key is the list. */
export function byId(prefix: IdPrefix): Order {
  const columns: readonly Ordering[] = [{ column: 'id', type: 'text' }]
  return {
    columns,
    locate: (_sql, _account_id, { created_at, side }) => [idBound(prefix, created_at, side)],
    placeOf: id => [id],
    find: (sql, table, key) => findPlace(sql, table, columns, key),
  }
}

/** By time, and then by a column that tells rows of one time apart. */
export function byTime(then: Ordering & { readonly type: keyof typeof ENDS }): Order {
  const columns: readonly Ordering[] = [{ column: 'created_at', type: 'timestamptz' }, then]
  return {
    columns,
    locate: (_sql, _account_id, { created_at, side }) => [
      created_at,
      ENDS[then.type][side === 'before' ? 0 : 1],
    ],
    find: (sql, table, key) => findPlace(sql, table, columns, key),
  }
}

/**
 * In an order that only the index by id has: equality alone, planned while the table was empty,
 * would cost the same by any index of the account's rows.
 */
async function findPlace(
  sql: Sql | TransactionSql,
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
