// Keeps the house's books behind the accounts': derives days and items from new journals, and
// credits money that came in with a key. One process derives at a time; a round that dies has
// changed nothing, and the next one finds the same.
import { SERVICE } from '../../accounts/user/user.ts'
import { bookingAct } from '../../operator/funding.ts'
import type { Deps } from '../../runtime/deps.ts'
import { databaseNow } from '../../sql/connect.ts'
import { isSpread } from '../../sql/shard.ts'
import { bookMoney } from '../../statements/funding/operations.ts'
import type { Booking } from '../../statements/funding/rules.ts'
import { creditLines } from '../../treasury/credit.ts'
import { assignAll, deriveSome } from '../../treasury/derive.ts'
import { readForecast } from '../../treasury/forecast-store.ts'
import { findCreditMark } from '../../treasury/funding-key-store.ts'
import { countBehind } from '../../treasury/item-store.ts'
import { matchNostro } from '../../treasury/match/match-nostro.ts'
import { listNostros } from '../../treasury/nostro-store.ts'
import { stateOfDay } from '../../treasury/safeguarding.ts'
import { readSafeguarding } from '../../treasury/safeguarding-store.ts'
import { startCounting } from './counts.ts'
import { startWorker, type Worker, warned } from './worker.ts'

const LOOK_EVERY_MS = 1_000
/** A list that was not current may be by now, and an account that was closed may be open. */
const LOOK_AT_ALL_MS = 60_000
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
  const rounds = { after: '', nostros: '', line: 0n, keys: '', all_at: NEVER, measured_at: NEVER }
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
  line: bigint
  keys: string
  /** When all open lines were last looked at, by the process's clock. */
  all_at: number
  measured_at: number
}

/** Returns how long to wait: not at all while accounts are behind. */
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
  await creditNew(deps, rounds)
  await measure(deps, rounds)
  return journals > 0n ? 0 : Math.max(LOOK_EVERY_MS, took / LOOK_SHARE)
}

/** Looks at new lines at once; and at all that are open once in a while, or with new keys. */
async function creditNew(deps: Deps, rounds: Rounds): Promise<void> {
  const { line, keys } = await findCreditMark(deps.sql)
  const now = performance.now()
  const all = keys !== rounds.keys || now - rounds.all_at > LOOK_AT_ALL_MS
  if (!all && line === rounds.line) return
  // What an exact key explains is no new money.
  for (const nostro of await listNostros(deps.sql)) {
    if (nostro.closed_at === null) await matchNostro(deps.sql, nostro)
  }
  await creditAll(deps, all ? 0n : rounds.line)
  Object.assign(rounds, { line, keys }, all && { all_at: now })
}

/** Credits each open line after this one whose account is certain. Returns how many. */
export async function creditAll(deps: Deps, after = 0n): Promise<number> {
  const { sql, finder, lists, operators } = deps
  const { audit } = operators
  const author = { operator: SERVICE, act: 'nostro credit', via: 'corridor treasury', origin: {} }
  const book = async (command: Booking) => {
    await operators.run(author, { operation: bookMoney, command, act: bookingAct })
  }
  const { credited, left } = await creditLines({ sql, audit, finder, lists, book }, after)
  for (const { line, error } of left) {
    if (error === undefined) continue
    deps.log.warn({ err: error, line: `line_${line.id}` }, 'a line could not be credited')
  }
  return credited
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
}

type Assigning = Awaited<ReturnType<typeof listNostros>>[number]

/** What decides which items a nostro gets. */
function nostroKey({ name, currency, purpose, rails, opening_on, closed_at }: Assigning) {
  return [name, currency, purpose, rails, opening_on, closed_at]
}
