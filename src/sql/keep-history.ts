// Writes the history of account-owned rows on a distributed database. On a single PostgreSQL
// triggers write it (migrations/0001), which cannot reach the history table from other machines.
import type { Key } from '../values/id.ts'
import type { TransactionSql } from './connect.ts'
import { isSpread } from './shard.ts'

/**
 * Sends the statements that record the rows before the change, those of `change`, and those that
 * record the rows after it, in this order. `change` sends its statements before it waits.
 */
export async function keepHistory<T>(
  tx: TransactionSql,
  table: 'webhook_endpoints',
  rows: readonly Key[],
  change: () => Promise<T>,
): Promise<T> {
  if (!isSpread() || rows.length === 0) return change()
  const byAccount = [...Map.groupBy(rows, row => row.account_id)]
  const record = (note: 'note_before' | 'note_after') =>
    byAccount.map(([account_id, rows]) => {
      const ids = rows.map(({ id }) => id)
      return tx`select ${tx(note)}(${table}, ${account_id}, ${ids}::text[])`.execute()
    })
  const sent = record('note_before')
  const changed = change()
  sent.push(...record('note_after'))
  await Promise.all(sent)
  return changed
}
