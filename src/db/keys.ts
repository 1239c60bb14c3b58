// Reading rows by (account, id), many at once.
import type { Key } from '../id.ts'
import type { Sql, TransactionSql } from './connect.ts'

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
