// The SQL statements of likenesses, run under the lock of the account's book. A row keeps the first
// half of a likeness: 128 bits distinguish all payouts of an account.
import type { TransactionSql } from '../../sql/connect.ts'
import { type Connections, deleteInPortions, PORTION } from '../../sql/delete-expired.ts'
import { inserter } from '../../sql/rows.ts'
import { eachShard, tableAt, within } from '../../sql/shard.ts'
import type { Likeness } from '../payout.ts'

/** In hex digits. */
const HALF = 32

/** The newest row of each likeness. Reads at most one index entry for each likeness. */
export async function findLikenesses(
  tx: TransactionSql,
  wanted: readonly Pick<Likeness, 'account_id' | 'likeness'>[],
): Promise<Likeness[]> {
  return eachShard(wanted, wanted => {
    const account_ids = wanted.map(({ account_id }) => account_id)
    const likenesses = wanted.map(({ likeness }) => likeness)
    return tx<Likeness[]>`
      select k.account_id, k.likeness, r.created_at, r.payout_id
      from unnest(${account_ids}::text[], ${likenesses}::text[]) as k(account_id, likeness)
      cross join lateral (
        select created_at, payout_id from ${tableAt(tx, 'payout_likenesses')} l
        where l.account_id = k.account_id and l.likeness = decode(left(k.likeness, ${HALF}), 'hex')
          ${within('l', wanted)}
        order by payout_id desc limit 1
      ) r`
  })
}

export function insertLikenesses(tx: TransactionSql, likenesses: readonly Likeness[]) {
  const rows = likenesses.map(row => ({ ...row, likeness: row.likeness.slice(0, HALF) }))
  return insertRows(tx, rows)
}

const insertRows = inserter<Likeness>('payout_likenesses', {
  account_id: 'text',
  likeness: 'hex',
  created_at: 'timestamptz',
  payout_id: 'text',
})

/** Deletes likenesses of payouts whose money is back, so that they can be paid again. */
export function deleteLikenesses(
  tx: TransactionSql,
  payouts: readonly Omit<Likeness, 'created_at'>[],
) {
  return eachShard(payouts, payouts => {
    const account_ids = payouts.map(payout => payout.account_id)
    const likenesses = payouts.map(payout => payout.likeness)
    const ids = payouts.map(payout => payout.payout_id)
    return tx`
      delete from payout_likenesses d where ctid = any (array(
          select l.place
          from unnest(${account_ids}::text[], ${likenesses}::text[], ${ids}::text[])
            as k(account_id, likeness, payout_id)
          cross join lateral (
            select ctid as place from payout_likenesses l
            where l.account_id = k.account_id
              and l.likeness = decode(left(k.likeness, ${HALF}), 'hex')
              and l.payout_id = k.payout_id ${within('l', payouts)} limit 1
          ) l
        )) ${within('d', payouts)}`
  })
}

/**
 * Deletes likenesses older than the longest window, 168 hours, in portions; returns how many. The
 * database's clock is never ahead of an account's clock, so no likeness is deleted too early.
 * statement_timestamp() is constant within a statement, so it bounds an index scan.
 */
export function deleteOldLikenesses({ finder, sql }: Connections): Promise<number> {
  return deleteInPortions(sql, {
    find: () => finder<{ account_id: string }[]>`
      select account_id from payout_likenesses
      where created_at <= statement_timestamp() - interval '168 hours'
      order by created_at limit ${PORTION}`,
    remove: (tx, of) => tx`
      delete from payout_likenesses d where ctid = any (array(
        select ctid from payout_likenesses l
        where created_at <= statement_timestamp() - interval '168 hours' ${within('l', of)}
        order by created_at limit ${PORTION}
      )) ${within('d', of)}`,
  })
}
