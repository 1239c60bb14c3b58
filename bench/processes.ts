// The scenario processes: two processes of the service on one database, in turn with one process
// under the same load. It verifies the books at the end.

import { type Cost, withCost } from './cpu.ts'
import { asOwner } from './database.ts'
import { type Figure, type FigureRound, roundOf } from './figure.ts'
import { type Load, type LoadResult, sendLoad } from './load.ts'
import type { Seconds } from './measure.ts'
import type { Options } from './options.ts'
import {
  GUARD_NOTE,
  makePayers,
  type Payer,
  payerOf,
  payOnce,
  payoutBody,
  payoutLoad,
  payoutRequests,
  urlOf,
} from './payouts.ts'
import { inRounds, say, sayLoad, whole } from './report.ts'
import { sendSteadily } from './steady.ts'
import { type ServiceProcess, type Target, withTarget } from './target.ts'

interface Plan extends Seconds {
  readonly rounds: number
  readonly accounts: number
  /** How many requests proveBooks sends to both processes, to count the payouts that they make. */
  readonly counted: number
}

const FULL: Plan = { rounds: 3, warm_up_s: 4, load_s: 10, accounts: 1000, counted: 10_000 }
const QUICK: Plan = { rounds: 1, warm_up_s: 2, load_s: 4, accounts: 1000, counted: 2_000 }

/** The connections of both generators, each of which has half, also when both load one process. */
const CONNECTIONS = 256
const COUNTED_PER_SECOND = 500

const ROWS: Readonly<Record<Row, Pick<Figure, 'name' | 'unit' | 'goals'>>> = {
  spread: {
    name: 'payout create, 1,000 accounts',
    unit: 'payouts/s',
    goals: [{ what: 'ratio', to: 'one process', at_least: 1 }],
  },
  hot: { name: 'payout create, one hot account', unit: 'payouts/s', goals: [] },
  read: { name: 'payout read by id', unit: 'reads/s', goals: [] },
}

type Row = 'spread' | 'hot' | 'read'

/** The parts of a round. */
interface Bench {
  readonly plan: Plan
  readonly options: Options
  readonly target: Target
  readonly payers: readonly Payer[]
  readonly hot: Payer
  /** A payout of the hot account. */
  readonly payout_id: string
}

export function benchProcesses(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  return withTarget(options, async target => {
    const hot = await payerOf(target)
    const { id } = await payOnce(hot, payoutBody('USD→USD', hot.beneficiary))
    const payers = await makePayers(target, plan.accounts)
    const bench = { plan, options, target, payers, hot, payout_id: id }
    const rounds = await inRounds(plan.rounds, () => runRound(bench))
    const note = `${await proveBooks(bench)} ${GUARD_NOTE}`
    return Object.entries(ROWS).map(([row, { name, unit, goals }]) => ({
      name: `${name}, two processes`,
      unit,
      goals,
      rounds: rounds.map(round => round[row as Row]),
      note,
    }))
  })
}

async function runRound(bench: Bench): Promise<Record<Row, FigureRound>> {
  const { hot, payers, payout_id } = bench
  const half = CONNECTIONS / 2
  const read = (address: string) => {
    const load = payoutLoad(address, [hot], half)
    const bodies = { ...load.bodies, templates: [], keyed: false }
    return { ...load, url: `${load.url}/${payout_id}`, bodies }
  }
  const create = (callers: readonly Payer[]) => (address: string) =>
    payoutLoad(address, callers, half)
  return {
    spread: await oneAgainstTwo(bench, 'spread', create(payers)),
    hot: await oneAgainstTwo(bench, 'hot', create([hot])),
    read: await oneAgainstTwo(bench, 'read', read),
  }
}

type Place = Pick<ServiceProcess, 'address' | 'pid'>
type LoadOf = (address: string) => Omit<Load, 'seconds'>
type Measured = LoadResult & Cost

/**
 * Measures one process, then two. The second process runs only while both are measured, because an
 * idle process takes time from the first.
 */
async function oneAgainstTwo(bench: Bench, row: Row, loadOf: LoadOf): Promise<FigureRound> {
  const { address, service_pid: pid, startAnother } = bench.target
  const first = { address, pid }
  const one = await measure(bench, row, [first, first], loadOf)
  const second = await startAnother()
  const two = await measure(bench, row, [first, second], loadOf).finally(second.stop)
  return roundOf(two, { 'one process': one.per_second })
}

async function measure(
  { plan, options, target }: Bench,
  row: Row,
  places: readonly Place[],
  loadOf: LoadOf,
): Promise<Measured> {
  const send = async (seconds: number) =>
    together(
      await Promise.all(
        places.map(({ address }) => sendLoad(options.generator, { ...loadOf(address), seconds })),
      ),
    )
  await send(plan.warm_up_s)
  const pids = [...new Set(places.map(({ pid }) => pid))]
  const measured = await withCost(pids, target.postgres_pid, () => send(plan.load_s))
  const { name, unit } = ROWS[row]
  sayLoad(`${name}, ${pids.length === 1 ? 'one process' : 'two processes'}`, unit, measured)
  return measured
}

/** Adds the rates; takes the higher latencies. */
function together(results: readonly LoadResult[]): LoadResult {
  const sum = (pick: (result: LoadResult) => number) =>
    results.reduce((total, result) => total + pick(result), 0)
  return {
    requests: sum(({ requests }) => requests),
    per_second: sum(({ per_second }) => per_second),
    p50_ms: Math.max(...results.map(({ p50_ms }) => p50_ms)),
    p99_ms: Math.max(...results.map(({ p99_ms }) => p99_ms)),
  }
}

/**
 * Throws unless requests to two processes make exactly as many payouts, on the hot account and on
 * the others, and all books verify. The loads cannot show this, because a generator that stops
 * leaves requests unanswered.
 */
async function proveBooks({ plan, target, payers, hot }: Bench): Promise<string> {
  const second = await target.startAnother()
  const before = await countPayouts(target)
  try {
    for (const callers of [[hot], payers]) {
      await sendSteadily({
        urls: [urlOf(target.address), urlOf(second.address)],
        requests: payoutRequests(callers),
        per_second: COUNTED_PER_SECOND,
        seconds: plan.counted / COUNTED_PER_SECOND,
      })
    }
  } finally {
    await second.stop()
  }
  const made = (await countPayouts(target)) - before
  const asked = 2 * plan.counted
  if (made !== asked) throw new Error(`${asked} requests made ${made} payouts`)
  say(`  ${whole(before + made)} payouts are there; verifying the books`)
  // Throws when a book is wrong.
  await target.command('verify')
  const words = `${whole(asked)} requests to two processes made as many payouts`
  say(`  ${words}; the books are in order`)
  return `${words}, and \`corridor verify\` found all books in order after all loads.`
}

async function countPayouts({ database_url }: Target): Promise<number> {
  return asOwner(database_url, async sql => {
    const [row] = await sql<{ count: string }[]>`select count(*)::text as count from payouts`
    return Number(row?.count)
  })
}
