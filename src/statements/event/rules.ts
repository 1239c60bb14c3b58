// Numbers the events of an account and chains their rows. Pure.
import { type Maker, OPERATOR, operatorMaker, personMaker } from '../../accounts/maker.ts'
import { type Book, bookOf } from '../../ledger/rules.ts'
import { sealOf } from '../../values/digest.ts'
import type { Key } from '../../values/id.ts'
import type { Event, EventType } from './event.ts'
import { type EventRow, fold, gather } from './row.ts'

/** A row of events in its place in the account's chain. */
export interface SealedRow extends EventRow {
  /** The digest of the answer to the request whose events end with this row; null for none. */
  readonly kept: string | null
  /** 64 hex digits. */
  readonly hash: string
}

/** The columns of a row, as written and as chained, with their kinds. */
export const ROW_KINDS = {
  account_id: 'code',
  sequence: 'bigint',
  created_at: 'timestamptz',
  told: 'text',
  type: 'code',
  object_id: 'code',
  data: 'json',
  content: 'hex',
  kept: 'hex',
} as const

/** The seal of a row: its columns and the hash of the row before it. */
export const EVENT_SEAL = sealOf<Omit<SealedRow, 'hash'> & { readonly previous: string }>({
  previous: 'hex',
  ...ROW_KINDS,
})

/** Gives an event the account's next sequence. The book must be locked. */
export function recordEvent(book: Book, event: EventFacts): Event {
  book.event_count += 1n
  const { account_id, now: created_at, event_count: sequence } = book
  return { account_id, sequence, created_at, ...event }
}

interface EventFacts {
  readonly type: EventType
  readonly object_id: string
  readonly data: object
  /** The digest of the object's row. Lines have none, because their journal's hash proves them. */
  readonly content?: string | undefined
}

/**
 * Turns events into rows and chains each account's rows in the order of their numbers. Advances the
 * books' heads.
 *
 * @param commands the events of each command, of one account or several
 */
export function chainEvents(
  books: ReadonlyMap<string, Book>,
  commands: readonly (readonly Event[])[],
): SealedRow[] {
  const ordered = commands.flatMap(fold).sort((a, b) => (a.sequence < b.sequence ? -1 : 1))
  const rows = gather(ordered, row => bookOf(books, row.account_id).kept.has(row.sequence))
  return rows.map(row => {
    const book = bookOf(books, row.account_id)
    const kept = book.kept.get(row.sequence) ?? null
    const hash = EVENT_SEAL.digest({ ...row, kept, previous: book.event_head })
    book.event_head = hash
    return { ...row, kept, hash }
  })
}

export function recordChange(
  state: { readonly books: ReadonlyMap<string, Book> },
  { account_id, id: object_id }: Key,
  type: EventType,
  data: object,
  content: string,
): Event {
  const book = bookOf(state.books, account_id)
  return recordEvent(book, { type, object_id, data, content })
}

/** Decisions of the account's own people about approvals. */
const DECIDED = /\.(approved|rejected)$/

/**
 * Who asked for the change that the event tells; undefined for a rail, a review or a time that ran
 * out. The row of an object has the maker of its creation. `operator` alone: the event does not
 * name the person.
 */
export function makerIn({ type, data }: Pick<Event, 'type' | 'data'>): Maker | undefined {
  const { made_by, operator, by } = data as Partial<Record<string, string>>
  if (made_by !== undefined) return made_by
  if (operator === undefined) {
    return by === OPERATOR || type.endsWith('.erased') ? OPERATOR : undefined
  }
  const is_decision = DECIDED.test(type) || by === 'approval'
  return is_decision ? personMaker(operator) : operatorMaker(operator)
}
