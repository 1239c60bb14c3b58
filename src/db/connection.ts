// One connection to a server, over pg. Statements are sent at once, behind those that wait for
// their answers. Each ends: it is answered, or rejects when the connection is lost.
import pg from 'pg'
import { connectionError, isConnectionLost, PostgresError } from './failure.ts'
import { nameOf, readResult } from './result.ts'
import { guardReader, watchedSocket } from './socket.ts'
import type { Rows, Sent } from './sql.ts'
import { addressOf } from './url.ts'
import { readerOf } from './values.ts'

export interface ConnectionOptions {
  /** How long to connect may take, in seconds, the first statement included; 30 by default. */
  readonly connect_timeout?: number
  readonly application_name?: string
  /** The first statement. If it fails, the connection is closed. */
  readonly session?: string
  /** How long the server may be silent while an answer is due; without end by default. */
  readonly silence_ms?: number
}

const CONNECT_TIMEOUT_S = 30

export class Connection {
  readonly #client: pg.Client
  readonly #options: ConnectionOptions
  readonly #onLost: () => void
  #lost: Error | undefined
  #unanswered = 0
  /** Rejects the wait of the transaction that holds it. */
  #abandon: ((error: Error) => void) | undefined
  /** Part of the names of prepared statements: raised when they are to be prepared anew. */
  #generation = 0

  constructor(url: string, options: ConnectionOptions, onLost: () => void = () => {}) {
    this.#options = options
    this.#onLost = onLost
    const isAwaited = () => this.#abandon !== undefined || this.#unanswered > 0
    const socket = watchedSocket(options.silence_ms, isAwaited)
    this.#client = new pg.Client({
      ...addressOf(url),
      application_name: options.application_name,
      pipeline: true,
      // For a connection on which nobody waits: it would not find out that its server is gone.
      keepAlive: true,
      keepAliveInitialDelayMillis: 60_000,
      stream: () => socket,
      // As libpq: a server may ask for any number.
      ...{ scramMaxIterations: 0 },
      types: { getTypeParser: readerOf as pg.CustomTypesConfig['getTypeParser'] },
    })
    const { connection } = this.#client
    // Encrypted, pg reads from another stream.
    const ready = this.#client.ssl ? 'sslconnect' : 'connect'
    connection.on(ready, () => guardReader(connection.stream))
    this.#client.on('error', error => this.#lose(error))
    this.#client.on('end', () => this.#lose())
  }

  get isLost(): boolean {
    return this.#lost !== undefined
  }

  get isInTransaction(): boolean {
    return this.#client.getTransactionStatus() !== 'I'
  }

  /** The server process that the server named when the connection began. A pooler names another. */
  get pid(): number {
    return (this.#client as unknown as { processID: number }).processID
  }

  /** Connects. Rejects, with the connection closed, when it takes too long or is refused. */
  async open(): Promise<void> {
    const { connect_timeout = CONNECT_TIMEOUT_S, session } = this.#options
    const late = setTimeout(
      () => this.#client.connection.stream.destroy(tooLate()),
      connect_timeout * 1_000,
    )
    this.#unanswered += 1
    try {
      await this.#client.connect()
      if (session !== undefined) await this.#client.query(session)
      // An error may have come with the last answer.
      if (this.#lost) throw this.#lost
    } catch (error) {
      this.destroy()
      throw explainAnswer(error, 'FATAL')
    } finally {
      this.#unanswered -= 1
      clearTimeout(late)
    }
  }

  send({ text, parameters, prepare }: Sent): Promise<Rows> {
    return new Promise((resolve, reject) => {
      this.#unanswered += 1
      const query = {
        text,
        values: parameters as string[],
        rowMode: 'array' as const,
        ...(prepare && { name: `${nameOf(text)}_${this.#generation}` }),
      }
      this.#client.query(query, (error: Error | null, result: pg.QueryArrayResult) => {
        this.#unanswered -= 1
        if (error) reject(this.#explain(error))
        else resolve(readResult(result, text))
      })
    })
  }

  /**
   * Runs `work`, a transaction, which has the connection for itself and may wait for something else
   * than an answer. Rejects when the connection is lost meanwhile.
   */
  async hold<T>(work: () => T | Promise<T>): Promise<T> {
    const lost = Promise.withResolvers<never>()
    this.#abandon = lost.reject
    if (this.#lost) lost.reject(this.#lost)
    try {
      return await Promise.race([work(), lost.promise])
    } finally {
      this.#abandon = undefined
    }
  }

  onNotification(listen: (payload: string) => void): void {
    this.#client.on('notification', ({ payload = '' }) => listen(payload))
  }

  /** Says goodbye once everything is answered. */
  async close(): Promise<void> {
    await this.#client.end()
  }

  /** Ends it now. What is not answered rejects. */
  destroy(why?: Error): void {
    this.#client.connection.stream.destroy()
    this.#lose(why)
  }

  #explain(error: Error): Error {
    const explained = explainAnswer(error)
    // In a failed transaction a statement may be unknown only because it could not be prepared.
    const failed = this.#client.getTransactionStatus() === 'E'
    if (isPlanOutdated(error) && !failed) this.#generation += 1
    // The server closes the connection: nobody else may get it meanwhile.
    if (isConnectionLost(explained)) this.destroy(explained)
    return explained
  }

  #lose(error?: Error): void {
    if (this.#lost) return
    this.#lost = explainAnswer(error ?? new Error('the connection is closed'))
    this.#abandon?.(this.#lost)
    this.#onLost()
  }
}

function tooLate(): Error {
  return connectionError('CONNECT_TIMEOUT', 'the server did not answer in time')
}

/**
 * Whether a prepared statement no longer fits, as a migration has changed its table, or is unknown.
 * The connection prepares its statements anew; asked again, it answers.
 */
export function isPlanOutdated(error: unknown): boolean {
  const { code, routine } = error as { readonly code?: unknown; readonly routine?: unknown }
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/** PostgreSQL, appendix A. */
const INVALID_PASSWORD = '28P01'

const UNREADABLE = [SyntaxError, TypeError, RangeError]

/** An error of pg as one of ours. */
export function explainAnswer(error: unknown, severity?: 'FATAL'): Error {
  if (error instanceof pg.DatabaseError) return new PostgresError(error, severity)
  if (!(error instanceof Error)) return new Error(String(error))
  // A value that could not be read.
  if (UNREADABLE.some(kind => error instanceof kind)) return error
  if ('code' in error) return error
  // The log-in has failed, and pg has not asked the server.
  if (error.message.startsWith('SASL: ')) return explainLogIn(error)
  // What else pg says by a sentence alone is that the connection has ended.
  return connectionError('CONNECTION_CLOSED', error.message, error)
}

function explainLogIn(error: Error): Error {
  const lacks_password = error.message.includes('client password must be')
  const said = lacks_password ? 'it asks for a password' : error.message
  return connectionError(INVALID_PASSWORD, said, error)
}
