// The statements of idempotency keys.
import { rowsAsJson, type Sql, type TransactionSql } from '../db/connect.ts'
import type { Instant } from '../instant.ts'
import { KEPT_HOURS, type KeptReply } from './rules.ts'

type Key = Pick<KeptReply, 'account_id' | 'operation' | 'key'>

/** Answers younger than 24 hours. Read under the lock of the books, so none is being written. */
export async function findKeptReplies(
  tx: TransactionSql,
  keys: readonly Key[],
): Promise<KeptReply[]> {
  return tx<KeptReply[]>`
    select i.account_id, i.operation, i.key, encode(i.request_hash, 'hex') as request_hash,
      i.status, i.body
    from json_to_recordset(${rowsAsJson(keys)}::text::json)
      as k(account_id text, operation text, key text)
    join idempotency_keys i
      on i.account_id = k.account_id and i.operation = k.operation and i.key = k.key
    where i.created_at > clock_timestamp() - ${`${KEPT_HOURS} hours`}::interval`
}

/** Keeps answers; an outlived row of the same key is replaced. */
export function insertKeptReplies(tx: TransactionSql, replies: readonly KeptReply[], now: Instant) {
  const rows = replies.map(({ account_id, operation, key, request_hash, status, body }) => ({
    account_id,
    operation,
    key,
    request_hash,
    status,
    body,
  }))
  return tx`
    insert into idempotency_keys
      (account_id, operation, key, request_hash, status, body, created_at)
    select account_id, operation, key, decode(request_hash, 'hex'), status, body, ${now}
    from json_to_recordset(${rowsAsJson(rows)}::text::json)
      as r(account_id text, operation text, key text, request_hash text, status integer, body text)
    on conflict (account_id, operation, key) do update set
      request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
      created_at = excluded.created_at`
}

/** Forgets what is past its 24 hours; returns how many. */
export async function deleteOutlivedReplies(sql: Sql): Promise<number> {
  const result = await sql`
    delete from idempotency_keys
    where created_at <= clock_timestamp() - ${`${KEPT_HOURS} hours`}::interval`
  return result.count
}
