// corridor backup and corridor restore: a copy taken under load has all that was acknowledged and
// verifies; what is damaged, of another version or cut off halfway is never a database that starts.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { MANIFEST, readBackup } from '../../src/postgres/backup-file.ts'
import { openEmbedded } from '../../src/postgres/embedded.ts'
import { restoreBackup } from '../../src/postgres/restore.ts'
import { END, readTar, tarFile } from '../../src/postgres/tar.ts'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { DatabaseProblem } from '../../src/sql/failure.ts'
import { checkBooks } from '../support/assert/books.ts'
import { type CommandResult, openCli } from '../support/service/cli.ts'
import { startListening } from '../support/service/listening.ts'
import { type KeyedPayout, repeatAll, startLoad } from '../support/service/load.ts'
import {
  httpClient,
  openAccountOn,
  pickSeed,
  seeded,
  spawnCommand,
  startProcess,
  until,
} from '../support/service/process.ts'
import { share } from '../support/share.ts'

const path = (name: string) => join(folder, name)
const dataOf = (name: string) => ({ CORRIDOR_DATA: path(name) })

const folder = await mkdtemp(join(tmpdir(), 'corridor-backup-'))
await chmod(folder, 0o711)
/** Of the first test, for those after it. */
const backup = path('backup.tar.zst')
const service = await startProcess(dataOf('original'))
const account = await onData('original', (_, url) => openAccountOn(url, { USD: 1_000_000_000n }))
after(async () => {
  await service.kill()
  // A server outlives a killed process; whoever attaches and leaves last stops it.
  for (const name of await readdir(folder)) {
    if (!existsSync(path(`${name}/postgres/postmaster.pid`))) continue
    await (await openEmbedded({ data_dir: path(name) })).release()
  }
  await rm(folder, { recursive: true, force: true })
})

/** Works on the embedded database of a folder, as its owner. */
async function onData<T>(name: string, work: (sql: Sql, url: string) => Promise<T>): Promise<T> {
  const server = await openEmbedded({ data_dir: path(name) })
  const sql = connect(server.url, { max: 1, as: 'owner' })
  try {
    return await work(sql, server.url)
  } finally {
    await sql.end({ timeout: 1 })
    await server.release()
  }
}

/** A command on the database of a folder, to its end. */
async function run(name: string, ...args: readonly string[]): Promise<CommandResult> {
  const cli = await openCli('', dataOf(name), true)
  return cli.run(...args).finally(cli.close)
}

const paid = (asked: readonly KeyedPayout[]) => asked.filter(({ answer }) => answer?.status === 200)

