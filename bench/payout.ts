// The scenario payout: creates payouts over HTTP on one hot account and on many, over many
// connections, over one, and at a constant rate. The baselines run in turn with it on the same
// server: pgbench's own scripts, a bare Fastify, and pgbench transactions that each write a
// payout's rows.

import { measureAllocation } from './allocation.ts'
import { withBare } from './bare.ts'
import { type Figure, type FigureRound, roundOf } from './figure.ts'
import { startFloor, withFloor } from './floor.ts'
import { type FloorPlan, prepareFloor } from './floor-rows.ts'
import { sendLoad } from './load.ts'
import { HALF_NOTE, type Measured, measureHalf, measureLoad, type Seconds } from './measure.ts'
import type { Options } from './options.ts'
import { type PayoutBaselines, preparePayoutBaselines } from './payout-baseline.ts'
import {
  GUARD_NOTE,
  makePayers,
  type Payer,
  type PayoutName,
  payerOf,
  payOnce,
  payoutBody,
  payoutLoad,
} from './payouts.ts'
import {
  type BaselineResult,
  CLIENTS,
  type OwnBaselines,
  prepareOwnScripts,
  sayBaseline,
} from './pgbench.ts'
import { inRounds, say, sayLoad, whole } from './report.ts'
import { type ServiceProcess, type Target, withTarget } from './target.ts'

/** Durations in seconds, and the number of rounds. */
interface Plan extends Seconds {
  readonly rounds: number
  readonly pgbench_s: number
  readonly half_s: number
  readonly accounts: number
}

const FULL: Plan = {
  rounds: 3,
  warm_up_s: 3,
  load_s: 10,
  pgbench_s: 5,
  half_s: 20,
  accounts: 1000,
}
const QUICK: Plan = {
  rounds: 1,
  warm_up_s: 2,
  load_s: 4,
  pgbench_s: 2,
  half_s: 5,
  accounts: 1000,
}

/** More clients than on one account, because each account has a lock of its own. */
const SPREAD_CLIENTS = [8, 16, 32, 64]
/** Few clients, because all of them update the same branch. */
const TPCB_CLIENTS = [1, 2, 4, 8, 16]

const TPCB = 'pgbench TPC-B'
const TPCB_ALONE = 'pgbench TPC-B, 1 client'
const SIMPLE = 'pgbench simple-update'
const ECHO = 'bare Fastify, echo'
const FLOOR = 'minimal program'
const SAME_ROWS = 'pgbench, same rows'
const SAME_ROWS_ALONE = 'pgbench, same rows, 1 client'

const FLOOR_NOTE =
  'node:http and pg: it takes the same bodies and writes the same rows, but checks nothing.'

/** The rows of the table, in order; 256 connections where the name has no number. */
const ROWS = {
  hot: {
    name: 'payout create, one hot account, 256 connections',
    goals: [
      { what: 'ratio', to: TPCB, at_least: 2 },
      { what: 'p99_ms', at_most: 90 },
      { what: 'service_cpu_s', at_most: 0.17 },
      { what: 'database_cpu_s', at_most: 0.13 },
    ],
    note: GUARD_NOTE,
  },
  hot_floor: { name: `${FLOOR}, one hot account, 256 connections`, goals: [], note: FLOOR_NOTE },
  hot_64: { name: 'payout create, one hot account, 64 connections', goals: [], note: GUARD_NOTE },
  converted: { name: 'payout create, USD→HKD, one hot account', goals: [], note: GUARD_NOTE },
  spread: {
    name: 'payout create, 1,000 accounts',
    goals: [{ what: 'ratio', to: SIMPLE, at_least: 0.8 }],
    note: GUARD_NOTE,
  },
  spread_floor: { name: `${FLOOR}, 1,000 accounts, 256 connections`, goals: [], note: FLOOR_NOTE },
  single: {
    name: 'payout create, one connection',
    goals: [
      { what: 'ratio', to: SAME_ROWS_ALONE, at_least: 0.7 },
      { what: 'p50_ms', at_most: 2.5 },
      { what: 'service_cpu_s', at_most: 1.2 },
      { what: 'database_cpu_s', at_most: 1.2 },
    ],
    note: GUARD_NOTE,
  },
  single_floor: { name: `${FLOOR}, one connection`, goals: [], note: FLOOR_NOTE },
  half: {
    name: 'payout create, one hot account, constant rate, half of the limit',
    goals: [{ what: 'p99_ms', at_most: 20 }],
    note: HALF_NOTE,
  },
} as const satisfies Record<string, Omit<Figure, 'unit' | 'rounds'>>

