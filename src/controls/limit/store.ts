// The SQL statements of the reference table `limits`.
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import type { Tag } from '../../sql/sql.ts'
import type { Instant } from '../../values/instant.ts'
import { KIND_MEMBERS, type Limit, type Sum } from './limit.ts'

const COLUMNS = ['limit_id', ...KIND_MEMBERS, 'cap'] as const

export async function listLimits(sql: Tag): Promise<Limit[]> {
  return sql<Limit[]>`
    select ${sql(COLUMNS)} from limits
    order by account_id nulls first, key_id nulls first, rail nulls first, network nulls first,
      new_for_hours nulls first, each, per, hours, zone, currency nulls last, limit_id`
}

/** Blocks other writers of limits until the transaction ends. Readers go on. */
export async function lockLimits(tx: TransactionSql): Promise<void> {
  await tx`lock table limits in share row exclusive mode`
}

export async function insertLimit(tx: TransactionSql, limit: Limit): Promise<void> {
  await tx`insert into limits ${tx(limit, COLUMNS)}`
}

export async function updateCap(
  tx: TransactionSql,
  { limit_id, cap }: Pick<Limit, 'limit_id' | 'cap'>,
): Promise<void> {
  await tx`update limits set cap = ${cap} where limit_id = ${limit_id}`
}

export async function deleteLimit(tx: TransactionSql, limit_id: string): Promise<void> {
  await tx`delete from limits where limit_id = ${limit_id}`
}

/** All stored sums of a limit, each with the time by its account's clock. */
export async function listSumsOf(
  sql: Sql,
  limit_id: string,
): Promise<(Sum & { readonly now: Instant })[]> {
  return sql`
    select s.account_id, s.limit_id, s.subject, s.starts_at, s.used, s.reached, s.cap,
      clock_timestamp() + b.clock_ahead as now
    from books b join limit_sums s on s.account_id = b.account_id
    where s.limit_id = ${limit_id}
    order by s.account_id, s.subject, s.starts_at`
}
