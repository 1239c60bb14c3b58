// The scenario upkeep: what it costs the service to verify its books while it runs, to have its log
// archived, and to derive the house's books. Each is held against the same service without it, in
// turns.
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { MANUAL } from '../src/rails/rail.ts'
import { connect } from '../src/sql/connect.ts'
import { takeTurn } from '../src/treasury/item-store.ts'
import { type Figure, type FigureRound, roundOf } from './figure.ts'
import { FRESH_STEP, type Measured, measureLoad, type Seconds } from './measure.ts'
import type { Options } from './options.ts'
import { GUARD_NOTE, openLive, type Payer, payerOf, payoutLoad } from './payouts.ts'
import { inRounds, sayLoad } from './report.ts'
import { type Target, withTarget } from './target.ts'

interface Plan extends Seconds {
  readonly rounds: number
}

const FULL: Plan = { rounds: 4, warm_up_s: 3, load_s: 10 }
const QUICK: Plan = { rounds: 1, warm_up_s: 1, load_s: 3 }

const CONNECTIONS = 64

/** The workers run, and no payout is due while it is measured. */
const WITHOUT = {
  CORRIDOR_SETTLE: 'on',
  CORRIDOR_SIMULATOR_DELAY_MS: '3600000',
  CORRIDOR_VERIFY_PERCENT: '0',
  CORRIDOR_ARCHIVE: 'off',
}

type Way = 'without' | 'verifying' | 'archiving' | 'deriving'

const WAYS: readonly Way[] = ['without', 'verifying', 'archiving', 'deriving']

export function benchUpkeep(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  return withTarget(options, async target => {
    const archive = join(target.folder, 'archive')
    await mkdir(archive)
    // PostgreSQL runs as another user.
    await chmod(archive, 0o777)
    const settings: Readonly<Record<Way, Readonly<Record<string, string>>>> = {
      without: WITHOUT,
      verifying: { ...WITHOUT, CORRIDOR_VERIFY_PERCENT: '2' },
      archiving: { ...WITHOUT, CORRIDOR_ARCHIVE: archive },
      deriving: WITHOUT,
    }
    // The books of sandboxes are not derived.
    const payer = await payerOf(await openLive(target, MANUAL))
    let measured = 0
    const measure = async (way: Way) => {
      const place = await target.startAnother(settings[way])
      const at = { ...place, fresh_from: measured++ * FRESH_STEP }
      const measured_once = () => measureOnce(options, target, { payer, plan, way, at })
      const load = way === 'deriving' ? measured_once() : withoutDeriving(target, measured_once)
      return load.finally(place.stop)
    }
    const rounds = await inRounds(plan.rounds, round => inTurns(round, measure))
    const row = (name: string, way: Way): Figure => {
      const ofWay = rounds.map((loads): FigureRound => {
        const { without, [way]: load } = loads
        return roundOf(load, { 'without it': without.per_second })
      })
      return { name, unit: 'payouts/s', rounds: ofWay, goals: [], note: GUARD_NOTE }
    }
    return [
      row('payout create, the service verifies its books', 'verifying'),
      row('payout create, the log is archived', 'archiving'),
      {
        ...row("payout create, the house's books are derived", 'deriving'),
        goals: [{ what: 'ratio', to: 'without it', at_least: 0.97 }],
      },
    ]
  })
}

/** Has the turn of the process that derives, so that none does. */
async function withoutDeriving<T>({ database_url }: Target, work: () => Promise<T>): Promise<T> {
  const sql = connect(database_url, { max: 1, as: 'owner' })
  try {
    return await sql.begin(async tx => {
      while (!(await takeTurn(tx))) await delay(10)
      return work()
    })
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Another way is the first in each round. */
async function inTurns(round: number, measure: (way: Way) => Promise<Measured>) {
  const loads = {} as Record<Way, Measured>
  const first = round % WAYS.length
  for (const way of [...WAYS.slice(first), ...WAYS.slice(0, first)]) {
    loads[way] = await measure(way)
  }
  return loads
}

interface Once {
  readonly payer: Payer
  readonly plan: Plan
  readonly way: Way
  readonly at: { readonly address: string; readonly pid: number; readonly fresh_from: number }
}

async function measureOnce(
  { generator }: Options,
  { postgres_pid }: Target,
  { payer, plan, way, at }: Once,
): Promise<Measured> {
  const { bodies, ...load } = payoutLoad(at.address, [payer], CONNECTIONS)
  const requests = { ...load, bodies: { ...bodies, fresh_from: at.fresh_from } }
  const pids = { service_pid: at.pid, postgres_pid }
  const measured = await measureLoad(generator, pids, requests, plan)
  sayLoad(way, 'payouts/s', measured)
  return measured
}
