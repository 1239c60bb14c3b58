// Asks rails again about attempts that are over, because a rail may change its answer: it may pay a
// payment that it had not taken, or book one that it had rejected. The payout does not move: an
// answer that contradicts the attempt's end becomes an exception. These rounds run apart from
// settling, so that a rail that is silent about such an attempt delays no open one.
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { given } from '../given.ts'
import { type ClaimedOver, claimOver, listDueAttempts } from '../payout/over-store.ts'
import type { RailReport } from '../rail/rail.ts'
import { during } from '../steps.ts'
import { inquireOver } from './ask-rails.ts'

/** Most attempts of one round. */
export const OVER_ROUND = 200

/** The database cancels a longer statement (db/connect.ts), so no claim takes longer. */
const CLAIM_MS = 5_000

/** One round; returns the number of attempts that were due. */
export async function askOver(deps: Deps): Promise<number> {
  const due = await listDueAttempts(deps.finder, [...deps.rails.keys()], OVER_ROUND)
  if (due.length === 0) return 0
  const lease_ms = CLAIM_MS + 2 * deps.config.rail_timeout_ms
  const claimed = await during('claim', 'attempts', due.length, () =>
    claimOver(deps.sql, due, lease_ms),
  )
  await Promise.all(
    inquireOver(deps, claimed).map(async ({ payout, report }) =>
      recordAnswer(deps, payout, await report),
    ),
  )
  return due.length
}

/**
 * Records one answer. Without a clear answer, the attempt is due again once its claim has run out.
 */
async function recordAnswer(
  deps: Deps,
  payout: ClaimedOver,
  report: RailReport | undefined,
): Promise<void> {
  const { account_id, id: payout_id, attempt, claim } = payout
  const count = (result: string) => deps.metrics.railReports.inc({ rail: attempt.rail, result })
  if (report === undefined) return count('unclear')
  const { steps, ask_again_in_ms, not_taken, exception } = report
  const attempt_report = given({
    attempt: attempt.number,
    is_over: true,
    exception,
    not_taken: not_taken && { ...not_taken, next: null },
  })
  const about = { account_id, payout_id, claim, by: 'rail' } as const
  try {
    const advance = { ...about, steps, ask_again_in_ms, report: attempt_report }
    const { exceptions } = await deps.lanes.advancePayout.run(advance)
    count(exceptions.length > 0 ? 'contradicted' : 'nothing_new')
  } catch (error) {
    const refused = error instanceof Refusal && error.status !== 503
    if (refused) count('refused')
    const words = 'the report of a rail on an attempt that is over was not recorded'
    deps.log[refused ? 'error' : 'warn']({ err: error, payout_id }, words)
  }
}
