// What a database error means for the one who asked: try again, give up for now, or a fault of
// ours.

/**
 * `contention`: rolled back, safe to repeat. `unavailable`: unreachable or out of room. `unknown`:
 * it may have been committed.
 */
export type Failure = 'contention' | 'unavailable' | 'unknown' | 'fault'

// PostgreSQL, appendix A: serialization_failure, deadlock_detected, lock_not_available.
const CONTENTION = new Set(['40001', '40P01', '55P03'])

// Whole classes: 08 connection exception, 53 insufficient resources, 57 operator intervention
// (shutdown, crash recovery, statement time-out), 58 system error.
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58'])

const UNAVAILABLE_CODES = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
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

/** A database, or a backup of one, that must not be worked with as it is; the words say why. */
export class DatabaseProblem extends Error {}

/** What was read before locking is no longer so: a fault of nobody, and safe to repeat. */
export class Contention extends Error {
  readonly code = '40001'
}

/**
 * COMMIT was sent, and nothing that came back says that it did not happen: whoever repeats what the
 * transaction did must first find out whether it is done, or be known by a key.
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

/** Is the connection gone, or about to be closed by the server? FATAL and PANIC end the session. */
export function isConnectionLost(error: unknown): boolean {
  const severity = (error as { severity?: unknown } | null)?.severity
  return UNAVAILABLE_CODES.has(errorCode(error)) || severity === 'FATAL' || severity === 'PANIC'
}

/** Did the server itself refuse a statement, and so roll its transaction back? */
export function isServerError(error: unknown): boolean {
  return (error as { severity?: unknown } | null)?.severity === 'ERROR'
}

/** Of a refusal, too, that was made of it. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof OutcomeUnknown || (error as Error | null)?.cause instanceof OutcomeUnknown
}

/**
 * Does an error that answers a COMMIT say that it did not happen? Class 40, transaction rollback,
 * but for 40003, which says that this is not known; class 23, a constraint that is checked then;
 * and 25P02, a statement before it that had failed. A distributed engine can answer with any other
 * when one of its nodes has committed.
 */
export function isRolledBack(error: unknown): boolean {
  return isServerError(error) && /^(?:40(?!003)|23|25P02$)/.test(errorCode(error))
}

function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}
