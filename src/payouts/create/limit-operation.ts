// The operation that sets a limit. Existing payouts count for it, or show which payees an account
// knows. Each portion of existing payouts is read in a transaction of its own, under the lock of
// their book. The transaction that makes the limit reads the newest payouts. So the limit misses no
// payout, and no new payout waits for long.
import type { Account } from '../../accounts/rules.ts'
import {
  type CounterSince,
  counterName,
  emptyState,
  type KnownPayee,
  type Limit,
  type LimitKind,
  type LimitState,
  type PayoutUse,
  payeeName,
} from '../../controls/limit/limit.ts'
import {
  addEarlierUses,
  amountOf,
  counts,
  isSameKind,
  subjectOf,
} from '../../controls/limit/rules.ts'
import { insertLimit, listLimits, lockLimits } from '../../controls/limit/store.ts'
import { findPayees, findSums, storeUses, upsertPayees } from '../../controls/limit/use-store.ts'
import { stepAt, windowFrom } from '../../controls/limit/window.ts'
import type { Operation } from '../../engine/operation.ts'
import { type Book, bookOf } from '../../ledger/rules.ts'
import { type LockedBooks, lockBooks } from '../../ledger/store.ts'
import type { PricingAt } from '../../prices/price.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { DatabaseProblem } from '../../sql/failure.ts'
import { keysOf } from '../../sql/keys.ts'
import { eachShard, within } from '../../sql/shard.ts'
import { idBound, type Key } from '../../values/id.ts'
import type { Payout } from '../payout.ts'
import { isGivenBack } from '../states.ts'
import { findPayouts } from '../store.ts'
import { paymentOf } from './limit-use.ts'

/** How many payouts are counted under one lock. */
const PORTION = 1_000

/** An account whose payouts are counted. */
interface CountedAccount {
  readonly account: Account
  /** The last payout that is counted; null: none yet. */
  readonly last_id: string | null
}

interface CountPast {
  readonly limit: Limit
  readonly accounts: readonly CountedAccount[]
  /** Whether to count all remaining payouts and make the limit. */
  readonly is_last: boolean
}

interface PastState extends LockedBooks {
  /** The limits that exist when the new one is made. */
  readonly existing: readonly Limit[]
  readonly payouts: readonly Payout[]
  readonly uses: readonly PayoutUse[]
  readonly limits: LimitState
  /** New payees, to be stored. */
  readonly payees: readonly KnownPayee[]
}

interface CountedPast {
  readonly limit: Limit | null
  readonly uses: readonly PayoutUse[]
  readonly payees: readonly KnownPayee[]
  readonly payouts: readonly Payout[]
}

type CountingPast = Operation<CountPast, PastState, CountedPast>

function countPastPayouts(
  pricing: (price_version: bigint | null) => Promise<PricingAt>,
): CountingPast {
  return {
    name: 'count_past_payouts',

    async load(tx, [command]) {
      if (command === undefined) throw new Error('no limit is set')
      const { limit, accounts, is_last } = command
      const locking = is_last ? lockLimits(tx) : undefined
      const ids = accounts.map(({ account }) => account.account_id)
      const [locked] = await Promise.all([lockBooks(tx, ids), locking])
      const priced = await pricing(locked.price_version)
      const payouts = readsPast(limit) ? await listPast(tx, command, locked.books) : []
      const payees = limit.new_for_hours === null ? [] : await listNewPayees(tx, payouts)
      const counted = countsPast(limit) ? payouts : []
      const named = new Map(accounts.map(({ account }) => [account.account_id, account]))
      const uses = counted.flatMap(payout => useOf(limit, payout, named, locked, priced))
      const sums = await findSums(tx, countersOf(uses))
      const limits = { ...emptyState(), sums }
      const existing = is_last ? await listLimits(tx) : []
      return { ...locked, existing, payouts, uses, payees, limits }
    },

    decide({ existing, payouts, uses, payees, limits }, { limit, is_last }) {
      if (existing.some(one => isSameKind(one, limit))) {
        throw new DatabaseProblem('somebody else has just set this limit; look, and set it again')
      }
      addEarlierUses(limits, uses)
      return { limit: is_last ? limit : null, uses, payees, payouts }
    },

    store(tx, outcomes, { books, limits }) {
      const uses = outcomes.flatMap(outcome => outcome.uses)
      const payees = outcomes.flatMap(outcome => outcome.payees)
      const new_limits = outcomes.flatMap(({ limit }) => limit ?? [])
      return Promise.all([
        ...storeUses(tx, books, limits, uses),
        upsertPayees(tx, payees),
        ...new_limits.map(limit => insertLimit(tx, limit)),
      ])
    },
  }
}

/**
 * Whether existing payouts count. A limit for each single payout counts none. A limit for a key or
 * for new payees counts none, because payouts store neither their key nor whether their payee was
 * new.
 */
export function countsPast({ per, key_id, each, new_for_hours }: LimitKind): boolean {
  return per !== 'payout' && key_id === null && each !== 'key' && new_for_hours === null
}

function readsPast(limit: Limit): boolean {
  return countsPast(limit) || limit.new_for_hours !== null
}

