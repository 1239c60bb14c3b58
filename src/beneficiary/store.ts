// The statements of beneficiaries.
import type { Sql, TransactionSql } from '../db/connect.ts'
import { keysOf } from '../db/keys.ts'
import { inserter } from '../db/rows.ts'
import type { Key } from '../id.ts'
import type { Beneficiary } from './rules.ts'

export const insertBeneficiaries = inserter<Beneficiary>('beneficiaries', {
  account_id: 'text',
  id: 'text',
  details: 'json',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
})

/** By (account, id), in no order; what is not found or another account's is simply absent. */
export async function findBeneficiaries(
  sql: Sql | TransactionSql,
  keys: readonly Key[],
): Promise<Beneficiary[]> {
  return sql<Beneficiary[]>`
    select r.* from ${keysOf(sql, keys)}
    cross join lateral (
      select account_id, id, details, created_at, updated_at
      from beneficiaries b where b.account_id = k.account_id and b.id = k.id limit 1
    ) r`
}
