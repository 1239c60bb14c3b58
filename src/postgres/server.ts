// Knows how the postmaster of a data folder is found, started and stopped. It is no child of ours:
// it outlives a killed process, and the next one to open the folder finds it. Must not know who
// uses it.

import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { explainOutput } from '../db/explain.ts'
import { findCluster, findLastPort, initCluster, writeAs, writeSettings } from './cluster.ts'
import { findBinaries, findServerUser, ignoring, type Place, run, type User } from './place.ts'

/** Longest wait for a server that starts: crash recovery replays up to `max_wal_size` first. */
export const START_TIMEOUT_S = 120
const STOP_TIMEOUT_S = 30
const LOG_LIMIT_BYTES = 16 * 1024 * 1024
/** PostgreSQL's state of a cluster that was shut down in order. */
const DB_SHUTDOWNED = 1

/** What `postmaster.pid` says; `pid` is 0 when it is cut short, as after a power cut. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** That process exists, is no zombie, and serves this folder. */
  readonly alive: boolean
  readonly stopping: boolean
}

/** Undefined when no `postmaster.pid` is there: the server was stopped in order, or never ran. */
export async function findPostmaster(folder: string): Promise<Postmaster | undefined> {
  const file = join(folder, 'postmaster.pid')
  const text = await fs.readFile(file, 'utf8').catch(ignoring('ENOENT'))
  if (text === undefined) return undefined
  const lines = text.split('\n')
  const pid = Number(lines[0])
  const port = Number(lines[3])
  if (!(pid > 0 && port > 0)) return { pid: 0, port: 0, alive: false, stopping: false }
  const stopping = lines[7]?.startsWith('stopping') ?? false
  return { pid, port, alive: await serves(pid, folder), stopping }
}

/** Also false for a zombie, as containers without an init keep them: it has neither of the two. */
async function serves(pid: number, folder: string): Promise<boolean> {
  const as_started = `postgres -D ${folder}`
  if (process.platform !== 'linux') {
    const { output } = await run('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)], {})
    return output.includes(as_started)
  }
  // Root without CAP_SYS_PTRACE, as in a container, may not see the folder of another user's
  // process; and an operator may have started it with other words.
  const cwd = await fs.readlink(`/proc/${pid}/cwd`).catch(() => '')
  const command = await fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return cwd === folder || command.replaceAll('\0', ' ').includes(as_started)
}

/**
 * One step towards a server that answers; the caller asks the server itself afterwards.
 * @param crashed_only starts a server only where one died: what somebody stopped in order stays
 * stopped until somebody opens it.
 * @returns `nothing` when it runs already, may not be started, or another process is at it
 * @throws DatabaseProblem with the last lines of the log when it does not come up
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

/**
 * Was the server stopped in order? One that cannot recover from a crash, as on a full disk, ends
 * with no less ceremony, but its control file says that it was not shut down.
 */
async function wasShutDown(folder: string): Promise<boolean> {
  const control = await fs.readFile(join(folder, 'global', 'pg_control'))
  // src/include/catalog/pg_control.h: the third field of ControlFileData, after 16 bytes.
  return control.readInt32LE(16) === DB_SHUTDOWNED
}

/**
 * Lets one process at a time make, start or restore a cluster; undefined when another is at it.
 * SQLite's is the one lock in Node that the system drops when its holder is killed: the file holds
 * nothing, and stays.
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

/** Starts the server of a cluster that has none, on the port it had last if that is free. */
async function startCluster(place: Place, folder: string): Promise<void> {
  const user = await findServerUser(folder)
  const bin = await findBinaries(place, user)
  const log_file = join(place.data_dir, 'postgres.log')
  const old = await fs.stat(log_file).catch(ignoring('ENOENT'))
  if (old && old.size > LOG_LIMIT_BYTES) await fs.rename(log_file, `${log_file}.1`)
  const port = await findLastPort(folder)
  const args = ['start', '-s', '-w', '-t', String(START_TIMEOUT_S), '-D', folder]
  const deadline = Date.now() + START_TIMEOUT_S * 1000
  for (let tries = 1; await disownPidFile(folder, user); tries += 1) {
    await writeSettings(folder, user, port)
    // The server writes to the file we opened: its user needs no right to the data folder.
    const log = await fs.open(log_file, 'a', 0o600)
    const from = (await log.stat()).size
    const { code, output } = await run(bin.pg_ctl, args, { user, output_fd: log.fd }).finally(() =>
      log.close(),
    )
    if (code === 0) return
    const said = await logTail(place, from, Number.POSITIVE_INFINITY)
    // It came up, and was stopped by somebody who attached and left, before pg_ctl looked.
    if (said.includes('ready to accept connections')) return
    // Backends of a killed server end by themselves as soon as they notice. Anything else may be a
    // race for the port, or a kill: worth another try, but not many.
    const orphaned = said.includes('pre-existing shared memory block')
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
 * Lets a start pass a `postmaster.pid` that PostgreSQL takes for a living rival's: it names a
 * zombie, or a stranger with the same number. The file is kept and made to name us, whom a server
 * started by our pg_ctl takes for its grandparent: removing it would also remove the check that no
 * orphaned backend still writes to the dead server's shared memory.
 * @returns false when the rival is real
 */
async function disownPidFile(folder: string, user: User | undefined): Promise<boolean> {
  const file = join(folder, 'postmaster.pid')
  const server = await findPostmaster(folder)
  if (server?.alive) return false
  if (server?.pid === 0) await fs.rm(file)
  else if (server) {
    const text = await fs.readFile(file, 'utf8')
    await writeAs(user, file, text.replace(/^\d+/, String(process.pid)))
  }
  return true
}

/**
 * Fast shutdown: sessions are ended, a checkpoint is written. At most 30 s; a server that needs
 * longer goes on stopping. The signal is sent from here, as `pg_ctl stop` would wait on for any
 * server that others start in the meantime.
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

/** What a statement was refused for, which may quote the values in it, and the lines that go on. */
const OF_STATEMENTS = /^\t| (?:ERROR|WARNING|NOTICE|DETAIL|CONTEXT|STATEMENT|QUERY): /

/** Last lines of the server's log about itself, for an error message. */
export async function logTail({ data_dir }: Place, from = 0, lines = 15): Promise<string> {
  const text = await fs.readFile(join(data_dir, 'postgres.log')).catch(() => Buffer.alloc(0))
  const said = text.subarray(from).toString().trimEnd().split('\n')
  const ofServer = said.filter(line => !OF_STATEMENTS.test(line))
  return ofServer.slice(-lines).join('\n')
}
