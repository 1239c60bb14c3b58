// The SQL statements of exceptions.
import type { Sql } from '../sql/connect.ts'
import { selectByKeys } from '../sql/keys.ts'
import { inserter, updater } from '../sql/rows.ts'
import type { Tag } from '../sql/sql.ts'
import type { Key } from '../values/id.ts'
import type { RailException } from './attempt.ts'

const KEY_KINDS = { account_id: 'text', payout_id: 'text', number: 'integer' } as const

const CLOSING = { closed_at: 'timestamptz', closed_by: 'text', note: 'text' } as const

const KINDS = {
  ...KEY_KINDS,
  attempt: 'integer',
  rail: 'text',
  kind: 'text',
  message: 'text',
  notice: 'json',
  opened_at: 'timestamptz',
  ...CLOSING,
} as const

const COLUMNS = Object.keys(KINDS)

export const insertExceptions = inserter<RailException>('rail_exceptions', KINDS)

export const closeExceptions = updater<
  Pick<RailException, keyof typeof KEY_KINDS | keyof typeof CLOSING>
>('rail_exceptions', ['account_id', 'payout_id', 'number'], { ...KEY_KINDS, ...CLOSING })

/** All exceptions of these payouts, by number. */
export async function findExceptions(sql: Tag, keys: readonly Key[]): Promise<RailException[]> {
  const rows = await selectByKeys<RailException>(
    sql,
    'payout_id',
    keys,
    ofKey => sql`select ${sql(COLUMNS)} from rail_exceptions t where ${ofKey} order by number`,
  )
  return rows.sort((a, b) => a.number - b.number)
}

/** A list continues after this exception, open or closed. */
export interface ExceptionCursor {
  readonly payout_id: string
  readonly number: number
}

/** Open exceptions of all accounts, the oldest payouts first; of one payout with `payout_id`. */
export async function listOpenExceptions(
  audit: Sql,
  after: ExceptionCursor,
  limit: number,
  payout_id: string | null = null,
) {
  return audit<RailException[]>`
    select ${audit(COLUMNS)} from rail_exceptions
    where closed_at is null and (payout_id, number) > (${after.payout_id}, ${after.number})
      and (${payout_id}::text is null or payout_id = ${payout_id})
    order by payout_id, number limit ${limit}`
}

/** How many exceptions are open, by rail and kind. */
export async function countExceptions(finder: Sql) {
  return finder<{ rail: string; kind: string; exceptions: number }[]>`
    select rail, kind, count(*)::integer as exceptions from rail_exceptions
    where closed_at is null group by 1, 2`
}
