// A provider of a chain: an HTTP proxy in front of anvil that lies, loses, delays and refuses as
// providers do. It also keeps the rules that anvil lacks: when a block is final, which transaction
// may replace another, and what a node without a pool refuses.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { keccak256, parseTransaction, recoverTransactionAddress } from 'viem'
import { type Anvil, type Hex, inHex, NodeError } from '../../../examples/chain/anvil.ts'
import { listenOn } from '../network/port.ts'
import { CANARY } from '../service/logs.ts'

/** A node of this kind takes a transaction at a nonce that its pool has already. */
export type Rules = 'anvil' | 'geth' | 'reth'

/** The switches of a provider. All are off at first; a test sets them as it goes. */
export interface Lies {
  /** So many answers to broadcasts are lost after the node has taken the bytes. */
  lost: number
  /** So many broadcasts are lost before the node gets them. */
  dropped: number
  /** The wait before an answer, in milliseconds; by a random function, answers change their order. */
  delay_ms: () => number
  /** The node gets each broadcast twice, and the second answer counts. */
  duplicates: boolean
  /** So many requests of any kind are answered with 429. */
  too_many: number
  /** Every request is answered with 503. */
  down: boolean
  /** It has not seen the newest blocks, so many. */
  behind: number
  /** It finds no logs. */
  no_logs: boolean
  /** What it makes of each receipt that it has. */
  receipt: (receipt: Receipt) => Receipt
  /** What it makes of each block that it has. */
  block: (block: object) => object
  /** The chain id that it names. */
  chain_id: Hex | undefined
}

/** A receipt as a node writes it. */
export interface Receipt {
  readonly status: Hex
  readonly blockHash: Hex
  readonly blockNumber: Hex
  readonly transactionHash: Hex
  readonly logs: readonly { readonly data: Hex; readonly topics: readonly Hex[] }[]
}

export interface Provider {
  readonly name: string
  /** With the key that it asks for: `http://127.0.0.1:40123/v2/{one}`. */
  readonly url: string
  readonly key: string
  readonly lies: Lies
  /** How often each method was asked. */
  readonly asked: ReadonlyMap<string, number>
  /** All bytes that it was given to broadcast, with repeats. */
  readonly broadcasts: readonly Hex[]
  /** Switches everything off. */
  honest(): void
  close(): Promise<void>
}

/** What the providers of one chain have in common. */
export class Rulebook {
  readonly anvil: Anvil
  rules: Rules = 'anvil'
  /** False: it takes the next nonce alone, as a sequencer without a pool does. */
  keeps_pending = true
  /** A block is final when so many newer ones are there. */
  finality: number
  #final = 0
  /** The fees of what waits, by `sender nonce`. */
  readonly #waiting = new Map<string, { readonly hash: Hex; tip: bigint; max_fee: bigint }>()

  readonly #reads = new Map<Hex, Promise<Read>>()

  constructor(anvil: Anvil, finality: number) {
    this.anvil = anvil
    this.finality = finality
  }

  /** The newest final block. It never goes back. */
  async final(): Promise<number> {
    return this.finalAt(await this.anvil.head())
  }

  /** The same once the chain has this head. */
  finalAt(head: number): number {
    this.#final = Math.max(this.#final, head - this.finality)
    return this.#final
  }

  /** Takes blocks back, and never a final one. */
  async reorg(depth: number, raws: Parameters<Anvil['reorg']>[1] = []): Promise<void> {
    const [head, final] = [await this.anvil.head(), await this.final()]
    if (head - depth < final) throw new Error(`block ${final} is final, and the head is ${head}`)
    this.#waiting.clear()
    await this.anvil.reorg(depth, raws)
  }

  /** Every pool forgets what waits. */
  async forget(): Promise<void> {
    this.#waiting.clear()
    await this.anvil.ask('anvil_dropAllTransactions')
  }

  /**
   * Passes bytes to the node by the rules. Throws NodeError for a refusal. `counts` has what the
   * blocks have of each sender, as far as it was asked for in this request.
   */
  async take(raw: Hex, counts: Counts = new Map()): Promise<unknown> {
    const { hash, sender, nonce, tip, max_fee } = await this.#readOf(raw)
    const next = async (at: string) =>
      Number(await this.anvil.ask('eth_getTransactionCount', [sender, at]))
    const mined = counts.get(sender) ?? next('latest')
    counts.set(sender, mined)
    if (nonce < (await mined)) throw new NodeError(-32003, 'nonce too low')
    if (!this.keeps_pending && nonce > (await next('pending'))) {
      throw new NodeError(-32000, `nonce too high: address ${sender}, tx: ${nonce}`)
    }
    const place = `${sender} ${nonce}`
    const before = this.#waiting.get(place)
    if (before?.hash === hash && this.rules !== 'anvil') {
      throw new NodeError(-32000, 'already known')
    }
    if (before !== undefined && before.hash !== hash && !this.#replaces(before, { tip, max_fee })) {
      throw new NodeError(-32000, 'replacement transaction underpriced')
    }
    const answer = await this.anvil.ask('eth_sendRawTransaction', [raw])
    this.#waiting.set(place, { hash, tip, max_fee })
    return answer
  }

