// Files under PGP, by the real gpg: what is encrypted and signed for a bank, and what of a bank's files is
// believed.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import {
  decryptAndVerify,
  encryptAndSign,
  isPgpMessage,
  type PgpConfig,
  PgpFailed,
} from '../../src/adapters/bank-file/pgp.ts'
import {
  type Correspondents,
  HAS_GPG,
  openCorrespondents,
  type Party,
} from '../support/bank/pgp.ts'

const skip = HAS_GPG ? false : 'NOT RUN: this machine has no gpg (gnupg)'

const MOST = 1_000_000
const TEXT = Buffer.from('101 091000019 a file of credits\n'.repeat(100))

const run = promisify(execFile)

let { folder, us, bank, ours, theirs, party, introduce } = {} as Correspondents
let close = async () => {}
before(async () => {
  if (!HAS_GPG) return
  const opened = await openCorrespondents()
  ;({ folder, us, bank, ours, theirs, party, introduce, close } = opened)
})
after(() => close())

const settings = (changes: Partial<PgpConfig> = {}): PgpConfig => ({
  home: us.home,
  encrypt_to: theirs,
  sign_as: ours,
  signed_by: theirs,
  ...changes,
})

let files = 0

/** A file that the bank made, by what gpg is told. */
async function made(from: Party, ...args: string[]): Promise<string> {
  const [plain, path] = [join(folder, `${++files}.txt`), join(folder, `${files}.pgp`)]
  await writeFile(plain, TEXT)
  await from.gpg('--trust-model', 'always', '--output', path, ...args, plain)
  return path
}

/** What we read of it. */
async function opened(path: string, config = settings()): Promise<Buffer> {
  const to = join(folder, `${++files}.plain`)
  await decryptAndVerify(config, path, to, MOST)
  return readFile(to)
}

const refused = (message: RegExp) => ({ name: 'PgpFailed', message })

test('PGP, file for the bank encrypted, signed or both: the bank reads the text and verifies the signature', {
  skip,
}, async () => {
  for (const [change, encrypted, signed] of [
    [{}, true, true],
    [{ encrypt_to: '' }, false, true],
    [{ sign_as: '' }, true, false],
  ] as const) {
    const bytes = await encryptAndSign(settings(change), TEXT)
    assert.ok(isPgpMessage(bytes) && !Buffer.from(bytes).includes('file of credits'))
    const path = join(folder, `${++files}.asc`)
    await writeFile(path, bytes)
    const status = await bank.gpg('--status-fd', '1', '--output', `${path}.txt`, '--decrypt', path)
    assert.deepEqual(await readFile(`${path}.txt`), TEXT)
    assert.equal(status.includes('DECRYPTION_OKAY'), encrypted)
    assert.equal(status.includes(`VALIDSIG ${ours}`), signed)
    // Encrypted to nobody else: we cannot read it ourselves.
    if (encrypted)
      await assert.rejects(us.gpg('--decrypt', path), /No secret key|decryption failed/)
  }
})

test('PGP, file from the bank signed and encrypted, armoured or binary: read', {
  skip,
}, async () => {
  for (const armor of [[], ['--armor']]) {
    const path = await made(bank, ...armor, '--recipient', ours, '--sign', '--encrypt')
    assert.ok(isPgpMessage((await readFile(path)).subarray(0, 64)))
    assert.deepEqual(await opened(path), TEXT)
  }
  const signed = await made(bank, '--sign')
  assert.ok(isPgpMessage((await readFile(signed)).subarray(0, 64)))
  assert.deepEqual(await opened(signed), TEXT)
})

test('PGP, signature of another key or none: refused', { skip }, async () => {
  const other = await bank.key('Other Branch <other@example.com>')
  await introduce(bank, us)
  const by_other = ['--local-user', other, '--recipient', ours, '--sign', '--encrypt']
  await assert.rejects(opened(await made(bank, ...by_other)), refused(/not signed by/))
  const unsigned = await made(bank, '--recipient', ours, '--encrypt')
  await assert.rejects(opened(unsigned), refused(/not signed by/))
  // Read all the same where no signature is asked for.
  assert.deepEqual(await opened(unsigned, settings({ signed_by: '' })), TEXT)
  const stranger = await party('stranger')
  await stranger.key('Stranger <stranger@example.com>')
  await introduce(us, stranger)
  const strange = await made(stranger, '--recipient', ours, '--sign', '--encrypt')
  await assert.rejects(opened(strange), refused(/gpg did not decrypt|not signed by/))
})

test('PGP, file changed or truncated after signing: refused', { skip }, async () => {
  const path = await made(bank, '--recipient', ours, '--sign', '--encrypt')
  const bytes = await readFile(path)
  const at = bytes.length - 20
  const changed = Buffer.concat([bytes.subarray(0, at), Buffer.from([~(bytes[at] ?? 0) & 255])])
  for (const wrong of [Buffer.concat([changed, bytes.subarray(at + 1)]), bytes.subarray(0, at)]) {
    const spoilt = join(folder, `${++files}.pgp`)
    await writeFile(spoilt, wrong)
    await assert.rejects(opened(spoilt), refused(/gpg did not decrypt/))
  }
})

