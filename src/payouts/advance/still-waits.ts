// Whether payouts still wait for their rail, before it is given something that it may pay. What
// does not wait must not be paid: its money is back, goes by another attempt, or waits for a
// person.
import { lockBooks } from '../../ledger/store.ts'
import { isOpenException, type PayoutAttempt } from '../../rails/attempt.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { accountsOf } from '../../sql/shard.ts'
import { nameOf, payoutKey } from '../../values/id.ts'
import { lockWaiting } from '../state-store.ts'
import { isGivenBack } from '../states.ts'
import { loadAttempts } from './attempt-store.ts'
import { isScreenedAt } from './release.ts'

/** An attempt that its rail is about to pay. */
export type AttemptKey = Pick<PayoutAttempt, 'account_id' | 'payout_id'> & {
  readonly attempt: number
}

/**
 * `waiting`: it may be paid. `held`: a person must act on the payout; later it may wait again.
 * `over`: the payout or the attempt has ended, and never waits again.
 */
export type StillWaits = 'waiting' | 'held' | 'over'

/**
 * Judges attempts, and finds the earlier attempts of their payouts. Locks the books of the
 * accounts, so it comes first in its transaction, and its result is true until the transaction
 * ends.
 */
export async function judgeWaiting(tx: TransactionSql, keys: readonly AttemptKey[]) {
  const { lists_version } = await lockBooks(tx, accountsOf(keys))
  const locked = await lockWaiting(tx, keys.map(payoutKey))
  const payouts = new Map(locked.map(payout => [nameOf(payout), payout]))
  const { attempts, earlier, exceptions } = await loadAttempts(tx, [...payouts.values()])
  const judge = (key: AttemptKey): StillWaits => {
    const name = nameOf(payoutKey(key))
    const payout = payouts.get(name)
    const last = attempts.get(name)
    if (payout === undefined || isGivenBack(payout)) return 'over'
    if (last?.number !== key.attempt || last.ended_as !== '') return 'over'
    // A payout goes to a rail only once it is screened at the present lists.
    const is_screened = isScreenedAt(payout, lists_version)
    const is_ready = payout.status === 'processing' && payout.rail === last.rail && is_screened
    const has_exception = exceptions.get(name)?.some(isOpenException) === true
    return is_ready && payout.taken_over_at === null && !has_exception ? 'waiting' : 'held'
  }
  return { judge, earlier }
}
