// The scenario entity: creates people and finds duplicates over HTTP, on one hot account for each
// number of entities. Every round measures all accounts, so that drift of the machine does not look
// like an effect of size.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseNow } from '../src/sql/connect.ts'
import { asOwner } from './database.ts'
import { prepareEntityBaseline } from './entity-baseline.ts'
import {
  checkFound,
  countSince,
  fillAccount,
  KNOWN_PEOPLE,
  NEW_PERSON,
  personOf,
  trimAccount,
} from './entity-fill.ts'
import { type Figure, type Goal, onlyRound, roundOf } from './figure.ts'
import { checkSpace } from './fill.ts'
import type { Generator } from './load.ts'
import { FRESH_STEP, type Measured, measureLoad, type Seconds } from './measure.ts'
import type { Options } from './options.ts'
import { type Baseline, STYLES, type Style, sayBaseline } from './pgbench.ts'
import { inRounds, say, sayLoad, whole } from './report.ts'
import { type Target, withTargets } from './target.ts'

/** Durations in seconds, and the number of rounds. */
interface Plan extends Seconds {
  readonly rounds: number
  readonly pgbench_s: number
  readonly import_rows: number
}

const FULL: Plan = { rounds: 3, warm_up_s: 2, load_s: 10, pgbench_s: 5, import_rows: 100_000 }
const QUICK: Plan = { rounds: 1, warm_up_s: 1, load_s: 2, pgbench_s: 1, import_rows: 5_000 }
/** Larger accounts take too long to fill. */
const LARGEST_QUICK = 100_000

/** One connection shows the latency of a request, many connections the throughput. */
const CONNECTIONS = [1, 64] as const
type Connections = (typeof CONNECTIONS)[number]

/** The measurements of one account in one round. */
interface Round {
  readonly loads: readonly (Measured & { readonly kind: Kind })[]
  readonly pgbench: Readonly<Record<Style, number>>
}

interface Result {
  readonly size: number
  readonly rounds: readonly Round[]
  /** Rows a second. */
  readonly imported: number
}

export async function benchEntities(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  const asked = options.quick ? options.sizes.map(s => Math.min(s, LARGEST_QUICK)) : options.sizes
  const sizes = [...new Set(asked)].sort((a, b) => a - b)
  const entities = sizes.reduce((sum, size) => sum + size, 0)
  await checkSpace(entities * BYTES_AN_ENTITY + sizes.length * BYTES_A_DATABASE)
  return withTargets(sizes.length, options, async targets => {
    const accounts: EntityAccount[] = []
    for (const [i, size] of sizes.entries()) {
      accounts.push(await openAccount(targets[i] as Target, size, options.pgbench))
    }
    const fresh = freshNumbers()
    const rounds = await inRounds(plan.rounds, () => runRound(options, plan, accounts, fresh))
    const results: Result[] = []
    for (const [i, { size, target }] of accounts.entries()) {
      const imported = await measureImport(target, plan.import_rows, fresh())
      say(`import into ${whole(size)} entities: ${whole(imported)} rows/s`)
      results.push({ size, rounds: rounds.map(round => round[i] as Round), imported })
    }
    return figuresOf(results)
  })
}

/**
 * An entity with its index entries was measured at 1.4 kB; the rest is for sorting while indexes
 * are built, and for growth.
 */
const BYTES_AN_ENTITY = 2_000
/** An empty database and its write-ahead log (max_wal_size). */
const BYTES_A_DATABASE = 3_000_000_000

/** Returns the beginning of a new range of numbers for each load. */
function freshNumbers(): () => number {
  let next = 1_000_000_000
  return () => {
    next += FRESH_STEP
    return next
  }
}

/** Measures all accounts in turn; returns a round for each. */
async function runRound(
  { generator }: Options,
  plan: Plan,
  accounts: readonly EntityAccount[],
  fresh: () => number,
): Promise<Round[]> {
  const loads = accounts.map((): (Measured & { kind: Kind })[] => [])
  for (const connections of CONNECTIONS) {
    for (const kind of KINDS) {
      for (const [i, account] of accounts.entries()) {
        const load = { kind, connections, fresh_from: fresh() }
        const measured = await loadAccount(generator, account, load, plan)
        loads[i]?.push({ ...measured, kind })
      }
    }
  }
  const rounds: Round[] = []
  for (const [i, account] of accounts.entries()) {
    rounds.push({ loads: loads[i] ?? [], pgbench: await measureBaseline(account, plan.pgbench_s) })
  }
  return rounds
}

function figuresOf(results: readonly Result[]): Figure[] {
  return [
    ...results.flatMap(result => KINDS.map(kind => rateOf(result, kind))),
    ...CONNECTIONS.flatMap(connections =>
      KINDS.flatMap(kind => growthOf(results, kind, connections)),
    ),
    ...results.map(importOf),
  ]
}

/** Requests a second against pgbench. */
function rateOf({ size, rounds }: Result, kind: Kind): Figure {
  return {
    name: `entity ${kind}, ${whole(size)} entities, 64 connections`,
    unit: 'requests/s',
    rounds: rounds.map(round => {
      const { plain, pipelined } = round.pgbench
      const baselines = { 'pgbench, best': plain, 'pgbench, pipelined': pipelined }
      return roundOf(pick(round, kind, 64), baselines)
    }),
    goals: [{ what: 'ratio', to: 'pgbench, best', at_least: 2 }],
    note: 'pgbench looks up each key and inserts, also where the service finds a duplicate.',
  }
}

