// Knows how the embedded PostgreSQL server is started, found again, shared by several processes of
// one machine and stopped by the last of them. The server is no child of ours: it outlives a killed
// process, and the next one to open the folder finds it. Must not know what the database holds.

import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'
import type { Place } from './embedded-cluster.ts'
import * as cluster from './embedded-cluster.ts'

/**
 * Longest wait for a server to accept connections: crash recovery replays up to `max_wal_size`
 * first.
 */
const START_TIMEOUT_S = 120
const STOP_TIMEOUT_S = 30
const LOG_LIMIT_BYTES = 16 * 1024 * 1024
const CONNECT_TIMEOUT_S = 5
/**
 * Any number will do, as long as it never changes: processes of two versions may share a server.
 */
const SEAT_KEY = 726_773_001

/**
 * What `postmaster.pid` says. `alive`: that process exists, is no zombie, and serves this folder.
 */
interface Postmaster {
  readonly pid: number
  readonly port: number
  readonly alive: boolean
  readonly stopping: boolean
}

/** A session that keeps the server running: it holds the advisory lock SEAT_KEY, shared. */
interface Seat {
  readonly sql: postgres.Sql
  readonly port: number
  readonly folder: string
}

export interface EmbeddedServer {
  /**
   * Connection URL of the `corridor` database as its owner, on 127.0.0.1, with password. Stays
   * valid while held.
   */
  readonly url: string
  /** Was the data folder initialised by this call? */
  readonly created: boolean
  /**
   * Leaves the server; the last one out stops it (fast shutdown), others keep it running.
   * Idempotent; takes at most about 45 s (and first lets a restart after a crash end), and never
   * rejects: what went wrong is logged.
   */
  release(): Promise<void>
}

/**
 * Attaches to the server of a data folder; makes and starts it when there is none. Processes of one
 * machine (and of one container: they must see each other's process ids) may share the folder.
 * @param options.data_dir holds `postgres` (the cluster, or a link to it) and `postgres.log`; made
 * when absent.
 * @param options.log told, in one line, whatever an operator should know.
 * @throws Error with the last lines of postgres.log when no server can be had within
 * START_TIMEOUT_S.
 */
export async function openEmbedded(options: {
  data_dir: string
  log?: (line: string) => void
}): Promise<EmbeddedServer> {
  const place = await cluster.makePlace(options.data_dir, options.log ?? (() => {}))
  const deadline = Date.now() + START_TIMEOUT_S * 1000
  let released: Promise<void> | undefined
  let retaken: Promise<void> = Promise.resolve()
  const onLost = () => {
    if (!released) retaken = retake()
  }

  // A lost seat is taken again, and a crashed server started again on its old port; were it not,
  // another process leaving would find nobody and stop the server under us.
  async function retake(): Promise<void> {
    place.log('embedded PostgreSQL ended our session: attaching again')
    while (!released) {
      try {
        const next = await takeSeat(place, {
          deadline: Date.now() + START_TIMEOUT_S * 1000,
          crashed_only: true,
          given_up: () => released !== undefined,
          onLost,
        })
        if (next) {
          await seat.sql.end({ timeout: 0 })
          if (next.seat.port !== seat.port) place.log('embedded PostgreSQL has moved: restart me')
          seat = next.seat
        }
        return
      } catch (error) {
        place.log(`embedded PostgreSQL cannot be attached again: ${(error as Error).message}`)
        await delay(1000)
      }
    }
  }

  const given_up = () => false
  const taken = await takeSeat(place, { deadline, crashed_only: false, given_up, onLost })
  if (!taken) throw new Error('unreachable: never given up')
  let seat = taken.seat
  const password = await cluster.readPassword(seat.folder)
  return {
    url: `postgres://${cluster.OWNER}:${password}@127.0.0.1:${seat.port}/${cluster.OWNER}`,
    created: taken.created,
    release() {
      released ??= Promise.resolve()
        .then(() => retaken)
        .then(() => leave(place, seat))
        .catch(error => place.log(`leaving embedded PostgreSQL: ${(error as Error).message}`))
      return released
    },
  }
}

// ---- seats
// ----------------------------------------------------------------------------------------------------------

