// Ends the approvals whose time is over: their payouts fail, and the money goes back. Each ends by
// a command in the payouts' lane, a bounded number in a round. The next round tries a failed
// command again.
import { listExpired } from '../../controls/approval/store.ts'
import type { Deps } from '../../runtime/deps.ts'
import { type Key, nameOf } from '../../values/id.ts'
import { warned } from './worker.ts'

/** Most payouts of one round. */
const ROUND = 500

/**
 * One round; returns the number of payouts that have failed. An error of one payout stops no other.
 */
export function expireApprovals(deps: Deps): Promise<number> {
  return expireRound(deps).catch(warned(deps, 'approvals that have expired could not be ended', 0))
}

async function expireRound(deps: Deps): Promise<number> {
  const expired = await listExpired(deps.finder, ROUND)
  const ended = expired.map(key => {
    const failed = warned(deps, 'approval not ended', false, { payout: nameOf(key) })
    return expire(deps, key).catch(failed)
  })
  return (await Promise.all(ended)).filter(Boolean).length
}

async function expire(deps: Deps, { account_id, id: payout_id }: Key): Promise<boolean> {
  const advance = { account_id, payout_id, by: 'approval', decided: 'expire' } as const
  const { payout } = await deps.lanes.advancePayout.run(advance)
  return payout.status === 'failed'
}
