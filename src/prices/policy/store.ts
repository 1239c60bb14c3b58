// The SQL statements of the reference table `pricing_policies`. They insert and never update.
import { databaseNow, rowsAsJson, type Sql, type TransactionSql } from '../../sql/connect.ts'
import type { Tag } from '../../sql/sql.ts'
import { INSTALLATION, indexPolicies, type NewPolicy, type Policy, valueInForce } from './rules.ts'

export async function listPolicies(sql: Tag): Promise<Policy[]> {
  return sql<Policy[]>`
    select policy_id, account_id, from_currency, to_currency, name, value, effective_from
    from pricing_policies order by policy_id`
}

/** Blocks other writers of policies until the transaction ends. Readers go on. */
export async function lockPolicies(tx: TransactionSql): Promise<void> {
  await tx`lock table pricing_policies in share row exclusive mode`
}

/** Inserts policies. The database refuses one that begins before its transaction. */
export async function insertPolicies(tx: TransactionSql, policies: readonly NewPolicy[]) {
  return tx<Policy[]>`
    insert into pricing_policies (account_id, from_currency, to_currency, name, value,
      effective_from)
    select account_id, from_currency, to_currency, name, value, effective_from
    from json_to_recordset(${rowsAsJson(policies)}::text::json)
      as r(account_id text, from_currency text, to_currency text, name text, value text,
        effective_from timestamptz)
    returning policy_id, account_id, from_currency, to_currency, name, value, effective_from`
}

/** Deletes a policy before it is in force. The database refuses any other deletion. */
export async function deletePolicy(tx: TransactionSql, policy_id: number): Promise<void> {
  await tx`delete from pricing_policies where policy_id = ${policy_id}`
}

/** The pivot, and the spread of each pair for accounts without a spread of their own. */
export async function findFrame(sql: Sql) {
  const [policies, now] = await Promise.all([listPolicies(sql), databaseNow(sql)])
  const index = indexPolicies(policies)
  const spreadOf = (from_currency: string, to_currency: string) =>
    Number(valueInForce(index, 'spread_bps', { account_id: null, from_currency, to_currency }, now))
  return { pivot: valueInForce(index, 'pivot', INSTALLATION, now), spreadOf }
}

/** The installation's pivot in force now. */
export async function findPivot(sql: Sql): Promise<string> {
  return (await findFrame(sql)).pivot
}
