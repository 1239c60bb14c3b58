// Encrypts and decrypts files with the gpg program and the keys of one folder. Settings name the
// trusted keys by fingerprint.
import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'

export interface PgpConfig {
  /** gpg's folder of keys. */
  readonly home: string
  /** Fingerprints. Without one, files are not encrypted, not signed, or not checked. */
  readonly encrypt_to: string
  readonly sign_as: string
  readonly signed_by: string
}

/** gpg failed, or the file has no good signature of the bank. */
export class PgpFailed extends Error {
  override readonly name = 'PgpFailed'
}

/** Longer than gpg takes for the largest file. A gpg that still runs then is killed. */
const MOST_MS = 120_000

/** The prefix of temporary folders for plain text. Each is removed after its use. */
export const SCRATCH = join(tmpdir(), 'corridor-bank-')

const QUIET = ['--batch', '--no-tty', '--quiet', '--pinentry-mode', 'loopback'] as const

/** Encrypts and signs the bytes, as far as the settings name keys for it. */
export async function encryptAndSign(config: PgpConfig, bytes: Uint8Array, within_ms = MOST_MS) {
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
 * Decrypts the file `from` into the file `to` and checks its signer. Rejects with PgpFailed. The
 * caller uses the plain text only once this resolves.
 */
export async function decryptAndVerify(
  config: PgpConfig,
  from: string,
  to: string,
  most_bytes: number,
  within_ms = MOST_MS,
): Promise<void> {
  // A small file may decompress to a large one.
  const bound = ['--max-output', String(most_bytes)]
  const args = [...bound, '--status-fd', '1', '--yes', '--output', to, '--decrypt', from]
  const status = await gpg(config, args, { what: 'decrypt', input: '', within_ms })
  if (config.signed_by === '') return
  if (!signersOf(status.toString()).includes(config.signed_by)) {
    throw new PgpFailed(
      `it is not signed by ${config.signed_by}, or that key has expired or was revoked`,
    )
  }
}

/** The fingerprints of good signatures, by gpg's status: of the signing key and its primary key. */
function signersOf(status: string): string[] {
  return status.split('[GNUPG:] NEWSIG').flatMap(signature => {
    // For expired and revoked keys gpg prints VALIDSIG, but not GOODSIG.
    if (!/^\[GNUPG:\] GOODSIG /m.test(signature)) return []
    const words = /^\[GNUPG:\] VALIDSIG (.*)$/m.exec(signature)?.[1]?.split(' ') ?? []
    return [words[0] ?? '', words.at(-1) ?? '']
  })
}

/** Whether a file begins like a PGP message, armoured or not. */
export function isPgpMessage(head: Uint8Array): boolean {
  const begin = '-----BEGIN PGP MESSAGE-----'
  const armoured = Buffer.from(head.subarray(0, begin.length)).toString('latin1') === begin
  // Packets of an encrypted, compressed or signed message (RFC 9580, section 4.2).
  const [first = 0] = head
  const tag = (first & 0x40) !== 0 ? first & 0x3f : (first >> 2) & 0x0f
  return armoured || ((first & 0x80) !== 0 && [1, 3, 4, 8, 18, 20].includes(tag))
}

/** Runs gpg; returns its output. */
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
  const [output, errors, code] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    exitCode(child, within_ms),
  ])
  if (code !== 0) throw new PgpFailed(`gpg did not ${what}: ${reasonOf(errors)}`)
  return output
}

function exitCode(child: ChildProcess, within_ms: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on('error', error => reject(new PgpFailed(`gpg cannot be run: ${error.message}`)))
    // A failure does not wait for the close: a process that gpg has started may keep the output
    // open.
    child.on('exit', code => {
      if (child.killed) reject(new PgpFailed(`gpg gave no answer in ${within_ms} ms`))
      else if (code !== 0) resolve(code)
    })
    child.on('close', resolve)
  })
}

function reasonOf(errors: string): string {
  // gpg wants a passphrase, but its message does not mention one.
  if (errors.includes("can't get input")) return 'the key has a passphrase; make one without'
  const lines = errors.split('\n').filter(line => line.trim() !== '')
  return lines.at(-1) ?? 'it says nothing'
}
