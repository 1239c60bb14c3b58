// Finds and lists the rows that a book numbers: events and journals. id.ts computes their ids, so
// no index has them: the number in an id locates the row. A later row has a higher number.
import { type IdPrefix, type Key, nameOf, numberedId, numberIn } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import { type Moment, NEWEST, OLDEST, type Order, type Place } from './order.ts'
import type { Tag } from './sql.ts'

/**
 * A column whose numbers have no gaps within an account, and the column of `books` that counts
 * them. A row of events has the number of its last event.
 */
export interface Numbers {
  readonly table: 'events' | 'journals'
  readonly column: 'sequence' | 'number'
  readonly count: 'event_count' | 'journal_count'
}

/** PostgreSQL's largest bigint. */
const MAX_BIGINT = '9223372036854775807'

/** The order of a list by `column`. `among` is the SQL condition that selects the list's rows. */
export function byNumber(
  prefix: IdPrefix,
  column: string,
  numbers: Numbers,
  among = 'true',
): Order {
  return {
    columns: [{ column, type: 'bigint' }],
    locate: async (sql, account_id, moment, wanted): Promise<Place> => [
      await locateNumber(sql, numbers, account_id, moment, wanted),
    ],
    placeOf: id => [String(numberIn(id))],
    async find(sql, table, { account_id, id }) {
      const number = String(numberIn(id))
      const [row] = await sql<{ created_at: Instant }[]>`
        select created_at from ${sql(table)}
        where account_id = ${account_id} and ${sql(column)} = ${number}::text::bigint
          and (${sql.unsafe(among)}) is true
        order by ${sql(column)} limit 1`
      if (row === undefined) return undefined
      return numberedId(prefix, { ...row, account_id }, BigInt(number)) === id
        ? [number]
        : undefined
    },
  }
}

/** `k(account_id, number)`, made from numbered ids. Join it laterally, with `limit 1`. */
export function numbersOf(sql: Tag, keys: readonly Key[]) {
  const account_ids = keys.map(key => key.account_id)
  const numbers = keys.map(key => String(numberIn(key.id)))
  return sql`unnest(${account_ids}::text[], ${numbers}::text[]::bigint[]) as k(account_id, number)`
}

/** Keeps the rows whose id is among the keys: a wrong id may still have the number of a row. */
export function withKeys<Row extends Key>(rows: readonly Row[], keys: readonly Key[]): Row[] {
  const names = new Set(keys.map(nameOf))
  return rows.filter(row => names.has(nameOf(row)))
}

/**
 * Finds the number of the last row older than a moment (`above`), or of the first newer row
 * (`below`). The binary search takes some twenty index look-ups for a million rows; an index by
 * time would slow every write.
 */
export async function locateNumber(
  sql: Tag,
  { table, column, count }: Numbers,
  account_id: string,
  { created_at, side }: Moment,
  wanted: 'above' | 'below',
): Promise<string> {
  if (created_at === OLDEST.created_at) return '0'
  if (created_at === NEWEST.created_at) return MAX_BIGINT
  const older = side === 'before' ? sql`created_at < t.at` : sql`created_at <= t.at`
  const [found] = await sql<{ older: bigint; newer: bigint }[]>`
    with recursive halves(older, newer) as (
      select 0::bigint, ${sql(count)} + 1 from books where account_id = ${account_id}
      union all
      select case when e.is_older then middle else older end,
        case when e.is_older then newer else middle end
      from (select older, newer, (older + newer) / 2 as middle from halves
        where newer - older > 1) h
      cross join (select ${created_at}::timestamptz as at) t
      cross join lateral (
        select ${older} as is_older from ${sql(table)}
        where account_id = ${account_id} and ${sql(column)} >= h.middle
        order by ${sql(column)} limit 1
      ) e
    )
    select older, newer from halves where newer - older = 1`
  if (found === undefined) throw new Error(`account ${account_id} has gaps in its ${table}`)
  return String(wanted === 'above' ? found.older : found.newer)
}
