// Connections to PostgreSQL: types read exactly (bigint as bigint, time as Instant text, numeric as
// text), and by the first statement of each connection time-outs set and the service's own role
// taken, which can add to the books but not rewrite them.
import type postgres from 'postgres'
import { instantFromPostgres } from '../instant.ts'
import { BIGINT, openPool } from './driver.ts'
import { watchedSocket } from './socket.ts'
import { watched } from './statements.ts'

type Types = {
  readonly bigint: bigint
  readonly instant: string
  readonly textArray: string[]
}

export type Sql = postgres.Sql<Types>
export type TransactionSql = postgres.TransactionSql<Types>

/** Under row-level security. */
export const SERVICE_ROLE = 'corridor_service'

/**
 * Made by the migrations, and granted to whoever migrates. Without a role it is the owner, who
 * changes rows of accounts by saying that this is maintenance.
 */
const ROLES = {
  /** Sees and writes rows of the accounts that the transaction names; rewrites no history. */
  service: { role: SERVICE_ROLE },
  /** Finds what is due in any account: sees names and times alone. */
  finder: { role: 'corridor_finder' },
  /** Reads all accounts and changes nothing. */
  auditor: { role: 'corridor_auditor' },
  /** Migrates. */
  owner: { 'corridor.maintenance': 'on' },
} as const

/** Those that whoever connects must be allowed to take. */
export const TAKEN_ROLES: readonly string[] = Object.values(ROLES).flatMap(settings =>
  'role' in settings ? [settings.role] : [],
)

export interface ConnectOptions {
  readonly max: number
  readonly as: keyof typeof ROLES
  readonly application_name?: string
  /** Under which name the history of the reference tables keeps what is changed. */
  readonly operator?: string
  /**
   * For connections that only look rows up by key: plans are made once and kept, and one made while
   * a table was small must not scan it when it is large.
   */
  readonly look_ups?: boolean
}

/**
 * A look-up that takes longer is stopped by the server; the server is gone when it says nothing.
 */
const LOOK_UP_TIMEOUT = '5s'
const SILENCE_MS = 8_000

/**
 * How rows looked up by key are planned: once, whatever the values, and never by reading a table
 * whole. Left to itself PostgreSQL plans many batches anew, which measured a third of its time for
 * an entity and a tenth for a payout.
 */
const LOOK_UP_PLANS = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}

/**
 * Plans kept for all values. On a spread database whose statements say which accounts they want,
 * the values say which shard is asked, so that one plan does not fit all: there it is left open.
 */
const KEPT_PLANS =
  "set_config('plan_cache_mode', case current_setting('corridor.spread', true) " +
  "when 'on' then 'auto' else 'force_generic_plan' end, false)"

export function connect(url: string, options: ConnectOptions): Sql {
  const sql = openPool(url, {
    max: options.max,
    connect_timeout: 3,
    // Seconds between tries to connect. The default doubles up to 20, long after a database is
    // back.
    backoff: () => 0.1 + Math.random() * 0.1,
    // A long-lived pool: postgres.js would otherwise retire connections, and their plans, at
    // random.
    max_lifetime: null,
    onnotice: () => {},
    ...(options.look_ups === true ? { socket: watchedSocket(SILENCE_MS) } : {}),
    // Reading array types from the catalogue is a query postgres.js does not wait for: when it
    // fails, the process dies of an unhandled rejection. text[] is the only array that travels, and
    // is below.
    fetch_types: false,
    types: {
      bigint: BIGINT,
      instant: {
        to: 1184,
        from: [1184],
        serialize: (value: string) => value,
        parse: instantFromPostgres,
      },
      textArray: { to: 1009, from: [1009], serialize: writeTextArray, parse: readTextArray },
    },
    // No more than these two: PgBouncer refuses a connection that names any other.
    connection: {
      TimeZone: 'UTC',
      application_name: options.application_name ?? 'corridor',
    },
    session: settings(options.look_ups === true ? [KEPT_PLANS] : [], {
      // Five tries of a lane then take ten seconds at most.
      lock_timeout: '2s',
      statement_timeout: options.look_ups === true ? LOOK_UP_TIMEOUT : '0',
      idle_in_transaction_session_timeout: options.as === 'owner' ? '0' : '10s',
      ...(options.look_ups === true ? LOOK_UP_PLANS : {}),
      ...(options.operator === undefined ? {} : { 'corridor.operator': options.operator }),
      ...ROLES[options.as],
    }),
  })
  return watched(sql as unknown as Sql)
}

/** One statement that makes all these settings of a session, or none. */
function settings(computed: readonly string[], values: Readonly<Record<string, string>>): string {
  const calls = Object.entries(values).map(
    ([name, value]) => `set_config('${name}', ${literal(value)}, false)`,
  )
  return `select ${[...computed, ...calls].join(', ')}`
}

/** In a form that means the same whatever `standard_conforming_strings` is. */
export function literal(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/**
 * Rows as one JSON parameter, for `json_to_recordset($1::json)`: one bind whatever the width of the
 * table. Amounts go as text, which PostgreSQL reads exactly.
 */
export function rowsAsJson(rows: readonly object[]): string {
  return JSON.stringify(rows, (_key, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}

/** The database's clock, by which everything that expires is judged. */
export async function databaseNow(sql: Sql): Promise<string> {
  const [row] = await sql<{ now: string }[]>`select clock_timestamp() as now`
  if (row === undefined) throw new Error('no time from the database')
  return row.now
}

/** text[] as PostgreSQL's array literal; one that is written already passes. */
function writeTextArray(values: readonly string[] | string): string {
  if (typeof values === 'string') return values
  return `{${values.map(v => `"${v.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`
}

/** A one-dimensional text[] without nulls, as PostgreSQL prints it. */
function readTextArray(literal: string): string[] {
  const elements = literal.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^",]+)/g)
  return [...elements].map(([, quoted, bare = '']) => quoted?.replace(/\\(.)/g, '$1') ?? bare)
}
