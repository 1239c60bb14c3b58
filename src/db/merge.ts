// Merges the pages of two tables into one page of a list.
import type { Key } from '../id.ts'
import type { Instant } from '../instant.ts'
import { newerOf, olderOf } from './order.ts'
import type { Page, Wanted } from './page.ts'

/** A row with the columns that order the list. */
type Placed = Key & { readonly created_at: Instant }

/**
 * Narrows the second table's query by the first table's page: the merged page has no row beyond the
 * last row of that page, if the page is full.
 */
export function withinReach(wanted: Wanted, page: Page<Placed>): Wanted {
  const newest_first = wanted.cursor?.towards !== 'newer'
  const last = newest_first ? page.rows.at(-1) : page.rows[0]
  if (!page.has_more || last === undefined) return wanted
  const { created_at } = last
  if (newest_first) {
    return { ...wanted, above: newerOf(wanted.above, { created_at, side: 'before' }) }
  }
  return { ...wanted, below: olderOf(wanted.below, { created_at, side: 'after' }) }
}

/** Merges the pages of two tables whose rows share a prefix but no id. */
export function mergePages<Row extends Placed>(
  { limit, cursor }: Wanted,
  ...[first, second]: readonly [Page<Row>, Page<Row>]
): Page<Row> {
  const rows = [...first.rows, ...second.rows].sort(newestFirst)
  const page = cursor?.towards === 'newer' ? rows.slice(-limit) : rows.slice(0, limit)
  return { rows: page, has_more: first.has_more || second.has_more || rows.length > limit }
}

function newestFirst(a: Placed, b: Placed): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1
  return a.id < b.id ? 1 : -1
}
