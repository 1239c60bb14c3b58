// How a webhook is signed, by Standard Webhooks
// (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md): an HMAC-SHA256 over
// id, time and body, so that a receiver can tell ours from forged, altered and replayed ones.
// Knows nothing of endpoints, events or HTTP, and makes no chance of its own.
import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'

/** The specification's bounds for the secret of a symmetric signature. */
const SECRET_BYTES = { min: 24, max: 64 }

/** What a receiver keeps: `whsec_` and the base64 of the bytes, which must be random: 24 to 64. */
export function newSecret(bytes: Uint8Array): string {
  if (bytes.length < SECRET_BYTES.min || bytes.length > SECRET_BYTES.max) {
    throw new RangeError(`a secret has ${SECRET_BYTES.min} to ${SECRET_BYTES.max} bytes`)
  }
  return PREFIX + Buffer.from(bytes).toString('base64')
}

/**
 * The value of `webhook-signature`: `v1,<base64>` for each secret, with a space between. The key of
 * a signature is what the base64 of the secret stands for; `timestamp_s` is Unix time, in seconds.
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
 * All headers of one webhook. `id` is the same whenever this event is sent, so that a receiver can
 * drop what it has had; `timestamp_s` is when it is sent, so that it can drop what is old.
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
