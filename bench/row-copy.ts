// Makes statements that insert copies of rows that the service wrote, so that baselines write rows
// as wide as the service's. It knows no table.
import type { Sql } from '../src/sql/connect.ts'

/** A statement that inserts a copy of a stored row, with changed columns and the current time. */
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

/** An SQL literal. It escapes colons, because a colon begins a variable in pgbench. */
export function literal(value: string | null): string {
  if (value === null) return 'null'
  const escaped = value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll(':', '\\x3a')
  return `E'${escaped}'`
}
