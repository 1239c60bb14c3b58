// Shares the embedded PostgreSQL among processes: the first one starts it, the last stops it.
import * as fs from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { explainFolder } from '../sql/explain.ts'
import { DatabaseProblem } from '../sql/failure.ts'
import { openPool, type Sql } from '../sql/pool.ts'
import { waitAtMost } from '../values/event-loop.ts'
import { findCluster, OWNER, readPassword, SUPERUSER } from './cluster.ts'
import { codeOf, ignoring, makePlace, type Place } from './place.ts'
import { ensureRunning, findPostmaster, logTail, START_TIMEOUT_S, stopServer } from './server.ts'

const ANSWER_TIMEOUT_S = 5
/** Must never change: processes of two versions may share a server. */
const ATTACH_KEY = 726_773_001

/** Keeps the server running by a shared advisory lock on ATTACH_KEY. */
interface Attachment {
  readonly sql: Sql
  readonly port: number
  readonly folder: string
  readonly by_socket: boolean
  /** The database's URL, as its owner. */
  readonly url: string
}

export interface EmbeddedServer {
  /** URL of the `corridor` database, with its owner's password. Valid until release. */
  readonly url: string
  readonly created: boolean
  /** The last process stops the server. Idempotent. Takes at most about 45 s. Never rejects. */
  release(): Promise<void>
}

interface EmbeddedOptions {
  readonly data_dir: string
  /** Whether to create a missing cluster; true by default. */
  readonly create?: boolean
  readonly log?: (line: string) => void
}

/**
 * Creates and starts the server if needed. Processes may share the folder if they run on one
 * machine and see each other's process ids (one container). @throws DatabaseProblem with the last
 * lines of postgres.log when no server answers within START_TIMEOUT_S
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
    `there is no database in ${data_dir}: run "corridor start" to make one there, or set ` +
      'CORRIDOR_DATA or DATABASE_URL to the one you mean',
  )
}

async function openPlace(place: Place): Promise<EmbeddedServer> {
  let released: Promise<void> | undefined
  let reattached: Promise<void> | undefined
  const onLost = () => {
    if (!released) reattached = reattach()
  }

  // Otherwise another process that detaches would stop the server while this one uses it.
  async function reattach(): Promise<void> {
    place.log('embedded PostgreSQL ended our session: attaching again')
    while (!released) {
      try {
        const next = await attach(place, onLost)
        if (typeof next === 'object') {
          await attachment.sql.end({ timeout: 0 })
          // The service's pools keep the old port or socket.
          const moved = next.port !== attachment.port || (attachment.by_socket && !next.by_socket)
          if (moved) place.log('embedded PostgreSQL has a new address: restart this process')
          attachment = next
          return
        }
        if ((await ensureRunning(place, true)) === 'nothing') await delay(250)
      } catch (error) {
        place.log(`embedded PostgreSQL cannot be attached again: ${(error as Error).message}`)
        await delay(1000)
      }
    }
  }

  async function detachOnce(): Promise<void> {
    await reattached
    await detach(place, attachment)
  }

  let { attachment, created } = await attachOrStart(place, onLost)
  return {
    url: attachment.url,
    created,
    release() {
      released ??= detachOnce().catch(error =>
        place.log(`leaving embedded PostgreSQL: ${(error as Error).message}`),
      )
      return released
    },
  }
}

/** Alternates, because another process may stop or start the server in between. */
async function attachOrStart(place: Place, onLost: () => void) {
  const deadline = Date.now() + START_TIMEOUT_S * 1000
  let created = false
  for (;;) {
    const attachment = await attach(place, onLost)
    if (typeof attachment === 'object') return { attachment, created }
    if (Date.now() > deadline) {
      const why = `${attachment}\n${await logTail(place)}`
      throw new DatabaseProblem(`no session with embedded PostgreSQL in ${place.data_dir}: ${why}`)
    }
    const did = await ensureRunning(place, false)
    created ||= did === 'created'
    if (did === 'nothing') await delay(25)
  }
}

/** The reason why it cannot attach, as text. */
async function attach(place: Place, onLost: () => void): Promise<Attachment | string> {
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
  let attached = false
  // One connection that is never replaced: its lock ends with its session.
  const sql = openPool(as_superuser.href, {
    max: 1,
    connect_timeout: ANSWER_TIMEOUT_S,
    application_name: 'corridor seat',
    onclose: () => {
      if (attached) onLost()
      attached = false
    },
  })
  try {
    // Does not wait: the holder of the exclusive lock is about to stop the server.
    const [row] = await sql`select pg_try_advisory_lock_shared(${ATTACH_KEY}) as taken`
    // The lock may be free because the shutdown has already ended its holder's session.
    const now = await findPostmaster(folder)
    attached = row?.taken === true && now?.pid === pid && !now.stopping
    if (attached) return { sql, port, folder, by_socket: server.socket, url: url.href }
    await sql.end({ timeout: 1 })
    return 'the server is being stopped by another process'
  } catch (error) {
    await sql.end({ timeout: 0 }).catch(() => {})
    const { message } = error as Error
    // Waiting does not help against class 28, wrong password, or 3D, no such database.
    if (!/^(28|3D)/.test(String(codeOf(error)))) return message
    throw new DatabaseProblem(`embedded PostgreSQL in ${folder} refuses us: ${message}`)
  }
}

/** Stops the server if no other process is attached. */
async function detach(place: Place, { sql, folder }: Attachment): Promise<void> {
  const becomeAlone = async () => {
    await sql`select pg_advisory_unlock_shared(${ATTACH_KEY})`
    const [row] = await sql`select pg_try_advisory_lock(${ATTACH_KEY}) as alone`
    return row?.alone === true
  }
  try {
    // A server that refuses or does not answer is stopping or dead already.
    const is_alone = becomeAlone().catch(() => false)
    if (await waitAtMost(ANSWER_TIMEOUT_S * 1000, is_alone)) await stopServer(place, folder)
  } finally {
    await sql.end({ timeout: 0 }).catch(() => {})
  }
}
