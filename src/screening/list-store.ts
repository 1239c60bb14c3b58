// The SQL statements of sanctions lists: their versions, entries and settings.
import type { Sql, TransactionSql } from '../sql/connect.ts'
import type { Tag } from '../sql/sql.ts'
import { forEachInTurns } from '../values/event-loop.ts'
import type { ListStatus, ListVersion, StoredEntry } from './list.ts'
import type { ListedEntry, ListName } from './screening.ts'

/** The newest version of each imported list. */
export async function listNewest(sql: Tag): Promise<ListStatus[]> {
  return sql<ListStatus[]>`
    select distinct on (list) list, version, encode(sha256, 'hex') as sha256, file_name, format,
      published_on::text as published_on, is_sample, entry_count, name_count, added, changed,
      removed, left_out_count, left_out, reason, imported_by, imported_at,
      floor(extract(epoch from statement_timestamp() - imported_at))::integer as age_s
    from screening_imports order by list, version desc`
}

/** Blocks other imports of the list until the transaction ends. */
export async function lockList(tx: TransactionSql, list: ListName): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`corridor list ${list}`}, 0))`
}

export async function insertImport(tx: TransactionSql, version: ListVersion): Promise<void> {
  const { list, sha256, file_name, format, published_on, is_sample, entry_count } = version
  const { name_count, added, changed, removed, reason, imported_by } = version
  const { left_out_count, left_out } = version
  await tx`
    insert into screening_imports (list, version, sha256, file_name, format, published_on,
      is_sample, entry_count, name_count, added, changed, removed, left_out_count, left_out,
      reason, imported_by)
    values (${list}, ${version.version}, decode(${sha256}, 'hex'), ${file_name}, ${format},
      ${published_on}, ${is_sample}, ${entry_count}, ${name_count}, ${added}, ${changed},
      ${removed}, ${left_out_count}, ${[...left_out]}::text[], ${reason}, ${imported_by})`
}

/** The digests, in hex, of a list's present entries, by entry id. */
export async function readDigests(tx: TransactionSql, list: ListName) {
  const rows = await tx<{ entry_id: string; digest: string }[]>`
    select entry_id, encode(digest, 'hex') as digest from screening_entries
    where list = ${list} and until_version is null`
  return new Map(rows.map(({ entry_id, digest }) => [entry_id, digest]))
}

/** The present entries among these, each as `list entry_id`. */
export async function findListed(
  sql: Sql,
  entries: readonly { readonly list: ListName; readonly entry_id: string }[],
): Promise<ReadonlySet<string>> {
  if (entries.length === 0) return new Set()
  const rows = await sql<{ list: ListName; entry_id: string }[]>`
    select list, entry_id from screening_entries
    join unnest(${entries.map(e => e.list)}::text[], ${entries.map(e => e.entry_id)}::text[])
      as asked(list, entry_id) using (list, entry_id)
    where until_version is null`
  return new Set(rows.map(({ list, entry_id }) => `${list} ${entry_id}`))
}

/** The entries of these digests, as they were found, by digest. */
export async function findEntries(
  sql: Sql,
  found: readonly { readonly list: ListName; readonly entry_id: string; entry_digest: string }[],
): Promise<ReadonlyMap<string, ListedEntry>> {
  if (found.length === 0) return new Map()
  const rows = await sql<StoredEntry[]>`
    select entry_id, encode(e.digest, 'hex') as digest, content::text as content
    from screening_entries e
    join unnest(${found.map(one => one.list)}::text[], ${found.map(one => one.entry_id)}::text[],
      ${found.map(one => one.entry_digest)}::text[]) as k(list, entry_id, digest)
      using (list, entry_id)
    where e.digest = decode(k.digest, 'hex')`
  return new Map(
    rows.map(({ entry_id, digest, content }) => [digest, { entry_id, ...JSON.parse(content) }]),
  )
}

/** Ends the present rows of entries that the version removes or changes. */
export async function endEntries(
  tx: TransactionSql,
  { list, version }: Pick<ListVersion, 'list' | 'version'>,
  entry_ids: readonly string[],
): Promise<void> {
  await tx`
    update screening_entries set until_version = ${version}
    where list = ${list} and until_version is null and entry_id = any (${entry_ids}::text[])`
}

export async function insertEntries(
  tx: TransactionSql,
  { list, version }: Pick<ListVersion, 'list' | 'version'>,
  entries: readonly StoredEntry[],
): Promise<void> {
  await tx`
    insert into screening_entries (list, entry_id, since_version, digest, content)
    select ${list}, entry_id, ${version}::integer, decode(digest, 'hex'), content::json
    from unnest(${entries.map(e => e.entry_id)}::text[], ${entries.map(e => e.digest)}::text[],
      ${entries.map(e => e.content)}::text[]) as e(entry_id, digest, content)`
}

/** The present entries, list by list. */
export async function listEntries(sql: Tag) {
  const rows = await sql<{ list: ListName; entry_id: string; content: string }[]>`
    select list, entry_id, content::text as content from screening_entries
    where until_version is null order by list, entry_id`
  const byList = new Map<ListName, ListedEntry[]>()
  await forEachInTurns(rows, ({ list, entry_id, content }) => {
    byList.getOrInsert(list, []).push({ entry_id, ...JSON.parse(content) })
  })
  return Array.from(byList, ([list, entries]) => ({ list, entries }))
}

/** The date in UTC by the database's clock, YYYY-MM-DD. */
export async function readToday(tx: TransactionSql): Promise<string> {
  const [row] = await tx<{ today: string }[]>`
    select (statement_timestamp() at time zone 'UTC')::date::text as today`
  return row?.today ?? ''
}

/**
 * The version of all lists together, and the lists that must be current for live accounts.
 * `is_default`: no person has set them.
 */
export async function readRequired(sql: Tag) {
  const [row] = await sql<{ version: bigint; required: string; is_default: boolean }[]>`
    select lists_version as version, array_to_string(required, ' ') as required,
      set_by = '' as is_default
    from reference_version, screening_settings`
  if (row === undefined) throw new Error('the settings of screening are not there')
  return {
    version: row.version,
    is_default: row.is_default,
    required: row.required.split(' ').filter(Boolean) as ListName[],
  }
}

export async function readListsVersion(sql: Sql): Promise<bigint> {
  const [row] = await sql<{ lists_version: bigint }[]>`
    select lists_version from reference_version`
  if (row === undefined) throw new Error('the reference data has no version')
  return row.lists_version
}

/** Sets the lists that must be current. Triggers write the audit log. */
export async function updateRequired(
  sql: Sql,
  set: { readonly required: readonly ListName[]; readonly set_by: string; readonly reason: string },
): Promise<void> {
  const { required, set_by, reason } = set
  await sql`
    update screening_settings set required = ${[...required]}::text[], set_by = ${set_by},
      reason = ${reason}`
}
