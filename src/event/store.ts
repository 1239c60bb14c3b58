// The statements of events. Append-only.
import { rowsAsJson, type TransactionSql } from '../db/connect.ts'
import type { Event } from './rules.ts'

export function insertEvents(tx: TransactionSql, events: readonly Event[]) {
  return tx`
    insert into events (account_id, sequence, id, type, object_id, data, created_at)
    select account_id, sequence, id, type, object_id, data, created_at
    from json_to_recordset(${rowsAsJson(events)}::text::json)
      as r(account_id text, sequence bigint, id text, type text, object_id text, data json,
        created_at timestamptz)`
}
