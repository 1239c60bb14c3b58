// A chain through its providers: what enough of them say alike is an answer, anything else is none.
import { balanceData } from './abi.ts'
import { type Asked, agree, firstOf, quorumOf } from './agree.ts'
import { middleOf, mostFrequent } from './answers.ts'
import type {
  Agreed,
  At,
  Block,
  Broadcast,
  Chain,
  Hex,
  Move,
  Receipt,
  Revert,
  SeenTransaction,
  Transfer,
} from './chain.ts'
import { type ChainTrouble, disagreements, stillness } from './chain-trouble.ts'
import type { EvmConfig } from './config.ts'
import { filledUrl, missingKeys, readKeys } from './config-provider.ts'
import { Contradictions, type FinalWords } from './contradictions.ts'
import { Heads, type Judged, PATIENCE_MS } from './heads.ts'
import { quantity } from './hex.ts'
import { NoAnswer, Node, type Provider } from './node.ts'
import {
  blockAt,
  blockOf,
  bytesBy,
  coinOf,
  finalOf,
  frozenBy,
  hasCode,
  joinSaid,
  marketOf,
  nonceOf,
  numberBy,
  receiptOf,
  type SaidBy,
  sendTo,
  transactionOf,
  transfersBy,
  tryMove,
} from './provider-reads.ts'

export interface ProviderState extends Omit<Judged<Provider>, 'provider'> {
  readonly name: string
  /** Its newest final block when it was asked last; null: not asked yet. */
  readonly final: bigint | null
  readonly counts: Node['counts']
  /** How often it answered otherwise than the providers that agreed. */
  readonly other_answers: number
}

export interface OpenChain extends Chain {
  /** With `all` it asks every provider, and takes as long as the slowest of them. */
  troubles(how?: { readonly all: boolean }): Promise<readonly ChainTrouble[]>
  /** What was seen of each provider, without asking. */
  providers(): readonly ProviderState[]
  /** The bytes that a token's contract answers a call with. */
  call(token: Hex, data: Hex): Promise<Agreed<Hex>>
  close(): Promise<void>
}

/** What was agreed about the newest blocks counts for a block, and at most so long. */
const MOST_AGE_MS = 3_000

export type ChainConfig = Pick<
  EvmConfig,
  'chain' | 'providers' | 'lag_blocks' | 'settles_on' | 'allow_private'
>

/** Throws an error that names the key which the secret lacks. */
export function openChain(config: ChainConfig, secret: string): OpenChain {
  const keys = readKeys(secret)
  const problems = [...(keys.messages ?? []), ...missingKeys(config.providers, secret)]
  if (keys.messages !== undefined || problems.length > 0) throw new Error(problems.join('; '))
  const nodes = config.providers.map(
    provider =>
      new Node({
        name: provider.name,
        url: filledUrl(provider, keys.value),
        keys: [...keys.value.values()],
        ...{ per_second: provider.per_second, batch: provider.batch },
        allow_private: config.allow_private,
      }),
  )
  return new QuorumChain(nodes, config)
}

type Market = { readonly base_fee: bigint; readonly tip: bigint }

/** What a provider answered last about its newest final block. */
interface Fresh {
  readonly block: Block
  readonly at: number
}

class QuorumChain implements OpenChain {
  readonly #nodes: readonly Node[]
  readonly #config: ChainConfig
  readonly #need: number
  readonly #heads: Heads<Node>
  readonly #pace_ms: number
  readonly #finals = new Map<string, bigint>()
  readonly #contradictions: Contradictions
  #head: Fresh | undefined
  #final: Fresh | undefined
  #market: { readonly market: Market; readonly at: number } | undefined

