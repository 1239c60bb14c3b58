// Answers kept under Idempotency-Keys, and the members that commands and outcomes need for them.

import { sealOf } from '../../values/digest.ts'
import type { Instant } from '../../values/instant.ts'

/** A request under an Idempotency-Key. */
export interface Claim {
  /** Method and path, such as `POST /v3/payout`. */
  readonly operation: string
  readonly key: string
  /** Hash of the body, 64 hex digits. */
  readonly request_hash: string
}

/** A successful answer; `body` is its exact text. */
export interface Reply {
  readonly status: number
  readonly body: string
  /** Whether this is a kept answer: the request has changed nothing. */
  readonly replayed: boolean
  /** Headers that belong to the answer, which a repeat gets too. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface KeptReply extends Claim {
  readonly account_id: string
  readonly status: number
  readonly body: string
  readonly headers: Reply['headers'] | null
  readonly created_at: Instant
}

/** A command of an operation that keeps answers under Idempotency-Keys. */
export interface Claiming {
  readonly account_id: string
  /** Null when the request carries no Idempotency-Key. */
  readonly claim: Claim | null
}

/** Rows, and the bytes of their texts. */
export interface Written {
  readonly rows: number
  readonly bytes: number
  /** Whether refused payouts are among them, which move no money: a full quota refuses those. */
  readonly has_refused?: boolean
}

/** The columns of kept answers, as written and as sealed. */
export const KEPT_KINDS = {
  account_id: 'text',
  operation: 'text',
  key: 'text',
  request_hash: 'hex',
  status: 'integer',
  body: 'document',
  headers: 'json',
  created_at: 'timestamptz',
} as const

export const KEPT_SEAL = sealOf<KeptReply>(KEPT_KINDS)