/**
 * The payees of these payouts, each known since its first payout. Leaves out payees that are stored
 * as known since then.
 */
async function listNewPayees(
  tx: TransactionSql,
  payouts: readonly Payout[],
): Promise<KnownPayee[]> {
  const earliest = new Map<string, KnownPayee>()
  for (const payout of payouts) {
    const { account_id, created_at: known_since } = payout
    const one = { account_id, payee: paymentOf(payout).payee, known_since }
    const before = earliest.get(payeeName(one))
    if (before === undefined || before.known_since > known_since) {
      earliest.set(payeeName(one), one)
    }
  }
  const stored = await findPayees(tx, [...earliest.values()])
  return [...earliest.values()].filter(one => {
    const since = stored.get(payeeName(one))
    return since === undefined || since > one.known_since
  })
}

/**
 * The next PORTION payouts of each account that the limit may count, or whose payees it needs; with
 * `all`, all remaining payouts. The payouts of an account are in the order of their ids.
 */
async function listPast(
  tx: TransactionSql,
  { limit, accounts, is_last: all }: CountPast,
  books: ReadonlyMap<string, Book>,
): Promise<Payout[]> {
  const past: Payout[] = []
  let left = accounts.map(({ account: { account_id }, last_id }) => {
    const { now } = bookOf(books, account_id)
    const from = limit.new_for_hours === null ? windowFrom(limit, now) : '-infinity'
    return { account_id, id: last_id ?? idBound('pot', from, 'before') }
  })
  while (left.length > 0) {
    const found = await findPayouts(tx, await listAfter(tx, left))
    const byAccount = Map.groupBy(found, ({ account_id }) => account_id)
    const ordered = [...byAccount.values()].map(of => of.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    past.push(...ordered.flat())
    const full = ordered.filter(of => of.length === PORTION)
    left = all ? full.map(of => of[PORTION - 1] as Payout) : []
  }
  return past
}

/** The keys of the next PORTION payouts of each account after the given id. */
function listAfter(tx: TransactionSql, after: readonly Key[]): Promise<Key[]> {
  return eachShard(
    after,
    after => tx<Key[]>`
      select p.* from ${keysOf(after)}
      cross join lateral (
        select account_id, id from payouts p
        where p.account_id = k.account_id and p.id > k.id ${within('p', after)}
        order by p.account_id, p.id limit ${PORTION}
      ) p`,
  )
}

/** The use of the limit by an existing payout, at the present rates; empty if it counts nothing. */
function useOf(
  limit: Limit,
  payout: Payout,
  accounts: ReadonlyMap<string, Account>,
  { now: rates_now }: LockedBooks,
  pricing: PricingAt,
): PayoutUse[] {
  const { account_id, id: payout_id, created_at } = payout
  const payment = paymentOf(payout)
  if (isGivenBack(payout) || !counts(limit, payment, created_at)) return []
  const account = accounts.get(account_id)
  if (account === undefined) throw new Error(`account ${account_id} is not asked about`)
  const judging = { pricing: pricing(account, rates_now), rates_now }
  const amount = amountOf(limit, payment, judging)
  const subject = subjectOf(limit, payment)
  const starts_at = stepAt(limit, created_at)
  return [{ account_id, payout_id, limit_id: limit.limit_id, subject, starts_at, amount }]
}

function countersOf(uses: readonly PayoutUse[]): CounterSince[] {
  const wanted = new Map<string, CounterSince>()
  for (const use of uses) {
    const { account_id, limit_id, subject, starts_at } = use
    const { since = starts_at } = wanted.get(counterName(use)) ?? {}
    const counter = { account_id, limit_id, subject }
    wanted.set(counterName(use), { ...counter, since: starts_at < since ? starts_at : since })
  }
  return [...wanted.values()]
}

/** Runs the operation for one portion. */
export type Write = (operation: CountingPast, command: CountPast) => Promise<CountedPast>

/**
 * Runs the operation for the remaining payouts, and makes the limit. `count` returns how many
 * payouts count for it, with those of earlier portions.
 */
export type Make<Made> = (
  operation: CountingPast,
  command: CountPast,
  count: (done: CountedPast) => number,
) => Promise<Made>

/** Counts the existing payouts of these accounts for a new limit, and makes the limit. */
export async function setLimit<Made>(
  { write, make }: { readonly write: Write; readonly make: Make<Made> },
  pricing: (price_version: bigint | null) => Promise<PricingAt>,
  limit: Limit,
  accounts: readonly Account[],
): Promise<Made> {
  const operation = countPastPayouts(pricing)
  const counted: CountedAccount[] = []
  let uses = 0
  for (const account of accounts) {
    let last_id: string | null = null
    while (readsPast(limit)) {
      const one = { account, last_id }
      const done = await write(operation, { limit, accounts: [one], is_last: false })
      uses += done.uses.length
      last_id = done.payouts.at(-1)?.id ?? last_id
      if (done.payouts.length < PORTION) break
    }
    counted.push({ account, last_id })
  }
  const last = { limit, accounts: counted, is_last: true }
  return make(operation, last, done => uses + done.uses.length)
}
