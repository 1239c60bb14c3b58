// The scenario quote: creates quotes on one hot account, and quotes each followed by the payout
// made with it, in turn with pgbench writing the same rows one transaction a request.

import type { Sql } from '../src/db/connect.ts'
import { newAccountId } from '../src/id.ts'
import { asOwner } from './database.ts'
import { type Figure, type FigureRound, roundOf } from './figure.ts'
import type { FollowUp } from './load.ts'
import { type Measured, measureLoad, type Seconds } from './measure.ts'
import { type Options, targetOf } from './options.ts'
import { COPIES, ENDING, telling } from './payout-baseline.ts'
import { makeBeneficiary, PAYOUTS, payOnce, payoutBody } from './payouts.ts'
import { type Baseline, baselineOf, idFromNumber, type Statements, sayBaseline } from './pgbench.ts'
import { say, sayLoad } from './report.ts'
import { copyStatement } from './row-copy.ts'
import { type Target, withTargets } from './target.ts'

/** Durations in seconds, and the number of rounds. */
interface Plan extends Seconds {
  readonly rounds: number
  readonly pgbench_s: number
}

const FULL: Plan = { rounds: 3, warm_up_s: 3, load_s: 10, pgbench_s: 5 }
const QUICK: Plan = { rounds: 1, warm_up_s: 2, load_s: 4, pgbench_s: 2 }

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

export function benchQuotes(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  return withTargets(1, targetOf(options.postgres), async targets => {
    const [target] = targets as [Target]
    const beneficiary = await makeBeneficiary(target)
    const quote_id = await quoteOnce(target)
    const quoted = { ...payoutBody(PAYOUT, beneficiary), quote: await quoteOnce(target) }
    const samples = { quote_id, payout_id: (await payOnce(target, quoted)).id }
    const baselines = await prepareQuoteBaselines(options.pgbench, target.database_url, samples)
    const quotes: FigureRound[] = []
    const pairs: FigureRound[] = []
    for (let i = 1; i <= plan.rounds; i++) {
      say(`round ${i} of ${plan.rounds}`)
      const quote = await load(options, plan, target, 'quotes')
      const quote_held = await baselines.quotes.run('plain', plan.pgbench_s)
      sayBaseline('quotes', quote_held)
      quotes.push(roundOf(quote, { 'pgbench, best': quote_held.per_second }))
      const pair = await load(options, plan, target, 'pairs', payoutOf(beneficiary))
      const pair_held = await baselines.pairs.run('plain', plan.pgbench_s)
      sayBaseline('pairs', pair_held)
      pairs.push(roundOf(pair, { 'pgbench, best': pair_held.per_second }))
    }
    return [
      {
        name: 'quote create, one hot account, 256 connections',
        unit: 'quotes/s',
        rounds: quotes,
        goals: [{ what: 'ratio', to: 'pgbench, best', at_least: 2 }],
        note: 'USD→HKD, each with an Idempotency-Key.',
      },
      {
        name: 'quote, then payout with it, one hot account, 256 connections',
        unit: 'pairs/s',
        rounds: pairs,
        goals: [{ what: 'ratio', to: 'pgbench, best', at_least: 5 }],
        note: 'USD→HKD, each with an Idempotency-Key. Times are of single requests.',
      },
    ]
  })
}

/** Makes one quote; returns its id. */
async function quoteOnce(target: Target): Promise<string> {
  const { status, text } = await target.post(PATH, QUOTE, crypto.randomUUID())
  if (status !== 200) throw new Error(`a quote was answered ${status}: ${text}`)
  return JSON.parse(text).id
}

/** The payout made with a quote. */
function payoutOf(beneficiary: string): FollowUp {
  const template = JSON.stringify({ ...payoutBody(PAYOUT, beneficiary), quote: '#id#' })
  return { path: '/v3/payout', template, id_prefix: 'poq' }
}

