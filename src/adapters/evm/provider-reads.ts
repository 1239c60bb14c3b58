// The questions that the rail asks a single provider. Each rejects with NodeError or NoAnswer.
import {
  aboutAccount,
  FREEZERS,
  readWord,
  revertReason,
  TRANSFER_TOPIC,
  transferData,
} from './abi.ts'
import {
  readAnswer,
  readBlock,
  readBytes,
  readHasCode,
  readLogs,
  readMarket,
  readReceipt,
  readTransaction,
} from './answers.ts'
import type {
  Block,
  Broadcast,
  Hex,
  Move,
  Receipt,
  SeenTransaction,
  Taken,
  Transfer,
} from './chain.ts'
import { bytesOf, hashOf, quantity, readHash, readQuantity } from './hex.ts'
import { isRevert, NoAnswer, type Node, NodeError, type Provider, TooLong } from './node.ts'

/** The most blocks of one question for transfers. */
const LOG_BLOCKS = 1000n
/** More gas than any transfer of a token uses. */
const MAX_GAS = 10_000_000n
/** The blocks whose tips are looked at, and which tip of each: the median. */
const TIP_BLOCKS = 10n
const TIP_PERCENTILE = 50

/** An answer that `reader` can read; else it counts as none. */
export async function ask<T>(
  provider: Provider,
  method: string,
  params: readonly unknown[],
  reader: (json: unknown) => T | undefined,
): Promise<T> {
  const value = reader(await provider.ask(method, params))
  if (value === undefined) throw new NoAnswer(`its answer to ${method} cannot be read`)
  return value
}

/** The block of a number or a tag; null: there is none. */
export function blockOf(
  provider: Provider,
  at: bigint | 'finalized' | 'latest',
): Promise<Block | null> {
  const name = typeof at === 'bigint' ? quantity(at) : at
  return ask(provider, 'eth_getBlockByNumber', [name, false], json => {
    if (json === null) return null
    const block = readBlock(json)
    return typeof at === 'bigint' && block?.number !== at ? undefined : block
  })
}

/** The block of a number that the provider must have. */
export async function blockAt(provider: Provider, number: bigint): Promise<Block> {
  const block = await blockOf(provider, number)
  if (block === null) throw new NoAnswer(`it has no block ${number}`)
  return block
}

/** The newest block that is final for the provider. */
export async function finalOf(provider: Provider): Promise<Block> {
  const block = await blockOf(provider, 'finalized')
  if (block === null) throw new NoAnswer('it has no final block')
  return block
}

export function receiptOf(
  provider: Provider,
  hash: Hex,
  chain: { readonly l1_fee: boolean },
): Promise<Receipt | null> {
  return ask(provider, 'eth_getTransactionReceipt', [hash], json =>
    json === null ? null : readReceipt(json, hash, chain),
  )
}

export function nonceOf(provider: Provider, account: Hex, at: string): Promise<bigint> {
  return ask(provider, 'eth_getTransactionCount', [account, at], readQuantity)
}

export function coinOf(provider: Provider, account: Hex, at: string): Promise<bigint> {
  return ask(provider, 'eth_getBalance', [account, at], readQuantity)
}

export function hasCode(provider: Provider, account: Hex, at: string): Promise<boolean> {
  return ask(provider, 'eth_getCode', [account, at], readHasCode)
}

export function transactionOf(provider: Provider, hash: Hex): Promise<SeenTransaction | null> {
  return ask(provider, 'eth_getTransactionByHash', [hash], json => readTransaction(json, hash))
}

export function marketOf(provider: Provider): Promise<{ base_fee: bigint; tip: bigint }> {
  const params = [quantity(TIP_BLOCKS), 'latest', [TIP_PERCENTILE]]
  return ask(provider, 'eth_feeHistory', params, readMarket)
}