interface Taking {
  readonly deadline: number
  /**
   * Start a server only where one died: what somebody stopped in order stays stopped until somebody
   * opens it.
   */
  readonly crashed_only: boolean
  readonly given_up: () => boolean
  readonly onLost: () => void
}

/**
 * Tries to attach, and sees to it that there is a server, in turn, until seated: between the two
 * the server may be stopped by the last one leaving, or started by another. Undefined only when
 * given up.
 */
async function takeSeat(place: Place, taking: Taking) {
  let created = false
  let reason = 'no server came up'
  while (!taking.given_up()) {
    const attached = await attach(place, taking.onLost)
    if (typeof attached === 'object') return { seat: attached, created }
    reason = attached ?? reason
    if (Date.now() > taking.deadline) {
      throw new Error(
        `no session with embedded PostgreSQL in ${place.data_dir}: ${reason}\n${await cluster.logTail(place)}`,
      )
    }
    const did = await withStartLock(join(place.data_dir, 'postgres.lock'), taking.deadline, () =>
      ensureRunning(place, taking.crashed_only),
    )
    created ||= did === 'created'
    if (did === 'nothing') await delay(taking.crashed_only ? 250 : 25)
  }
  return undefined
}

/** A seat; or why there is none; or undefined when there is no server to ask. */
async function attach(place: Place, onLost: () => void): Promise<Seat | string | undefined> {
  const folder = await cluster.findCluster(place)
  if (!folder) return undefined
  const server = await findPostmaster(folder)
  if (!server?.alive) return undefined
  if (server.stopping) return 'the server is being stopped'
  let seated = false
  const sql = await openSession(folder, server.port, () => {
    if (seated) onLost()
    seated = false
  })
  try {
    // Not waiting: whoever holds it alone is about to stop the server.
    const [row] = await sql`select pg_try_advisory_lock_shared(${SEAT_KEY}) as taken`
    // Nor trusting a lock that came free because its holder's session was already ended by the
    // shutdown.
    const now = await findPostmaster(folder)
    seated = row?.taken === true && now?.pid === server.pid && !now.stopping
    if (seated) return { sql, port: server.port, folder }
    await sql.end({ timeout: 1 })
    return 'the server is being stopped by another process'
  } catch (error) {
    await sql.end({ timeout: 0 }).catch(() => {})
    const { message } = error as Error
    // Class 28, wrong password; 3D, no such database: waiting will not help.
    if (!/^(28|3D)/.test(String(cluster.codeOf(error)))) return message
    throw new Error(`embedded PostgreSQL in ${folder} refuses us: ${message}`)
  }
}

/** One connection, without the pool's renewals: a lock held by a session is gone with it. */
async function openSession(folder: string, port: number, onclose: () => void) {
  return postgres({
    host: '127.0.0.1',
    port,
    user: cluster.SUPERUSER,
    password: await cluster.readPassword(folder),
    database: cluster.OWNER,
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: CONNECT_TIMEOUT_S,
    fetch_types: false,
    ssl: false,
    onnotice: () => {},
    onclose,
    connection: { application_name: 'corridor seat' },
  })
}

/** Gives the seat up and, if nobody else has one, stops the server. */
async function leave(place: Place, seat: Seat): Promise<void> {
  // Unlocked before the session ends: the server may notice the end of a session only after our
  // next question.
  await bounded(seat.sql`select pg_advisory_unlock_shared(${SEAT_KEY})`)
  await seat.sql.end({ timeout: 1 })
  const server = await findPostmaster(seat.folder)
  if (!server?.alive || server.stopping) return
  const sql = await openSession(seat.folder, server.port, () => {})
  try {
    const rows = await bounded(sql`select pg_try_advisory_lock(${SEAT_KEY}) as alone`)
    if (rows?.[0]?.alone === true) await stopCluster(place, seat.folder, server)
  } finally {
    await sql.end({ timeout: 0 }).catch(() => {})
  }
}

/**
 * Undefined when the server does not answer in time or refuses: it is then stopping or dead, and
 * needs no leaving.
 */
