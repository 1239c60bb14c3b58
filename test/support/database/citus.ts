// With CITUS_URL, which names a database on the coordinator of a cluster: the tests' databases are made
// on all its machines, each a copy of one that is migrated and spread.
import postgres from 'postgres'
import { connect, literal } from '../../../src/db/connect.ts'
import { distribute, setForSpread } from '../../../src/db/distribute.ts'
import { migrate } from '../../../src/db/migrate.ts'
import type { TestDatabase } from './database.ts'
import { liveWithoutLists } from './without-lists.ts'

/** Fewer shards are cut sooner; more than machines, so that a machine has accounts of several. */
const SHARDS = 4

const { CITUS_URL } = process.env

export const onCluster = CITUS_URL !== undefined

/** What is not tested on a cluster: files, or tests by what their names hold. */
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

export const NOT_ON_CLUSTER: readonly LeftOut[] = [
  { file: 'test/model/', why: 'reads what is new in one snapshot of all accounts, by xmin' },
  { file: 'test/api/access', why: LIVE },
  { file: 'test/api/accounts-named', why: OWN_RULES },
  { file: 'test/api/entity-approval', test: 'APPROVAL_TRANSITIONS', why: OWN_RULES },
  { file: 'test/api/entity-database', why: NUMBERED },
  {
    file: 'test/api/event-objects',
    test: 'a random history',
    why: 'a spread database erases nobody',
  },
  { file: 'test/api/guessing.test', test: 'secrets of API keys', why: LIVE },
  { file: 'test/api/idempotency-payout', why: LIVE },
  { file: 'test/api/idempotency.test', test: 'old ones are forgotten', why: ONE_SERVER },
  { file: 'test/api/payout-batch-large', why: TIME },
  { file: 'test/api/payout-duplicate', test: 'naming the first and its age', why: OWN_SQL },
  { file: 'test/api/payout-duplicate', test: 'the end of the window', why: OWN_SQL },
  { file: 'test/api/payout-duplicate', test: 'and set --duplicate-window', why: LIVE },
  { file: 'test/api/payout-duplicate', test: 'one row is read', why: ONE_SERVER },
  { file: 'test/api/payout-holds', test: 'held_for outside compliance_hold', why: NUMBERED },
  { file: 'test/api/payout-quote', test: 'lock waited for until', why: OWN_SQL },
  { file: 'test/api/payout-schedule', test: 'a person cannot take it before', why: LIVE },
  { file: 'test/api/payout-schedule', test: 'a route with a cut-off', why: LIVE },
  { file: 'test/api/payout-schedule', test: 'on a live rail: PostgreSQL refuses', why: LIVE },
  { file: 'test/api/payout-service-account', test: 'pays a live account', why: LIVE },
  { file: 'test/api/payout-service-account', test: 'a live account pays', why: LIVE },
  { file: 'test/api/payout-timeline', test: 'wrote no causes', why: OWN_RULES },
  { file: 'test/api/quote', test: 'rate older than the configured age', why: LIVE },
  { file: 'test/api/quote', test: 'rate gone stale', why: LIVE },
  { file: 'test/api/row-security', why: 'sends statements without their condition on the account' },
  { file: 'test/api/sandbox', why: LIVE },
  { file: 'test/api/statement.test', test: 'books that do not add up', why: OWN_RULES },
  { file: 'test/api/webhook-delivery-replay', test: 'has the endpoint: waits', why: OWN_SQL },
  { file: 'test/api/webhook-delivery-replay', test: 'DELETE of an endpoint', why: TIME },
  { file: 'test/privacy/', why: 'a spread database erases and archives nothing' },
  { file: 'test/cli/doctor', why: LIVE },
  { file: 'test/api/', test: 'planned while there were none', why: ONE_SERVER },
  { file: 'test/api/', test: 'the young are not read', why: ONE_SERVER },
]

/** The coordinator first. Two of a cluster may be told apart by their ports alone. */
async function listMachines(): Promise<URL[]> {
  const url = new URL(CITUS_URL ?? '')
  const sql = postgres(url.href, { max: 1, onnotice: () => {} })
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

/** Runs statements in a database of each machine. */
async function onEach(database: string, statements: readonly string[]): Promise<void> {
  const asked = (await listMachines()).map(async machine => {
    machine.pathname = `/${database}`
    const sql = postgres(machine.href, { max: 1, onnotice: () => {} })
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
    await liveWithoutLists(owner)
    await distribute(owner, SHARDS)
  } finally {
    await owner.end()
  }
  // Citus works in each database by itself, and what is copied may have no session.
  await onEach('postgres', [`alter database ${name} allow_connections false`])
  return url.href
}

/** A copy on each machine, of the coordinator's and the workers' own rows and of what is where. */
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

/** A test that nothing but a cluster can run is skipped without one, and says so. */
export const unlessCluster = onCluster ? false : 'needs a cluster: set CITUS_URL'

/** A machine that keeps shards. */
export interface Worker {
  readonly node_id: number
  /** The database of the coordinator's name there. */
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

/** On which machine the rows of an account are. */
export async function workerOf({ owner }: TestDatabase, account_id: string): Promise<number> {
  const [row] = await owner<{ node_id: number }[]>`
    select n.nodeid as node_id from pg_dist_placement p
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    where p.shardid = get_shard_id_for_distribution_column('books', ${account_id}::text)`
  if (row === undefined) throw new Error(`${account_id} is on no machine`)
  return row.node_id
}

/** Stops the server as a lost machine does, by its own hand, and has it started again later. */
export async function loseWorker({ url }: Worker, away_s: number): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const [row] = await sql<{ control: string; folder: string }[]>`
      select setting || '/pg_ctl' as control, current_setting('data_directory') as folder
      from pg_config where name = 'BINDIR'`
    const { control, folder } = row as { control: string; folder: string }
    // What it has inherited is let go, or our own connection would never end.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
    const alone = 'for fd in /proc/self/fd/*; do n=${fd##*/}; ((n > 2)) && eval "exec $n>&-"; done'
    const stop = `${control} -D ${folder} -m immediate stop`
    const start = `${control} -D ${folder} -l ${folder}/again.log start`
    // Once this has been answered.
    const script = `${alone}; sleep 0.3; ${stop}; sleep ${away_s}; ${start}`
    const program = literal(`setsid bash -c '${script}' >/dev/null 2>&1 &`)
    await sql.unsafe(`copy (select where false) to program ${program}`)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Has the machines speak to each other so that a proxy between them can read it, or not. */
export async function speakOpenly(openly: boolean): Promise<void> {
  const change = openly
    ? `set citus.node_conninfo = 'sslmode=disable'`
    : 'reset citus.node_conninfo'
  await onEach('postgres', [`alter system ${change}`, 'select pg_reload_conf()'])
}

/** The machine is reached by this address from now on. */
export async function reachBy({ owner }: TestDatabase, worker: Worker, url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  await owner`select citus_update_node(${worker.node_id}::integer, ${hostname}, ${Number(port)}::integer)`
}
