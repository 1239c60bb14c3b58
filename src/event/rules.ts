// Events: what happened to an object, in the order of its account. Pure.
import { type Key, numberedId } from '../id.ts'
import type { Instant } from '../instant.ts'
import { type Book, bookOf } from '../ledger/rules.ts'
import { sealOf } from '../seal.ts'

/**
 * One change of state. `data` holds the facts that may change later; the rest is joined on reading.
 */
export interface Event {
  readonly account_id: string
  /** Gap-free per account, in the order of the book. */
  readonly sequence: bigint
  readonly id: string
  readonly type: string
  readonly object_id: string
  readonly data: object
  readonly created_at: Instant
  /** Digest of the object's row as the event left it. Written, and not read with the rest. */
  readonly content?: string | undefined
}

/** An event in its place in the chain of its account. */
export interface SealedEvent extends Omit<Event, 'content'> {
  /** Null of what has no row of its own, and of lines. */
  readonly content: string | null
  /** Digest of the answer kept for the request that ends with this event; null for none. */
  readonly kept: string | null
  /** 64 hex digits. */
  readonly hash: string
}

/** How each column of an event travels; the table of what is read, and of what is chained. */
export const EVENT_KINDS = {
  account_id: 'text',
  sequence: 'bigint',
  id: 'text',
  type: 'text',
  object_id: 'text',
  data: 'json',
  created_at: 'timestamptz',
} as const

/** The recipe of the chain: an event with the hash of the one before it. */
export const EVENT_SEAL = sealOf<Omit<SealedEvent, 'hash'> & { readonly previous: string }>({
  previous: 'hex',
  ...EVENT_KINDS,
  content: 'hex',
  kept: 'hex',
})

/** Takes the next number of the account's event sequence; the book must be locked. */
export function recordEvent(book: Book, event: EventFacts): Event {
  book.event_count += 1n
  const { account_id, now: created_at, event_count: sequence } = book
  const id = numberedId('evt', { account_id, created_at }, sequence)
  return { account_id, sequence, id, created_at, ...event }
}

export interface EventFacts {
  readonly type: string
  readonly object_id: string
  readonly data: object
  /** Given for every object that has a row of its own but a line, which its journal vouches for. */
  readonly content?: string | undefined
}

/** Chains new events of any books, in the order of their numbers, and advances the books' heads. */
export function chainEvents(
  books: ReadonlyMap<string, Book>,
  events: readonly Event[],
): SealedEvent[] {
  const ordered = events.toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1))
  return ordered.map(event => {
    const book = bookOf(books, event.account_id)
    const kept = book.kept.get(event.sequence) ?? null
    const sealed = { ...event, content: event.content ?? null, kept }
    const hash = EVENT_SEAL.digest({ ...sealed, previous: book.event_head })
    book.event_head = hash
    return { ...sealed, hash }
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
