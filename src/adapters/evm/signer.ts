// Signers of transactions. A signer gets all fields and gives a signature; the rail makes the bytes
// and recovers who signed them, so a broken or hostile signer can refuse but not redirect.
import type { Hex } from './chain.ts'

/** A transaction of type 2 (EIP-1559) without its signature. Its access list is empty. */
export interface Eip1559 {
  readonly chain_id: bigint
  readonly nonce: bigint
  /** Wei for each unit of gas. */
  readonly tip: bigint
  readonly max_fee: bigint
  readonly gas: bigint
  readonly to: Hex
  /** Wei. */
  readonly value: bigint
  readonly data: Hex
}

export interface Signature {
  readonly r: bigint
  /** At most half of the curve's order. */
  readonly s: bigint
  readonly y: 0 | 1
}

/** Rejects when it cannot sign now. Its errors never hold a key or a passphrase. */
export interface Signer {
  readonly address: Hex
  sign(transaction: Eip1559): Promise<Signature>
}
