// Lists of rows that are found by their text for it (found-by.ts). Bounds and order are those of
// the list, along an index that has the text, so that rows that do not fit are never fetched.
import type { Listed, Wanted } from './page.ts'
import { type Fragment, sql, type Tag } from './sql.ts'

/** The list and what is asked of it, narrowed to the rows whose text has all parts. */
export function narrowedTo(
  listed: Listed,
  account_id: string,
  wanted: Wanted,
  parts: readonly string[],
): readonly [Listed, Wanted] {
  if (parts.length === 0) return [listed, wanted]
  const narrow = { table: listed.table, stated: 'true', besides: having(parts), alone: true }
  const found = { name: 'found', by: 'account_id', leads: 'always', kept: () => narrow } as const
  return [
    { ...listed, filters: [found, ...listed.filters] },
    { ...wanted, filters: { ...wanted.filters, found: [account_id] } },
  ]
}

/** The ids of rows whose text has all parts, newest first; at most `limit`. */
export async function findIdsBy(
  tx: Tag,
  table: string,
  account_id: string,
  parts: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select n.id from ${sql(table)} n where n.account_id = ${account_id} ${having(parts)}
    order by n.account_id desc, n.id desc limit (select ${limit}::integer)`
  return rows.map(({ id }) => id)
}

/**
 * One parameter, so that there is one statement, however many words somebody looks for. A
 * sub-select hides it from the planner.
 */
function having(parts: readonly string[]): Fragment {
  const patterns = parts.map(part => `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`)
  return sql`and n.found_by like all ((select ${patterns}::text[])::text[])`
}