test("PGP, bank's key expired: not used to encrypt, its signatures refused", {
  skip,
}, async () => {
  const old = await party('old_bank')
  const expired = await old.key('Old Bank <old@example.com>', { expired: true })
  await introduce(old, us)
  await introduce(us, old)
  await assert.rejects(
    encryptAndSign(settings({ encrypt_to: expired }), TEXT),
    refused(/did not encrypt: /),
  )
  const then = ['--faked-system-time', '20200115T000000']
  const signed = await made(old, ...then, '--local-user', expired, '--sign')
  await assert.rejects(opened(signed, settings({ signed_by: expired })), refused(/not signed by/))
})

test("PGP, bank's key revoked: its signatures refused", {
  skip,
}, async () => {
  const gone = await party('revoked_bank')
  const revoked = await gone.key('Revoked Bank <revoked@example.com>')
  const signed = await made(gone, '--local-user', revoked, '--sign')
  await introduce(gone, us)
  assert.deepEqual(await opened(signed, settings({ signed_by: revoked })), TEXT)
  // gpg has written the revocation beside the key; a colon keeps it from being used by mistake.
  const path = join(gone.home, 'openpgp-revocs.d', `${revoked}.rev`)
  const certificate = (await readFile(path, 'utf8')).replace(':-----BEGIN', '-----BEGIN')
  await writeFile(path, certificate)
  await us.gpg('--import', path)
  await assert.rejects(opened(signed, settings({ signed_by: revoked })), refused(/not signed by/))
  await assert.rejects(
    encryptAndSign(settings({ encrypt_to: revoked }), TEXT),
    refused(/did not encrypt: /),
  )
})

test('PGP, own key expired, missing or with a passphrase: file not sealed, the reason reported', {
  skip,
}, async () => {
  const expired = await us.key('Expired <expired@example.com>', { expired: true })
  const locked = await us.key('Locked <locked@example.com>', { passphrase: 'a secret' })
  await run('gpgconf', ['--homedir', us.home, '--kill', 'gpg-agent'])
  const reasons = {
    [expired]: /did not encrypt: .*(expired|unusable|skipped|No secret key)/i,
    ['A'.repeat(40)]: /did not encrypt: .*(No secret key|skipped)/i,
    [locked]: /did not encrypt: the key has a passphrase; make one without/,
  }
  for (const [sign_as, reason] of Object.entries(reasons)) {
    await assert.rejects(encryptAndSign(settings({ sign_as }), TEXT), refused(reason), sign_as)
  }
  const unknown = settings({ encrypt_to: 'B'.repeat(40) })
  await assert.rejects(encryptAndSign(unknown, TEXT), refused(/did not encrypt: /))
})

test('PGP, gpg-agent not running for the own key: reported, nothing read', {
  skip,
}, async () => {
  // A socket has a short path; the agent cannot listen in a folder whose own is longer.
  const deep = join(folder, 'x'.repeat(60), 'y'.repeat(60))
  await mkdir(deep, { recursive: true, mode: 0o700 })
  const keys = join(folder, 'public.asc')
  await writeFile(keys, await us.gpg('--armor', '--export'))
  const home = ['--homedir', deep, '--batch', '--no-tty', '--no-autostart']
  // It says that the agent is not there, and imports them all the same.
  await run('gpg', [...home, '--import', keys]).catch(() => {})
  await assert.rejects(encryptAndSign(settings({ home: deep }), TEXT), refused(/did not encrypt: /))
  const path = await made(bank, '--recipient', ours, '--sign', '--encrypt')
  await assert.rejects(opened(path, settings({ home: deep })), refused(/did not decrypt: /))
})

test('PGP, small file that expands to a large one: refused at the size limit', {
  skip,
}, async () => {
  const plain = join(folder, 'large.txt')
  await writeFile(plain, Buffer.alloc(20 * MOST))
  const path = join(folder, 'large.pgp')
  await bank.gpg('--trust-model', 'always', '--output', path, '--sign', plain)
  assert.ok((await readFile(path)).length < MOST / 10)
  await assert.rejects(opened(path), PgpFailed)
})

/** Programs of this folder are found first. */
function firstOnPath(t: TestContext, bin: string): void {
  const { PATH = '' } = process.env
  process.env.PATH = bin === '' ? join(folder, 'nothing') : [bin, PATH].join(delimiter)
  t.after(() => {
    process.env.PATH = PATH
  })
}

test('PGP, gpg not installed: reported in one sentence', { skip }, async t => {
  firstOnPath(t, '')
  await assert.rejects(encryptAndSign(settings(), TEXT), refused(/gpg cannot be run: .*ENOENT/))
})

test('PGP, gpg hangs: ended at the time-out, its child processes not awaited', {
  skip,
}, async t => {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'gpg'), '#!/bin/sh\nsleep 30 &\nexec sleep 30\n')
  await chmod(join(bin, 'gpg'), 0o755)
  firstOnPath(t, bin)
  const path = join(folder, 'sent.asc')
  await assert.rejects(encryptAndSign(settings(), TEXT, 200), refused(/gave no answer in 200 ms/))
  const to = join(folder, 'never.plain')
  await assert.rejects(
    decryptAndVerify(settings(), path, to, MOST, 200),
    refused(/gave no answer in 200 ms/),
  )
})
