// Shares the embedded PostgreSQL among the processes of one machine: each holds a seat, the first
// one starts the server, and the last one to leave stops it.
import * as fs from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { explainFolder } from '../db/explain.ts'
import { DatabaseProblem } from '../db/failure.ts'
import { openPool, type Sql } from '../db/pool.ts'
import { waitAtMost } from '../turns.ts'
import { findCluster, OWNER, readPassword, SUPERUSER } from './cluster.ts'
import { codeOf, ignoring, makePlace, type Place } from './place.ts'
import { ensureRunning, findPostmaster, logTail, START_TIMEOUT_S, stopServer } from './server.ts'

const ANSWER_TIMEOUT_S = 5
/** Must never change: processes of two versions may share a server. */
const SEAT_KEY = 726_773_001

/** A session that keeps the server running, by a shared advisory lock on SEAT_KEY. */
interface Seat {
  readonly sql: Sql
  readonly port: number
  readonly folder: string
  readonly by_socket: boolean
  /** For the owner of the database. */
  readonly url: string
}

export interface EmbeddedServer {
  /** URL of the `corridor` database, with its owner's password. Valid until release. */
  readonly url: string
  /** Whether this call created the cluster. */
  readonly created: boolean
  /**
   * Gives the seat up; the last process to leave stops the server by a fast shutdown. Idempotent.
   * Takes at most about 45 s, after a pending restart has ended. Never rejects: logs failures.
   */
  release(): Promise<void>
}

interface EmbeddedOptions {
  readonly data_dir: string
  /** Whether to create a cluster where there is none; true by default. */
  readonly create?: boolean
  readonly log?: (line: string) => void
}

/**
 * Attaches to the server of a data folder; creates and starts it if needed. Processes may share the
 * folder if they run on one machine and see each other's process ids (one container).
 * @param options.data_dir holds `postgres` (the cluster, or a link to it) and `postgres.log`;
 * created if absent
 * @param options.log receives one-line messages for the operator
 * @throws DatabaseProblem with the last lines of postgres.log when no server answers within
 * START_TIMEOUT_S
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { data_dir, create = true, log = () => {} } = options
  try {
    if (!create) await refuseWithoutCluster(data_dir)
    return await openPlace(await makePlace(data_dir, log))
  } catch (error) {
    throw explainFolder(data_dir, error)
  }
}

/** Refuses a folder without a cluster and creates nothing: the caller may mean another folder. */
async function refuseWithoutCluster(data_dir: string): Promise<void> {
  const path = await fs.realpath(data_dir).catch(ignoring('ENOENT'))
  const found = path && (await findCluster({ data_dir: path }))
  if (found) return
  throw new DatabaseProblem(
    `there is no database in ${data_dir}: run "npx corridor start" to make one there, or set ` +
      'CORRIDOR_DATA or DATABASE_URL to the one you mean',
  )
}

async function openPlace(place: Place): Promise<EmbeddedServer> {
  let released: Promise<void> | undefined
  let retaken: Promise<void> | undefined
  const onLost = () => {
    if (!released) retaken = retake()
  }

  // Takes a lost seat again, and restarts a crashed server on its old port. Without a seat, another
  // process that leaves would stop the server while this one uses it.
  async function retake(): Promise<void> {
    place.log('embedded PostgreSQL ended our session: attaching again')
    while (!released) {
      try {
        const next = await attach(place, onLost)
        if (typeof next === 'object') {
          await seat.sql.end({ timeout: 0 })
          // Connections that use its port still can; the socket may be gone.
          const moved = next.port !== seat.port || (seat.by_socket && !next.by_socket)
          if (moved) place.log('embedded PostgreSQL has moved: restart me')
          seat = next
          return
        }
        if ((await ensureRunning(place, true)) === 'nothing') await delay(250)
      } catch (error) {
        place.log(`embedded PostgreSQL cannot be attached again: ${(error as Error).message}`)
        await delay(1000)
      }
    }
  }

  async function leaveOnce(): Promise<void> {
    await retaken
    await leave(place, seat)
  }

  let { seat, created } = await takeSeat(place, onLost)
  return {
    url: seat.url,
    created,
    release() {
      released ??= leaveOnce().catch(error =>
        place.log(`leaving embedded PostgreSQL: ${(error as Error).message}`),
      )
      return released
    },
  }
}

/**
 * Alternates between attaching and starting the server until it has a seat: in between, another
 * process may stop or start the server.
 */
async function takeSeat(place: Place, onLost: () => void) {
  const deadline = Date.now() + START_TIMEOUT_S * 1000
  let created = false
  for (;;) {
    const seat = await attach(place, onLost)
    if (typeof seat === 'object') return { seat, created }
    if (Date.now() > deadline) {
      const why = `${seat}\n${await logTail(place)}`
      throw new DatabaseProblem(`no session with embedded PostgreSQL in ${place.data_dir}: ${why}`)
    }
    const did = await ensureRunning(place, false)
    created ||= did === 'created'
    if (did === 'nothing') await delay(25)
  }
}

/** Returns a seat, or the reason why there is none. */
async function attach(place: Place, onLost: () => void): Promise<Seat | string> {
  const folder = await findCluster(place)
  const server = folder ? await findPostmaster(folder) : undefined
  if (!folder || !server?.alive || !server.listening) return 'no server came up'
  const { port, pid } = server
  const url = new URL(`postgres://${OWNER}@127.0.0.1:${port}/${OWNER}`)
  url.password = await readPassword(folder)
  // Uses the Unix socket, which costs less than TCP.
  if (server.socket) url.searchParams.set('host', folder)
  const as_superuser = new URL(url)
  as_superuser.username = SUPERUSER
  let seated = false
  // One connection that is never renewed: its lock ends with its session.
  const sql = openPool(as_superuser.href, {
    max: 1,
    connect_timeout: ANSWER_TIMEOUT_S,
    application_name: 'corridor seat',
    onclose: () => {
      if (seated) onLost()
      seated = false
    },
  })
  try {
    // Does not wait: the holder of the exclusive lock is about to stop the server.
    const [row] = await sql`select pg_try_advisory_lock_shared(${SEAT_KEY}) as taken`
    // The lock may be free because the shutdown has already ended its holder's session.
    const now = await findPostmaster(folder)
    seated = row?.taken === true && now?.pid === pid && !now.stopping
    if (seated) return { sql, port, folder, by_socket: server.socket, url: url.href }
    await sql.end({ timeout: 1 })
    return 'the server is being stopped by another process'
  } catch (error) {
    await sql.end({ timeout: 0 }).catch(() => {})
    const { message } = error as Error
    // Class 28, wrong password, and 3D, no such database, do not pass with time.
    if (!/^(28|3D)/.test(String(codeOf(error)))) return message
    throw new DatabaseProblem(`embedded PostgreSQL in ${folder} refuses us: ${message}`)
  }
}

/** Gives the seat up, and stops the server if no other process has one. */
async function leave(place: Place, { sql, folder }: Seat): Promise<void> {
  const askAlone = async () => {
    await sql`select pg_advisory_unlock_shared(${SEAT_KEY})`
    const [row] = await sql`select pg_try_advisory_lock(${SEAT_KEY}) as alone`
    return row?.alone === true
  }
  try {
    // A server that refuses or does not answer is stopping or dead already.
    const alone = askAlone().catch(() => false)
    if (await waitAtMost(ANSWER_TIMEOUT_S * 1000, alone)) await stopServer(place, folder)
  } finally {
    await sql.end({ timeout: 0 }).catch(() => {})
  }
}
