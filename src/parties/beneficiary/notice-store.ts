// The SQL statements of banks' notices about payees. A notice is an exception of a payout
// (rails/exception-store.ts writes it), and is closed under the lock of the account's book.
import { selectByKeys } from '../../sql/keys.ts'
import { updater } from '../../sql/rows.ts'
import type { Tag } from '../../sql/sql.ts'
import type { Key } from '../../values/id.ts'
import type { ClosedNotice, StoredNotice } from './notice.ts'

const COLUMNS = [
  'account_id',
  'payout_id',
  'number',
  'notice',
  'opened_at',
  'closed_at',
  'closed_by',
] as const satisfies readonly (keyof StoredNotice)[]

/** All notices of these payouts, in no order. */
export function findNotices(sql: Tag, payouts: readonly Key[]): Promise<StoredNotice[]> {
  if (payouts.length === 0) return Promise.resolve([])
  return selectByKeys<StoredNotice>(
    sql,
    'payout_id',
    payouts,
    ofKey => sql`
      select ${sql([...COLUMNS])} from rail_exceptions t where ${ofKey} and notice is not null`,
  )
}

/** Notices about a payee. The notices of its newest payouts come first. */
export async function listNotices(sql: Tag, { account_id, id }: Key, limit: number) {
  return sql<StoredNotice[]>`
    select ${sql([...COLUMNS])} from rail_exceptions
    where account_id = ${account_id} and notice is not null and notice ->> 'beneficiary' = ${id}
    order by payout_id desc, number desc limit ${limit}`
}

const CLOSING = {
  account_id: 'text',
  payout_id: 'text',
  number: 'integer',
  closed_at: 'timestamptz',
  closed_by: 'text',
  note: 'text',
} as const

export const closeNotices = updater<Pick<ClosedNotice, keyof typeof CLOSING>>(
  'rail_exceptions',
  ['account_id', 'payout_id', 'number'],
  CLOSING,
)
