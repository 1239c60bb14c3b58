// A provider of a chain: an HTTP proxy in front of anvil that lies, loses, delays and refuses as
// providers do. It also keeps the rules that anvil lacks: when a block is final, which transaction
// may replace another, and what a node without a pool refuses.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { keccak256, parseTransaction, recoverTransactionAddress } from 'viem'
import { type Anvil, askNode, type Hex, inHex, NodeError } from '../../../examples/chain/anvil.ts'
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

  constructor(anvil: Anvil, finality: number) {
    this.anvil = anvil
    this.finality = finality
  }

  /** The newest final block. It never goes back. */
  async final(): Promise<number> {
    this.#final = Math.max(this.#final, (await this.anvil.head()) - this.finality)
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

  /** Passes bytes to the node by the rules. Throws NodeError for a refusal. */
  async take(raw: Hex): Promise<unknown> {
    const hash = keccak256(raw)
    const sent = parseTransaction(raw as `0x02${string}`)
    const sender = await recoverTransactionAddress({
      serializedTransaction: raw as `0x02${string}`,
    })
    const { nonce = 0, maxFeePerGas: max_fee = 0n, maxPriorityFeePerGas: tip = 0n } = sent
    const next = async (at: string) =>
      Number(await this.anvil.ask('eth_getTransactionCount', [sender, at]))
    if (nonce < (await next('latest'))) throw new NodeError(-32003, 'nonce too low')
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

  constructor(book: Rulebook) {
    this.#book = book
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
    const answered = 'length' in sent ? await this.#all(sent) : await this.#answer(sent)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered))
  }

  async #all(calls: readonly Call[]): Promise<unknown[]> {
    const answers: unknown[] = []
    for (const call of calls) answers.push(await this.#answer(call))
    return answers
  }

  async #answer({ id, method, params = [] }: Call): Promise<unknown> {
    this.asked.set(method, (this.asked.get(method) ?? 0) + 1)
    try {
      return { jsonrpc: '2.0', id, result: await this.#result(method, params) }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } }
    }
  }

  async #result(method: string, params: readonly unknown[]): Promise<unknown> {
    const { lies } = this
    if (method === 'eth_sendRawTransaction') return this.#broadcast(params[0] as Hex)
    if (method === 'eth_chainId' && lies.chain_id !== undefined) return lies.chain_id
    if (method === 'eth_getLogs' && lies.no_logs) return []
    const head = Math.max(0, (await this.#book.anvil.head()) - lies.behind)
    if (method === 'eth_blockNumber') return inHex(head)
    const final = Math.min(head, await this.#book.final())
    const at = (tag: unknown) => blockAt(tag, { head, final, stale: lies.behind > 0 })
    const result = await askNode(
      this.#book.anvil.url,
      method,
      params.map(param => within(param, at)),
    )
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

  async #broadcast(raw: Hex): Promise<unknown> {
    const { lies } = this
    if (lies.dropped > 0) {
      lies.dropped -= 1
      throw new Lost()
    }
    this.broadcasts.push(raw)
    if (lies.duplicates) await this.#book.take(raw).catch(() => {})
    const answer = await this.#book.take(raw)
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
