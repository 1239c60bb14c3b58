// Forward-only migrations: raw SQL files in order, each in its own transaction, each recorded with
// the hash of its text so that an edited one is noticed. One migrator at a time, held by an
// advisory lock.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { Sql, TransactionSql } from './connect.ts'

const MIGRATIONS = new URL('../../migrations/', import.meta.url)
const MIGRATE_LOCK = 7_210_001

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
      return { name, text, hash: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/** Applies what is missing; returns the names applied. Refuses when a recorded file has changed. */
export async function migrate(owner: Sql): Promise<string[]> {
  const applied: string[] = []
  for (const migration of await readMigrations()) {
    if (await owner.begin(tx => applyOnce(tx, migration))) applied.push(migration.name)
  }
  return applied
}

/** The file and its record stand or fall together; whoever comes second finds it recorded. */
async function applyOnce(tx: TransactionSql, { name, text, hash }: Migration): Promise<boolean> {
  // Another process may be migrating; tables are waited for only as long as requests can bear.
  await tx`set local lock_timeout = '60s'`
  await tx`select pg_advisory_xact_lock(${MIGRATE_LOCK}::int)`
  await tx`set local lock_timeout = '2s'`
  await tx`create table if not exists schema_migrations (
    name text primary key, hash text not null, applied_at timestamptz not null default now()
  )`
  const [known] = await tx<{ hash: string }[]>`
    select hash from schema_migrations where name = ${name}`
  if (known?.hash === hash) return false
  if (known !== undefined) throw new Error(`migration ${name} was changed after it was applied`)
  await tx.unsafe(text)
  await tx`insert into schema_migrations (name, hash) values (${name}, ${hash})`
  return true
}

/**
 * Names of migrations this code has and the database lacks; the service does not start over them.
 */
export async function pendingMigrations(sql: Sql): Promise<string[]> {
  const [table] = await sql`select to_regclass('schema_migrations') is not null as found`
  const names =
    table?.found === true ? await sql<{ name: string }[]>`select name from schema_migrations` : []
  const recorded = new Set(names.map(row => row.name))
  return (await readMigrations()).map(m => m.name).filter(name => !recorded.has(name))
}
