// The driver, postgres.js, as scripts/patch-postgres.js has mended it: without that, connections
// would work as whoever logged in, who owns the books, and lost ones would answer with nothing. The
// one place that loads it, so that nothing runs on another.
import driver from 'postgres'
import { DatabaseProblem } from './failure.ts'

/** As scripts/patch-postgres.js writes it. */
const MENDED = 2

/** Options that the driver has by being mended, and that its types do not know. */
interface MendedOptions {
  /** A statement that each new connection runs before any other, and without which it is closed. */
  readonly session?: string
  readonly socket?: unknown
}

/** @throws DatabaseProblem when the driver is as the registry has it */
export function refuseUnmended(found: unknown = (driver as { mended?: unknown }).mended): void {
  if (found === MENDED) return
  throw new DatabaseProblem(
    'the database driver lacks the mends that its installation makes, as after ' +
      '"npm ci --ignore-scripts": run node scripts/patch-postgres.js, or npm ci',
  )
}

/** A pool of connections to `url`, or to where the options say. */
export function openPool<T extends Record<string, driver.PostgresType>>(
  url: string | undefined,
  options: driver.Options<T> & MendedOptions,
) {
  refuseUnmended()
  return url === undefined ? driver(options) : driver(url, options)
}

/** How a bigint is written and read. */
export const BIGINT = driver.BigInt
