// Transactions: BEGIN to COMMIT or ROLLBACK on one connection, although it may be lost in the
// middle. COMMIT may be sent right behind the last statements. Retries nothing.
import { nextTick } from '../turns.ts'
import type { Connection } from './connection.ts'
import { isRolledBack, isServerError, OutcomeUnknown } from './failure.ts'
import { makeTag, plain, type Rows, type Sent, type Tag } from './sql.ts'
import { published } from './statements.ts'

/** Statements of one transaction. */
export interface TransactionSql extends Tag {
  /** Runs `work` within a savepoint, and goes back to it when the work rejects. */
  savepoint<T>(work: (tx: TransactionSql) => PromiseLike<T>): Promise<T>
}

/**
 * The work of a transaction, which is committed when it resolves. It may call `commit` itself: then
 * COMMIT is sent right behind the statements made before, without another round trip, and `commit`
 * resolves when the transaction is committed. If one of them fails, the server rolls back and
 * `commit` rejects. Later statements are refused, as they would miss the transaction.
 */
export type Work<T> = (tx: TransactionSql, commit: () => Promise<void>) => T | Promise<T>

/**
 * Runs a transaction on a connection that nobody else uses. Rolls back and rejects when the work
 * rejects, when one of its statements has failed, or when the connection is lost.
 * @throws OutcomeUnknown when a transaction that writes may have been committed
 */
export async function runTransaction<T>(
  connection: Connection,
  mode: string,
  work: Work<T>,
): Promise<T> {
  const reads = mode.includes('read only')
  const transaction = new Transaction(connection, { reads })
  try {
    return await connection.hold(async () => {
      await connection.send(plain(`begin ${mode}`))
      // A statement is sent once it is awaited: those made before have been by the next tick.
      const result = await work(transaction.tag(), () => transaction.commit(nextTick()))
      await transaction.commit()
      return result
    })
  } catch (error) {
    const cause = await transaction.giveUp(error)
    throw transaction.mayHaveWritten() ? new OutcomeUnknown(error) : cause
  }
}

class Transaction {
  readonly #connection: Connection
  /** The error of the first statement that failed; later ones only say that one did. */
  #failed: { readonly error: unknown } | undefined
  #over = false
  #commit: Promise<void> | undefined
  #outcome: 'open' | 'sent' | 'committed' | 'rolled back' = 'open'
  /** Whether COMMIT was answered with an error. */
  #refused = false

  readonly #reads: boolean
  /** The transaction that this one is a savepoint of. */
  readonly #around: Transaction | undefined

  constructor(connection: Connection, of: { reads: boolean; around?: Transaction }) {
    this.#connection = connection
    this.#reads = of.reads
    this.#around = of.around
  }

  get #isOver(): boolean {
    const around = this.#around
    return this.#over || (around ? around.#isOver : false)
  }

  tag(): TransactionSql {
    const savepoint = <T>(work: (tx: TransactionSql) => PromiseLike<T>) => this.#savepoint(work)
    return Object.assign(
      makeTag(write => this.#send(write)),
      { savepoint },
    )
  }

  /** Sends COMMIT, once, when all statements that go before it are sent. */
  commit(sent?: Promise<void>): Promise<void> {
    if (this.#commit === undefined) {
      this.#commit = this.#sendCommit(sent)
      // Whoever asks for it may wait for something else first.
      this.#commit.catch(() => {})
    }
    return this.#commit
  }

  /** Rolls back, if it is not over. Returns the cause of the error. */
  async giveUp(error: unknown): Promise<unknown> {
    this.#over = true
    await this.#commit?.catch(() => {})
    // After a COMMIT that was answered with an error too: it may have left a transaction.
    if (this.#outcome === 'open' || this.#outcome === 'sent' || this.#refused) {
      await this.#connection.send(plain('rollback')).catch(() => this.#connection.destroy())
    }
    const is_consequence = CONSEQUENCES.has((error as { code?: unknown } | null)?.code)
    return is_consequence ? this.#causeOf(error) : error
  }

  #causeOf(error: unknown): unknown {
    return this.#failed === undefined ? error : this.#failed.error
  }

  /** Whether COMMIT was sent, and nothing says that it did not happen. */
  mayHaveWritten(): boolean {
    if (this.#reads || this.#outcome === 'open' || this.#outcome === 'rolled back') return false
    if (this.#outcome === 'committed') return true
    return !isServerError(this.#failed?.error)
  }

  async #send(write: () => Sent): Promise<Rows> {
    if (this.#isOver) throw over()
    try {
      return await this.#connection.send(write())
    } catch (error) {
      this.#failed ??= { error }
      throw error
    }
  }

  async #sendCommit(before: Promise<void> | undefined): Promise<void> {
    await before
    if (this.#failed !== undefined) throw this.#failed.error
    if (this.#over) throw over()
    this.#over = true
    this.#outcome = 'sent'
    try {
      const sent = this.#connection.send(plain('commit'))
      const { command } = await (this.#reads ? sent : published(() => 'commit', sent))
      this.#outcome = command === 'COMMIT' ? 'committed' : 'rolled back'
      if (command === 'COMMIT') return
      throw this.#causeOf(new Error(`the server answered COMMIT with ${command}`))
    } catch (error) {
      this.#refused = this.#outcome === 'sent'
      if (isRolledBack(error)) this.#outcome = 'rolled back'
      throw error
    }
  }

  async #savepoint<T>(work: (tx: TransactionSql) => PromiseLike<T>): Promise<T> {
    await this.#send(() => plain('savepoint corridor'))
    const within = new Transaction(this.#connection, { reads: this.#reads, around: this })
    try {
      const result = await work(within.tag())
      within.#over = true
      if (within.#failed !== undefined) throw within.#failed.error
      await this.#send(() => plain('release savepoint corridor'))
      return result
    } catch (error) {
      within.#over = true
      // Released, too: a savepoint around this one has the same name.
      const back = 'rollback to savepoint corridor; release savepoint corridor'
      await this.#send(() => plain(back)).catch(() => {})
      throw error
    }
  }
}

/**
 * PostgreSQL, appendix A: in_failed_sql_transaction, and invalid_sql_statement_name, of a statement
 * that was to be prepared in a failed transaction.
 */
const CONSEQUENCES = new Set<unknown>(['25P02', '26000'])

function over(): Error {
  return Object.assign(new Error('a statement was sent after the COMMIT or the end'), {
    code: 'TRANSACTION_OVER',
  })
}
