// Which items' payouts still wait for them: no other may be put into a file, or money that is back
// with its account, or goes another way, would be paid as well.
import { readConfined } from '../db/confine.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import { nameOf } from '../id.ts'
import { lockBooks } from '../ledger/store.ts'
import { loadAttempts } from '../payout/attempt-store.ts'
import { findOpenPayouts, lockWaiting } from '../payout/state-store.ts'
import { isGivenBack } from '../payout/states.ts'
import type { RailException } from '../rail/attempt.ts'
import type { FoundItem, ItemKey } from './item-store.ts'

export const keyOf = ({ account_id, payout_id: id }: ItemKey) => ({ account_id, id })

export const accountsOf = (items: readonly ItemKey[]) => [
  ...new Set(items.map(({ account_id }) => account_id)),
]

interface Sorted {
  readonly waiting: FoundItem[]
  /** A person has their payouts, or is to look at them: they may wait again. */
  readonly held: FoundItem[]
  /** They never wait again. */
  readonly over: FoundItem[]
}

/**
 * Tells those whose payouts wait from the others; it stays so until the transaction ends. Locks the
 * books of their accounts, so it comes first in its transaction.
 */
export async function sortWaiting(
  tx: TransactionSql,
  items: readonly FoundItem[],
): Promise<Sorted> {
  if (items.length === 0) return { waiting: [], held: [], over: [] }
  await lockBooks(tx, accountsOf(items))
  const locked = await lockWaiting(tx, items.map(keyOf))
  const payouts = new Map(locked.map(payout => [nameOf(payout), payout]))
  const { attempts, exceptions } = await loadAttempts(tx, [...payouts.values()])
  const placeOf = (item: FoundItem): keyof Sorted => {
    const name = nameOf(keyOf(item))
    const payout = payouts.get(name)
    const last = attempts.get(name)
    if (payout === undefined || isGivenBack(payout)) return 'over'
    if (last?.number !== item.attempt || last.ended_as !== '') return 'over'
    const asked = payout.status === 'processing' && payout.rail === last.rail
    const known: readonly RailException[] = exceptions.get(name) ?? []
    const open = known.some(({ closed_at }) => closed_at === null)
    return asked && payout.taken_over_at === null && !open ? 'waiting' : 'held'
  }
  const { waiting = [], held = [], over = [] } = Object.groupBy(items, placeOf)
  return { waiting, held, over }
}

/** Those that must not be paid any more: money is back, or goes by another attempt. */
export async function notToBePaid(sql: Sql, items: readonly FoundItem[]): Promise<FoundItem[]> {
  if (items.length === 0) return []
  return readConfined(sql, accountsOf(items), async tx => {
    const payouts = await findOpenPayouts(tx, items.map(keyOf))
    const { attempts } = await loadAttempts(tx, payouts)
    const paying = new Map(
      payouts
        .filter(payout => !isGivenBack(payout))
        .map(payout => [nameOf(payout), attempts.get(nameOf(payout))]),
    )
    return items.filter(item => {
      const last = paying.get(nameOf(keyOf(item)))
      return last?.number !== item.attempt || !['', 'paid'].includes(last.ended_as)
    })
  })
}

const MOST_NAMED = 20

/** Names payouts that must not be paid any more. */
export function namesOf(items: readonly FoundItem[]): string {
  const named = items.slice(0, MOST_NAMED).map(({ payout_id }) => payout_id)
  const more = items.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
