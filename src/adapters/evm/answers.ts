// Reads what nodes answer. An answer of another form than the specification's (ethereum.org,
// execution-apis) reads as undefined, and so counts as none. Pure.
import { type Instant, instantFromIso } from '../../values/instant.ts'
import { readWord, TRANSFER_TOPIC } from './abi.ts'
import type { Block, Hex, Receipt, SeenTransaction, Transfer } from './chain.ts'
import { addressInWord, readAddress, readData, readHash, readQuantity } from './hex.ts'

/** The most bytes of calldata, of code, or of an answer of a call that are read. */
const MAX_DATA = 128 * 1024
/** The last second that an instant can name. */
const MAX_TIME = 253_402_300_799n
const MAX_LOG_INDEX = 1_000_000n

type Values = Readonly<Record<string, unknown>>

function membersOf(json: unknown): Values {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Values) : {}
}

type Whole<T> = T & { readonly [Name in keyof T]: NonNullable<T[Name]> }

/** True when no value is undefined. */
function areRead<T extends object>(values: T): values is Whole<T> {
  return Object.values(values).every(value => value !== undefined)
}

function instantOf(seconds: bigint | undefined): Instant | undefined {
  if (seconds === undefined || seconds > MAX_TIME) return undefined
  return instantFromIso(new Date(Number(seconds) * 1000).toISOString())
}

/** A block that has a place in the chain: a pending one has no hash. */
export function readBlock(json: unknown): Block | undefined {
  const { number, hash, baseFeePerGas, timestamp } = membersOf(json)
  const block = {
    number: readQuantity(number),
    hash: readHash(hash),
    base_fee: readQuantity(baseFeePerGas),
    at: instantOf(readQuantity(timestamp)),
  }
  return areRead(block) ? block : undefined
}

interface ReceiptRules {
  /** Whether the chain's receipts have a fee for the layer below. */
  readonly l1_fee: boolean
}

/** The receipt of this transaction. A log of another one makes all of it unreadable. */
export function readReceipt(
  json: unknown,
  hash: Hex,
  { l1_fee }: ReceiptRules,
): Receipt | undefined {
  const { transactionHash, status, logs, ...rest } = membersOf(json)
  const read = {
    block: readQuantity(rest.blockNumber),
    block_hash: readHash(rest.blockHash),
    gas_used: readQuantity(rest.gasUsed),
    price: readQuantity(rest.effectiveGasPrice),
    below: l1_fee ? readQuantity(rest.l1Fee) : 0n,
    transfers: Array.isArray(logs) ? readLogs(logs) : undefined,
  }
  if (readHash(transactionHash) !== hash || !areRead(read)) return undefined
  if (status !== '0x1' && status !== '0x0') return undefined
  const { block, block_hash, gas_used, price, below, transfers } = read
  const isOfIt = (log: Transfer) =>
    log.tx_hash === hash && log.block_hash === block_hash && log.block === block
  if (!transfers.every(isOfIt)) return undefined
  const cost_wei = gas_used * price + below
  return { hash, block, block_hash, succeeded: status === '0x1', gas_used, cost_wei, transfers }
}

/** The transfers of ERC-20 among the logs, in their order. */
export function readLogs(logs: readonly unknown[]): Transfer[] | undefined {
  const read = logs.map(readLog)
  if (read.includes(undefined)) return undefined
  return read.filter(log => log !== null && log !== undefined)
}

/** Null: another event. Undefined: no log, or one that a reorganization has removed. */
function readLog(json: unknown): Transfer | null | undefined {
  const { topics, removed, ...rest } = membersOf(json)
  if (!Array.isArray(topics) || (removed !== undefined && removed !== false)) return undefined
  // An NFT's Transfer has the same first topic, and its id as a fourth.
  if (topics[0] !== TRANSFER_TOPIC || topics.length !== 3) return null
  const index = readQuantity(rest.logIndex)
  if (index === undefined || index > MAX_LOG_INDEX) return undefined
  const data = readData(rest.data, 32)
  const transfer = {
    tx_hash: readHash(rest.transactionHash),
    block: readQuantity(rest.blockNumber),
    block_hash: readHash(rest.blockHash),
    log_index: Number(index),
    token: readAddress(rest.address),
    sender: addressInWord(topics[1]),
    receiver: addressInWord(topics[2]),
    units: data === undefined ? undefined : readWord(data),
  }
  return areRead(transfer) ? transfer : undefined
}

/** What the market pays, from `eth_feeHistory` of some blocks with one percentile. */
export function readMarket(json: unknown): { base_fee: bigint; tip: bigint } | undefined {
  const { baseFeePerGas, reward } = membersOf(json)
  if (!Array.isArray(baseFeePerGas) || !Array.isArray(reward)) return undefined
  const base_fee = readQuantity(baseFeePerGas.at(-1))
  const tips = reward.map(row => (Array.isArray(row) ? readQuantity(row[0]) : undefined))
  const known = tips.filter(tip => tip !== undefined)
  if (base_fee === undefined || known.length < tips.length || tips.length === 0) return undefined
  return { base_fee, tip: middleOf(known) }
}

/** The median; of an even number, the higher one of the two in the middle. */
export function middleOf(numbers: readonly bigint[]): bigint {
  const sorted = numbers.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[Math.floor(sorted.length / 2)] ?? 0n
}

/** The text that comes most often, the first of several; '' for none. */
export function mostFrequent(texts: readonly string[]): string {
  const groups = [...Map.groupBy(texts, text => text).values()]
  return groups.toSorted((a, b) => b.length - a.length)[0]?.[0] ?? ''
}

/** This transaction, of any type; null: there is none. */
export function readTransaction(json: unknown, hash: Hex): SeenTransaction | null | undefined {
  if (json === null) return null
  const { hash: its, from, nonce, input, gas, maxFeePerGas, gasPrice } = membersOf(json)
  const [sender, data] = [readAddress(from), readData(input, MAX_DATA)]
  const numbers = [nonce, gas, maxFeePerGas ?? gasPrice].map(readQuantity)
  const [count, most_gas, max_fee] = numbers
  if (readHash(its) !== hash || sender === undefined || data === undefined) return undefined
  if (count === undefined || most_gas === undefined || max_fee === undefined) return undefined
  return { sender, nonce: count, max_fee, gas: most_gas, data }
}

export function readHasCode(json: unknown): boolean | undefined {
  const code = readData(json, MAX_DATA)
  return code === undefined ? undefined : code !== '0x'
}

/** The number that a call has answered with. */
export function readAnswer(json: unknown): bigint | undefined {
  const data = readData(json, MAX_DATA)
  return data === undefined ? undefined : readWord(data)
}

/** The bytes that a call has answered with. */
export function readBytes(json: unknown): Hex | undefined {
  return readData(json, MAX_DATA)
}
