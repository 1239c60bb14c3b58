// What the rail asks of a chain, and the answers that several providers agree on. Amounts of tokens
// are in the token's smallest unit, prices of gas and amounts of the native coin in wei.
import type { Instant } from '../../values/instant.ts'

/** `0x` and lower-case hexadecimal digits. */
export type Hex = `0x${string}`

/** An answer of a quorum: 2 of 3 providers, or both of two, with the same content; or none. */
export type Agreed<T> = { readonly agreed: T } | { readonly unclear: string }

export interface Block {
  readonly number: bigint
  readonly hash: Hex
  readonly base_fee: bigint
  /** The block's own time. */
  readonly at: Instant
}

/** A `Transfer(from, to, value)` of ERC-20. */
export interface Transfer {
  readonly tx_hash: Hex
  readonly block: bigint
  readonly block_hash: Hex
  readonly log_index: number
  readonly token: Hex
  readonly sender: Hex
  readonly receiver: Hex
  readonly units: bigint
}

export interface Receipt {
  readonly hash: Hex
  readonly block: bigint
  readonly block_hash: Hex
  readonly succeeded: boolean
  readonly gas_used: bigint
  /** All that the sender paid for gas, in wei, with a rollup's fee for the layer below. */
  readonly cost_wei: bigint
  readonly transfers: readonly Transfer[]
}

/** What a transaction says of itself, whoever has signed it. */
export interface SeenTransaction {
  readonly sender: Hex
  readonly nonce: bigint
  /** Wei for a unit of gas, and the most units. */
  readonly max_fee: bigint
  readonly gas: bigint
  readonly data: Hex
}

/** Why a call would revert: the reason in words, or the name of the token's error; '' for none. */
export interface Revert {
  readonly reverted: string
}

/** An amount of a token that a wallet would send to a payee. */
export interface Move {
  readonly wallet: Hex
  readonly token: Hex
  readonly payee: Hex
  readonly units: bigint
  /** The bytes behind the arguments; none when absent. */
  readonly tag?: Hex
}

/** The tag of a block, or its number. */
export type At = 'latest' | 'pending' | 'finalized' | bigint

/** How a provider took the bytes of a transaction. Only `taken` says that it has them. */
export type Taken = 'taken' | 'nonce_used' | 'unclear'

/** What the providers have said to the bytes of a transaction. */
export interface Broadcast {
  readonly taken: Taken
  /** By provider, in words. */
  readonly answers: string
}

/**
 * A chain through its providers. No call rejects: an error of a node, a time-out or an answer that
 * cannot be read counts as no answer, and without a quorum the result is `unclear`, with the
 * reasons by provider.
 */
export interface Chain {
  /** The newest block of the slowest provider that is not left out. */
  head(): Promise<Agreed<Block>>
  /** The newest block that the chain itself calls final: it never goes back. */
  final(): Promise<Agreed<Block>>
  /** The newest block whose payments count as paid, by the rail's setting `settles_on`. */
  settled(): Promise<Agreed<Block>>
  /** The canonical block of a number; null: there is none yet. */
  block(number: bigint): Promise<Agreed<Block | null>>
  /** The receipt; null: the transaction is in no block. That is no proof that it never will be. */
  receipt(hash: Hex): Promise<Agreed<Receipt | null>>
  /** The number of transactions that the account has sent as of a block: its next nonce. */
  nonce(account: Hex, at: At): Promise<Agreed<bigint>>
  /** The balance of a token, or of the native coin for null. */
  balance(account: Hex, token: Hex | null, at: At): Promise<Agreed<bigint>>
  /** Whether the issuer of the token has frozen the account; false for a token that cannot. */
  frozen(account: Hex, token: Hex): Promise<Agreed<boolean>>
  /** Whether the account has code: a Safe or another smart wallet. */
  isContract(account: Hex): Promise<Agreed<boolean>>
  /** The exact transfer by `eth_call` and `eth_estimateGas` at the newest block. */
  simulate(move: Move): Promise<Agreed<{ readonly gas: bigint } | Revert>>
  /** What the market pays: base fee of the next block, and the median tip of 10 blocks. */
  market(): Promise<Agreed<{ readonly base_fee: bigint; readonly tip: bigint }>>
  /** Transfers of the tokens from or to the wallets in final blocks; both bounds are included. */
  transfers(
    wallets: readonly Hex[],
    tokens: readonly Hex[],
    from: bigint,
    to: bigint,
  ): Promise<Agreed<readonly Transfer[]>>
  /** A transaction by its hash; null: there is none. */
  transaction(hash: Hex): Promise<Agreed<SeenTransaction | null>>
  /**
   * Sends the same bytes to every provider, in this order; `taken` when one has them. What a
   * provider has not taken ends what it is sent. Returns what was said to each, from the first one
   * on; nobody was sent the rest.
   */
  broadcast(raws: readonly Hex[]): Promise<readonly Broadcast[]>
}
