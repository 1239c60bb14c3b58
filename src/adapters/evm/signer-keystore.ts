// Signs with a key of a file of Web3 Secret Storage, version 3. The key is in memory while the rail
// is open, and in no error, log or JSON.
import { createDecipheriv, pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { scryptAsync } from '@noble/hashes/scrypt.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { Members } from '../../values/text/members.ts'
import type { Hex } from './chain.ts'
import type { KeystoreConfig } from './config-signer.ts'
import { readPrivateFile, readSecretLine } from './private-file.ts'
import type { Eip1559, Signature, Signer } from './signer.ts'
import { addressOf, digestOf } from './transaction.ts'

const KEY_BYTES = 32
/** The most memory that a derivation takes: twice what usual files ask for. */
const MAX_MEMORY = 512 * 1024 ** 2
const MAX_ITERATIONS = 10_000_000

const pbkdf2Of = promisify(pbkdf2)

export class KeystoreSigner implements Signer {
  readonly address: Hex
  readonly #config: KeystoreConfig
  #key: Promise<Uint8Array> | undefined

  constructor(address: Hex, config: KeystoreConfig) {
    this.address = address
    this.#config = config
  }

  async sign(transaction: Eip1559): Promise<Signature> {
    this.#key ??= this.#readKey()
    const key = await this.#key.catch(error => {
      // The next one reads again: a person may have mended the file.
      this.#key = undefined
      throw error
    })
    const options = { prehash: false, lowS: true, format: 'recovered' } as const
    const bytes = secp256k1.sign(digestOf(transaction), key, options)
    const { r, s, recovery } = secp256k1.Signature.fromBytes(bytes, 'recovered')
    return { r, s, y: recovery === 1 ? 1 : 0 }
  }

  async #readKey(): Promise<Uint8Array> {
    const { path, passphrase_file } = this.#config
    const text = await readPrivateFile('the keystore', path)
    const passphrase = await readSecretLine('the file of the passphrase', passphrase_file)
    const key = await decryptKey(text, passphrase)
    if (addressOf(secp256k1.getPublicKey(key, false)) === this.address) return key
    throw new Error(`the keystore "${path}" has the key of another address than ${this.address}`)
  }
}

/**
 * The key in a file of Web3 Secret Storage. Rejects for a file of another form, one that asks for
 * too much work, and a wrong passphrase; no message repeats anything of it.
 */
export async function decryptKey(text: string, passphrase: string): Promise<Uint8Array> {
  const crypto = readCrypto(text)
  const derived = await crypto.derive(passphrase)
  const mac = keccak_256(Buffer.concat([derived.subarray(16, 32), crypto.ciphertext]))
  if (!timingSafeEqual(mac, crypto.mac)) throw new Error('the passphrase of the keystore is wrong')
  const cipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), crypto.iv)
  return Buffer.concat([cipher.update(crypto.ciphertext), cipher.final()])
}

interface Crypto {
  readonly ciphertext: Buffer
  readonly iv: Buffer
  readonly mac: Buffer
  derive(passphrase: string): Promise<Uint8Array>
}

function readCrypto(text: string): Crypto {
  const members = new Members(parsed(text), 'keystore')
  members.integer('version', 3, 3, 3)
  // The first files had the member in capitals.
  const crypto = members.object(members.has('Crypto') ? 'Crypto' : 'crypto')
  crypto.oneOf('cipher', ['aes-128-ctr'])
  const read = {
    ciphertext: bytesIn(crypto, 'ciphertext', KEY_BYTES, KEY_BYTES),
    iv: bytesIn(crypto.object('cipherparams'), 'iv', 16, 16),
    mac: bytesIn(crypto, 'mac', 32, 32),
    derive: readDerivation(crypto.oneOf('kdf', ['scrypt', 'pbkdf2']), crypto.object('kdfparams')),
  }
  const [problem] = members.problems
  if (problem !== undefined) throw new Error(`the file is no keystore of version 3: ${problem}`)
  return read
}

function readDerivation(kdf: 'scrypt' | 'pbkdf2', params: Members): Crypto['derive'] {
  const length = params.integer('dklen', 0, 32, 64)
  const salt = bytesIn(params, 'salt', 0, 64)
  if (kdf === 'pbkdf2') {
    params.oneOf('prf', ['hmac-sha256'])
    const rounds = params.integer('c', 0, 1, MAX_ITERATIONS)
    return passphrase => pbkdf2Of(passphrase, salt, rounds, length, 'sha256')
  }
  const N = params.integer('n', 0, 2, 2 ** 22)
  const r = params.integer('r', 0, 1, 64)
  const p = params.integer('p', 0, 1, 64)
  if (128 * N * r > MAX_MEMORY) params.problem('n', `and r take more than ${MAX_MEMORY} bytes`)
  // OpenSSL, and so node:crypto, refuses the N of some files for their r.
  const options = { N, r, p, dkLen: length, maxmem: 2 * MAX_MEMORY }
  return passphrase => scryptAsync(passphrase, salt, options)
}

function bytesIn(members: Members, name: string, least: number, most: number): Buffer {
  const written = members.text(name, 2 * most, least === 0 ? '' : undefined)
  const bytes = Buffer.from(written, 'hex')
  if (2 * bytes.length !== written.length || bytes.length < least) {
    members.problem(name, `must be the hex digits of ${least} to ${most} bytes`)
  }
  return bytes
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('the keystore is no JSON')
  }
}
