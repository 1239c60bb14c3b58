// A database of the operator's own, backed up as docs/operations.md says, by pg_dump and by
// pg_basebackup while the service pays from it, and verified when it is put back. Runs in the long
// share, which needs PostgreSQL's own programs.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { appendFile, chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../support/network/port.ts'
import { type Load, startLoad } from '../support/service/load.ts'
import {
  type HttpClient,
  httpClient,
  openAccountOn,
  pickSeed,
  type RunningProcess,
  runCommand,
  seeded,
  startProcess,
  until,
} from '../support/service/process.ts'
import { LONG } from '../support/share.ts'

/** Where Debian, Fedora and Homebrew put them; the newest. */
const BIN = globSync([
  '/usr/lib/postgresql/*/bin/pg_basebackup',
  '/usr/pgsql-*/bin/pg_basebackup',
  '/opt/homebrew/opt/postgresql@*/bin/pg_basebackup',
])
  .sort()
  .at(-1)
  ?.replace(/\/pg_basebackup$/, '')

const skip = !LONG && 'in the long share'

/** Whoever may not run PostgreSQL lets another user do it. */
const USER = process.getuid?.() === 0 ? 'postgres' : undefined

interface Cluster {
  readonly port: number
  readonly url: (user: string) => string
}

const SEED = pickSeed()

let folder: string
const clusters: string[] = []
let primary: Cluster
let service: RunningProcess
let client: HttpClient
let load: Load

/** One of PostgreSQL's programs, as the user who may run it; what it printed. */
async function pg(program: string, ...args: string[]): Promise<string> {
  const file = join(BIN ?? '', program)
  const options = { env: { PATH: process.env.PATH, LC_ALL: 'C' }, cwd: '/' }
  const ids = USER === undefined ? {} : idsOf(USER)
  return (await promisify(execFile)(file, args, { ...options, ...ids })).stdout
}

function idsOf(user: string) {
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function startCluster(name: string): Promise<Cluster> {
  const data = join(folder, name)
  const port = await freePort()
  const settings = `\nport = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n`
  await appendFile(join(data, 'postgresql.conf'), settings)
  await pg('pg_ctl', 'start', '-s', '-w', '-D', data, '-l', join(folder, `${name}.log`))
  clusters.push(data)
  return { port, url: user => `postgres://${user}@127.0.0.1:${port}/corridor` }
}

before(async () => {
  if (skip) return
  assert.ok(BIN !== undefined, 'install PostgreSQL (Debian: postgresql), for its own programs')
  folder = await mkdtemp(join(tmpdir(), 'corridor-external-'))
  await chmod(folder, 0o755)
  if (USER !== undefined) await chown(folder, idsOf(USER).uid, idsOf(USER).gid)
  await pg('initdb', '-D', join(folder, 'primary'), '-A', 'trust', '-U', 'postgres', '--no-sync')
  primary = await startCluster('primary')
  const sql = (text: string) =>
    pg('psql', '-q', '-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres', '-c', text)
  await sql('create role corridor login createrole')
  await sql('create database corridor owner corridor')
  const env = { DATABASE_URL: primary.url('corridor') }
  const migrated = await runCommand(['migrate'], env)
  assert.equal(migrated.code, 0, migrated.output)
  const config = JSON.stringify({ url: 'https://bank.example', key_lifetime_s: null })
  await pg(
    ...['psql', '-q', '-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres'],
    ...['-d', 'corridor', '-c'],
    `insert into rails (name, kind, config) values ('bank', 'connector', '${config}')`,
  )
  client = httpClient(await openAccountOn(env.DATABASE_URL, { USD: 1_000_000_000n }))
  service = await startProcess(env)
  const random = seeded(SEED)
  load = startLoad({ client, clients: 8, address: () => service.address, name: 'x', random })
  await until('200 paid', () => paid() >= 200)
})
after(async () => {
  if (folder === undefined) return
  await load?.stop()
  client?.close()
  await service?.kill()
  for (const data of clusters) await pg('pg_ctl', 'stop', '-s', '-m', 'immediate', '-D', data)
  await rm(folder, { recursive: true, force: true })
})

const paid = () => load.asked.filter(({ answer }) => answer?.status === 200).length

/** The copy verifies, and has what was acknowledged before it was begun. */
async function assertCopy(url: string, paid_before: number): Promise<void> {
  const { code, output } = await runCommand(['verify', '--json'], { DATABASE_URL: url })
  assert.equal(code, 0, output)
  assert.ok(JSON.parse(output).checked.payouts >= paid_before)
  const ended = load.asked.filter(({ answer, error }) => answer ?? error)
  const failed = ended.filter(({ answer }) => answer?.status !== 200)
  assert.deepEqual(failed, [], 'no request was refused or broken off')
}

test('pg_dumpall and pg_dump under load, then pg_restore: corridor verify of the copy clean', {
  skip,
}, async t => {
  t.diagnostic(`SEED=${SEED}`)
  const paid_before = paid()
  const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres']
  await pg('pg_dumpall', ...from, '--globals-only', '-f', join(folder, 'globals.sql'))
  await pg('pg_dump', ...from, '-d', 'corridor', '-Fc', '-f', join(folder, 'corridor.dump'))
  await pg('initdb', '-D', join(folder, 'restored'), '-A', 'trust', '-U', 'postgres', '--no-sync')
  const copy = await startCluster('restored')
  const to = ['-h', '127.0.0.1', '-p', String(copy.port), '-U', 'postgres']
  // It tells that the superuser is there already, and goes on.
  await pg('psql', ...to, '-q', '-f', join(folder, 'globals.sql'))
  await pg('createdb', ...to, '-O', 'corridor', 'corridor')
  await pg('pg_restore', ...to, '-d', 'corridor', '--exit-on-error', join(folder, 'corridor.dump'))
  await assertCopy(copy.url('corridor'), paid_before)
  const started = await startProcess({ DATABASE_URL: copy.url('corridor') })
  const listed = await runCommand(['rail', 'list', '--json'], {
    DATABASE_URL: copy.url('corridor'),
  })
  await started.kill()
  const bank = JSON.parse(listed.output).find(({ name }: { name: string }) => name === 'bank')
  assert.match(bank.paused_reason, /restored \(another cluster of PostgreSQL\)/)
})

test('pg_basebackup under load, then started: corridor verify of the copy clean', {
  skip,
}, async () => {
  const paid_before = paid()
  const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres']
  const data = join(folder, 'base')
  await pg('pg_basebackup', ...from, '-D', data, '-X', 'stream', '-c', 'fast')
  await pg('pg_verifybackup', data)
  const conf = await readFile(join(data, 'postgresql.conf'), 'utf8')
  assert.match(conf, /port = /)
  const copy = await startCluster('base')
  await assertCopy(copy.url('corridor'), paid_before)
})
