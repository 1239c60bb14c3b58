// Transactions of type 2 (EIP-1559) as bytes: hashes, signs and reads them. The rail makes the
// bytes itself and recovers who signed, so a signer can refuse but not redirect.
import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Hex } from './chain.ts'
import { bytesOf, hashOf, hexOf, readAddress, readData } from './hex.ts'
import { bytesOfInteger, decodeRlp, encodeRlp, integerOf, type Rlp } from './rlp.ts'
import type { Eip1559, Signature, Signer } from './signer.ts'

const TYPE = 2
const ORDER = secp256k1.Point.Fn.ORDER
const MAX_64 = 2n ** 64n - 1n
const MAX_256 = 2n ** 256n - 1n

/** The most bytes of a signed transaction that are read: what nodes take, 128 KiB. */
const MAX_BYTES = 128 * 1024

export interface SignedTransaction {
  readonly tx: Eip1559
  readonly signature: Signature
  readonly sender: Hex
  readonly hash: Hex
}

/** A signer that gave something else than the signature that it was asked for. */
export class SignerFault extends Error {
  override readonly name = 'SignerFault'
}

/** What a signer of the transaction signs: 32 bytes. */
export function digestOf(tx: Eip1559): Uint8Array {
  return bytesOf(hashOf(typed(fieldsOf(tx))))
}

/**
 * The signed bytes and their hash. Rejects as the signer does, and with SignerFault for a signature
 * of another key, of other fields, or with a high s.
 */
export async function signTransaction(
  tx: Eip1559,
  signer: Signer,
): Promise<{ readonly raw: Hex; readonly hash: Hex }> {
  checkFields(tx)
  const digest = digestOf(tx)
  const signature = await signer.sign(tx)
  const fault = signatureFault(signature)
  if (fault !== undefined) throw new SignerFault(`the signer gave ${fault}`)
  const sender = recover(digest, signature)
  if (sender !== signer.address) {
    throw new SignerFault(
      `the signature is not of ${signer.address} over the transaction that was asked`,
    )
  }
  return signedBytes(tx, signature)
}

export function signedBytes(tx: Eip1559, { r, s, y }: Signature) {
  const bytes = typed([...fieldsOf(tx), ...[BigInt(y), r, s].map(bytesOfInteger)])
  return { raw: hexOf(bytes), hash: hashOf(bytes) }
}

/**
 * Reads signed bytes of the form that `signTransaction` makes. Throws RangeError for any other
 * type, an access list, a coding that is not the only one, or a signature that no key makes.
 */
export function readTransaction(raw: Hex): SignedTransaction {
  if (readData(raw, MAX_BYTES) === undefined) throw new RangeError('no bytes of a transaction')
  const bytes = bytesOf(raw)
  if (bytes[0] !== TYPE) throw new RangeError(`not of type ${TYPE}`)
  const items = decodeRlp(bytes.subarray(1))
  if (items instanceof Uint8Array || items.length !== 12) throw new RangeError('not 12 fields')
  const tx = readFields(items)
  const [y, r, s] = items.slice(9).map(integerOf) as [bigint, bigint, bigint]
  if (y > 1n) throw new RangeError('the parity of the signature is not 0 or 1')
  const signature: Signature = { r, s, y: y === 1n ? 1 : 0 }
  const fault = signatureFault(signature)
  if (fault !== undefined) throw new RangeError(fault)
  const sender = recover(digestOf(tx), signature)
  if (sender === undefined) throw new RangeError('a signature of no key')
  return { tx, signature, sender, hash: hashOf(bytes) }
}

function readFields(items: readonly Rlp[]): Eip1559 {
  const [chain_id, nonce, tip, max_fee, gas, to, value, data, access] = items as Rlp[]
  if (access instanceof Uint8Array || access?.length !== 0) {
    throw new RangeError('an access list that is not empty')
  }
  if (!(to instanceof Uint8Array && data instanceof Uint8Array)) {
    throw new RangeError('a list where bytes belong')
  }
  const [c, n, t, m, g, v] = [chain_id, nonce, tip, max_fee, gas, value].map(item =>
    integerOf(item ?? []),
  ) as [bigint, bigint, bigint, bigint, bigint, bigint]
  const numbers = { chain_id: c, nonce: n, tip: t, max_fee: m, gas: g, value: v }
  const tx = { ...numbers, to: hexOf(to), data: hexOf(data) }
  checkFields(tx)
  return tx
}

/** The names of the fields that differ. */
export function differences(asked: Eip1559, got: Eip1559): string[] {
  const names = Object.keys(asked) as (keyof Eip1559)[]
  return names.filter(name => asked[name] !== got[name])
}

/** Throws RangeError for what no chain would take as these fields. */
function checkFields({ chain_id, nonce, tip, max_fee, gas, to, value, data }: Eip1559): void {
  const within = (number: bigint, most: bigint) => number >= 0n && number <= most
  if (!within(chain_id, MAX_256) || chain_id === 0n) throw new RangeError('no chain id')
  if (!within(nonce, MAX_64) || !within(gas, MAX_64)) throw new RangeError('no nonce or gas')
  if (!within(max_fee, MAX_256) || !within(value, MAX_256)) throw new RangeError('no fee or value')
  if (!within(tip, max_fee)) throw new RangeError('a tip above the whole fee')
  if (readAddress(to) !== to) throw new RangeError('to is no address in small letters')
  if (readData(data, MAX_BYTES) !== data) throw new RangeError('data are no bytes in small letters')
}

function fieldsOf({ chain_id, nonce, tip, max_fee, gas, to, value, data }: Eip1559): Rlp[] {
  const numbers = [chain_id, nonce, tip, max_fee, gas].map(bytesOfInteger)
  return [...numbers, bytesOf(to), bytesOfInteger(value), bytesOf(data), []]
}

function typed(fields: readonly Rlp[]): Uint8Array {
  return Buffer.concat([Uint8Array.of(TYPE), encodeRlp(fields)])
}

/** Half of the order is the most that s may be (EIP-2): its mirror image is valid as well. */
function signatureFault({ r, s, y }: Signature): string | undefined {
  if (y !== 0 && y !== 1) return 'a parity other than 0 or 1'
  if (r < 1n || r >= ORDER || s < 1n || s >= ORDER) return 'a signature outside the curve'
  return s > ORDER / 2n ? 'a signature with a high s' : undefined
}

/** The same signature with the lower s, for a signer that does not choose it. */
export function withLowS({ r, s, y }: Signature): Signature {
  return s > ORDER / 2n ? { r, s: ORDER - s, y: y === 0 ? 1 : 0 } : { r, s, y }
}

/** Who signed the digest; undefined when no key gives this signature. */
export function recover(digest: Uint8Array, { r, s, y }: Signature): Hex | undefined {
  try {
    const signature = new secp256k1.Signature(r, s, y)
    return addressOf(signature.recoverPublicKey(digest).toBytes(false))
  } catch {
    return undefined
  }
}

/** The address of a public key of 65 bytes. */
export function addressOf(public_key: Uint8Array): Hex {
  return `0x${hashOf(public_key.subarray(1)).slice(-40)}`
}

/**
 * A message for a trial of a signer that no chain ever takes as a transaction: it has the nonce
 * that EIP-2681 reserves, and no gas.
 */
export function unsendable(chain_id: bigint, address: Hex): Eip1559 {
  const none = { tip: 0n, max_fee: 0n, gas: 0n, value: 0n }
  return { chain_id, nonce: MAX_64, ...none, to: address, data: '0x' }
}
