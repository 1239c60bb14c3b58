// Finds pgbench, and runs it with its own scripts and with given statements.
import { execFile } from 'node:child_process'
import { access, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SUPERUSER } from '../src/postgres/cluster.ts'
import { asSuperuser } from './database.ts'
import { readable } from './figure.ts'
import { say, whole } from './report.ts'

const run = promisify(execFile)

/** The usual paths of pgbench, in order of preference. */
const PLACES = [
  ...[18, 17, 16, 15].map(version => `/usr/lib/postgresql/${version}/bin/pgbench`),
  '/usr/bin/pgbench',
  '/usr/local/bin/pgbench',
  '/opt/homebrew/bin/pgbench',
]

export const HOW_TO_GET_PGBENCH =
  'pgbench was not found. It comes with PostgreSQL: on Debian and Ubuntu `apt-get install postgresql` ' +
  '(no server needs to run), with Homebrew `brew install postgresql`. PGBENCH names any other place.'

export async function findPgbench(): Promise<string | undefined> {
  const { PGBENCH } = process.env
  for (const place of PGBENCH === undefined ? PLACES : [PGBENCH]) {
    const found = await access(place).then(
      () => true,
      () => false,
    )
    if (found) return place
  }
  return undefined
}

/** The numbers of clients to try; the best result counts. */
export const CLIENTS = [1, 8, 16, 32]

/**
 * `plain` waits for the answer to each statement; `pipelined` sends the statements of a transaction
 * without waiting.
 */
export const STYLES = ['plain', 'pipelined'] as const
export type Style = (typeof STYLES)[number]

/** The statements of one transaction. */
export interface Statements {
  /** Random variables of each transaction, from 1 to this number. */
  readonly drawn?: Readonly<Record<string, number>>
  /** The statements that lock and read; each column becomes a pgbench variable of its name. */
  readonly reads: readonly string[]
  /** The other statements. */
  readonly rest: readonly string[]
}

export interface BaselineResult {
  readonly per_second: number
  readonly clients: number
  readonly latency_ms: number
}

export interface Baseline {
  /** Runs each client count, by default CLIENTS, for this long; returns the best result. */
  run(style: Style, seconds: number, clients?: readonly number[]): Promise<BaselineResult>
}

/** A baseline that runs these transactions one after the other, and counts all of them as one. */
export function baselineOf(
  pgbench: string,
  database_url: string,
  ...transactions: readonly Statements[]
): Baseline {
  return {
    async run(style, seconds, clients = CLIENTS) {
      const file = join(tmpdir(), `corridor-bench-${process.pid}.sql`)
      await writeFile(file, transactions.map(statements => script(statements, style)).join(''))
      try {
        return await bestOf({ pgbench, database_url, script: ['-n', '-f', file] }, seconds, clients)
      } finally {
        await rm(file, { force: true })
      }
    },
  }
}

/** The baselines of pgbench's own scripts, on its own tables. */
export type OwnBaselines = Readonly<Record<'tpcb-like' | 'simple-update', OwnBaseline>>

interface OwnBaseline {
  /** Like Baseline.run. */
  run(seconds: number, clients?: readonly number[]): Promise<BaselineResult>
}

const OWN_DATABASE = 'pgbench'

/**
 * Creates the tables of pgbench in a database of their own on the same server, at its default scale
 * of 1: one branch, which each transaction of TPC-B updates, ten tellers, and 100,000 accounts, on
 * which transactions of simple-update hardly ever collide.
 */
export async function prepareOwnScripts(
  pgbench: string,
  database_url: string,
): Promise<OwnBaselines> {
  await asSuperuser(database_url, sql => sql.unsafe(`create database ${OWN_DATABASE}`))
  const url = new URL(database_url)
  url.pathname = OWN_DATABASE
  await command(pgbench, url.href, ['-i', '-q', '-s', '1'])
  const own = (name: keyof OwnBaselines): OwnBaseline => ({
    run: (seconds, clients = CLIENTS) =>
      bestOf({ pgbench, database_url: url.href, script: ['-b', name] }, seconds, clients),
  })
  return { 'tpcb-like': own('tpcb-like'), 'simple-update': own('simple-update') }
}

/** An SQL expression for ids that grow with a pgbench variable and are as wide as the service's. */
export function idFromNumber(prefix: string, variable = 'number'): string {
  return `'${prefix}_' || lpad(:${variable}::text, 20, '0')`
}

function script({ drawn, reads, rest }: Statements, style: Style): string {
  const lines = [
    ...Object.entries(drawn ?? {}).map(([name, most]) => `\\set ${name} random(1, ${most})`),
    'begin;',
    ...reads.map(statement => `${statement} \\gset`),
    ...(style === 'pipelined' ? ['\\startpipeline'] : []),
    ...[...rest, 'commit'].map(statement => `${statement};`),
    ...(style === 'pipelined' ? ['\\endpipeline'] : []),
  ]
  return `${lines.join('\n')}\n`
}

interface Running {
  readonly pgbench: string
  readonly database_url: string
  /** Arguments that name the script. */
  readonly script: readonly string[]
}

async function bestOf(
  running: Running,
  seconds: number,
  clients: readonly number[],
): Promise<BaselineResult> {
  let best: BaselineResult | undefined
  for (const count of clients) {
    const next = await runPgbench(running, seconds, count)
    if (next !== undefined && next.per_second > (best?.per_second ?? 0)) best = next
  }
  if (best === undefined) throw new Error('pgbench measured nothing')
  return best
}

/** Undefined when no transaction came to its end, as may happen in a short run with many clients. */
async function runPgbench(
  { pgbench, database_url, script }: Running,
  seconds: number,
  clients: number,
): Promise<BaselineResult | undefined> {
  const how = ['-M', 'prepared', '-c', String(clients), '-j', clients > 1 ? '2' : '1']
  const args = [...how, '-T', String(seconds), ...script]
  const { stdout, stderr } = await command(pgbench, database_url, args)
  const per_second = Number(/tps = ([0-9.]+)/.exec(stdout)?.[1])
  const latency_ms = Number(/latency average = ([0-9.]+) ms/.exec(stdout)?.[1])
  if (/actually processed: 0$/m.test(stdout)) return undefined
  if (!(per_second > 0)) throw new Error(`pgbench failed:\n${stdout}\n${stderr}`)
  return { per_second, clients, latency_ms }
}

/** Runs pgbench as the superuser, who does not pay the service's cost of row-level security. */
function command(pgbench: string, database_url: string, args: readonly string[]) {
  const { hostname, port, password, pathname, searchParams } = new URL(database_url)
  // Connects to the server in the same way as the service.
  const where = ['-h', searchParams.get('host') ?? hostname, '-p', port, '-U', SUPERUSER]
  const env = { ...process.env, PGPASSWORD: decodeURIComponent(password) }
  return run(pgbench, [...where, ...args, pathname.slice(1)], { env })
}

/** Prints the best result of pgbench. */
export function sayBaseline(
  name: string,
  { per_second, clients, latency_ms }: BaselineResult,
): void {
  say(
    `  pgbench, ${name}: ${whole(per_second)}/s with ${clients} clients, ` +
      `${readable(latency_ms)} ms`,
  )
}
