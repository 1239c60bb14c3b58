// One measurement: a warm-up and a load, with the processor time of service and database, and what
// the database read and logged.

import { cpuSeconds, cpuSecondsOfServer } from './cpu.ts'
import { asOwner } from './database.ts'
import { type Generator, type Load, type LoadResult, sendLoad } from './load.ts'
import type { Target } from './target.ts'

export interface Measured extends LoadResult {
  readonly connections: number
  /** Seconds of processor time for 1,000 requests. */
  readonly service_cpu_s: number
  readonly database_cpu_s: number
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
  const before = await readCosts(target)
  const result = await sendLoad(generator, { ...load, seconds: load_s })
  const after = await readCosts(target)
  const each = (cost: keyof Costs) => (after[cost] - before[cost]) / result.requests
  return {
    ...result,
    connections: load.connections,
    service_cpu_s: each('service_cpu_s') * 1000,
    database_cpu_s: each('database_cpu_s') * 1000,
    wal_kb: each('wal_bytes') / 1024,
    blocks_read: each('blocks_read'),
  }
}

/** More requests than any one load sends; `FRESH_STEP` leaves room for both. */
const WARM_UP_OFFSET = 50_000_000
/** The distance between the fresh numbers of two measurements. */
export const FRESH_STEP = 100_000_000

interface Costs {
  readonly service_cpu_s: number
  readonly database_cpu_s: number
  readonly wal_bytes: number
  readonly blocks_read: number
}

async function readCosts(target: Target): Promise<Costs> {
  return asOwner(target.database_url, async sql => {
    const [row] = await sql<{ wal_bytes: string; blocks_read: string }[]>`
      select (pg_current_wal_insert_lsn() - '0/0')::text as wal_bytes,
        blks_read::text as blocks_read
      from pg_stat_database where datname = current_database()`
    const [service_cpu_s, database_cpu_s] = await Promise.all([
      cpuSeconds(target.service_pid),
      cpuSecondsOfServer(target.postgres_pid),
    ])
    const { wal_bytes, blocks_read } = row ?? {}
    return {
      service_cpu_s,
      database_cpu_s,
      wal_bytes: Number(wal_bytes),
      blocks_read: Number(blocks_read),
    }
  })
}
