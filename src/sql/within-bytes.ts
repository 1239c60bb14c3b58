// Bounds the rows that a statement reads by the bytes of their long columns, and cuts its page.
import { type Fragment, sql } from './sql.ts'

/** A page ends with the row that brings its long columns to this many bytes. */
const MAX_LONG_BYTES = 1024 * 1024

export interface Page<Row> {
  /** Newest first, whatever the direction of paging. */
  readonly rows: readonly Row[]
  /** Whether more rows follow in the direction of paging. */
  readonly has_more: boolean
}

export interface Followed {
  /** Whether another row follows. */
  followed?: boolean
}

/**
 * Selects the columns of the first of these rows, until their long columns have MAX_LONG_BYTES.
 * There is one row at least. The rows keep their order.
 */
export function withinBytes(
  { columns, long }: { readonly columns: readonly string[]; readonly long?: readonly string[] },
  rows: Fragment,
): Fragment {
  if (long === undefined) return rows
  const bytes = long
    .map(column => sql`coalesce(octet_length(r.${sql(column)}::text), 0)`)
    .reduce((sum, one) => sql`${sum} + ${one}`)
  return sql`
    select ${sql([...columns])}, followed from (
      select r.*, lead(true) over () is not null as followed,
        coalesce(sum(${bytes}) over (rows between unbounded preceding and 1 preceding), 0)
          as bytes_before
      from (${rows}) r
    ) r
    where bytes_before < ${MAX_LONG_BYTES}::integer`
}

/** The page of rows of which one more than `limit` was asked for, and which bytes may have cut. */
export function cutPage<Row>(rows: readonly (Row & Followed)[], limit: number): Page<Row> {
  const page = rows.slice(0, limit)
  const has_more = rows.length > limit || page.at(-1)?.followed === true
  for (const row of page) if ('followed' in row) delete row.followed
  return { rows: page, has_more }
}
