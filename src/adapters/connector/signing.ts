// Signs requests to a connector and checks its signatures, by Standard Webhooks (webhooks/sign.ts).
// The signature also covers the method and path of a request, and the status of an answer, so that
// no message passes for another one. Pure.
import { timingSafeEqual } from 'node:crypto'
import { signatures, webhookHeaders } from '../../webhooks/sign.ts'
import { TOLERANCE_S } from './protocol.ts'

/** `whsec_` and base64. Two while a secret is replaced: the new one first. */
export type Secrets = readonly string[]

export interface SignedRequest {
  /** Random for each request. The answer repeats it. */
  readonly id: string
  readonly timestamp_s: number
  readonly method: 'GET' | 'POST' | 'PUT'
  /** The path after the address of the connector, such as `/capabilities`. */
  readonly path: string
  readonly body: string
}

export function requestHeaders(secrets: Secrets, request: SignedRequest): Record<string, string> {
  const { id, timestamp_s, method, path, body } = request
  const signed = webhookHeaders(secrets, id, timestamp_s, `${method} ${path}\n${body}`)
  if (body !== '') return signed
  const { 'content-type': _, ...headers } = signed
  return headers
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

interface SignedAnswer {
  readonly status_code: number
  readonly headers: Headers
  readonly body: string
}

/** Why an answer is not accepted, as the end of a sentence about it; '' when it is accepted. */
export function answerProblem(
  secrets: Secrets,
  request_id: string,
  { status_code, headers, body }: SignedAnswer,
  now_s: number,
): string {
  const problem = signatureProblem(secrets, headers, `${status_code}\n${body}`, now_s)
  if (problem !== '') return problem
  return headers['webhook-id'] === request_id ? '' : 'is signed for another request'
}

/** As `answerProblem`, for a message whose whole signed payload is `payload`, such as a webhook. */
export function signatureProblem(
  secrets: Secrets,
  headers: Headers,
  payload: string,
  now_s: number,
): string {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': sent } = headers
  if (typeof id !== 'string' || typeof time !== 'string' || typeof sent !== 'string') {
    return 'is not signed'
  }
  if (!/^[1-9][0-9]{0,11}$/.test(time)) return 'has no time in its signature'
  const expected = secrets.map(secret => signatures([secret], id, Number(time), payload))
  const given = sent.split(' ').slice(0, MAX_SIGNATURES)
  const is_signed = expected.some(right => given.some(signature => isSame(right, signature)))
  if (!is_signed) return 'has a wrong signature'
  const difference_s = Math.abs(now_s - Number(time))
  return difference_s <= TOLERANCE_S ? '' : `is signed ${difference_s} s away from this clock`
}

/** Further signatures of a header are ignored, to bound the work of one message. */
const MAX_SIGNATURES = 10

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
