// Every hour, counts the figures of the rails over 90 days.
import { countEnded } from '../../payouts/lists/count-store.ts'
import { type EndedPayouts, FIGURES_DAYS, FIGURES_WINDOWS, figuresOf } from '../../rails/figures.ts'
import type { Deps } from '../../runtime/deps.ts'
import { readConfined } from '../../sql/confine.ts'
import { DAY_MS, type Instant, plusMilliseconds } from '../../values/instant.ts'
import { startWorker, type Worker } from './worker.ts'

const EVERY_MS = 3_600_000

/** Counts now, and an hour after each count has ended, so that counts do not overlap. */
export function startMeasuring(deps: Deps): Worker {
  return startWorker(async signal => {
    const isStopped = () => signal.aborted
    try {
      await measureRails(deps, isStopped)
    } catch (error) {
      deps.log.warn({ err: error }, 'the figures of rails could not be counted')
    }
    return EVERY_MS
  })
}

/** One account after the other. */
export async function measureRails(deps: Deps, isStopped = () => false): Promise<void> {
  const [row] = await deps.sql<{ now: Instant }[]>`select clock_timestamp() as now`
  if (row === undefined) return
  // The payouts by how many days ago they were made.
  const ended: EndedPayouts[][] = Array.from({ length: FIGURES_DAYS }, () => [])
  for (const account_id of liveAccounts(deps)) {
    // Each statement reads one day, so that it ends before the database's time-out.
    for (let days = FIGURES_DAYS; days > 0; days--) {
      if (isStopped()) return
      const from = plusMilliseconds(row.now, -days * DAY_MS)
      const to = plusMilliseconds(row.now, -(days - 1) * DAY_MS)
      const counts = await readConfined(deps.sql, [account_id], tx =>
        countEnded(tx, account_id, from, to),
      )
      ended[days - 1]?.push(...counts)
    }
  }
  const within = (days: number) => figuresOf(ended.slice(0, days).flat())
  deps.railFigures.current = within(FIGURES_DAYS)
  deps.railFigures.windows = new Map(FIGURES_WINDOWS.map(days => [days, within(days)]))
  deps.railFigures.counted_at = row.now
}

function liveAccounts({ reference }: Deps): string[] {
  const accounts = [...reference.current().accounts.values()]
  return accounts.filter(({ sandbox }) => !sandbox).map(({ account_id }) => account_id)
}
