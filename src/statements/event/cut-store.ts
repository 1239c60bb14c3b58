// The SQL statements of cuts. All but `findCut` run under the lock of the account's book.
import { rowsAsJson, type TransactionSql } from '../../sql/connect.ts'
import type { Tag } from '../../sql/sql.ts'
import type { Instant } from '../../values/instant.ts'
import type { ArchivedSeal, Cut, Obstacles } from './cut.ts'

/** The last cut of an account; undefined while it has all of its events. */
export async function findCut(sql: Tag, account_id: string): Promise<Cut | undefined> {
  const [cut] = await sql<Cut[]>`
    select account_id, sequence, encode(hash, 'hex') as hash, created_at from event_cuts
    where account_id = ${account_id} order by sequence desc limit 1`
  return cut
}

/** Also locks the account's endpoints, so that no delivery to them is added meanwhile. */
export async function findObstacles(tx: TransactionSql, account_id: string): Promise<Obstacles> {
  await tx`select from webhook_endpoints where account_id = ${account_id} order by id for update`
  const owed = await tx<{ endpoint_id: string; sequence: bigint }[]>`
    select w.id as endpoint_id, least(w.fanned_out + 1, (
        select min(d.event_sequence) from webhook_deliveries d where d.account_id = ${account_id}
          and d.endpoint_id = w.id and d.status = 'pending'
      ), (
        select min(d.event_sequence) from webhook_deliveries d where d.account_id = ${account_id}
          and d.endpoint_id = w.id and d.status = 'dead'
      )) as sequence
    from webhook_endpoints w where w.account_id = ${account_id} order by w.id`
  const [row] = await tx<{ newest: bigint; before: Instant | null }[]>`
    select b.event_count as newest,
      clock_timestamp() - make_interval(days => s.event_days) as before
    from books b cross join privacy_settings s where b.account_id = ${account_id}`
  if (row === undefined) throw new Error(`there is no book of ${account_id}`)
  return { ...row, owed }
}

/** The hashes of the rows that end with these events, and their hashes before an erasure. */
export async function listHashes(
  tx: TransactionSql,
  account_id: string,
  sequences: readonly string[],
): Promise<ReadonlyMap<string, { readonly hash: string; readonly was: string | null }>> {
  const rows = await tx<{ sequence: string; hash: string; was: string | null }[]>`
    select e.sequence::text as sequence, encode(e.hash, 'hex') as hash,
      encode(r.was, 'hex') as was
    from events e
    left join erasures r on r.account_id = ${account_id} and r.table_name = 'events'
      and r.key = e.sequence::text
    where e.account_id = ${account_id}
      and e.sequence = any (${[...sequences]}::text[]::bigint[])`
  return new Map(rows.map(({ sequence, ...row }) => [sequence, row]))
}

interface NewCut extends Cut {
  readonly removed: number
  readonly seals: string
  readonly file: string
  readonly removed_by: string
}

/** Stores the cut and the seals that replace its rows, and removes the rows up to the cut. */
export async function cutEvents(tx: TransactionSql, cut: NewCut, seals: readonly ArchivedSeal[]) {
  const { account_id, sequence } = cut
  await tx`
    insert into event_cuts (account_id, sequence, hash, created_at, removed, seals, file,
      removed_by)
    values (${account_id}, ${sequence}, decode(${cut.hash}, 'hex'), ${cut.created_at},
      ${cut.removed}, decode(${cut.seals}, 'hex'), decode(${cut.file}, 'hex'),
      ${cut.removed_by})`
  await tx`
    insert into archived_seals (account_id, cut, object_id, number, content)
    select ${account_id}, ${sequence}::bigint, r.object_id, r.number, decode(r.content, 'hex')
    from json_to_recordset(${rowsAsJson(seals)}::text::json)
      as r(object_id text, number bigint, content text)`
  const [row] = await tx<{ count: number }[]>`select remove_archived(${account_id}) as count`
  if (row?.count !== cut.removed) {
    throw new Error(`${row?.count} rows of events were taken out, and ${cut.removed} are archived`)
  }
}
