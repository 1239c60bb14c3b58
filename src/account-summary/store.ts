// The SQL statement of how an account stands, and how much of its limits it has used.
import type { TransactionSql } from '../db/connect.ts'
import type { Instant } from '../instant.ts'
import type { Limit } from '../limit/limit.ts'
import { findSums } from '../limit/use-store.ts'
import type { Standing } from './response.ts'
import { type Asker, countersOf, usedOf } from './rules.ts'

export async function readSummary(tx: TransactionSql, asker: Asker, limits: readonly Limit[]) {
  // Reads through the book: a transaction sees only the book of its own account.
  const [row, ...others] = await tx<(Standing & { readonly now: Instant })[]>`
    select a.state, a.created_at, clock_timestamp() + b.clock_ahead as now
    from books b join accounts a using (account_id) where b.account_id = ${asker.account_id}`
  if (row === undefined || others.length > 0) throw new Error(`not one book: ${asker.account_id}`)
  const sums = await findSums(tx, countersOf(limits, asker, row.now))
  return { standing: row, limits: usedOf(limits, asker, sums) }
}
