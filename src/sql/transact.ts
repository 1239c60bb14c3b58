// Runs a transaction from BEGIN to COMMIT or ROLLBACK on one connection, which may be lost
// meanwhile. COMMIT may be sent right behind the last statements. Retries nothing.
import { nextTick } from '../values/event-loop.ts'
import type { Connection } from './connection.ts'
import { isRolledBack, isServerError, OutcomeUnknown } from './failure.ts'
import { command, makeTag, type Rows, type Tag, type Unwritten } from './sql.ts'
import { publishStatement } from './statements.ts'

/** Statements of one transaction. */
export interface TransactionSql extends Tag {
  /** Runs `work` within a savepoint, and rolls back to it when the work rejects. */
  savepoint<T>(work: (tx: TransactionSql) => PromiseLike<T>): Promise<T>
}

/**
 * The work of a transaction. The transaction commits when the work resolves. The work may call
 * `commit` earlier: COMMIT then follows the statements made before, without another round trip, and
 * `commit` resolves when the transaction is committed. If one of those statements fails, the server
 * rolls back and `commit` rejects. Later statements are refused: they would miss the transaction.
 */
export type Work<T> = (tx: TransactionSql, commit: () => Promise<void>) => T | Promise<T>

/**
 * Runs a transaction on a connection that it alone uses. Rolls back and rejects when the work
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
      // The first statements go with it. If it fails, the connection closes, and they fail with it.
      connection.send(command(`begin ${mode}`, { opens: true })).catch(() => {})
      // A statement is sent when it is awaited. By the next tick all earlier statements are sent.
      const result = await work(transaction.tag(), () => transaction.commit(nextTick()))
      await transaction.commit()
      return result
    })
  } catch (error) {
    const cause = await transaction.rollBack(error)
    throw transaction.mayHaveWritten() ? new OutcomeUnknown(error) : cause
  }
}

class Transaction {
  readonly #connection: Connection
  /** The error of the first statement that failed. Later errors only say that one has failed. */
  #failed: { readonly error: unknown } | undefined
  readonly #onFailure = (error: unknown) => {
    this.#failed ??= { error }
  }
  #over = false
  #commit: Promise<void> | undefined
  #outcome: 'open' | 'sent' | 'committed' | 'rolled back' = 'open'
  /** Whether COMMIT was answered with an error. */
  #refused = false

  readonly #reads: boolean
  /** The transaction in which this one is a savepoint. */
  readonly #outer: Transaction | undefined

  constructor(connection: Connection, of: { reads: boolean; outer?: Transaction }) {
    this.#connection = connection
    this.#reads = of.reads
    this.#outer = of.outer
  }

  get #isOver(): boolean {
    const outer = this.#outer
    return this.#over || (outer ? outer.#isOver : false)
  }

  tag(): TransactionSql {
    const savepoint = <T>(work: (tx: TransactionSql) => PromiseLike<T>) => this.#savepoint(work)
    return Object.assign(
      makeTag(statement => this.#send(statement)),
      { savepoint },
    )
  }

  /** Sends COMMIT, once, when `sent` resolves: all statements before it are sent then. */
  commit(sent?: Promise<void>): Promise<void> {
    if (this.#commit === undefined) {
      this.#commit = this.#sendCommit(sent)
      // The caller may await another promise first; a rejection must not count as unhandled.
      this.#commit.catch(() => {})
    }
    return this.#commit
  }

  /** Rolls back, unless the transaction has ended. Returns the cause of the error. */
  async rollBack(error: unknown): Promise<unknown> {
    this.#over = true
    await this.#commit?.catch(() => {})
    // A COMMIT that was answered with an error may have left the transaction open.
    if (this.#outcome === 'open' || this.#outcome === 'sent' || this.#refused) {
      const rollback = command('rollback', { leads: true })
      await this.#connection.send(rollback).catch(() => this.#connection.destroy())
    }
    const is_consequence = CONSEQUENCES.has((error as { code?: unknown } | null)?.code)
    return is_consequence ? this.#causeOf(error) : error
  }

  #causeOf(error: unknown): unknown {
    return this.#failed === undefined ? error : this.#failed.error
  }

  /** Whether COMMIT was sent, and no answer proves a rollback. */
  mayHaveWritten(): boolean {
    if (this.#reads || this.#outcome === 'open' || this.#outcome === 'rolled back') return false
    if (this.#outcome === 'committed') return true
    return !isServerError(this.#failed?.error)
  }

  #send(statement: Unwritten): Promise<Rows> {
    if (this.#isOver) return Promise.reject(transactionOver())
    try {
      return this.#connection.send(statement.written(), this.#onFailure)
    } catch (error) {
      this.#onFailure(error)
      return Promise.reject(error)
    }
  }

  #command(...given: Parameters<typeof command>): Promise<Rows> {
    return this.#send({ written: () => command(...given) })
  }

  async #sendCommit(before: Promise<void> | undefined): Promise<void> {
    await before
    if (this.#failed !== undefined) throw this.#failed.error
    if (this.#over) throw transactionOver()
    this.#over = true
    this.#outcome = 'sent'
    try {
      const sent = this.#connection.send(command('commit'))
      const answer = await (this.#reads ? sent : publishStatement(() => 'commit', sent))
      this.#outcome = answer.command === 'COMMIT' ? 'committed' : 'rolled back'
      if (this.#outcome === 'committed') return
      throw this.#causeOf(new Error(`the server answered COMMIT with ${answer.command}`))
    } catch (error) {
      this.#refused = this.#outcome === 'sent'
      if (isRolledBack(error)) this.#outcome = 'rolled back'
      throw error
    }
  }

  async #savepoint<T>(work: (tx: TransactionSql) => PromiseLike<T>): Promise<T> {
    await this.#command('savepoint corridor')
    const inner = new Transaction(this.#connection, { reads: this.#reads, outer: this })
    try {
      const result = await work(inner.tag())
      inner.#over = true
      if (inner.#failed !== undefined) throw inner.#failed.error
      await this.#command('release savepoint corridor')
      return result
    } catch (error) {
      inner.#over = true
      // Also releases it: the savepoint around it has the same name.
      const back = this.#command('rollback to savepoint corridor', { leads: true })
      await Promise.allSettled([back, this.#command('release savepoint corridor')])
      throw error
    }
  }
}

/**
 * Errors that an earlier failure causes. PostgreSQL, appendix A: in_failed_sql_transaction, and
 * invalid_sql_statement_name, for a statement that a failed transaction could not prepare.
 */
const CONSEQUENCES = new Set<unknown>(['25P02', '26000'])

function transactionOver(): Error {
  return Object.assign(new Error('a statement was sent after the COMMIT or the end'), {
    code: 'TRANSACTION_OVER',
  })
}
