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
  /** The most calls of one request. */
  readonly batch: number
  readonly allow_private: boolean
  /** For tests of slow nodes. */
  readonly answer_within_ms?: number
}

interface Call {
  readonly method: string
  readonly params: readonly unknown[]
  resolve(result: unknown): void
  reject(error: Error): void
}

/** Its answer may be long, so no other call shares its request. */
const ALONE = 'eth_getLogs'

export class Node implements Provider {
  readonly name: string
  /** The calls, those without an answer, and those not sent because of the rate. */
  readonly counts = { asked: 0, unanswered: 0, held_back: 0 }
  readonly #options: NodeOptions
  readonly #hidden: readonly string[]
  readonly #buckets: TokenBuckets
  readonly #limiter = new RequestLimiter(AT_ONCE)
  readonly #open = new Set<Promise<unknown>>()
  /** Calls of this turn of the event loop: they go in few requests. */
  #waiting: Call[] = []
  #batch: number
  #rests_until = 0
  #rest_s = 0
  #last_id = 0
  #closed = false

  constructor(options: NodeOptions) {
    this.name = options.name
    this.#options = options
    this.#hidden = hiddenIn(options)
    const { per_second, batch } = options
    this.#batch = batch
    this.#buckets = new TokenBuckets({ per_second, burst: per_second, most: 1 })
  }

