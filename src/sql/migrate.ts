// Forward-only migrations: SQL files applied in order, each recorded with the hash of its text, so
// that a changed file is noticed. Each runs in a transaction of its own, except those that build
// indexes beside writers. An advisory lock lets one process migrate at a time.
import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { SESSION_ROLES, type Sql } from './connect.ts'
import { classify, DatabaseProblem, isConnectionLost } from './failure.ts'

const MIGRATIONS = new URL('../../migrations/', import.meta.url)
const MIGRATE_LOCK = 7_210_001
/** How long a process waits while another one migrates. Building an index may take many minutes. */
const LOCK_WITHIN_MS = 3_600_000
const ASK_AGAIN_MS = 100
/** PostgreSQL, appendix A. */
const INSUFFICIENT_PRIVILEGE = '42501'

/** The first line of a migration without a transaction; CONTRIBUTING.md says what may follow. */
const WITHOUT_TRANSACTION = '-- without a transaction'
/**
 * Begins a line of the comment that a migration begins with: the former version may run on it, as
 * it adds only what that version neither reads nor has to write.
 */
const ADDITIVE = '-- additive'
/** A statement that builds an index, and the name of the index. */
const INDEX = /^create (?:unique )?index concurrently if not exists (\w+)\s+on\s/
/** Other statements that may follow: drop an index, or call a procedure that commits by itself. */
const REPEATABLE = /^(?:drop index concurrently if exists \w+|call \w+\(\))$/

/** The connection that holds the lock and runs all statements. */
type Session = Awaited<ReturnType<Sql['reserve']>>

export interface Migration {
  readonly name: string
  readonly text: string
  readonly hash: string
}

/** All migrations of this version of the code, in order. */
export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(MIGRATIONS)).filter(name => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async name => {
      const text = await readFile(new URL(name, MIGRATIONS), 'utf8')
      return { name, text, hash: hash('sha256', text, 'hex') }
    }),
  )
}

/**
 * Applies the missing migrations and returns their names.
 * @throws DatabaseProblem with nothing applied, when a recorded file has changed or is unknown;
 *   with nothing of that file applied, when another session holds a table too long
 */
export async function migrate(owner: Sql, wanted?: readonly Migration[]): Promise<string[]> {
  const migrations = wanted ?? (await readMigrations())
  const session = await owner.reserve()
  try {
    await lockMigrations(session)
    if (!(await isMigrated(session))) await createRecordTable(session)
    const recorded = await readRecorded(session)
    refuseMismatch(recorded, migrations)
    const pending = migrations.filter(({ name }) => !recorded.has(name))
    for (const migration of pending) await apply(session, migration)
    await refuseWithoutRoles(session)
    await unlockMigrations(session)
    return pending.map(({ name }) => name)
  } catch (error) {
    const explained = await cleanUp(error, () => explainDenied(session, error))
    await cleanUp(error, () => unlockMigrations(session))
    throw explained ?? error
  } finally {
    session.release()
  }
}

/**
 * Explains what an administrator must grant a log-in that may not create roles or tables. Returns
 * any other error unchanged.
 */
async function explainDenied(session: Session, error: unknown): Promise<unknown> {
  const { code, message } = error as { code?: string; message?: string }
  if (code !== INSUFFICIENT_PRIVILEGE) return error
  const [row] = await session<{ login: string; database: string }[]>`
    select quote_ident(current_user) as login, quote_ident(current_database()) as database`
  const { login = '', database = '' } = row ?? {}
  return new DatabaseProblem(
    `the user ${login} of DATABASE_URL may not migrate (${message}): let an administrator run ` +
      `"alter database ${database} owner to ${login}; alter role ${login} createrole", and run ` +
      'it again',
    { cause: error },
  )
}

/** Called only when the table is missing: a log-in may lack the right to create any table. */
async function createRecordTable(session: Session): Promise<void> {
  await session`create table schema_migrations (
    name text primary key, hash text not null, applied_at timestamptz not null default now(),
    additive boolean not null default false
  )`
}

/**
 * Refuses when a role is missing, or the log-in is no member of one. Roles belong to the whole
 * server: another database's owner may have created them.
 */