  /** Reads bytes once: each provider gets them, and gets them again. */
  #readOf(raw: Hex): Promise<Read> {
    const read = this.#reads.get(raw) ?? readRaw(raw)
    this.#reads.set(raw, read)
    return read
  }

  /** geth asks for a tenth more of both fees, reth for more than a tenth. */
  #replaces(before: Fees, now: Fees): boolean {
    if (this.rules === 'anvil') return true
    const pairs = [[before.tip, now.tip] as const, [before.max_fee, now.max_fee] as const]
    return pairs.every(([old, fee]) => {
      const least = (old * 110n) / 100n
      return this.rules === 'geth' ? fee >= least : fee > least
    })
  }
}

interface Fees {
  readonly tip: bigint
  readonly max_fee: bigint
}

/** How many transactions of each sender are in blocks, as one request sees it. */
type Counts = Map<Hex, Promise<number>>

interface Read extends Fees {
  readonly hash: Hex
  readonly sender: Hex
  readonly nonce: number
}

async function readRaw(raw: Hex): Promise<Read> {
  const serializedTransaction = raw as `0x02${string}`
  const sender = await recoverTransactionAddress({ serializedTransaction })
  const { nonce = 0, ...fees } = parseTransaction(serializedTransaction)
  const { maxFeePerGas: max_fee = 0n, maxPriorityFeePerGas: tip = 0n } = fees
  return { hash: keccak256(raw), sender, nonce, tip, max_fee }
}

/** Passes calls of one moment to the node in one request, so that the node is what they wait for. */
class Forwarder {
  readonly #url: string
  #waiting: { readonly body: object; readonly settled: PromiseWithResolvers<unknown> }[] = []

  constructor(url: string) {
    this.#url = url
  }

  ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const settled = Promise.withResolvers<unknown>()
    if (this.#waiting.length === 0) setImmediate(() => void this.#flush())
    const id = this.#waiting.length
    this.#waiting.push({ body: { jsonrpc: '2.0', id, method, params }, settled })
    return settled.promise
  }

  async #flush(): Promise<void> {
    const sent = this.#waiting
    this.#waiting = []
    try {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify(sent.map(one => one.body))
      const response = await fetch(this.#url, { method: 'POST', headers, body })
      for (const { id, result, error } of (await response.json()) as Reply[]) {
        const { resolve, reject } = sent[id]?.settled ?? {}
        if (error === undefined) resolve?.(result)
        else reject?.(new NodeError(error.code, error.message))
      }
    } catch (error) {
      for (const { settled } of sent) settled.reject(error)
    }
  }
}

