// The scenario growth: creates and settles payouts on an account with ten million payouts, in turn
// with an empty one, each on a service and a database of its own.
import { describeSizes, type SizeOfTable, sizesOfTables, sumOfSizes } from './database.ts'
import { type Figure, type FigureRound, roundOf } from './figure.ts'
import { checkSpace, vacuumTables } from './fill.ts'
import { measureLoad, type Seconds } from './measure.ts'
import type { Options } from './options.ts'
import { fillPayouts } from './payout-fill.ts'
import { type Payer, payerOf, payoutLoad } from './payouts.ts'
import { inRounds, say, sayLoad, whole } from './report.ts'
import { settleVacuumed } from './settle-run.ts'
import { type Target, withTargets } from './target.ts'

interface Plan extends Seconds {
  readonly rounds: number
  readonly payouts: number
}

const FULL: Plan = { rounds: 3, warm_up_s: 3, load_s: 10, payouts: 10_000_000 }
const QUICK: Plan = { rounds: 1, warm_up_s: 1, load_s: 4, payouts: 100_000 }

const CONNECTIONS = 256
const EMPTY = 'empty tables'

/** A database with its service and a payer. */
interface Side {
  readonly name: string
  readonly target: Target
  readonly payer: Payer
}

interface Round {
  readonly created: FigureRound
  readonly settled: FigureRound
}

export function benchGrowth(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  return withTargets(2, options, async targets => {
    const [empty, full] = targets as [Target, Target]
    await checkSpace(plan.payouts * BYTES_A_PAYOUT + BYTES_OVERHEAD)
    const sizes = await fill(full, plan.payouts)
    options.record('bytes_a_payout', sizes)
    const sides = {
      empty: await openSide(EMPTY, empty),
      full: await openSide(`${whole(plan.payouts)} payouts`, full),
    }
    const rounds = await inRounds(plan.rounds, () => runRound(options, plan, sides))
    return figuresOf(plan, rounds, sizes)
  })
}

/** A payout was measured at 5.4 kB; the rest is for sorting while indexes are built. */
const BYTES_A_PAYOUT = 5_900
/** Two databases, their write-ahead logs and the rows of the rounds. */
const BYTES_OVERHEAD = 8_000_000_000

/**
 * Fills the account. The service keeps answers for a day, so a tenth of the payouts still have one.
 */
async function fill(target: Target, payouts: number): Promise<readonly SizeOfTable[]> {
  const started = performance.now()
  await fillPayouts(target, payouts, { status: 'succeeded', kept_answers: payouts / 10 })
  const seconds = (performance.now() - started) / 1000
  const sizes = await sizesOfTables(target.database_url, payouts)
  say(`${whole(payouts)} payouts in ${whole(seconds)} s, ${describe(sizes)}`)
  return sizes
}

/** `5,444 bytes a payout: payouts 1,778, events 1,673`. */
function describe(sizes: readonly SizeOfTable[]): string {
  const all = whole(sumOfSizes(sizes))
  return `${all} bytes a payout with its indexes: ${describeSizes(sizes)}`
}

async function openSide(name: string, target: Target): Promise<Side> {
  return { name, target, payer: await payerOf(target) }
}

/**
 * The tables to vacuum before each measurement: autovacuum visits small tables far more often than
 * large ones.
 */
const TABLES = ['payouts', 'payout_outcomes', 'events', 'journals']

/** Creates payouts on both sides, then settles them. */
async function runRound(
  options: Options,
  plan: Plan,
  { empty, full }: { readonly empty: Side; readonly full: Side },
): Promise<Round> {
  const created = {
    empty: await create(options, plan, empty),
    full: await create(options, plan, full),
  }
  const settled = {
    empty: await settleVacuumed(empty.name, empty.target, TABLES),
    full: await settleVacuumed(full.name, full.target, TABLES),
  }
  return {
    created: roundOf(created.full, { [EMPTY]: created.empty.per_second }),
    settled: roundOf(settled.full, { [EMPTY]: settled.empty.per_second }),
  }
}

async function create({ generator }: Options, plan: Plan, { name, target, payer }: Side) {
  await vacuumTables(target.database_url, TABLES)
  const load = payoutLoad(target.address, [payer], CONNECTIONS)
  const measured = await measureLoad(generator, target, load, plan)
  sayLoad(`${name}, create`, 'payouts/s', measured)
  return measured
}

function figuresOf(
  { payouts }: Plan,
  rounds: readonly Round[],
  sizes: readonly SizeOfTable[],
): readonly Figure[] {
  const among = `among ${whole(payouts)} payouts of the account`
  const goals = [{ what: 'ratio', to: EMPTY, at_least: 0.8 }] as const
  const unit = 'payouts/s'
  return [
    {
      name: `payout create, ${CONNECTIONS} connections, ${among}`,
      unit,
      rounds: rounds.map(round => round.created),
      goals,
      note: `On disk ${describe(sizes)}. A tenth of them have an answer kept, as of the last day.`,
    },
    {
      name: `settle what was created, ${among}`,
      unit,
      rounds: rounds.map(round => round.settled),
      goals,
    },
  ]
}
