// The scenario quote: creates quotes on one hot account, over many connections, over one, and at a
// constant rate, and quotes that each pay a payout. In turn with them, pgbench writes the same rows,
// one transaction for each request.

import type { Sql } from '../src/sql/connect.ts'
import { measureAllocation } from './allocation.ts'
import { asOwner } from './database.ts'
import { type Figure, type FigureRound, roundOf } from './figure.ts'
import type { FollowUp } from './load.ts'
import { HALF_NOTE, measureHalf, measureLoad, type Requests, type Seconds } from './measure.ts'
import type { Options } from './options.ts'
import {
  ANSWER,
  accountOf,
  hasCreation,
  openAccounts,
  payoutStatements,
} from './payout-baseline.ts'
import { makeBeneficiary, PAYOUTS, payOnce, payoutBody } from './payouts.ts'
import { type Baseline, baselineOf, idFromNumber, type Statements, sayBaseline } from './pgbench.ts'
import { inRounds, sayLoad } from './report.ts'
import { copyStatement } from './row-copy.ts'
import { type Target, withTarget } from './target.ts'

/** Durations in seconds, and the number of rounds. */
interface Plan extends Seconds {
  readonly rounds: number
  readonly pgbench_s: number
  readonly half_s: number
}

const FULL: Plan = { rounds: 3, warm_up_s: 3, load_s: 10, pgbench_s: 5, half_s: 20 }
const QUICK: Plan = { rounds: 1, warm_up_s: 2, load_s: 4, pgbench_s: 2, half_s: 5 }

const CONNECTIONS = 256

/** Converts money, as most payouts with a quote do. */
const PAYOUT = 'USD→HKD'
const QUOTE = {
  payout_type: PAYOUTS[PAYOUT].type,
  payout_info: { currency: PAYOUTS[PAYOUT].currency, amount: PAYOUTS[PAYOUT].amount },
  holding_info: { currency: PAYOUTS[PAYOUT].holding_currency },
  destination_info: { currency: PAYOUTS[PAYOUT].currency, country: 'HK' },
}

const PATH = '/v3/payout/quote'

type Row = 'quotes' | 'pairs' | 'single' | 'half'

const BEST = 'pgbench, best'
const ALONE = 'pgbench, 1 client'
const KEYED = 'USD→HKD, each with an Idempotency-Key.'

/** The rows of the table, in order. */
const ROWS: Readonly<Record<Row, Omit<Figure, 'rounds'>>> = {
  quotes: {
    name: 'quote create, one hot account, 256 connections',
    unit: 'quotes/s',
    goals: [{ what: 'ratio', to: BEST, at_least: 2 }],
    note: KEYED,
  },
  single: { name: 'quote create, one connection', unit: 'quotes/s', goals: [], note: KEYED },
  half: {
    name: 'quote create, one hot account, constant rate, half of the limit',
    unit: 'quotes/s',
    goals: [],
    note: HALF_NOTE,
  },
  pairs: {
    name: 'quote, then payout with it, one hot account, 256 connections',
    unit: 'pairs/s',
    goals: [{ what: 'ratio', to: BEST, at_least: 5 }],
    note: `${KEYED} Times are of single requests.`,
  },
}

/** The parts of a round. */
interface Bench {
  readonly plan: Plan
  readonly options: Options
  readonly target: Target
  readonly beneficiary: string
  readonly baselines: Baselines
}

export function benchQuotes(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  return withTarget(options, async target => {
    const beneficiary = await makeBeneficiary(target)
    const quote_id = await quoteOnce(target)
    const quoted = { ...payoutBody(PAYOUT, beneficiary), quote: await quoteOnce(target) }
    const { id } = await payOnce(target, quoted)
    const url = target.database_url
    const baselines = await prepareBaselines(options.pgbench, url, quote_id, id)
    const bench = { plan, options, target, beneficiary, baselines }
    const rounds = options.allocation ? [] : await inRounds(plan.rounds, () => runRound(bench))
    const allocated = await measureAllocation(target, options.generator, plan, [
      {
        name: ROWS.quotes.name,
        requests: address => quotesBy(target, CONNECTIONS, { address }),
      },
      { name: ROWS.single.name, requests: address => quotesBy(target, 1, { address }) },
    ])
    if (options.allocation) return allocated
    const figures = Object.entries(ROWS).map(([row, words]) => ({
      ...words,
      rounds: rounds.map(round => round[row as Row]),
    }))
    return [...figures, ...allocated]
  })
}

