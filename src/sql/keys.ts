// Reads many rows by (account, id) at once, and finds the account of an id.
import { type Key, uniqueKeys } from '../values/id.ts'
import type { Sql } from './connect.ts'
import { eachShard, isSpread, tableAt, within } from './shard.ts'
import { type Fragment, sql, type Tag } from './sql.ts'

/**
 * `k(account_id, id)`, each key once, so that no row comes twice. Join it laterally with `limit 1`,
 * which makes the planner use one index look-up a key. A plain join, prepared while the table was
 * empty, may stay a scan for ever.
 */
export function keysOf(keys: readonly Key[]) {
  const unique = uniqueKeys(keys)
  const only = unique[0]
  if (only !== undefined && unique.length === 1 && !isSpread()) {
    return sql`(select ${only.account_id}::text, ${only.id}::text) as k(account_id, id)`
  }
  const account_ids = unique.map(key => key.account_id)
  const ids = unique.map(key => key.id)
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
      select ${sql(columns)} from ${tableAt(sql, table)} t where ${ofKey} limit 1`,
  )
}

/**
 * Runs a select for each key, and returns the rows of all. `ofKey` is the condition that a row of
 * the table `t` belongs to the key: its `column` has the key's id.
 */
export function selectByKeys<Row>(
  sql: Tag,
  column: string,
  keys: readonly Key[],
  select: (ofKey: Fragment) => Fragment,
): Promise<Row[]> {
  return eachShard(keys, keys => {
    const ofKey = sql`
      t.account_id = k.account_id and t.${sql.unsafe(column)} = k.id ${within('t', keys)}`
    return sql<(Row & object)[]>`
      select r.* from ${keysOf(keys)} cross join lateral (${select(ofKey)}) r`
  })
}

/**
 * The account of an object that an operator names by its id alone. No index begins with the id, so
 * this takes one index look-up for each account.
 * @throws Error when two accounts have the id
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
  // Ids have only 25 random bits (docs/decisions/ids-and-clocks.md), so two accounts can share one.
  if (row !== undefined && another !== undefined) {
    throw new Error(`${row.account_id} and ${another.account_id} both have ${id}`)
  }
  return row?.account_id
}
