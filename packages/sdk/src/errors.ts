// What a call is rejected with: what the service refused, or why there is no answer. `reason` tells
// each from the others.
import type { ApiReason, ErrorDetail } from './emitted/schemas.ts'

/** Facts of the call that failed. */
export interface Facts {
  /** The request in the log of the service; the one that was sent when there is no answer. */
  readonly request_id: string
  readonly idempotency_key: string | undefined
  readonly attempts: number
}

/** Either of the two below, for `switch (error.reason)`. */
export type CorridorError = ApiError | TransportError

abstract class FailedCall extends Error {
  readonly request_id: string
  /** Repeat the same call with this key: it has its effect once. */
  readonly idempotency_key: string | undefined
  readonly attempts: number

  constructor(message: string, facts: Facts, cause?: unknown) {
    super(message, { cause })
    this.request_id = facts.request_id
    this.idempotency_key = facts.idempotency_key
    this.attempts = facts.attempts
  }
}

/** The service has answered, and refused. */
export class ApiError extends FailedCall {
  override readonly name = 'ApiError'
  /** That of the first error. New versions of the service may have others: keep a default. */
  readonly reason: ApiReason
  /** The number of `reason` in the catalogue of errors. */
  readonly code: number
  readonly status: number
  /** Every problem of the request; `remarks` is the path of the field. */
  readonly errors: readonly ErrorDetail[]
  readonly headers: Headers
  /** What `Retry-After` says; undefined when the service has not said when to come back. */
  readonly retry_after_ms: number | undefined

  constructor(
    status: number,
    headers: Headers,
    errors: readonly ErrorDetail[],
    facts: Facts,
    retry_after_ms?: number,
  ) {
    const [first] = errors
    super(`${first?.message} (${first?.reason}, ${status}, request ${facts.request_id})`, facts)
    this.reason = first?.reason as ApiReason
    this.code = first?.code as number
    this.status = status
    this.errors = errors
    this.headers = headers
    this.retry_after_ms = retry_after_ms
  }
}

/**
 * `connection_failed` and `timed_out` may have had their effect: repeat with the Idempotency-Key.
 * `invalid_answer` comes from something else than the service, or has a number that is not exact.
 */
export type TransportReason = 'connection_failed' | 'timed_out' | 'aborted' | 'invalid_answer'

/** There is no answer that can be used. */
export class TransportError extends FailedCall {
  override readonly name = 'TransportError'
  readonly reason: TransportReason
  /** Of an answer that cannot be used. */
  readonly status: number | undefined

  constructor(
    reason: TransportReason,
    message: string,
    facts: Facts,
    more: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(`${message} (${reason}, request ${facts.request_id})`, facts, more.cause)
    this.reason = reason
    this.status = more.status
  }
}

export function isCorridorError(error: unknown): error is CorridorError {
  return error instanceof ApiError || error instanceof TransportError
}
