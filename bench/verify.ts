// The scenario verify: how long `corridor verify` takes for a book of a million journals, from the
// start of the process to its end.
import { cpuSecondsOfServer } from './cpu.ts'
import type { Figure, FigureRound } from './figure.ts'
import type { Options } from './options.ts'
import { payerOf } from './payouts.ts'
import { inRounds, say, whole } from './report.ts'
import { makeDue, settleDue } from './settle-run.ts'
import { type Target, withTarget } from './target.ts'

/** Each payout has two journals: its debit and its settlement. */
const FULL = { rounds: 3, payouts: 500_000 }
const QUICK = { rounds: 1, payouts: 5_000 }

export function benchVerify(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  return withTarget(options, async target => {
    await makeDue(await payerOf(target), plan.payouts)
    await settleDue(target)
    const rounds = await inRounds(plan.rounds, () => verifyOnce(target))
    return [
      {
        name: `verify ${whole(2 * plan.payouts)} journals`,
        unit: 's',
        rounds,
        goals: [{ what: 'value', at_most: 45 }],
        note: 'One account; every payout is settled. PostgreSQL and the command share two cores.',
      },
    ]
  })
}

async function verifyOnce(target: Target): Promise<FigureRound> {
  const before = await cpuSecondsOfServer(target.postgres_pid)
  const from = performance.now()
  await target.command('verify')
  const value = (performance.now() - from) / 1_000
  const database = (await cpuSecondsOfServer(target.postgres_pid)) - before
  say(`  ${value.toFixed(1)} s; ${database.toFixed(1)} s of PostgreSQL's processor time`)
  return { value, baselines: {} }
}
