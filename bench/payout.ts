// The scenario payout: payouts created over HTTP on one hot account and on many, by many
// connections, by one and at a constant rate, beside pgbench writing the same rows a request at a
// time, alternately in one run on one database.
import { makePayers, type Payer } from './accounts.ts'
import { withCost } from './cpu.ts'
import { type Figure, type FigureRound, roundOf } from './figure.ts'
import { type Measured, measureLoad, type Seconds } from './measure.ts'
import { readable } from './numbers.ts'
import { type Options, targetOf } from './options.ts'
import { type PayoutBaselines, preparePayoutBaselines } from './payout-baseline.ts'
import { GUARD_NOTE, payoutLoad, payoutRequests, urlOf } from './payout-load.ts'
import { makeBeneficiary, type PayoutName, payOnce, payoutBody } from './payout-sample.ts'
import { type Baseline, CLIENTS, type Style } from './pgbench.ts'
import { say, sayBaseline, sayLoad, whole } from './report.ts'
import { sendSteadily } from './steady.ts'
import { type Target, withTargets } from './target.ts'

/** How long everything takes, in seconds, and how often it is done. */
interface Plan extends Seconds {
  readonly rounds: number
  readonly pgbench_s: number
  readonly steady_s: number
  readonly accounts: number
}

const FULL: Plan = {
  rounds: 3,
  warm_up_s: 3,
  load_s: 10,
  pgbench_s: 5,
  steady_s: 20,
  accounts: 1000,
}
const QUICK: Plan = {
  rounds: 1,
  warm_up_s: 2,
  load_s: 4,
  pgbench_s: 2,
  steady_s: 5,
  accounts: 1000,
}

/** Each account has its own lock, so more clients than on one may find work. */
const SPREAD_CLIENTS = [8, 16, 32, 64]

const OPEN_LOOP =
  'On one hot account, at a share of what came through when callers waited for their answers. ' +
  'Times count from when a request was due, so that a stall shows in all that were due meanwhile.'

/** What stands in the table, in its order; 256 connections unless said otherwise. */
const ROWS = {
  hot: {
    name: 'payout create, one hot account, 256 connections',
    goals: [
      { what: 'ratio', to: 'pgbench, best', at_least: 8 },
      { what: 'p99_ms', at_most: 100 },
    ],
    note: GUARD_NOTE,
  },
  hot_64: { name: 'payout create, one hot account, 64 connections', goals: [], note: GUARD_NOTE },
  converted: { name: 'payout create, USD→HKD, one hot account', goals: [], note: GUARD_NOTE },
  spread: {
    name: 'payout create, 1,000 accounts',
    goals: [{ what: 'ratio', to: 'pgbench, best', at_least: 2 }],
    note: GUARD_NOTE,
  },
  single: {
    name: 'payout create, 1 connection',
    goals: [{ what: 'ratio', to: 'pgbench -c 1', at_least: 0.5 }],
    note: GUARD_NOTE,
  },
  steady_half: { name: 'payout create at a constant rate, half', goals: [], note: OPEN_LOOP },
  steady_most: { name: 'payout create at a constant rate, 80 %', goals: [], note: OPEN_LOOP },
} as const satisfies Record<string, Omit<Figure, 'unit' | 'rounds'>>

type Row = keyof typeof ROWS
type Round = Readonly<Record<Row, FigureRound>>

/** What a round is made with. */
interface Bench {
  readonly plan: Plan
  readonly options: Options
  readonly target: Target
  /** The hot account. */
  readonly hot: Payer
  readonly payers: readonly Payer[]
  readonly baselines: PayoutBaselines
  /** What pgbench came to, each time it was run. */
  readonly held: object[]
}

export function benchPayouts(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  return withTargets(1, targetOf(options.postgres), async targets => {
    const [target] = targets as [Target]
    const hot = { ...target, beneficiary: await makeBeneficiary(target) }
    const sample = await payOnce(hot, payoutBody('USD→USD', hot.beneficiary))
    const payers = await makePayers(target, plan.accounts)
    say(`${whole(payers.length)} accounts made`)
    const { pgbench } = options
    const url = target.database_url
    const baselines = await preparePayoutBaselines(pgbench, url, sample.id, plan.accounts)
    const held: object[] = []
    options.record('pgbench', held)
    const rounds: Round[] = []
    for (let i = 1; i <= plan.rounds; i++) {
      say(`round ${i} of ${plan.rounds}`)
      rounds.push(await runRound({ plan, options, target, hot, payers, baselines, held }))
    }
    return Object.entries(ROWS).map(([row, words]) => ({
      ...words,
      unit: 'payouts/s',
      rounds: rounds.map(round => round[row as Row]),
    }))
  })
}

/** What is compared is measured one right after the other. */
async function runRound(bench: Bench): Promise<Round> {
  const { hot: account, payers, baselines } = bench
  const hot = await load(bench, 'hot account, 256 connections', [account], 256)
  const plain = await hold(bench, 'hot account', baselines.hot, 'plain', CLIENTS)
  const hot_64 = await load(bench, 'hot account, 64 connections', [account], 64)
  const pipelined = await hold(bench, 'hot account', baselines.hot, 'pipelined', CLIENTS)
  const converted = await load(bench, 'USD→HKD, 256 connections', [account], 256, 'USD→HKD')
  const spread = await load(bench, '1,000 accounts, 256 connections', payers, 256)
  const many = await hold(bench, '1,000 accounts', baselines.spread, 'plain', SPREAD_CLIENTS)
  const single = await load(bench, 'hot account, 1 connection', [account], 1)
  const alone = await hold(bench, 'hot account', baselines.hot, 'plain', [1])
  const against_hot = { 'pgbench, best': plain, 'pgbench, pipelined': pipelined }
  return {
    hot: roundOf(hot, against_hot),
    hot_64: roundOf(hot_64, against_hot),
    converted: roundOf(converted, against_hot),
    spread: roundOf(spread, { 'pgbench, best': many }),
    single: roundOf(single, { 'pgbench -c 1': alone }),
    steady_half: await steady(bench, hot.per_second, 0.5),
    steady_most: await steady(bench, hot.per_second, 0.8),
  }
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

/** Transactions a second of pgbench at the best of these client counts. */
async function hold(
  { plan, held }: Bench,
  name: string,
  baseline: Baseline,
  style: Style,
  clients: readonly number[],
): Promise<number> {
  const best = await baseline.run(style, plan.pgbench_s, clients)
  held.push({ name, style, ...best })
  sayBaseline(`${name}, ${style}`, best)
  return best.per_second
}

/** On the hot account, at a share of what came through when callers waited for their answers. */
async function steady(
  { plan, target, hot }: Bench,
  closed_loop: number,
  share: number,
): Promise<FigureRound> {
  const result = await withCost([target.service_pid], target.postgres_pid, () =>
    sendSteadily({
      urls: [urlOf(target.address)],
      requests: payoutRequests([hot]),
      per_second: closed_loop * share,
      seconds: plan.steady_s,
    }),
  )
  const { per_second, p50_ms, p99_ms, max_ms, sender_p99_ms } = result
  say(
    `  constant rate, ${share * 100} %: ${whole(per_second)} payouts/s, ` +
      `p50 ${readable(p50_ms)} ms, p99 ${readable(p99_ms)} ms, max ${readable(max_ms)} ms ` +
      `(p99 of the sender's own lateness ${readable(sender_p99_ms)} ms)`,
  )
  return roundOf(result, { 'closed loop': closed_loop })
}
