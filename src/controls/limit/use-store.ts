// The SQL statements of the tables `limit_sums`, `limit_uses` and `limit_payees`. They run under
// the lock of the account's book, except the deletion of rows older than every window.
import { clock } from '../../ledger/clock.ts'
import type { Book } from '../../ledger/rules.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { type Connections, deleteInPortions, PORTION } from '../../sql/delete-expired.ts'
import { selectByKeys } from '../../sql/keys.ts'
import { deleter, inserter } from '../../sql/rows.ts'
import { eachShard, tableAt, within } from '../../sql/shard.ts'
import type { Key } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import {
  type CounterSince,
  counterName,
  type KnownPayee,
  type LimitState,
  type PayoutUse,
  payeeName,
  type Sum,
  type Use,
} from './limit.ts'

/**
 * These counters' sums within their windows, oldest first, by `counterName`. A sum that is dated
 * ahead counts as made when the clock was last confirmed.
 */
export async function findSums(tx: TransactionSql, wanted: readonly CounterSince[]) {
  const rows = await eachShard(
    wanted,
    wanted => tx<Sum[]>`
      select k.account_id, k.limit_id, k.subject, s.starts_at, s.used, s.reached, s.cap
      from unnest(
        ${wanted.map(one => one.account_id)}::text[], ${wanted.map(one => one.limit_id)}::text[],
        ${wanted.map(one => one.subject)}::text[],
        ${wanted.map(one => one.since)}::text[]::timestamptz[],
        ${wanted.map(one => one.until ?? 'infinity')}::text[]::timestamptz[]
      ) as k(account_id, limit_id, subject, since, until)
      cross join lateral (
        select starts_at, used, reached, cap from ${tableAt(tx, 'limit_sums')} s
        where s.account_id = k.account_id and s.limit_id = k.limit_id and s.subject = k.subject
          and s.starts_at >= k.since ${within('s', wanted)}
          and (s.starts_at <= k.until
            or coalesce(${clock.corrected_at}::timestamptz >= k.since, true))
        order by s.starts_at
      ) s`,
  )
  const sums = Map.groupBy(rows, counterName)
  for (const all of sums.values()) all.sort((a, b) => (a.starts_at < b.starts_at ? -1 : 1))
  return sums
}

/**
 * Writes the changed sums and the payouts' uses. With a book's first use it also sets
 * `has_limit_uses`.
 */
export function storeUses(
  tx: TransactionSql,
  books: ReadonlyMap<string, Book>,
  state: LimitState,
  uses: readonly PayoutUse[],
): PromiseLike<unknown>[] {
  if (uses.length === 0) return []
  const changed = [...state.changed]
  state.changed.clear()
  const accounts = new Set(uses.map(use => use.account_id))
  const unmarked = [...books.values()].filter(
    book => accounts.has(book.account_id) && !book.has_limit_uses,
  )
  for (const book of unmarked) book.has_limit_uses = true
  const marked = unmarked.length > 0 ? [markBooks(tx, unmarked)] : []
  return [upsertSums(tx, changed), insertUses(tx, uses), ...marked]
}

const upsertSums = inserter<Sum>(
  'limit_sums',
  {
    account_id: 'text',
    limit_id: 'text',
    subject: 'text',
    starts_at: 'timestamptz',
    used: 'bigint',
    reached: 'bigint',
    cap: 'bigint',
  },
  `on conflict (account_id, limit_id, subject, starts_at) do update
    set used = excluded.used, reached = excluded.reached, cap = excluded.cap`,
)

const insertUses = inserter<PayoutUse>('limit_uses', {
  account_id: 'text',
  payout_id: 'text',
  limit_id: 'text',
  subject: 'text',
  starts_at: 'timestamptz',
  amount: 'bigint',
})

/** Sets `has_limit_uses` of these books. */
function markBooks(tx: TransactionSql, books: readonly { readonly account_id: string }[]) {
  return eachShard(
    books,
    books => tx`
      update ${tableAt(tx, 'books')} b set has_limit_uses = true
      where b.account_id = any (${books.map(book => book.account_id)}::text[])
        ${within('b', books)}`,
  )
}

