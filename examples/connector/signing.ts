// Signatures of the connector protocol, by Standard Webhooks: HMAC-SHA256 over id, time and
// message. The message of a request is "METHOD /path", a line break and the body; that of an answer
// its status, a line break and the body; that of a webhook its body.
import { createHmac, timingSafeEqual } from 'node:crypto'

/** How far the time of a request may be from this clock, in seconds. */
const TOLERANCE_S = 300

export function sign(secret: string, id: string, timestamp_s: number, message: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const digest = createHmac('sha256', key).update(`${id}.${timestamp_s}.${message}`)
  return `v1,${digest.digest('base64')}`
}

export interface Signature {
  readonly id: string | undefined
  readonly time: string | undefined
  /** Several, separated by spaces, while Corridor replaces its secret. */
  readonly signatures: string | undefined
}

export type SignatureFault = 'missing' | 'wrong' | 'old' | 'early'

/** What is wrong with a signature; undefined when nothing is. */
export function faultOf(
  secret: string,
  { id, time, signatures }: Signature,
  message: string,
  now_s: number,
): SignatureFault | undefined {
  if (id === undefined || time === undefined || signatures === undefined) return 'missing'
  if (!/^\d{1,12}$/.test(time)) return 'wrong'
  const right = Buffer.from(sign(secret, id, Number(time), message))
  const matches = signatures
    .split(' ')
    .map(text => Buffer.from(text))
    .some(given => given.length === right.length && timingSafeEqual(given, right))
  if (!matches) return 'wrong'
  if (Number(time) < now_s - TOLERANCE_S) return 'old'
  return Number(time) > now_s + TOLERANCE_S ? 'early' : undefined
}
