// npm run bench: payouts per second over HTTP on one hot account, beside pgbench writing the same rows a
// request at a time, alternately in one run on one database. Everything runs on this machine, the load
// included. Options: --quick for a short run, --write to keep the numbers in bench/results.
import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, release, type } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type Baseline,
  type BaselineResult,
  findPgbench,
  HOW_TO_GET_PGBENCH,
  prepareBaseline,
  type Style,
} from './baseline.ts'
import { cpuSeconds, cpuSecondsOfServer } from './cpu.ts'
import { findGenerator, type Generator, type LoadResult, sendLoad } from './load.ts'
import { median, spread } from './numbers.ts'
import { PAYOUTS, type PayoutName, payOnce, startTarget, type Target } from './target.ts'

const CLIENTS = [1, 8, 16, 32]
const CONNECTIONS = [64, 256]
const STYLES: readonly Style[] = ['plain', 'pipelined']

/** How long everything takes, in seconds, and how often it is done. */
interface Plan {
  readonly rounds: number
  readonly warm_up_s: number
  readonly load_s: number
  readonly pgbench_s: number
  readonly payouts: readonly PayoutName[]
}

const FULL: Plan = {
  rounds: 3,
  warm_up_s: 3,
  load_s: 10,
  pgbench_s: 5,
  payouts: ['USD→USD', 'USD→HKD'],
}
const QUICK: Plan = { rounds: 1, warm_up_s: 2, load_s: 4, pgbench_s: 2, payouts: ['USD→USD'] }

interface Measured extends LoadResult {
  readonly payout: PayoutName
  readonly connections: number
  /** Seconds of processor time for 1,000 payouts. */
  readonly service_cpu_s: number
  readonly database_cpu_s: number
}

interface Round {
  readonly http: readonly Measured[]
  readonly pgbench: Readonly<Record<Style, BaselineResult>>
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean' }, write: { type: 'boolean' } },
  })
  const plan = values.quick === true ? QUICK : FULL
  const pgbench = await findPgbench()
  if (pgbench === undefined) throw new Error(HOW_TO_GET_PGBENCH)
  const generator = await findGenerator()
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${type()} ${release()}`
  say(`${machine}, Node ${process.version}; load by ${generator}, on the same machine`)
  const target = await startTarget()
  // Stopped halfway, the service and the database must not stay behind.
  const interrupted = () => void target.stop().finally(() => process.exit(130))
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted)
  try {
    const sample = await payOnce(target, bodyOf('USD→USD', target))
    const baseline = await prepareBaseline(pgbench, target.database_url, sample.id)
    const rounds: Round[] = []
    for (let i = 1; i <= plan.rounds; i++) {
      say(`\nround ${i} of ${plan.rounds}`)
      rounds.push(await runRound(plan, generator, target, baseline))
    }
    say('')
    const summary = summarize(plan, rounds)
    if (values.write === true) await keep({ machine, generator, plan, rounds, summary })
    if (rounds.some(round => round.http.some(({ failures }) => failures > 0))) process.exitCode = 1
  } finally {
    await target.stop()
    process.removeAllListeners('SIGINT').removeAllListeners('SIGTERM')
  }
}

async function runRound(
  plan: Plan,
  generator: Generator,
  target: Target,
  baseline: Baseline,
): Promise<Round> {
  const http: Measured[] = []
  for (const payout of plan.payouts) {
    for (const connections of CONNECTIONS) {
      const measured = await measure(plan, generator, target, payout, connections)
      http.push(measured)
      say(
        `  ${payout}, ${String(connections).padStart(3)} connections: ${whole(measured.per_second)} payouts/s, ` +
          `p50 ${whole(measured.p50_ms)} ms, p99 ${whole(measured.p99_ms)} ms, ` +
          `${measured.failures} not 2xx; CPU s per 1,000: service ${measured.service_cpu_s.toFixed(3)}, ` +
          `database ${measured.database_cpu_s.toFixed(3)}`,
      )
    }
  }
  const plain = await baseline.run(CLIENTS, plan.pgbench_s, 'plain')
  const pipelined = await baseline.run(CLIENTS, plan.pgbench_s, 'pipelined')
  const pgbench = { plain, pipelined }
  for (const style of STYLES) {
    const { per_second, clients, latency_ms } = pgbench[style]
    say(
      `  pgbench, ${style}: ${whole(per_second)}/s at its best, ${clients} clients, ${latency_ms} ms`,
    )
  }
  return { http, pgbench }
}

async function measure(
  plan: Plan,
  generator: Generator,
  target: Target,
  payout: PayoutName,
  connections: number,
): Promise<Measured> {
  const load = {
    url: `${target.address}/v3/payout`,
    authorization: target.authorization,
    body: JSON.stringify(bodyOf(payout, target)),
    connections,
  }
  const { failures: early } = await sendLoad(generator, { ...load, seconds: plan.warm_up_s })
  const read = () =>
    Promise.all([cpuSeconds(target.service_pid), cpuSecondsOfServer(target.postgres_pid)])
  const before = await read()
  const result = await sendLoad(generator, { ...load, seconds: plan.load_s })
  const after = await read()
  const per_1000 = (i: 0 | 1) => ((after[i] - before[i]) / result.requests) * 1000
  return {
    ...result,
    failures: result.failures + early,
    payout,
    connections,
    service_cpu_s: per_1000(0),
    database_cpu_s: per_1000(1),
  }
}

/** The lines that are quoted: each ratio is taken within its round, then the median of the rounds. */
function summarize(plan: Plan, rounds: readonly Round[]) {
  return plan.payouts.flatMap(payout =>
    CONNECTIONS.map(connections => {
      const pick = (round: Round) =>
        round.http.find(m => m.payout === payout && m.connections === connections) as Measured
      const ratios = rounds.map(round => pick(round).per_second / round.pgbench.plain.per_second)
      const hard = rounds.map(round => pick(round).per_second / round.pgbench.pipelined.per_second)
      const line = {
        payout,
        connections,
        per_second: median(rounds.map(round => pick(round).per_second)),
        p99_ms: median(rounds.map(round => pick(round).p99_ms)),
        pgbench_per_second: median(rounds.map(round => round.pgbench.plain.per_second)),
        ratio: median(ratios),
        ratio_to_pipelined: median(hard),
      }
      say(
        `${payout}, ${connections} connections: payouts/s over HTTP: ${whole(line.per_second)} ` +
          `(p99 ${whole(line.p99_ms)} ms) · pgbench best of {${CLIENTS.join(',')}} clients: ` +
          `${whole(line.pgbench_per_second)}/s · ratio ${spread(ratios)}× ` +
          `(pgbench pipelined: ${spread(hard)}×)`,
      )
      return line
    }),
  )
}

/** The beneficiary is named by its id, as by whoever pays it every month. */
function bodyOf(payout: PayoutName, target: Target): object {
  return { ...PAYOUTS[payout], beneficiary: target.beneficiary }
}

async function keep(result: object): Promise<void> {
  const folder = join(import.meta.dirname, 'results')
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${new Date().toISOString().slice(0, 16).replaceAll(':', '')}.json`)
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`)
  say(`written to ${file}`)
}

function whole(number: number): string {
  return Math.round(number).toLocaleString('en')
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

await main().catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
