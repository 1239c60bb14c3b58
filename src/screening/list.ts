// Lists as they are stored: an imported file, and an entry. Pure.
import type { Instant } from '../instant.ts'
import type { ListName } from './screening.ts'

/** A file that was imported. */
export interface ListVersion {
  readonly list: ListName
  /** From 1, without gaps. */
  readonly version: number
  /** The hash of the bytes of the file, in hex. */
  readonly sha256: string
  readonly file_name: string
  readonly format: string
  /** YYYY-MM-DD, as the file says. */
  readonly published_on: string
  readonly is_sample: boolean
  readonly entry_count: number
  readonly name_count: number
  readonly added: number
  readonly changed: number
  readonly removed: number
  /** Why it was taken although it looked wrong; '' when it did not. */
  readonly reason: string
  readonly imported_by: string
}

/** The newest version of a list, and how long ago it was imported. */
export interface ListStatus extends ListVersion {
  readonly imported_at: Instant
  readonly age_s: number
}

export interface StoredEntry {
  readonly entry_id: string
  /** SHA-256 of the content, in hex. */
  readonly digest: string
  /** As JSON. */
  readonly content: string
}
