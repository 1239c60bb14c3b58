// Finds, starts and stops the postmaster of a data folder. It outlives a killed process.
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { explainOutput } from '../sql/explain.ts'
import { findCluster, findLastPort, initCluster, writeAs, writeSettings } from './cluster.ts'
import { findBinaries, findServerUser, ignoring, type Place, run, type User } from './place.ts'

/** The longest wait for a start: crash recovery may replay `max_wal_size` first. */
export const START_TIMEOUT_S = 120
const STOP_TIMEOUT_S = 30
const LOG_LIMIT_BYTES = 16 * 1024 * 1024
/** The state of a cluster after a clean shutdown, as PostgreSQL stores it. */
const DB_SHUTDOWNED = 1

/**
 * `pid` is 0 for a truncated file, as after a power cut. The server writes the file line by line,
 * the status last, when it listens at all addresses.
 */
interface Postmaster {
  readonly pid: number
  readonly port: number
  /** Whether it also listens at a Unix socket in its folder. */
  readonly socket: boolean
  readonly listening: boolean
  /** Whether the process `pid` exists, is no zombie, and serves this folder. */
  readonly alive: boolean
  readonly stopping: boolean
}

/** Undefined without `postmaster.pid`: the server was shut down cleanly, or never ran. */
export async function findPostmaster(folder: string): Promise<Postmaster | undefined> {
  const file = join(folder, 'postmaster.pid')
  const text = await fs.readFile(file, 'utf8').catch(ignoring('ENOENT'))
  if (text === undefined) return undefined
  const lines = text.split('\n')
  const pid = Number(lines[0])
  const port = Number(lines[3])
  const socket = lines[4] === '.'
  const status = lines[7] ?? ''
  const stopping = status.startsWith('stopping')
  const state = { socket, listening: status !== '', stopping }
  if (!(pid > 0 && port > 0)) return { ...state, pid: 0, port: 0, alive: false }
  return { ...state, pid, port, alive: await serves(pid, folder) }
}

