// One measurement: a warm-up and a load, with the processor time of service and database, and what
// the database read and logged.

import { type Cost, withCost } from './cpu.ts'
import { asOwner } from './database.ts'
import { type Generator, type Load, type LoadResult, sendLoad } from './load.ts'
import type { Target } from './target.ts'

export interface Measured extends LoadResult, Cost {
  readonly connections: number
  /** Write-ahead log of the database, a request. */
  readonly wal_kb: number
  /** Blocks that the database's own cache did not have, a request. */
  readonly blocks_read: number
}

export interface Seconds {
  readonly warm_up_s: number
  readonly load_s: number
}

export async function measureLoad(
  generator: Generator,
  target: Target,
  load: Omit<Load, 'seconds'>,
  { warm_up_s, load_s }: Seconds,
): Promise<Measured> {
  // The warm-up uses other fresh numbers than the load.
  const { bodies } = load
  const early = { ...bodies, fresh_from: bodies.fresh_from + WARM_UP_OFFSET }
  await sendLoad(generator, { ...load, bodies: early, seconds: warm_up_s })
  const before = await readWork(target)
  const result = await withCost([target.service_pid], target.postgres_pid, () =>
    sendLoad(generator, { ...load, seconds: load_s }),
  )
  const after = await readWork(target)
  return {
    ...result,
    connections: load.connections,
    wal_kb: (after.wal_bytes - before.wal_bytes) / result.requests / 1024,
    blocks_read: (after.blocks_read - before.blocks_read) / result.requests,
  }
}

/** More requests than any one load sends; `FRESH_STEP` leaves room for both. */
const WARM_UP_OFFSET = 50_000_000
/** The distance between the fresh numbers of two measurements. */
export const FRESH_STEP = 100_000_000

/** What the database has logged and read so far. */
async function readWork({ database_url }: Target) {
  return asOwner(database_url, async sql => {
    const [row] = await sql<{ wal_bytes: string; blocks_read: string }[]>`
      select (pg_current_wal_insert_lsn() - '0/0')::text as wal_bytes,
        blks_read::text as blocks_read
      from pg_stat_database where datname = current_database()`
    return { wal_bytes: Number(row?.wal_bytes), blocks_read: Number(row?.blocks_read) }
  })
}
