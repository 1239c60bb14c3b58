// The scenario read: reads random payouts of an account by id over HTTP, over many connections, over
// one, and at a constant rate. A bare Fastify that answers from memory or by one query a request runs
// in turn with it on the same database.
import { measureAllocation } from './allocation.ts'
import { withBare } from './bare.ts'
import { type Figure, type FigureRound, roundOf } from './figure.ts'
import { NUMBER_DIGITS, sendLoad } from './load.ts'
import { HALF_NOTE, measureHalf, measureLoad, type Requests, type Seconds } from './measure.ts'
import type { Options } from './options.ts'
import { fillPayouts } from './payout-fill.ts'
import { inRounds, say, sayLoad, whole } from './report.ts'
import { type Target, withTarget } from './target.ts'

/** Durations in seconds, and the number of rounds. */
interface Plan extends Seconds {
  readonly rounds: number
  readonly payouts: number
  readonly half_s: number
}

const FULL: Plan = { rounds: 3, payouts: 1_000_000, warm_up_s: 3, load_s: 10, half_s: 20 }
const QUICK: Plan = { rounds: 1, payouts: 10_000, warm_up_s: 1, load_s: 3, half_s: 5 }

const CONNECTIONS = 64

/** The pool sizes to try; the best result counts. */
const POOLS = [4, 8, 16]

/** The parts of a round. */
interface Bench {
  readonly options: Options
  readonly plan: Plan
  readonly target: Target
  /** The address of the bare Fastify. */
  readonly bare: string
  /** The template of the payouts' ids. */
  readonly id: string
}

type Row = 'many' | 'single' | 'half'
type Round = Readonly<Record<Row, FigureRound>>

const MEMORY = 'bare Fastify, from memory'
const QUERY = 'bare Fastify, a query a request'

const BARE_NOTE =
  'The bare Fastify checks no credentials. Its pool of connections is the best of 4, 8 and 16 for ' +
  '64 connections, and has 4 for one.'

export function benchReads(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  return withTarget(options, async target => {
    const kept = { status: 'succeeded', kept_answers: 0 } as const
    const id = await fillPayouts(target, plan.payouts, kept)
    say(`${whole(plan.payouts)} payouts`)
    const read = `payout read by id, ${whole(plan.payouts)} payouts`
    const measureRounds = () =>
      withReads(target, id, bare => {
        const bench = { options, plan, target, bare, id }
        return inRounds(plan.rounds, () => runRound(bench))
      })
    const figures = options.allocation ? [] : figuresOf(read, await measureRounds())
    const requests = (address: string) =>
      readsFrom(urlOf({ address }), { plan, target, id }, CONNECTIONS)
    const name = `${read}, 64 connections`
    const loads = [{ name, requests }]
    return [...figures, ...(await measureAllocation(target, options.generator, plan, loads))]
  })
}

function figuresOf(read: string, rounds: readonly Round[]): readonly Figure[] {
  const rows: Readonly<Record<Row, Omit<Figure, 'unit' | 'rounds'>>> = {
    many: {
      name: `${read}, 64 connections`,
      goals: [
        { what: 'ratio', to: MEMORY, at_least: 0.3 },
        { what: 'ratio', to: QUERY, at_least: 1.5 },
      ],
      note: BARE_NOTE,
    },
    single: { name: `${read}, one connection`, goals: [], note: BARE_NOTE },
    half: { name: `${read}, constant rate, half of the limit`, goals: [], note: HALF_NOTE },
  }
  return Object.entries(rows).map(([row, words]) => ({
    ...words,
    unit: 'reads/s',
    rounds: rounds.map(round => round[row as Row]),
  }))
}

async function runRound(bench: Bench): Promise<Round> {
  const { plan, target } = bench
  const [many, many_baselines] = await measureReads(bench, CONNECTIONS, POOLS)
  const [single, single_baselines] = await measureReads(bench, 1, POOLS.slice(0, 1))
  const requests = readsFrom(urlOf(target), bench, CONNECTIONS)
  return {
    many: roundOf(many, many_baselines),
    single: roundOf(single, single_baselines),
    half: await measureHalf(target, requests, many, plan.half_s),
  }
}

/** Measures the service between its baselines, over as many connections. */
async function measureReads(bench: Bench, connections: number, pools: readonly number[]) {
  const { options, plan, target, bare } = bench
  const measureBare = async (name: string, path: string) => {
    const requests = readsFrom(`${bare}${path}`, bench, connections)
    await sendLoad(options.generator, { ...requests, seconds: plan.warm_up_s })
    const { per_second } = await sendLoad(options.generator, { ...requests, seconds: plan.load_s })
    say(`  bare Fastify, ${name}: ${whole(per_second)} reads/s`)
    return per_second
  }
  const memory = await measureBare('from memory', '/memory')
  const requests = readsFrom(urlOf(target), bench, connections)
  const measured = await measureLoad(options.generator, target, requests, plan)
  sayLoad(`payouts read, ${connections} connections`, 'reads/s', measured)
  let query = 0
  for (const pool of pools) {
    const name = `a query a request, ${pool} connections`
    query = Math.max(query, await measureBare(name, `/query/${pool}`))
  }
  return [measured, { [MEMORY]: memory, [QUERY]: query }] as const
}

/** Reads random payouts from this URL. */
function readsFrom(
  url: string,
  { plan, target, id }: Pick<Bench, 'plan' | 'target' | 'id'>,
  connections: number,
): Requests {
  return {
    url: `${url}/${id}`,
    authorizations: [target.authorization],
    bodies: { templates: [], fresh_from: 0, existing_to: plan.payouts, keyed: false },
    connections,
  }
}

function urlOf({ address }: Pick<Target, 'address'>): string {
  return `${address}/v3/payout`
}

/**
 * Starts the bare Fastify, checks that it answers like the service, and calls `work` with its
 * address.
 */
async function withReads<T>(
  target: Target,
  id: string,
  work: (address: string) => Promise<T>,
): Promise<T> {
  const one = id.replace('#existing#', '1'.padStart(NUMBER_DIGITS, '0'))
  const answer = await get(`${urlOf(target)}/${one}`, target.authorization)
  const { database_url, account_id } = target
  return withBare({ reads: { database_url, account_id, answer, pools: POOLS } }, async address => {
    for (const path of ['/memory', ...POOLS.map(pool => `/query/${pool}`)]) {
      const same = await get(`${address}${path}/${one}`)
      if (same !== answer) throw new Error(`the bare Fastify has answered ${same}`)
    }
    return work(address)
  })
}

async function get(url: string, authorization = ''): Promise<string> {
  const response = await fetch(url, { headers: { authorization } })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} has answered ${response.status}: ${text}`)
  return text
}
