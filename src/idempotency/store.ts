// The statements of idempotency keys.
import type { TransactionSql } from '../db/connect.ts'
import { type Connections, deleteInPortions, PORTION } from '../db/forget.ts'
import { inserter } from '../db/rows.ts'
import { eachShard, within } from '../db/shard.ts'
import { KEPT_KINDS } from './columns.ts'
import type { KeptReply } from './kept-reply.ts'
import { KEPT_HOURS } from './rules.ts'

type Name = Pick<KeptReply, 'account_id' | 'operation' | 'key'>

/**
 * Also those that are kept no more and not yet forgotten. Read under the lock of the books, so none
 * is being written.
 */
export async function findKeptReplies(
  tx: TransactionSql,
  keys: readonly Name[],
): Promise<KeptReply[]> {
  return eachShard(keys, keys => {
    const account_ids = keys.map(key => key.account_id)
    const operations = keys.map(key => key.operation)
    const texts = keys.map(key => key.key)
    // One index look-up a key, by the limit; see keysOf.
    return tx<KeptReply[]>`
      select r.*
      from unnest(${account_ids}::text[], ${operations}::text[], ${texts}::text[])
        as k(account_id, operation, key)
      cross join lateral (
        select account_id, operation, key, encode(request_hash, 'hex') as request_hash, status,
          body, object_id, state, created_at
        from idempotency_keys i
        where i.account_id = k.account_id and i.operation = k.operation and i.key = k.key
          ${within(tx, 'i', keys)}
        limit 1
      ) r`
  })
}

/** Keeps answers; an outlived row of the same key is replaced. */
export const insertKeptReplies = inserter<KeptReply>(
  'idempotency_keys',
  KEPT_KINDS,
  `on conflict (account_id, operation, key) do update set
    request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
    object_id = excluded.object_id, state = excluded.state, created_at = excluded.created_at`,
)

/**
 * Forgets what is past its 24 hours, a thousand at a time; returns how many. By the time of the
 * statement, which the index can begin at. The age is asked twice: a row may be replaced by a new
 * answer while the deletion waits for it, and not every server asks again by itself.
 */
export function deleteOutlivedReplies({ finder, sql }: Connections): Promise<number> {
  const age = `${KEPT_HOURS} hours`
  return deleteInPortions(sql, {
    find: () => finder<{ account_id: string }[]>`
      select account_id from idempotency_keys
      where created_at <= statement_timestamp() - ${age}::interval
      order by created_at limit ${PORTION}`,
    remove: (tx, of) => tx`
      delete from idempotency_keys d where ctid = any (array(
        select ctid from idempotency_keys i
        where created_at <= statement_timestamp() - ${age}::interval ${within(tx, 'i', of)}
        order by created_at limit ${PORTION}
      )) and created_at <= statement_timestamp() - ${age}::interval ${within(tx, 'd', of)}`,
  })
}
