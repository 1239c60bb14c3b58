// The scenario rails: what a bank's files cost. It seals many payments into one file, and reads a
// bank's report about them. It also settles payouts through the simulator, while payments wait for
// a bank and on a database without a file rail.

import { type Figure, type FigureRound, roundOf } from './figure.ts'
import type { Options } from './options.ts'
import { type Payer, payerOf } from './payouts.ts'
import { type FileRail, openFileRail, readReport, sealFile, takePayments } from './rails-run.ts'
import { inRounds, whole } from './report.ts'
import { makeDue, settleVacuumed } from './settle-run.ts'
import { type Target, withTargets } from './target.ts'

interface Plan {
  readonly rounds: number
  /** Payments in one file. The bank reports two statuses of each. */
  readonly payments: number
  /** Payouts to settle through the simulator. */
  readonly payouts: number
}

const FULL: Plan = { rounds: 3, payments: 50_000, payouts: 50_000 }
const QUICK: Plan = { rounds: 1, payments: 5_000, payouts: 5_000 }

const ALONE = 'no rail of files'

type Side = Target & Payer

interface Round {
  readonly sealed: FigureRound
  readonly read: FigureRound
  readonly settled: FigureRound
}

export function benchRails(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  return withTargets(2, options, async targets => {
    const [alone, beside] = (await Promise.all(targets.map(payerOf))) as [Side, Side]
    const rail = await openFileRail(beside, plan.payments)
    const rounds = await inRounds(plan.rounds, () => runRound(plan, rail, { alone, beside }))
    return figuresOf(plan, rounds)
  })
}

async function runRound(
  { payments, payouts }: Plan,
  rail: FileRail,
  { alone, beside }: { readonly alone: Side; readonly beside: Side },
): Promise<Round> {
  await takePayments(rail, payments)
  const without = await settle(ALONE, alone, payouts)
  const among = await settle('payments wait for a bank', beside, payouts)
  const settled = roundOf(among, { [ALONE]: without.per_second })
  const sealed = await sealFile(rail, payments)
  return { settled, sealed, read: await readReport(rail) }
}

const TABLES = ['payouts', 'open_payouts', 'payout_outcomes', 'journals', 'events', 'rail_items']

async function settle(name: string, side: Side, payouts: number) {
  await makeDue(side, payouts)
  return settleVacuumed(name, side, TABLES)
}

function figuresOf({ payments, payouts }: Plan, rounds: readonly Round[]): readonly Figure[] {
  const [many, lines] = [whole(payments), whole(2 * payments)]
  return [
    {
      name: `seal ${many} payments into one file`,
      unit: 's',
      rounds: rounds.map(({ sealed }) => sealed),
      goals: [{ what: 'value', at_most: 30 }],
      note:
        'From the moment at which the service may begin to the commit: payments are found, locked, ' +
        "written, judged by ISO's schema and counted again, and their payouts are told of it.",
    },
    {
      name: `read a pain.002 of ${lines} statuses`,
      unit: 's',
      rounds: rounds.map(({ read }) => read),
      goals: [
        { what: 'value', at_most: 60 },
        { what: 'rss_mib', at_most: 512 },
      ],
      note:
        `Two statuses of each of ${many} payments, from when the file is stored to when it is ` +
        'applied; the payouts are woken, and the same process settles them meanwhile. Memory is that of the whole service.',
    },
    {
      name: `settle ${whole(payouts)} payouts by the simulator, while ${many} payments wait for a bank`,
      unit: 'payouts/s',
      rounds: rounds.map(({ settled }) => settled),
      goals: [{ what: 'ratio', to: ALONE, at_least: 0.8 }],
    },
  ]
}