interface Reply {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

const honest = (): Lies => ({
  lost: 0,
  dropped: 0,
  delay_ms: () => 0,
  duplicates: false,
  too_many: 0,
  down: false,
  behind: 0,
  no_logs: false,
  receipt: receipt => receipt,
  block: block => block,
  chain_id: undefined,
})

const BROADCAST = 'eth_sendRawTransaction'

/** The connection ends without an answer. */
class Lost extends Error {}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

export async function startProvider(book: Rulebook, name: string): Promise<Provider> {
  const provider = new LyingProvider(book)
  // The run searches every log for the word.
  const key = `${CANARY}-${name}-${crypto.randomUUID()}`
  const server = createServer((request, response) => {
    provider.serve(request, response, key).catch(() => response.destroy())
  })
  const port = await listenOn(server)
  return {
    name,
    key,
    url: `http://127.0.0.1:${port}/v2/{${name}}`,
    lies: provider.lies,
    asked: provider.asked,
    broadcasts: provider.broadcasts,
    honest: () => void Object.assign(provider.lies, honest()),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

class LyingProvider {
  readonly lies = honest()
  readonly asked = new Map<string, number>()
  readonly broadcasts: Hex[] = []
  readonly #book: Rulebook
  readonly #forwarder: Forwarder

  constructor(book: Rulebook) {
    this.#book = book
    this.#forwarder = new Forwarder(book.anvil.url)
  }

  async serve(request: IncomingMessage, response: ServerResponse, key: string): Promise<void> {
    const body = await text(request)
    const refuse = (status: number) => void response.writeHead(status).end('{}')
    if (request.url !== `/v2/${key}`) return refuse(401)
    if (this.lies.down) return refuse(503)
    if (this.lies.too_many > 0) {
      this.lies.too_many -= 1
      return refuse(429)
    }
    const sent = JSON.parse(body) as Call | readonly Call[]
    await delay(this.lies.delay_ms())
    let head: Promise<Seen> | undefined
    const seen = Object.assign(() => (head ??= this.#head()), { counts: new Map() })
    const answered = 'length' in sent ? await this.#all(sent, seen) : await this.#answer(sent, seen)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered))
  }

  /** Broadcasts one after the other, and all else as of one head. */
  async #all(calls: readonly Call[], seen: See): Promise<unknown[]> {
    if (calls.every(({ method }) => method !== BROADCAST))
      return Promise.all(calls.map(call => this.#answer(call, seen)))
    const answers: unknown[] = []
    for (const call of calls) answers.push(await this.#answer(call, seen))
    return answers
  }

  async #head(): Promise<Seen> {
    const now = await this.#book.anvil.head()
    const head = Math.max(0, now - this.lies.behind)
    const final = Math.min(head, this.#book.finalAt(now))
    return { head, final, stale: this.lies.behind > 0 }
  }

  async #answer({ id, method, params = [] }: Call, seen: See): Promise<unknown> {
    this.asked.set(method, (this.asked.get(method) ?? 0) + 1)
    try {
      return { jsonrpc: '2.0', id, result: await this.#result(method, params, seen) }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } }
    }
  }

  async #result(method: string, params: readonly unknown[], seen: See): Promise<unknown> {
    const { lies } = this
    if (method === BROADCAST) return this.#broadcast(params[0] as Hex, seen.counts)
    if (method === 'eth_chainId' && lies.chain_id !== undefined) return lies.chain_id
    if (method === 'eth_getLogs' && lies.no_logs) return []
    const { head, ...rest } = await seen()
    if (method === 'eth_blockNumber') return inHex(head)
    const at = (tag: unknown) => blockAt(tag, { head, ...rest })
    const asked = params.map(param => within(param, at))
    const result = await this.#forwarder.ask(method, asked)
    return this.#asSeen(method, result, head)
  }

  /** What a node with this head knows of an answer. */
  #asSeen(method: string, result: unknown, head: number): unknown {
    if (Array.isArray(result) && method === 'eth_getLogs') {
      return result.filter(log => Number(log.blockNumber) <= head)
    }
    if (result === null || typeof result !== 'object') return result
    const { blockNumber, number } = result as { blockNumber?: Hex | null; number?: Hex }
    const is_newer = Number(blockNumber ?? number ?? 0) > head
    if (method === 'eth_getBlockByNumber' || method === 'eth_getBlockByHash') {
      return is_newer ? null : this.lies.block(result)
    }
    if (method === 'eth_getTransactionReceipt') {
      return is_newer ? null : this.lies.receipt(result as Receipt)
    }
    return result
  }

  async #broadcast(raw: Hex, counts: Counts): Promise<unknown> {
    const { lies } = this
    if (lies.dropped > 0) {
      lies.dropped -= 1
      throw new Lost()
    }
    this.broadcasts.push(raw)
    if (lies.duplicates) await this.#book.take(raw, counts).catch(() => {})
    const answer = await this.#book.take(raw, counts)
    if (lies.lost > 0) {
      lies.lost -= 1
      throw new Lost()
    }
    return answer
  }
}

interface Seen {
  readonly head: number
  readonly final: number
  /** Whether it does not know the newest blocks. */
  readonly stale: boolean
}

/** What the provider has seen when it is asked for the first time in a request. */
type See = (() => Promise<Seen>) & { readonly counts: Counts }

/** The number of a block tag for a node that has seen so much; any other text stays. */
function blockAt(tag: unknown, { head, final, stale }: Seen): unknown {
  if (tag === 'finalized' || tag === 'safe') return inHex(final)
  if (stale && (tag === 'latest' || tag === 'pending')) return inHex(head)
  return tag
}

/** The parameter with its block tags replaced: a tag alone, or the bounds of a filter. */
function within(param: unknown, at: (tag: unknown) => unknown): unknown {
  if (typeof param === 'string') return at(param)
  if (param === null || typeof param !== 'object' || Array.isArray(param)) return param
  return Object.fromEntries(
    Object.entries(param).map(([name, value]) => {
      return [name, /^(fromBlock|toBlock|blockNumber)$/.test(name) ? at(value) : value]
    }),
  )
}
