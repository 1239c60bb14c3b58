// Classifies database errors by what the caller can do: retry, give up for now, or report a fault.
import type { DatabaseError } from 'pg'

/**
 * - `contention`: rolled back and safe to retry.
 * - `unavailable`: the database is unreachable or out of resources.
 * - `unknown`: the transaction may have been committed.
 * - `fault`: a fault of the service.
 */
export type Failure = 'contention' | 'unavailable' | 'unknown' | 'fault'

// PostgreSQL, appendix A: serialization_failure, deadlock_detected, lock_not_available.
const CONTENTION = new Set(['40001', '40P01', '55P03'])

// Whole classes: 08 connection exception, 53 insufficient resources, 57 operator intervention
// (shutdown, crash recovery, statement time-out), 58 system error.
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58'])

/** The server is a standby, a former primary, or none of those of the URL takes writes. */
export const NOT_PRIMARY = 'NOT_PRIMARY'

const UNAVAILABLE_CODES = new Set([
  NOT_PRIMARY,
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** Of a Unix socket: its server is down, or too many clients connect. Of a file: a fault. */
const UNAVAILABLE_SOCKETS = new Set(['ENOENT', 'EAGAIN'])

/** An error that the server answered with. Its message may hold data. */
export class PostgresError extends Error {
  override readonly name = 'PostgresError'
  /** SQLSTATE, five characters. */
  readonly code: string
  /** FATAL and PANIC end the session. */
  readonly severity: 'ERROR' | 'FATAL' | 'PANIC'
  readonly schema_name: string | undefined
  readonly table_name: string | undefined
  readonly column_name: string | undefined
  readonly constraint_name: string | undefined
  readonly routine: string | undefined

  constructor(answer: DatabaseError, severity?: 'FATAL') {
    super(answer.message)
    this.code = answer.code ?? ''
    this.severity = severity ?? severityOf(answer)
    this.schema_name = answer.schema
    this.table_name = answer.table
    this.column_name = answer.column
    this.constraint_name = answer.constraint
    this.routine = answer.routine
  }
}

/**
 * Codes with which the server ends a session: idle_in_transaction_session_timeout,
 * transaction_timeout, a shutdown, a broken protocol. The severity that pg passes on does not
 * suffice: the server may write it in another language.
 */
const ENDING = /^(?:25P0[34]|57P|08)/

function severityOf({ severity, code = '' }: DatabaseError): PostgresError['severity'] {
  if (severity === 'ERROR' || severity === 'FATAL' || severity === 'PANIC') return severity
  return ENDING.test(code) ? 'FATAL' : 'ERROR'
}

export function connectionError(code: string, message: string, cause?: Error): Error {
  return Object.assign(new Error(message, { cause }), { code })
}

/** A database or backup that cannot be used as it is. The message says why. */
export class DatabaseProblem extends Error {}

/** Rows that the transaction read before it locked the books have changed. A retry is safe. */
export class Contention extends Error {
  readonly code = '40001'
}

/**
 * COMMIT was sent, and no answer proves a rollback. To retry safely, first find out whether the
 * transaction took effect, or repeat under the same Idempotency-Key.
 */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super(`whether it was committed is not known: ${(cause as Error).message}`, { cause })
  }
}

export function classify(error: unknown): Failure {
  if (isOutcomeUnknown(error)) return 'unknown'
  const code = errorCode(error)
  if (CONTENTION.has(code)) return 'contention'
  if (isConnectionLost(error)) return 'unavailable'
  if (code.length === 5 && UNAVAILABLE_CLASSES.has(code.slice(0, 2))) return 'unavailable'
  return 'fault'
}

/** Whether a connection that only reads tried to write (read_only_sql_transaction). */
export function isReadOnly(error: unknown): boolean {
  return errorCode(error) === '25006'
}

/** Whether the server does not know a table. A missing shard has moved to another machine. */
export function isTableMissing(error: unknown): boolean {
  return errorCode(error) === '42P01'
}

/** Whether the connection is lost. FATAL and PANIC end the session. */
export function isConnectionLost(error: unknown): boolean {
  const { severity, syscall } = (error ?? {}) as { severity?: unknown; syscall?: unknown }
  const code = errorCode(error)
  if (syscall === 'connect' && UNAVAILABLE_SOCKETS.has(code)) return true
  return UNAVAILABLE_CODES.has(code) || severity === 'FATAL' || severity === 'PANIC'
}

/** Whether the server rejected a statement, and so rolled the transaction back. */
export function isServerError(error: unknown): boolean {
  return (error as { severity?: unknown } | null)?.severity === 'ERROR'
}

/** Whether an error is an OutcomeUnknown, or a Refusal that one has caused. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof OutcomeUnknown || (error as Error | null)?.cause instanceof OutcomeUnknown
}

/**
 * Whether an error in answer to COMMIT proves that nothing was committed: class 40 (transaction
 * rollback, except 40003, statement completion unknown), class 23 (a deferred constraint) and 25P02
 * (an earlier statement failed). A distributed database may answer with any other error although
 * one of its nodes has committed.
 */
export function isRolledBack(error: unknown): boolean {
  return isServerError(error) && /^(?:40(?!003)|23|25P02$)/.test(errorCode(error))
}

function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}
