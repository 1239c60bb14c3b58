// The scenario entity: people created and found again over HTTP on one hot account, for several
// numbers of entities it has, side by side: every round goes through all of them, so that no drift
// of the machine looks like one of the size.
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import {
  type EntityAccount,
  holdAccount,
  KINDS,
  type Kind,
  loadAccount,
  openAccount,
} from './entity-account.ts'
import { measureImport } from './entity-import.ts'
import { type Figure, type Goal, roundOf } from './figure.ts'
import { FRESH_STEP, type Measured, type Seconds } from './measure.ts'
import { type Options, targetOf } from './options.ts'
import type { Style } from './pgbench.ts'
import { say, whole } from './report.ts'
import { type Target, withTargets } from './target.ts'

/** How long everything takes, in seconds, and how often it is done. */
interface Plan extends Seconds {
  readonly rounds: number
  readonly pgbench_s: number
  readonly import_rows: number
}

const FULL: Plan = { rounds: 3, warm_up_s: 2, load_s: 10, pgbench_s: 5, import_rows: 100_000 }
const QUICK: Plan = { rounds: 1, warm_up_s: 1, load_s: 2, pgbench_s: 1, import_rows: 5_000 }
/** Larger accounts take too long to fill. */
const LARGEST_QUICK = 100_000

/** One connection shows how long a request takes that waits for no other, many how many there can be. */
const CONNECTIONS = [1, 64] as const
type Connections = (typeof CONNECTIONS)[number]

/** What was measured of one account in one round. */
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
  await checkSpace(sizes)
  return withTargets(sizes.length, targetOf(options.postgres), async targets => {
    const accounts: EntityAccount[] = []
    for (const [i, size] of sizes.entries()) {
      accounts.push(await openAccount(targets[i] as Target, size, options.pgbench))
    }
    const fresh = freshNumbers()
    const rounds: Round[][] = []
    for (let i = 1; i <= plan.rounds; i++) {
      say(`round ${i} of ${plan.rounds}`)
      rounds.push(await runRound(options, plan, accounts, fresh))
    }
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
 * Measured: 1.4 kB with its indexes; the rest is for sorting while they are built, and for growth.
 */
const BYTES_AN_ENTITY = 2_000
/** An empty database and its write-ahead log (max_wal_size). */
const BYTES_A_DATABASE = 3_000_000_000

async function checkSpace(sizes: readonly number[]): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir())
  const free = bavail * bsize
  const entities = sizes.reduce((sum, size) => sum + size, 0)
  const needed = entities * BYTES_AN_ENTITY + sizes.length * BYTES_A_DATABASE
  const words = `${gigabytes(needed)} needed in ${tmpdir()}, ${gigabytes(free)} free`
  if (needed > free) throw new Error(`not enough space: ${words}; TMPDIR names another place`)
  say(words)
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`
}

/** Every load has numbers of its own. */
function freshNumbers(): () => number {
  let next = 1_000_000_000
  return () => {
    next += FRESH_STEP
    return next
  }
}

/** Through all accounts, one measurement after the other; a round an account. */
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
    rounds.push({ loads: loads[i] ?? [], pgbench: await holdAccount(account, plan.pgbench_s) })
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
      const held = { 'pgbench, best': plain, 'pgbench, pipelined': pipelined }
      return roundOf(pick(round, kind, 64), held)
    }),
    goals: [{ what: 'ratio', to: 'pgbench, best', at_least: 2 }],
    note: 'pgbench looks up each key and inserts, also where the service finds a duplicate.',
  }
}

/** How much longer a request takes in the largest account than in the smallest. */
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
    rounds: [{ value: imported, baselines: {} }],
    goals: [{ what: 'value', at_least: 5_000 }],
    note: 'From the start of the process to its end.',
  }
}

function pick({ loads }: Round, kind: Kind, connections: Connections): Measured {
  const found = loads.find(load => load.kind === kind && load.connections === connections)
  if (found === undefined) throw new Error(`entity ${kind} was not measured`)
  return found
}
