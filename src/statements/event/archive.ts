// An archive of events: the rows of one account from one number to another, one JSON object a line,
// with the hashes of their chain. The file alone suffices to prove it. Pure.
import { sealOf } from '../../values/digest.ts'
import type { Instant } from '../../values/instant.ts'
import { firstOf } from './row.ts'
import { ROW_KINDS, type SealedRow } from './rules.ts'

/** The first line. */
export interface ArchiveHead {
  readonly archive: 'corridor events'
  readonly version: 1
  readonly account_id: string
  readonly before: Instant
  /** The number of the event before the first archived one, and the hash of that event's row. */
  readonly after: string
  readonly previous: string
}

/** A row as the database stores it. Its data is text, because the hash is over the text. */
export interface ArchivedRow extends Omit<SealedRow, 'data' | 'sequence'> {
  readonly sequence: string
  readonly data: string | null
  /** The former hash of an erased row and the digest of its present content; null for others. */
  readonly was: string | null
  readonly becomes: string | null
}

/** The last line. */
export interface ArchiveEnd {
  readonly rows: number
  /** The number of the last event, and the hash of its row. */
  readonly sequence: string
  readonly hash: string
}

const SEAL = sealOf<Omit<ArchivedRow, 'hash' | 'was' | 'becomes'> & { readonly previous: string }>({
  previous: 'hex',
  ...ROW_KINDS,
  // The chain hashes the written form of a number.
  sequence: 'json_text',
  data: 'json_text',
})

/** Walks the rows of an archive in order and says why a row does not follow. */
export class ArchiveWalk {
  readonly #account_id: string
  #sequence: bigint
  #hash: string
  rows = 0

  constructor({ account_id, after, previous }: ArchiveHead) {
    this.#account_id = account_id
    this.#sequence = BigInt(after)
    this.#hash = previous
  }

  get end(): ArchiveEnd {
    return { rows: this.rows, sequence: String(this.#sequence), hash: this.#hash }
  }

  /** The fault of the next row; undefined when it follows the row before. */
  step(row: ArchivedRow): string | undefined {
    const sequence = BigInt(row.sequence)
    const first = firstOf({ sequence, told: row.told })
    if (row.account_id !== this.#account_id) return `it is of account ${row.account_id}`
    if (first !== this.#sequence + 1n) {
      return `it begins with event ${first}, and not with ${this.#sequence + 1n}`
    }
    const { hash, was, becomes, ...content } = row
    const digest = SEAL.digest({ ...content, previous: this.#hash })
    const is_erased = was !== null
    if (is_erased ? was !== hash || becomes !== digest : digest !== hash) {
      return 'its hash does not match its content and the hash of the row before it'
    }
    this.#sequence = sequence
    this.#hash = hash
    this.rows += 1
    return undefined
  }

  /** The fault of the last line; undefined when it matches the rows. */
  finish(end: ArchiveEnd): string | undefined {
    const { rows, sequence, hash } = this.end
    if (end.rows === rows && end.sequence === sequence && end.hash === hash) return undefined
    const stated = `event ${end.sequence} after ${end.rows} rows`
    return `it ends with ${stated}, and not with event ${sequence} after ${rows}`
  }
}