export async function findUses(tx: TransactionSql, payouts: readonly Key[]): Promise<PayoutUse[]> {
  return selectByKeys(
    tx,
    'payout_id',
    payouts,
    ofKey => tx`
      select account_id, payout_id, limit_id, subject, starts_at, amount
      from ${tableAt(tx, 'limit_uses')} t where ${ofKey}`,
  )
}

/** Deletes these uses and subtracts them from their sums. A deleted sum is not written again. */
export function giveBackUses(tx: TransactionSql, uses: readonly PayoutUse[]) {
  const sums = Map.groupBy(uses, use => `${counterName(use)} ${use.starts_at}`)
  const given_back = [...sums.values()].map(uses => {
    const amount = uses.reduce((total, use) => total + use.amount, 0n)
    return { ...(uses[0] as PayoutUse), amount }
  })
  return uses.length === 0 ? [] : [deleteUses(tx, uses), lowerSums(tx, given_back)]
}

const deleteUses = deleter<Pick<PayoutUse, 'account_id' | 'payout_id' | 'limit_id'>>('limit_uses', {
  account_id: 'text',
  payout_id: 'text',
  limit_id: 'text',
})

function lowerSums(tx: TransactionSql, uses: readonly Use[]) {
  return eachShard(
    uses,
    uses => tx`
      update limit_sums s set used = used - k.amount
      from (
        select k.*, place from unnest(
          ${uses.map(use => use.account_id)}::text[], ${uses.map(use => use.limit_id)}::text[],
          ${uses.map(use => use.subject)}::text[],
          ${uses.map(use => use.starts_at)}::text[]::timestamptz[],
          ${uses.map(use => use.amount.toString())}::text[]::bigint[]
        ) as k(account_id, limit_id, subject, starts_at, amount)
        cross join lateral (
          select ctid as place from limit_sums s
          where s.account_id = k.account_id and s.limit_id = k.limit_id
            and s.subject = k.subject and s.starts_at = k.starts_at ${within('s', uses)} limit 1
        ) s
      ) k
      where s.ctid = k.place ${within('s', uses)}`,
  )
}

/** When the account first paid each of these payees, by `payeeName`; without new payees. */
export async function findPayees(
  tx: TransactionSql,
  payees: readonly Omit<KnownPayee, 'known_since'>[],
): Promise<Map<string, Instant>> {
  const rows = await eachShard(
    payees,
    payees => tx<KnownPayee[]>`
      select k.account_id, k.payee, p.known_since
      from unnest(${payees.map(one => one.account_id)}::text[],
        ${payees.map(one => one.payee)}::text[]) as k(account_id, payee)
      cross join lateral (
        select known_since from ${tableAt(tx, 'limit_payees')} p
        where p.account_id = k.account_id and p.payee = k.payee ${within('p', payees)} limit 1
      ) p`,
  )
  return new Map(rows.map(row => [payeeName(row), row.known_since]))
}

/** Inserts payees. A payee that has a row gets the new `known_since`. */
export const upsertPayees = inserter<KnownPayee>(
  'limit_payees',
  { account_id: 'text', payee: 'text', known_since: 'timestamptz' },
  'on conflict (account_id, payee) do update set known_since = excluded.known_since',
)

/** Longer than the longest window, 31 days, with its step. */
const DELETED_AFTER = '33 days'

/** Deletes uses and sums older than every window, in portions; returns the number of rows. */
export async function deleteOldUses({ finder, sql }: Connections): Promise<number> {
  let deleted = 0
  for (const table of ['limit_uses', 'limit_sums']) {
    deleted += await deleteInPortions(sql, {
      find: () => finder<{ account_id: string }[]>`
        select account_id from ${finder(table)}
        where starts_at <= statement_timestamp() - ${DELETED_AFTER}::interval
        order by starts_at limit ${PORTION}`,
      remove: (tx, keys) => tx`
        delete from ${tx(table)} d where ctid = any (array(
          select ctid from ${tx(table)} l
          where starts_at <= statement_timestamp() - ${DELETED_AFTER}::interval
            ${within('l', keys)}
          order by starts_at limit ${PORTION}
        )) ${within('d', keys)}`,
    })
  }
  return deleted
}
