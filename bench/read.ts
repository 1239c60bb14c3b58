// The scenario read: reads random payouts of an account by id over HTTP, in turn with a bare
// Fastify that answers from memory or by one query a request, on one database.
import { withBare } from './bare.ts'
import { type Figure, type FigureRound, roundOf } from './figure.ts'
import { type Load, NUMBER_DIGITS, sendLoad } from './load.ts'
import { measureLoad, type Seconds } from './measure.ts'
import type { Options } from './options.ts'
import { fillPayouts } from './payout-fill.ts'
import { inRounds, say, sayLoad, whole } from './report.ts'
import { type Target, withTarget } from './target.ts'

/** Durations in seconds, and the number of rounds. */
interface Plan extends Seconds {
  readonly rounds: number
  readonly payouts: number
}

const FULL: Plan = { rounds: 3, payouts: 1_000_000, warm_up_s: 3, load_s: 10 }
const QUICK: Plan = { rounds: 1, payouts: 10_000, warm_up_s: 1, load_s: 3 }

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

export function benchReads(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  return withTarget(options, async target => {
    const kept = { status: 'succeeded', kept_answers: 0 } as const
    const id = await fillPayouts(target, plan.payouts, kept)
    say(`${whole(plan.payouts)} payouts`)
    return withReads(target, id, async bare => {
      const bench = { options, plan, target, bare, id }
      const rounds = await inRounds(plan.rounds, () => runRound(bench))
      return [
        {
          name: `payout read by id, ${whole(plan.payouts)} payouts, 64 connections`,
          unit: 'reads/s',
          rounds,
          goals: [
            { what: 'ratio', to: 'bare Fastify, from memory', at_least: 0.4 },
            { what: 'ratio', to: 'bare Fastify, a query a request', at_least: 1.5 },
          ],
          note: 'The bare Fastify checks no credentials; its pool of connections is the best of 4, 8 and 16.',
        },
      ]
    })
  })
}

async function runRound({ options, plan, target, bare, id }: Bench): Promise<FigureRound> {
  const { generator } = options
  const load = (url: string): Omit<Load, 'seconds'> => ({
    url: `${url}/${id}`,
    authorizations: [target.authorization],
    bodies: { templates: [], fresh_from: 0, existing_to: plan.payouts, keyed: false },
    connections: CONNECTIONS,
  })
  const measureBare = async (name: string, path: string) => {
    const requests = load(`${bare}${path}`)
    await sendLoad(generator, { ...requests, seconds: plan.warm_up_s })
    const { per_second } = await sendLoad(generator, { ...requests, seconds: plan.load_s })
    say(`  bare Fastify, ${name}: ${whole(per_second)} reads/s`)
    return per_second
  }
  const memory = await measureBare('from memory', '/memory')
  const measured = await measureLoad(generator, target, load(urlOf(target)), plan)
  sayLoad('payouts read', 'reads/s', measured)
  let query = 0
  for (const pool of POOLS) {
    query = Math.max(
      query,
      await measureBare(`a query a request, ${pool} connections`, `/query/${pool}`),
    )
  }
  return roundOf(measured, {
    'bare Fastify, from memory': memory,
    'bare Fastify, a query a request': query,
  })
}

function urlOf({ address }: Target): string {
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
