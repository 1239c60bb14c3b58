// The archive of the log, and corridor restore --to: a copy has what was acknowledged up to an
// instant and nothing later, pays nothing again, and tells a person what may have gone out since.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { followBackup, lookAtArchive, readArchive } from '../../src/postgres/archive.ts'
import { readFacts } from '../../src/postgres/backup-file.ts'
import { openEmbedded } from '../../src/postgres/embedded.ts'
import { ARCHIVE_FILE, archiveText } from '../../src/postgres/log-scripts.ts'
import { restoreBackup } from '../../src/postgres/restore.ts'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { FILE_PAYOUT, folderConfig } from '../support/bank/folder-bank.ts'
import { type CommandResult, openCli } from '../support/service/cli.ts'
import { startListening } from '../support/service/listening.ts'
import { httpClient, openAccountOn, until } from '../support/service/process.ts'
import { share } from '../support/share.ts'

const folder = await mkdtemp(join(tmpdir(), 'corridor-log-'))
await chmod(folder, 0o711)

const path = (name: string) => join(folder, name)
const settingsOf = (name: string, archive = path('log')) => ({
  CORRIDOR_DATA: path(name),
  CORRIDOR_ARCHIVE: archive,
})

async function onData<T>(name: string, work: (sql: Sql, url: string) => Promise<T>): Promise<T> {
  const server = await openEmbedded({ data_dir: path(name) })
  const url = new URL(server.url)
  url.username = 'postgres'
  const sql = connect(url.href, { max: 1, as: 'owner' })
  try {
    return await work(sql, server.url)
  } finally {
    await sql.end({ timeout: 1 })
    await server.release()
  }
}

async function run(name: string, ...args: readonly string[]): Promise<CommandResult> {
  const cli = await openCli('', { ...settingsOf(name), CORRIDOR_USER: 'ann' }, true)
  return cli.run(...args).finally(cli.close)
}

const startIn = (name: string, archive = path('log')) =>
  startListening({
    ...settingsOf(name, archive),
    CORRIDOR_RAIL_TIMEOUT_MS: '5000',
    CORRIDOR_DRAIN_MS: '0',
  })

const CONFIG = folderConfig({
  outbox: path('out'),
  inbox: path('in'),
  archive: path('sent'),
})

/** A service with a live account whose payouts go to a bank by files. */
async function openBank(name: string) {
  for (const box of ['out', 'in', 'sent', 'log']) await mkdir(path(box))
  const service = await startIn(name)
  const account = await onData(name, async (sql, url) => {
    const opened = await openAccountOn(url, { USD: 1_000_000n }, ['USD'], false)
    await sql`insert into fees (payout_type, fee_currency) values ('local', 'USD')`
    await sql`insert into rails (name, kind, config)
      values ('bank', 'iso20022', ${JSON.stringify(CONFIG)}::text::jsonb)`
    await sql`insert into routes (account_id, rail) values (${opened.account.account_id}, 'bank')`
    return opened
  })
  await run(name, 'screening', 'require', 'none', '--reason', 'Screened before it comes here.')
  const client = httpClient(account)
  const pay = async (): Promise<string> => {
    let id = ''
    await until('the payout is made', async () => {
      const { status, json } = await client.post(service.address, '/v3/payout', FILE_PAYOUT)
      if (status === 200) id = json.data.id
      return status === 200
    })
    return id
  }
  return { service, pay, client }
}

/** The end-to-end ids of the files that the bank has. */
async function idsAtBank(): Promise<string[]> {
  const names = (await readdir(path('out'))).filter(name => !name.endsWith('.tmp'))
  const texts = await Promise.all(names.map(name => readFile(join(path('out'), name), 'utf8')))
  return texts.flatMap(text => [...text.matchAll(/<EndToEndId>(\w+)</g)].map(([, id = '']) => id))
}

const backup = path('backups/first.tar.zst')
await mkdir(path('backups'))

const { service, pay, client } = await openBank('original')
after(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})
const taken = await run('original', 'backup', backup, '--json')
assert.equal(taken.code, 0, taken.stderr)
const first = await pay()
await until('the first is at the bank', async () => (await idsAtBank()).length === 1)
/** A time between the two payouts. */
const between = await onData('original', async sql => {
  const [row] = await sql<{ now: string }[]>`select clock_timestamp() as now`
  return row?.now ?? ''
})
const second = await pay()
await until('the second is at the bank', async () => (await idsAtBank()).length === 2)
/** The original's folder in the archive. */
const stream = (await readArchive(path('original/postgres'))) ?? ''

/** Finishes the present segment, which has content; its name. */
async function finishSegment(sql: Sql): Promise<string> {
  await sql`drop table if exists scratch`
  // Content that takes long to compress.
  await sql`create table scratch as
    select sha256(n::text::bytea) as one from generate_series(1, 100000) n`
  const [row] = await sql<{ name: string }[]>`
    select pg_walfile_name(pg_current_wal_lsn()) as name, pg_switch_wal()`
  return row?.name ?? ''
}

