// The scenario entity: people created and found again over HTTP on one hot account, for several
// numbers of entities it has, side by side: each size on a service and a database of its own, and
// every round goes through all of them, so that no drift of the machine looks like one of the size.
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { connect, databaseNow } from '../src/db/connect.ts'
import { prepareEntityBaseline } from './entity-baseline.ts'
import { checkFound, countSince, fillAccount, trimAccount } from './entity-fill.ts'
import { measureImport } from './entity-import.ts'
import {
  CONNECTIONS,
  FULL,
  KINDS,
  type Kind,
  type MeasuredEntity,
  type Plan,
  QUICK,
  type Round,
  type SizeResult,
} from './entity-plan.ts'
import { KNOWN_PEOPLE, NEW_PERSON } from './entity-record.ts'
import { sayEntityResults, summarizeEntities } from './entity-summary.ts'
import type { Generator } from './load.ts'
import { FRESH_STEP, measureLoad } from './measure.ts'
import { type Options, targetOf } from './options.ts'
import { type Baseline, type BaselineResult, STYLES, type Style } from './pgbench.ts'
import { keep, say, whole } from './report.ts'
import { type Target, withTargets } from './target.ts'

/** An account with so many entities. */
interface Filled {
  readonly size: number
  readonly target: Target
  readonly baseline: Baseline
  readonly filled_at: string
}

/** Resolves to false when a request failed. */
export async function benchEntities(
  options: Options & { readonly sizes: readonly number[] },
): Promise<boolean> {
  const { quick, write, sizes, machine, generator, postgres } = options
  const plan = quick ? QUICK : FULL
  await checkSpace(sizes)
  return withTargets(sizes.length, targetOf(postgres), async targets => {
    const filled: Filled[] = []
    for (const [i, size] of sizes.entries()) {
      filled.push(await fill(targets[i] as Target, size, options.pgbench))
    }
    const fresh = freshNumbers()
    const rounds: Round[][] = []
    for (let i = 1; i <= plan.rounds; i++) {
      say(`\nround ${i} of ${plan.rounds}`)
      rounds.push(await runRound(plan, generator, filled, fresh))
    }
    const results: SizeResult[] = []
    for (const [i, { size, target }] of filled.entries()) {
      const imported = await measureImport(target, plan.import_rows, fresh())
      results.push({ size, rounds: rounds.map(round => round[i] as Round), imported })
    }
    const summary = summarizeEntities(results)
    sayEntityResults(summary)
    if (write) await keep('entity', { machine, generator, postgres, plan, results, summary })
    return results.every(({ rounds }) =>
      rounds.every(({ http }) => http.every(({ failures }) => failures === 0)),
    )
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

async function fill(target: Target, size: number, pgbench: string): Promise<Filled> {
  const started = performance.now()
  await fillAccount(target, size)
  const sql = connect(target.database_url, { max: 1, as: 'owner' })
  const filled_at = await databaseNow(sql).finally(() => sql.end({ timeout: 5 }))
  const seconds = (performance.now() - started) / 1000
  const found = await checkFound(target, size)
  say(`${whole(size)} entities in ${whole(seconds)} s; ${found} of ${found} tried are found`)
  return { size, target, filled_at, baseline: await prepareEntityBaseline(pgbench, target) }
}

/** Every load has numbers of its own. */
function freshNumbers(): () => number {
  let next = 1_000_000_000
  return () => {
    next += FRESH_STEP
    return next
  }
}

/** Through all sizes, one measurement after the other; a round a size. */
async function runRound(
  plan: Plan,
  generator: Generator,
  filled: readonly Filled[],
  fresh: () => number,
): Promise<Round[]> {
  const http = filled.map((): MeasuredEntity[] => [])
  for (const connections of CONNECTIONS) {
    for (const kind of KINDS) {
      for (const [i, account] of filled.entries()) {
        const measured = await measure(plan, generator, account, { kind, connections }, fresh())
        http[i]?.push(measured)
        sayMeasured(account.size, measured)
      }
    }
  }
  const rounds: Round[] = []
  for (const [i, account] of filled.entries()) {
    rounds.push({ http: http[i] ?? [], pgbench: await runBaseline(plan, account) })
  }
  return rounds
}

async function runBaseline(
  plan: Plan,
  { size, target, filled_at, baseline }: Filled,
): Promise<Record<Style, BaselineResult>> {
  await trimAccount(target, size, filled_at)
  const plain = await baseline.run('plain', plan.pgbench_s)
  const pipelined = await baseline.run('pipelined', plan.pgbench_s)
  const results = { plain, pipelined }
  for (const style of STYLES) {
    const { per_second, clients, latency_ms } = results[style]
    say(
      `  ${whole(size)}, pgbench, ${style}: ${whole(per_second)}/s at its best, ` +
        `${clients} clients, ${latency_ms} ms`,
    )
  }
  return results
}

async function measure(
  plan: Plan,
  generator: Generator,
  { size, target, filled_at }: Filled,
  { kind, connections }: { readonly kind: Kind; readonly connections: number },
  fresh_from: number,
): Promise<MeasuredEntity> {
  const creates = kind === 'creation'
  if (creates) await trimAccount(target, size, filled_at)
  const before = await countSince(target, filled_at)
  const measured = await measureLoad(
    generator,
    target,
    {
      url: `${target.address}/v3/entity`,
      authorization: target.authorization,
      bodies: {
        templates: creates ? [NEW_PERSON] : KNOWN_PEOPLE,
        fresh_from,
        existing_to: size,
        keyed: false,
      },
      connections,
    },
    plan,
  )
  const created = (await countSince(target, filled_at)) - before
  // Both are answered with 200: only the table tells them apart.
  if (creates ? created < measured.requests : created > 0) {
    throw new Error(`${measured.requests} requests (${kind}) have created ${created} entities`)
  }
  return { ...measured, kind }
}

function sayMeasured(size: number, measured: MeasuredEntity): void {
  const { kind, connections, per_second, p50_ms, p99_ms, failures } = measured
  const { service_cpu_s, database_cpu_s, wal_kb, blocks_read } = measured
  say(
    `  ${whole(size)}, ${kind}, ${connections} connections: ${whole(per_second)}/s, ` +
      `p50 ${p50_ms.toFixed(2)} ms, p99 ${p99_ms.toFixed(1)} ms, ${failures} not 2xx; ` +
      `CPU s per 1,000: service ${service_cpu_s.toFixed(3)}, ` +
      `database ${database_cpu_s.toFixed(3)}; WAL ${wal_kb.toFixed(1)} kB, ${blocks_read.toFixed(1)} blocks`,
  )
}
