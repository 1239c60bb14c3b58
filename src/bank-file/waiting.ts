// Which items' payouts still wait for them. No other item may go into a file: its money is back
// with the account, or goes another way, and would be paid as well.
import { confineTo } from '../db/confine.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import { nameOf } from '../id.ts'
import { lockBooks } from '../ledger/store.ts'
import { loadAttempts } from '../payout/attempt-store.ts'
import { isScreenedAt } from '../payout/screening-step.ts'
import { findOpenPayouts, lockWaiting } from '../payout/state-store.ts'
import { isGivenBack } from '../payout/states.ts'
import { isOpenException, type PayoutAttempt } from '../rail/attempt.ts'
import { isBooked } from './evidence.ts'
import { listEvidence } from './evidence-store.ts'
import type { RailFile } from './file-store.ts'
import { hasOpenLine } from './inbox-store.ts'
import { type FoundItem, findBooked, findNamed, type ItemKey, itemName } from './item-store.ts'

export const keyOf = ({ account_id, payout_id: id }: ItemKey) => ({ account_id, id })

export const accountsOf = (items: readonly Pick<ItemKey, 'account_id'>[]) => [
  ...new Set(items.map(({ account_id }) => account_id)),
]

/** Longer than checking or writing the payments of a file takes. */
const MOST_MS = 60_000

/** Runs a transaction about as many items as a file may have, confined to their accounts. */
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

interface Sorted {
  readonly waiting: FoundItem[]
  /** A person has their payouts, or must look at what their bank says. They may wait again. */
  readonly held: FoundItem[]
  /** They never wait again. */
  readonly over: FoundItem[]
}

/**
 * Sorts items by whether their payouts wait. The result holds until the transaction ends. Locks the
 * books of their accounts, so it comes first in its transaction.
 */
export async function sortWaiting(
  tx: TransactionSql,
  items: readonly FoundItem[],
): Promise<Sorted> {
  if (items.length === 0) return { waiting: [], held: [], over: [] }
  const { lists_version } = await lockBooks(tx, accountsOf(items))
  const locked = await lockWaiting(tx, items.map(keyOf))
  const payouts = new Map(locked.map(payout => [nameOf(payout), payout]))
  const { attempts, earlier, exceptions } = await loadAttempts(tx, [...payouts.values()])
  const placeOf = (item: FoundItem): keyof Sorted => {
    const name = nameOf(keyOf(item))
    const payout = payouts.get(name)
    const last = attempts.get(name)
    if (payout === undefined || isGivenBack(payout)) return 'over'
    if (last?.number !== item.attempt || last.ended_as !== '') return 'over'
    // A bank gets no payout that is not screened at the present lists.
    const screened = isScreenedAt(payout, lists_version)
    const asked = payout.status === 'processing' && payout.rail === last.rail && screened
    const open = exceptions.get(name)?.some(isOpenException) === true
    return asked && payout.taken_over_at === null && !open ? 'waiting' : 'held'
  }
  const { waiting = [], held = [], over = [] } = Object.groupBy(items, placeOf)
  const doubtful = await doubtfulOf(tx, waiting, earlier)
  return {
    waiting: waiting.filter(({ end_to_end_id }) => !doubtful.has(end_to_end_id)),
    held: [...held, ...waiting.filter(({ end_to_end_id }) => doubtful.has(end_to_end_id))],
    over,
  }
}

/**
 * The items that a bank may have paid already: an open line names them, a debit of them is booked,
 * or the bank has said something about an earlier attempt that was not judged yet.
 */
async function doubtfulOf(
  tx: TransactionSql,
  items: readonly FoundItem[],
  earlier: ReadonlyMap<string, readonly PayoutAttempt[]>,
): Promise<ReadonlySet<string>> {
  const ids = items.map(({ end_to_end_id }) => end_to_end_id)
  const asked = items.flatMap(item =>
    (earlier.get(nameOf(keyOf(item))) ?? [])
      .filter(({ ask_again_at }) => ask_again_at !== null)
      .map(({ number: attempt }) => ({ ...item, attempt })),
  )
  const [named, booked, news] = await Promise.all([
    findNamed(tx, ids),
    listBooked(tx, ids),
    listEvidence(tx, asked),
  ])
  const told = new Set(news.map(itemName))
  const unjudged = asked.filter(key => told.has(itemName(key)))
  return new Set([...named, ...booked, ...unjudged].map(({ end_to_end_id }) => end_to_end_id))
}

/** For items: each attempt of their payouts that has more debits than credits. */
export async function listBooked(tx: TransactionSql, end_to_end_ids: readonly string[]) {
  const spoken = await findBooked(tx, end_to_end_ids)
  const said = Map.groupBy(await listEvidence(tx, spoken), itemName)
  return spoken.filter(key => isBooked(said.get(itemName(key)) ?? []))
}

/**
 * Why a file must not be sent: it pays items that are over or, while the bank cannot have it, items
 * that do not wait. The result holds until the transaction ends. Locks the books of the accounts,
 * so it comes first in its transaction.
 */
export async function whyNotSent(
  tx: TransactionSql,
  { msg_id, offers }: Pick<RailFile, 'msg_id' | 'offers'>,
  items: readonly FoundItem[],
): Promise<string | undefined> {
  if (offers > 0) {
    await lockBooks(tx, accountsOf(items))
    return wordsOf(await overIn(tx, items), [])
  }
  const { held, over } = await sortWaiting(tx, items)
  if (await hasOpenLine(tx, msg_id)) return 'its bank speaks of it in a line that is set aside'
  return wordsOf(over, held)
}

function wordsOf(over: readonly FoundItem[], held: readonly FoundItem[]): string | undefined {
  const words = [
    over.length === 0 ? '' : `these are over, or go another way: ${namesOf(over)}`,
    held.length === 0 ? '' : `these wait for a person: ${namesOf(held)}`,
  ].filter(Boolean)
  return words.length === 0 ? undefined : words.join('; ')
}

/** The items that must not be paid any more: their money is back, or goes by another attempt. */
async function overIn(tx: TransactionSql, items: readonly FoundItem[]): Promise<FoundItem[]> {
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
}

const MOST_NAMED = 20

function namesOf(items: readonly FoundItem[]): string {
  const named = items.slice(0, MOST_NAMED).map(({ payout_id }) => payout_id)
  const more = items.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
