// Sanctions lists: how current each is, and which must be current before live accounts pay.
import type { Sql } from '../db/connect.ts'
import type { ListStatus, ListVersion } from '../screening/list.ts'
import { type ListState, STALE_AFTER_S, staleAt, stateOf } from '../screening/list-rules.ts'
import { listNewest, readRequired, updateRequired } from '../screening/list-store.ts'
import { LISTS, type ListName } from '../screening/screening.ts'

/** A sanctions list that can be imported. `status` is undefined before its first import. */
export interface ListRow {
  readonly list: ListName
  readonly status: ListStatus | undefined
  readonly state: ListState
  /** Whether payouts of live accounts wait unless the list is current. */
  readonly is_required: boolean
}

/** Every list that can be imported, imported or not. */
export async function listLists(audit: Sql): Promise<ListRow[]> {
  const [newest, { required }] = await Promise.all([listNewest(audit), readRequired(audit)])
  return LISTS.map(list => {
    const status = newest.find(known => known.list === list)
    return { list, status, state: stateOf(status), is_required: required.includes(list) }
  })
}

interface AskedLists {
  /** Empty: the installation does not screen payouts of live accounts. */
  readonly required: readonly ListName[]
  readonly reason: string
}

/** Sets which lists must be current before payouts of live accounts go out. */
export async function requireLists(
  sql: Sql,
  set_by: string,
  asked: AskedLists,
): Promise<AskedLists> {
  const set = { ...asked, required: LISTS.filter(list => asked.required.includes(list)) }
  await updateRequired(sql, { ...set, set_by })
  return set
}

export function presentLists(rows: readonly ListRow[]) {
  const required = rows.filter(row => row.is_required).map(({ list }) => list)
  return { stale_after_s: STALE_AFTER_S, required, lists: rows.map(presentStatus) }
}

function presentStatus({ list, status, state, is_required: required }: ListRow) {
  if (status === undefined) return { list, required, state }
  const { imported_at, age_s } = status
  const current_until = staleAt(status)
  return { ...presentVersion(status), required, state, imported_at, age_s, current_until }
}

export function presentVersion(version: ListVersion) {
  const { list, version: number, sha256, file_name, format, published_on, is_sample } = version
  const { entry_count, name_count, added, changed, removed, reason, imported_by } = version
  const { left_out_count, left_out } = version
  return {
    list,
    version: number,
    sha256,
    file: file_name,
    format,
    published_on,
    sample: is_sample,
    entries: entry_count,
    names: name_count,
    added,
    changed,
    removed,
    left_out_count,
    left_out,
    reason,
    imported_by,
  }
}
