// Signs webhooks as Standard Webhooks specifies (github.com/standard-webhooks/standard-webhooks,
// spec/standard-webhooks.md): HMAC-SHA256 over id, time and body. It lets a receiver detect forged,
// altered and replayed requests. Pure.
import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'

/** The specification's bounds for a symmetric secret. */
const SECRET_BYTES = { min: 24, max: 64 }

/** `whsec_` and the base64 of 24 to 64 random bytes. */
export function newSecret(bytes: Uint8Array): string {
  if (bytes.length < SECRET_BYTES.min || bytes.length > SECRET_BYTES.max) {
    throw new RangeError(`a secret has ${SECRET_BYTES.min} to ${SECRET_BYTES.max} bytes`)
  }
  return PREFIX + Buffer.from(bytes).toString('base64')
}

/**
 * The header `webhook-signature`: `v1,<base64>` for each secret, separated by spaces. The bytes
 * that a secret encodes are the key. `timestamp_s` is Unix time in seconds.
 */
export function signatures(
  secrets: readonly string[],
  id: string,
  timestamp_s: number,
  body: string,
): string {
  const signed = `${id}.${timestamp_s}.${body}`
  return secrets.map(secret => `v1,${signature(secret, signed)}`).join(' ')
}

/**
 * The headers of one webhook. `id` is the same in every attempt, so that a receiver can drop
 * repetitions; `timestamp_s` is the time of sending, so that it can drop old requests.
 */
export function webhookHeaders(
  secrets: readonly string[],
  id: string,
  timestamp_s: number,
  body: string,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Corridor',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp_s),
    'webhook-signature': signatures(secrets, id, timestamp_s, body),
  }
}

function signature(secret: string, signed: string): string {
  if (!secret.startsWith(PREFIX)) throw new TypeError(`a secret starts with ${PREFIX}`)
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return createHmac('sha256', key).update(signed).digest('base64')
}
