// Two parties who exchange files under PGP, by the real gpg. Each has keys of its own in a folder of its
// own, without passphrases.
import { execFile, execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const HAS_GPG = (() => {
  try {
    return execFileSync('gpg', ['--version'], { encoding: 'utf8' }).startsWith('gpg (GnuPG)')
  } catch {
    return false
  }
})()

/** A folder of keys. */
export interface Party {
  readonly home: string
  readonly gpg: (...args: string[]) => Promise<string>
  /** Makes a key without a passphrase; returns its fingerprint. */
  readonly key: (name: string, options?: KeyOptions) => Promise<string>
}

interface KeyOptions {
  readonly passphrase?: string
  /** Made and expired long ago. */
  readonly expired?: boolean
}

export interface Correspondents {
  readonly folder: string
  readonly us: Party
  readonly bank: Party
  /** Fingerprints of the keys of both, each of which the other one knows. */
  readonly ours: string
  readonly theirs: string
  /** A further party, whom nobody knows. */
  party(name: string): Promise<Party>
  introduce(from: Party, to: Party): Promise<void>
  close(): Promise<void>
}

export async function openCorrespondents(): Promise<Correspondents> {
  const folder = await mkdtemp(join(tmpdir(), 'pgp-'))
  const parties: Party[] = []
  const party = async (name: string) => {
    const made = await openParty(join(folder, name))
    parties.push(made)
    return made
  }
  const introduce = async (from: Party, to: Party) => {
    const path = join(folder, 'keys.asc')
    await writeFile(path, await from.gpg('--armor', '--export'))
    await to.gpg('--import', path)
  }
  const us = await party('us')
  const bank = await party('bank')
  const ours = await us.key('Example Payments <ours@example.com>')
  const theirs = await bank.key('Test Bank <theirs@example.com>')
  await introduce(us, bank)
  await introduce(bank, us)
  const close = async () => {
    for (const { home } of parties) await run('gpgconf', ['--homedir', home, '--kill', 'all'])
    await rm(folder, { recursive: true, force: true })
  }
  return { folder, us, bank, ours, theirs, party, introduce, close }
}

async function openParty(home: string): Promise<Party> {
  await mkdir(home, { mode: 0o700 })
  // Otherwise the agent computes for three seconds to find out how strong a passphrase it can afford.
  await writeFile(join(home, 'gpg-agent.conf'), 's2k-count 65536\n')
  const gpg = async (...args: string[]) => {
    const options = ['--homedir', home, '--batch', '--no-tty', '--pinentry-mode', 'loopback']
    return (await run('gpg', [...options, ...args], { encoding: 'utf8' })).stdout
  }
  const key = async (uid: string, { passphrase = '', expired = false }: KeyOptions = {}) => {
    const until = expired ? '2020-02-01' : 'never'
    const then = expired ? ['--faked-system-time', '20200101T000000'] : []
    const own = [...then, '--passphrase', passphrase]
    await gpg(...own, '--quick-generate-key', uid, 'ed25519', 'sign', until)
    const listed = await gpg('--list-keys', '--with-colons', uid)
    const [, fingerprint = ''] = /^fpr:+([0-9A-F]{40}):/m.exec(listed) ?? []
    await gpg(...own, '--quick-add-key', fingerprint, 'cv25519', 'encr', until)
    return fingerprint
  }
  return { home, gpg, key }
}
