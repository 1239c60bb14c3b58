// Hexadecimal as nodes of a chain write it: quantities, hashes, addresses and bytes. A text that is
// no such value reads as undefined. Pure.
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Hex } from './chain.ts'

const WORD_BYTES = 32

export function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

/** The bytes of a text that `readData` has accepted. */
export function bytesOf(hex: Hex): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}

export function hashOf(bytes: Uint8Array): Hex {
  return hexOf(keccak_256(bytes))
}

/** A number as a parameter of JSON-RPC, without leading zeros. */
export function quantity(number: bigint): Hex {
  return `0x${number.toString(16)}`
}

/** A number of at most 32 bytes. A JSON number is refused: it may have lost digits. */
export function readQuantity(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) return undefined
  return BigInt(value)
}

/** Whole bytes, at most `most` of them; in small letters. */
export function readData(value: unknown, most: number): Hex | undefined {
  if (typeof value !== 'string' || value.length > 2 + 2 * most) return undefined
  if (value.length % 2 !== 0 || !/^0x[0-9a-f]*$/i.test(value)) return undefined
  return value.toLowerCase() as Hex
}

function readExactly(value: unknown, bytes: number): Hex | undefined {
  const data = readData(value, bytes)
  return data?.length === 2 + 2 * bytes ? data : undefined
}

/** 32 bytes, such as the hash of a block. */
export function readHash(value: unknown): Hex | undefined {
  return readExactly(value, WORD_BYTES)
}

/** 20 bytes in small letters. The checksum of mixed letters is not judged. */
export function readAddress(value: unknown): Hex | undefined {
  return readExactly(value, 20)
}

/** The address in a word of 32 bytes, as calls and logs have it; undefined unless zeros precede. */
export function addressInWord(value: unknown): Hex | undefined {
  const word = readHash(value)
  return word?.startsWith(`0x${'0'.repeat(24)}`) ? `0x${word.slice(26)}` : undefined
}

/** A number as a word of 32 bytes, without 0x. */
export function wordOf(number: bigint): string {
  const digits = number.toString(16)
  if (number < 0n || digits.length > 2 * WORD_BYTES) throw new RangeError('no word of 32 bytes')
  return digits.padStart(2 * WORD_BYTES, '0')
}
