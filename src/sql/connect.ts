// Opens pools of connections to PostgreSQL. The first statement of each connection sets its
// time-outs and its role. The service's role can add to the books, but not rewrite them.
import { exactJson } from '../values/money/json.ts'
import { openPool, type Sql } from './pool.ts'
import type { Tag } from './sql.ts'
import type { TransactionSql } from './transact.ts'

export type { Sql } from './pool.ts'
export type { TransactionSql }

/** The role of requests and workers, which row-level security applies to. */
export const SERVICE_ROLE = 'corridor_service'

/**
 * Settings of each kind of connection. Migrations create the roles and grant them to the log-in
 * that runs the migrations. That log-in, the owner, may change rows of accounts only with the
 * maintenance setting.
 */
const ROLES = {
  /** Sees and writes rows of the accounts that the transaction names; cannot rewrite history. */
  service: { role: SERVICE_ROLE },
  /** Finds due work of every account; sees only ids and times. */
  finder: { role: 'corridor_finder' },
  /** Reads all accounts; cannot write. */
  auditor: { role: 'corridor_auditor' },
  /** Runs migrations. */
  owner: { 'corridor.maintenance': 'on' },
} as const

/** The roles that sessions run under. The log-in must be a member of each. */
export const SESSION_ROLES: readonly string[] = Object.values(ROLES).flatMap(settings =>
  'role' in settings ? [settings.role] : [],
)

export interface ConnectOptions {
  readonly max: number
  readonly as: keyof typeof ROLES
  readonly application_name?: string
  /** The person who makes the changes, as the audit log names them. */
  readonly operator?: string
  /** The command that makes the changes, such as `rates set`, for the audit log. */
  readonly act?: string
  /** Where the command runs, such as `cli at host`, for the audit log. */
  readonly via?: string
  /** What the caller did not choose, such as the system's user, for the audit log. */
  readonly origin?: Readonly<Record<string, string>>
  /** Whether the database refuses every write. */
  readonly read_only?: boolean
  /**
   * For connections that only look up rows by key. Each statement is planned once, so a plan made
   * while a table was small must still use its index when it is large.
   */
  readonly look_ups?: boolean
  /**
   * Whether a statement may last LOOK_UP_TIMEOUT at most, and a server be silent for SILENCE_MS at
   * most. It is for connections on which callers wait.
   */
  readonly timed?: boolean
  /**
   * How long a transaction of a timed connection may last. PostgreSQL 17 and newer then end its
   * session. The default is TRANSACTION_WITHIN.
   */
  readonly transaction_within?: string
  /** How long a statement may wait for a connection; unlimited by default. */
  readonly wait_ms?: number
  /** Whether the server is a worker of a spread database. Its own settings do not tell that. */
  readonly spread?: boolean
}

/**
 * The server cancels a timed statement after LOOK_UP_TIMEOUT; a server silent for SILENCE_MS is
 * gone.
 */
const LOOK_UP_TIMEOUT = '5s'
const SILENCE_MS = 8_000

/**
 * How long a transaction may last. No other setting ends a session whose client vanished between a
 * statement and the Sync after it: to PostgreSQL it is neither idle nor at work, and its locks
 * would stay. The longest transaction writes for a minute.
 */
const TRANSACTION_WITHIN = '2min'

/** How long a batch of writes may last: after that, no caller waits for it any more. */
export const BATCH_WITHIN = '30s'

/** Planner settings of look-ups: they allow index scans and nested loops only. */
export const LOOK_UP_PLANS = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // In a table that PostgreSQL believes empty, all indexes that begin with the account cost the
  // same, except for 50 operators a level. By the default of 0.0025, a flatter index can cost less
  // than the one in the statement's order: each look-up then reads all rows of the account.
  cpu_operator_cost: '0.0005',
  // PostgreSQL adds a cost of 10^10 where it must use a plan that is switched off. With that cost,
  // JIT would compile even the plan for a table of one row, which takes 25 ms and more each time.
  jit: 'off',
}

const { jit: _stays_off, ...OFF_FOR_LOOK_UPS } = LOOK_UP_PLANS

