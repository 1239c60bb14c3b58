// Which items' payouts still wait for them: no other may be put into a file, or money that is back
// with its account would be paid as well.
import type { TransactionSql } from '../db/connect.ts'
import { nameOf } from '../id.ts'
import { lockWaiting } from '../payout/state-store.ts'
import type { FoundItem, ItemKey } from './item-store.ts'

export const keyOf = ({ account_id, payout_id: id }: ItemKey) => ({ account_id, id })

/** Those whose payouts wait; they do so until the transaction ends. */
export async function waitingOf(
  tx: TransactionSql,
  items: readonly FoundItem[],
): Promise<FoundItem[]> {
  const waiting = new Set((await lockWaiting(tx, items.map(keyOf))).map(nameOf))
  return items.filter(item => waiting.has(nameOf(keyOf(item))))
}
