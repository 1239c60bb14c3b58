// The SQL statements of answers kept under Idempotency-Keys.
import type { TransactionSql } from '../../sql/connect.ts'
import { type Connections, deleteInPortions, PORTION } from '../../sql/delete-expired.ts'
import { inserter } from '../../sql/rows.ts'
import { eachShard, tableAt, within } from '../../sql/shard.ts'
import { KEPT_KINDS, type KeptReply } from './kept-reply.ts'
import { KEPT_HOURS } from './rules.ts'

type Name = Pick<KeptReply, 'account_id' | 'operation' | 'key'>

/** Also returns expired answers that are not deleted yet. Call it under the locks of the books. */
export async function findKeptReplies(
  tx: TransactionSql,
  keys: readonly Name[],
): Promise<KeptReply[]> {
  return eachShard(keys, keys => {
    const account_ids = keys.map(key => key.account_id)
    const operations = keys.map(key => key.operation)
    const texts = keys.map(key => key.key)
    // The limit makes this one index look-up a key; see keysOf.
    return tx<KeptReply[]>`
      select r.*
      from unnest(${account_ids}::text[], ${operations}::text[], ${texts}::text[])
        as k(account_id, operation, key)
      cross join lateral (
        select account_id, operation, key, encode(request_hash, 'hex') as request_hash, status,
          body, headers, created_at
        from ${tableAt(tx, 'idempotency_keys')} i
        where i.account_id = k.account_id and i.operation = k.operation and i.key = k.key
          ${within('i', keys)}
        limit 1
      ) r`
  })
}

/** Inserts answers. Replaces an expired row of the same key. */
export const insertKeptReplies = inserter<KeptReply>(
  'idempotency_keys',
  KEPT_KINDS,
  `on conflict (account_id, operation, key) do update set
    request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
    headers = excluded.headers, created_at = excluded.created_at`,
)

/**
 * Deletes expired answers, a thousand at a time; returns how many. Compares the age again for each
 * deleted row: a new answer may have replaced the row while the deletion waited for its lock, and
 * not every server evaluates the condition again.
 */
export function deleteExpiredReplies({ finder, sql }: Connections): Promise<number> {
  const age = `${KEPT_HOURS} hours`
  return deleteInPortions(sql, {
    find: () => finder<{ account_id: string }[]>`
      select account_id from idempotency_keys
      where created_at <= statement_timestamp() - ${age}::interval
      order by created_at limit ${PORTION}`,
    remove: (tx, owners) => tx`
      delete from idempotency_keys d where ctid = any (array(
        select ctid from idempotency_keys i
        where created_at <= statement_timestamp() - ${age}::interval ${within('i', owners)}
        order by created_at limit ${PORTION}
      )) and created_at <= statement_timestamp() - ${age}::interval ${within('d', owners)}`,
  })
}