const MANY_ROWS = [
  'plan_cache_mode = force_custom_plan',
  ...Object.keys(OFF_FOR_LOOK_UPS).map(name => `${name} = default`),
  "statement_timeout = '60s'",
]
  .map(setting => `set local ${setting}`)
  .join('; ')

/**
 * Lets the statements of the transaction that are sent after this call read many rows: by any plan,
 * made for their own values, for up to a minute each. Connections for look-ups would join them row
 * by row, by a plan from the time when a table was small. The caller need not await the promise.
 */
export function readManyRows(tx: TransactionSql): Promise<unknown> {
  return tx.unsafe(MANY_ROWS).execute()
}

const KEEP_ALIVE = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '3',
  tcp_keepalives_count: '3',
}

/** The formats that values.ts reads, whatever the settings of the database or the log-in are. */
const OUTPUT_FORMATS = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
}

/** The settings that `corridor distribute` makes on the coordinator. */
const SPREAD = { 'corridor.spread': 'on', 'citus.propagate_set_commands': 'local' }

/**
 * Forces generic plans: without them PostgreSQL plans many batches again, which took a third of its
 * time for an entity and a tenth for a payout. A distributed database is an exception: the account
 * ids select the shard, so one plan does not fit all values.
 */
const GENERIC_PLANS =
  "set_config('plan_cache_mode', case current_setting('corridor.spread', true) " +
  "when 'on' then 'auto' else 'force_generic_plan' end, false)"

export function connect(url: string, options: ConnectOptions): Sql {
  const timed = options.look_ups === true || options.timed === true
  return openPool(url, {
    max: options.max,
    connect_timeout: 3,
    wait_ms: options.wait_ms,
    application_name: options.application_name ?? 'corridor',
    ...(timed ? { silence_ms: SILENCE_MS } : {}),
    read_only: options.read_only === true,
    session: settings(conditionalSettings(options, timed), {
      ...OUTPUT_FORMATS,
      // Limits the five attempts of a lane to ten seconds.
      lock_timeout: '2s',
      statement_timeout: timed ? LOOK_UP_TIMEOUT : '0',
      idle_in_transaction_session_timeout: options.as === 'owner' ? '0' : '10s',
      // The server notices within 20 seconds that the client's machine is gone or unreachable.
      ...(timed ? KEEP_ALIVE : {}),
      ...(options.look_ups === true ? LOOK_UP_PLANS : {}),
      ...(options.operator === undefined ? {} : { 'corridor.operator': options.operator }),
      ...(options.read_only === true ? { default_transaction_read_only: 'on' } : {}),
      ...(options.act === undefined ? {} : { 'corridor.act': options.act }),
      ...(options.via === undefined ? {} : { 'corridor.via': options.via }),
      ...(options.origin === undefined
        ? {}
        : { 'corridor.origin': JSON.stringify(options.origin) }),
      ...(options.spread === true ? SPREAD : {}),
      ...ROLES[options.as],
    }),
  })
}

/** Calls of set_config that depend on the server: on its version, and whether it is spread. */
function conditionalSettings(options: ConnectOptions, timed: boolean): string[] {
  const { transaction_within = TRANSACTION_WITHIN } = options
  const ending =
    "case when current_setting('server_version_num')::integer >= 170000 " +
    `then set_config('transaction_timeout', ${literal(transaction_within)}, false) end`
  return [
    ...(options.look_ups === true && !options.spread ? [GENERIC_PLANS] : []),
    ...(timed ? [ending] : []),
  ]
}

/** The calls for all settings of a session. In one statement, none takes effect if one fails. */
function settings(calls: readonly string[], values: Readonly<Record<string, string>>): string[] {
  const fixed = Object.entries(values).map(
    ([name, value]) => `set_config('${name}', ${literal(value)}, false)`,
  )
  return [...calls, ...fixed]
}

/** An SQL literal that does not depend on `standard_conforming_strings`. */
export function literal(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/** Rows as one JSON parameter, for `json_to_recordset($1::json)`. bigints become exact text. */
export const rowsAsJson: (rows: readonly object[]) => string = exactJson

export async function databaseNow(sql: Tag): Promise<string> {
  const [row] = await sql<{ now: string }[]>`select clock_timestamp() as now`
  if (row === undefined) throw new Error('no time from the database')
  return row.now
}