/** The latency in the largest account against that in the smallest. */
function growthOf(results: readonly Result[], kind: Kind, connections: Connections): Figure[] {
  const [smallest] = results
  const largest = results.at(-1)
  if (smallest === undefined || largest === undefined || largest === smallest) return []
  const baseline = `p50 among ${whole(smallest.size)}`
  const goals: Goal[] = [{ what: 'ratio', to: baseline, at_most: 1.5 }]
  return [
    {
      name: `entity ${kind}, ${whole(largest.size)} entities, p50, ${connections === 1 ? '1 connection' : '64 connections'}`,
      unit: 'ms',
      rounds: largest.rounds.map((round, i) => {
        const before = pick(smallest.rounds[i] as Round, kind, connections)
        const measured = pick(round, kind, connections)
        return { value: measured.p50_ms, baselines: { [baseline]: before.p50_ms } }
      }),
      goals: connections === 1 ? goals : [],
    },
  ]
}

function importOf({ size, imported }: Result): Figure {
  return {
    name: `entity import, into ${whole(size)} entities`,
    unit: 'rows/s',
    rounds: onlyRound(imported),
    goals: [{ what: 'value', at_least: 5_000 }],
    note: 'From the start of the process to its end.',
  }
}

function pick({ loads }: Round, kind: Kind, connections: Connections): Measured {
  const found = loads.find(load => load.kind === kind && load.connections === connections)
  if (found === undefined) throw new Error(`entity ${kind} was not measured`)
  return found
}

/** Requests with a new person, and with an existing one. */
const KINDS = ['create', 'duplicate hit'] as const
type Kind = (typeof KINDS)[number]

interface EntityAccount {
  readonly size: number
  readonly target: Target
  readonly baseline: Baseline
  readonly filled_at: string
}

async function openAccount(target: Target, size: number, pgbench: string): Promise<EntityAccount> {
  const started = performance.now()
  await fillAccount(target, size)
  const filled_at = await asOwner(target.database_url, databaseNow)
  const seconds = (performance.now() - started) / 1000
  const found = await checkFound(target, size)
  say(`${whole(size)} entities in ${whole(seconds)} s; ${found} of ${found} tried are found`)
  return { size, target, filled_at, baseline: await prepareEntityBaseline(pgbench, target) }
}

interface EntityLoad {
  readonly kind: Kind
  readonly connections: number
  /** The first number of new people. */
  readonly fresh_from: number
}

async function loadAccount(
  generator: Generator,
  { size, target, filled_at }: EntityAccount,
  { kind, connections, fresh_from }: EntityLoad,
  seconds: Seconds,
): Promise<Measured> {
  const creates = kind === 'create'
  if (creates) await trimAccount(target, size, filled_at)
  const before = await countSince(target, filled_at)
  const templates = creates ? [NEW_PERSON] : KNOWN_PEOPLE
  const load = {
    url: `${target.address}/v3/entity`,
    authorizations: [target.authorization],
    bodies: { templates, fresh_from, existing_to: size, keyed: false },
    connections,
  }
  const measured = await measureLoad(generator, target, load, seconds)
  const created = (await countSince(target, filled_at)) - before
  // Both get a 200: only the table shows the difference.
  if (creates ? created < measured.requests : created > 0) {
    throw new Error(`${measured.requests} requests (${kind}) have created ${created} entities`)
  }
  sayLoad(`${whole(size)}, ${kind}, ${connections} connections`, 'requests/s', measured)
  return measured
}

/** Transactions a second. */
async function measureBaseline(
  { size, target, filled_at, baseline }: EntityAccount,
  seconds: number,
): Promise<Readonly<Record<Style, number>>> {
  await trimAccount(target, size, filled_at)
  const baselines: Record<Style, number> = { plain: 0, pipelined: 0 }
  for (const style of STYLES) {
    const best = await baseline.run(style, seconds)
    sayBaseline(`${whole(size)}, ${style}`, best)
    baselines[style] = best.per_second
  }
  return baselines
}

/** From the start of the process to its end. */
async function measureImport(target: Target, rows: number, first: number): Promise<number> {
  const file = join(target.folder, 'people.csv')
  const people = Array.from({ length: rows }, (_, i) => flatten(personOf(first + i)))
  const header = Object.keys(people[0] ?? {})
  const lines = people.map(person => header.map(column => person[column]).join(','))
  await writeFile(file, `${[header.join(','), ...lines].join('\n')}\n`)
  const started = performance.now()
  const args = ['entity', 'import', file, '--account', target.account_id, '--json']
  const { created } = JSON.parse(await target.command(...args))
  const seconds = (performance.now() - started) / 1000
  if (created !== rows) throw new Error(`of ${rows} rows, ${created} were imported`)
  return rows / seconds
}

/** Members by their path; no value of these people needs quotes. */
function flatten(record: object, prefix = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]): [string, string][] =>
      typeof value === 'object'
        ? Object.entries(flatten(value, `${prefix}${name}.`))
        : [[prefix + name, String(value)]],
    ),
  )
}
