// The disk is full. Where it is that of the tables, writes are 503 and reads go on; where it is that
// of the whole cluster, PostgreSQL itself stops. As soon as there is room all goes on, without a
// restart by anybody. Volumes are needed for that, and so the right to mount them.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, open, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { OpenedAccount } from '../../src/operator/account-operations.ts'
import { type EmbeddedServer, openEmbedded } from '../../src/postgres/embedded.ts'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { migrate } from '../../src/sql/migrate.ts'
import { checkBooks } from '../support/assert/books.ts'
import { type Listening, startListening } from '../support/service/listening.ts'
import {
  checkPaid,
  type KeyedPayout,
  type Load,
  lastAnswers,
  repeatAll,
  startLoad,
} from '../support/service/load.ts'
import {
  type HttpAnswer,
  type HttpClient,
  httpClient,
  openAccountOn,
  pickSeed,
  seeded,
  tally,
  until,
} from '../support/service/process.ts'
import { promised, share } from '../support/share.ts'

const FULL_MS = share(300, 20_000)
/** So many writes are refused before there is room again. */
const REFUSED = share(30, 100)
const BACK_WITHIN_MS = 2_000
/** A server that has stopped is tried to start once a second, and recovers first. */
const UP_WITHIN_MS = 15_000

const run = promisify(execFile)
const seed = pickSeed()

let folder: string
const mounted: string[] = []

/** Large enough for what is asked again once there is room, which grows with the time without. */
const why_not = await mountVolumes({
  tables: share('64m', '512m'),
  cluster: share('320m', '768m'),
})
after(async () => {
  for (const close of closing.reverse()) await close()
  for (const volume of mounted) await run('umount', ['--lazy', volume])
  await rm(folder, { recursive: true, force: true })
})

