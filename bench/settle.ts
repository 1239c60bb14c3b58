// The scenario settle: a worker settles payouts that are all due at once, of one account and of a
// thousand. The service is otherwise idle and has no webhook endpoints.

import { type Figure, type FigureRound, roundOf } from './figure.ts'
import type { Options } from './options.ts'
import { makePayers, type Payer, payerOf } from './payouts.ts'
import { inRounds, whole } from './report.ts'
import { makeDue, makeDueAtRandom, settleDue, settleVacuumed } from './settle-run.ts'
import { type Target, withTarget } from './target.ts'

interface Plan {
  readonly rounds: number
  readonly payouts: number
  readonly accounts: number
}

const FULL: Plan = { rounds: 3, payouts: 100_000, accounts: 1_000 }
const QUICK: Plan = { rounds: 1, payouts: 5_000, accounts: 1_000 }

const NOTE =
  'The rail says at once that a payout has arrived, so each is asked about once; nobody has ' +
  'registered for webhooks.'

interface Round {
  readonly hot: FigureRound
  readonly spread: FigureRound
}

export function benchSettling(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  return withTarget(options, async target => {
    const hot = await payerOf(target)
    const payers = await makePayers(target, plan.accounts)
    // Settles the payouts that made the beneficiaries.
    await settleDue(target)
    const rounds = await inRounds(plan.rounds, () =>
      runRound(options, plan, { target, hot, payers }),
    )
    const unit = 'payouts/s'
    return [
      {
        name: `settle ${whole(plan.payouts)} payouts of one account`,
        unit,
        rounds: rounds.map(round => round.hot),
        goals: [{ what: 'value', at_least: 5_000 }],
        note: NOTE,
      },
      {
        name: `settle as many payouts of ${whole(plan.accounts)} accounts`,
        unit,
        rounds: rounds.map(round => round.spread),
        goals: [],
        note: `${NOTE} The due payouts are not ordered by account.`,
      },
    ]
  })
}

async function runRound(
  { generator }: Options,
  { payouts, accounts }: Plan,
  {
    target,
    hot,
    payers,
  }: { readonly target: Target; readonly hot: Payer; readonly payers: readonly Payer[] },
): Promise<Round> {
  await makeDue(hot, payouts)
  const of_one = await measure(target, 'one account')
  await makeDueAtRandom(generator, target, payers, payouts)
  const of_many = await measure(target, `${whole(accounts)} accounts`)
  return { hot: of_one, spread: of_many }
}

const TABLES = ['payouts', 'open_payouts', 'payout_outcomes', 'journals', 'events']

async function measure(target: Target, name: string): Promise<FigureRound> {
  return roundOf(await settleVacuumed(name, target, TABLES), {})
}
