// Checks what a page of a list costs the database: with plans made while the table was empty, which
// are most easily wrong, and after the table has been analyzed.
import assert from 'node:assert/strict'
import { confineTo } from '../../../src/sql/confine.ts'
import { connect, type Sql, type TransactionSql } from '../../../src/sql/connect.ts'
import { idTimeSql, microsSql } from '../../../src/sql/id-sql.ts'
import type { Tag } from '../../../src/sql/sql.ts'
import { type IdPrefix, idBound } from '../../../src/values/id.ts'
import { plusMilliseconds } from '../../../src/values/instant.ts'
import { onCluster } from '../database/citus.ts'
import { createDatabase } from '../database/database.ts'
import { undone } from '../database/undone.ts'
import type { Query } from './listing.ts'

type Read = (tx: TransactionSql) => Promise<unknown>

export interface Listing {
  readonly table: string
  readonly queries: readonly Query[]
  /** Reads a page of five rows of account `acc_a`. */
  page(tx: TransactionSql, query: Query): Promise<{ readonly rows: readonly unknown[] } | undefined>
  /** Writes rows that must exist before the first read of the table. */
  prepare?(owner: Sql): PromiseLike<unknown>
  /** Writes rows; each query must find at least five. */
  fill(owner: Tag): PromiseLike<unknown>
  /** Rows that a query may fetch in addition to FETCHED. */
  besides?(query: Query): number
  /**
   * A read that fetches one row: `always`, even by an early plan, or only once the table is
   * `analyzed`.
   */
  readonly one?: { readonly read: Read; readonly when: 'always' | 'analyzed' }
}

const PAGE = 5
/** One extra row tells whether there is a next page, and one row is the cursor. */
const FETCHED = PAGE + 2
/**
 * A look-up keeps its plan after this many executions: one, or on a spread database, where
 * PostgreSQL decides, six or more.
 */
const TIMES = onCluster ? 7 : 1

/** For many rows at once: what triggers check and note costs far more than the rows. */
const WITHOUT_TRIGGERS = `
  do $$ declare filled text; begin
    for filled in select tablename from pg_tables where schemaname = 'public' loop
      execute format('alter table %I disable trigger user', filled);
    end loop;
  end $$`

/** Fails when a page scans the table or fetches more than it shows. */
export async function assertPageCost({ table, queries, besides, one, ...listing }: Listing) {
  const { owner, url, drop } = await createDatabase()
  const sql = connect(url, { max: 1, as: 'service', look_ups: true })
  const early = one?.when === 'always' ? [one.read] : []
  try {
    if (!onCluster) await owner.unsafe(WITHOUT_TRIGGERS)
    await listing.prepare?.(owner)
    await believeEmpty(owner, table, tx => listing.fill(tx))
    const reads = [
      ...queries.map(query => (tx: TransactionSql) => listing.page(tx, query)),
      ...early,
    ]
    for (const read of reads) for (let i = 0; i < TIMES; i++) await costOf(sql, table, read)
    await listing.fill(owner)
    for (const kept of [true, false]) {
      if (!kept) await owner`vacuum analyze ${owner(table)}`
      for (const query of queries) {
        const cost = await costOf(sql, table, tx => listing.page(tx, query))
        const rows = cost.result?.rows.length
        const what = JSON.stringify({ query, kept, rows, fetched: cost.fetched, scans: cost.scans })
        assert.ok(rows === PAGE && cost.scans === 0, what)
        assert.ok(cost.fetched <= FETCHED + (besides?.(query) ?? 0), what)
      }
      if (one === undefined || (kept && one.when === 'analyzed')) continue
      const { fetched, scans } = await costOf(sql, table, one.read)
      assert.deepEqual({ kept, fetched, scans }, { kept, fetched: 1, scans: 0 })
    }
  } finally {
    await sql.end()
    await drop()
  }
}

/**
 * Fills a table, rolls back and analyzes it: PostgreSQL then believes that its pages have no rows,
 * and that every index costs nearly nothing. Autovacuum, which would look again at its own time,
 * leaves the table alone.
 */
export async function believeEmpty(
  owner: Sql,
  table: string,
  fill: (tx: Tag) => PromiseLike<unknown>,
): Promise<void> {
  await owner`alter table ${owner(table)} set (autovacuum_enabled = false)`
  await undone(owner, async tx => fill(tx))
  await owner`analyze ${owner(table)}`
}

/**
 * Runs `read` and counts the table's rows fetched by index and its sequential scans, by
 * PostgreSQL's statistics.
 */
export function costOf<T>(
  sql: Sql,
  table: string,
  read: (tx: TransactionSql) => Promise<T>,
  account_id = 'acc_a',
) {
  return sql
    .begin(async tx => {
      confineTo(tx, [account_id])
      const counted = async () => {
        const [row] = await tx<{ fetched: bigint; scans: bigint }[]>`
        select idx_tup_fetch as fetched, seq_scan as scans
        from pg_stat_xact_user_tables where relname = ${table}`
        return row ?? { fetched: 0n, scans: 0n }
      }
      const before = await counted()
      const result: T = await read(tx)
      const after = await counted()
      const fetched = Number(after.fetched - before.fetched)
      return { box: { result, fetched, scans: Number(after.scans - before.scans) } }
    })
    .then(({ box }) => box as { result: T; fetched: number; scans: number })
}

/** Every filter with every bound. */
export function crossed(filters: readonly Query[], bounds: readonly Query[]): Query[] {
  return filters.flatMap(filter => bounds.map(bound => ({ ...filter, ...bound })))
}

/** `pot_00000000000000000007` */
export function idAt(prefix: string, i: number): string {
  return `${prefix}_${String(i).padStart(20, '0')}`
}

/** An id that a book gives `i` seconds after the beginning of 2026. */
export function madeAt(prefix: IdPrefix, i: number): string {
  const at = plusMilliseconds('2026-01-01T00:00:00.000000Z', i * 1000)
  return idBound(prefix, at, 'before') + String(i).padStart(9, '0')
}

/** The same in SQL; `i` is an SQL expression. */
export function madeAtSql(sql: Tag, prefix: IdPrefix, i = 'i') {
  const at = `timestamptz '2026-01-01T00:00:00Z' + (${i}) * interval '1 second'`
  return sql.unsafe(`'${prefix}_' || ${idTimeSql(microsSql(at))} || lpad((${i})::text, 9, '0')`)
}