test('corridor backup under load, then restore: every acknowledged write present, corridor verify clean', async t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  const client = httpClient(account)
  const known = async () => (await client.get(service.address, '/v3/balance')).status === 200
  await until('the key is known', known)
  const load = startLoad({ client, clients: 8, address: () => service.address, name: 'b', random })
  const pausing = { known_bank: '', closed_bank: 'the bank is closed' }
  await onData('original', async sql => {
    for (const [name, reason] of Object.entries(pausing)) {
      const config = { url: 'https://bank.example', key_lifetime_s: null }
      await sql`insert into rails (name, kind, config, paused_reason)
        values (${name}, 'connector', ${JSON.stringify(config)}::text::jsonb, ${reason})`
    }
  })
  await until('200 paid', () => paid(load.asked).length >= 200)
  const before_backup = paid(load.asked)
  const began_at = performance.now()
  const making = run('original', 'backup', backup, '--json')
  await until('writing', () => existsSync(`${backup}.part`))
  const writing_at = performance.now()
  const made = await making
  const ended_at = performance.now()
  const took_ms = Math.round(ended_at - began_at)
  assert.equal(made.code, 0, made.stderr)
  await load.stop()
  const meanwhile = paid(load.asked).filter(
    one => one.asked_at > writing_at && one.ended_at < ended_at,
  )
  assert.ok(meanwhile.length > 0, 'asked and paid while the backup was written')
  assert.deepEqual(paid(load.asked), load.asked, 'no request was refused')
  assert.equal((await stat(backup)).mode & 0o777, 0o600)

  const restoring_at = performance.now()
  const restored = await run('copy', 'restore', backup, '--json')
  const restored_ms = Math.round(performance.now() - restoring_at)
  assert.equal(restored.code, 0, restored.stderr)
  const { ok, checked, heads, data_dir } = restored.json
  assert.deepEqual([ok, data_dir], [true, path('copy')])
  assert.ok(checked.payouts >= before_backup.length)
  assert.deepEqual((await readdir(path('copy'))).sort(), ['postgres', 'postgres.lock'])
  t.diagnostic(
    `${before_backup.length} acknowledged before, ${meanwhile.length} while it was written, ` +
      `${checked.payouts} in the copy, ` +
      `${load.asked.length} at last; ${made.json.bytes} bytes in ${took_ms} ms, ` +
      `restored and verified in ${restored_ms} ms`,
  )
  await onData('original', async sql => {
    for (const { account_id, journals, head_hash } of heads) {
      const [row] = await sql`select encode(hash, 'hex') as hash from journals
        where account_id = ${account_id} and number = ${journals}`
      assert.equal(
        row?.hash,
        head_hash,
        'the chain of the original goes through the head of the copy',
      )
    }
  })
  await onData('copy', async (sql, url) => {
    const copy = await startListening({ DATABASE_URL: url, CORRIDOR_SETTLE: 'off' })
    try {
      const { acknowledged } = await repeatAll(client, copy.address, before_backup)
      assert.equal(acknowledged, before_backup.length)
      // Banks may have what the backup has not: a person compares first (case 27).
      const reasons = await sql`select name, paused_reason from rails order by name`
      assert.deepEqual(
        reasons.map(rail => Object.values(rail)),
        [
          ['closed_bank', 'the bank is closed'],
          ['known_bank', 'restored from a backup: compare it with what the rail has been given'],
          ['manual', ''],
        ],
      )
      await checkBooks(sql, { DATABASE_URL: url })
    } finally {
      client.close()
      await copy.close()
    }
  })
})

/** With the books out of order. */
const next = path('next.tar.zst')

/** How many backups the log is kept for. */
const slotsOf = async (sql: Sql) => (await sql`select from pg_replication_slots`).length

test('corridor backup, killed midway: no file left, the server retains no log for it', async () => {
  await onData('original', async sql => {
    const child = spawnCommand(['backup', next], dataOf('original'))
    // The file is opened before the server is asked.
    const keepsLog = async () => existsSync(`${next}.part`) && (await slotsOf(sql)) === 1
    await until('writing, and the log is kept for it', keepsLog)
    child.kill('SIGKILL')
    await once(child, 'exit')
    assert.equal(existsSync(next), false)
    await until('no slot left', async () => (await slotsOf(sql)) === 0)
  })
})

/** Changes a balance, which no books say. */
const move = (by: number) =>
  onData(
    'original',
    sql => sql`
      update balances set available = available + ${by}::bigint
      where account_id = ${account.account.account_id}`,
  )

test('corridor backup after a killed one: complete; a second backup to the same file in parallel: refused', async () => {
  await move(1)
  const first = spawnCommand(['backup', next], dataOf('original'))
  const ended = once(first, 'exit')
  await onData('original', sql => until('writing', async () => (await slotsOf(sql)) === 1))
  first.kill('SIGSTOP')
  const { code, stderr } = await run('original', 'backup', next)
  first.kill('SIGCONT')
  assert.equal(code, 1)
  assertLine(stderr, /^corridor: another backup is writing \S+next\.tar\.zst$/m)
  assert.deepEqual(await ended, [0, null])
  assert.equal(existsSync(`${next}.part`), false)
  await move(-1)
})

