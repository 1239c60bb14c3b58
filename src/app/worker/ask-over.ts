// Asks rails again about attempts that are over, because a rail may change its answer. The payout
// does not move: a contradiction becomes an exception. These rounds run apart from settling, so
// that a silent rail delays no open attempt.
import {
  type ClaimedOver,
  claimOver,
  listDueAttempts,
} from '../../payouts/advance/attempt-store.ts'
import type { RailReport } from '../../rails/rail.ts'
import type { Deps } from '../../runtime/deps.ts'
import { during } from '../../values/diagnostics.ts'
import { Refusal } from '../../values/errors.ts'
import { omitUndefined } from '../../values/omit-undefined.ts'
import { inquireOver } from './ask-rails.ts'
import { RailSlots, startWorker, type Worker, warned } from './worker.ts'

/** Most attempts of one round. */
export const OVER_ROUND = 200

/** The database cancels a longer statement (sql/connect.ts), so no claim takes longer. */
const CLAIM_MS = 5_000

/** Each rail has one round in hand, so that a silent rail delays no other. */
export function startAskingOver(deps: Deps): Worker {
  const { settle_poll_ms } = deps.config
  const slots = new RailSlots(1)
  const asking = startWorker(async () => {
    const failed = 'attempts that are over could not be asked about'
    // Without the database the list of rails is refused as well.
    const begin = async () => beginOver(deps, slots.free(deps.rails.keys()))
    const { found, asked } = await begin().catch(warned(deps, failed, { found: 0, asked: [] }))
    for (const { rail, done } of asked) slots.fill(rail, done.catch(warned(deps, failed, [])))
    return found < OVER_ROUND ? settle_poll_ms : 0
  })
  return {
    async stop() {
      await asking.stop()
      await slots.end()
    },
  }
}

/** Returns the number of attempts that were due. */
export async function askOver(deps: Deps): Promise<number> {
  const { found, asked } = await beginOver(deps, [...deps.rails.keys()])
  await Promise.all(asked.map(({ done }) => done))
  return found
}

async function beginOver(deps: Deps, rails: readonly string[]) {
  const due = rails.length === 0 ? [] : await listDueAttempts(deps.finder, rails, OVER_ROUND)
  if (due.length === 0) return { found: 0, asked: [] }
  const lease_ms = CLAIM_MS + 2 * deps.config.rail_timeout_ms
  const claimed = await during('claim', 'attempts', due.length, () =>
    claimOver(deps.sql, due, lease_ms),
  )
  const byRail = Map.groupBy(inquireOver(deps, claimed), ({ payout }) => payout.attempt.rail)
  const asked = Array.from(byRail, ([rail, answers]) => {
    const recorded = answers.map(async ({ payout, report }) =>
      recordAnswer(deps, payout, await report),
    )
    return { rail, done: Promise.all(recorded) }
  })
  return { found: due.length, asked }
}

/** Without a clear answer, the attempt is due again once its claim has run out. */
async function recordAnswer(deps: Deps, payout: ClaimedOver, report: RailReport | undefined) {
  const { account_id, id: payout_id, attempt, claim } = payout
  const count = (result: string) => deps.metrics.railReports.inc({ rail: attempt.rail, result })
  if (report === undefined) return count('unclear')
  const { steps, ask_again_in_ms, not_taken, exception } = report
  const attempt_report = omitUndefined({
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
