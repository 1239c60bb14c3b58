// What the rounds of the scenario entity come to: medians, ratios taken within a round, and the
// table that is printed. Pure but for printing.
import { CONNECTIONS, KINDS, type Kind, type Round, type SizeResult } from './entity-plan.ts'
import { median, spread } from './numbers.ts'
import { CLIENTS, type Style } from './pgbench.ts'
import { say, sayTable, whole } from './report.ts'

interface Row {
  readonly size: number
  readonly kind: Kind
  readonly connections: number
  readonly per_second: number
  readonly p50_ms: number
  readonly p99_ms: number
}

/** The largest account against the smallest. */
interface Growth {
  readonly kind: Kind
  readonly connections: number
  /** One a round: p50 at the largest size over p50 at the smallest. */
  readonly p50_ratios: readonly number[]
}

/** Creations at many connections against pgbench. */
interface Against {
  readonly size: number
  readonly style: Style
  readonly pgbench_per_second: number
  readonly ratios: readonly number[]
}

export interface EntitySummary {
  readonly rows: readonly Row[]
  readonly growth: readonly Growth[]
  readonly against: readonly Against[]
  readonly imports: readonly { readonly size: number; readonly per_second: number }[]
}

const SCENARIOS = CONNECTIONS.flatMap(connections => KINDS.map(kind => ({ connections, kind })))
type Scenario = (typeof SCENARIOS)[number]

export function summarizeEntities(results: readonly SizeResult[]): EntitySummary {
  const smallest = results.reduce((a, b) => (b.size < a.size ? b : a))
  const largest = results.reduce((a, b) => (b.size > a.size ? b : a))
  return {
    rows: SCENARIOS.flatMap(scenario => results.map(result => rowOf(result, scenario))),
    growth: SCENARIOS.map(scenario => ({
      ...scenario,
      p50_ratios: largest.rounds.map(
        (round, i) =>
          pick(round, scenario).p50_ms / pick(smallest.rounds[i] as Round, scenario).p50_ms,
      ),
    })),
    against: results.flatMap(result => [against(result, 'plain'), against(result, 'pipelined')]),
    imports: results.map(({ size, imported }) => ({ size, per_second: imported.per_second })),
  }
}

function rowOf({ size, rounds }: SizeResult, scenario: Scenario): Row {
  const measured = rounds.map(round => pick(round, scenario))
  return {
    size,
    ...scenario,
    per_second: median(measured.map(({ per_second }) => per_second)),
    p50_ms: median(measured.map(({ p50_ms }) => p50_ms)),
    p99_ms: median(measured.map(({ p99_ms }) => p99_ms)),
  }
}

function against({ size, rounds }: SizeResult, style: Style): Against {
  const scenario = { kind: 'creation', connections: Math.max(...CONNECTIONS) } as const
  const pgbench = rounds.map(round => round.pgbench[style].per_second)
  return {
    size,
    style,
    pgbench_per_second: median(pgbench),
    ratios: rounds.map((round, i) => pick(round, scenario).per_second / (pgbench[i] as number)),
  }
}

function pick({ http }: Round, { kind, connections }: Scenario) {
  const found = http.find(m => m.kind === kind && m.connections === connections)
  if (found === undefined) throw new Error(`${kind} was not measured`)
  return found
}

export function sayEntityResults({ rows, growth, against, imports }: EntitySummary): void {
  say('')
  sayTable(
    ['request', 'connections', 'entities', 'per second', 'p50 ms', 'p99 ms'],
    rows.map(({ kind, connections, size, per_second, p50_ms, p99_ms }) => [
      kind,
      String(connections),
      whole(size),
      whole(per_second),
      p50_ms.toFixed(2),
      p99_ms.toFixed(1),
    ]),
  )
  say('')
  for (const { size, style, pgbench_per_second, ratios } of against) {
    say(
      `${whole(size)} entities, creations at ${Math.max(...CONNECTIONS)} connections to pgbench, ` +
        `${style}, best of {${CLIENTS.join(',')}} clients (${whole(pgbench_per_second)}/s): ` +
        `${spread(ratios)}×`,
    )
  }
  for (const { kind, connections, p50_ratios } of growth) {
    const limit = connections === 1 ? '; at most 1.5 is the aim' : ''
    say(
      `${kind}, ${connections} connections: p50 at the largest is ${spread(p50_ratios)} times ` +
        `that at the smallest${limit}`,
    )
  }
  for (const { size, per_second } of imports) {
    say(`import into ${whole(size)} entities: ${whole(per_second)} rows/s; 5,000 is the aim`)
  }
}