test('corridor restore, killed while unpacking or recovering: nothing starts, the next restore succeeds; bad books: exit code 1 naming the row', async () => {
  const { account_id } = account.account
  // Closed to PostgreSQL's user when root runs the test: the cluster is linked from elsewhere.
  await mkdir(path('killed'), { mode: 0o700 })
  const cluster = 'killed/postgres.restoring/postgres'
  const halves: string[] = []
  for (const [moment, sign] of [
    ['unpacking', 'base'],
    ['recovering', 'postmaster.pid'],
  ] as const) {
    const child = spawnCommand(['restore', next], dataOf('killed'))
    await until(moment, () => existsSync(path(`${cluster}/${sign}`)))
    child.kill('SIGKILL')
    await once(child, 'exit')
    halves.push(await realpath(path(cluster)))
  }
  const starting = openEmbedded({ data_dir: path('killed') })
  await assert.rejects(starting, /a restore did not end in .*: restore again, or remove it$/)
  const { code, stdout } = await run('killed', 'restore', next)
  assert.equal(code, 1, stdout)
  // Everything else in it is in order.
  assert.match(stdout, new RegExp(`^Not in order: balances, account ${account_id}, USD: `))
  assert.equal(existsSync(path('killed/postgres')), false, 'what starts refuse, as above')
  // For whoever wants to look at it all the same.
  const looked = await run('killed/postgres.restoring', 'verify')
  assert.match(looked.stdout, /^Not in order: balances/)
  const whole = await realpath(path(cluster))
  assert.deepEqual(
    halves.filter(half => half !== whole && existsSync(half)),
    [],
    'cleared up',
  )
  await rm(whole, { recursive: true })
})

/** By default each 16 KiB are a buffer of their own. */
const IN_LARGE_PIECES = { chunkSize: 2 ** 20 }

/** Of the thousand files of the cluster; the label comes first. */
const FEW = ['backup_label', 'PG_VERSION', 'postgresql.conf']

/** The backup as it is packed, but for most of its files and what the list says of them. */
async function fewFiles(): Promise<Buffer> {
  const files: Buffer[] = []
  const tar = zstdDecompressSync(await readFile(backup), IN_LARGE_PIECES)
  for await (const { name, content = [] } of readTar(Readable.from([tar]))) {
    if (!FEW.includes(name) && name !== MANIFEST) continue
    const text = Buffer.concat(await Array.fromAsync(content))
    files.push(tarFile(name, name === MANIFEST ? listOfFew(String(text)) : text, new Date()))
  }
  return Buffer.concat([...files, END])
}

function listOfFew(manifest: string): Buffer {
  const { Files } = JSON.parse(manifest) as { Files: { Path: string }[] }
  const lines = Files.filter(({ Path }) => FEW.includes(Path)).map(file => JSON.stringify(file))
  const list = `{"Files": [\n${lines.join(',\n')}\n],\n`
  return Buffer.from(`${list}"Manifest-Checksum": "${hash('sha256', list, 'hex')}"}\n`)
}

let few: Promise<Buffer> | undefined
/** The backup of few files with some of its bytes changed by `change`; its path. */
async function changed(name: string, change: (tar: Buffer) => Buffer): Promise<string> {
  few ??= fewFiles()
  const file = path(name)
  await writeFile(file, zstdCompressSync(change(Buffer.from(await few))))
  return file
}

const TEXT = Buffer.from('x')

/** Undefined when it is read to its end, and verified. */
const refusalOf = (file: string): Promise<unknown> =>
  readBackup(file).then(
    () => undefined,
    error => error,
  )

function assertRefusal(error: unknown, words: RegExp): void {
  assert.ok(error instanceof DatabaseProblem, String(error))
  assert.match(error.message, words)
}

const refused = async (file: string, words: RegExp) => assertRefusal(await refusalOf(file), words)

