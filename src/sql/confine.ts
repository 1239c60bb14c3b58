// Confines transactions to accounts by row-level security (migrations/0007): a transaction sees and
// writes only rows of the accounts that it names, whatever its statements say. A transaction-local
// setting names the accounts, so the connection's next transaction begins with none.
import { literal, SERVICE_ROLE, type Sql, type TransactionSql } from './connect.ts'
import { isSpread } from './shard.ts'
import type { Work } from './transact.ts'

/**
 * Confines the statements sent after this call to these accounts. Sends its own statement at once.
 * That statement also repeats the role that the connection set first: a pooler that shares sessions
 * may have lost the role, and the tables' owner sees every row. The caller need not await the
 * promise: if it rejects, so does every later statement of the transaction.
 */
export function confineTo(tx: TransactionSql, account_ids: readonly string[]): Promise<unknown> {
  const names = [...new Set(account_ids)].join(',')
  const naming = isSpread()
    ? // Citus propagates SET commands, but not set_config, to the nodes that have the rows.
      tx.unsafe(`set local role ${SERVICE_ROLE}; set local corridor.accounts = ${literal(names)}`)
    : tx`select set_config('role', ${SERVICE_ROLE}, true),
        set_config('corridor.accounts', ${names}, true)`
  return naming.execute()
}

/** Runs `work` in a transaction confined to these accounts. */
export function transactConfined<T>(
  sql: Sql,
  account_ids: readonly string[],
  work: (tx: TransactionSql) => Promise<T>,
  mode = '',
): Promise<T> {
  return sql.begin(mode, tx => {
    void confineTo(tx, account_ids)
    return work(tx)
  })
}

/** All statements read one snapshot: none of them sees a commit made after the first of them. */
export const SNAPSHOT = 'isolation level repeatable read read only'

/** Reads rows of these accounts. Resolves before COMMIT, whose outcome does not matter here. */
export function readConfined<T>(
  sql: Sql,
  account_ids: readonly string[],
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const reading = async (tx: TransactionSql) => resolve(await work(tx))
    transactConfined(sql, account_ids, reading, SNAPSHOT).catch(reject)
  })
}

/**
 * Reads rows of these accounts in one round trip: `work` must send all its statements before it
 * first awaits an answer. COMMIT is sent right behind them, and later statements are refused.
 */
export function readAtOnce<T>(
  sql: Sql,
  account_ids: readonly string[],
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const reading: Work<void> = async (tx, commit) => {
      const confined = confineTo(tx, account_ids)
      const read = Promise.all([work(tx), confined]).then(([rows]) => resolve(rows))
      // The first failure has the cause; later ones only say that the transaction has failed.
      await Promise.all([read, commit()])
    }
    sql.begin('read only', reading).catch(reject)
  })
}