/** Loads quotes, or pairs with `follow_up`. */
async function load(
  { generator }: Options,
  plan: Plan,
  target: Target,
  name: string,
  follow_up?: FollowUp,
): Promise<Measured> {
  const requests = {
    url: `${target.address}${PATH}`,
    authorizations: [target.authorization],
    bodies: { templates: [JSON.stringify(QUOTE)], fresh_from: 0, existing_to: 1, keyed: true },
    connections: CONNECTIONS,
    ...(follow_up && { follow_up }),
  }
  const measured = await measureLoad(generator, target, requests, plan)
  sayLoad(name, `${name}/s`, measured)
  return measured
}

/** Ids of the rows to copy. */
export interface QuoteSamples {
  /** A quote that is not used. */
  readonly quote_id: string
  /** A payout made with a quote. */
  readonly payout_id: string
}

export interface QuoteBaselines {
  readonly quotes: Baseline
  readonly pairs: Baseline
}

/** Creates an account for pgbench alone, so that the service's books stay valid. */
export async function prepareQuoteBaselines(
  pgbench: string,
  database_url: string,
  samples: QuoteSamples,
): Promise<QuoteBaselines> {
  return asOwner(database_url, async sql => {
    const account_id = newAccountId()
    await sql`insert into books (account_id, head_hash)
      values (${account_id}, decode(repeat('00', 32), 'hex'))`
    await sql`insert into balances (account_id, currency, available)
      values (${account_id}, 'USD', 1000000000000000)`
    const account = `'${account_id}'`
    const quote = await quoteStatements(sql, account, samples)
    const payout = await payoutStatements(sql, account, samples)
    return {
      quotes: baselineOf(pgbench, database_url, quote),
      pairs: baselineOf(pgbench, database_url, quote, payout),
    }
  })
}

/** The id of a quote from the number of its event, which the payout after it uses too. */
const QUOTED_ID = idFromNumber('poq', 'quoted')

async function quoteStatements(
  sql: Sql,
  account_id: string,
  { quote_id }: QuoteSamples,
): Promise<Statements> {
  const mine = `account_id = ${account_id}`
  const made = { told: `'Q' || lpad(:quoted::text, 9, '0')`, sequence: ':quoted' }
  const kept = { ...COPIES.idempotency_keys, account_id, object_id: "''" }
  const of = `'%${quote_id}%'`
  return {
    reads: [`select event_count + 1 as quoted from books where ${mine} for update`],
    rest: [
      await copyStatement(sql, 'quotes', `id = '${quote_id}'`, { account_id, id: QUOTED_ID }),
      await copyStatement(sql, 'events', telling('Q', quote_id), { account_id, ...made }),
      await copyStatement(sql, 'idempotency_keys', `body like ${of}`, kept),
      `update books set event_count = :quoted, last_written_at = now() where ${mine}`,
    ],
  }
}

async function payoutStatements(
  sql: Sql,
  account_id: string,
  { payout_id }: QuoteSamples,
): Promise<Statements> {
  const mine = `account_id = ${account_id}`
  const rows: [table: string, condition: string, copy?: Readonly<Record<string, string>>][] = [
    ['payouts', `id = '${payout_id}'`, { ...COPIES.payouts, quote_id: QUOTED_ID }],
    ['journals', `source = '${payout_id}' and kind = 'payout'`],
    [
      'events',
      telling('P', payout_id),
      { told: `'P' || ${ENDING} || ' L' || :number`, sequence: ':events + 2' },
    ],
    ['idempotency_keys', `object_id = '${payout_id}'`],
  ]
  const inserts: string[] = []
  for (const [table, condition, copy = COPIES[table]] of rows) {
    inserts.push(await copyStatement(sql, table, condition, { ...copy, account_id }))
  }
  return {
    reads: [
      `select journal_count + 1 as number, event_count as events from books where ${mine} for update`,
      `select available - 10000 as available from balances where ${mine} and currency = 'USD'`,
    ],
    rest: [
      `update quotes set status = 'used', updated_at = now()
        where ${mine} and id = ${QUOTED_ID} and status = 'active'`,
      ...inserts,
      `update balances set available = :available, updated_at = now() where ${mine} and currency = 'USD'`,
      `update books set journal_count = :number, event_count = :events + 2, last_written_at = now(),
        head_hash = sha256('any 32 bytes will do here') where ${mine}`,
    ],
  }
}
