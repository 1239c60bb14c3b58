// The history of the reference tables, which a trigger writes: who changed which row, when, and
// what it was before and after.

import type { Instant } from '../instant.ts'
import type { Sql } from './connect.ts'

/** A row of a reference table, every value as text: numbers stay exact. */
export type HistoricRow = Readonly<Record<string, string | null>>

export interface Change {
  readonly changed_at: Instant
  readonly changed_by: string
  /** Null: the row was added. */
  readonly before: HistoricRow | null
  /** Null: the row was removed. */
  readonly after: HistoricRow | null
}

/** The changes of a table, newest first; with `where`, of rows that have these values. */
export async function listChanges(
  sql: Sql,
  table_name: string,
  limit: number,
  where: HistoricRow = {},
): Promise<Change[]> {
  return sql<Change[]>`
    select changed_at, changed_by,
      (select json_object_agg(key, value) from jsonb_each_text(before)) as before,
      (select json_object_agg(key, value) from jsonb_each_text(after)) as after
    from reference_changes c
    where table_name = ${table_name} and not exists (
      select from jsonb_each_text(${JSON.stringify(where)}::text::jsonb) w
      where coalesce(c.after, c.before) ->> w.key is distinct from w.value)
    order by change_id desc limit ${limit}`
}
