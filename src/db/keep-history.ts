// Writes the history of account-owned rows on a distributed database. Elsewhere triggers write it
// (migrations/0001); those cannot reach the history table from other nodes.
import type { Key } from '../id.ts'
import type { TransactionSql } from './connect.ts'
import { isSpread } from './shard.ts'

/**
 * Runs a change of these rows between the statements that note them. Sends all of them in this
 * order.
 */
export async function keepHistory<T>(
  tx: TransactionSql,
  table: 'webhook_endpoints' | 'payout_batches',
  rows: readonly Key[],
  change: () => Promise<T>,
): Promise<T> {
  if (!isSpread() || rows.length === 0) return change()
  const of = [...Map.groupBy(rows, row => row.account_id)]
  const ask = (note: 'note_before' | 'note_after') =>
    of.map(([account_id, rows]) => {
      const ids = rows.map(({ id }) => id)
      return tx`select ${tx(note)}(${table}, ${account_id}, ${ids}::text[])`.execute()
    })
  const sent = ask('note_before')
  const changed = change()
  // A statement is sent once it is awaited; by now `change` awaits its own.
  await Promise.resolve()
  sent.push(...ask('note_after'))
  await Promise.all(sent)
  return changed
}
