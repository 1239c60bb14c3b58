// The SQL statements of archives of events.
import { EMPTY_HASH } from '../../ledger/rules.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import type { Tag } from '../../sql/sql.ts'
import type { Instant } from '../../values/instant.ts'
import type { ArchivedRow } from './archive.ts'

/**
 * The chain hash, 64 hex digits, of the row whose last event has this number. A cut keeps the hash
 * of its last removed row. Undefined when no row and no cut ends there.
 */
export async function findChainHash(sql: Tag, account_id: string, sequence: bigint) {
  if (sequence === 0n) return EMPTY_HASH
  const number = String(sequence)
  const [row] = await sql<{ hash: string }[]>`
    select encode(hash, 'hex') as hash from events
    where account_id = ${account_id} and sequence = ${number}::text::bigint
    union all
    select encode(hash, 'hex') from event_cuts
    where account_id = ${account_id} and sequence = ${number}::text::bigint`
  return row?.hash
}

/** At most `limit` rows after event `after`, of the time before `before`, oldest first. */
export async function listRowsToArchive(
  sql: TransactionSql,
  account_id: string,
  { after, before }: { readonly after: string; readonly before: Instant },
  limit: number,
): Promise<ArchivedRow[]> {
  return sql<ArchivedRow[]>`
    select e.account_id, e.sequence::text as sequence, e.created_at, e.told, e.type, e.object_id,
      e.data::text as data, encode(e.content, 'hex') as content, encode(e.kept, 'hex') as kept,
      encode(e.hash, 'hex') as hash, encode(r.was, 'hex') as was,
      encode(r.becomes, 'hex') as becomes
    from events e
    left join erasures r on r.account_id = e.account_id and r.table_name = 'events'
      and r.key = e.sequence::text
    where e.account_id = ${account_id} and e.sequence > ${after}::text::bigint
      and e.created_at < ${before}::timestamptz
    order by e.sequence limit ${limit}`
}
