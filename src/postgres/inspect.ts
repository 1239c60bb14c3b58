// Inspects the operator's own database before the service uses it. Makes no settings: a pooler may
// share the session, and its next client would inherit them.
import { setTimeout as delay } from 'node:timers/promises'
import { explainServer } from '../sql/explain.ts'
import { DatabaseProblem, isConnectionLost } from '../sql/failure.ts'
import { openPool, type Sql } from '../sql/pool.ts'

const OLDEST_VERSION = 150_000
const CONNECT_TIMEOUT_S = 5
/** How long statements may wait at a pooler for a connection to the server. */
const POOLER_TIMEOUT_MS = 5_000
const ROUNDS = 8

/** @throws DatabaseProblem with one sentence that names a way out */
export async function inspectDatabase(url: string): Promise<void> {
  const sessions = [openSession(url), openSession(url), openSession(url)] as const
  try {
    const greeting = await greet(sessions[0])
    refuseOld(greeting)
    // When a connection starts, a server sends the id of its process; a pooler sends another id.
    if (greeting.pid !== greeting.announced_pid) await refuseSharedSessions(sessions)
  } catch (error) {
    throw explainServer(url, error)
  } finally {
    await Promise.all(sessions.map(session => session.end({ timeout: 0 })))
  }
}

function openSession(url: string): Sql {
  return openPool(url, {
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_S,
    application_name: 'corridor inspects',
    session: [],
  })
}

interface Greeting {
  readonly pid: number
  readonly version: number
  readonly name: string
  /** The process id that was sent when the connection began. */
  readonly announced_pid: number
}

async function greet(sql: Sql): Promise<Greeting> {
  const session = await sql.reserve()
  try {
    const [row] = await session.unsafe<Omit<Greeting, 'announced_pid'>[]>(
      `select pg_backend_pid() as pid, current_setting('server_version_num')::int as version,
        current_setting('server_version') as name`,
    )
    if (row === undefined) throw new Error('no answer from the database')
    return { ...row, announced_pid: session.pid }
  } finally {
    session.release()
  }
}

function refuseOld({ version, name }: Greeting): void {
  if (version >= OLDEST_VERSION) return
  throw new DatabaseProblem(
    `the database is PostgreSQL ${name}, and Corridor needs 15 or newer: upgrade it by ` +
      'pg_upgrade, or name another by DATABASE_URL',
  )
}

async function refuseSharedSessions(sessions: readonly Sql[]): Promise<void> {
  const checked = keepProcesses(sessions)
  checked.catch(() => {})
  const late = delay(POOLER_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new DatabaseProblem(
      `the pooler at DATABASE_URL has no room for ${sessions.length} sessions: raise its ` +
        'default_pool_size to what docs/operations.md counts for a process',
    )
  })
  const kept = await Promise.race([checked, late]).catch(error => {
    // PgBouncer in statement mode closes the connection when a transaction begins.
    throw isConnectionLost(error) ? sharedSessions() : error
  })
  if (!kept) throw sharedSessions()
}

/**
 * Begins a transaction on every session, in several rounds and orders: a pooler that assigns
 * processes by transaction gives some session a different one.
 */
async function keepProcesses(sessions: readonly Sql[]): Promise<boolean> {
  const pids = new Map<Sql, number>()
  for (let round = 0; round < ROUNDS; round++) {
    const first = round % sessions.length
    for (const session of [...sessions.slice(first), ...sessions.slice(0, first)]) {
      await session.unsafe('begin')
      const [row] = await session.unsafe<{ pid: number }[]>('select pg_backend_pid() as pid')
      const pid = row?.pid ?? 0
      if ((pids.get(session) ?? pid) !== pid) return false
      pids.set(session, pid)
    }
    if (new Set(pids.values()).size < sessions.length) return false
    await Promise.all(sessions.map(session => session.unsafe('commit')))
  }
  return true
}

function sharedSessions(): DatabaseProblem {
  return new DatabaseProblem(
    'the pooler at DATABASE_URL hands sessions of the server around, and Corridor keeps roles, ' +
      'locks and notifications in them: set pool_mode = session for this database (PgBouncer), ' +
      'or name the server itself',
  )
}
