// The SQL statements of attempts.
import type { TransactionSql } from '../sql/connect.ts'
import { selectByKeys } from '../sql/keys.ts'
import { inserter, updater } from '../sql/rows.ts'
import type { Tag } from '../sql/sql.ts'
import type { Key } from '../values/id.ts'
import type { PayoutAttempt } from './attempt.ts'
import { routeTaken, type StoredRoute, storedRoute } from './stored-route.ts'

const KEY_KINDS = { account_id: 'text', payout_id: 'text', number: 'integer' } as const

/** The columns that a later step may change. */
const CHANGING = {
  asked_at: 'timestamptz',
  ended_at: 'timestamptz',
  ended_as: 'text',
  not_taken: 'json',
  rail_references: 'json',
  released_at: 'timestamptz',
  expected_at: 'timestamptz',
} as const

const KINDS = {
  ...KEY_KINDS,
  rail: 'text',
  uetr: 'text',
  opened_at: 'timestamptz',
  route: 'json',
  ...CHANGING,
  ask_again_at: 'timestamptz',
} as const

type Stored = Omit<PayoutAttempt, 'route'> & { readonly route: StoredRoute | null }

const insertRows = inserter<Stored>('payout_attempts', KINDS)

export function insertAttempts(tx: TransactionSql, attempts: readonly PayoutAttempt[]) {
  return insertRows(
    tx,
    attempts.map(attempt => ({ ...attempt, route: storedRoute(attempt.route) })),
  )
}

type Changed = Pick<PayoutAttempt, keyof typeof KEY_KINDS | keyof typeof CHANGING>

export const updateAttempts = updater<Changed>(
  'payout_attempts',
  ['account_id', 'payout_id', 'number'],
  { ...KEY_KINDS, ...CHANGING },
)

/** All attempts of these payouts, by number. */
export async function findAttempts(sql: Tag, keys: readonly Key[]): Promise<PayoutAttempt[]> {
  const rows = await selectByKeys<Stored>(
    sql,
    'payout_id',
    keys,
    ofKey => sql`
      select ${sql(Object.keys(KINDS))} from payout_attempts t where ${ofKey} order by number`,
  )
  return rows
    .map(row => ({ ...row, route: routeTaken(row.route) }))
    .sort((a, b) => a.number - b.number)
}
