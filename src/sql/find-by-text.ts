// Searches lists by the text in `found_by` (values/text/found-by.ts). The index has that text, in
// the order of the list, so a search fetches no row that does not match.
import type { Listed, Wanted } from './page.ts'
import { type Fragment, sql, type Tag } from './sql.ts'

/** Narrows a list and its query to the rows whose `found_by` contains all parts. */
export function narrowToText(
  listed: Listed,
  account_id: string,
  wanted: Wanted,
  parts: readonly string[],
): readonly [Listed, Wanted] {
  if (parts.length === 0) return [listed, wanted]
  const narrow = { table: listed.table, stated: 'true', besides: containing(parts), alone: true }
  const filter = { name: 'found', by: 'account_id', leads: 'always', kept: () => narrow } as const
  return [
    { ...listed, filters: [filter, ...listed.filters] },
    { ...wanted, filters: { ...wanted.filters, found: [account_id] } },
  ]
}

/** The ids of rows whose `found_by` contains all parts, newest first; at most `limit`. */
export async function findIdsByText(
  tx: Tag,
  table: string,
  account_id: string,
  parts: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select n.id from ${sql(table)} n where n.account_id = ${account_id} ${containing(parts)}
    order by n.account_id desc, n.id desc limit (select ${limit}::integer)`
  return rows.map(({ id }) => id)
}

/**
 * The condition that a text contains all parts. Its one parameter makes one statement for any
 * number of parts. The sub-select hides the value from the planner.
 */
function containing(parts: readonly string[]): Fragment {
  const patterns = parts.map(part => `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`)
  return sql`and n.found_by like all ((select ${patterns}::text[])::text[])`
}
