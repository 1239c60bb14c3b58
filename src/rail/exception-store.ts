// The SQL statements of exceptions.
import type { Sql, TransactionSql } from '../db/connect.ts'
import { keysOf } from '../db/keys.ts'
import { inserter, updater } from '../db/rows.ts'
import { eachShard, within } from '../db/shard.ts'
import type { Key } from '../id.ts'
import type { RailException } from './attempt.ts'

const KINDS = {
  account_id: 'text',
  payout_id: 'text',
  number: 'integer',
  attempt: 'integer',
  rail: 'text',
  kind: 'text',
  message: 'text',
  opened_at: 'timestamptz',
  closed_at: 'timestamptz',
  closed_by: 'text',
  note: 'text',
} as const

const COLUMNS = Object.keys(KINDS)

export const insertExceptions = inserter<RailException>('rail_exceptions', KINDS)

export const closeExceptions = updater<
  Pick<RailException, 'account_id' | 'payout_id' | 'number' | 'closed_at' | 'closed_by' | 'note'>
>('rail_exceptions', ['account_id', 'payout_id', 'number'], {
  account_id: 'text',
  payout_id: 'text',
  number: 'integer',
  closed_at: 'timestamptz',
  closed_by: 'text',
  note: 'text',
})

/** All exceptions of these payouts, by number. */
export async function findExceptions(
  sql: Sql | TransactionSql,
  keys: readonly Key[],
): Promise<RailException[]> {
  const rows = await eachShard(
    keys,
    keys => sql<RailException[]>`
      select r.* from ${keysOf(sql, keys)}
      cross join lateral (
        select ${sql(COLUMNS)} from rail_exceptions e
        where e.account_id = k.account_id and e.payout_id = k.id ${within(sql, 'e', keys)}
        order by number
      ) r`,
  )
  return rows.sort((a, b) => a.number - b.number)
}

/** The exception, open or closed, after which a list goes on. */
export interface ExceptionCursor {
  readonly payout_id: string
  readonly number: number
}

/** Open exceptions of all accounts, the oldest payouts first. */
export async function listOpenExceptions(
  audit: Sql,
  after: ExceptionCursor,
  limit: number,
): Promise<RailException[]> {
  return audit<RailException[]>`
    select ${audit(COLUMNS)} from rail_exceptions
    where closed_at is null and (payout_id, number) > (${after.payout_id}, ${after.number})
    order by payout_id, number limit ${limit}`
}

/** How many exceptions are open, by rail and kind. */
export async function countExceptions(finder: Sql) {
  return finder<{ rail: string; kind: string; exceptions: number }[]>`
    select rail, kind, count(*)::integer as exceptions from rail_exceptions
    where closed_at is null group by 1, 2`
}
