// Makes keys of wallets in files of Web3 Secret Storage. The scrypt is so cheap that a test waits for
// nothing: no real money belongs on such a key.
import { createCipheriv, randomBytes, scryptSync } from 'node:crypto'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Hex } from './anvil.ts'

export interface KeyFile {
  /** In small letters. */
  readonly address: Hex
  readonly private_key: Hex
  readonly passphrase: string
  readonly path: string
  readonly passphrase_file: string
}

const COST = { n: 1024, r: 8, p: 1 }

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** Makes a key, and writes it with its passphrase into files of the folder that the owner alone reads. */
export async function makeKeyFile(folder: string, name: string): Promise<KeyFile> {
  const key = secp256k1.utils.randomSecretKey()
  const point = secp256k1.getPublicKey(key, false)
  const address = hexOf(keccak_256(point.subarray(1)).subarray(12))
  const passphrase = `passphrase of ${name} ${crypto.randomUUID()}`
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const derived = scryptSync(passphrase, salt, 32, { N: COST.n, r: COST.r, p: COST.p })
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const hidden = Buffer.concat([cipher.update(key), cipher.final()])
  const keystore = {
    version: 3,
    id: crypto.randomUUID(),
    address,
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: hexOf(iv) },
      ciphertext: hexOf(hidden),
      kdf: 'scrypt',
      kdfparams: { ...COST, dklen: 32, salt: hexOf(salt) },
      mac: hexOf(keccak_256(Buffer.concat([derived.subarray(16), hidden]))),
    },
  }
  const [path, passphrase_file] = [join(folder, `${name}.json`), join(folder, `${name}.pass`)]
  await writeForOwner(path, JSON.stringify(keystore))
  await writeForOwner(passphrase_file, `${passphrase}\n`)
  return {
    ...{ address: `0x${address}`, private_key: `0x${hexOf(key)}` },
    ...{ passphrase, path, passphrase_file },
  }
}

async function writeForOwner(path: string, content: string): Promise<void> {
  await writeFile(path, content, { mode: 0o600 })
  await chmod(path, 0o600)
}
