// Random transactions of type 2, with the edges of each field more often than chance gives them.
import type { Hex } from '../../../src/adapters/evm/chain.ts'
import { hexOf } from '../../../src/adapters/evm/hex.ts'
import type { Eip1559 } from '../../../src/adapters/evm/signer.ts'

type Next = () => number

export function randomBytes(next: Next, length: number): Hex {
  return hexOf(Uint8Array.from({ length }, () => Math.floor(next() * 256)))
}

/** From 0 up to some bytes: every length is as likely, so that small ones are tried too. */
export function randomNumber(next: Next, most_bytes: number): bigint {
  const length = Math.floor(next() * (most_bytes + 1))
  return length === 0 ? 0n : BigInt(randomBytes(next, length))
}

/** Lengths around those that RLP codes in another way. */
const LENGTHS = [0, 1, 2, 55, 56, 68, 84, 255, 256, 300]

export function randomTransaction(next: Next): Eip1559 {
  const max_fee = randomNumber(next, 12)
  const length = LENGTHS[Math.floor(next() * LENGTHS.length)] ?? 0
  return {
    chain_id: randomNumber(next, 6) + 1n,
    nonce: randomNumber(next, 6),
    tip: next() < 0.2 ? max_fee : max_fee / BigInt(1 + Math.floor(next() * 50)),
    max_fee,
    gas: randomNumber(next, 7),
    to: randomBytes(next, 20),
    value: randomNumber(next, 31),
    data: randomBytes(next, length),
  }
}
