// One provider of a chain's nodes, asked by JSON-RPC over HTTP. Bounds its requests in number, time
// and bytes. Its URL and keys are in no error, whatever the provider answers.
import { setTimeout as wait } from 'node:timers/promises'
import { TokenBuckets } from '../../http/limits.ts'
import { visible } from '../../values/text/visible.ts'
import { exchange } from '../../webhooks/exchange.ts'
import { retryAfter } from '../../webhooks/send.ts'
import { RequestLimiter } from '../request-limiter.ts'
import type { Hex } from './chain.ts'
import { readData } from './hex.ts'

const MAX_BYTES = 1024 * 1024
const ANSWER_WITHIN_MS = 7_000
/** The most requests at once: so many answers of the greatest size fit in memory. */
const AT_ONCE = 32
/** The longest wait for the provider's rate. */
const MAX_WAIT_MS = 2_000
/** A provider that was asked too often rests for a second, then twice as long each time. */
const FIRST_REST_S = 1
const LONGEST_REST_S = 60
const MAX_MESSAGE = 200
const MAX_REVERT = 4 * 1024

export interface Provider {
  readonly name: string
  /** Rejects with NodeError when the node answers with an error, and else with NoAnswer. */
  ask(method: string, params: readonly unknown[]): Promise<unknown>
}

/** An error that the node has answered with. It proves nothing but what its place says. */
export class NodeError extends Error {
  override readonly name = 'NodeError'
  readonly code: number
  /** What a reverted call gave as its reason; `0x` for none. */
  readonly data: Hex

  constructor(message: string, code: number, data: Hex) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** No answer, or none that can be read. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/** An answer that is longer than what is read: a question for less may have a shorter one. */
export class TooLong extends NoAnswer {}

interface NodeOptions {
  readonly name: string
  /** With its keys. */
  readonly url: string
  /** The keys in it. */
  readonly keys: readonly string[]
  readonly per_second: number
  readonly allow_private: boolean
  /** For tests of slow nodes. */
  readonly answer_within_ms?: number
}

export class Node implements Provider {
  readonly name: string
  /** The requests, those without an answer, and those not sent because of the rate. */
  readonly counts = { asked: 0, unanswered: 0, held_back: 0 }
  readonly #options: NodeOptions
  readonly #hidden: readonly string[]
  readonly #buckets: TokenBuckets
  readonly #limiter = new RequestLimiter(AT_ONCE)
  readonly #open = new Set<Promise<unknown>>()
  #rests_until = 0
  #rest_s = 0
  #last_id = 0
  #closed = false

  constructor(options: NodeOptions) {
    this.name = options.name
    this.#options = options
    this.#hidden = hiddenIn(options)
    const { per_second } = options
    this.#buckets = new TokenBuckets({ per_second, burst: per_second, most: 1 })
  }

  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    await this.#turn()
    const asking = this.#ask(method, params)
    this.#open.add(asking)
    try {
      const result = await asking
      this.#rest_s = 0
      return result
    } catch (error) {
      if (error instanceof NodeError) this.#rest_s = 0
      else this.counts.unanswered += 1
      throw error
    } finally {
      this.#open.delete(asking)
      this.#limiter.release()
    }
  }