type Row = keyof typeof ROWS
type Round = Readonly<Record<Row, FigureRound>>

/** The parts of a round. */
interface Bench {
  readonly plan: Plan
  readonly options: Options
  readonly target: Target
  /** The hot account. */
  readonly hot: Payer
  readonly payers: readonly Payer[]
  readonly baselines: PayoutBaselines
  readonly own: OwnBaselines
  /** Address of the bare Fastify. */
  readonly bare: string
  readonly floor: ServiceProcess
  /** The results of all pgbench runs. */
  readonly pgbench_results: object[]
}

export function benchPayouts(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  return withTarget(options, async target => {
    const hot = await payerOf(target)
    const sample = await payOnce(hot, payoutBody('USD→USD', hot.beneficiary))
    const payers = options.allocation ? [] : await makePayers(target, plan.accounts)
    say(`${whole(payers.length)} accounts made`)
    const { pgbench } = options
    const url = target.database_url
    const baselines = await preparePayoutBaselines(pgbench, url, sample.id, plan.accounts)
    const own = await prepareOwnScripts(pgbench, url)
    const pgbench_results: object[] = []
    options.record('pgbench', pgbench_results)
    const floor_plan = await prepareFloor(url, sample.id, [hot, ...payers])
    if (options.allocation) return allocationOf(target, options, plan, hot, floor_plan)
    const rounds = await withBare({}, bare =>
      withFloor(floor_plan, floor => {
        const callers = { hot, payers, bare, floor }
        const bench = { plan, options, target, baselines, own, pgbench_results, ...callers }
        return inRounds(plan.rounds, () => runRound(bench))
      }),
    )
    const allocated = await allocationOf(target, options, plan, hot, floor_plan)
    const figures = Object.entries(ROWS).map(([row, words]) => ({
      ...words,
      unit: 'payouts/s',
      rounds: rounds.map(round => round[row as Row]),
    }))
    return [...figures, ...allocated]
  })
}

/** The heap allocated by the service and by the minimal program. */
async function allocationOf(
  target: Target,
  { generator }: Options,
  plan: Plan,
  hot: Payer,
  floor_plan: FloorPlan,
): Promise<readonly Figure[]> {
  const many = (address: string) => payoutLoad(address, [hot], 256)
  const lone = (address: string) => payoutLoad(address, [hot], 1)
  const service = await measureAllocation(target, generator, plan, [
    { name: ROWS.hot.name, at_most: 50, requests: many },
    { name: ROWS.single.name, at_most: 100, requests: lone },
  ])
  const startProgram = (env: Readonly<Record<string, string>>) => startFloor(floor_plan, env)
  const floor_loads = [
    { name: ROWS.hot_floor.name, requests: many },
    { name: ROWS.single_floor.name, requests: lone },
  ]
  const floor = await measureAllocation(target, generator, plan, floor_loads, startProgram)
  return [...service, ...floor]
}

/** Runs each load right before or after its baselines. */
async function runRound(bench: Bench): Promise<Round> {
  const hot = await runHot(bench)
  const spread = await runSpread(bench)
  const single = await runSingle(bench)
  const requests = payoutLoad(bench.target.address, [bench.hot], 256)
  const half = await measureHalf(bench.target, requests, hot.hot, bench.plan.half_s)
  return { ...hot, ...spread, ...single, half }
}