  constructor(nodes: readonly Node[], config: ChainConfig) {
    const { chain, lag_blocks } = config
    this.#nodes = nodes
    this.#config = config
    this.#need = quorumOf(nodes.length)
    this.#contradictions = new Contradictions(this.#need)
    this.#pace_ms = Math.min(chain.block_ms, MOST_AGE_MS)
    const rules = { chain_id: chain.id, lag_blocks, block_ms: chain.block_ms, need: this.#need }
    this.#heads = new Heads(nodes, rules)
  }

  async head(): Promise<Agreed<Block>> {
    const at = performance.now()
    await this.#heads.look(0)
    const good = this.#heads.judge().filter(({ left_out }) => left_out === '')
    const numbers = good.flatMap(({ head }) => head?.number ?? [])
    const [number = 0n] = numbers.toSorted((a, b) => Number(a - b))
    const found = await this.#agree(
      good.map(({ provider, head }) => ({
        name: provider.name,
        answer: head?.number === number ? Promise.resolve(head) : blockAt(provider, number),
      })),
    )
    if (!('agreed' in found)) return found
    const former = this.#head?.block.number ?? 0n
    if (number < former - BigInt(this.#config.lag_blocks)) {
      return {
        unclear: this.#withLeftOut(`the newest block went back from ${former} to ${number}`),
      }
    }
    // A question of before may be answered later.
    if (this.#head === undefined || this.#head.at <= at) this.#head = { block: found.agreed, at }
    return found
  }

  settled(): Promise<Agreed<Block>> {
    const { settles_on } = this.#config
    return settles_on === 'finalized' ? this.final() : this.#deep(settles_on.blocks)
  }

  async final(): Promise<Agreed<Block>> {
    const found = await this.#finalized()
    if (!('agreed' in found)) return found
    const former = this.#final?.block
    // A node that lags, or a provider with several nodes, may name an older one.
    if (former !== undefined && former.number > found.agreed.number) return { agreed: former }
    if (former?.number === found.agreed.number && former.hash !== found.agreed.hash) {
      return { unclear: `the final block ${former.number} was ${former.hash} and is another now` }
    }
    this.#final = { block: found.agreed, at: performance.now() }
    return found
  }

  /** The highest block that is final for enough providers. */
  async #finalized(): Promise<Agreed<Block>> {
    await this.#heads.look(this.#pace_ms)
    const asked = this.#heads.good().map(provider => ({ provider, final: this.#finalBy(provider) }))
    const finals = await firstOf(
      asked.map(({ final }) => final),
      this.#need,
    )
    const number = finals.map(block => block.number).toSorted((a, b) => Number(b - a))[
      this.#need - 1
    ]
    return this.#agree(
      asked.map(({ provider, final }) => ({
        name: provider.name,
        answer: final.then(block => {
          if (number === undefined) throw new NoAnswer('too few final blocks are known')
          if (block.number < number) throw new NoAnswer(`its final block is ${block.number}`)
          return block.number === number ? block : blockAt(provider, number)
        }),
      })),
    )
  }

