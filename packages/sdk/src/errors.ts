// The errors of a call: a refusal of the service, or the lack of a usable answer. `reason`
// distinguishes them.
import type { ApiReason, ErrorDetail } from './emitted/schemas.ts'

/** The facts of a failed call. */
export interface Facts {
  /** The id of the request in the service's log; without an answer, the id that the client sent. */
  readonly request_id: string
  readonly idempotency_key: string | undefined
  readonly attempts: number
}

/** ApiError or TransportError, for `switch (error.reason)`. */
export type CorridorError = ApiError | TransportError

abstract class FailedCall extends Error {
  readonly request_id: string
  /** Repeat the same call with this key: the service executes it once. */
  readonly idempotency_key: string | undefined
  readonly attempts: number

  constructor(message: string, facts: Facts, cause?: unknown) {
    super(message, { cause })
    this.request_id = facts.request_id
    this.idempotency_key = facts.idempotency_key
    this.attempts = facts.attempts
  }
}

/** The service refused the request. */
export class ApiError extends FailedCall {
  override readonly name = 'ApiError'
  /**
   * The reason of the first error. New versions of the service may add reasons, so keep a default
   * case.
   */
  readonly reason: ApiReason
  /** The number of `reason` in the catalogue of errors. */
  readonly code: number
  readonly status: number
  /** Every problem of the request; `remarks` is the path of the field. */
  readonly errors: readonly ErrorDetail[]
  readonly headers: Headers
  /** `Retry-After` in milliseconds; undefined without that header. */
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
 * After `connection_failed` and `timed_out` the service may have executed the request: repeat it
 * with its Idempotency-Key. `invalid_answer` is an answer of another server, or one with a number
 * that is not exact.
 */
export type TransportReason = 'connection_failed' | 'timed_out' | 'aborted' | 'invalid_answer'

/** The call has no usable answer. */
export class TransportError extends FailedCall {
  override readonly name = 'TransportError'
  readonly reason: TransportReason
  /** The HTTP status of an unusable answer. */
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
