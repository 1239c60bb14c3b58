// Reads many rows by (account, id) at once, and finds the account of an id.
import type { Key } from '../id.ts'
import type { Sql } from './connect.ts'
import { eachShard, tableAt, within } from './shard.ts'
import { type Fragment, sql, type Tag } from './sql.ts'

/**
 * `k(account_id, id)`, to be joined laterally with `limit 1`. The limit makes the planner use one
 * index look-up a key; a plain join, prepared while the table was empty, may stay a scan for ever.
 */
export function keysOf(keys: readonly Key[]) {
  const account_ids = keys.map(key => key.account_id)
  const ids = keys.map(key => key.id)
  return sql`unnest(${account_ids}::text[], ${ids}::text[]) as k(account_id, id)`
}

/** Rows of a table by (account, id), in no order. An unknown id has no row. */
export function findByKeys<Row>(
  sql: Tag,
  table: string,
  columns: readonly string[],
  keys: readonly Key[],
): Promise<Row[]> {
  return selectByKeys(
    sql,
    'id',
    keys,
    ofKey => sql`
      select ${sql([...columns])} from ${tableAt(sql, table)} t where ${ofKey} limit 1`,
  )
}

/**
 * The rows that a select finds for each key. `ofKey` is its condition: its table is `t`, and this
 * column of it has the id of the key.
 */
export function selectByKeys<Row>(
  sql: Tag,
  column: string,
  keys: readonly Key[],
  select: (ofKey: Fragment) => Fragment,
): Promise<Row[]> {
  return eachShard(keys, keys => {
    const named = sql.unsafe(`t.account_id = k.account_id and t.${column} = k.id`)
    return sql<(Row & object)[]>`
      select r.* from ${keysOf(keys)}
      cross join lateral (${select(sql`${named} ${within('t', keys)}`)}) r`
  })
}

/**
 * The account of an object that an operator names by its id alone. Each account is one index
 * look-up, as no index begins with the id.
 */
export async function findAccountOf(
  sql: Sql,
  table: 'beneficiaries' | 'entities' | 'payout_batches' | 'payouts' | 'webhook_endpoints',
  id: string,
): Promise<string | undefined> {
  const [row, another] = await sql<{ account_id: string }[]>`
    select b.account_id from books b
    cross join lateral (
      select from ${sql(table)} o where o.account_id = b.account_id and o.id = ${id} limit 1
    ) o
    limit 2`
  // Ids have only 25 random bits (docs/decisions/0050), so two accounts can share one.
  if (row !== undefined && another !== undefined) {
    throw new Error(`${row.account_id} and ${another.account_id} both have ${id}`)
  }
  return row?.account_id
}
