// Keeps the house's books behind the accounts': derives days and items from new journals. One
// process derives at a time; a round that dies has changed nothing, and the next finds the same.
import type { Deps } from '../../runtime/deps.ts'
import { databaseNow } from '../../sql/connect.ts'
import { isSpread } from '../../sql/shard.ts'
import { assignAll, deriveSome } from '../../treasury/derive.ts'
import { readForecast } from '../../treasury/forecast-store.ts'
import { readShares } from '../../treasury/institution-store.ts'
import { countBehind } from '../../treasury/item-store.ts'
import { listNostros } from '../../treasury/nostro-store.ts'
import { stateOfDay } from '../../treasury/safeguarding.ts'
import { readSafeguarding } from '../../treasury/safeguarding-store.ts'
import { startCounting } from './counts.ts'
import { startWorker, type Worker, warned } from './worker.ts'

const LOOK_EVERY_MS = 1_000
/** The look reads every book, so it may take this share of the time. */
const LOOK_SHARE = 0.05

/** The sums of all accounts are added up so often. */
const MEASURE_EVERY_MS = 600_000
const NEVER = Number.NEGATIVE_INFINITY

/** Does nothing on a spread database, which has only sandboxes. */
export function startDeriving(deps: Deps): Worker {
  if (isSpread()) return { stop: () => Promise.resolve() }
  const stopCounting = startCounting(
    async () => deps.metrics.journalsBehind.set(Number(await countBehind(deps.finder))),
    warned(deps, 'journals that are not derived could not be counted', undefined),
  )
  const failed = warned(deps, "the house's books could not be derived", LOOK_EVERY_MS)
  const rounds = { after: '', nostros: '', measured_at: NEVER }
  const deriving = startWorker(() => deriveRound(deps, rounds).catch(failed))
  return {
    stop() {
      stopCounting()
      return deriving.stop()
    },
  }
}

/** The state at which the last round had done all that there was. */
interface Rounds {
  /** The account that had the last turn. */
  after: string
  nostros: string
  measured_at: number
}

/**
 * Returns how long to wait: while accounts are behind as long as it took, so that payouts do not
 * wait for a database that derives years of journals.
 */
async function deriveRound(deps: Deps, rounds: Rounds): Promise<number> {
  const from = performance.now()
  const { journals, last } = await deriveSome(deps, undefined, rounds.after)
  rounds.after = last
  const took = performance.now() - from
  const nostros = JSON.stringify((await listNostros(deps.sql)).map(nostroKey))
  if (nostros !== rounds.nostros) {
    await assignAll(deps.sql)
    rounds.nostros = nostros
  }
  await measure(deps, rounds)
  return journals > 0n ? took : Math.max(LOOK_EVERY_MS, took / LOOK_SHARE)
}

/** Sets the figures of what finance must look at: forecasts, and client money. */
async function measure(deps: Deps, rounds: Rounds): Promise<void> {
  const now = performance.now()
  if (now - rounds.measured_at < MEASURE_EVERY_MS) return
  rounds.measured_at = now
  await measureTreasury(deps)
}

export async function measureTreasury({ operators: { audit }, metrics }: Deps): Promise<void> {
  const now = await databaseNow(audit)
  const forecast = await readForecast(audit, now.slice(0, 10))
  for (const state of ['low', 'critical'] as const) {
    const days = forecast.filter(day => day.state === state)
    metrics.nostroForecast.set({ state }, new Set(days.map(({ nostro }) => nostro)).size)
  }
  const days = await readSafeguarding(audit)
  const short = days.filter(day => stateOfDay(day) === 'shortfall')
  metrics.safeguardingShortfalls.set(short.length)
  const above = (await readShares(audit)).filter(({ state }) => state === 'above')
  metrics.safeguardingConcentrated.set(above.length)
}

type Assigning = Awaited<ReturnType<typeof listNostros>>[number]

/** What decides which items a nostro gets. */
function nostroKey({ name, currency, purpose, rails, opening_on, closed_at }: Assigning) {
  return [name, currency, purpose, rails, opening_on, closed_at]
}
