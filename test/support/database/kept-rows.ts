// Rows of a whole database as text, and back: the database of a release, kept for tests of upgrades.
import type { Sql, TransactionSql } from '../../../src/sql/connect.ts'
import { literal } from '../../../src/sql/connect.ts'

interface KeptTable {
  readonly name: string
  /** Names and types of columns. */
  readonly columns: readonly (readonly [name: string, type: string])[]
  /** Values as PostgreSQL writes them. */
  readonly rows: readonly (readonly (string | null)[])[]
}

export interface KeptRows {
  readonly tables: readonly KeptTable[]
  /** The last value of each sequence; null for one that has given none. */
  readonly sequences: Readonly<Record<string, string | null>>
}

/** Migrations write their own table. */
const OF_MIGRATIONS = 'schema_migrations'

export async function keepRows(sql: Sql): Promise<KeptRows> {
  const columns = await sql<{ table: string; columns: KeptTable['columns'] }[]>`
    select c.relname as table, json_agg(json_build_array(a.attname,
      format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0
      and not a.attisdropped and a.attgenerated = '' and c.relname <> ${OF_MIGRATIONS}
    group by 1 order by 1`
  const tables: KeptTable[] = []
  for (const { table: name, columns: kept } of columns) {
    const values = kept.map(([column]) => `"${column}"::text`).join(', ')
    const rows = await sql.unsafe<{ row: (string | null)[] }[]>(
      `select json_build_array(${values}) as row from "${name}" t order by t::text`,
    )
    if (rows.length > 0) tables.push({ name, columns: kept, rows: rows.map(({ row }) => row) })
  }
  const sequences = await sql<{ name: string; value: string | null }[]>`
    select sequencename as name, last_value::text as value from pg_sequences
    where schemaname = 'public' order by 1`
  return {
    tables,
    sequences: Object.fromEntries(sequences.map(({ name, value }) => [name, value])),
  }
}

/** Puts the rows into tables of the migrations that they were kept from, in place of any there. */
export function putBackRows(superuser: Sql, { tables, sequences }: KeptRows): Promise<void> {
  return superuser.begin(async tx => {
    await tx`set local session_replication_role = replica`
    const all = await tx<{ name: string }[]>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace
        and relkind = 'r' and relname <> ${OF_MIGRATIONS}`
    for (const { name } of all) await tx.unsafe(`delete from "${name}"`)
    for (const table of tables) await putBack(tx, table)
    for (const [name, value] of Object.entries(sequences)) {
      if (value !== null) await tx.unsafe(`select setval(${literal(name)}, ${value})`)
    }
  })
}

async function putBack(tx: TransactionSql, { name, columns, rows }: KeptTable): Promise<void> {
  const names = columns.map(([column]) => `"${column}"`).join(', ')
  const values = columns.map(([, type], i) => `(r ->> ${i})::${type}`).join(', ')
  await tx.unsafe(
    `insert into "${name}" (${names}) overriding system value
      select ${values} from json_array_elements($1::json) r`,
    [JSON.stringify(rows)],
  )
}
