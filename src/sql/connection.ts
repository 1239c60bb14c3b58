// One connection to a server, through pg. It sends each statement at once, even while earlier
// statements wait for their answers. Each statement ends: the server answers it, or it rejects when
// the connection is lost.
import pg from 'pg'
import { makeClient } from './client.ts'
import { connectionError, isConnectionLost, PostgresError } from './failure.ts'
import { nameOf, readResult } from './result.ts'
import { guardReader, watchedSocket } from './socket.ts'
import type { Rows, Sent } from './sql.ts'
import { readerOf } from './values.ts'

export interface ConnectionOptions {
  /** How many seconds connecting may take, the first statement included; 30 by default. */
  readonly connect_timeout?: number
  readonly application_name?: string
  /** The first statement. If it fails, the connection is closed. */
  readonly session?: string
  /** How long the server may be silent while an answer is due; unlimited by default. */
  readonly silence_ms?: number
}

const CONNECT_TIMEOUT_S = 30

export class Connection {
  readonly #client: pg.Client
  readonly #options: ConnectionOptions
  readonly #onLost: () => void
  #lost: Error | undefined
  #unanswered = 0
  #rejectHolder: ((error: Error) => void) | undefined
  /** Is part of the names of prepared statements. A new number prepares all of them again. */
  #generation = 0

  constructor(url: string, options: ConnectionOptions, onLost: () => void = () => {}) {
    this.#options = options
    this.#onLost = onLost
    const isAwaited = () => this.#rejectHolder !== undefined || this.#unanswered > 0
    const socket = watchedSocket(options.silence_ms, isAwaited)
    this.#client = makeClient(url, {
      application_name: options.application_name,
      pipeline: true,
      // An idle connection would not notice otherwise that its server is gone.
      keepAlive: true,
      keepAliveInitialDelayMillis: 60_000,
      stream: () => socket,
      // Accepts any number of iterations that a server asks for, as libpq does.
      ...{ scramMaxIterations: 0 },
      types: { getTypeParser: readerOf as pg.CustomTypesConfig['getTypeParser'] },
    })
    const { connection } = this.#client
    // With TLS, pg reads from another stream.
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

  /** The id of the server process, as sent when the connection began. A pooler sends another id. */
  get pid(): number {
    return (this.#client as unknown as { processID: number }).processID
  }

  /** Connects. Closes the connection and rejects when the server refuses it or takes too long. */
  async open(): Promise<void> {
    const { connect_timeout = CONNECT_TIMEOUT_S, session } = this.#options
    const timer = setTimeout(
      () => this.#client.connection.stream.destroy(tooLate()),
      connect_timeout * 1_000,
    )
    this.#unanswered += 1
    try {
      await this.#client.connect()
      if (session !== undefined) await this.#client.query(session)
      // An error may have arrived together with the last answer.
      if (this.#lost) throw this.#lost
    } catch (error) {
      this.destroy()
      throw explainAnswer(error, 'FATAL')
    } finally {
      this.#unanswered -= 1
      clearTimeout(timer)
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
   * Runs `work`, a transaction that alone uses the connection. Rejects when the connection is lost,
   * even while `work` waits for something other than an answer.
   */
  async hold<T>(work: () => T | Promise<T>): Promise<T> {
    const lost = Promise.withResolvers<never>()
    this.#rejectHolder = lost.reject
    if (this.#lost) lost.reject(this.#lost)
    try {
      return await Promise.race([work(), lost.promise])
    } finally {
      this.#rejectHolder = undefined
    }
  }

  onNotification(listen: (payload: string) => void): void {
    this.#client.on('notification', ({ payload = '' }) => listen(payload))
  }

  /** Closes the connection after the last answer. */
  async close(): Promise<void> {
    await this.#client.end()
  }

  /** Closes the connection now. Unanswered statements reject. */
  destroy(reason?: Error): void {
    this.#client.connection.stream.destroy()
    this.#lose(reason)
  }

  #explain(error: Error): Error {
    const explained = explainAnswer(error)
    // A failed transaction prepares no statement: that the server does not know one proves nothing.
    const failed = this.#client.getTransactionStatus() === 'E'
    if (isPlanOutdated(error) && !failed) this.#generation += 1
    // The server closes the connection: no other caller may get it meanwhile.
    if (isConnectionLost(explained)) this.destroy(explained)
    return explained
  }

  #lose(error?: Error): void {
    if (this.#lost) return
    this.#lost = explainAnswer(error ?? new Error('the connection is closed'))
    this.#rejectHolder?.(this.#lost)
    this.#onLost()
  }
}

function tooLate(): Error {
  return connectionError('CONNECT_TIMEOUT', 'the server did not answer in time')
}

/**
 * Whether the server refuses a prepared statement: a migration has changed its table, or the server
 * does not know the statement. The connection then prepares its statements again, so a second
 * attempt succeeds.
 */
export function isPlanOutdated(error: unknown): boolean {
  const { code, routine } = error as { readonly code?: unknown; readonly routine?: unknown }
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/** PostgreSQL, appendix A. */
const INVALID_PASSWORD = '28P01'

const UNREADABLE = [SyntaxError, TypeError, RangeError]

/** Turns an error of pg into one that failure.ts can classify. */
export function explainAnswer(error: unknown, severity?: 'FATAL'): Error {
  if (error instanceof pg.DatabaseError) return new PostgresError(error, severity)
  if (!(error instanceof Error)) return new Error(String(error))
  // values.ts could not read a value.
  if (UNREADABLE.some(kind => error instanceof kind)) return error
  if ('code' in error) return error
  // pg itself has ended the log-in, without an error from the server.
  if (error.message.startsWith('SASL: ')) return explainLogIn(error)
  // Any other error of pg without a code means that the connection has ended.
  return connectionError('CONNECTION_CLOSED', error.message, error)
}

function explainLogIn(error: Error): Error {
  const lacks_password = error.message.includes('client password must be')
  const reason = lacks_password ? 'it asks for a password' : error.message
  return connectionError(INVALID_PASSWORD, reason, error)
}