async function bounded<T>(query: PromiseLike<T>): Promise<T | undefined> {
  const timer = new AbortController()
  const late = delay(CONNECT_TIMEOUT_S * 1000, undefined, { signal: timer.signal }).catch(
    () => undefined,
  )
  try {
    return await Promise.race([Promise.resolve(query).catch(() => undefined), late])
  } finally {
    timer.abort()
  }
}

// ---- the start lock
// -------------------------------------------------------------------------------------------------

/**
 * Lets one process at a time make or start a cluster. PostgreSQL itself refuses a second server,
 * and a second cluster cannot be renamed over the first: the lock spares both from being tried.
 */
async function withStartLock<T>(file: string, deadline: number, work: () => Promise<T>) {
  const me = `${process.pid} ${(await cluster.findProcess(process.pid))?.started}\n`
  while (!(await takeLock(file, me))) {
    const stale = await findStale(file)
    if (stale !== undefined) await dropStale(file, stale)
    else if (Date.now() > deadline)
      throw new Error(`${file} is held by process ${await fs.readFile(file, 'utf8')}`)
    else await delay(20)
  }
  try {
    return await work()
  } finally {
    await fs.rm(file, { force: true })
  }
}

async function takeLock(file: string, me: string): Promise<boolean> {
  try {
    await fs.writeFile(file, me, { flag: 'wx', mode: 0o644 })
    return true
  } catch (error) {
    if (cluster.codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * What the lock file says, if its holder is gone or its number has been given to another process
 * since.
 */
async function findStale(file: string): Promise<string | undefined> {
  const text = await fs.readFile(file, 'utf8').catch(cluster.ignoring('ENOENT'))
  if (text === undefined) return undefined
  const [pid, started] = text.trim().split(/ (.*)/)
  if (pid) return (await cluster.findProcess(Number(pid)))?.started === started ? undefined : text
  // Made but not yet written, or cut short by a crash.
  const found = await fs.stat(file).catch(cluster.ignoring('ENOENT'))
  return found && Date.now() - found.mtimeMs > 5000 ? text : undefined
}

/**
 * Moved aside before it is judged again: by now it may be the fresh lock of another who found the
 * same stale one.
 */
async function dropStale(file: string, stale: string): Promise<void> {
  const aside = `${file}.${process.pid}.${Math.random()}`
  await fs.rename(file, aside).catch(cluster.ignoring('ENOENT'))
  const text = await fs.readFile(aside, 'utf8').catch(cluster.ignoring('ENOENT'))
  if (text !== undefined && text !== stale)
    await fs.link(aside, file).catch(cluster.ignoring('EEXIST'))
  await fs.rm(aside, { force: true })
}

// ---- the server
// -----------------------------------------------------------------------------------------------------

/** Undefined when no `postmaster.pid` is there: the server was stopped in order, or never ran. */
async function findPostmaster(folder: string): Promise<Postmaster | undefined> {
  const file = join(folder, 'postmaster.pid')
  const text = await fs.readFile(file, 'utf8').catch(cluster.ignoring('ENOENT'))
  if (text === undefined) return undefined
  const lines = text.split('\n')
  const pid = Number(lines[0])
  const port = Number(lines[3])
  // Empty after a power cut. The start lock keeps us from seeing our own half-written one.
  if (!Number.isInteger(pid) || pid <= 0 || !Number.isInteger(port) || port <= 0)
    return { pid: 0, port: 0, alive: false, stopping: false }
  const found = await cluster.findProcess(pid)
  const alive = found?.cwd === folder || found?.command.includes(`postgres -D ${folder}`)
  return { pid, port, alive: alive ?? false, stopping: lines[7]?.startsWith('stopping') ?? false }
}

/**
 * Lets a start pass a `postmaster.pid` that PostgreSQL takes for a living rival's: it names a
 * zombie, or a stranger with the same number. The file is kept and made to name us, whom a server
 * started by our pg_ctl takes for its grandparent: removing it would also remove the check that no
 * orphaned backend still writes to the dead server's shared memory.
 * @returns false when the rival is real
 */
async function disownPidFile(folder: string): Promise<boolean> {
  const file = join(folder, 'postmaster.pid')
  const server = await findPostmaster(folder)
  if (server?.alive) return false
  if (server?.pid === 0) await fs.rm(file, { force: true })
  else if (server) {
    const text = await fs.readFile(file, 'utf8')
    await fs.writeFile(file, text.replace(/^\d+/, String(process.pid)))
  }
  return true
}

/**
 * Starts the server of a cluster that has none, on the port it had last if that is free. The caller
 * holds the start lock.
 * @throws Error with the last lines of the log when it does not come up.
 */
async function startCluster(place: Place, folder: string): Promise<void> {
  const user = await cluster.findServerUser(folder)
  const bin = await cluster.findBinaries(place, user)
  const log_file = join(place.data_dir, 'postgres.log')
  const old = await fs.stat(log_file).catch(cluster.ignoring('ENOENT'))
  if (old && old.size > LOG_LIMIT_BYTES) await fs.rename(log_file, `${log_file}.1`)
  const conf = await fs.readFile(join(folder, 'corridor.conf'), 'utf8').catch(() => '')
  let wanted = Number(/^port = (\d+)$/m.exec(conf)?.[1] ?? 0)
  const deadline = Date.now() + START_TIMEOUT_S * 1000
  let silent = 0
  for (;;) {
    await cluster.writeDurably(
      join(folder, 'corridor.conf'),
      cluster.settings(await cluster.findFreePort(wanted)),
      user,
    )
    // The server writes to the file we opened: its user needs no right to the data folder's log.
    const log = await fs.open(log_file, 'a', 0o600)
    if (user) await log.chown(user.uid, user.gid)
    const from = (await log.stat()).size
    const args = ['start', '-s', '-w', '-t', String(START_TIMEOUT_S), '-D', folder]
    const { code, output } = await cluster
      .run(bin.pg_ctl, args, { user, output_fd: log.fd })
      .finally(() => log.close())
    if (code === 0) return
    const said = await cluster.logTail(place, from, Number.POSITIVE_INFINITY)
    // Came up, and was stopped by somebody who attached and left, before pg_ctl looked: the caller
    // tries again.
    if (said.includes('ready to accept connections')) return
    const taken = said.includes('Address already in use')
    const orphaned = said.includes('pre-existing shared memory block')
    const rivalled = /lock file "postmaster.pid"|PID file/.test(said)
    // Killed before its first word; not for ever, as a broken binary says nothing either.
    if (!said.includes('LOG:') && !said.includes('FATAL:')) silent += 1
    const again = taken || orphaned || rivalled || (silent > 0 && silent < 4)
    if (!again || Date.now() > deadline) {
      const tail = await cluster.logTail(place, from)
      throw new Error(`PostgreSQL did not start in ${folder} ${output}\n${tail}`)
    }
    if (rivalled && !(await disownPidFile(folder))) return
    // Backends of a killed server end by themselves as soon as they notice; a port taken meanwhile
    // is given up.
    if (orphaned) await delay(100)
    if (taken) wanted = 0
  }
}

/**
 * One step towards a server that answers. The caller holds the start lock, and asks the server
 * itself afterwards.
 */
async function ensureRunning(
  place: Place,
  crashed_only: boolean,
): Promise<'created' | 'started' | 'nothing'> {
  let folder = await cluster.findCluster(place)
  const created = !folder
  if (!folder) {
    if (crashed_only) return 'nothing'
    await cluster.initCluster(place)
    folder = await cluster.findCluster(place)
    if (!folder) throw new Error(`the new cluster of ${place.data_dir} is gone`)
  }
  const server = await findPostmaster(folder)
  if (server?.alive || (!server && crashed_only)) return 'nothing'
  await startCluster(place, folder)
  return created ? 'created' : 'started'
}

/**
 * Fast shutdown: sessions are ended, a checkpoint is written. At most 30 s; a server that needs
 * longer goes on stopping. The signal is sent from here, as `pg_ctl stop` would wait on for any
 * server that others start in the meantime.
 */
async function stopCluster(place: Place, folder: string, server: Postmaster): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_S * 1000
  process.kill(server.pid, 'SIGINT')
  for (;;) {
    const now = await findPostmaster(folder)
    if (!now?.alive || now.pid !== server.pid) return
    if (Date.now() > deadline) break
    await delay(10)
  }
  place.log(`embedded PostgreSQL is still stopping\n${await cluster.logTail(place)}`)
}