  async #deep(blocks: number): Promise<Agreed<Block>> {
    const head = await this.head()
    if (!('agreed' in head)) return head
    const number = head.agreed.number - BigInt(blocks)
    return this.#ask(provider => blockAt(provider, number > 0n ? number : 0n))
  }

  async #finalBy(provider: Provider): Promise<Block> {
    const block = await finalOf(provider)
    this.#finals.set(provider.name, block.number)
    return block
  }

  block(number: bigint): Promise<Agreed<Block | null>> {
    const words = () => this.#finalWords(number, `block ${number}`)
    return this.#ask(provider => blockOf(provider, number), words)
  }

  receipt(hash: Hex): Promise<Agreed<Receipt | null>> {
    const words: FinalWords<Receipt> = receipts => {
      const blocks = receipts.map(({ block }) => block).toSorted((a, b) => Number(a - b))
      return blocks[0] === undefined ? '' : this.#finalWords(blocks[0], `the receipt of ${hash}`)
    }
    return this.#ask<Receipt | null>(
      provider => receiptOf(provider, hash, this.#config.chain),
      words,
    )
  }

  nonce(account: Hex, at: At): Promise<Agreed<bigint>> {
    const what = `the number of ${account}`
    return this.#askAt(at, (provider, block) => nonceOf(provider, account, block), what)
  }

  balance(account: Hex, token: Hex | null, at: At): Promise<Agreed<bigint>> {
    const read = (provider: Provider, block: string) =>
      token === null
        ? coinOf(provider, account, block)
        : numberBy(provider, token, balanceData(account), block)
    return this.#askAt(at, read, `the balance of ${account}`)
  }

  /** The words, if the block is final; else ''. */
  #finalWords(number: bigint, what: string): string {
    return this.#final !== undefined && number <= this.#final.block.number ? what : ''
  }

  frozen(account: Hex, token: Hex): Promise<Agreed<boolean>> {
    return this.#askAt('latest', (provider, block) => frozenBy(provider, account, token, block))
  }

  isContract(account: Hex): Promise<Agreed<boolean>> {
    return this.#askAt('latest', (provider, block) => hasCode(provider, account, block))
  }

  call(token: Hex, data: Hex): Promise<Agreed<Hex>> {
    return this.#askAt('latest', (provider, block) => bytesBy(provider, token, data, block))
  }

  /**
   * They may word a reason differently, or estimate other gas; whether it moves must agree. The gas
   * is the median and the reason what most of them say, so that none alone decides either.
   */
  async simulate(move: Move): Promise<Agreed<{ readonly gas: bigint } | Revert>> {
    const named = await this.#nameOf('latest')
    if (!('agreed' in named)) return named
    const asked = await this.#asked(provider => tryMove(provider, move, named.agreed))
    const moves = asked.map(({ name, answer }) => ({ name, answer: answer.then(one => one.moves) }))
    const found = await this.#agree(moves)
    if (!('agreed' in found)) return found
    const tried = await this.#soon(asked.map(({ answer }) => answer))
    if (found.agreed) {
      return { agreed: { gas: middleOf(tried.flatMap(one => (one.moves ? one.gas : []))) } }
    }
    const reasons = tried.flatMap(one => (one.moves || one.reverted === '' ? [] : one.reverted))
    return { agreed: { reverted: mostFrequent(reasons) } }
  }

  /** The median, so that no provider alone can make payments dear. Of two it is the higher one. */
  async market(): Promise<Agreed<Market>> {
    if (this.#market !== undefined && performance.now() - this.#market.at < this.#pace_ms) {
      return { agreed: this.#market.market }
    }
    await this.#heads.look(this.#pace_ms)
    const known = await this.#soon(this.#heads.good().map(marketOf))
    if (known.length < this.#need) return { unclear: this.#withLeftOut('no market is known') }
    const base_fee = middleOf(known.map(market => market.base_fee))
    const market = { base_fee, tip: middleOf(known.map(one => one.tip)) }
    this.#market = { market, at: performance.now() }
    return { agreed: market }
  }

  /** What enough providers answer, and what the others answer hardly later. */
  #soon<T>(answers: readonly Promise<T>[]): Promise<readonly T[]> {
    return firstOf(answers, this.#need, PATIENCE_MS)
  }

  async transfers(
    wallets: readonly Hex[],
    tokens: readonly Hex[],
    from: bigint,
    to: bigint,
  ): Promise<Agreed<readonly Transfer[]>> {
    // Without one, nodes would answer with the transfers of everybody.
    if (wallets.length === 0 || tokens.length === 0 || from > to) return { agreed: [] }
    const heightOf = async (provider: Provider) => (await this.#finalBy(provider)).number
    const words = () => this.#finalWords(to, 'the transfers of wallets')
    const asked = { wallets, tokens, from, to }
    return this.#ask(provider => transfersBy(provider, asked, heightOf), words)
  }

  transaction(hash: Hex): Promise<Agreed<SeenTransaction | null>> {
    return this.#ask(provider => transactionOf(provider, hash))
  }

  async broadcast(raws: readonly Hex[]): Promise<readonly Broadcast[]> {
    await this.#heads.look(this.#pace_ms)
    const { id, keeps_pending } = this.#config.chain
    const isOther = ({ chain_id }: Judged<Node>) => chain_id !== 0n && chain_id !== id
    const nodes = this.#heads.judge().flatMap(one => (isOther(one) ? [] : one.provider))
    const said: SaidBy[] = []
    const sent = nodes.map(async node => {
      const run = await sendTo(node, raws, keeps_pending ? raws.length : 1)
      said.push({ name: node.name, run })
      // The first that has them all is enough; a silent provider delays nobody.
      const is_whole = run.length === raws.length && run.every(({ taken }) => taken === 'taken')
      if (!is_whole) throw new NoAnswer('it has not taken all')
    })
    await Promise.any(sent).catch(() => {})
    return raws.flatMap((_raw, i) => joinSaid(said, i))
  }

  async troubles(how?: { readonly all: boolean }): Promise<readonly ChainTrouble[]> {
    await this.#heads.look(this.#pace_ms, how)
    const { chain } = this.#config
    const judged = this.#heads.judge()
    const others = judged.filter(({ chain_id }) => chain_id !== 0n && chain_id !== chain.id)
    const other_chain = others.map(({ provider: { name }, chain_id }) => ({
      kind: 'other_chain' as const,
      providers: [name],
      message: `${name} is on chain ${chain_id}, not on ${chain.title}, ${chain.id}`,
    }))
    const good = this.#heads.good()
    // Too few providers see no block either, and the chain is not to blame.
    const stopped = good.length < this.#need ? [] : stillness(this.#heads.still_ms, chain, good)
    const histories = await disagreements(good, this.#need)
    return [...[...other_chain, ...stopped, ...histories, ...this.#contradictions.troubles()]]
  }

  providers(): readonly ProviderState[] {
    return this.#heads.judge().map(({ provider, ...seen }) => ({
      ...seen,
      name: provider.name,
      final: this.#finals.get(provider.name) ?? null,
      counts: provider.counts,
      other_answers: this.#contradictions.count(provider.name),
    }))
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map(node => node.close()))
  }

  async #asked<T>(read: (provider: Provider) => Promise<T>): Promise<readonly Asked<T>[]> {
    await this.#heads.look(this.#pace_ms)
    return this.#heads.good().map(provider => ({ name: provider.name, answer: read(provider) }))
  }

  async #ask<T>(
    read: (provider: Provider) => Promise<T>,
    words?: FinalWords<NonNullable<T>>,
  ): Promise<Agreed<T>> {
    return this.#agree(await this.#asked(read), words)
  }

  /** Asks as of one block, so that providers with different heads can agree. `what`: about what. */
  async #askAt<T>(
    at: At,
    read: (provider: Provider, block: string) => Promise<T>,
    what = '',
  ): Promise<Agreed<T>> {
    const named = await this.#nameOf(at)
    if (!('agreed' in named)) return named
    const block = named.agreed
    const words = () =>
      block === 'pending' || what === '' ? '' : this.#finalWords(BigInt(block), what)
    return this.#ask(provider => read(provider, block), words)
  }

  async #nameOf(at: At): Promise<Agreed<string>> {
    if (at === 'pending') return { agreed: at }
    if (typeof at === 'bigint') return { agreed: quantity(at) }
    const known = at === 'latest' ? this.#head : this.#final
    if (known !== undefined && performance.now() - known.at < this.#pace_ms) {
      return { agreed: quantity(known.block.number) }
    }
    const found = at === 'latest' ? await this.head() : await this.final()
    return 'agreed' in found ? { agreed: quantity(found.agreed.number) } : found
  }

  async #agree<T>(
    asked: readonly Asked<T>[],
    words?: FinalWords<NonNullable<T>>,
  ): Promise<Agreed<T>> {
    this.#contradictions.hear(asked, words)
    const found = await agree(asked, this.#need)
    return 'agreed' in found ? found : { unclear: this.#withLeftOut(found.unclear) }
  }

  #withLeftOut(reason: string): string {
    return [reason, ...this.#heads.leftOut()].join('; ')
  }
}
