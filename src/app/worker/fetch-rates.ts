// The rate feed worker. Several processes may fetch at once, because a rate that one has stored is
// not newer for the next. While the publisher fails, its rates age.
import { findFrame } from '../../prices/policy/store.ts'
import { type FeedOutcome, FeedUnreadable, takeFeed } from '../../prices/rate/change.ts'
import { FetchFailed } from '../../prices/rate/fetch.ts'
import type { Deps } from '../../runtime/deps.ts'
import { startWorker, type Worker } from './worker.ts'

/** The author of these changes in the reference data's history. */
const FEED = 'feed'

/** The wait after a failure, if the interval is not shorter. */
const RETRY_MS = 300_000

export function startFetchingRates(deps: Deps): Worker {
  const interval_ms = deps.config.rate_feed_interval_s * 1000
  return startWorker(async () => {
    const failed = (await fetchRatesOnce(deps)) === 'failed'
    return failed ? Math.min(interval_ms, RETRY_MS) : interval_ms
  })
}

type Result = 'changed' | 'unchanged' | 'refused' | 'failed'

/** Fetches once; never rejects. */
export async function fetchRatesOnce(deps: Deps): Promise<Result> {
  const result = await fetchAndLog(deps).catch((error: unknown): Result => {
    const is_publishers_fault = error instanceof FetchFailed || error instanceof FeedUnreadable
    deps.log.warn(
      is_publishers_fault ? { reason: error.message } : { err: error },
      'rates not fetched',
    )
    return 'failed'
  })
  deps.metrics.rateFeeds.inc({ result })
  return result
}

async function fetchAndLog(deps: Deps): Promise<Result> {
  const { config, log } = deps
  const outcome = await takeFeed(deps.sql, {
    url: config.rate_feed_url,
    allow_http: config.rate_feed_allow_http,
    ...(await findFrame(deps.sql)),
    force: false,
    dry_run: false,
    by: FEED,
  })
  const { host, taken, passed, refused, problems, gaps, left_out } = outcome
  const counts = { host, taken: taken.length, passed, refused: refused.length, left_out }
  for (const { message } of gaps) log.warn({ host, gap: message }, 'rates differ from each other')
  if (refused.length > 0) {
    log.warn(
      { ...counts, problems },
      'rates refused: moved too far, off from others, or the other way round; look, then set them',
    )
  } else log.info(counts, 'rates fetched')
  return resultOf(outcome)
}

function resultOf({ taken, refused }: FeedOutcome): Result {
  if (refused.length > 0) return 'refused'
  return taken.length > 0 ? 'changed' : 'unchanged'
}