test('backup file with one random bit flipped, or truncated: always refused', async t => {
  const seed = pickSeed()
  const random = seeded(seed)
  t.diagnostic(`SEED=${seed}`)
  const bytes = await readFile(backup)
  // zstd's own checksum, which alone covers the log.
  assert.equal((bytes[4] ?? 0) & 0b100, 0b100)
  const file = path('damaged')
  for (let i = 0; i < share(3, 500); i++) {
    // The first bytes say how much memory is wanted; more of it is no damage.
    const at = 16 + Math.floor(random() * (bytes.length - 16))
    await writeFile(file, bytes)
    if (i % 3 === 0) await truncate(file, at)
    else {
      const handle = await open(file, 'r+')
      const bit = 1 << Math.floor(random() * 8)
      await handle.write(Buffer.of((bytes[at] ?? 0) ^ bit), 0, 1, at)
      await handle.close()
    }
    const error = await refusalOf(file)
    // Some bits of zstd fill a byte up and mean nothing: what was packed is there, whole.
    const may_mean_nothing = error === undefined && i % 3 !== 0
    if (may_mean_nothing && isUnharmed(await readFile(file), bytes)) continue
    assertRefusal(error, /no backup of corridor, or damaged|is damaged/)
  }
})

/** Whether the very same is unpacked of it. */
function isUnharmed(packed: Buffer, whole: Buffer): boolean {
  try {
    const [one, other] = [packed, whole].map(of => zstdDecompressSync(of, IN_LARGE_PIECES))
    return one?.equals(other as Buffer) === true
  } catch {
    return false
  }
}

test('backup file whose content was changed and packed again: refused, naming the file', async () => {
  const change = (tar: Buffer, what: string, to: string) => {
    const at = tar.indexOf(what)
    assert.ok(at > 0 && what.length === to.length)
    tar.write(to, at)
    return tar
  }
  const added = (name: string) => (tar: Buffer) => {
    const at = tar.lastIndexOf('backup_manifest')
    const stranger = tarFile(name, TEXT, new Date())
    return Buffer.concat([tar.subarray(0, at), stranger, tar.subarray(at)])
  }
  const cut = (tar: Buffer) =>
    Buffer.concat([tar.subarray(0, tar.lastIndexOf('backup_manifest')), Buffer.alloc(1024)])
  const rows: readonly (readonly [name: string, words: RegExp, (tar: Buffer) => Buffer])[] = [
    [
      'a setting changed',
      /^.+ is damaged: postgresql\.conf has a wrong checksum$/,
      tar => change(tar, "include = 'corridor.conf'", "include = 'stranger.conf'"),
    ],
    [
      'a checksum of the list changed',
      /^.+ is damaged: its list of files has a wrong checksum$/,
      tar => change(tar, '"Path":"PG_VERSION","Size":3', '"Path":"PG_VERSION","Size":4'),
    ],
    ['the list left out', /^.+ is damaged: its end is missing$/, cut],
    ['a file added', /its list of files does not have stranger$/, added('stranger')],
    [
      'a name that leads out',
      /an entry has the unsafe name "\.\.\/stranger"$/,
      added('../stranger'),
    ],
    ['a tar of something else', /it has no label$/, () => tarFile('a', TEXT, new Date())],
    ['nothing', /is not a backup of corridor$/, () => Buffer.alloc(1024)],
  ]
  await readBackup(await changed('few files', tar => tar))
  for (const [name, words, change] of rows) await refused(await changed(name, change), words)
  await writeFile(path('text'), 'this is no backup\n'.repeat(100))
  await refused(path('text'), /no backup of corridor, or damaged/)
  await refused(path('gone'), /^cannot read .*gone/)
})

