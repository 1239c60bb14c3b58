// A database of the operator's own, backed up as docs/operations.md says, by pg_dump and by
// pg_basebackup while the service pays from it, and verified when it is put back. Runs in the long
// share, which needs PostgreSQL's own programs.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type OwnServer, PROGRAMS, Programs } from '../support/database/programs.ts'
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

const skip = !LONG && 'in the long share'

const SEED = pickSeed()

let folder: string
let programs: Programs
const servers: OwnServer[] = []
let primary: OwnServer
let service: RunningProcess
let client: HttpClient
let load: Load

before(async () => {
  if (skip) return
  const [newest] = [...PROGRAMS].sort(([a], [b]) => b - a)
  assert.ok(newest !== undefined, 'install PostgreSQL (Debian: postgresql), for its own programs')
  folder = await mkdtemp(join(tmpdir(), 'corridor-external-'))
  programs = await Programs.in(folder, newest[1])
  primary = await programs.make('primary')
  servers.push(primary)
  await programs.prepare(primary)
  const env = { DATABASE_URL: primary.url('corridor') }
  const migrated = await runCommand(['migrate'], env)
  assert.equal(migrated.code, 0, migrated.output)
  const config = JSON.stringify({ url: 'https://bank.example', key_lifetime_s: null })
  await programs.run(
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
  for (const server of servers) await server.stop()
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
  await programs.run('pg_dumpall', ...from, '--globals-only', '-f', join(folder, 'globals.sql'))
  await programs.run(
    'pg_dump',
    ...from,
    '-d',
    'corridor',
    '-Fc',
    '-f',
    join(folder, 'corridor.dump'),
  )
  const copy = await programs.make('restored')
  servers.push(copy)
  const to = ['-h', '127.0.0.1', '-p', String(copy.port), '-U', 'postgres']
  // It tells that the superuser is there already, and goes on.
  await programs.run('psql', ...to, '-q', '-f', join(folder, 'globals.sql'))
  await programs.run('createdb', ...to, '-O', 'corridor', 'corridor')
  await programs.run(
    'pg_restore',
    ...to,
    '-d',
    'corridor',
    '--exit-on-error',
    join(folder, 'corridor.dump'),
  )
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
  await programs.run('pg_basebackup', ...from, '-D', data, '-X', 'stream', '-c', 'fast')
  await programs.run('pg_verifybackup', data)
  const conf = await readFile(join(data, 'postgresql.conf'), 'utf8')
  assert.match(conf, /port = /)
  const copy = await programs.start('base')
  servers.push(copy)
  await assertCopy(copy.url('corridor'), paid_before)
})
