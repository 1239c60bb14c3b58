// The SQL statements of payouts.

import { ratesOf } from '../quotes/store.ts'
import type { TransactionSql } from '../sql/connect.ts'
import { keysOf } from '../sql/keys.ts'
import { inserter } from '../sql/rows.ts'
import { eachShard, type OfAccount, within } from '../sql/shard.ts'
import type { Tag } from '../sql/sql.ts'
import type { Key } from '../values/id.ts'
import {
  documentsOf,
  PAYOUT_KINDS,
  STATE_KINDS,
  type StoredPayout,
  WRITTEN_KINDS,
  type WrittenPayout,
} from './columns.ts'
import type { Payout } from './payout.ts'

/** A row of a payout with its state. */
export type PayoutRow = Omit<StoredPayout, 'holding_to_payout' | 'payout_to_destination'> & {
  holding_to_payout: string
  payout_to_destination: string
}

export const PAYOUT_COLUMNS = Object.keys(PAYOUT_KINDS)
export const STATE_COLUMNS = Object.keys(STATE_KINDS)
const READ_COLUMNS = [...PAYOUT_COLUMNS, ...STATE_COLUMNS]

const insertRows = inserter<Omit<WrittenPayout, keyof typeof STATE_KINDS>>('payouts', WRITTEN_KINDS)

export function insertPayouts(tx: TransactionSql, rows: readonly WrittenPayout[]) {
  return insertRows(tx, rows)
}

/** Payouts by (account, id), in no order; a key without a payout has no row. */
export async function findPayouts(sql: Tag, keys: readonly Key[]): Promise<Payout[]> {
  const rows = await eachShard(
    keys,
    keys => sql<PayoutRow[]>`
      select r.* from ${keysOf(keys)}
      cross join lateral (
        select ${sql(READ_COLUMNS)}
        from payouts p ${joinState(sql, keys)}
        where p.account_id = k.account_id and p.id = k.id ${within('p', keys)} limit 1
      ) r`,
  )
  return rows.map(payoutOf)
}

/**
 * Joins payouts `p` with their states, by one look-up each. Without `items`, payouts of any account
 * may be read. A payout without a state has nulls, which `payoutOf` refuses.
 */
export function joinState(sql: Tag, items?: readonly OfAccount[]) {
  return sql`left join lateral (
      select ${sql(STATE_COLUMNS)}, rail_attempts from payout_states s
      where s.account_id = p.account_id and s.id = p.id
        ${items === undefined ? sql`` : within('s', items)} limit 1
    ) s on true`
}

/** A payout from its row; throws for a payout without a state. */
export function payoutOf(row: PayoutRow): Payout {
  if (row.status === null) throw new Error(`payout ${row.id} has no state`)
  return { ...row, ...documentsOf(row), ...ratesOf(row) }
}
