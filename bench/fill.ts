// Fills tables by SQL, fast: drops their indexes and creates them again afterwards, and then
// vacuums and checkpoints, so that neither happens in the middle of a measurement. Knows no table.
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { connect, type Sql } from '../src/sql/connect.ts'
import { newId } from '../src/values/id.ts'
import { asSuperuser } from './database.ts'
import { NUMBER_DIGITS } from './load.ts'
import { say } from './report.ts'

/** A table and the statement that fills it, best in the order of its indexes. */
export interface Filling {
  readonly table: string
  readonly insert: string
  /** A statement to run before `insert` in the same transaction. */
  readonly prepare?: string
}

/** How many sessions fill tables side by side, one table each. */
const SESSIONS = 2

/** Fills the tables in this order; those that take longest should come first. */
export async function fillTables(
  database_url: string,
  fillings: readonly Filling[],
): Promise<void> {
  const owner = connect(database_url, { max: SESSIONS, as: 'owner' })
  try {
    const waiting = [...fillings]
    await Promise.all(
      Array.from({ length: SESSIONS }, async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          await fillTable(owner, next)
        }
      }),
    )
  } finally {
    await owner.end({ timeout: 5 })
  }
  await vacuumTables(
    database_url,
    fillings.map(({ table }) => table),
  )
}

/** Fills a table in one transaction, so that no failure loses an index. */
async function fillTable(owner: Sql, { table, insert, prepare }: Filling): Promise<void> {
  await owner.begin(async tx => {
    // Sorts in memory: by default, most of the time goes into temporary files.
    await tx`set local maintenance_work_mem = '512MB'`
    const indexes = await tx<Index[]>`
      select c.conname as constraint_name, i.indexrelid::regclass::text as name,
        coalesce('add constraint ' || quote_ident(c.conname) || ' ' || pg_get_constraintdef(c.oid),
          pg_get_indexdef(i.indexrelid)) as definition
      from pg_index i
      left join pg_constraint c on c.conindid = i.indexrelid
      where i.indrelid = ${table}::regclass
      order by i.indexrelid`
    for (const { name, constraint_name } of indexes) {
      await (constraint_name === null
        ? tx`drop index ${tx(name)}`
        : tx`alter table ${tx(table)} drop constraint ${tx(constraint_name)}`)
    }
    if (prepare !== undefined) await tx.unsafe(prepare)
    await tx.unsafe(insert)
    // In the original order: of two indexes with equal costs, the planner prefers the newest.
    for (const { constraint_name, definition } of indexes) {
      await (constraint_name === null
        ? tx.unsafe(definition)
        : tx.unsafe(`alter table ${table} ${definition}`))
    }
  })
}

interface Index {
  readonly name: string
  /** The constraint that the index belongs to; null for a plain index. */
  readonly constraint_name: string | null
  readonly definition: string
}

/**
 * The part of a new id after its prefix and before its last NUMBER_DIGITS characters: it holds the
 * current time.
 */
export function timePartOfIds(): string {
  const id = newId('dep')
  return id.slice(id.indexOf('_') + 1, -NUMBER_DIGITS)
}

/** Vacuums and analyzes the tables, and writes them to disk. */
export async function vacuumTables(database_url: string, tables: readonly string[]): Promise<void> {
  await asSuperuser(database_url, async sql => {
    await sql`vacuum (analyze) ${sql(tables)}`
    await sql`checkpoint`
  })
}

/** Throws unless the folder for temporary files has `needed` bytes free. */
export async function checkSpace(needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir())
  const free = bavail * bsize
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
  const words = `${gigabytes(needed)} needed in ${tmpdir()}, ${gigabytes(free)} free`
  if (needed > free) throw new Error(`not enough space: ${words}; TMPDIR names another place`)
  say(words)
}
