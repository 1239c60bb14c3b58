// Encrypts and decrypts files of a bank with the gpg program, by the keys of one folder. Keys are
// named by their fingerprints; no other key is trusted.
import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'

export interface PgpConfig {
  /** gpg's folder of keys. */
  readonly home: string
  /**
   * Fingerprints. '' for none: files are then not encrypted, not signed, or their signature is not
   * checked.
   */
  readonly encrypt_to: string
  readonly sign_as: string
  readonly signed_by: string
}

/** gpg failed, or the bank has not signed what it read. */
export class PgpFailed extends Error {
  override readonly name = 'PgpFailed'
}

/** Longer than gpg takes for the largest file. A gpg that waits for something is ended. */
const MOST_MS = 120_000

/** The beginning of the path of a folder for plain text, which is removed after its use. */
export const SCRATCH = join(tmpdir(), 'corridor-bank-')

const QUIET = ['--batch', '--no-tty', '--quiet', '--pinentry-mode', 'loopback'] as const

/** Encrypts and signs, if the settings name keys for it. */
export async function wrap(
  config: PgpConfig,
  bytes: Uint8Array,
  within_ms = MOST_MS,
): Promise<Uint8Array> {
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
  return gpg(config, args, { what: 'encrypt', input: bytes, within_ms })
}

/**
 * Decrypts a file into another one and checks who signed it. The plain text is not used before
 * that.
 */
export async function unwrap(
  config: PgpConfig,
  from: string,
  to: string,
  most_bytes: number,
  within_ms = MOST_MS,
): Promise<void> {
  // A small file may unpack to a large one.
  const bound = ['--max-output', String(most_bytes)]
  const args = [...bound, '--status-fd', '1', '--yes', '--output', to, '--decrypt', from]
  const said = await gpg(config, args, { what: 'decrypt', input: '', within_ms })
  if (config.signed_by === '') return
  if (!signersOf(said.toString()).includes(config.signed_by)) {
    throw new PgpFailed(`it is not signed by ${config.signed_by}, or by that key no longer`)
  }
}

/**
 * The fingerprints of good signatures: of the key that signed, and of the key that it belongs to.
 */
function signersOf(status: string): string[] {
  return status.split('[GNUPG:] NEWSIG').flatMap(about => {
    // gpg also prints VALIDSIG for expired and revoked keys, but not GOODSIG.
    if (!/^\[GNUPG:\] GOODSIG /m.test(about)) return []
    const words = /^\[GNUPG:\] VALIDSIG (.*)$/m.exec(about)?.[1]?.split(' ') ?? []
    return [words[0] ?? '', words.at(-1) ?? '']
  })
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

/** Runs gpg; returns what it writes. */
async function gpg(
  { home }: PgpConfig,
  args: readonly string[],
  { what, input, within_ms }: { what: string; input: string | Uint8Array; within_ms: number },
): Promise<Buffer> {
  const child = spawn('gpg', ['--homedir', home, ...QUIET, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    timeout: within_ms,
    killSignal: 'SIGKILL',
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [out, said, code] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    ended(child, within_ms),
  ])
  if (code !== 0) throw new PgpFailed(`gpg did not ${what}: ${reasonOf(said)}`)
  return out
}

function ended(child: ChildProcess, within_ms: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on('error', error => reject(new PgpFailed(`gpg cannot be run: ${error.message}`)))
    // Waits for the exit and not for the close: a process that gpg has started may hold its output
    // open.
    child.on('exit', code => {
      if (child.killed) reject(new PgpFailed(`gpg gave no answer in ${within_ms} ms`))
      else if (code !== 0) resolve(code)
    })
    child.on('close', resolve)
  })
}

function reasonOf(said: string): string {
  // gpg wants a passphrase, and only says that it cannot get input.
  if (said.includes("can't get input")) return 'the key has a passphrase; make one without'
  const lines = said.split('\n').filter(line => line.trim() !== '')
  return lines.at(-1) ?? 'it says nothing'
}
