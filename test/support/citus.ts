// With CITUS_URL, which names a database on the coordinator of a cluster: the tests' databases are made
// on all its machines, each a copy of one that is migrated and spread.
import postgres from 'postgres'
import { connect } from '../../src/db/connect.ts'
import { distribute, setForSpread } from '../../src/db/distribute.ts'
import { migrate } from '../../src/db/migrate.ts'

/** Fewer shards are cut sooner; more than machines, so that a machine has accounts of several. */
const SHARDS = 4

const { CITUS_URL } = process.env

export const onCluster = CITUS_URL !== undefined

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
