// The rules of lists: the changes of an import, files that look wrong, and stale lists. Pure.
import { hash } from 'node:crypto'
import { type Instant, plusMilliseconds } from '../values/instant.ts'
import type { ListStatus, StoredEntry } from './list.ts'
import type { ListedEntry } from './screening.ts'

const DAY_S = 86_400

/** A list is stale this long after its last import. Lists change several times a week. */
export const STALE_AFTER_S = 7 * DAY_S

/** An older file is seldom the newest of its list. */
const OLD_FILE_DAYS = 30
/** A file that lacks more of the present entries is probably cut off, or another list's file. */
const MOST_REMOVED_PERCENT = 10

/** A file with more records without a name has probably another form than it is read by. */
const MOST_LEFT_OUT_PERCENT = 10
/** So few records without a name are mistakes of the list. */
const FEW_LEFT_OUT = 20

/** The row of an entry. Its members have one order, so that equal entries have one digest. */
export function storedEntry(entry: ListedEntry): StoredEntry {
  const { entry_id, kind, names, births, countries, ids, programmes, remarks } = entry
  const content = JSON.stringify({ kind, names, births, countries, ids, programmes, remarks })
  return { entry_id, content, digest: hash('sha256', content, 'hex') }
}

export interface ImportPlan {
  /** New entries, and changed entries with their new content. */
  readonly insert: readonly StoredEntry[]
  /** The ids of removed and changed entries, whose present rows end. */
  readonly end: readonly string[]
  readonly added: number
  readonly changed: number
  readonly removed: number
}

/** The rows to insert and to end. `listed` has each present entry's digest, by its id. */
export function planImport(
  listed: ReadonlyMap<string, string>,
  entries: readonly ListedEntry[],
): ImportPlan {
  const insert = entries.map(storedEntry).filter(e => listed.get(e.entry_id) !== e.digest)
  const changed = insert.filter(({ entry_id }) => listed.has(entry_id)).map(e => e.entry_id)
  const file_ids = new Set(entries.map(({ entry_id }) => entry_id))
  const removed = Array.from(listed.keys()).filter(entry_id => !file_ids.has(entry_id))
  return {
    insert,
    end: [...changed, ...removed],
    added: insert.length - changed.length,
    changed: changed.length,
    removed: removed.length,
  }
}

interface JudgedFile {
  readonly published_on: string
  readonly removed: number
  readonly left_out_count: number
  /** The number of all records, with or without a name. */
  readonly records: number
}

/**
 * Why a file looks wrong; '' for a file that does not. `today` is the date in UTC, YYYY-MM-DD, and
 * `file.removed` counts the present entries that the file lacks.
 */
export function doubtOf(file: JudgedFile, newest: ListStatus | undefined, today: string): string {
  const days = daysBetween(file.published_on, today)
  if (days < -1) return `its publication date, ${file.published_on}, is in the future`
  if (days > OLD_FILE_DAYS) {
    return `it was published on ${file.published_on}, ${days} days ago: there is a newer one`
  }
  const { left_out_count, records } = file
  if (left_out_count > FEW_LEFT_OUT && left_out_count * 100 > records * MOST_LEFT_OUT_PERCENT) {
    return `${left_out_count} of its ${records} records have no name`
  }
  if (newest === undefined || newest.is_sample) return ''
  const before = newest.published_on
  if (file.published_on < before) {
    return `it was published on ${file.published_on}, and the one that is here on ${before}`
  }
  if (file.removed * 100 > newest.entry_count * MOST_REMOVED_PERCENT) {
    return (
      `it lacks ${file.removed} of the ${newest.entry_count} entries that are listed: ` +
      'it may not be whole, or be another list'
    )
  }
  return ''
}

function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / (DAY_S * 1000)
}

export type ListState = 'current' | 'stale' | 'sample' | 'missing'

/** `missing` is a list without an import. A sample is never `current`: it is no real list. */
export function stateOf(newest: ListStatus | undefined): ListState {
  if (newest === undefined) return 'missing'
  if (newest.is_sample) return 'sample'
  return newest.age_s > STALE_AFTER_S ? 'stale' : 'current'
}

/** When a list becomes stale without another import; null for a sample, which is never current. */
export function staleAt({
  imported_at,
  is_sample,
}: Pick<ListStatus, 'imported_at' | 'is_sample'>): Instant | null {
  return is_sample ? null : plusMilliseconds(imported_at, STALE_AFTER_S * 1000)
}