async function refuseWithoutRoles(session: Sql | Session): Promise<void> {
  const lacking = await session<{ role: string; login: string; missing: boolean }[]>`
    select wanted.role, quote_ident(current_user) as login, found.oid is null as missing
    from unnest(${[...SESSION_ROLES]}::text[]) as wanted (role)
    left join pg_roles found on found.rolname = wanted.role
    where found.oid is null or not pg_has_role(found.oid, 'MEMBER')
    order by wanted.role`
  const [first] = lacking
  if (first === undefined) return
  const { login } = first
  const absent = lacking.filter(({ missing }) => missing).map(({ role }) => role)
  if (absent.length > 0) {
    throw new DatabaseProblem(
      `the server has no role ${absent.join(', ')}, as after a restore without its roles: put ` +
        'back what pg_dumpall --globals-only wrote, and then the database again',
    )
  }
  const roles = lacking.map(({ role }) => role).join(', ')
  throw new DatabaseProblem(
    `${login} may not act as ${roles}: let an administrator run "grant ${roles} to ${login}"`,
  )
}

async function unlockMigrations(session: Session): Promise<void> {
  await session`select pg_advisory_unlock(${MIGRATE_LOCK}::int)`
}

/** Runs `work` after an error. A lost session needs none: its lock and transaction are gone. */
async function cleanUp<T>(error: unknown, work: () => Promise<T>): Promise<T | undefined> {
  return isConnectionLost(error) ? undefined : work().catch(() => undefined)
}

/**
 * Polls for the lock. Waiting for it inside a statement would hold a snapshot, which a concurrent
 * index build of the lock's holder would wait for.
 */
async function lockMigrations(session: Session): Promise<void> {
  const give_up_at = Date.now() + LOCK_WITHIN_MS
  for (;;) {
    const [row] = await session<{ locked: boolean }[]>`
      select pg_try_advisory_lock(${MIGRATE_LOCK}::int) as locked`
    if (row?.locked === true) return
    if (Date.now() > give_up_at) {
      throw new DatabaseProblem('another process is still migrating this database: try again later')
    }
    await delay(ASK_AGAIN_MS)
  }
}

async function apply(session: Session, migration: Migration): Promise<void> {
  try {
    if (migration.text.startsWith(WITHOUT_TRANSACTION)) await applyBesideWriters(session, migration)
    else await applyInTransaction(session, migration)
  } catch (error) {
    if (classify(error) !== 'contention') throw error
    const why = 'something else held a table for longer than requests can wait'
    throw new DatabaseProblem(
      `migration ${migration.name} was not applied, as ${why}: run it again`,
    )
  }
}

/** Applies and records the file in one transaction. */
async function applyInTransaction(session: Session, migration: Migration): Promise<void> {
  await session`begin`
  try {
    // Requests wait behind a migration that waits for a table lock.
    await session`set local lock_timeout = '2s'`
    await session.unsafe(migration.text)
    await record(session, migration)
    await session`commit`
  } catch (error) {
    await cleanUp(error, () => session`rollback`)
    throw error
  }
}

/** Applies a file beside writers. Each of its statements can be repeated. */
async function applyBesideWriters(session: Session, migration: Migration): Promise<void> {
  // Unlike a table lock, a wait for older transactions delays no request.
  await session`set lock_timeout = 0`
  try {
    for (const { index, statement } of statementsOf(migration)) {
      // Drops the index of an unfinished build: every write maintains it, and no read uses it.
      const [invalid] = await session`
        select from pg_index where indexrelid = to_regclass(${index}) and not indisvalid`
      if (invalid !== undefined) await session.unsafe(`drop index concurrently ${index}`)
      await session.unsafe(statement)
    }
    await record(session, migration)
    await session`reset lock_timeout`
  } catch (error) {
    await cleanUp(error, () => session`reset lock_timeout`)
    throw error
  }
}

/** A statement that can be repeated; `index` is the index that it builds, null for none. */
interface Repeatable {
  readonly index: string | null
  readonly statement: string
}

