// The SQL statements that read an account's state and its use of limits.
import { WRITTEN } from '../../ledger/store.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import type { Instant } from '../../values/instant.ts'
import type { Limit } from '../limit/limit.ts'
import { findSums } from '../limit/use-store.ts'
import type { AccountFacts } from './response.ts'
import { type Caller, countersOf, usedOf } from './rules.ts'

export async function readSummary(tx: TransactionSql, caller: Caller, limits: readonly Limit[]) {
  // Reads through the book, because a transaction sees only the book of its own account.
  const [row, ...others] = await tx<(AccountFacts & { readonly now: Instant })[]>`
    select a.state, a.created_at, clock_timestamp() + b.clock_ahead as now, ${WRITTEN}
    from books b join accounts a using (account_id) where b.account_id = ${caller.account_id}`
  if (row === undefined || others.length > 0) throw new Error(`not one book: ${caller.account_id}`)
  const sums = await findSums(tx, countersOf(limits, caller, row.now))
  return { standing: row, limits: usedOf(limits, caller, sums) }
}
