// Lists of who is found by the text that each row has for it (found-by.ts). Bounds and order are
// those of the list, along an index that has the text, so that rows that do not fit are never
// fetched.
import type { Sql, TransactionSql } from './connect.ts'
import type { Listed, Wanted } from './page.ts'

/** The list, and what is asked of it, narrowed to the rows whose text has all parts. */
export function narrowedTo(
  sql: Sql | TransactionSql,
  listed: Listed,
  account_id: string,
  wanted: Wanted,
  parts: readonly string[],
): readonly [Listed, Wanted] {
  if (parts.length === 0) return [listed, wanted]
  // A sub-select hides each part from the planner, so that there is one plan.
  const besides = parts.reduce(
    (all, part) => sql`${all} and strpos(n.found_by, (select ${part}::text)) > 0`,
    sql``,
  )
  const narrow = { table: listed.table, stated: 'true', besides, alone: true }
  const found = { name: 'found', by: 'account_id', leads: 'always', kept: () => narrow } as const
  return [
    { ...listed, filters: [found, ...listed.filters] },
    { ...wanted, filters: { ...wanted.filters, found: [account_id] } },
  ]
}
