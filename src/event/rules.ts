// Events: what happened to an object, in the order of its account. Pure.
import type { Key, NewId } from '../id.ts'
import type { Instant } from '../instant.ts'
import { type Book, bookOf } from '../ledger/rules.ts'

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
}

/** Takes the next number of the account's event sequence; the book must be locked. */
export function recordEvent(
  book: Book,
  event: { readonly type: string; readonly object_id: string; readonly data: object },
  newId: NewId,
): Event {
  book.event_count += 1n
  return {
    account_id: book.account_id,
    sequence: book.event_count,
    id: newId('evt'),
    created_at: book.now,
    ...event,
  }
}

/** The event of a change of one object, in the book of its account. */
export function recordChange(
  state: {
    readonly books: ReadonlyMap<string, Book>
    readonly newId: NewId
  },
  { account_id, id: object_id }: Key,
  type: string,
  data: object,
): Event {
  const book = bookOf(state.books, account_id)
  return recordEvent(book, { type, object_id, data }, state.newId)
}
