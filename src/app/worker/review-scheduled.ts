// Checks the entities of scheduled payouts whose time has come. Commands in the payouts' lane hold
// or fail the payouts whose entity is no longer approved.

import { findApprovals } from '../../parties/entity/store.ts'
import type { DuePayout } from '../../payouts/advance/claim-store.ts'
import { findPayouts } from '../../payouts/store.ts'
import type { Deps } from '../../runtime/deps.ts'
import { readConfined } from '../../sql/confine.ts'
import { nameOf, uniqueKeys } from '../../values/id.ts'
import { warned } from './worker.ts'

/** The due payouts except those that were now held or failed, or could not be checked. */
export async function leaveOutReviewed(
  deps: Deps,
  due: readonly DuePayout[],
): Promise<readonly DuePayout[]> {
  const begins = due.filter(payout => payout.begins)
  const groups = [...Map.groupBy(begins, ({ account_id }) => account_id)]
  const reviews = groups.map(([account_id, payouts]) =>
    holdUnapproved(deps, account_id, payouts).catch(
      warned(deps, 'scheduled payouts could not be looked at', payouts, { account_id }),
    ),
  )
  const left_out = new Set((await Promise.all(reviews)).flat())
  return due.filter(payout => !left_out.has(payout))
}

/** Holds or fails the payouts whose entity is not approved, and returns them. */
async function holdUnapproved(
  deps: Deps,
  account_id: string,
  due: readonly DuePayout[],
): Promise<readonly DuePayout[]> {
  const unapproved = await readConfined(deps.sql, [account_id], async tx => {
    const payouts = (await findPayouts(tx, due)).filter(
      ({ particulars }) => particulars.on_behalf_of !== '',
    )
    const entityOf = ({ particulars }: (typeof payouts)[number]) => {
      return { account_id, id: particulars.on_behalf_of }
    }
    const approvals = await findApprovals(tx, uniqueKeys(payouts.map(entityOf)))
    const approved = new Set(
      approvals.filter(({ approval_status }) => approval_status === 'approved').map(nameOf),
    )
    return payouts.filter(payout => !approved.has(nameOf(entityOf(payout))))
  })
  const review = { account_id, by: 'review' } as const
  const moves = unapproved.map(({ id: payout_id }) => {
    // After a failure the payout stays due, and no rail gets it. Other payouts do not wait for it.
    const words = 'scheduled payout neither held nor failed'
    const failed = warned(deps, words, undefined, { payout_id })
    return deps.lanes.advancePayout.run({ ...review, payout_id }).catch(failed)
  })
  await Promise.all(moves)
  const names = new Set(unapproved.map(nameOf))
  return due.filter(payout => names.has(nameOf(payout)))
}
