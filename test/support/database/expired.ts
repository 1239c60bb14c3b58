// Expires quotes for tests. A quote's seal covers `valid_until`, so it is restored before the books
// are verified.
import type { Sql } from '../../../src/sql/connect.ts'

const changed: { readonly sql: Sql; readonly id: string; readonly valid_until: string }[] = []

/** Sets `valid_until` of a quote to its creation. */
export async function expireQuote(sql: Sql, id: string): Promise<void> {
  const [quote] = await sql<{ valid_until: string }[]>`
    select valid_until from quotes where id = ${id}`
  if (quote === undefined) throw new Error(`no quote ${id}`)
  changed.push({ sql, id, ...quote })
  await sql`update quotes set valid_until = created_at where id = ${id}`
}

export async function restoreExpired(): Promise<void> {
  for (const { sql, id, valid_until } of changed.splice(0)) {
    await sql`update quotes set valid_until = ${valid_until} where id = ${id}`
  }
}
