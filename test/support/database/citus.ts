// Runs the tests on a Citus cluster when CITUS_URL names a database on its coordinator: each test
// database is a copy, on every machine, of a migrated and spread template.

import { connect, literal } from '../../../src/sql/connect.ts'
import { distribute, setForSpread } from '../../../src/sql/distribute.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { openPool } from '../../../src/sql/pool.ts'
import type { TestDatabase } from './database.ts'
import { requireNoLists } from './without-lists.ts'

/** Few shards are made quickly; more shards than machines put several on one machine. */
const SHARDS = 4

const { CITUS_URL } = process.env

export const onCluster = CITUS_URL !== undefined

/** A test file, or the tests whose names match `test`, that a cluster leaves out. */
interface LeftOut {
  readonly file: string
  readonly test?: string
  readonly why: string
}

const LIVE = 'opens a live account'
const ONE_SERVER = 'counts what one server fetches, or looks at its locks'
const OWN_RULES = 'makes or stops triggers and policies, which shards have of their own'
const NUMBERED = 'compares names of constraints, which shards number'
const OWN_SQL = 'changes rows by statements of its own that no shard runs'
const TIME = 'asks for a time or a rate of one machine'
const DROPPED = 'a trigger keeps this rule that a spread database drops (docs/distributed.md)'
const ERASES = 'a spread database erases and archives nothing'
const COMMITS = 'cuts COMMITs on the way to the coordinator; test/cluster cuts those of machines'

