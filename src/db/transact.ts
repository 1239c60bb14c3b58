// Runs transactions safely although connections may be lost in the middle, and pipelines COMMIT
// behind the last statements. Knows the behaviour of postgres.js in these cases; retries nothing.
import type { Sql, TransactionSql } from './connect.ts'
import { isRolledBack, isServerError, OutcomeUnknown } from './failure.ts'
import { watched } from './statements.ts'

/**
 * `sql.begin`, safe against a lost connection. Commits when `work` resolves; rolls back and rejects
 * when it rejects or the connection is lost. `mode` follows BEGIN, such as `read only`.
 * @throws OutcomeUnknown when a transaction that writes may have been committed
 */
export async function transact<T>(
  sql: Sql,
  work: (tx: TransactionSql) => Promise<T>,
  mode = '',
): Promise<T> {
  let committing = false
  const run = async (tx: TransactionSql) => {
    const of = await work(watched(tx))
    committing = true
    return { of }
  }
  try {
    return ((await sql.begin(mode, run)) as { of: T }).of
  } catch (error) {
    const unknown = committing && !mode.includes('read only') && !isRolledBack(error)
    throw unknown ? new OutcomeUnknown(error) : error
  }
}

/**
 * As transact, but `work` may send COMMIT right behind its last statements, so that the server
 * commits without another round trip. If one of them fails, the server rolls back and `commit`
 * rejects. Statements after `commit` are refused, as they would miss the transaction. Resolves once
 * the transaction is committed.
 */
export function transactPipelined<T>(
  sql: Sql,
  work: (tx: TransactionSql, commit: () => Promise<void>) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let sent = false
    /** The error in answer to COMMIT. */
    let answered: unknown
    let rolledBack = false
    const commit = async (tx: TransactionSql) => {
      sent = true
      await allSent()
      // postgres.js always sends a COMMIT of its own; AND CHAIN gives it an empty transaction.
      const { command } = await tx`commit and chain`.catch(error => {
        answered = error
        rolledBack = isRolledBack(error)
        throw error
      })
      rolledBack = command === 'ROLLBACK'
      if (command !== 'COMMIT') throw new Error(`the server answered COMMIT with ${command}`)
    }
    const fail = (error: unknown) => {
      // If a statement failed, the server has rolled back.
      const certain = rolledBack || (error !== answered && isServerError(error))
      reject(sent && !certain ? new OutcomeUnknown(error) : error)
    }
    transact(sql, async tx => {
      try {
        const result = await work(
          refusing(tx, () => sent),
          () => commit(tx),
        )
        if (sent) resolve(result)
        return result
      } catch (error) {
        // The transaction is over, so postgres.js cannot roll it back, and would say only that.
        if (isServerError(answered)) fail(error)
        throw error
      }
    }).then(resolve, fail)
  })
}

/** Resolves when all queries made before are sent; postgres.js sends a query once it is awaited. */
export function allSent(): Promise<void> {
  return new Promise(resolve => process.nextTick(resolve))
}

/** Wraps a transaction so that it refuses statements once `over()` is true. */
export function refusing(tx: TransactionSql, over: () => boolean): TransactionSql {
  const check = () => {
    if (over()) throw new Error('a statement was sent after the COMMIT')
  }
  return new Proxy(tx, {
    apply(target, self, parameters) {
      check()
      return Reflect.apply(target, self, parameters)
    },
    get(target, name, receiver) {
      check()
      return Reflect.get(target, name, receiver)
    },
  })
}
