// Reading rows by (account, id), many at once, and finding the account of an id.
import type { Key } from '../id.ts'
import type { Sql, TransactionSql } from './connect.ts'
import { eachShard, within } from './shard.ts'

/**
 * `k(account_id, id)`, to be joined laterally with `limit 1`: the limit keeps the planner to one
 * index look-up a key. A plain join may be planned, once and for all, as a scan of a table that was
 * empty when the statement was prepared.
 */
export function keysOf(sql: Sql | TransactionSql, keys: readonly Key[]) {
  const account_ids = keys.map(key => key.account_id)
  const ids = keys.map(key => key.id)
  return sql`unnest(${account_ids}::text[], ${ids}::text[]) as k(account_id, id)`
}

/** Rows of a table by (account, id), in no order; what is not found is simply absent. */
export async function findByKeys<Row>(
  sql: Sql | TransactionSql,
  table: string,
  columns: readonly string[],
  keys: readonly Key[],
): Promise<Row[]> {
  return eachShard(
    keys,
    keys => sql<(Row & object)[]>`
      select r.* from ${keysOf(sql, keys)}
      cross join lateral (
        select ${sql([...columns])} from ${sql(table)} t
        where t.account_id = k.account_id and t.id = k.id ${within(sql, 't', keys)} limit 1
      ) r`,
  )
}

/**
 * The account of an object that an operator names by its id alone. No index leads by id, and none
 * is kept for this: one look-up an account, where a plain condition would scan the table.
 */
export async function findAccountOf(
  sql: Sql,
  table: 'entities' | 'payouts',
  id: string,
): Promise<string | undefined> {
  const [row, another] = await sql<{ account_id: string }[]>`
    select b.account_id from books b
    cross join lateral (
      select from ${sql(table)} o where o.account_id = b.account_id and o.id = ${id} limit 1
    ) o
    limit 2`
  // By chance, of which ids have little (docs/decisions/0050); then neither is meant.
  if (row !== undefined && another !== undefined) {
    throw new Error(`${row.account_id} and ${another.account_id} both have ${id}`)
  }
  return row?.account_id
}
