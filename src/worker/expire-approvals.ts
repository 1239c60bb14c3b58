// Ends the approvals whose time is over: their payouts fail, and the money goes back. It does so by
// commands in the lane of payouts, a bounded number a round. A command that fails is tried again in
// the next round.
import { listExpired } from '../approval/store.ts'
import type { Deps } from '../deps.ts'
import { nameOf } from '../id.ts'

/** Most payouts of one round. */
const ROUND = 500

/**
 * One round; returns the number of payouts that have failed. An error of one payout stops no other.
 */
export async function expireApprovals(deps: Deps): Promise<number> {
  try {
    const expired = await listExpired(deps.finder, ROUND)
    const ended = await Promise.all(expired.map(key => expire(deps, key)))
    return ended.filter(Boolean).length
  } catch (error) {
    deps.log.warn({ err: error }, 'approvals that have expired could not be ended')
    return 0
  }
}

async function expire(deps: Deps, key: { account_id: string; id: string }): Promise<boolean> {
  const { account_id, id: payout_id } = key
  const step = { account_id, payout_id, steps: [], by: 'approval', ask_again_in_ms: null } as const
  try {
    const { payout } = await deps.lanes.advancePayout.run({ ...step, act: 'expire' })
    return payout.status === 'failed'
  } catch (error) {
    deps.log.warn({ err: error, payout: nameOf(key) }, 'approval not ended')
    return false
  }
}
