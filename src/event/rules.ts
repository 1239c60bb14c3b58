// Events: what happened to an object, in the order of its account. Pure.
import type { Key } from '../id.ts'
import { type Book, bookOf } from '../ledger/rules.ts'
import { sealOf } from '../seal.ts'
import type { Event } from './event.ts'
import { type EventRow, fold } from './row.ts'

/** What one command told, in its place in the chain of its account. */
export interface SealedRow extends EventRow {
  /** Digest of the answer kept for the request that ends with this row; null for none. */
  readonly kept: string | null
  /** 64 hex digits. */
  readonly hash: string
}

/** How each column of a row travels; the table of what is written, and of what is chained. */
export const ROW_KINDS = {
  account_id: 'text',
  sequence: 'bigint',
  created_at: 'timestamptz',
  told: 'text',
  type: 'text',
  object_id: 'text',
  data: 'json',
  content: 'hex',
  kept: 'hex',
} as const

/** The recipe of the chain: a row with the hash of the one before it. */
export const EVENT_SEAL = sealOf<Omit<SealedRow, 'hash'> & { readonly previous: string }>({
  previous: 'hex',
  ...ROW_KINDS,
})

/** Takes the next number of the account's event sequence; the book must be locked. */
export function recordEvent(book: Book, event: EventFacts): Event {
  book.event_count += 1n
  const { account_id, now: created_at, event_count: sequence } = book
  return { account_id, sequence, created_at, ...event }
}

export interface EventFacts {
  readonly type: string
  readonly object_id: string
  readonly data: object
  /** Given for every object that has a row of its own but a line, which its journal vouches for. */
  readonly content?: string | undefined
}

/**
 * The rows of what commands have told, each in one list, in the books of any accounts: chained in
 * the order of their numbers. Advances the books' heads.
 */
export function chainEvents(
  books: ReadonlyMap<string, Book>,
  told: readonly (readonly Event[])[],
): SealedRow[] {
  const ordered = told.flatMap(fold).sort((a, b) => (a.sequence < b.sequence ? -1 : 1))
  return ordered.map(row => {
    const book = bookOf(books, row.account_id)
    const kept = book.kept.get(row.sequence) ?? null
    const hash = EVENT_SEAL.digest({ ...row, kept, previous: book.event_head })
    book.event_head = hash
    return { ...row, kept, hash }
  })
}

/** The event of a change of one object, in the book of its account. */
export function recordChange(
  state: { readonly books: ReadonlyMap<string, Book> },
  { account_id, id: object_id }: Key,
  type: string,
  data: object,
  content: string,
): Event {
  const book = bookOf(state.books, account_id)
  return recordEvent(book, { type, object_id, data, content })
}
