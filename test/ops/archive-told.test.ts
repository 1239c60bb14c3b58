// An archive of the log that recovers nothing yet: the metric and corridor doctor tell it until a
// backup continues it.
import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Finding } from '../../src/cli/doctor-checks.ts'
import { openEmbedded } from '../../src/postgres/embedded.ts'
import { connect } from '../../src/sql/connect.ts'
import { openCli } from '../support/service/cli.ts'
import { startListening } from '../support/service/listening.ts'
import { until } from '../support/service/process.ts'

const folder = await mkdtemp(join(tmpdir(), 'corridor-told-'))
await chmod(folder, 0o711)
after(() => rm(folder, { recursive: true, force: true }))
const data_dir = join(folder, 'data')
const archive = join(folder, 'log')
await mkdir(archive)
const settings = { CORRIDOR_DATA: data_dir, CORRIDOR_ARCHIVE: archive, PORT: '0' }

async function run(...args: readonly string[]) {
  const cli = await openCli('', { ...settings, CORRIDOR_USER: 'ann' }, true)
  return cli.run(...args).finally(cli.close)
}

/** What corridor doctor says of the archive. */
async function told(): Promise<Finding | undefined> {
  const { json, stderr } = await run('doctor', '--json')
  assert.ok(json !== undefined, stderr)
  return json.checks.find(({ check }: Finding) => check === 'archive')
}

async function backUp(name: string): Promise<void> {
  const { code, stderr } = await run('backup', join(folder, name))
  assert.equal(code, 0, stderr)
}

/** Runs `work` beside a service. */
async function besideService(work: (address: string) => Promise<void>): Promise<void> {
  const service = await startListening({ ...settings, CORRIDOR_DRAIN_MS: '0' })
  await work(service.address).finally(service.close)
}

async function hasMetric(address: string, line: string): Promise<boolean> {
  const answer = await fetch(`${address}/metrics`)
  return (await answer.text()).split('\n').includes(line)
}

/** The next start of the server obeys it. */
async function alter(setting: string): Promise<void> {
  const server = await openEmbedded({ data_dir })
  const url = new URL(server.url)
  url.username = 'postgres'
  const sql = connect(url.href, { max: 1, as: 'owner' })
  await sql.unsafe(`alter system ${setting}`)
  await sql.end({ timeout: 1 })
  await server.release()
}

test('new archive: told until the first backup, also after the service starts again', async () => {
  await besideService(async address => {
    await until('told by the metric', () => hasMetric(address, 'corridor_archive_gap 1'))
    assert.match((await told())?.found ?? '', /^no backup is newer than [0-9A-F]{24}, /)
  })
  await besideService(async () => assert.equal((await told())?.ok, false))
  await backUp('first.tar.zst')
  await besideService(async address => {
    await until('not told', () => hasMetric(address, 'corridor_archive_gap 0'))
    assert.equal((await told())?.ok, true)
  })
})

test('PostgreSQL that runs without archive_mode: told until a backup after its next start', async () => {
  await alter('set archive_mode = off')
  await besideService(async () => {
    assert.match((await told())?.found ?? '', /^PostgreSQL does not archive its log before/)
    await backUp('too-early.tar.zst')
    assert.equal((await told())?.ok, false)
    await alter('reset archive_mode')
  })
  assert.equal((await told())?.ok, false)
  await backUp('second.tar.zst')
  assert.equal((await told())?.ok, true)
})