/** Small volumes in a folder of their own; else why there are none. */
async function mountVolumes(sizes: Readonly<Record<string, string>>): Promise<string | undefined> {
  folder = await mkdtemp(join(tmpdir(), 'corridor-disk-'))
  // PostgreSQL runs as an ordinary user, who must be able to reach its folder.
  await chmod(folder, 0o711)
  try {
    for (const [name, size] of Object.entries(sizes)) {
      const volume = join(folder, name)
      await mkdir(volume)
      await run('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0711`, 'tmpfs', volume])
      mounted.push(volume)
    }
    return undefined
  } catch (error) {
    return `no volume can be mounted here: ${(error as Error).message}`
  }
}

/** Takes all room that is left of a volume; gives it back when it is removed. */
async function fill(volume: string): Promise<string> {
  const path = join(volume, 'ballast')
  const file = await open(path, 'w')
  try {
    for (;;) {
      const { bavail, bsize } = await statfs(volume)
      if (bavail === 0) return path
      await file.write(Buffer.alloc(Math.min(bavail * bsize, 16_777_216))).catch(() => {})
    }
  } finally {
    await file.close()
  }
}

/** What both tests are about, in the order in which it is closed again, from behind. */
const closing: (() => Promise<unknown>)[] = []
let server: EmbeddedServer
let superuser: Sql
let account: OpenedAccount
let service: Listening
let client: HttpClient
/** Every payout asked for in this file. */
const asked: KeyedPayout[] = []

before(async () => {
  if (why_not !== undefined) return
  const data_dir = join(folder, 'cluster', 'data')
  server = await openEmbedded({ data_dir })
  closing.push(() => server.release())
  const at = new URL(server.url)
  // Both have one password.
  at.username = 'postgres'
  superuser = connect(at.href, { max: 1, as: 'owner' })
  closing.push(() => superuser.end({ timeout: 1 }))
  const { uid, gid } = await stat(join(data_dir, 'postgres'))
  const place = join(folder, 'tables', 'tablespace')
  await mkdir(place)
  await run('chown', [`${uid}:${gid}`, place])
  await superuser.unsafe(`create tablespace small location '${place}'`)
  await superuser.unsafe('grant create on tablespace small to corridor')
  await superuser.unsafe('alter database corridor set default_tablespace = small')
  const owner = connect(server.url, { max: 1, as: 'owner' })
  await migrate(owner)
  await owner.end()
  account = await openAccountOn(server.url, { USD: 1_000_000_000n })
  service = await startListening({ CORRIDOR_DATA: data_dir })
  closing.push(() => service.close())
  client = httpClient(account)
  closing.push(async () => client.close())
})

/** What both tests have written, as the owner, on the server as it runs now. */
async function check(): Promise<void> {
  // The one before may have had its port.
  const now = await openEmbedded({ data_dir: join(folder, 'cluster', 'data') })
  const sql = connect(now.url, { max: 1, as: 'owner' })
  try {
    await checkPaid(sql, account.account.account_id, asked)
    await checkBooks(sql, { DATABASE_URL: now.url })
  } finally {
    await sql.end({ timeout: 1 })
    await now.release()
  }
}

function startPaying(name: string): Load {
  const random = seeded(seed)
  const load = { client, clients: 8, address: () => service.address, random, quoted_percent: 50 }
  return startLoad({ ...load, name: `${name}-${seed}` })
}

const paidSince = (load: Load, since: number) =>
  load.asked.find(one => one.answer?.status === 200 && one.asked_at > since)
const refusedOf = (load: Load) => load.asked.filter(one => one.answer?.status === 503)

/** Reads, one after the other, until told to stop. */
function startReader() {
  const answers: HttpAnswer[] = []
  let stopped = false
  const reading = (async () => {
    while (!stopped && !client.closed()) {
      for (const path of ['/v3/balance', '/v3/payout', '/readyz']) {
        answers.push(await client.get(service.address, path))
      }
      await delay(10)
    }
  })()
  return {
    answers,
    stop() {
      stopped = true
      return reading
    },
  }
}

test(`disk of the tables full for ${FULL_MS} ms: writes 503, reads 200; room again: writes succeed`, {
  skip: why_not,
}, async t => {
  const since = async () => (await superuser`select pg_postmaster_start_time() as at`)[0]?.at
  const started_at = await since()

  const load = startPaying('tables')
  const reader = startReader()
  await until('paid', () => paidSince(load, 0) !== undefined)
  const ballast = await fill(join(folder, 'tables'))
  await until('writes are refused', () => refusedOf(load).length >= REFUSED)
  await delay(FULL_MS)
  await rm(ballast)
  const room_at = performance.now()
  await until(
    'paid again',
    () => paidSince(load, room_at) !== undefined,
    () => lastAnswers(load),
  )
  const back_ms = Math.round((paidSince(load, room_at)?.ended_at ?? NaN) - room_at)
  await load.stop()
  await reader.stop()

  const answers = load.asked.flatMap(one => one.answer ?? [])
  assert.equal(answers.length, load.asked.length, 'every request was answered')
  t.diagnostic(
    `SEED=${seed} ${JSON.stringify(tally(answers))}, reads ${JSON.stringify(tally(reader.answers))}`,
  )
  assert.deepEqual(Object.keys(tally(answers)), ['200', '503 service_unavailable'])
  let unknown = 0
  for (const { answer } of refusedOf(load)) {
    assert.equal(answer?.headers['retry-after'], '1')
    // On a busy machine the server itself may say nothing in time.
    if (/is not known/.test(answer?.text ?? '')) unknown += 1
    else assert.match(answer?.text ?? '', /nothing was written/)
  }
  assert.deepEqual(Object.keys(tally(reader.answers)), ['200'])
  promised(t, 'paid again', back_ms, BACK_WITHIN_MS)
  const { committed_unanswered } = await repeatAll(client, service.address, load.asked)
  assert.ok(committed_unanswered <= unknown, 'what the server refuses is not written')
  asked.push(...load.asked)
  assert.equal(await since(), started_at, 'the server was not restarted')
})

test(`disk of the whole cluster full for ${FULL_MS} ms: 503; room again: back, nothing lost`, {
  skip: why_not,
}, async t => {
  const load = startPaying('cluster')
  await until('paid', () => paidSince(load, 0) !== undefined)
  const ballast = await fill(join(folder, 'cluster'))
  // The next segments of the log, for which there is no room: the server panics.
  const switching = async () => {
    for (;;) await superuser`select pg_switch_wal()`
  }
  await assert.rejects(switching())
  await until('writes are refused', () => refusedOf(load).length >= REFUSED)
  await delay(FULL_MS)
  await rm(ballast)
  const room_at = performance.now()
  await until(
    'paid again',
    () => paidSince(load, room_at) !== undefined,
    () => lastAnswers(load),
  )
  const back_ms = Math.round((paidSince(load, room_at)?.ended_at ?? NaN) - room_at)
  await load.stop()
  const answers = load.asked.flatMap(one => one.answer ?? [])
  assert.equal(answers.length, load.asked.length, 'every request was answered')
  const { committed_unanswered } = await repeatAll(client, service.address, load.asked)
  t.diagnostic(
    `SEED=${seed} ${JSON.stringify(tally(answers))}, of which ${committed_unanswered} had committed`,
  )
  assert.deepEqual(Object.keys(tally(answers)), ['200', '503 service_unavailable'])
  promised(t, 'paid again', back_ms, UP_WITHIN_MS)
  asked.push(...load.asked)
  await check()
})
