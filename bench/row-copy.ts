// Rows that the service really wrote, and statements that write others like them, so that what is
// held against the service writes rows as wide as its own. Knows no table.
import type { Sql } from '../src/db/connect.ts'

/** An insert of one row as it is stored, but for what `changed` says and for the time. */
export async function copyStatement(
  sql: Sql,
  table: string,
  condition: string,
  changed: Readonly<Record<string, string>>,
): Promise<string> {
  const [row] = await readRows(sql, table, condition)
  if (row === undefined) throw new Error(`the sample left no row in ${table}`)
  const names = Object.keys(row)
  const values = Object.entries(row).map(
    ([name, value]) =>
      changed[name] ?? (name.endsWith('_at') && value !== null ? 'now()' : literal(value)),
  )
  return `insert into ${table} (${names.join(', ')}) values (${values.join(', ')})`
}

/** Values by column, as PostgreSQL writes them. */
export type StoredRow = Readonly<Record<string, string | null>>

export async function readRows(sql: Sql, table: string, condition: string): Promise<StoredRow[]> {
  const columns = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped order by attnum`
  const texts = columns.map(({ name }) => `${name}::text as ${name}`).join(', ')
  return sql.unsafe<StoredRow[]>(`select ${texts} from ${table} where ${condition}`)
}

/** Colons are escaped, as pgbench would take what follows one for a variable. */
export function literal(value: string | null): string {
  if (value === null) return 'null'
  const escaped = value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll(':', '\\x3a')
  return `E'${escaped}'`
}
