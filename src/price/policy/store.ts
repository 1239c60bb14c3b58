// The statements of pricing policies, a reference table whose rows are added and never changed.
import { rowsAsJson, type Sql, type TransactionSql } from '../../db/connect.ts'
import { DEFAULTS, type NewPolicy, type Policy } from './rules.ts'

export async function listPolicies(sql: Sql | TransactionSql): Promise<Policy[]> {
  return sql<Policy[]>`
    select policy_id, account_id, from_currency, to_currency, name, value, effective_from
    from pricing_policies order by policy_id`
}

/** Keeps everyone else from changing policies until the transaction ends; reading goes on. */
export async function lockPolicies(tx: TransactionSql): Promise<void> {
  await tx`lock table pricing_policies in share row exclusive mode`
}

/** Within the transaction in which they were decided: none begins before that did. */
export async function insertPolicies(
  tx: TransactionSql,
  policies: readonly NewPolicy[],
): Promise<Policy[]> {
  return tx<Policy[]>`
    insert into pricing_policies (account_id, from_currency, to_currency, name, value,
      effective_from)
    select account_id, from_currency, to_currency, name, value, effective_from
    from json_to_recordset(${rowsAsJson(policies)}::text::json)
      as r(account_id text, from_currency text, to_currency text, name text, value text,
        effective_from timestamptz)
    returning policy_id, account_id, from_currency, to_currency, name, value, effective_from`
}

/** For rows that wait: of others the database keeps all. */
export async function deletePolicy(tx: TransactionSql, policy_id: number): Promise<void> {
  await tx`delete from pricing_policies where policy_id = ${policy_id}`
}

/** Through which currency pairs are crossed at this moment. */
export async function findPivot(sql: Sql): Promise<string> {
  const [row] = await sql<{ value: string | null }[]>`
    select value from pricing_policies
    where name = 'pivot' and effective_from <= clock_timestamp()
    order by effective_from desc, policy_id desc limit 1`
  return row?.value ?? DEFAULTS.pivot
}
