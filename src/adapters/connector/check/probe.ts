// Sends the checks' requests to a connector, as Corridor sends them or with deviations. Keeps every
// answer, and every payment that the connector has taken.
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { misfitsOf } from '../../../http/validators.ts'
import { newId } from '../../../values/id.ts'
import { type ExchangeResult, exchange } from '../../../webhooks/exchange.ts'
import { newSecret } from '../../../webhooks/sign.ts'
import { Finding, Skipped } from '../../checks.ts'
import type { Order } from '../order.ts'
import { type Capabilities, MAX_BODY_BYTES, Payment } from '../protocol.ts'
import { requestHeaders, type Secrets, type SignedRequest } from '../signing.ts'

/** How a request deviates from Corridor's. */
export interface Deviation {
  readonly signed?: 'not' | 'by_another_secret' | 'twice'
  /** The time of the signature, in seconds from now. */
  readonly at_s?: number
  /** Sent instead of the signed path or body. */
  readonly sent_path?: string
  readonly sent_body?: string
  /** Hangs up after this time, without the answer. */
  readonly within_ms?: number
}

export interface Reply {
  readonly request: string
  readonly request_id: string
  /** 0 without an answer. */
  readonly status_code: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
  /** Undefined when the body is not JSON. */
  readonly json: unknown
  readonly is_whole: boolean
  /** Why there is no answer; '' with one. */
  readonly error: string
  readonly duration_ms: number
}

/** A payment that the connector has answered with. */
export interface TakenPayment {
  readonly id: string
  readonly order: Order
  readonly reference: string
}

export interface ProbeOptions {
  readonly url: string
  readonly secrets: Secrets
  /** Members that every order has. */
  readonly order: Readonly<Record<string, unknown>>
  /** How long the checks watch a payment that does not end. */
  readonly watch_ms: number
  /** The longest time to an answer. */
  readonly answer_within_ms: number
}

export class Probe {
  readonly replies: Reply[] = []
  readonly taken: TakenPayment[] = []
  /** Set by the check `capabilities-fit`. */
  capabilities: Capabilities | undefined
  readonly options: ProbeOptions

  constructor(options: ProbeOptions) {
    this.options = options
  }

  async ask(
    method: SignedRequest['method'],
    path: string,
    body?: unknown,
    deviation: Deviation = {},
  ): Promise<Reply> {
    const { url } = this.options
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
    const request = {
      id: randomUUID(),
      timestamp_s: Math.floor(Date.now() / 1000) + (deviation.at_s ?? 0),
      method,
      path,
      body: text,
    }
    const headers = this.#headers(request, deviation)
    const sending = {
      method,
      url: `${url.replace(/\/$/, '')}${deviation.sent_path ?? path}`,
      headers,
      body: deviation.sent_body ?? text,
      timeout_ms: deviation.within_ms ?? this.options.answer_within_ms,
      // The operator names the connector, so any address is allowed.
      allow_private: true,
    }
    const size = { read_bytes: MAX_BODY_BYTES, kept_bytes: MAX_BODY_BYTES }
    const reply = replyOf(`${method} ${path}`, request.id, await exchange(sending, size))
    if (deviation.within_ms === undefined) this.replies.push(reply)
    return reply
  }

  /** Asks for a known payment; skips the check when the connector does not know it. */
  async payment(id: string): Promise<Payment> {
    const reply = await this.ask('GET', `/payments/${id}`)
    if (reply.status_code === 404) throw new Skipped(`${id} is not known: see keys-kept`)
    return paymentOf(reply)
  }

  /** Sends an order; fails the check unless the connector takes it. */
  async put(id: string, order: Order): Promise<Payment> {
    const payment = paymentOf(await this.ask('PUT', `/payments/${id}`, order))
    this.taken.push({ id, order, reference: payment.reference })
    return payment
  }

  /** Polls a payment until `isDone` or for `watch_ms`. Returns every version of it. */
  async watch(id: string, isDone: (payment: Payment) => boolean): Promise<readonly Payment[]> {
    const versions: Payment[] = []
    const until = performance.now() + this.options.watch_ms
    for (;;) {
      const payment = await this.payment(id)
      versions.push(payment)
      if (isDone(payment) || performance.now() > until) return versions
      await wait(WATCH_EVERY_MS)
    }
  }

  #headers(request: SignedRequest, { signed }: Deviation): Record<string, string> {
    const { secrets } = this.options
    if (signed === 'not') return { 'content-type': 'application/json' }
    if (signed === 'by_another_secret') return requestHeaders([anotherSecret()], request)
    const signers = signed === 'twice' ? [anotherSecret(), ...secrets] : secrets
    return requestHeaders(signers, request)
  }
}

const WATCH_EVERY_MS = 100

/** The payment in an answer; fails the check when there is none. */
export function paymentOf(reply: Reply): Payment {
  expectStatus(reply, 200)
  const problems = problemsOf(Payment, reply.json)
  if (problems.length > 0) throw new Finding(`${reply.request}: ${problems.join('; ')}`)
  return reply.json as Payment
}

export function expectStatus(reply: Reply, ...expected: readonly number[]): void {
  const { request, status_code, error } = reply
  if (expected.includes(status_code)) return
  const actual = error === '' ? `answered ${status_code}` : `had no answer: ${error}`
  throw new Finding(`${request} ${actual}; ${expected.join(' or ')} is right`)
}

/** The problems of a body, each with its place, at most five; [] when there are none. */
export function problemsOf(schema: object, json: unknown): string[] {
  if (json === undefined) return ['the body is not JSON']
  return misfitsOf(schema, json)
    .slice(0, 5)
    .map(({ instancePath, message }) => `${instancePath || '/'} ${message}`)
}

export function newPaymentId(): string {
  return `${newId('pot')}-1`
}

function anotherSecret(): string {
  return newSecret(randomBytes(32))
}

function replyOf(request: string, request_id: string, { answer, ...rest }: ExchangeResult): Reply {
  const reply = { request, request_id, ...rest }
  if (answer === null) {
    return { ...reply, status_code: 0, headers: {}, body: '', json: undefined, is_whole: false }
  }
  const body = answer.body.toString()
  return { ...reply, ...answer, body, json: readJson(body) }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
