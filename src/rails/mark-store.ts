// The SQL statements of database_mark: which database this is, as the service has noted it.
import type { Sql, TransactionSql } from '../sql/connect.ts'

/** '' is "not known". */
export interface Identity {
  readonly system: string
  readonly database: string
  readonly timeline: string
  readonly files: string
}

/** The database as its server describes it. */
export async function readIdentity(tx: TransactionSql): Promise<Omit<Identity, 'files'>> {
  const [row] = await tx<Omit<Identity, 'files'>[]>`
    select system, database, timeline from database_identity()`
  if (row === undefined) throw new Error('the database does not say which it is')
  return row
}

/** Notes the identity at the first look; returns the earlier one. Locks the row. */
export async function noteIdentity(tx: TransactionSql, now: Identity): Promise<Identity> {
  await tx`
    insert into database_mark (system, database, timeline, files)
    values (${now.system}, ${now.database}, ${now.timeline}, ${now.files})
    on conflict do nothing`
  const [row] = await tx<Identity[]>`
    select system, database, timeline, files from database_mark for update`
  return row ?? now
}

export async function replaceIdentity(tx: TransactionSql, now: Identity): Promise<void> {
  await tx`
    update database_mark set system = ${now.system}, database = ${now.database},
      timeline = ${now.timeline}, files = ${now.files}, noted_at = clock_timestamp()`
}

/** Has each rail compared with its bank's mark: files may have been offered that are not known. */
export async function noteRestored(sql: Sql | TransactionSql): Promise<void> {
  await sql`
    insert into rail_exchanges as e (rail, restored)
    select name, true from rails where kind <> 'manual'
    on conflict (rail) do update set restored = true`
}