const archived = (segment: string) => join(stream, `${segment}.gz`)
/** Another one follows, as a gap is before the end of the log. */
const finished = await onData('original', async sql => {
  await finishSegment(sql)
  return finishSegment(sql)
})
await until('the payouts are archived', () => existsSync(archived(finished)))

test('archive of the log: each finished segment is there, whole, under its name', async () => {
  const names = (await readdir(stream)).filter(name => name.length === 27)
  assert.ok(names.includes(`${finished}.gz`), names.join(' '))
  for (const name of names) {
    const { length } = gunzipSync(await readFile(join(stream, name)))
    assert.equal(length, 16 * 1024 * 1024, name)
  }
})

/** The processes of a server, its scripts among them: a power cut ends all of them at once. */
async function processesIn(cluster: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const cwds = await Promise.all(pids.map(pid => readlink(`/proc/${pid}/cwd`).catch(() => '')))
  return pids.filter((_, i) => cwds[i] === cluster).map(Number)
}

/** A process may have ended since it was listed. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error
  }
}

test('server killed with -9 in the middle of copying a segment: the segment is archived whole by the next start', async () => {
  const cluster = await realpath(path('original/postgres'))
  const parts = async () => (await readdir(stream)).filter(name => name.endsWith('.part'))
  const segment = await onData('original', finishSegment)
  await until('copying', async () => (await parts()).some(name => name.includes(segment)))
  for (const pid of await processesIn(cluster)) killIfThere(pid)
  const file = archived(segment)
  assert.equal(existsSync(file), false, 'killed before it had its name')
  // The service starts the server again.
  await until('archived', () => existsSync(file))
  assert.equal(gunzipSync(await readFile(file)).length, 16 * 1024 * 1024)
  await until('cleared up', async () => (await parts()).length === 0)
})

test('corridor restore --to an instant between two payouts: only the first is there, rails paused, the second listed as possibly sent', async () => {
  const restored = await run('copy', 'restore', backup, '--to', between, '--json')
  assert.equal(restored.code, 0, restored.stderr)
  const { ok, checked, since, recovered } = restored.json
  assert.deepEqual([ok, checked.payouts], [true, 1])
  assert.ok(recovered.reached <= between, recovered.reached)
  const sent = since.payouts.map(({ payout }: { payout: string }) => payout)
  assert.deepEqual([sent, since.may_be_sent, since.gap], [[second], 1, null])
  assert.equal(since.payouts[0].status_here, null)
  assert.ok((await idsAtBank()).includes(since.payouts[0].end_to_end_id))
  assert.match(await readFile(since.file, 'utf8'), new RegExp(second))
  const files = await readdir(path('copy'))
  assert.deepEqual(files.sort(), ['payouts-since.jsonl', 'postgres', 'postgres.lock'])
  await onData('copy', async sql => {
    const payouts = await sql<{ id: string }[]>`select id from payouts`
    assert.deepEqual(
      payouts.map(({ id }) => id),
      [first],
    )
    const [rail] = await sql`select paused_reason from rails where name = 'bank'`
    assert.match(rail?.paused_reason, /^restored from a backup/)
    assert.equal(await readArchive(path('copy/postgres')), undefined, 'it writes to no archive')
  })
})

/** A restore that is refused; its message. */
async function refusalOf(to: string | null, archive_dir: string): Promise<string> {
  const restoring = restoreBackup({
    ...{ file: backup, data_dir: path('refused'), log: () => {} },
    recovery: { archive_dir, to },
    accept: () => assert.fail('it was accepted'),
  })
  return restoring.then(
    () => '',
    (error: Error) => error.message,
  )
}