  /** The most calls that it takes in one request. */
  get most(): number {
    return this.#batch
  }

  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    await this.#turn()
    return this.#counted(this.#enqueue(method, params))
  }

  /**
   * Asks calls of a method in one request of their own, in this order. A call beyond the provider's
   * rate is not sent, nor are those behind it. If the provider takes no batch, all of them reject,
   * and `most` is 1.
   */
  async askInOrder(
    method: string,
    all: readonly (readonly unknown[])[],
  ): Promise<readonly PromiseSettledResult<unknown>[]> {
    const turns = await Promise.allSettled(all.map(() => this.#turn()))
    const late = turns.findIndex(({ status }) => status === 'rejected')
    const calls: Call[] = []
    const asked = all
      .slice(0, late === -1 ? all.length : late)
      .map(params => this.#counted(this.#call(calls, method, params)))
    if (calls.length > 0) this.#sendOrReject(calls, { alone: false })
    return [...(await Promise.allSettled(asked)), ...turns.slice(asked.length)]
  }

  async #counted(asking: Promise<unknown>): Promise<unknown> {
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
    }
  }

  /** Asks no more, and waits for the answers that are due. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#open)
  }

  /** Waits for the rate that is agreed with the provider. */
  async #turn(): Promise<void> {
    if (this.#closed) throw new NoAnswer('not asked: the rail closes')
    const now = performance.now()
    const resting_s = Math.ceil((this.#rests_until - now) / 1000)
    const wait_ms = resting_s > 0 ? undefined : this.#buckets.takeWithin('', now, MAX_WAIT_MS)
    if (wait_ms === undefined) {
      this.counts.held_back += 1
      const why = resting_s > 0 ? `asked too often, so it rests for ${resting_s} s` : 'busy'
      throw new NoAnswer(`not asked: ${why}`)
    }
    if (wait_ms > 0) await wait(wait_ms)
  }

  #enqueue(method: string, params: readonly unknown[]): Promise<unknown> {
    if (this.#waiting.length === 0) setImmediate(() => this.#flush())
    return this.#call(this.#waiting, method, params)
  }

  /** Adds a call to a list. */
  #call(list: Call[], method: string, params: readonly unknown[]): Promise<unknown> {
    this.counts.asked += 1
    return new Promise((resolve, reject) => {
      list.push({ method, params, resolve, reject })
    })
  }

  #flush(): void {
    const calls = this.#waiting
    this.#waiting = []
    const shared = calls.filter(({ method }) => method !== ALONE)
    for (const call of calls) if (call.method === ALONE) this.#sendOrReject([call])
    for (let at = 0; at < shared.length; at += this.#batch) {
      this.#sendOrReject(shared.slice(at, at + this.#batch))
    }
  }

  #sendOrReject(calls: readonly Call[], refused = { alone: true }): void {
    this.#send(calls, refused).catch(error => {
      for (const call of calls) call.reject(error)
    })
  }

  /** Settles each call, or rejects for all of them. `alone`: calls of a refused batch go alone. */
  async #send(calls: readonly Call[], { alone }: { readonly alone: boolean }): Promise<void> {
    if (!(await this.#limiter.acquire())) throw new NoAnswer('not asked: busy')
    const ids = calls.map(() => {
      this.#last_id += 1
      return this.#last_id
    })
    let text: string | undefined
    try {
      text = await this.#exchange(calls, ids)
    } finally {
      this.#limiter.release()
    }
    const reply = text === undefined ? undefined : parsed(text)
    if (calls.length === 1) return this.#settle(calls[0] as Call, reply, ids[0] as number)
    if (Array.isArray(reply)) {
      const by_id = new Map(reply.map(one => [idOf(one), one]))
      calls.forEach((call, i) => {
        const id = ids[i] as number
        this.#settle(call, by_id.get(id), id)
      })
      return
    }
    // It takes no batches, or its answer would be too long: each call goes alone.
    if (text !== undefined) this.#batch = 1
    if (!alone) throw new NoAnswer('it takes no such batch')
    for (const call of calls) this.#sendOrReject([call])
  }

  /** The text of an answer; undefined when one to a batch is too long. */
  async #exchange(calls: readonly Call[], ids: readonly number[]): Promise<string | undefined> {
    const { url, allow_private, answer_within_ms = ANSWER_WITHIN_MS } = this.#options
    const asked = calls.map(({ method, params }, i) => ({
      ...{ jsonrpc: '2.0', id: ids[i], method, params },
    }))
    const { answer, error } = await exchange(
      {
        ...{ url, allow_private, timeout_ms: answer_within_ms },
        headers: { 'content-type': 'application/json', 'user-agent': 'Corridor' },
        body: JSON.stringify(asked.length === 1 ? asked[0] : asked),
      },
      { read_bytes: MAX_BYTES + 1, kept_bytes: MAX_BYTES },
    )
    if (answer === null) throw new NoAnswer(error)
    const { status_code, is_whole, headers } = answer
    if (status_code === 429) throw this.#rest(retryAfter(headers['retry-after'], Date.now()))
    // Some providers refuse batches by a status, and some answer the error of a call with 400.
    const is_refused = status_code >= 400 && status_code <= 499 && asked.length > 1
    if (is_refused) return ''
    if (status_code !== 200 && status_code !== 400) throw new NoAnswer(`answered ${status_code}`)
    if (is_whole) return answer.body.toString()
    if (asked.length > 1) return undefined
    throw new TooLong(`the answer has more than ${MAX_BYTES} bytes`)
  }

  #settle(call: Call, json: unknown, id: number): void {
    const reply = readReply(json, id)
    if (reply === undefined) call.reject(new NoAnswer('the answer is no JSON-RPC'))
    else if (reply.error === undefined) call.resolve(reply.result)
    else {
      const { code, message, data } = reply.error
      const is_too_often = code === TOO_OFTEN || code === 429
      call.reject(is_too_often ? this.#rest(null) : new NodeError(this.#plain(message), code, data))
    }
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

/** A part of a URL of so many characters may be a key that its settings name openly. */
const LIKE_A_KEY = 16

/** What may be in no message, the longest first. */
function hiddenIn({ url, keys }: NodeOptions): string[] {
  const { href, pathname, search, searchParams } = new URL(url)
  const parts = [...pathname.split('/'), ...searchParams.values()]
  const like_keys = parts.filter(({ length }) => length >= LIKE_A_KEY)
  const known = [...keys, ...keys.map(encodeURIComponent), ...like_keys]
  const all = [url, href, pathname + search, ...known]
  return all.filter(text => text.length > 1).toSorted((a, b) => b.length - a.length)
}

interface Reply {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data: Hex }
}

/** The reply to the call with this id; undefined for anything else. */
function readReply(reply: unknown, id: number): Reply | undefined {
  if (typeof reply !== 'object' || reply === null) return undefined
  const { jsonrpc, id: its, result, error } = reply as Record<string, unknown>
  if (jsonrpc !== '2.0' || its !== id) return undefined
  if (error === undefined || error === null) return result === undefined ? undefined : { result }
  const { code, message, data } = error as Record<string, unknown>
  if (!Number.isInteger(code) || typeof message !== 'string') return undefined
  return { error: { code: code as number, message, data: revertIn(data) } }
}

function idOf(reply: unknown): unknown {
  return (reply as { id?: unknown } | null)?.id
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
