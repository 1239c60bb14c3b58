// Keys of wallets in files, as Web3 Secret Storage has them: with a scrypt so cheap that a test waits
// for nothing.
import { createCipheriv, randomBytes, scryptSync } from 'node:crypto'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Hex } from './anvil.ts'

export interface KeyFile {
  readonly address: Hex
  readonly private_key: Hex
  readonly passphrase: string
  readonly path: string
  readonly passphrase_file: string
}

const COST = { n: 1024, r: 8, p: 1 }

/** Makes a key, and writes it with its passphrase into files of the folder that the owner reads. */
export async function makeKeyFile(folder: string, name: string): Promise<KeyFile> {
  const private_key = generatePrivateKey()
  const { address } = privateKeyToAccount(private_key)
  const passphrase = `passphrase of ${name} ${crypto.randomUUID()}`
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const derived = scryptSync(passphrase, salt, 32, { N: COST.n, r: COST.r, p: COST.p })
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const hidden = Buffer.concat([cipher.update(private_key.slice(2), 'hex'), cipher.final()])
  const mac = keccak_256(Buffer.concat([derived.subarray(16), hidden]))
  const keystore = {
    version: 3,
    id: crypto.randomUUID(),
    address: address.slice(2).toLowerCase(),
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: iv.toString('hex') },
      ciphertext: hidden.toString('hex'),
      kdf: 'scrypt',
      kdfparams: { ...COST, dklen: 32, salt: salt.toString('hex') },
      mac: Buffer.from(mac).toString('hex'),
    },
  }
  const [path, passphrase_file] = [join(folder, `${name}.json`), join(folder, `${name}.pass`)]
  for (const [file, content] of [
    [path, JSON.stringify(keystore)],
    [passphrase_file, `${passphrase}\n`],
  ] as const) {
    await writeFile(file, content)
    await chmod(file, 0o600)
  }
  const lower = address.toLowerCase() as Hex
  return { address: lower, private_key, passphrase, path, passphrase_file }
}