async function runHot(bench: Bench) {
  const { hot: account, plan, baselines, own } = bench
  const s = plan.pgbench_s
  const tpcb = await measureBaseline(bench, 'TPC-B', own['tpcb-like'].run(s, TPCB_CLIENTS))
  const hot = await load(bench, 'hot account, 256 connections', [account], 256)
  const floor = await loadFloor(bench, 'hot account, 256 connections', [account], 256)
  const echoed = await echo(bench)
  const plain = await measureBaseline(
    bench,
    'same rows, hot account',
    baselines.hot.run('plain', s, CLIENTS),
  )
  const hot_64 = await load(bench, 'hot account, 64 connections', [account], 64)
  const pipelined = await measureBaseline(
    bench,
    'same rows, hot account, pipelined',
    baselines.hot.run('pipelined', s, CLIENTS),
  )
  const converted = await load(bench, 'USD→HKD, 256 connections', [account], 256, 'USD→HKD')
  const same_rows = { [SAME_ROWS]: plain, [`${SAME_ROWS}, pipelined`]: pipelined }
  const against = { [TPCB]: tpcb, [FLOOR]: floor.per_second, [ECHO]: echoed, ...same_rows }
  return {
    hot: roundOf(hot, against),
    hot_floor: roundOf(floor, {}),
    hot_64: roundOf(hot_64, same_rows),
    converted: roundOf(converted, same_rows),
  }
}

async function runSpread(bench: Bench) {
  const { payers, plan, baselines, own } = bench
  const s = plan.pgbench_s
  const simple = await measureBaseline(
    bench,
    'simple-update',
    own['simple-update'].run(s, SPREAD_CLIENTS),
  )
  const spread = await load(bench, '1,000 accounts, 256 connections', payers, 256)
  const floor = await loadFloor(bench, '1,000 accounts, 256 connections', payers, 256)
  const many = await measureBaseline(
    bench,
    'same rows, 1,000 accounts',
    baselines.spread.run('plain', s, SPREAD_CLIENTS),
  )
  const against = { [SIMPLE]: simple, [FLOOR]: floor.per_second, [SAME_ROWS]: many }
  return { spread: roundOf(spread, against), spread_floor: roundOf(floor, {}) }
}

async function runSingle(bench: Bench) {
  const { hot: account, plan, baselines, own } = bench
  const s = plan.pgbench_s
  const single = await load(bench, 'hot account, one connection', [account], 1)
  const floor = await loadFloor(bench, 'hot account, one connection', [account], 1)
  const alone = await measureBaseline(
    bench,
    'same rows, 1 client',
    baselines.hot.run('plain', s, [1]),
  )
  const tpcb = await measureBaseline(bench, 'TPC-B, 1 client', own['tpcb-like'].run(s, [1]))
  const same_rows = { [SAME_ROWS_ALONE]: alone, [TPCB_ALONE]: tpcb }
  return {
    single: roundOf(single, { ...same_rows, [FLOOR]: floor.per_second }),
    single_floor: roundOf(floor, {}),
  }
}

/** Sends the same load to the minimal program. */
async function loadFloor(
  { plan, options, target, floor }: Bench,
  name: string,
  payers: readonly Payer[],
  connections: number,
): Promise<Measured> {
  const measured = await measureLoad(
    options.generator,
    { service_pid: floor.pid, postgres_pid: target.postgres_pid },
    payoutLoad(floor.address, payers, connections),
    plan,
  )
  sayLoad(`${FLOOR}, ${name}`, 'payouts/s', measured)
  return measured
}

async function load(
  { plan, options, target }: Bench,
  name: string,
  payers: readonly Payer[],
  connections: number,
  payout: PayoutName = 'USD→USD',
): Promise<Measured> {
  const measured = await measureLoad(
    options.generator,
    target,
    payoutLoad(target.address, payers, connections, payout),
    plan,
  )
  sayLoad(name, 'payouts/s', measured)
  return measured
}

/**
 * The rate of the bare Fastify that echoes the same requests over the same number of connections.
 */
async function echo({ plan, options, hot, bare }: Bench): Promise<number> {
  const load = { ...payoutLoad(bare, [hot], 256), url: `${bare}/echo` }
  await sendLoad(options.generator, { ...load, seconds: plan.warm_up_s })
  const { per_second } = await sendLoad(options.generator, { ...load, seconds: plan.load_s })
  say(`  ${ECHO}: ${whole(per_second)} requests/s`)
  return per_second
}

/** The best rate of pgbench, in transactions a second. */
async function measureBaseline(
  { pgbench_results }: Bench,
  name: string,
  running: Promise<BaselineResult>,
): Promise<number> {
  const best = await running
  pgbench_results.push({ name, ...best })
  sayBaseline(name, best)
  return best.per_second
}
