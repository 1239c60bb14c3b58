// Files for a bank behind a real OpenSSH server, when it is another server than it was, has no room,
// refuses to write, or is cut off in the middle: nothing is sent by halves, nothing is marked sent,
// an operator is told why, and the same file goes once as soon as it can.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import type { RailFile } from '../../src/adapters/bank-file/file-store.ts'
import { openSftp, type SftpConfig } from '../../src/adapters/bank-file/sftp.ts'
import { iso20022 } from '../../src/adapters/iso20022/format.ts'
import { type FileRailWorld, openFileWorld } from '../support/bank/file-rail.ts'
import { type Cutter, startCutter } from '../support/network/cutter.ts'
import { HAS_OPENSSH, NOBODY, type OpenSsh, startOpenSsh } from '../support/network/openssh.ts'
import { startTestService, type TestService } from '../support/service/service.ts'

const run = promisify(execFile)
const BOXES = ['to-bank', 'from-bank', 'archive'] as const
/** A file of them has some 15 kB. */
const PAYMENTS = 20
const VOLUME_KIB = 128

let folder: string
let service: TestService
let sshd: OpenSsh
let cutter: Cutter
let bank: FileRailWorld
let has_volume = false

const skip = HAS_OPENSSH ? false : 'NOT RUN: this machine has no /usr/sbin/sshd (openssh-server)'

before(async () => {
  if (!HAS_OPENSSH) return
  folder = await mkdtemp(join(tmpdir(), 'corridor-openssh-'))
  await chmod(folder, 0o711)
  for (const box of BOXES) await mkdir(join(folder, box))
  has_volume = await mountVolume(join(folder, 'to-bank'))
  if (userInfo().uid === 0) {
    for (const box of BOXES) await chown(join(folder, box), NOBODY, NOBODY)
  }
  sshd = await startOpenSsh(join(folder, 'sshd'), { files_of: NOBODY })
  cutter = await startCutter(sshd.port)
  service = await startTestService()
  const [outbox, inbox, archive] = BOXES.map(box => join(folder, box)) as [string, string, string]
  const { host_key, user, private_key } = sshd
  const transport: SftpConfig = {
    ...{ kind: 'sftp', host: '127.0.0.1', port: cutter.port, user, host_key },
    ...{ outbox, inbox, archive },
  }
  bank = await openFileWorld(service, {
    ...{ format: iso20022, profile: { name: 'test', like: 'generic' }, config: { transport } },
    openTransport: () => openSftp(transport, { privateKey: private_key }),
  })
})
after(async () => {
  if (!HAS_OPENSSH) return
  await bank?.close()
  await service?.close()
  await cutter?.close()
  await sshd?.close()
  if (has_volume) await run('umount', ['--lazy', join(folder, 'to-bank')])
  await rm(folder, { recursive: true, force: true })
})

/** A small disk; false where this user may mount none. */
async function mountVolume(path: string): Promise<boolean> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${VOLUME_KIB}k`, 'tmpfs', path])
    return true
  } catch {
    return false
  }
}

const outbox = (name = '') => join(folder, 'to-bank', name)

/** A new file for the bank, sealed and tried to send once, under what the test has arranged. */
async function trySend(payments = 1): Promise<RailFile> {
  await bank.pay(Array.from({ length: payments }, (_, i) => 10_000 + i))
  await bank.round()
  const file = await newest()
  assert.equal(file.item_count, payments)
  return file
}

async function newest(): Promise<RailFile> {
  const [file] = await bank.files()
  return file ?? assert.fail('no file')
}

/** All is well again: the next round sends the file, whole, and a further one sends nothing. */
async function checkSent({ name, sha256, uploads }: RailFile): Promise<void> {
  await bank.afterFailure()
  const sent = await newest()
  assert.deepEqual([sent.name, sent.state], [name, 'sent'])
  assert.ok(sent.uploads <= uploads + 1)
  assert.deepEqual(await readdir(outbox()), [name])
  assert.equal(hash('sha256', await readFile(outbox(name))), sha256)
  assert.equal(await bank.problem(), '')
  // The bank takes it.
  await rm(outbox(name))
  await bank.round()
  assert.deepEqual(await readdir(outbox()), [])
}

async function checkNotSent({ name, state, sent_at }: RailFile, problem: RegExp): Promise<void> {
  assert.ok(['sealed', 'uploading'].includes(state), state)
  assert.equal(sent_at, null)
  assert.ok(!(await readdir(outbox())).includes(name), 'no file of its name')
  assert.match(await bank.problem(), problem)
}

test('SFTP, changed host key: no log-in, nothing sent', { skip }, async () => {
  const { port } = sshd
  const restart = async (other_host_key: boolean) => {
    await sshd.close()
    sshd = await startOpenSsh(join(folder, 'sshd'), { port, files_of: NOBODY, other_host_key })
  }
  await restart(true)
  const file = await trySend()
  await checkNotSent(file, / has the host key SHA256:.*, and is known by SHA256:/)
  assert.ok((await bank.problem()).includes(`has the host key ${sshd.host_key}`))
  assert.deepEqual([file.state, file.uploads], ['sealed', 0])
  assert.deepEqual(await readdir(outbox()), [])
  await restart(false)
  await checkSent(file)
})

test('SFTP, server without room: the partial file is removed', { skip }, async (t: TestContext) => {
  if (!has_volume) return t.skip('NOT RUN: this user may not mount a volume')
  await writeFile(outbox('filler'), Buffer.alloc((VOLUME_KIB - 4) * 1024))
  const file = await trySend(PAYMENTS)
  await checkNotSent(file, /could not write .*: Failure$/)
  assert.deepEqual(await readdir(outbox()), ['filler'])
  await rm(outbox('filler'))
  await checkSent(file)
})

test("SFTP, no write permission: the server's message is reported", { skip }, async () => {
  await chmod(outbox(), 0o500)
  const file = await trySend()
  await checkNotSent(file, /could not create .*: Permission denied$/)
  await chmod(outbox(), 0o700)
  await checkSent(file)
})

test('SFTP, connection lost during the upload: partial file not renamed', { skip }, async () => {
  cutter.cutAfter(10_000)
  const file = await trySend(PAYMENTS)
  assert.ok(cutter.hasCut())
  await checkNotSent(file, /could not write .*: the connection was lost$/)
  const [half = '', other] = await readdir(outbox())
  assert.equal(other, undefined)
  assert.match(half, /\.tmp$/)
  assert.ok((await readFile(outbox(half))).length < file.size)
  await checkSent(file)
})
