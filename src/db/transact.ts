// A transaction whose connection may be lost in the middle, and one whose COMMIT is sent behind its
// statements. It knows what postgres.js does then; it must not know what the transaction is for,
// nor try it again.
import type { Sql, TransactionSql } from './connect.ts'
import { isConnectionLost, isServerError } from './failure.ts'
import { watched } from './statements.ts'

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
      return { of: await work(watched(tx)) }
    } catch (error) {
      if (!isConnectionLost(error)) throw error
      // Told of the error, postgres.js 3.4.9 would send ROLLBACK on the connection that is gone,
      // and never give that connection's place in the pool back. It rejects by itself as it closes.
      return new Promise<never>(() => {})
    }
  })
  return (result as { of: T }).of
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
    transact(sql, async tx => {
      let sent = false
      let refused = false
      const commit = async () => {
        sent = true
        // A query is sent when somebody begins to wait for it: those made before this call first.
        await new Promise<void>(tick => process.nextTick(tick))
        // Chained, as postgres.js ends every transaction itself: it commits an empty one.
        const { command } = await tx`commit and chain`.catch(error => {
          refused = isServerError(error)
          throw error
        })
        if (command !== 'COMMIT') throw new Error(`the server answered COMMIT with ${command}`)
      }
      try {
        const result = await work(
          refusing(tx, () => sent),
          commit,
        )
        if (sent) resolve(result)
        return result
      } catch (error) {
        if (!refused) throw error
        // The transaction is over, and postgres.js may have given its connection to another one,
        // which the ROLLBACK that it sends when it is told of the error would end.
        reject(error)
        return new Promise<never>(() => {})
      }
    }).then(resolve, reject)
  })
}

/** The transaction, which takes no more statements once it is `over`. */
function refusing(tx: TransactionSql, over: () => boolean): TransactionSql {
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
