// The SQL statements of money that goes back to its payer, or that an account has.
import type { Tag } from '../../sql/sql.ts'

/** Whether an account has the money of the line, derived or not, and keeps it. */
export async function isCredited(sql: Tag, line: bigint): Promise<boolean> {
  const [row] = await sql<{ credited: boolean }[]>`
    select line_is_credited(${line}::bigint) as credited`
  return row?.credited === true
}

/** Whether no match has the line. */
export async function isOpenLine(sql: Tag, line: bigint): Promise<boolean> {
  const [row] = await sql`select from bank_lines where id = ${line}::bigint and match is null`
  return row !== undefined
}
