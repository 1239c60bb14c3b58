// The write-ahead log of the database: made as it is after some use, how much of it there is, and
// which index entries were written into it. Knows no scenario.
import type { Sql } from '../src/db/connect.ts'
import { asSuperuser } from './superuser.ts'

/** More than is logged between two checkpoints: one begins at half of max_wal_size, of 2 GB. */
const ROWS = 150_000
const BYTES_A_ROW = 8_000

/**
 * A log as a database has that has been in use: PostgreSQL makes each new segment of its log by
 * filling 16 MB with zeros while a commit waits, and renames old ones once it has some. A new
 * database would be measured at making its first.
 */
export function ageLog(database_url: string): Promise<void> {
  return asSuperuser(database_url, async sql => {
    await sql`create table aging (filler text)`
    await sql`alter table aging alter filler set storage external`
    await sql`insert into aging select repeat('x', ${BYTES_A_ROW}) from generate_series(1, ${ROWS})`
    await sql`drop table aging`
    await sql`checkpoint`
  })
}

/** Log that is read again must not be thrown away by a checkpoint: lines for postgresql.conf. */
export const KEEPING_LOG = 'wal_keep_size = 2GB'

/** How far the log is on disk now, such as `0/1A2B3C4D`. */
export async function placeInLog(sql: Sql): Promise<string> {
  const [row] = await sql<{ place: string }[]>`select pg_current_wal_flush_lsn()::text as place`
  return row?.place ?? ''
}

export async function bytesOfLog(sql: Sql, from: string, to: string): Promise<number> {
  const [row] = await sql<{ bytes: string }[]>`
    select (${to}::pg_lsn - ${from}::pg_lsn)::text as bytes`
  return Number(row?.bytes)
}

/**
 * How many entries each index got. An entry that splits its page is in the log as the split, and
 * what a split puts into the pages above is none.
 */
export async function entriesOfIndexes(
  sql: Sql,
  from: string,
  to: string,
): Promise<Readonly<Record<string, number>>> {
  await sql`create extension if not exists pg_walinspect`
  const rows = await sql<{ index: string; entries: string }[]>`
    select c.relname as index, count(*)::text as entries
    from pg_get_wal_block_info(${from}::pg_lsn, ${to}::pg_lsn, false) w
    join pg_class c on c.relfilenode = w.relfilenode
      and c.relnamespace = current_schema()::regnamespace
    where w.resource_manager = 'Btree' and w.block_id = 0 and (
      w.record_type in ('INSERT_LEAF', 'INSERT_POST')
      or w.record_type in ('SPLIT_L', 'SPLIT_R') and w.description like 'level: 0,%'
    )
    group by 1 order by count(*) desc, 1`
  return Object.fromEntries(rows.map(({ index, entries }) => [index, Number(entries)]))
}