export const NOT_ON_CLUSTER: readonly LeftOut[] = [
  { file: 'test/model/', why: 'reads what is new in one snapshot of all accounts, by xmin' },
  { file: 'test/api/access', why: LIVE },
  { file: 'test/api/account.test', test: 'sandbox and live account', why: LIVE },
  { file: 'test/api/accounts-named', why: OWN_RULES },
  {
    file: 'test/api/beneficiary-archive',
    test: 'archived beneficiary: refused for every writer',
    why: OWN_RULES,
  },
  { file: 'test/api/beneficiary-archive', test: 'beneficiary archived without', why: OWN_SQL },
  { file: 'test/api/entity-database', why: NUMBERED },
  {
    file: 'test/api/errors',
    test: 'internal fault: 500',
    why: 'takes tables away, and a table that a machine lacks is a shard that has moved',
  },
  { file: 'test/api/errors', test: 'database lost during', why: ONE_SERVER },
  { file: 'test/api/event-objects', why: ERASES },
  { file: 'test/api/guessing.test', test: 'database, every row', why: LIVE },
  { file: 'test/api/idempotency', test: 'replayed after a person paid', why: LIVE },
  { file: 'test/api/idempotency', test: 'while expired keys are deleted', why: ONE_SERVER },
  { file: 'test/api/log.test', test: 'contains the row, on every write', why: OWN_RULES },
  { file: 'test/api/log.test', test: 'GET /metrics after the requests', why: OWN_RULES },
  { file: 'test/api/payout-duplicate', test: 'naming it and its age', why: OWN_SQL },
  { file: 'test/api/payout-duplicate', test: 'or the window ends', why: OWN_SQL },
  { file: 'test/api/payout-duplicate', test: 'create --duplicate-window', why: LIVE },
  { file: 'test/api/payout-duplicate', test: 'only the newest row', why: ONE_SERVER },
  { file: 'test/api/payout-holds', test: 'held_for set outside', why: NUMBERED },
  { file: 'test/api/payout-metadata', test: 'of an erased party', why: ERASES },
  { file: 'test/api/payout-quote', test: 'waits for the lock until', why: OWN_SQL },
  { file: 'test/api/payout-schedule', test: 'before that time: a person', why: LIVE },
  { file: 'test/api/payout-schedule', test: 'execute_at, route with a cut-off', why: LIVE },
  { file: 'test/api/payout-schedule', test: 'in the future on a live rail', why: LIVE },
  { file: 'test/api/payout.test', test: 'service_account, receiver unknown', why: LIVE },
  { file: 'test/api/payout-timeline', test: 'stored no causes', why: OWN_RULES },
  { file: 'test/api/quote', test: 'rate too old: without a quote', why: LIVE },
  { file: 'test/api/quote.test', test: 'live account: also the time', why: LIVE },
  { file: 'test/api/quote.test', test: 'live account, rate too old', why: LIVE },
  { file: 'test/api/request-log', test: 'request log, live account', why: LIVE },
  { file: 'test/api/row-security', why: 'sends statements without their condition on the account' },
  { file: 'test/api/sandbox', why: LIVE },
  { file: 'test/api/search', test: 'erased beneficiary', why: ERASES },
  { file: 'test/api/statement-stream', why: OWN_SQL },
  { file: 'test/api/statement.test', test: 'balances that do not add up', why: OWN_RULES },
  { file: 'test/api/webhook-delivery.test', test: 'next_attempt_at', why: OWN_SQL },
  { file: 'test/api/webhook-delivery-replay', test: 'holds the endpoint: waits', why: OWN_SQL },
  { file: 'test/api/webhook-delivery-replay', test: 'DELETE of an endpoint', why: TIME },
  { file: 'test/crash/bank-files-killed', why: LIVE },
  {
    file: 'test/crash/commit-unconfirmed',
    test: 'payout with(out)? a key: 503',
    why: COMMITS,
  },
  {
    file: 'test/crash/commit-unconfirmed',
    test: 'in a few batches: 503 for whole batches',
    why: COMMITS,
  },
  { file: 'test/crash/commit-unconfirmed', test: 'after which nothing was written', why: COMMITS },
  { file: 'test/crash/connections-held', why: ONE_SERVER },
  { file: 'test/crash/connector-killed', why: LIVE },
  {
    file: 'test/crash/database-away',
    test: 'connection cut .* replayed by key',
    why: COMMITS,
  },
  { file: 'test/crash/database-away', test: 'connections cut around COMMIT', why: COMMITS },
  { file: 'test/race/migrate', test: 'index build failed', why: OWN_RULES },
  { file: 'test/race/migrate', test: 'an older transaction open', why: ONE_SERVER },
  { file: 'test/approval/groups', test: 'batch of pending payouts', why: OWN_RULES },
  { file: 'test/approval/beneficiaries', test: 'refused for service and owner', why: OWN_RULES },
  { file: 'test/approval/beneficiaries', test: 'changed by SQL without triggers', why: OWN_RULES },
  { file: 'test/approval/beneficiaries', test: 'erased beneficiary whose approval', why: ERASES },
  { file: 'test/approval/database', why: OWN_RULES },
  { file: 'test/approval/payouts', test: 'payouts pending approval of live accounts', why: LIVE },
  { file: 'test/bank-file/', why: LIVE },
  { file: 'test/bank/faults', why: LIVE },
  { file: 'test/bank/nacha', why: LIVE },
  {
    file: 'test/operator/access',
    test: 'operator/payout/:id/(take|release|transition)',
    why: LIVE,
  },
  { file: 'test/operator/access', test: 'POST /v3/operator/account, each caller', why: LIVE },
  { file: 'test/operator/acts', why: LIVE },
  { file: 'test/operator/bank-files', why: LIVE },
  { file: 'test/operator/installation', test: 'GET operator bank files', why: LIVE },
  { file: 'test/operator/installation', test: 'limit, same values twice', why: LIVE },
  { file: 'test/operator/installation', test: 'limit, same values by six', why: LIVE },
  { file: 'test/operator/payout-states', why: LIVE },
  { file: 'test/operator/repeat', why: LIVE },
  { file: 'test/schedules/', why: LIVE },
  { file: 'test/screening/compared-again', test: 'hold with an uncleared match', why: OWN_RULES },
  { file: 'test/screening/holds', test: 'held payout: attempt refused', why: LIVE },
  { file: 'test/screening/holds', test: 'list missing, stale or a sample', why: LIVE },
  { file: 'test/screening/holds', test: 'manual rail, payout not yet screened', why: LIVE },
  { file: 'test/screening/parties', test: 'no list, or screening off', why: LIVE },
  {
    file: 'test/live/account-states',
    test: 'one per reference, with reason and direction',
    why: NUMBERED,
  },
  { file: 'test/live/accounts', why: LIVE },
  { file: 'test/live/attempts', why: LIVE },
  { file: 'test/live/by-hand', why: LIVE },
  { file: 'test/live/cli-connections', test: 'service start: opens three', why: ONE_SERVER },
  { file: 'test/live/connector-webhook', why: LIVE },
  { file: 'test/live/cut-offs', why: LIVE },
  { file: 'test/live/database-filters', why: ONE_SERVER },
  { file: 'test/live/dry-run', why: LIVE },
  { file: 'test/ledger/book', test: 'changed only by an update of the account', why: DROPPED },
  { file: 'test/ledger/random-edits', why: LIVE },
  { file: 'test/ledger/statement-year', why: OWN_SQL },
  { file: 'test/ledger/verify-all', why: OWN_RULES },
  { file: 'test/ledger/verify.test', why: OWN_RULES },
  { file: 'test/privacy/', why: ERASES },
  { file: 'test/cli/doctor', why: LIVE },
  { file: 'test/api/', test: 'statement planned for an empty table', why: ONE_SERVER },
  { file: 'test/api/', test: 'younger (keys|ones) not read', why: ONE_SERVER },
]

/** The coordinator's URL, then the workers'. Two machines may differ in their ports alone. */
async function listMachines(): Promise<URL[]> {
  const url = new URL(CITUS_URL ?? '')
  const sql = openPool(url.href, { max: 1 })
  const workers = await sql<{ host: string; port: number }[]>`
    select nodename as host, nodeport as port from pg_dist_node
    where shouldhaveshards and noderole = 'primary' order by 1, 2`
  await sql.end()
  return [url, ...workers.map(({ host, port }) => at(url, host, port))]
}

function at(url: URL, host: string, port: number): URL {
  const machine = new URL(url)
  machine.hostname = host
  machine.port = String(port)
  return machine
}

