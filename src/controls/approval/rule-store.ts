// The SQL statements of the reference table `approval_rules`.
import type { Sql } from '../../sql/connect.ts'
import type { Tag } from '../../sql/sql.ts'
import type { ApprovalRule } from './approval.ts'

const COLUMNS = [
  'rule_id',
  'subject',
  'account_id',
  'key_id',
  'payout_type',
  'network',
  'country',
  'currency',
  'new_payee',
  'at_least',
  'at_least_currency',
  'approvers',
  'expires_after_days',
] as const satisfies readonly (keyof ApprovalRule)[]

export async function listRules(sql: Tag): Promise<ApprovalRule[]> {
  return sql<ApprovalRule[]>`
    select ${sql(COLUMNS)} from approval_rules order by account_id nulls first, rule_id`
}

export async function insertRule(sql: Sql, rule: ApprovalRule): Promise<void> {
  await sql`insert into approval_rules ${sql(rule, COLUMNS)}`
}

/** Removes a rule; false when there is none. */
export async function deleteRule(sql: Sql, rule_id: string): Promise<boolean> {
  const { count } = await sql`delete from approval_rules where rule_id = ${rule_id}`
  return count === 1
}
