// Sends one webhook, and keeps the part of the answer that deliveries show.
import { type Answer, exchange, type OutgoingRequest } from './exchange.ts'
import type { AttemptResult } from './rules.ts'
import type { Attempt } from './webhook.ts'

export type SendResult = AttemptResult & Pick<Attempt, 'duration_ms' | 'error' | 'answer'>

/** Bytes of a body that are read. A longer answer still counts, because only its status matters. */
const MAX_BODY_BYTES = 16 * 1024
const MAX_ANSWER_CHARACTERS = 1000
/** A character has at most four bytes of UTF-8. */
const KEPT_BYTES = 4 * MAX_ANSWER_CHARACTERS
/** Far above any delay that rules.ts honours, and small enough to keep the number exact. */
const MAX_RETRY_AFTER_S = 999_999_999

/** Never rejects. Follows no redirect. */
export async function send(outgoing: OutgoingRequest): Promise<SendResult> {
  const size = { read_bytes: MAX_BODY_BYTES, kept_bytes: KEPT_BYTES }
  const { answer, error, duration_ms } = await exchange(outgoing, size)
  return { ...(answer === null ? NO_ANSWER : shownOf(answer)), error, duration_ms }
}

export const NO_ANSWER = { status_code: null, retry_after_s: null, answer: '' }

function shownOf({ status_code, headers, body }: Answer) {
  const retry_after_s = retryAfter(headers['retry-after'], Date.now())
  return { status_code, retry_after_s, answer: plainText(body) }
}

/** Seconds from now; null for text that is neither seconds nor a date of RFC 9110 5.6.7. */
export function retryAfter(value: string | undefined, now_ms: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text), MAX_RETRY_AFTER_S)
  if (!/^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d/.test(text)) return null
  // The oldest of the three date forms names no zone; all three mean GMT.
  const at_ms = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`)
  if (Number.isNaN(at_ms)) return null
  return Math.min(Math.max(Math.ceil((at_ms - now_ms) / 1000), 0), MAX_RETRY_AFTER_S)
}

/** Replaces characters that harm a terminal or that PostgreSQL rejects. */
function plainText(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes)
  const harmless = text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, ' ')
  return Array.from(harmless).slice(0, MAX_ANSWER_CHARACTERS).join('')
}