/** The number that a call of a contract answers with. */
export function numberBy(provider: Provider, to: Hex, data: Hex, at: string): Promise<bigint> {
  return ask(provider, 'eth_call', [{ to, data }, at], readAnswer)
}

/** The bytes that a call of a contract answers with. */
export function bytesBy(provider: Provider, to: Hex, data: Hex, at: string): Promise<Hex> {
  return ask(provider, 'eth_call', [{ to, data }, at], readBytes)
}

/** Whether the token has frozen the account, by each of the questions that tokens know. */
export async function frozenBy(
  provider: Provider,
  account: Hex,
  token: Hex,
  at: string,
): Promise<boolean> {
  const answers = FREEZERS.map(async question => {
    try {
      const data = await bytesBy(provider, token, aboutAccount(question, account), at)
      if (data === '0x') return false
      const answer = readWord(data)
      if (answer === undefined || answer > 1n)
        throw new NoAnswer('its answer is neither yes nor no')
      return answer === 1n
    } catch (error) {
      // A token that cannot freeze has no such function, and reverts.
      if (error instanceof NodeError && isRevert(error)) return false
      throw error
    }
  })
  return (await Promise.all(answers)).includes(true)
}

export type Tried =
  | { readonly moves: true; readonly gas: bigint }
  | { readonly moves: false; readonly reverted: string }

/** The exact transfer, tried as of a block. */
export async function tryMove(provider: Provider, move: Move, at: string): Promise<Tried> {
  const { wallet, token, payee, units, tag } = move
  const call = { from: wallet, to: token, data: transferData(payee, units, tag) }
  try {
    const [data, gas] = await Promise.all([
      ask(provider, 'eth_call', [call, at], readBytes),
      ask(provider, 'eth_estimateGas', [call, at], readQuantity),
    ])
    // Some tokens answer nothing; those that answer false have moved nothing.
    const answer = data === '0x' ? 1n : readWord(data)
    if (answer === 0n) return { moves: false, reverted: 'the token answers false' }
    if (answer !== 1n || gas > MAX_GAS) throw new NoAnswer('its answer to a transfer is none')
    return { moves: true, gas }
  } catch (error) {
    if (!(error instanceof NodeError && isRevert(error))) throw error
    return { moves: false, reverted: revertReason(error.data) || wordsOf(error.message) }
  }
}

/** The reason that a node puts behind its own words; '' for none. */
function wordsOf(message: string): string {
  return /revert(?:ed)?:\s*(.+)$/i.exec(message)?.[1] ?? ''
}

export interface TransfersAsked {
  readonly wallets: readonly Hex[]
  readonly tokens: readonly Hex[]
  readonly from: bigint
  readonly to: bigint
}

/**
 * The transfers in a range of blocks that are final for this provider, before and afterwards. One
 * that lags answers an empty list as if nothing had happened.
 */
export async function transfersBy(
  provider: Provider,
  asked: TransfersAsked,
  finalOf: (provider: Provider) => Promise<bigint>,
): Promise<Transfer[]> {
  const checkFinal = async () => {
    const final = await finalOf(provider)
    if (final < asked.to) throw new NoAnswer(`its final block is ${final}, before ${asked.to}`)
  }
  await checkFinal()
  const found = new Map<string, Transfer>()
  for (let from = asked.from; from <= asked.to; from += LOG_BLOCKS) {
    const end = from + LOG_BLOCKS - 1n
    const to = end < asked.to ? end : asked.to
    for (const one of await logsBy(provider, { ...asked, from, to })) {
      found.set(`${one.tx_hash} ${one.log_index}`, one)
    }
  }
  await checkFinal()
  return [...found.values()].toSorted(
    (a, b) => Number(a.block - b.block) || a.log_index - b.log_index,
  )
}