/** A zombie, which a container without init keeps, has neither a cwd nor a command line. */
async function serves(pid: number, folder: string): Promise<boolean> {
  const as_started = `postgres -D ${folder}`
  if (process.platform !== 'linux') {
    const { output } = await run('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)], {})
    return output.includes(as_started)
  }
  // Root without CAP_SYS_PTRACE cannot read another user's cwd, and an operator may have started
  // the server with other arguments.
  const cwd = await fs.readlink(`/proc/${pid}/cwd`).catch(() => '')
  const command = await fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return cwd === folder || command.replaceAll('\0', ' ').includes(as_started)
}

/**
 * Takes one step towards a server that answers; the caller then tries to connect.
 * @param crashed_only whether to start a server only after a crash: a server that was shut down
 * cleanly then stays stopped
 * @returns `nothing` when the server runs already, may not be started, or another process starts it
 * @throws DatabaseProblem with the last lines of the log when the start fails
 */
export async function ensureRunning(
  place: Place,
  crashed_only: boolean,
): Promise<'created' | 'started' | 'nothing'> {
  const lock = takeStartLock(place)
  if (!lock) return 'nothing'
  try {
    const found = await findCluster(place)
    if (!found && crashed_only) return 'nothing'
    if (!found) await initCluster(place)
    const folder = found ?? (await findCluster(place))
    if (!folder) throw new Error(`the new cluster of ${place.data_dir} is gone`)
    const server = await findPostmaster(folder)
    if (server?.alive) return 'nothing'
    if (!server && crashed_only && (await wasShutDown(folder))) return 'nothing'
    await startCluster(place, folder)
    return found ? 'started' : 'created'
  } finally {
    lock.close()
  }
}

/** A server that fails to recover also removes its pid file; its control file tells the truth. */
async function wasShutDown(folder: string): Promise<boolean> {
  const control = await fs.readFile(join(folder, 'global', 'pg_control'))
  // src/include/catalog/pg_control.h: the third field of ControlFileData, after 16 bytes.
  return control.readInt32LE(16) === DB_SHUTDOWNED
}

/**
 * One process at a time creates, starts or restores a cluster; undefined when another does.
 * SQLite's lock is the only one in Node that the system releases when its holder is killed.
 */
export function takeStartLock({ data_dir }: Place): DatabaseSync | undefined {
  const lock = new DatabaseSync(join(data_dir, 'postgres.lock'), { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = off; begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    // https://sqlite.org/rescode.html#busy
    if ((error as { errcode?: number }).errcode === 5) return undefined
    throw error
  }
}

/** Starts the server, on the port of its last start if that is free. */
async function startCluster(place: Place, folder: string): Promise<void> {
  const user = await findServerUser(folder)
  const bin = await findBinaries(place, user)
  const log_file = join(place.data_dir, 'postgres.log')
  const old = await fs.stat(log_file).catch(ignoring('ENOENT'))
  if (old && old.size > LOG_LIMIT_BYTES) await fs.rename(log_file, `${log_file}.1`)
  const port = await findLastPort(folder)
  const args = ['start', '-s', '-w', '-t', String(START_TIMEOUT_S), '-D', folder]
  const deadline = Date.now() + START_TIMEOUT_S * 1000
  let socket = true
  for (let tries = 1; await disownPidFile(folder, user); tries += 1) {
    await writeSettings(folder, user, { port, socket })
    // The server inherits the open file, so its user needs no access to the data folder.
    const log = await fs.open(log_file, 'a', 0o600)
    const from = (await log.stat()).size
    const { code, output } = await run(bin.pg_ctl, args, { user, output_fd: log.fd }).finally(() =>
      log.close(),
    )
    if (code === 0) return
    const lines = await logTail(place, from, Number.POSITIVE_INFINITY)
    // Another process attached to the started server, detached and stopped it before pg_ctl looked.
    if (lines.includes('ready to accept connections')) return
    // The file system may have no Unix sockets, as some that are mounted from another machine.
    if (lines.includes('could not create any Unix-domain sockets')) socket = false
    // Orphaned backends end by themselves. A race for the port or a kill, too, passes in a few
    // tries.
    const orphaned = lines.includes('pre-existing shared memory block')
    if (orphaned ? Date.now() > deadline : tries >= 3) {
      const tail = await logTail(place, from)
      throw explainOutput(
        place.data_dir,
        `PostgreSQL did not start in ${folder}`,
        `${output}${tail}`,
      )
    }
    await delay(100)
  }
}

/**
 * Lets a server start in spite of a stale `postmaster.pid` that names a zombie or an unrelated
 * process. Writes this process's id into the file: the new server accepts it as its grandparent.
 * Removing the file would also remove the check that no orphaned backend still uses the dead
 * server's shared memory. Removes the lock file of the Unix socket, which checks nothing more.
 * @returns false when the server runs
 */
async function disownPidFile(folder: string, user: User | undefined): Promise<boolean> {
  const file = join(folder, 'postmaster.pid')
  const server = await findPostmaster(folder)
  if (server?.alive) return false
  for (const name of await fs.readdir(folder)) {
    if (/^\.s\.PGSQL\.\d+\.lock$/.test(name)) await fs.rm(join(folder, name))
  }
  if (server?.pid === 0) await fs.rm(file)
  else if (server) {
    const text = await fs.readFile(file, 'utf8')
    await writeAs(user, file, text.replace(/^\d+/, String(process.pid)))
  }
  return true
}

/**
 * A fast shutdown ends sessions and writes a checkpoint; after STOP_TIMEOUT_S it goes on alone.
 * `pg_ctl stop` would also wait for a server that another process starts meanwhile.
 */
export async function stopServer(place: Place, folder: string): Promise<void> {
  const server = await findPostmaster(folder)
  if (!server?.alive || server.stopping) return
  process.kill(server.pid, 'SIGINT')
  const deadline = Date.now() + STOP_TIMEOUT_S * 1000
  while (Date.now() < deadline) {
    const now = await findPostmaster(folder)
    if (!now?.alive || now.pid !== server.pid) return
    await delay(10)
  }
  place.log(`embedded PostgreSQL is still stopping\n${await logTail(place)}`)
}

/** Log lines about statements, which may quote values, and their continuation lines. */
const OF_STATEMENTS = /^\t| (?:ERROR|WARNING|NOTICE|DETAIL|CONTEXT|STATEMENT|QUERY): /

/** Lines that are not about statements, for an error message. */
export async function logTail({ data_dir }: Place, from = 0, lines = 15): Promise<string> {
  const text = await fs.readFile(join(data_dir, 'postgres.log')).catch(() => Buffer.alloc(0))
  const all = text.subarray(from).toString().trimEnd().split('\n')
  const of_server = all.filter(line => !OF_STATEMENTS.test(line))
  return of_server.slice(-lines).join('\n')
}
