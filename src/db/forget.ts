// Deleting what is old from a table of all accounts, some rows at a time: whose the oldest are is
// found first, as rows are deleted only by who names their account. Knows no table.
import { transactConfined } from './confine.ts'
import type { Sql, TransactionSql } from './connect.ts'
import { byShard } from './shard.ts'

/** Most rows of one statement. */
export const PORTION = 1_000

export interface Connections {
  /** As the role that finds rows of any account. */
  readonly finder: Sql
  readonly sql: Sql
}

export interface Forgetting {
  /** Whose the PORTION oldest rows are that have outlived their time. */
  find(): Promise<readonly { readonly account_id: string }[]>
  /** Deletes the PORTION oldest of these accounts, of one shard, which the transaction names. */
  remove(
    tx: TransactionSql,
    of: readonly { readonly account_id: string }[],
  ): PromiseLike<{ readonly count: number }>
}

/** Returns how many rows were deleted. */
export async function deleteInPortions(sql: Sql, { find, remove }: Forgetting): Promise<number> {
  for (let deleted = 0; ; ) {
    const old = await find()
    if (old.length === 0) return deleted
    let count = 0
    for (const of of byShard(old)) {
      const account_ids = of.map(row => row.account_id)
      count += (await transactConfined(sql, account_ids, async tx => remove(tx, of))).count
    }
    deleted += count
    if (count < PORTION) return deleted
  }
}
