// Lists as they are kept: a file that was imported, and an entry as it is stored. Pure.
import type { Instant } from '../instant.ts'
import type { ListName } from './screening.ts'

/** A file that was imported. */
export interface ListVersion {
  readonly list: ListName
  /** From 1, without gaps. */
  readonly version: number
  /** Of the bytes of the file, in hex. */
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
  /** Why it was taken although it looked wrong, '' when it did not. */
  readonly reason: string
  readonly imported_by: string
}

/** The newest version of a list, and how long it has been here. */
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
