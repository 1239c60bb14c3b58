// Searches lists by the text in `found_by` (values/text/found-by.ts). The index has that text, in
// the order of the list, so a search fetches no row that does not match. Blocks (search-blocks.ts)
// spare it most of the index.
import type { Listed, Wanted } from './page.ts'
import { findRanges, type Range, type Searched } from './search-blocks.ts'
import { tableAt } from './shard.ts'
import { type Fragment, sql, type Tag } from './sql.ts'

/** The most rows that a list is narrowed to by their ids. A search with more reads its page. */
const MOST_IDS = 1_000

/** Narrows a list and its query to the rows whose `found_by` contains all parts. */
export async function narrowToText(
  tx: Tag,
  listed: Listed & { readonly table: Searched },
  account_id: string,
  wanted: Wanted,
  parts: readonly string[],
): Promise<readonly [Listed, Wanted]> {
  if (parts.length === 0) return [listed, wanted]
  const { table } = listed
  const ranges = await findRanges(tx, table, account_id, parts)
  const few = ranges && (await findWithin(tx, table, account_id, ranges, parts, MOST_IDS + 1))
  const besides =
    few === undefined || few.length > MOST_IDS
      ? containing(parts)
      : sql`and n.id = any ((select ${few}::text[])::text[])`
  const narrow = { table, stated: 'true', besides, alone: true }
  const filter = { name: 'found', by: 'account_id', leads: 'always', kept: () => narrow } as const
  return [
    { ...listed, filters: [filter, ...listed.filters] },
    { ...wanted, filters: { ...wanted.filters, found: [account_id] } },
  ]
}

/** The ids of rows whose `found_by` contains all parts, newest first; at most `limit`. */
export async function findIdsByText(
  tx: Tag,
  table: Searched,
  account_id: string,
  parts: readonly string[],
  limit: number,
): Promise<string[]> {
  const ranges = await findRanges(tx, table, account_id, parts)
  if (ranges !== undefined) return findWithin(tx, table, account_id, ranges, parts, limit)
  const rows = await tx<{ id: string }[]>`
    select n.id from ${sql(table)} n where n.account_id = ${account_id} ${containing(parts)}
    order by n.account_id desc, n.id desc limit (select ${limit}::integer)`
  return rows.map(({ id }) => id)
}

/** As findIdsByText, in these ranges of ids alone. */
async function findWithin(
  tx: Tag,
  table: Searched,
  account_id: string,
  ranges: readonly Range[],
  parts: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select f.id from unnest(
      ${ranges.map(range => range.after_id)}::text[], ${ranges.map(range => range.last_id)}::text[]
    ) as r (after_id, last_id)
    cross join lateral (
      select n.id from ${tableAt(tx, table)} n
      where n.account_id = ${account_id} and n.id > r.after_id and n.id <= r.last_id
        ${containing(parts)}
      order by n.account_id desc, n.id desc limit (select ${limit}::integer)
    ) f
    order by f.id desc limit ${limit}::integer`
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