/** Runs each load right before its baseline. */
async function runRound(bench: Bench): Promise<Record<Row, FigureRound>> {
  const { plan, options, target, beneficiary } = bench
  const load = async (name: string, unit: string, requests: Requests) => {
    const measured = await measureLoad(options.generator, target, requests, plan)
    sayLoad(name, unit, measured)
    return measured
  }
  const quotes = await load('quotes', 'quotes/s', quotesBy(target, CONNECTIONS))
  const quotes_best = await measureBaseline(bench, 'quotes')
  const follow_up = payoutOf(beneficiary)
  const pairs = await load('pairs', 'pairs/s', quotesBy(target, CONNECTIONS, { follow_up }))
  const pairs_best = await measureBaseline(bench, 'pairs')
  const single = await load('1 connection', 'quotes/s', quotesBy(target, 1))
  const alone = await measureBaseline(bench, 'quotes', [1])
  return {
    quotes: roundOf(quotes, { [BEST]: quotes_best }),
    pairs: roundOf(pairs, { [BEST]: pairs_best }),
    single: roundOf(single, { [ALONE]: alone }),
    half: await measureHalf(target, quotesBy(target, CONNECTIONS), quotes, plan.half_s),
  }
}

/** The best rate of pgbench, in transactions a second. */
async function measureBaseline(
  { plan, baselines }: Bench,
  name: keyof Baselines,
  clients?: readonly number[],
): Promise<number> {
  const best = await baselines[name].run('plain', plan.pgbench_s, clients)
  sayBaseline(name, best)
  return best.per_second
}

/** Makes one quote; returns its id. */
async function quoteOnce(target: Target): Promise<string> {
  const { status, text } = await target.post(PATH, QUOTE, crypto.randomUUID())
  if (status !== 200) throw new Error(`a quote was answered ${status}: ${text}`)
  return JSON.parse(text).id
}

/** The second request of a pair: a payout by the quote. */
function payoutOf(beneficiary: string): FollowUp {
  const template = JSON.stringify({ ...payoutBody(PAYOUT, beneficiary), quote: '#id#' })
  return { path: '/v3/payout', template, id_prefix: 'poq' }
}

/** A load of quotes, or of pairs with `follow_up`. */
function quotesBy(
  target: Target,
  connections: number,
  { address = target.address, follow_up }: { address?: string; follow_up?: FollowUp } = {},
): Requests {
  return {
    url: `${address}${PATH}`,
    authorizations: [target.authorization],
    bodies: { templates: [JSON.stringify(QUOTE)], fresh_from: 0, existing_to: 1, keyed: true },
    connections,
    ...(follow_up && { follow_up }),
  }
}

type Baselines = Readonly<Record<'quotes' | 'pairs', Baseline>>

/** Copies an unused quote, and a payout by a quote. */
async function prepareBaselines(
  pgbench: string,
  database_url: string,
  quote_id: string,
  payout_id: string,
): Promise<Baselines> {
  return asOwner(database_url, async sql => {
    await openAccounts(sql, 0)
    const quote = await quoteStatements(sql, accountOf('0'), quote_id)
    const payout = await payoutStatements(sql, accountOf('0'), payout_id, QUOTED_ID)
    return {
      quotes: baselineOf(pgbench, database_url, quote),
      pairs: baselineOf(pgbench, database_url, quote, payout),
    }
  })
}

/** The id of a quote, made from the number of its event; the payout after it names the same id. */
const QUOTED_ID = idFromNumber('poq', 'quoted')

async function quoteStatements(
  sql: Sql,
  account_id: string,
  quote_id: string,
): Promise<Statements> {
  const mine = `account_id = ${account_id}`
  const made = { told: `'Q' || lpad(:quoted::text, 9, '0')`, sequence: ':quoted' }
  const kept = { ...ANSWER, account_id }
  const of = `'%${quote_id}%'`
  return {
    reads: [`select event_count + 1 as quoted from books where ${mine} for update`],
    rest: [
      await copyStatement(sql, 'quotes', `id = '${quote_id}'`, { account_id, id: QUOTED_ID }),
      await copyStatement(sql, 'events', hasCreation('Q', quote_id), { account_id, ...made }),
      await copyStatement(sql, 'idempotency_keys', `body like ${of}`, kept),
      `update books set event_count = :quoted, last_written_at = now() where ${mine}`,
    ],
  }
}
