// Finds the items whose payouts still wait for them. No other item may go into a file: its money is
// back with the account, or goes by another attempt, and would be paid twice.
import { lockBooks } from '../../ledger/store.ts'
import { loadAttempts } from '../../payouts/advance/attempt-store.ts'
import { judgeWaiting } from '../../payouts/advance/still-waits.ts'
import { findOpenPayouts } from '../../payouts/state-store.ts'
import { isGivenBack } from '../../payouts/states.ts'
import type { PayoutAttempt } from '../../rails/attempt.ts'
import { confineTo } from '../../sql/confine.ts'
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { nameOf } from '../../values/id.ts'
import { isBooked } from './evidence.ts'
import type { RailFile } from './file-store.ts'
import { hasOpenLine, listNamedByLines } from './inbox-store.ts'
import {
  type FoundItem,
  findBookedAttempts,
  findItems,
  type ItemKey,
  itemName,
  listEvidence,
} from './item-store.ts'

export const keyOf = ({ account_id, payout_id: id }: ItemKey) => ({ account_id, id })

export const accountsOf = (items: readonly Pick<ItemKey, 'account_id'>[]) => [
  ...new Set(items.map(({ account_id }) => account_id)),
]

/** Longer than a transaction takes for all payments of a file. */
const MOST_MS = 60_000

/** Runs a transaction on all items of a file, confined to their accounts. */
export function transactMany<T>(
  sql: Sql,
  items: readonly Pick<ItemKey, 'account_id'>[],
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  return sql.begin(async tx => {
    await tx.unsafe(`set local statement_timeout = ${MOST_MS}`)
    void confineTo(tx, accountsOf(items))
    return work(tx)
  })
}

interface SortedItems {
  readonly waiting: FoundItem[]
  /** A person must act on their payouts, or look at a line. Later they may wait again. */
  readonly held: FoundItem[]
  /** Their payouts or attempts are over: they never wait again. */
  readonly over: FoundItem[]
}

/**
 * Sorts items by whether their payouts wait. Locks the books of their accounts, so it comes first
 * in its transaction, and its result is true until the transaction ends.
 */
export async function sortItems(
  tx: TransactionSql,
  items: readonly FoundItem[],
): Promise<SortedItems> {
  if (items.length === 0) return { waiting: [], held: [], over: [] }
  const { judge, earlier } = await judgeWaiting(tx, items)
  const { waiting = [], held = [], over = [] } = Object.groupBy(items, judge)
  const doubtful = await findDoubtful(tx, waiting, earlier)
  return {
    waiting: waiting.filter(({ end_to_end_id }) => !doubtful.has(end_to_end_id)),
    held: [...held, ...waiting.filter(({ end_to_end_id }) => doubtful.has(end_to_end_id))],
    over,
  }
}

/**
 * The end-to-end ids of items that a bank may have paid already: an open line names them, a debit
 * of their payout stands, or an earlier attempt has evidence that is not interpreted yet.
 */
async function findDoubtful(
  tx: TransactionSql,
  items: readonly FoundItem[],
  earlier: ReadonlyMap<string, readonly PayoutAttempt[]>,
): Promise<ReadonlySet<string>> {
  if (items.length === 0) return new Set()
  const due_attempts = items.flatMap(item =>
    (earlier.get(nameOf(keyOf(item))) ?? [])
      .filter(({ ask_again_at }) => ask_again_at !== null)
      .map(({ number: attempt }) => ({ ...item, attempt })),
  )
  const [named, booked, evidence] = await Promise.all([
    findItemsWithOpenLines(tx, items),
    listBookedAttempts(tx, items),
    listEvidence(tx, due_attempts),
  ])
  const with_evidence = new Set(evidence.map(itemName))
  const uninterpreted = due_attempts.filter(key => with_evidence.has(itemName(key)))
  return new Set([...named, ...booked, ...uninterpreted].map(({ end_to_end_id }) => end_to_end_id))
}

/** The items that an open line names, or whose earlier file it names. */
export async function findItemsWithOpenLines(tx: TransactionSql, keys: readonly ItemKey[]) {
  const items = await findItems(tx, keys)
  const ids = items.flatMap(({ end_to_end_id, uetr }) => [end_to_end_id, uetr])
  const lines = await listNamedByLines(tx, ids, [
    ...new Set(items.flatMap(({ earlier_files }) => earlier_files)),
  ])
  const named = new Set(lines.map(({ end_to_end_id }) => end_to_end_id).filter(Boolean))
  const files = new Set(lines.map(({ msg_id }) => msg_id))
  return items.filter(
    ({ end_to_end_id, uetr, earlier_files }) =>
      named.has(end_to_end_id) || named.has(uetr) || earlier_files.some(file => files.has(file)),
  )
}

/**
 * Each attempt of the items' payouts, up to the item's own attempt, with more debits than credits.
 */
export async function listBookedAttempts(tx: TransactionSql, items: readonly ItemKey[]) {
  const attempts = await findBookedAttempts(tx, items)
  const evidence = Map.groupBy(await listEvidence(tx, attempts), itemName)
  return attempts.filter(key => isBooked(evidence.get(itemName(key)) ?? []))
}

/**
 * Why a file must not be sent, undefined when it may be: it pays items that are over or, while the
 * bank cannot have it, items that do not wait. Locks the books of the accounts, so it comes first
 * in its transaction, and its result is true until the transaction ends.
 */
export async function findStopReason(
  tx: TransactionSql,
  { msg_id, offers }: Pick<RailFile, 'msg_id' | 'offers'>,
  items: readonly FoundItem[],
): Promise<string | undefined> {
  if (offers > 0) {
    await lockBooks(tx, accountsOf(items))
    return stopReason(await findOver(tx, items), [])
  }
  const { held, over } = await sortItems(tx, items)
  if (await hasOpenLine(tx, msg_id)) return 'a line of the bank about this file is set aside'
  return stopReason(over, held)
}

function stopReason(over: readonly FoundItem[], held: readonly FoundItem[]): string | undefined {
  const words = [
    over.length === 0 ? '' : `these payouts have ended or have a later attempt: ${payoutIds(over)}`,
    held.length === 0 ? '' : `these payouts wait for a person: ${payoutIds(held)}`,
  ].filter(Boolean)
  return words.length === 0 ? undefined : words.join('; ')
}

/** The items that must not be paid: their money is back, or goes by another attempt. */
async function findOver(tx: TransactionSql, items: readonly FoundItem[]): Promise<FoundItem[]> {
  const payouts = await findOpenPayouts(tx, items.map(keyOf))
  const { attempts } = await loadAttempts(tx, payouts)
  const last_attempts = new Map(
    payouts
      .filter(payout => !isGivenBack(payout))
      .map(payout => [nameOf(payout), attempts.get(nameOf(payout))]),
  )
  return items.filter(item => {
    const last = last_attempts.get(nameOf(keyOf(item)))
    return last?.number !== item.attempt || !['', 'paid'].includes(last.ended_as)
  })
}

const MOST_NAMED = 20

function payoutIds(items: readonly FoundItem[]): string {
  const ids = items.slice(0, MOST_NAMED).map(({ payout_id }) => payout_id)
  const others = items.length - ids.length
  return ids.join(', ') + (others > 0 ? ` and ${others} more` : '')
}
