// The history of rows of accounts (migrations/0001), which triggers write on one machine and cannot
// where the rows are on others: there the service has it written around each change.
import type { Key } from '../id.ts'
import type { TransactionSql } from './connect.ts'
import { isSpread } from './shard.ts'

/**
 * Runs a change of these rows. All its statements, and those around it, are sent here and now, in
 * this order.
 */
export async function noted<T>(
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
  // A query is sent when somebody waits for it, as the change does of its own by now.
  await Promise.resolve()
  sent.push(...ask('note_after'))
  await Promise.all(sent)
  return changed
}
