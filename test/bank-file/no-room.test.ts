// No room at the bank, or another host key: nothing is marked as sent, nothing has a name there, the rail
// tells, and the file goes once that is over.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { listFiles } from '../../src/bank-file/file-store.ts'
import { openSftp } from '../../src/bank-file/sftp.ts'
import { type FileRailWorld, openFileWorld } from '../support/bank/file-rail.ts'
import {
  SFTP_PASSWORD,
  SFTP_USER,
  type SftpServer,
  startSftp,
} from '../support/network/sftp-server.ts'
import { startTestService, type TestService } from '../support/service/service.ts'

const run = promisify(execFile)

let service: TestService
const worlds: FileRailWorld[] = []
const servers: SftpServer[] = []
const mounted: string[] = []
before(async () => {
  service = await startTestService()
})
after(async () => {
  for (const folder of mounted) await run('umount', ['--lazy', folder])
  await Promise.all([...worlds, ...servers].map(opened => opened.close()))
  await service.close()
})

async function world(): Promise<FileRailWorld> {
  const opened = await openFileWorld(service, { name: `room_${worlds.length}` })
  worlds.push(opened)
  return opened
}

/** A world whose rail speaks SFTP with a server of its own. */
async function sftpWorld() {
  const bank = await world()
  const server = await startSftp(bank.folder)
  servers.push(server)
  const connect = (host_key: string) =>
    openSftp(
      {
        ...{ kind: 'sftp', host: '127.0.0.1', port: server.port, user: SFTP_USER, host_key },
        ...{ outbox: 'outbox', inbox: 'inbox', archive: 'archive' },
      },
      { password: SFTP_PASSWORD },
    )
  const useKey = (host_key: string) =>
    Object.assign(bank.rail, { openTransport: () => connect(host_key) })
  useKey(server.host_key)
  return { bank, server, useKey }
}

/** How far the only file came. */
async function stateOf(bank: FileRailWorld) {
  const [file = assert.fail('no file')] = await listFiles(service.deps.sql, {
    rail: bank.name,
    limit: 2,
  })
  const { state, offers, sent_at, offered_at, name } = file
  return { name, found: [state, offers, sent_at === null, offered_at === null] }
}

async function checkSent(bank: FileRailWorld): Promise<void> {
  await bank.afterFailure()
  const { name, found } = await stateOf(bank)
  assert.deepEqual(found, ['sent', 1, false, false])
  assert.deepEqual(
    (await bank.outbox()).map(file => file.name).filter(other => other !== 'ballast'),
    [name],
  )
  assert.equal(await bank.problem(), '')
}

test('a folder without room: not sent, no half of a file is left, and sent once there is room', async t => {
  const bank = await world()
  const outbox = join(bank.folder, 'outbox')
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', outbox])
  } catch (error) {
    return t.skip(`NOT RUN: no volume can be mounted here: ${(error as Error).message}`)
  }
  mounted.push(outbox)
  const { bavail, bsize } = await statfs(outbox)
  await writeFile(join(outbox, 'ballast'), Buffer.alloc(bavail * bsize))
  await bank.pay([100])
  await bank.round()
  assert.deepEqual((await stateOf(bank)).found, ['uploading', 0, true, true])
  assert.match(await bank.problem(), /could not write .*ENOSPC/)
  assert.deepEqual(
    (await bank.outbox()).map(({ name }) => name),
    ['ballast'],
  )
  await rm(join(outbox, 'ballast'))
  await checkSent(bank)
})

test('SFTP, a server without room: not sent, no half of a file is left, and sent once there is room', async () => {
  const { bank, server } = await sftpWorld()
  await bank.pay([100])
  server.failAt('WRITE', 'full')
  await bank.round()
  assert.deepEqual((await stateOf(bank)).found, ['uploading', 0, true, true])
  assert.match(await bank.problem(), /could not write/)
  assert.deepEqual(await bank.outbox(), [])
  await checkSent(bank)
})

test('SFTP, another host key: no log-in, not even an upload begun, and sent once it is the known one', async () => {
  const { bank, server, useKey } = await sftpWorld()
  await bank.pay([100])
  useKey(`SHA256:${'A'.repeat(43)}`)
  const logins = server.logins()
  await bank.round()
  assert.deepEqual((await stateOf(bank)).found, ['sealed', 0, true, true])
  assert.equal(server.logins(), logins)
  assert.match(await bank.problem(), /has the host key SHA256:.*: ask the bank before/)
  useKey(server.host_key)
  await checkSent(bank)
})
