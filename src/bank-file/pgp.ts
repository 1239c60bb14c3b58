// Encrypts and decrypts files of a bank by the gpg program, with the keys of one folder. Keys are
// named by their fingerprints; no other key is trusted.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'

export interface PgpConfig {
  /** gpg's folder of keys. */
  readonly home: string
  /** Fingerprints; '' for none: files are then not encrypted, not signed, or not checked. */
  readonly encrypt_to: string
  readonly sign_as: string
  readonly signed_by: string
}

/** gpg failed, or what it read is not signed by the bank. */
export class PgpFailed extends Error {
  override readonly name = 'PgpFailed'
}

const QUIET = ['--batch', '--no-tty', '--quiet', '--pinentry-mode', 'loopback'] as const

/** Encrypts and signs, as far as the settings name keys. */
export async function wrap(config: PgpConfig, bytes: Uint8Array): Promise<Uint8Array> {
  const { encrypt_to, sign_as } = config
  const args = [
    ...(sign_as === '' ? [] : ['--local-user', sign_as, '--sign']),
    ...(encrypt_to === ''
      ? []
      : ['--trust-model', 'always', '--recipient', encrypt_to, '--encrypt']),
    '--armor',
    '--output',
    '-',
  ]
  const child = start(config, args)
  child.stdin.on('error', () => {})
  child.stdin.end(bytes)
  const [out, said, code] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    ended(child),
  ])
  if (code !== 0) throw new PgpFailed(`gpg did not encrypt: ${lastLine(said)}`)
  return out
}

/**
 * Decrypts a file into another one, and checks whose signature it has: the plain text is not used
 * before that.
 */
export async function unwrap(
  config: PgpConfig,
  from: string,
  to: string,
  most_bytes: number,
): Promise<void> {
  // A small file may unpack to a large one.
  const bound = ['--max-output', String(most_bytes)]
  const args = [...bound, '--status-fd', '1', '--yes', '--output', to, '--decrypt', from]
  const child = start(config, args)
  child.stdin.end()
  const [status, said, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended(child),
  ])
  if (code !== 0) throw new PgpFailed(`gpg did not decrypt: ${lastLine(said)}`)
  if (config.signed_by === '') return
  // VALIDSIG begins with the key that signed, and ends with the primary key that this belongs to.
  const signers = [...status.matchAll(/^\[GNUPG:\] VALIDSIG (.*)$/gm)].flatMap(([, words = '']) => {
    const all = words.split(' ')
    return [all[0], all.at(-1)]
  })
  if (!signers.includes(config.signed_by)) {
    throw new PgpFailed(`it is not signed by ${config.signed_by}`)
  }
}

/** Whether bytes begin as a message of PGP does, armoured or not. */
export function isWrapped(head: Uint8Array): boolean {
  const begin = '-----BEGIN PGP MESSAGE-----'
  const armoured = Buffer.from(head.subarray(0, begin.length)).toString('latin1') === begin
  // Packets of an encrypted, compressed or signed message (RFC 9580, section 4.2).
  const [first = 0] = head
  const tag = (first & 0x40) !== 0 ? first & 0x3f : (first >> 2) & 0x0f
  return armoured || ((first & 0x80) !== 0 && [1, 3, 4, 8, 18, 20].includes(tag))
}

function start({ home }: PgpConfig, args: readonly string[]) {
  const child = spawn('gpg', ['--homedir', home, ...QUIET, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  })
  return child
}

function ended(child: ReturnType<typeof start>): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on('error', error => reject(new PgpFailed(`gpg cannot be run: ${error.message}`)))
    child.on('close', resolve)
  })
}

function lastLine(said: string): string {
  const lines = said.split('\n').filter(line => line.trim() !== '')
  return lines.at(-1) ?? 'it says nothing'
}

/** Runs with a folder that is gone afterwards. */
export async function inScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-bank-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
