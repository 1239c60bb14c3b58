// Deletes expired rows of all accounts in portions. It first finds the accounts of the oldest rows,
// because only a transaction that names an account can delete its rows. Knows no table.
import { transactConfined } from './confine.ts'
import type { Sql, TransactionSql } from './connect.ts'
import { byShard } from './shard.ts'

/** The most rows that one statement deletes. */
export const PORTION = 1_000

export interface Connections {
  /** Has the role that finds rows of every account. */
  readonly finder: Sql
  readonly sql: Sql
}

interface Expired {
  find(): Promise<readonly { readonly account_id: string }[]>
  /** Deletes the PORTION oldest expired rows of these accounts, which share a shard. */
  remove(
    tx: TransactionSql,
    owners: readonly { readonly account_id: string }[],
  ): PromiseLike<{ readonly count: number }>
}

export async function deleteInPortions(sql: Sql, { find, remove }: Expired): Promise<number> {
  for (let deleted = 0; ; ) {
    const found = await find()
    if (found.length === 0) return deleted
    let count = 0
    for (const owners of byShard(found)) {
      const account_ids = owners.map(row => row.account_id)
      count += (await transactConfined(sql, account_ids, async tx => remove(tx, owners))).count
    }
    deleted += count
    if (count < PORTION) return deleted
  }
}
