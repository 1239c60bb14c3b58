// The SQL statements of fingerprints, run under the lock of the account's book. A row keeps the
// first half of a fingerprint: 128 bits distinguish all payouts of an account.
import type { TransactionSql } from '../../sql/connect.ts'
import { type Connections, deleteInPortions, PORTION } from '../../sql/delete-expired.ts'
import { inserter } from '../../sql/rows.ts'
import { eachShard, tableAt, within } from '../../sql/shard.ts'
import type { Fingerprint } from '../payout.ts'

/** In hex digits. */
const HALF = 32

/** The newest row of each fingerprint. Reads at most one index entry for each fingerprint. */
export async function findFingerprints(
  tx: TransactionSql,
  wanted: readonly Pick<Fingerprint, 'account_id' | 'fingerprint'>[],
): Promise<Fingerprint[]> {
  return eachShard(wanted, wanted => {
    const account_ids = wanted.map(({ account_id }) => account_id)
    const fingerprints = wanted.map(({ fingerprint }) => fingerprint)
    return tx<Fingerprint[]>`
      select k.account_id, k.fingerprint, r.created_at, r.payout_id
      from unnest(${account_ids}::text[], ${fingerprints}::text[]) as k(account_id, fingerprint)
      cross join lateral (
        select created_at, payout_id from ${tableAt(tx, 'payout_fingerprints')} l
        where l.account_id = k.account_id
          and l.fingerprint = decode(left(k.fingerprint, ${HALF}), 'hex') ${within('l', wanted)}
        order by payout_id desc limit 1
      ) r`
  })
}

export function insertFingerprints(tx: TransactionSql, fingerprints: readonly Fingerprint[]) {
  const rows = fingerprints.map(row => ({ ...row, fingerprint: row.fingerprint.slice(0, HALF) }))
  return insertRows(tx, rows)
}

const insertRows = inserter<Fingerprint>('payout_fingerprints', {
  account_id: 'text',
  fingerprint: 'hex',
  created_at: 'timestamptz',
  payout_id: 'text',
})

/** Deletes fingerprints of payouts whose money is back, so that they can be paid again. */
export function deleteFingerprints(
  tx: TransactionSql,
  payouts: readonly Omit<Fingerprint, 'created_at'>[],
) {
  return eachShard(payouts, payouts => {
    const account_ids = payouts.map(payout => payout.account_id)
    const fingerprints = payouts.map(payout => payout.fingerprint)
    const ids = payouts.map(payout => payout.payout_id)
    return tx`
      delete from payout_fingerprints d where ctid = any (array(
          select l.place
          from unnest(${account_ids}::text[], ${fingerprints}::text[], ${ids}::text[])
            as k(account_id, fingerprint, payout_id)
          cross join lateral (
            select ctid as place from payout_fingerprints l
            where l.account_id = k.account_id
              and l.fingerprint = decode(left(k.fingerprint, ${HALF}), 'hex')
              and l.payout_id = k.payout_id ${within('l', payouts)} limit 1
          ) l
        )) ${within('d', payouts)}`
  })
}

/**
 * Deletes fingerprints older than the longest window, 168 hours, in portions; returns how many. The
 * database's clock is never ahead of an account's clock, so no fingerprint is deleted too early.
 * statement_timestamp() is constant within a statement, so it bounds an index scan.
 */
export function deleteOldFingerprints({ finder, sql }: Connections): Promise<number> {
  return deleteInPortions(sql, {
    find: () => finder<{ account_id: string }[]>`
      select account_id from payout_fingerprints
      where created_at <= statement_timestamp() - interval '168 hours'
      order by created_at limit ${PORTION}`,
    remove: (tx, of) => tx`
      delete from payout_fingerprints d where ctid = any (array(
        select ctid from payout_fingerprints l
        where created_at <= statement_timestamp() - interval '168 hours' ${within('l', of)}
        order by created_at limit ${PORTION}
      )) ${within('d', of)}`,
  })
}
