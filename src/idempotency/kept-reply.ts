// An answer that is kept for an Idempotency-Key, and what commands and outcomes have for it.
import type { Instant } from '../instant.ts'

/** A request's wish to be answered once: the header's key, and a hash of what was asked. */
export interface Claim {
  /** Method and path, such as `POST /v3/payout`. */
  readonly operation: string
  readonly key: string
  /** 64 hex digits. */
  readonly request_hash: string
}

/** A successful answer: the body is the exact text on the wire. */
export interface Reply {
  readonly status: number
  readonly body: string
  /** True when this is a stored answer and nothing was done. */
  readonly replayed: boolean
}

export interface KeptReply extends Claim {
  readonly account_id: string
  readonly status: number
  /** The answer's text; null when it is kept as an object that it can be written from again. */
  readonly body: string | null
  /** The id of that object; '' when the text is kept. */
  readonly object_id: string
  /** What the answer says of the object that can have changed since; null when the text is kept. */
  readonly state: unknown
  readonly created_at: Instant
}

/** What an operation under a key is asked. */
export interface Claiming {
  readonly account_id: string
  /** Null when the request carries no Idempotency-Key. */
  readonly claim: Claim | null
}

/** What an operation under a key must return: its answer, written as it goes to the socket. */
export interface Answering {
  readonly reply: Reply
}

/** A kept answer with its text, whichever way it is kept. */
export type ReadReply = KeptReply & { readonly body: string }
