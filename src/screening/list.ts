// The nouns of stored lists: a version, its status and an entry. Pure.
import type { Instant } from '../values/instant.ts'
import type { ListName } from './screening.ts'

export interface ListVersion {
  readonly list: ListName
  /** From 1, without gaps. */
  readonly version: number
  /** SHA-256 of the file's bytes, in hex. */
  readonly sha256: string
  readonly file_name: string
  readonly format: string
  /** The file's publication date, YYYY-MM-DD. */
  readonly published_on: string
  readonly is_sample: boolean
  readonly entry_count: number
  readonly name_count: number
  readonly added: number
  readonly changed: number
  readonly removed: number
  /** The number of records without a name, which were not imported. */
  readonly left_out_count: number
  /** The first of them, in words. */
  readonly left_out: readonly string[]
  /** Why the operator imported a file that looked wrong; '' for a file that did not. */
  readonly reason: string
  readonly imported_by: string
}

export interface ListStatus extends ListVersion {
  readonly imported_at: Instant
  /** Seconds since the import. */
  readonly age_s: number
}

export interface StoredEntry {
  readonly entry_id: string
  /** SHA-256 of the content, in hex. */
  readonly digest: string
  /** The entry without its id, as JSON. */
  readonly content: string
}
