// Row-level security (migrations/0007): a transaction sees and writes the rows of the accounts that
// it names, and of no others, whatever its statements say. A setting of the transaction names them,
// so that it is gone with it and the next user of the connection begins with none.
import { literal, SERVICE_ROLE, type Sql, type TransactionSql } from './connect.ts'
import { isSpread } from './shard.ts'
import { allSent, refusing, transact } from './transact.ts'

/**
 * Names the accounts; what is sent after this call is confined to them. Sent here and now. The role
 * is the connection's already, and is taken again, as on one that had lost it, behind a pooler that
 * hands sessions around, no row would be hidden from whoever owns the tables. Nobody needs to wait
 * for it: should it fail, every statement after it says that the transaction has.
 */
export function confineTo(tx: TransactionSql, account_ids: readonly string[]): Promise<unknown> {
  const names = [...new Set(account_ids)].join(',')
  const naming = isSpread()
    ? // Commands alone are taken along to where the rows are.
      tx.unsafe(`set local role ${SERVICE_ROLE}; set local corridor.accounts = ${literal(names)}`)
    : tx`select set_config('role', ${SERVICE_ROLE}, true),
        set_config('corridor.accounts', ${names}, true)`
  const named = naming.execute()
  named.catch(() => {})
  return named
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
      void confineTo(tx, account_ids)
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

/**
 * Reads of these accounts in one flight: `work` asks everything before it first waits for an
 * answer. COMMIT goes out right behind, and whatever is asked later is refused.
 */
export function readAtOnce<T>(
  sql: Sql,
  account_ids: readonly string[],
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let asked = false
    const asking = async (tx: TransactionSql) => {
      // The first to fail says why; what comes after it says only that the transaction has failed.
      const named = confineTo(tx, account_ids)
      Promise.all([work(refusing(tx, () => asked)), named]).then(([rows]) => resolve(rows), reject)
      await allSent()
      asked = true
    }
    transact(sql, asking, 'read only').catch(reject)
  })
}
