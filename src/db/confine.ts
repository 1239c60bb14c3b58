// Confines transactions to accounts by row-level security (migrations/0007): a transaction sees and
// writes only rows of the accounts that it names, whatever its statements say. A setting local to
// the transaction names them, so that the next transaction of the connection begins with none.
import { literal, SERVICE_ROLE, type Sql, type TransactionSql } from './connect.ts'
import { isSpread } from './shard.ts'
import type { Work } from './transact.ts'

/**
 * Confines the statements sent after this call to these accounts. Sends its own statement at once.
 * It sets the role again, although the connection has it: behind a pooler that shares sessions, a
 * connection may have lost it, and the owner of the tables sees every row. The caller need not
 * await the promise: if it rejects, so does every later statement of the transaction.
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

/** One snapshot for all statements of a reading: a commit between two of them shows in neither. */
const SNAPSHOT = 'isolation level repeatable read read only'

/** Reads rows of these accounts. Resolves before the COMMIT, whose outcome does not matter. */
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
    const asking: Work<void> = async (tx, commit) => {
      // The first failure has the cause; later ones only say that the transaction has failed.
      const named = confineTo(tx, account_ids)
      Promise.all([work(tx), named]).then(([rows]) => resolve(rows), reject)
      await commit()
    }
    sql.begin('read only', asking).catch(reject)
  })
}
