// The statements of beneficiaries.
import { rowsAsJson, type Sql, type TransactionSql } from '../db/connect.ts'
import type { Beneficiary } from './rules.ts'

export function insertBeneficiaries(tx: TransactionSql, rows: readonly Beneficiary[]) {
  return tx`
    insert into beneficiaries (account_id, id, details, created_at, updated_at)
    select account_id, id, details, created_at, updated_at
    from json_to_recordset(${rowsAsJson(rows)}::text::json)
      as r(account_id text, id text, details json, created_at timestamptz,
        updated_at timestamptz)`
}

/** By (account, id), in no order; what is not found or another account's is simply absent. */
export async function findBeneficiaries(
  sql: Sql | TransactionSql,
  keys: readonly { readonly account_id: string; readonly id: string }[],
): Promise<Beneficiary[]> {
  return sql<Beneficiary[]>`
    select b.account_id, b.id, b.details, b.created_at, b.updated_at
    from json_to_recordset(${rowsAsJson(keys)}::text::json) as k(account_id text, id text)
    join beneficiaries b on b.account_id = k.account_id and b.id = k.id`
}
