// Idempotency keys as pure functions: what a claim is, and what a kept answer means for it.
import { hash } from 'node:crypto'
import { refusal } from '../errors.ts'
import { type Instant, plusMilliseconds } from '../instant.ts'

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

/** Contract 26: a key is kept this long. */
export const KEPT_HOURS = 24

/** Whether an answer is still kept, by the account's clock. */
export function isKept({ created_at }: KeptReply, now: Instant): boolean {
  return now < plusMilliseconds(created_at, KEPT_HOURS * 3_600_000)
}

/** Where a kept answer is found; the parts hold no line break, so no two claims share a name. */
export function keptName(claim: { account_id: string; operation: string; key: string }): string {
  return `${claim.account_id}\n${claim.operation}\n${claim.key}`
}

/**
 * SHA-256 of a body with its keys sorted: another order of keys or other white space is the same
 * request, any other difference is not.
 */
export function hashRequest(body: unknown): string {
  return hash('sha256', canonical(body), 'hex')
}

/** A kept answer with its text, whichever way it is kept. */
export type ReadReply = KeptReply & { readonly body: string }

/** The kept answer again; refuses when the key was used with another body (422). */
export function replay(kept: ReadReply, claim: Claim): Reply {
  if (kept.request_hash !== claim.request_hash) {
    throw refusal(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another body; send a new key for a new request.',
      'Idempotency-Key',
    )
  }
  return { status: kept.status, body: kept.body, replayed: true }
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = value as Readonly<Record<string, unknown>>
  const names = Object.keys(members).sort()
  return `{${names.map(name => `${JSON.stringify(name)}:${canonical(members[name])}`).join(',')}}`
}
