// A transaction whose connection may be lost in the middle, and one whose COMMIT is sent behind its
// statements. It knows what postgres.js does then; it must not know what the transaction is for,
// nor try it again.
import type { Sql, TransactionSql } from './connect.ts'
import { isConnectionLost, isRolledBack, isServerError, OutcomeUnknown } from './failure.ts'
import { watched } from './statements.ts'

/**
 * `sql.begin`, safe against a lost connection: commits when `work` resolves, rolls back and rejects
 * when it rejects, and rejects when the connection is lost, whose transaction the server rolls
 * back. `mode` is what follows BEGIN, such as `read only`.
 * @throws OutcomeUnknown when the COMMIT was sent and may have happened, and not all was reading
 */
export async function transact<T>(
  sql: Sql,
  work: (tx: TransactionSql) => Promise<T>,
  mode = '',
): Promise<T> {
  let committing = false
  const run = async (tx: TransactionSql) => {
    try {
      const of = await work(watched(tx))
      committing = true
      return { of }
    } catch (error) {
      if (!isConnectionLost(error)) throw error
      // Told of the error, postgres.js 3.4.9 would send ROLLBACK on the connection that is gone,
      // and never give that connection's place in the pool back. It rejects by itself as it closes.
      return new Promise<never>(() => {})
    }
  }
  try {
    return ((await sql.begin(mode, run)) as { of: T }).of
  } catch (error) {
    const unknown = committing && !mode.includes('read only') && !isRolledBack(error)
    throw unknown ? new OutcomeUnknown(error) : error
  }
}

/**
 * The same, but `work` may send the COMMIT itself, right behind its last statements: the server
 * then commits the moment it has run them, instead of waiting for us to have heard of it. Should
 * one of them have failed, the server rolls back, and `commit` rejects. Resolves once it is
 * committed. After `commit` was called, any other statement is refused: what was sent before it is
 * committed without it.
 */
export function transactPipelined<T>(
  sql: Sql,
  work: (tx: TransactionSql, commit: () => Promise<void>) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let sent = false
    /** The error that the COMMIT itself was answered with. */
    let answered: unknown
    let rolledBack = false
    const commit = async (tx: TransactionSql) => {
      sent = true
      await allSent()
      // Chained, as postgres.js ends every transaction itself: it commits an empty one.
      const { command } = await tx`commit and chain`.catch(error => {
        answered = error
        rolledBack = isRolledBack(error)
        throw error
      })
      rolledBack = command === 'ROLLBACK'
      if (command !== 'COMMIT') throw new Error(`the server answered COMMIT with ${command}`)
    }
    const fail = (error: unknown) => {
      // A statement that failed had the server roll back, whatever it failed of.
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
        if (!isServerError(answered)) throw error
        // The transaction is over, and postgres.js may have given its connection to another one,
        // which the ROLLBACK that it sends when it is told of the error would end.
        fail(error)
        return new Promise<never>(() => {})
      }
    }).then(resolve, fail)
  })
}

/** A query is sent when somebody begins to wait for it: resolves when those made before are. */
export function allSent(): Promise<void> {
  return new Promise(resolve => process.nextTick(resolve))
}

/** The transaction, which takes no more statements once it is `over`. */
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
