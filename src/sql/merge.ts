// Merges the pages of two tables into one page of a list.
import type { Key } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
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
  ...pages: readonly [Page<Row>, Page<Row>]
): Page<Row> {
  const is_newer = cursor?.towards === 'newer'
  const known = pages.flatMap(page => page.rows).sort(newestFirst)
  // A page that its bytes have cut short may leave out rows beyond its last one.
  const rows = pages.reduce((rows, page) => {
    const last = is_newer ? page.rows[0] : page.rows.at(-1)
    if (!page.has_more || last === undefined) return rows
    return rows.filter(row =>
      is_newer ? newestFirst(row, last) >= 0 : newestFirst(row, last) <= 0,
    )
  }, known)
  const page = is_newer ? rows.slice(-limit) : rows.slice(0, limit)
  return { rows: page, has_more: pages.some(page => page.has_more) || rows.length > limit }
}

function newestFirst(a: Placed, b: Placed): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1
  if (a.id === b.id) return 0
  return a.id < b.id ? 1 : -1
}