/** Asks for half as many blocks when the node refuses, or answers more than is read. */
async function logsBy(provider: Provider, asked: TransfersAsked): Promise<readonly Transfer[]> {
  const { wallets, tokens, from, to } = asked
  const accounts = wallets.map(wallet => `0x${wallet.slice(2).padStart(64, '0')}`)
  const range = { address: tokens, fromBlock: quantity(from), toBlock: quantity(to) }
  const isAsked = ({ block, token, sender, receiver }: Transfer) =>
    block >= from &&
    block <= to &&
    tokens.includes(token) &&
    (wallets.includes(sender) || wallets.includes(receiver))
  const read = (json: unknown) => {
    const logs = Array.isArray(json) ? readLogs(json) : undefined
    return logs?.every(isAsked) ? logs : undefined
  }
  try {
    const topics = [
      [TRANSFER_TOPIC, accounts],
      [TRANSFER_TOPIC, null, accounts],
    ]
    const parts = await Promise.all(
      topics.map(topics => ask(provider, 'eth_getLogs', [{ ...range, topics }], read)),
    )
    return parts.flat()
  } catch (error) {
    if (from === to || !(error instanceof NodeError || error instanceof TooLong)) throw error
    const middle = (from + to) / 2n
    const lower = await logsBy(provider, { ...asked, to: middle })
    return [...lower, ...(await logsBy(provider, { ...asked, from: middle + 1n }))]
  }
}

/** How nodes say that they have these very bytes: geth, reth, Nethermind and Erigon, anvil. */
const HAS_IT = /already known|already imported|already_exists|\bknown transaction\b/i
const NONCE_USED = /nonce too low/i

/** What a provider has said to signed bytes. */
export interface Said {
  readonly taken: Taken
  readonly words: string
}

/**
 * Hands signed bytes over, at most so many in one request. Bytes whose predecessors in an earlier
 * request were not taken are not sent. An error that says neither proves nothing. Never rejects.
 */
export async function sendTo(
  node: Pick<Node, 'most' | 'askInOrder'>,
  raws: readonly Hex[],
  at_once: number,
): Promise<readonly Said[]> {
  const said: Said[] = []
  while (said.length < raws.length) {
    const some = raws.slice(said.length, said.length + Math.min(at_once, node.most))
    const asked = some.map(raw => [raw])
    const results = await node.askInOrder('eth_sendRawTransaction', asked)
    // It has just refused its first batch.
    if (some.length > node.most) continue
    said.push(...results.map((result, i) => saidOf(result, some[i] as Hex)))
    if (said.some(({ taken }) => taken === 'unclear')) break
  }
  return said
}

function saidOf(result: PromiseSettledResult<unknown>, raw: Hex): Said {
  if (result.status === 'fulfilled') {
    const is_it = readHash(result.value) === hashOf(bytesOf(raw))
    return is_it
      ? { taken: 'taken', words: 'taken' }
      : { taken: 'unclear', words: 'answered with another hash' }
  }
  const { message } = result.reason as Error
  if (!(result.reason instanceof NodeError)) return { taken: 'unclear', words: message }
  if (HAS_IT.test(message)) return { taken: 'taken', words: message }
  return { taken: NONCE_USED.test(message) ? 'nonce_used' : 'unclear', words: message }
}

/** What a provider has said to bytes, in the order of their numbers. */
export interface SaidBy {
  readonly name: string
  readonly run: readonly Said[]
}

/** What counts of several words about the same bytes is the first. */
const TAKEN: readonly Taken[] = ['taken', 'nonce_used', 'unclear']

/** What the providers have said to the bytes at a place; none when nobody was sent them. */
export function joinSaid(said: readonly SaidBy[], place: number): readonly Broadcast[] {
  const each = said.flatMap(({ name, run }) => (run[place] ? { name, ...run[place] } : []))
  const taken = TAKEN.find(word => each.some(one => one.taken === word))
  const answers = each.map(({ name, words }) => `${name}: ${words}`).join('; ')
  return taken === undefined ? [] : [{ taken, answers }]
}