/** Runs the statements in the database of this name on each machine. */
async function onEach(database: string, statements: readonly string[]): Promise<void> {
  const asked = (await listMachines()).map(async machine => {
    machine.pathname = `/${database}`
    const sql = openPool(machine.href, { max: 1 })
    try {
      for (const statement of statements) await sql.unsafe(statement)
    } finally {
      await sql.end()
    }
  })
  await Promise.all(asked)
}

export async function makeClusterTemplate(name: string): Promise<string> {
  const [coordinator, ...workers] = await listMachines()
  if (coordinator === undefined) throw new Error('no coordinator')
  await onEach('postgres', [
    `update pg_database set datallowconn = true where datname = '${name}'`,
    `drop database if exists ${name} with (force)`,
    `create database ${name}`,
  ])
  await onEach(name, ['create extension if not exists citus'])
  const url = new URL(coordinator)
  url.pathname = `/${name}`
  const owner = connect(url.href, { max: 1, as: 'owner' })
  try {
    const port = Number(coordinator.port || '5432')
    await owner`select citus_set_coordinator_host(${coordinator.hostname}, ${port}::integer)`
    for (const worker of workers) {
      await owner`select citus_add_node(${worker.hostname}, ${Number(worker.port || '5432')}::integer)`
    }
    await migrate(owner)
    await requireNoLists(owner)
    await distribute(owner, SHARDS)
  } finally {
    await owner.end()
  }
  // Citus keeps sessions of its own in each database, and PostgreSQL copies no database that has a
  // session.
  await onEach('postgres', [`alter database ${name} allow_connections false`])
  return url.href
}

/**
 * Copies the template on each machine: the coordinator's rows, the workers' rows and the placement
 * of the shards.
 */
export async function copyOnCluster(template: string, name: string): Promise<void> {
  await onEach('postgres', [
    'select pg_advisory_lock(7210002)',
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${template}'`,
    `create database ${name} template ${template}`,
  ])
  const url = new URL(CITUS_URL ?? '')
  url.pathname = `/${name}`
  const owner = connect(url.href, { max: 1, as: 'owner' })
  await setForSpread(owner, name)
  await owner.end()
}

export async function dropOnCluster(name: string): Promise<void> {
  await onEach('postgres', [`drop database if exists ${name} with (force)`])
}

/** For `skip`: the reason to skip a test that needs a cluster; false on a cluster. */
export const unlessCluster = onCluster ? false : 'needs a cluster: set CITUS_URL'

/** A machine that keeps shards. */
export interface Worker {
  readonly node_id: number
  /** The URL of the worker's database with the coordinator's database name. */
  readonly url: string
}

export async function listWorkers({ owner, url }: TestDatabase): Promise<Worker[]> {
  const rows = await owner<{ node_id: number; host: string; port: number }[]>`
    select nodeid as node_id, nodename as host, nodeport as port from pg_dist_node
    where shouldhaveshards and noderole = 'primary' order by 1`
  return rows.map(({ node_id, host, port }) => ({
    node_id,
    url: at(new URL(url), host, port).href,
  }))
}

/** The node id of the machine that holds the rows of an account. */
export async function workerOf({ owner }: TestDatabase, account_id: string): Promise<number> {
  const [row] = await owner<{ node_id: number }[]>`
    select n.nodeid as node_id from pg_dist_placement p
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    where p.shardid = get_shard_id_for_distribution_column('books', ${account_id}::text)`
  if (row === undefined) throw new Error(`${account_id} is on no machine`)
  return row.node_id
}

/**
 * Stops the worker's server at once, as if its machine were lost, and starts it again after
 * `away_s` seconds. The server itself runs the script.
 */
export async function loseWorker({ url }: Worker, away_s: number): Promise<void> {
  const sql = openPool(url, { max: 1 })
  try {
    const [row] = await sql<{ control: string; folder: string }[]>`
      select setting || '/pg_ctl' as control, current_setting('data_directory') as folder
      from pg_config where name = 'BINDIR'`
    const { control, folder } = row as { control: string; folder: string }
    // The script closes the file descriptors that it inherits, or this connection would never end.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
    const alone = 'for fd in /proc/self/fd/*; do n=${fd##*/}; ((n > 2)) && eval "exec $n>&-"; done'
    const stop = `${control} -D ${folder} -m immediate stop`
    const start = `${control} -D ${folder} -l ${folder}/again.log start`
    // The pause lets the server answer this statement first.
    const script = `${alone}; sleep 0.3; ${stop}; sleep ${away_s}; ${start}`
    const program = literal(`setsid bash -c '${script}' >/dev/null 2>&1 &`)
    await sql.unsafe(`copy (select where false) to program ${program}`)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Switches TLS between the machines off, so that a proxy can read their traffic, or on again. */
export async function speakOpenly(openly: boolean): Promise<void> {
  const change = openly
    ? `set citus.node_conninfo = 'sslmode=disable'`
    : 'reset citus.node_conninfo'
  await onEach('postgres', [`alter system ${change}`, 'select pg_reload_conf()'])
}

/** The coordinator reaches the worker by this address from now on. */
export async function reachBy({ owner }: TestDatabase, worker: Worker, url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  await owner`select citus_update_node(${worker.node_id}::integer, ${hostname}, ${Number(port)}::integer)`
}