test('corridor restore --to, instant before the backup or after the log, gap, damaged segment, archive of another database: refused, saying how far it reaches', async () => {
  const facts = await readFacts(backup)
  assert.match(await refusalOf('2026-01-01T00:00:00.000000Z', path('log')), /is before the backup/)
  const [row] = await onData('original', sql => sql<{ now: string }[]>`select now() as now`)
  const end = /^the log reaches to (\S+), and \S+ is later: \S+ ends there$/
  const reached = end.exec(await refusalOf(row?.now ?? '', path('log')))?.[1] ?? ''
  assert.ok(reached > between && reached < (row?.now ?? ''), reached)

  await mkdir(path('empty'))
  assert.match(
    await refusalOf(between, path('empty')),
    /^CORRIDOR_ARCHIVE: \S+ is the archive of another database: it has no \S+, which /,
  )
  execFileSync('cp', ['-a', path('log'), path('gap')])
  const segments = (await readdir(stream)).filter(name => name.endsWith('.gz')).sort()
  const [one = '', next = ''] = segments.filter(
    name => name.length === 27 && name.slice(0, 24) > (facts?.first_segment ?? ''),
  )
  const inGap = stream.replace(path('log'), path('gap'))
  await rm(join(inGap, one))
  const lacking = new RegExp(`lacks ${one.slice(0, 24)}, a segment of the log`)
  assert.match(await refusalOf(null, path('gap')), lacking)
  if (share(false, true)) assert.match(await refusalOf(row?.now ?? '', path('gap')), lacking)
  if (share(false, true)) {
    await cp(join(stream, one), join(inGap, one))
    await writeFile(join(inGap, next), 'this is no gzip')
    const damaged = new RegExp(`^${next.slice(0, 24)} in \\S+ is damaged, or cannot be read$`)
    assert.match(await refusalOf(null, path('gap')), damaged)
    await cp(join(inGap, one), join(inGap, next))
    const foreign = new RegExp(`^${next.slice(0, 24)} in \\S+ is no segment of this log$`)
    assert.match(await refusalOf(null, path('gap')), foreign)
  }
  assert.deepEqual(await readdir(path('refused')), ['postgres.lock'])
})

test('corridor restore --rehearse --to latest beside a running service: the times and the end of the log, and no folder is left', async () => {
  const files = await readdir(path('original'))
  const rehearsed = await run(
    'original',
    'restore',
    path('backups'),
    '--rehearse',
    '--to',
    'latest',
    '--json',
  )
  assert.equal(rehearsed.code, 0, rehearsed.stderr)
  const { ok, file, rehearsal, recovered, took, checked } = rehearsed.json
  assert.deepEqual([ok, file, rehearsal, checked.payouts], [true, backup, true, 2])
  assert.ok(recovered.reached > between)
  for (const step of ['unpack_ms', 'recover_ms', 'accept_ms']) assert.ok(took[step] > 0, step)
  assert.deepEqual(await readdir(path('original')), files)
})

const stateOf = () => lookAtArchive(path('original'))

/** Waits until the archiver has failed once more. */
async function untilRefused(sql: Sql): Promise<void> {
  const failures = async () => {
    const [row] = await sql<{ count: bigint }[]>`
      select failed_count as count from pg_stat_archiver`
    return row?.count ?? 0n
  }
  const before = await failures()
  await until('refused', async () => (await failures()) > before)
}

test('segment whose name the archive has with another content: the log waits, and the file stays as it is', async () => {
  await onData('original', async sql => {
    const [row] = await sql<{ name: string }[]>`
      select pg_walfile_name(pg_current_wal_lsn()) as name`
    const file = archived(row?.name ?? '')
    await writeFile(file, gzipSync('the log of another server'))
    await chmod(file, 0o644)
    await finishSegment(sql)
    await untilRefused(sql)
    assert.equal(gunzipSync(await readFile(file)).toString(), 'the log of another server')
    await rm(file)
  })
})

test('archive folder gone: payouts go on and the log waits; too much of it: given up, a gap until the next backup', async () => {
  const away = `${stream}.away`
  await rename(stream, away)
  const { status } = await client.get(service.address, '/v3/balance')
  assert.equal(status, 200)
  await onData('original', async sql => {
    await finishSegment(sql)
    await untilRefused(sql)
    const waiting = await stateOf()
    assert.ok((waiting?.waiting ?? 0) > 0)
    assert.equal(waiting?.lost, '')
    await writeFile(path(`original/postgres/${ARCHIVE_FILE}`), archiveText(stream, 0))
    await finishSegment(sql)
    await until('given up', async () => (await stateOf())?.lost !== '')
  })
  await rename(away, stream)
  const before = (await readdir(stream)).length
  const taken = await run(
    'original',
    ...['backup', path('backups/second.tar.zst'), '--keep-log-days', '1', '--json'],
  )
  assert.equal(taken.code, 0, taken.stderr)
  assert.equal((await stateOf())?.lost, '')
  assert.equal(taken.json.removed_segments, 0, 'a day has not passed')
  assert.ok((await readdir(stream)).length >= before)
})

test('corridor backup --keep-log-days, archive older than that: removed before the backup, and kept from it on', async () => {
  const { first_segment: newest = '' } = (await readFacts(path('backups/second.tar.zst'))) ?? {}
  const old = new Date(Date.now() - 2 * 86_400_000)
  const names = await readdir(stream)
  for (const name of names) await utimes(join(stream, name), old, old)
  const removed = await followBackup(path('original'), {
    first_segment: newest,
    is_archiving: true,
    keep_days: 1,
  })
  const left = await readdir(stream)
  assert.equal(removed, names.filter(name => name < newest).length)
  assert.deepEqual(
    left.filter(name => name < newest),
    [],
  )
  assert.deepEqual(
    names.filter(name => name >= newest && !left.includes(name)),
    [],
  )
})
