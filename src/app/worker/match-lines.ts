// Matches lines of banks with items of the books by the rules that need no person, and credits what
// is then left with a key: whenever a line or an item is new. Counts what finance has to look at.
import type { Deps } from '../../runtime/deps.ts'
import { isSpread } from '../../sql/shard.ts'
import { dueDays } from '../../treasury/match/exception.ts'
import { countCases, foldOpenDays } from '../../treasury/match/exception-store.ts'
import { matchNostro } from '../../treasury/match/match-nostro.ts'
import { MatcherBusy } from '../../treasury/match/match-store.ts'
import { findMatchMark } from '../../treasury/match/open-store.ts'
import { actForTheHouse, listNostros } from '../../treasury/nostro-store.ts'
import { currencyExponent } from '../../values/money/currency.ts'
import { startCounting } from './counts.ts'
import { type Credited, creditNew, NOTHING_CREDITED } from './credit-lines.ts'
import { startWorker, type Worker, warned } from './worker.ts'

const LOOK_EVERY_MS = 1_000
/** An item may get its nostro after the look at it. */
const LOOK_AGAIN_MS = 60_000
const AFTER_FAILURE_MS = 10 * LOOK_EVERY_MS
const FAILED = 'lines of banks could not be matched'

/** Does nothing on a spread database, which has only sandboxes. */
export function startMatching(deps: Deps): Worker {
  if (isSpread()) return { stop: () => Promise.resolve() }
  const stopCounting = startCounting(
    () => measureExceptions(deps),
    warned(deps, 'exceptions of the treasury could not be counted', undefined),
  )
  const failed = warned(deps, FAILED, AFTER_FAILURE_MS)
  const rounds: Rounds = { mark: '', at: 0, credited: { ...NOTHING_CREDITED } }
  const matching = startWorker(() => matchRound(deps, rounds).catch(failed))
  return {
    stop() {
      stopCounting()
      return matching.stop()
    },
  }
}

interface Rounds {
  mark: string
  at: number
  readonly credited: Credited
}

async function matchRound(deps: Deps, rounds: Rounds): Promise<number> {
  const { sql } = deps
  const mark = await sql.begin(tx => {
    void actForTheHouse(tx)
    return findMatchMark(tx)
  })
  const isDue = mark !== rounds.mark || performance.now() >= rounds.at + LOOK_AGAIN_MS
  const wait_ms = isDue ? await matchAll(deps) : 0
  if (isDue && wait_ms === 0) Object.assign(rounds, { mark, at: performance.now() })
  try {
    await creditNew(deps, rounds.credited)
  } finally {
    // A fold that fails costs the count of exceptions time, and nothing else.
    if (isDue) await foldOpenDays(sql).catch(warned(deps, 'open items were not folded', undefined))
  }
  return Math.max(LOOK_EVERY_MS, wait_ms)
}

/** Matches every nostro; none stops another. Returns how long one waits for its next try, or 0. */
export async function matchAll(deps: Pick<Deps, 'sql' | 'log'>): Promise<number> {
  let wait_ms = 0
  for (const nostro of await listNostros(deps.sql)) {
    if (nostro.closed_at !== null) continue
    const failed = warned(deps, FAILED, AFTER_FAILURE_MS, { nostro: nostro.name })
    const waits = await matchNostro(deps.sql, nostro, false).then(
      () => 0,
      // Another process does the work; this one looks whether all is done.
      error => (error instanceof MatcherBusy ? LOOK_EVERY_MS : failed(error)),
    )
    wait_ms = Math.max(wait_ms, waits)
  }
  return wait_ms
}

/** The count, the sum in major units and the age of the oldest, by nostro and kind. */
export async function measureExceptions({ sql, metrics }: Pick<Deps, 'sql' | 'metrics'>) {
  const today = new Date().toISOString().slice(0, 10)
  const nostros = (await listNostros(sql)).filter(({ closed_at }) => closed_at === null)
  const days = nostros.map(nostro => dueDays(nostro, today))
  const counts = await sql.begin(async tx => {
    await actForTheHouse(tx)
    return countCases(tx, days)
  })
  const currencies = new Map(nostros.map(({ name, currency }) => [name, currency]))
  metrics.treasuryExceptions.reset()
  metrics.treasuryExceptionsSum.reset()
  metrics.treasuryExceptionsOldest.reset()
  for (const { nostro, kind, count, amount, oldest } of counts) {
    const labels = { nostro, kind }
    metrics.treasuryExceptions.set(labels, count)
    metrics.treasuryExceptionsOldest.set(labels, (Date.now() - Date.parse(oldest)) / 1000)
    const currency = currencies.get(nostro)
    // Items without a nostro are in any currency.
    if (currency === undefined) continue
    const scale = 10 ** currencyExponent(currency)
    metrics.treasuryExceptionsSum.set(labels, Number(amount) / scale)
  }
}
