// Filling tables by SQL, fast: their indexes are out of the way meanwhile and made again after, and
// what autovacuum and the next checkpoint would do in the middle of a measurement is done before
// it. Knows no table.
import { connect, type Sql } from '../src/db/connect.ts'
import { newId } from '../src/id.ts'
import { SUPERUSER } from '../src/postgres/cluster.ts'
import { NUMBER_DIGITS } from './load.ts'

/** One table, and the one statement that fills it: rows in order are soon sorted. */
export interface Filling {
  readonly table: string
  readonly insert: string
  /** Run before it in the same session. */
  readonly prepare?: string
}

/** Sessions side by side, each with a table of its own. */
const SESSIONS = 2

/** They are taken in this order: the longest should come first, or all wait for it at the end. */
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
  await settle(
    database_url,
    fillings.map(({ table }) => table),
  )
}

/** In one transaction, so that none of its indexes is missing whatever happens. */
async function fillTable(owner: Sql, { table, insert, prepare }: Filling): Promise<void> {
  await owner.begin(async tx => {
    // Sorting in memory: by default, most of the time goes into temporary files.
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
    // In the order they had: of two that cost the same, the planner takes the newest.
    for (const { constraint_name, definition } of indexes) {
      await (constraint_name === null
        ? tx.unsafe(definition)
        : tx.unsafe(`alter table ${table} ${definition}`))
    }
  })
}

interface Index {
  readonly name: string
  /** Of an index that belongs to a constraint. */
  readonly constraint_name: string | null
  readonly definition: string
}

/**
 * How ids of the service's form begin that end in a number of NUMBER_DIGITS: with the time, as the
 * service's own, but for its last digits.
 */
export function secondOfIds(): string {
  const id = newId('dep')
  return id.slice(id.indexOf('_') + 1, -NUMBER_DIGITS)
}

/** Vacuumed, known to the planner, and on disk. */
export async function settle(database_url: string, tables: readonly string[]): Promise<void> {
  const url = new URL(database_url)
  url.username = SUPERUSER
  const superuser = connect(url.href, { max: 1, as: 'owner' })
  try {
    await superuser`vacuum (analyze) ${superuser(tables)}`
    await superuser`checkpoint`
  } finally {
    await superuser.end({ timeout: 5 })
  }
}