test('corridor restore, backup of another PostgreSQL version: refused before unpacking', async () => {
  const file = await changed('older', tar => {
    tar.write('PostgreSQL 17.', tar.indexOf('PostgreSQL 18.'))
    return tar
  })
  const restoring = restoreBackup({
    file,
    data_dir: path('older-data'),
    log: () => {},
    accept: () => assert.fail('it was started'),
  })
  await assert.rejects(restoring, /is of PostgreSQL 17, and this is 18: restore it by the version/)
  assert.deepEqual(await readdir(path('older-data')), ['postgres.lock'])
})

test('corridor backup, damaged page of the cluster on disk: exit code 1, no file', async () => {
  const relation = await onData('copy', async sql => {
    const [row] = await sql`select pg_relation_filepath('journals') as file`
    return String(row?.file)
  })
  const handle = await open(path(`copy/postgres/${relation}`), 'r+')
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, 8000)
  await handle.write(Buffer.of((buffer[0] ?? 0) ^ 1), 0, 1, 8000)
  await handle.close()
  const file = path('page.tar.zst')
  const { code, stderr } = await run('copy', 'backup', file)
  assert.equal(code, 1, stderr)
  assert.match(stderr, /^corridor: the cluster is damaged: .*checksum/m)
  assert.equal(existsSync(file) || existsSync(`${file}.part`), false)
})

test('corridor backup and restore, no permission: one line, nothing changes', async () => {
  const elsewhere = await openCli('postgres://127.0.0.1:1/corridor')
  const { mtimeMs } = await stat(backup)
  for (const [at, command, file, expected, words] of [
    ['original', 'backup', backup, 1, /^corridor: \S+ is there already, and backups are not/],
    ['original', 'restore', backup, 1, /^corridor: \S+\/postgres is there already: restore/],
    ['new', 'restore', path('gone'), 1, /^corridor: cannot read \S+gone: /],
    ['', 'backup', path('x'), 2, /^corridor: DATABASE_URL names a database of your own/],
    ['', 'restore', backup, 2, /^corridor: DATABASE_URL names a database of your own/],
  ] as const) {
    const asked = at === '' ? elsewhere.run(command, file) : run(at, command, file)
    const { code, stdout, stderr } = await asked
    assert.deepEqual([code, stdout], [expected, ''], stderr)
    assertLine(stderr, words)
  }
  await elsewhere.close()
  const { code, stderr } = await run('original', 'backup', path('no/such/folder'))
  assert.equal(code, 1, stderr)
  assertLine(stderr, /^corridor: cannot write \S+: /)
  assert.equal((await stat(backup)).mtimeMs, mtimeMs)
  assert.deepEqual(await readdir(path('new')), ['postgres.lock'])
})

test('corridor restore, installation with users: asks for an operator first', async () => {
  await onData('original', sql =>
    sql`insert into users (name, full_name, role) values ('ada', 'Ada', 'operator')`.execute(),
  )
  const file = path('of-ada.tar.zst')
  const as = (user: string, ...args: readonly string[]) =>
    openCli('', { ...dataOf(args[0] ?? ''), CORRIDOR_USER: user }, true).then(cli =>
      cli.run(...args.slice(1)).finally(cli.close),
    )
  assert.equal((await as('ada', 'original', 'backup', file)).code, 0)
  for (const [user, code, words] of [
    ['', 2, /^corridor: say who you are by CORRIDOR_USER/],
    ['mallory', 1, /^corridor: mallory is no operator of the backup; its operators: ada$/m],
  ] as const) {
    const refused = await as(user, 'of-ada', 'restore', file)
    assert.deepEqual([refused.code, refused.stdout], [code, ''], refused.stderr)
    assertLine(refused.stderr, words)
    assert.deepEqual(await readdir(path('of-ada')), ['postgres.lock'])
  }
  const restored = await as('ada', 'of-ada', 'restore', file)
  assert.equal(restored.code, 0, restored.stderr)
})

function assertLine(text: string, words: RegExp): void {
  assert.match(text, words)
  assert.equal(text.trim().split('\n').length, 1, text)
}
