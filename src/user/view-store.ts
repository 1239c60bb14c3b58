// The SQL statements of saved views: pages of the console that people save under a name.
import type { Sql, TransactionSql } from '../db/connect.ts'
import type { Instant } from '../instant.ts'

export interface SavedView {
  readonly view_id: string
  readonly name: string
  /** The path of the page with its filters. */
  readonly place: string
  readonly created_at: Instant
}

/** The most views of a person; PostgreSQL refuses more. */
export const MOST_VIEWS = 100

/** The views of a person, by name; with `page`, only those of this page. */
export async function listViews(
  sql: Sql,
  user_name: string,
  page: string | null,
): Promise<SavedView[]> {
  return sql<SavedView[]>`
    select view_id, name, place, created_at from saved_views
    where user_name = ${user_name}
      and (${page}::text is null or split_part(place, '?', 1) = ${page})
    order by lower(name), name, place limit ${MOST_VIEWS}`
}

/** Saves a view; a repeat returns it. Undefined when another view of the page has the name. */
export async function insertView(
  tx: TransactionSql,
  user_name: string,
  { view_id, name, place }: Omit<SavedView, 'created_at'>,
): Promise<SavedView | undefined> {
  const [view] = await tx<SavedView[]>`
    insert into saved_views (view_id, user_name, name, place)
    values (${view_id}, ${user_name}, ${name}, ${place})
    on conflict do nothing returning view_id, name, place, created_at`
  if (view !== undefined) return view
  const [same] = await tx<SavedView[]>`
    select view_id, name, place, created_at from saved_views
    where user_name = ${user_name} and name = ${name} and place = ${place}`
  return same
}

/** Gives a view another name; undefined when the person has no such view. */
export async function renameView(
  tx: TransactionSql,
  user_name: string,
  { view_id, name }: Pick<SavedView, 'view_id' | 'name'>,
): Promise<SavedView | undefined> {
  const [view] = await tx<SavedView[]>`
    update saved_views set name = ${name}
    where view_id = ${view_id} and user_name = ${user_name}
    returning view_id, name, place, created_at`
  return view
}

/** Deletes a view; false when the person has no such view. */
export async function deleteView(
  tx: TransactionSql,
  user_name: string,
  view_id: string,
): Promise<boolean> {
  const { count } = await tx`
    delete from saved_views where view_id = ${view_id} and user_name = ${user_name}`
  return count === 1
}
