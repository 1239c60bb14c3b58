// The scenario quote: quotes created over HTTP on one hot account, and quotes each followed by the
// payout made with it, beside pgbench writing the same rows a request at a time, alternately in one
// run on one database.
import { type Figure, type FigureRound, roundOf } from './figure.ts'
import type { FollowUp } from './load.ts'
import { type Measured, measureLoad, type Seconds } from './measure.ts'
import { type Options, targetOf } from './options.ts'
import { makeBeneficiary, PAYOUTS, payOnce, payoutBody } from './payout-sample.ts'
import { prepareQuoteBaselines } from './quote-baseline.ts'
import { say, sayBaseline, sayLoad } from './report.ts'
import { type Target, withTargets } from './target.ts'

/** How long everything takes, in seconds, and how often it is done. */
interface Plan extends Seconds {
  readonly rounds: number
  readonly pgbench_s: number
}

const FULL: Plan = { rounds: 3, warm_up_s: 3, load_s: 10, pgbench_s: 5 }
const QUICK: Plan = { rounds: 1, warm_up_s: 2, load_s: 4, pgbench_s: 2 }

const CONNECTIONS = 256

/** Money is converted, as in most payouts that somebody asks the price of first. */
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

/** One quote, so that its rows can be read; answers its id. */
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

/** Quotes, or pairs when something follows them. */
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
