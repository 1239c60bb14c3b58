// The rules of idempotency keys: how long an answer is kept, and when it is replayed. Pure.
import { refusal } from '../../values/errors.ts'
import { type Instant, plusMilliseconds } from '../../values/instant.ts'
import type { Claim, KeptReply, Reply } from './kept-reply.ts'

/** How long an answer is kept (§idempotency.key). */
export const KEPT_HOURS = 24

/** Whether an answer is still kept, by the account's clock. */
export function isKept({ created_at }: KeptReply, now: Instant): boolean {
  return now < plusMilliseconds(created_at, KEPT_HOURS * 3_600_000)
}

/** The name of a kept answer. Its parts have no line break, so no two claims share a name. */
export function keptName(claim: { account_id: string; operation: string; key: string }): string {
  return `${claim.account_id}\n${claim.operation}\n${claim.key}`
}

/** The kept answer. Refuses a claim whose body differs (422). */
export function replay(kept: KeptReply, claim: Claim): Reply {
  if (kept.request_hash !== claim.request_hash) {
    throw refusal(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another body; send a new key for a new request.',
      'Idempotency-Key',
    )
  }
  const { status, body, headers } = kept
  return { status, body, replayed: true, ...(headers && { headers }) }
}