  /** Asks no more, and waits for the answers that are due. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#open)
  }

  /** Waits for the rate that is agreed with the provider, and for a place among its requests. */
  async #turn(): Promise<void> {
    if (this.#closed) throw new NoAnswer('not asked: the rail closes')
    const now = performance.now()
    const resting_s = Math.ceil((this.#rests_until - now) / 1000)
    const wait_ms = resting_s > 0 ? undefined : this.#buckets.takeWithin('', now, MAX_WAIT_MS)
    if (wait_ms !== undefined && wait_ms > 0) await wait(wait_ms)
    if (wait_ms !== undefined && (await this.#limiter.acquire())) return
    this.counts.held_back += 1
    const why = resting_s > 0 ? `asked too often, so it rests for ${resting_s} s` : 'busy'
    throw new NoAnswer(`not asked: ${why}`)
  }

  async #ask(method: string, params: readonly unknown[]): Promise<unknown> {
    this.counts.asked += 1
    this.#last_id += 1
    const id = this.#last_id
    const { url, allow_private, answer_within_ms = ANSWER_WITHIN_MS } = this.#options
    const { answer, error } = await exchange(
      {
        ...{ url, allow_private, timeout_ms: answer_within_ms },
        headers: { 'content-type': 'application/json', 'user-agent': 'Corridor' },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      },
      { read_bytes: MAX_BYTES + 1, kept_bytes: MAX_BYTES },
    )
    if (answer === null) throw new NoAnswer(error)
    const { status_code, is_whole, headers } = answer
    if (status_code === 429) throw this.#rest(retryAfter(headers['retry-after'], Date.now()))
    // Some providers answer an error of a call with 400.
    if (status_code !== 200 && status_code !== 400) throw new NoAnswer(`answered ${status_code}`)
    if (!is_whole) throw new TooLong(`the answer has more than ${MAX_BYTES} bytes`)
    return this.#resultIn(answer.body.toString(), id)
  }

  #resultIn(text: string, id: number): unknown {
    const reply = readReply(text, id)
    if (reply === undefined) throw new NoAnswer('the answer is no JSON-RPC')
    if (reply.error === undefined) return reply.result
    const { code, message, data } = reply.error
    if (code === TOO_OFTEN || code === 429) throw this.#rest(null)
    throw new NodeError(this.#plain(message), code, data)
  }

  #rest(asked_s: number | null): NoAnswer {
    this.#rest_s = Math.min(Math.max(this.#rest_s * 2, FIRST_REST_S), LONGEST_REST_S)
    const rest_s = Math.min(Math.max(asked_s ?? 0, this.#rest_s), LONGEST_REST_S)
    this.#rests_until = performance.now() + rest_s * 1000
    return new NoAnswer(`asked too often, so it rests for ${rest_s} s`)
  }

  /** One short line of a foreign text, without the keys that a provider may repeat. */
  #plain(text: string): string {
    const hidden = this.#hidden.reduce((left, secret) => left.replaceAll(secret, '…'), text)
    return visible(hidden.slice(0, MAX_MESSAGE).toWellFormed())
  }
}

/** The code of errors for too many requests (EIP-1474, limit exceeded). */
const TOO_OFTEN = -32_005

/** What may be in no message, the longest first. */
function hiddenIn({ url, keys }: NodeOptions): string[] {
  const { href, pathname, search } = new URL(url)
  const all = [url, href, pathname + search, ...keys, ...keys.map(encodeURIComponent)]
  return all.filter(text => text.length > 1).toSorted((a, b) => b.length - a.length)
}

interface Reply {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data: Hex }
}

/** The reply to the request with this id; undefined for any other text. */
function readReply(text: string, id: number): Reply | undefined {
  const reply = parsed(text)
  if (typeof reply !== 'object' || reply === null) return undefined
  const { jsonrpc, id: its, result, error } = reply as Record<string, unknown>
  if (jsonrpc !== '2.0' || its !== id) return undefined
  if (error === undefined || error === null) return result === undefined ? undefined : { result }
  const { code, message, data } = error as Record<string, unknown>
  if (!Number.isInteger(code) || typeof message !== 'string') return undefined
  return { error: { code: code as number, message, data: revertIn(data) } }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Nodes give it as text, as text behind the word Reverted, or inside an object. */
function revertIn(data: unknown): Hex {
  const inner = (data as { data?: unknown } | null)?.data ?? data
  const text = typeof inner === 'string' ? inner.replace(/^Reverted /, '') : inner
  return readData(text, MAX_REVERT) ?? '0x'
}

/** Whether a node's error says that the call itself fails, and not that the node cannot tell. */
export function isRevert({ code, message }: NodeError): boolean {
  return code === 3 || /revert|invalid opcode/i.test(message)
}
