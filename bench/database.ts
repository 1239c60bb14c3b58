// Opens sessions on the measured database, and measures its write-ahead log, the index entries in
// that log, and its tables' sizes.

import { SUPERUSER } from '../src/postgres/cluster.ts'
import { connect, type Sql } from '../src/sql/connect.ts'
import { whole } from './report.ts'

/** Works on the database as its owner, by one connection. */
export async function asOwner<T>(database_url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connect(database_url, { max: 1, as: 'owner' })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Works on the database as the embedded server's superuser, who has the owner's password. */
export function asSuperuser<T>(database_url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const url = new URL(database_url)
  url.username = SUPERUSER
  return asOwner(url.href, work)
}

/**
 * Rows that write 1.2 GB of log: more than PostgreSQL writes between checkpoints, which is half of
 * max_wal_size (2 GB).
 */
const ROWS = 150_000
const BYTES_A_ROW = 8_000

/**
 * Ages the write-ahead log. A new database creates each 16 MB segment while a commit waits; one
 * that has been in use recycles old segments.
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

/** A line of postgresql.conf that keeps the log for entriesOfIndexes. */
export const KEEPING_LOG = 'wal_keep_size = 2GB'

/** The LSN of the flushed end of the log, such as `0/1A2B3C4D`. */
export async function logPosition(sql: Sql): Promise<string> {
  const [row] = await sql<
    { position: string }[]
  >`select pg_current_wal_flush_lsn()::text as position`
  return row?.position ?? ''
}

export async function logBytes(sql: Sql, from: string, to: string): Promise<number> {
  const [row] = await sql<{ bytes: string }[]>`
    select (${to}::pg_lsn - ${from}::pg_lsn)::text as bytes`
  return Number(row?.bytes)
}

/**
 * The number of new entries of each index. PostgreSQL logs a page split instead of the entry that
 * caused it, so a split counts as one entry; entries in inner pages do not count.
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

/** The bytes of a table, with its indexes, for each payout. */
export interface SizeOfTable {
  readonly table: string
  readonly bytes_a_payout: number
}

/** The bytes of each table, with its indexes. */
export type Sizes = ReadonlyMap<string, number>

/** The sizes of all tables, the largest first. */
export async function readSizes(database_url: string): Promise<Sizes> {
  return asOwner(database_url, async owner => {
    const tables = await owner<{ table: string; bytes: string }[]>`
      select relname as table, pg_total_relation_size(oid)::text as bytes from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r'
      order by pg_total_relation_size(oid) desc`
    return new Map(tables.map(({ table, bytes }) => [table, Number(bytes)]))
  })
}

/** The growth of tables since `before`, without those that grew by less than a byte a payout. */
export async function sizesOfTables(
  database_url: string,
  payouts: number,
  before: Sizes = new Map(),
): Promise<readonly SizeOfTable[]> {
  const sizes = await readSizes(database_url)
  return [...sizes]
    .map(([table, bytes]) => {
      const added = bytes - (before.get(table) ?? 0)
      return { table, bytes_a_payout: Math.round(added / payouts) }
    })
    .filter(({ bytes_a_payout }) => bytes_a_payout > 0)
    .sort((a, b) => b.bytes_a_payout - a.bytes_a_payout)
}

export function sumOfSizes(sizes: readonly SizeOfTable[]): number {
  return sizes.reduce((sum, { bytes_a_payout }) => sum + bytes_a_payout, 0)
}

/** `payouts 1,778, events 1,673`. */
export function describeSizes(sizes: readonly SizeOfTable[]): string {
  return sizes.map(({ table, bytes_a_payout }) => `${table} ${whole(bytes_a_payout)}`).join(', ')
}
