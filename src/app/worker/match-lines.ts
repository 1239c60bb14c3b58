// Matches lines of banks with items of the books by the rules that need no person: whenever a line
// or an item is new. Counts what finance has to look at.
import type { Deps } from '../../runtime/deps.ts'
import { isSpread } from '../../sql/shard.ts'
import { dueDays } from '../../treasury/match/exception.ts'
import { countCases } from '../../treasury/match/exception-store.ts'
import { matchNostro } from '../../treasury/match/match-nostro.ts'
import { MatcherBusy } from '../../treasury/match/match-store.ts'
import { findMatchMark } from '../../treasury/match/open-store.ts'
import { actForTheHouse, listNostros } from '../../treasury/nostro-store.ts'
import { currencyExponent } from '../../values/money/currency.ts'
import { startCounting } from './counts.ts'
import { startWorker, type Worker, warned } from './worker.ts'

const LOOK_EVERY_MS = 1_000
/** An item may get its nostro after the look at it. */
const LOOK_AGAIN_MS = 60_000

/** Does nothing on a spread database, which has only sandboxes. */
export function startMatching(deps: Deps): Worker {
  if (isSpread()) return { stop: () => Promise.resolve() }
  const stopCounting = startCounting(
    () => measureExceptions(deps),
    warned(deps, 'exceptions of the treasury could not be counted', undefined),
  )
  const failed = warned(deps, 'lines of banks could not be matched', 10 * LOOK_EVERY_MS)
  const rounds = { mark: '', at: 0 }
  const matching = startWorker(() =>
    matchRound(deps, rounds).catch(error =>
      // Another process does the work; this one looks whether all is done.
      error instanceof MatcherBusy ? LOOK_EVERY_MS : failed(error),
    ),
  )
  return {
    stop() {
      stopCounting()
      return matching.stop()
    },
  }
}

async function matchRound(
  { sql }: Pick<Deps, 'sql'>,
  rounds: { mark: string; at: number },
): Promise<number> {
  const mark = await sql.begin(tx => {
    void actForTheHouse(tx)
    return findMatchMark(tx)
  })
  if (mark === rounds.mark && performance.now() < rounds.at + LOOK_AGAIN_MS) return LOOK_EVERY_MS
  for (const nostro of await listNostros(sql)) {
    if (nostro.closed_at === null) await matchNostro(sql, nostro, false)
  }
  rounds.mark = mark
  rounds.at = performance.now()
  return LOOK_EVERY_MS
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
