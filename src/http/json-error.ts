// Why a body of JSON was refused, and where.

export type JsonErrorReason =
  | 'syntax'
  | 'duplicate_key'
  | 'forbidden_key'
  | 'too_deep'
  | 'too_many_values'
  | 'too_many_keys'
  | 'too_long'
  | 'nul_character'
  | 'lone_surrogate'
  | 'invalid_utf8'
  | 'byte_order_mark'

/**
 * Why a body was refused. `message` is a sentence for the caller that names the position (line and
 * column from 1, in UTF-16 units; for invalid UTF-8 the byte, from 0) and never repeats a value.
 * `path` is where it happened: `payout_info.amount`, `documents[2].type`, `["odd key"].x`; '' means
 * the whole body.
 */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  readonly reason: JsonErrorReason
  readonly path: string

  constructor(reason: JsonErrorReason, path: string, message: string) {
    super(message)
    this.reason = reason
    this.path = path
  }
}
