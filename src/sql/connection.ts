// One connection to a server, through pg. It sends each statement at once, even while earlier
// statements wait for their answers; the statements that a transaction makes at one moment go
// together. Each statement ends: the server answers it, or it rejects when the connection is lost.
import type { Socket } from 'node:net'
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import pg from 'pg'
import { makeClient } from './client.ts'
import {
  connectionError,
  isConnectionLost,
  isReadOnly,
  NOT_PRIMARY,
  PostgresError,
} from './failure.ts'
import { type Answered, Group, type Pending, PreparedStatements } from './group.ts'
import { type Identity, identityIn, MEMBERS, SHORT_MEMBERS } from './identity.ts'
import { readResult } from './result.ts'
import { guardReader, watchedSocket } from './socket.ts'
import type { Rows, Sent } from './sql.ts'
import type { Address } from './url.ts'

export interface ConnectionOptions {
  /**
   * How many seconds connecting may take, the first statement included, unless the URL says it; 30
   * by default.
   */
  readonly connect_timeout?: number
  readonly application_name?: string
  /**
   * Calls of set_config, which the first statement makes after it has asked the server who it is.
   * If it fails, the connection is closed. Without the calls, nothing is asked.
   */
  readonly session?: readonly string[]
  /** Whether the session itself asks to be refused every write. */
  readonly read_only?: boolean
  /** How long the server may be silent while an answer is due; unlimited by default. */
  readonly silence_ms?: number
}

const CONNECT_TIMEOUT_S = 30
const KEEP_ALIVE_S = 60

export class Connection {
  readonly #client: pg.Client
  readonly #socket: Socket
  readonly #options: ConnectionOptions
  readonly #onLost: (reason: Error) => void
  readonly #connect_timeout_s: number
  #identity: Identity | undefined
  #lost: Error | undefined
  #unreplicated: Error | undefined
  /** Whether the transaction itself asks to be refused every write. */
  #reads = false
  #unanswered = 0
  #rejectHolder: ((error: Error) => void) | undefined
  readonly #prepared = new PreparedStatements()
  /** Statements that are not sent yet, in order. */
  #gathered: Pending[] = []
  /** Whether a BEGIN is unanswered. A later group waits: it could run outside the transaction. */
  #isOpening = false

