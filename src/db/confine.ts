// Row-level security (migration 0019): a transaction sees and writes the rows of the accounts that
// it names, and of no others, whatever its statements say. A setting of the transaction names them,
// so that it is gone with it and the next user of the connection begins with none.
import type { Sql, TransactionSql } from './connect.ts'
import { transact } from './transact.ts'

/** Names the accounts; what is sent after this call is confined to them. Sent here and now. */
export function confineTo(tx: TransactionSql, account_ids: readonly string[]): void {
  const names = [...new Set(account_ids)].join(',')
  // Should it fail, the transaction has, and every statement after it says so.
  tx`select set_config('corridor.accounts', ${names}, true)`.execute().catch(() => {})
}

/** A transaction of its own, confined to these accounts. */
export function transactConfined<T>(
  sql: Sql,
  account_ids: readonly string[],
  work: (tx: TransactionSql) => Promise<T>,
  mode = '',
): Promise<T> {
  return transact(
    sql,
    tx => {
      confineTo(tx, account_ids)
      return work(tx)
    },
    mode,
  )
}

/** Reads of these accounts. Resolves once they are read: how it ends changes nothing. */
export function readConfined<T>(
  sql: Sql,
  account_ids: readonly string[],
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const reading = async (tx: TransactionSql) => resolve(await work(tx))
    transactConfined(sql, account_ids, reading, 'read only').catch(reject)
  })
}
