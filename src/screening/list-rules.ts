// What an import changes, which files look wrong, and when a list is stale. Pure.
import { hash } from 'node:crypto'
import { type Instant, plusMilliseconds } from '../instant.ts'
import type { ListStatus, StoredEntry } from './list.ts'
import type { ListedEntry } from './screening.ts'

const DAY_S = 86_400

/** A list that was last imported longer ago is stale. Lists change several times a week. */
export const STALE_AFTER_S = 7 * DAY_S

/** A file that was published longer ago is seldom the newest. */
const OLD_FILE_DAYS = 30
/** A file that lacks more of the listed entries is seldom whole, or is another list. */
const MOST_REMOVED_PERCENT = 10

/** The entry as it is stored. Its members have one order, so that equal entries have one digest. */
export function storedEntry(entry: ListedEntry): StoredEntry {
  const { entry_id, kind, names, births, countries, ids, programmes } = entry
  const content = JSON.stringify({ kind, names, births, countries, ids, programmes })
  return { entry_id, content, digest: hash('sha256', content, 'hex') }
}

export interface ImportPlan {
  /** New entries, and the new version of changed ones. */
  readonly insert: readonly StoredEntry[]
  /** The ids of entries that are no longer listed, or have changed. */
  readonly end: readonly string[]
  readonly added: number
  readonly changed: number
  readonly removed: number
}

/** What to write, by the digests of the entries that are listed now. */
export function planImport(
  listed: ReadonlyMap<string, string>,
  entries: readonly ListedEntry[],
): ImportPlan {
  const insert = entries.map(storedEntry).filter(e => listed.get(e.entry_id) !== e.digest)
  const changed = insert.filter(({ entry_id }) => listed.has(entry_id)).map(e => e.entry_id)
  const kept = new Set(entries.map(({ entry_id }) => entry_id))
  const removed = Array.from(listed.keys()).filter(entry_id => !kept.has(entry_id))
  return {
    insert,
    end: [...changed, ...removed],
    added: insert.length - changed.length,
    changed: changed.length,
    removed: removed.length,
  }
}

/** Why a file is probably not the one that was meant; '' when it does not look wrong. */
export function doubtOf(
  file: { readonly published_on: string; readonly removed: number },
  newest: ListStatus | undefined,
  today: string,
): string {
  const days = daysBetween(file.published_on, today)
  if (days < -1) return `it says that it is published on ${file.published_on}, which is to come`
  if (days > OLD_FILE_DAYS) {
    return `it was published on ${file.published_on}, ${days} days ago: there is a newer one`
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

/** `missing` is a list that was never imported. A sample says nothing about who is listed. */
export function stateOf(newest: ListStatus | undefined): ListState {
  if (newest === undefined) return 'missing'
  if (newest.is_sample) return 'sample'
  return newest.age_s > STALE_AFTER_S ? 'stale' : 'current'
}

/**
 * When a list becomes stale unless it is imported again; null for a sample, which is never current.
 */
export function staleAt({
  imported_at,
  is_sample,
}: Pick<ListStatus, 'imported_at' | 'is_sample'>): Instant | null {
  return is_sample ? null : plusMilliseconds(imported_at, STALE_AFTER_S * 1000)
}
