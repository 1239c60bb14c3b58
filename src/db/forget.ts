// Deletes outlived rows of all accounts in portions. It first finds the accounts of the oldest
// rows, because only a transaction that names an account can delete its rows. Knows no table.
import { transactConfined } from './confine.ts'
import type { Sql, TransactionSql } from './connect.ts'
import { byShard } from './shard.ts'

/** Most rows of one statement. */
export const PORTION = 1_000

export interface Connections {
  /** Has the role that finds rows of every account. */
  readonly finder: Sql
  readonly sql: Sql
}

interface Outlived {
  /** The accounts of the PORTION oldest outlived rows. */
  find(): Promise<readonly { readonly account_id: string }[]>
  /** Deletes the PORTION oldest outlived rows of these accounts, which share a shard. */
  remove(
    tx: TransactionSql,
    of: readonly { readonly account_id: string }[],
  ): PromiseLike<{ readonly count: number }>
}

/** Returns the number of rows deleted. */
export async function deleteInPortions(sql: Sql, { find, remove }: Outlived): Promise<number> {
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
