// Idempotency keys as pure functions: what a claim is, and what a kept answer means for it.
import { hash } from 'node:crypto'
import { refusal } from '../errors.ts'
import { type Instant, plusMilliseconds } from '../instant.ts'
import type { Claim, KeptReply, ReadReply, Reply } from './kept-reply.ts'

/** A key is kept this long (§idempotency.key). */
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
  let text = ''
  for (const name of Object.keys(members).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonical(members[name])}`
  }
  return `{${text}}`
}
