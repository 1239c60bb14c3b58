// The scenario quote: creates quotes on one hot account, then quotes that each pay a payout. In
// turn with each, pgbench writes the same rows, one transaction for each request.

import type { Sql } from '../src/sql/connect.ts'
import { asOwner } from './database.ts'
import { type Figure, roundOf } from './figure.ts'
import type { FollowUp } from './load.ts'
import { type Measured, measureLoad, type Seconds } from './measure.ts'
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
  return withTarget(options, async target => {
    const beneficiary = await makeBeneficiary(target)
    const quote_id = await quoteOnce(target)
    const quoted = { ...payoutBody(PAYOUT, beneficiary), quote: await quoteOnce(target) }
    const { id } = await payOnce(target, quoted)
    const url = target.database_url
    const baselines = await prepareBaselines(options.pgbench, url, quote_id, id)
    const measure = async (name: keyof typeof baselines, follow_up?: FollowUp) => {
      const measured = await load(options, plan, target, name, follow_up)
      const best = await baselines[name].run('plain', plan.pgbench_s)
      sayBaseline(name, best)
      return roundOf(measured, { 'pgbench, best': best.per_second })
    }
    const rounds = await inRounds(plan.rounds, async () => ({
      quotes: await measure('quotes'),
      pairs: await measure('pairs', payoutOf(beneficiary)),
    }))
    return [
      {
        name: 'quote create, one hot account, 256 connections',
        unit: 'quotes/s',
        rounds: rounds.map(({ quotes }) => quotes),
        goals: [{ what: 'ratio', to: 'pgbench, best', at_least: 2 }],
        note: 'USD→HKD, each with an Idempotency-Key.',
      },
      {
        name: 'quote, then payout with it, one hot account, 256 connections',
        unit: 'pairs/s',
        rounds: rounds.map(({ pairs }) => pairs),
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

/** The second request of a pair: a payout by the quote. */
function payoutOf(beneficiary: string): FollowUp {
  const template = JSON.stringify({ ...payoutBody(PAYOUT, beneficiary), quote: '#id#' })
  return { path: '/v3/payout', template, id_prefix: 'poq' }
}

/** Measures a load of quotes, or of pairs with `follow_up`. */
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

/** Copies an unused quote, and a payout by a quote. */
async function prepareBaselines(
  pgbench: string,
  database_url: string,
  quote_id: string,
  payout_id: string,
): Promise<{ readonly quotes: Baseline; readonly pairs: Baseline }> {
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