/** The statements of a migration without a transaction. Refuses any other kind of statement. */
export function statementsOf({ name, text }: Migration): Repeatable[] {
  const statements = text
    .replace(/--.*$/gm, '')
    .split(';')
    .map(statement => statement.trim())
    .filter(statement => statement !== '')
  return statements.map(statement => {
    const index = INDEX.exec(statement)?.[1] ?? null
    if (index === null && !REPEATABLE.test(statement)) {
      throw new Error(`${name} may only build or drop indexes, or call procedures: ${statement}`)
    }
    return { index, statement }
  })
}

async function record(session: Session, { name, text, hash }: Migration): Promise<void> {
  const [comment = ''] = /^(?:\s*--.*\n)*/.exec(text) ?? []
  const additive = comment.split('\n').some(line => line.trim().startsWith(ADDITIVE))
  await session`insert into schema_migrations (name, hash, additive)
    values (${name}, ${hash}, ${additive})`
}

/** Names of the migrations that the database lacks. */
export async function pendingMigrations(sql: Sql): Promise<string[]> {
  return pendingOf(await findRecorded(sql), await readMigrations())
}

function pendingOf(recorded: Recorded, migrations: readonly Migration[]): string[] {
  return migrations.map(({ name }) => name).filter(name => !recorded.has(name))
}

/** @throws DatabaseProblem when the database has no schema of Corridor */
export async function refuseWithoutSchema(sql: Sql): Promise<void> {
  if (await isMigrated(sql)) return
  throw new DatabaseProblem(
    'the database has no tables of Corridor: run "corridor start" or "corridor migrate" ' +
      'to make them, or set DATABASE_URL or CORRIDOR_DATA to the database you mean',
  )
}

/** @throws DatabaseProblem when this version or this log-in cannot work with the database */
export async function refuseUnready(sql: Sql): Promise<void> {
  await refuseWithoutRoles(sql)
  const [recorded, migrations] = [await findRecorded(sql), await readMigrations()]
  refuseMismatch(recorded, migrations)
  const pending = pendingOf(recorded, migrations)
  if (pending.length === 0) return
  throw new DatabaseProblem(`the database lacks ${pending.join(', ')}: run corridor migrate`)
}

/**
 * Refuses a recorded migration whose file has changed. Refuses one that this version does not know,
 * unless it is additive: an operator then may go back from a newer version to this one.
 */
function refuseMismatch(recorded: Recorded, migrations: readonly Migration[]): void {
  const known = new Map(migrations.map(({ name, hash }) => [name, hash]))
  for (const [name, { hash, additive }] of recorded) {
    if (known.get(name) === hash || (additive && !known.has(name))) continue
    if (known.has(name)) {
      throw new DatabaseProblem(
        `migration ${name} was changed after it was applied: install the version that applied it`,
      )
    }
    const newer = 'it has been migrated by a newer version: run that one, or restore its backup'
    throw new DatabaseProblem(
      `the database has migration ${name}, unknown to this version: ${newer}`,
    )
  }
}

/** Applied migrations, by name. */
type Recorded = ReadonlyMap<string, { readonly hash: string; readonly additive: boolean }>

async function findRecorded(sql: Sql): Promise<Recorded> {
  return (await isMigrated(sql)) ? readRecorded(sql) : new Map()
}

async function isMigrated(sql: Sql | Session): Promise<boolean> {
  const [table] = await sql`select to_regclass('schema_migrations') is not null as found`
  return table?.found === true
}

/** @throws DatabaseProblem when a version before 0.1.0 has made the table of migrations */
async function readRecorded(sql: Sql | Session): Promise<Recorded> {
  const [column] = await sql`
    select from pg_attribute
    where attrelid = to_regclass('schema_migrations') and attname = 'additive'`
  if (column === undefined) {
    throw new DatabaseProblem(
      'the database is of a version before 0.1.0, whose migrations were replaced: run that ' +
        'version, or set DATABASE_URL or CORRIDOR_DATA to a new database',
    )
  }
  const rows = await sql<{ name: string; hash: string; additive: boolean }[]>`
    select name, hash, additive from schema_migrations order by name`
  return new Map(rows.map(({ name, ...row }) => [name, row]))
}
