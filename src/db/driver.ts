// Loads postgres.js, patched by scripts/patch-postgres.js. Without the patch, connections would run
// as the log-in, which owns the books, and queries on lost connections would resolve with no rows.
// Nothing else loads the driver.
import driver from 'postgres'
import { DatabaseProblem } from './failure.ts'
import { socketOf } from './socket.ts'

/** The version that scripts/patch-postgres.js writes into the driver. */
const MENDED = 3

/** Options of the patched driver that its types lack. */
interface MendedOptions {
  /** The first statement of each new connection. If it fails, the connection is closed. */
  readonly session?: string
  readonly socket?: unknown
}

/** @throws DatabaseProblem when the driver is not patched */
export function refuseUnmended(found: unknown = (driver as { mended?: unknown }).mended): void {
  if (found === MENDED) return
  throw new DatabaseProblem(
    'the database driver lacks the mends that its installation makes, as after ' +
      '"npm ci --ignore-scripts": run node scripts/patch-postgres.js, or npm ci',
  )
}

/** Opens a pool of connections. */
export function openPool<T extends Record<string, driver.PostgresType>>(
  url: string,
  options: driver.Options<T> & MendedOptions,
) {
  refuseUnmended()
  const path = socketOf(url)
  if (path === undefined) return driver(url, options)
  const bare = new URL(url)
  bare.searchParams.delete('host')
  // As in libpq, `sslmode` counts for TCP alone.
  return driver(bare.href, { ...options, path, ssl: false })
}

/**
 * The same query, but the connection keeps no prepared statement of it: it is planned each time it
 * is sent. The memory of a prepared statement is held until the connection ends.
 */
export function unprepared<Q>(query: Q): Q {
  // The driver reads the option of every query. Its types have it only for queries of `unsafe`.
  const { options } = query as { readonly options: { prepare?: boolean } }
  options.prepare = false
  return query
}

/** Writes and reads a bigint. */
export const BIGINT = driver.BigInt