  /** `way` is one of the address's ways to connect. */
  constructor(
    address: Address,
    way: false | TlsOptions,
    options: ConnectionOptions,
    onLost: (reason: Error) => void = () => {},
  ) {
    this.#options = options
    this.#onLost = onLost
    const { connect_timeout = CONNECT_TIMEOUT_S } = options
    this.#connect_timeout_s = address.connect_timeout_s ?? connect_timeout
    const isAwaited = () => this.#rejectHolder !== undefined || this.#unanswered > 0
    const { keep_alive } = address
    const socket = watchedSocket(options.silence_ms, isAwaited, keep_alive)
    this.#socket = socket
    this.#client = makeClient(address, way, {
      application_name: options.application_name,
      pipeline: true,
      // An idle connection would not notice otherwise that its server is gone.
      keepAlive: keep_alive.enable,
      keepAliveInitialDelayMillis: (keep_alive.idle_s ?? KEEP_ALIVE_S) * 1_000,
      stream: () => socket,
      // Accepts any number of iterations that a server asks for, as libpq does.
      ...{ scramMaxIterations: 0 },
      // Rows are read in result.ts.
      types: { getTypeParser: () => (text: string) => text },
    })
    const { connection } = this.#client
    // With TLS, pg reads from another stream.
    const ready = this.#client.ssl ? 'sslconnect' : 'connect'
    connection.on(ready, () => guardReader(connection.stream))
    this.#client.on('error', error => this.#lose(error))
    this.#client.on('end', () => this.#lose())
    this.#client.on('notice', notice => this.#refuseUnreplicated(notice))
  }

  /** Whether the server's machine has taken the connection: the server then lives, or hangs. */
  get isTaken(): boolean {
    return this.#socket.remoteAddress !== undefined
  }

  /** Who the server is; undefined if it was not asked. */
  get identity(): Identity | undefined {
    return this.#identity
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
    const timer = setTimeout(
      () => this.#client.connection.stream.destroy(tooLate()),
      this.#connect_timeout_s * 1_000,
    )
    this.#unanswered += 1
    try {
      await this.#client.connect()
      await this.identify()
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

  /** Asks the server who it is, and makes the settings of the session. */
  async identify(): Promise<void> {
    const { session } = this.#options
    if (session === undefined) return
    const ask = async (members: string) => {
      const { rows } = await this.#client.query(`select ${[members, ...session].join(', ')}`)
      this.#identity = identityIn(rows[0])
    }
    // Some servers do not tell everybody all of it.
    await ask(MEMBERS).catch(error => {
      if (!isServerAnswer(error)) throw error
      return ask(SHORT_MEMBERS)
    })
  }

  /** `onFailure` is told an error before the promise rejects. */
  send(sent: Sent, onFailure?: (error: Error) => void): Promise<Rows> {
    if (sent.opens === true) this.#reads = sent.text.includes('read only')
    else if (this.#rejectHolder === undefined) this.#reads = false
    return new Promise((resolve, reject) => {
      this.#unanswered += 1
      this.#gathered.push({ sent, resolve, reject, onFailure })
      if (this.#rejectHolder === undefined) this.#flush()
      else if (this.#gathered.length === 1) afterThisMoment(this.#flush)
    })
  }

  readonly #answered: Answered = ({ sent, resolve, reject, onFailure }, error, rows) => {
    this.#unanswered -= 1
    if (sent.opens === true) this.#opened(error)
    const failure = error === undefined ? this.#unreplicated : this.#explain(error)
    if (failure === undefined) return resolve(rows as Rows)
    onFailure?.(failure)
    reject(failure)
  }

  /** Sends what is gathered: groups, and between them texts that the server reads as they are. */
  readonly #flush = (): void => {
    while (this.#gathered.length > 0 && !this.#isOpening) {
      const [first] = this.#gathered as [Pending]
      const pending = this.#gathered.splice(0, groupLength(this.#gathered))
      if (isScript(first.sent)) this.#sendScript(first)
      else {
        this.#isOpening = pending.some(({ sent }) => sent.opens === true)
        this.#client.query(new Group(pending, this.#prepared, this.#answered))
      }
    }
  }

  #sendScript(pending: Pending): void {
    const query = { text: pending.sent.text, rowMode: 'array' as const }
    this.#client.query(query, (error: Error | null, result: pg.QueryArrayResult) => {
      if (error) this.#answered(pending, error)
      else this.#answered(pending, undefined, readResult(result))
    })
  }

  /** BEGIN is answered. After an error no later statement may reach the server. */
  #opened(error: Error | undefined): void {
    if (error) this.destroy(error)
    this.#isOpening = false
    this.#flush()
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
    const answered = explainAnswer(error)
    // The server has become a standby, or was told to take no writes: another one may take them.
    const asked_for = this.#reads || this.#options.read_only === true
    const is_demoted = isReadOnly(answered) && !asked_for
    const explained = is_demoted ? takesNoWrites(answered) : answered
    // A failed transaction prepares no statement: that the server does not know one proves nothing.
    const failed = this.#client.getTransactionStatus() === 'E'
    if (isPlanOutdated(error) && !failed) this.#prepared.forget()
    // The server closes the connection: no other caller may get it meanwhile.
    if (isConnectionLost(explained)) this.destroy(explained)
    return explained
  }

  /**
   * A server whose session is cancelled while it waits for a synchronous standby answers that it
   * has committed, with a warning, although a promotion may lose what it says. That is no answer:
   * the caller must not hear that the commit is safe.
   */
  #refuseUnreplicated({ routine }: { readonly routine?: string | undefined }): void {
    if (routine !== 'SyncRepWaitForLSN') return
    const words = 'the server has committed before its synchronous standby'
    this.#unreplicated = connectionError('CONNECTION_CLOSED', words)
    this.destroy(this.#unreplicated)
  }

  #lose(error?: Error): void {
    if (this.#lost) return
    this.#lost = explainAnswer(error ?? new Error('the connection is closed'))
    this.#rejectHolder?.(this.#lost)
    this.#onLost(this.#lost)
  }
}

/** How many statements go together: a script goes alone, and some statements lead their group. */
function groupLength(gathered: readonly Pending[]): number {
  if (gathered[0] !== undefined && isScript(gathered[0].sent)) return 1
  const next = gathered.findIndex(({ sent }, i) => i > 0 && (isScript(sent) || sent.leads === true))
  return next === -1 ? gathered.length : next
}

/** Whether the text may hold several statements, which the server does not prepare. */
function isScript({ text, parameters, prepare }: Sent): boolean {
  return !prepare && parameters.length === 0 && text.includes(';')
}

/** Calls back when all callbacks and promises that are ready now, and those they make, have run. */
function afterThisMoment(work: () => void): void {
  process.nextTick(() => queueMicrotask(() => process.nextTick(work)))
}

/** Whether the server refuses a statement, and keeps the session. */
function isServerAnswer(error: unknown): boolean {
  const answer = explainAnswer(error)
  return answer instanceof PostgresError && answer.severity === 'ERROR'
}

function takesNoWrites(cause: Error): Error {
  return connectionError(NOT_PRIMARY, `the server takes no writes: ${cause.message}`, cause)
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
