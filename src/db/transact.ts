// A transaction whose connection may be lost in the middle. It knows what postgres.js does then; it
// must not know what the transaction is for, nor try it again.
import type { Sql, TransactionSql } from './connect.ts'
import { isConnectionLost } from './failure.ts'

/**
 * `sql.begin`, safe against a lost connection: commits when `work` resolves, rolls back and rejects
 * when it rejects, and rejects when the connection is lost, whose transaction the server rolls
 * back. `mode` is what follows BEGIN, such as `read only`.
 */
export async function transact<T>(
  sql: Sql,
  work: (tx: TransactionSql) => Promise<T>,
  mode = '',
): Promise<T> {
  const result = await sql.begin(mode, async tx => {
    try {
      return { of: await work(tx) }
    } catch (error) {
      if (!isConnectionLost(error)) throw error
      // Told of the error, postgres.js 3.4.9 would send ROLLBACK on the connection that is gone,
      // and never give that connection's place in the pool back. It rejects by itself as it closes.
      return new Promise<never>(() => {})
    }
  })
  return (result as { of: T }).of
}
