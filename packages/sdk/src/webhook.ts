// Verifies a webhook by Standard Webhooks, with WebCrypto alone, and gives the exact reason of a
// refusal. It parses the body only after its signature is verified.
import { type EventOf, MONEY } from './emitted/schemas.ts'
import { readJson } from './json.ts'

export type WebhookReason =
  | 'missing_header'
  | 'invalid_header'
  | 'invalid_secret'
  | 'body_not_raw'
  | 'signature_mismatch'
  | 'too_old'
  | 'too_new'
  | 'invalid_body'

export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly reason: WebhookReason
  /** The header that is missing or wrong. */
  readonly header: string | undefined
  /** Seconds from the webhook's timestamp to this clock; negative when the timestamp is ahead. */
  readonly off_by_s: number | undefined

  constructor(
    reason: WebhookReason,
    message: string,
    more: { readonly header?: string; readonly off_by_s?: number } = {},
  ) {
    super(message)
    this.reason = reason
    this.header = more.header
    this.off_by_s = more.off_by_s
  }
}

export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface WebhookOptions<Mode extends 'number' | 'bigint' = 'number'> {
  /** The most seconds between the timestamp and this clock; 300 by default. */
  readonly tolerance_s?: number
  readonly money?: Mode
  /** The present, in milliseconds since 1970. */
  readonly now_ms?: number
}

/**
 * Returns the event of a webhook that one of the secrets has signed; throws a WebhookError
 * otherwise. `rawBody` is the received body, before any parsing: the signature does not match a
 * body that was parsed and written again.
 */
export async function verifyWebhook<Mode extends 'number' | 'bigint' = 'number'>(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { tolerance_s = 300, money, now_ms = Date.now() }: WebhookOptions<Mode> = {},
): Promise<EventOf<Mode extends 'bigint' ? bigint : number>> {
  const body = readBody(rawBody)
  const id = header(headers, 'webhook-id')
  const timestamp = header(headers, 'webhook-timestamp')
  const signatures = readSignatures(header(headers, 'webhook-signature'))
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw invalid('webhook-timestamp', `webhook-timestamp is not Unix time in seconds`)
  }
  const keys = await Promise.all([secret].flat().map(readSecret))
  if (keys.length === 0) throw new WebhookError('invalid_secret', 'there is no secret')
  const verifies = (bytes: Uint8Array) => isSigned(keys, signatures, `${id}.${timestamp}.`, bytes)
  if (!(await verifies(body))) throw await mismatch(body, verifies)
  const off_by_s = Math.floor(now_ms / 1000) - Number(timestamp)
  if (Math.abs(off_by_s) > tolerance_s) {
    const [reason, words] =
      off_by_s > 0 ? (['too_old', 'ago'] as const) : (['too_new', 'ahead'] as const)
    const seconds = `${Math.abs(off_by_s)} seconds ${words}`
    const message = `signed ${seconds} by this clock, and ${tolerance_s} are allowed`
    throw new WebhookError(reason, message, { off_by_s })
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    return readJson(text, money === 'bigint' ? MONEY : undefined) as never
  } catch (error) {
    throw new WebhookError('invalid_body', `the body cannot be read: ${(error as Error).message}`)
  }
}

function readBody(raw: unknown): Uint8Array<ArrayBuffer> {
  if (typeof raw === 'string') return new TextEncoder().encode(raw)
  if (raw instanceof Uint8Array) return new Uint8Array(raw)
  if (raw instanceof ArrayBuffer) return new Uint8Array(raw)
  const message = 'the body is an object already: give the text or the bytes as they came'
  throw new WebhookError('body_not_raw', message)
}

/** A header's value, by its name in any case. Several signature headers all count. */
function header(headers: WebhookHeaders, name: string): string {
  const values =
    headers instanceof Headers
      ? [headers.get(name) ?? undefined]
      : Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? value : []))
  const sent = values.filter(value => value !== undefined && value !== '')
  if (sent.length === 0)
    throw new WebhookError('missing_header', `${name} is missing`, { header: name })
  if (sent.length > 1 && name !== 'webhook-signature') throw invalid(name, `${name} was sent twice`)
  return sent.join(' ')
}

function invalid(name: string, message: string): WebhookError {
  return new WebhookError('invalid_header', message, { header: name })
}

/** The signatures of version 1, separated by spaces. */
function readSignatures(text: string): Uint8Array<ArrayBuffer>[] {
  const found = text.split(' ').flatMap(one => {
    const bytes = one.startsWith('v1,') ? fromBase64(one.slice(3)) : undefined
    return bytes === undefined ? [] : [bytes]
  })
  if (found.length > 0) return found
  throw invalid('webhook-signature', 'webhook-signature has no signature of version v1')
}

async function readSecret(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith('whsec_') ? fromBase64(secret.slice(6)) : undefined
  if (bytes === undefined || bytes.length === 0) {
    throw new WebhookError('invalid_secret', 'a secret is whsec_ and base64')
  }
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Whether any secret made any of the signatures. WebCrypto compares in constant time. */
async function isSigned(
  keys: readonly CryptoKey[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
  before: string,
  body: Uint8Array,
): Promise<boolean> {
  const start = new TextEncoder().encode(before)
  const signed = new Uint8Array(start.length + body.length)
  signed.set(start)
  signed.set(body, start.length)
  const pairs = keys.flatMap(key => signatures.map(signature => [key, signature] as const))
  const results = await Promise.all(
    pairs.map(([key, signature]) => crypto.subtle.verify('HMAC', key, signature, signed)),
  )
  return results.includes(true)
}

/**
 * The error for a wrong signature. The service writes JSON without spaces: a body whose compact
 * form verifies was parsed and written again.
 */
async function mismatch(
  body: Uint8Array,
  verifies: (bytes: Uint8Array) => Promise<boolean>,
): Promise<WebhookError> {
  const text = new TextDecoder().decode(body)
  const compact = compactJson(text)
  if (compact !== undefined && (await verifies(new TextEncoder().encode(compact)))) {
    const message = 'the body was parsed and written again: verify it as it came'
    return new WebhookError('body_not_raw', message)
  }
  const message = 'no secret has signed this body: another secret, or the body was changed'
  return new WebhookError('signature_mismatch', message)
}

function compactJson(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return undefined
  }
}
