// Signs webhooks as Standard Webhooks specifies (github.com/standard-webhooks/standard-webhooks,
// spec/standard-webhooks.md).
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

/** `v1,<base64>` for each secret; the bytes that a secret encodes are the key. */
export function signatures(
  secrets: readonly string[],
  id: string,
  timestamp_s: number,
  body: string,
): string {
  const signed = `${id}.${timestamp_s}.${body}`
  return secrets.map(secret => `v1,${signature(secret, signed)}`).join(' ')
}

/** A receiver drops repetitions by `id`, the same in every attempt, and old requests by time. */
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
