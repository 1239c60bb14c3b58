// Notices that the database is a copy: restored by whatever means, or promoted. Its rails are
// paused then, because they may have been given more than the copy knows.
import type { Sql, TransactionSql } from '../sql/connect.ts'
import {
  type Identity,
  noteIdentity,
  noteRestored,
  readIdentity,
  replaceIdentity,
} from './mark-store.ts'
import { pauseAll } from './row-store.ts'

const MEMBERS = {
  system: 'another cluster of PostgreSQL',
  database: 'another database of the cluster',
  timeline: 'another timeline: recovered to a point in time, or promoted',
  files: 'copied files of a cluster',
} as const

/** The difference from the noted database; '' for none. Pure. */
export function differenceOf(noted: Identity, now: Identity): string {
  const members = Object.keys(MEMBERS) as (keyof Identity)[]
  const differs = (name: keyof Identity) =>
    noted[name] !== '' && now[name] !== '' && noted[name] !== now[name]
  const name = members.find(differs)
  return name === undefined ? '' : MEMBERS[name]
}

/**
 * Pauses all rails if this database is not the noted one, and notes it. Returns the reason; '' for
 * the same database. `files` is '' for a database of the operator's own.
 */
export async function pauseIfRestored(sql: Sql, files: string): Promise<string> {
  return sql.begin(async tx => {
    const read = { ...(await readIdentity(tx)), files }
    const noted = await noteIdentity(tx, read)
    const difference = differenceOf(noted, read)
    if (difference === '') {
      if (noted.files === '' && files !== '') await replaceIdentity(tx, read)
      return ''
    }
    const reason = `restored (${difference}): compare it with what the rail has been given`
    await adopt(tx, read, reason)
    return reason
  })
}

/**
 * Whether this database is the noted one, for a transaction that is about to hand payouts over. A
 * process follows a promotion within a second, before it has looked and paused the rails.
 */
export async function isNoted(tx: TransactionSql): Promise<boolean> {
  const [row] = await tx<{ noted: Identity; now: Identity }[]>`
    select to_json(m) as noted,
      json_build_object('system', d.system, 'database', d.database, 'timeline', d.timeline,
        'files', m.files) as now
    from database_mark m cross join database_identity() d`
  return row === undefined || differenceOf(row.noted, row.now) === ''
}

/** Pauses all rails of a database that was just restored, and notes which it is. */
export async function pauseRestored(sql: Sql, files: string, reason: string): Promise<void> {
  await sql.begin(async tx => {
    const read = { ...(await readIdentity(tx)), files }
    await noteIdentity(tx, read)
    await adopt(tx, read, reason)
  })
}

async function adopt(tx: TransactionSql, read: Identity, reason: string): Promise<void> {
  await replaceIdentity(tx, read)
  await pauseAll(tx as unknown as Sql, reason)
  await noteRestored(tx)
}
