// Sends requests to a connector: signs them, bounds their time, size and number, and accepts only
// signed answers. Knows no payout.
import { randomUUID } from 'node:crypto'
import { exchange } from '../../webhooks/exchange.ts'
import { RequestLimiter } from '../request-limiter.ts'
import type { ConnectorConfig } from './config.ts'
import { ANSWER_WITHIN_MS, MAX_BODY_BYTES } from './protocol.ts'
import { answerProblem, requestHeaders, type Secrets, type SignedRequest } from './signing.ts'

/** An answer with a valid signature for its request. */
export interface ConnectorAnswer {
  readonly status_code: number
  readonly json: unknown
}

/** No answer, or one that proves nothing about the payment. Corridor asks again. */
export class UnclearAnswer extends Error {}

export class Client {
  readonly #config: ConnectorConfig
  readonly #secrets: Secrets
  readonly #limiter: RequestLimiter

  constructor(config: ConnectorConfig, secrets: Secrets) {
    this.#config = config
    this.#secrets = secrets
    this.#limiter = new RequestLimiter(config.at_once)
  }

  /** Rejects with UnclearAnswer when there is no signed answer, and for 401, 403, 429 and 5xx. */
  async ask(
    method: SignedRequest['method'],
    path: string,
    json?: unknown,
  ): Promise<ConnectorAnswer> {
    if (!(await this.#limiter.acquire())) {
      throw new UnclearAnswer('not asked: too many requests wait for the connector')
    }
    try {
      return await this.#ask(method, path, json === undefined ? '' : JSON.stringify(json))
    } finally {
      this.#limiter.release()
    }
  }

  async #ask(
    method: SignedRequest['method'],
    path: string,
    body: string,
  ): Promise<ConnectorAnswer> {
    const request = { id: randomUUID(), timestamp_s: now(), method, path, body }
    const { url, allow_private } = this.#config
    const { answer, error } = await exchange(
      {
        method,
        url: url + path,
        headers: requestHeaders(this.#secrets, request),
        body,
        timeout_ms: ANSWER_WITHIN_MS,
        allow_private,
      },
      { read_bytes: MAX_BODY_BYTES, kept_bytes: MAX_BODY_BYTES },
    )
    const asked = `${method} ${path}`
    if (answer === null) throw new UnclearAnswer(`${asked}: no answer: ${error}`)
    const { status_code, is_whole } = answer
    if (!is_whole) throw new UnclearAnswer(`${asked}: the answer ${status_code} is too long`)
    const text = answer.body.toString()
    const signed = { ...answer, body: text }
    const problem = answerProblem(this.#secrets, request.id, signed, now())
    if (problem !== '') throw new UnclearAnswer(`${asked}: the answer ${status_code} ${problem}`)
    if (status_code >= 500 || [401, 403, 408, 425, 429].includes(status_code)) {
      throw new UnclearAnswer(`${asked}: answered ${status_code}`)
    }
    return { status_code, json: readJson(asked, text) }
  }
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}

function readJson(asked: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnclearAnswer(`${asked}: the answer is no JSON`)
  }
}
