// The row format of events: one row holds the events of one command, or of several commands of a
// batch. `fold` turns a command's events into rows, `gather` joins rows, `unfold` turns rows into
// events. The view each_event unfolds rows in SQL (migrations/0003-book.sql). Pure.
import { type IdPrefix, idBound, numberedId, numberIn, withPrefix } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import type { Event, NamedEvent } from './event.ts'

/**
 * Consecutive events of one account, all of one time. The first may be any event. Each of the
 * others says that an object was created at that time, or that a payout succeeded as usual (`D`).
 */
export interface EventRow {
  readonly account_id: string
  /** The sequence of its last event. */
  readonly sequence: bigint
  readonly created_at: Instant
  /**
   * One word for each event, in order. Its letter says the type; the rest identifies the object.
   * - `B…`, `Q…`, `P…`: a beneficiary, quote or payout was created. Its id has the row's time and
   *   ends in these nine characters. `Q` alone: the carried quote of the next word's payout.
   * - `L17`: the balance transaction of journal 17 was created; the journal's hash proves it.
   * - `D17.…`: the rail reported that a payout succeeded, and journal 17 was written. The id of
   *   the payout ends in these twenty characters.
   * - `S`: payout `object_id` succeeded in another way.
   * - `-`: an event of type `type` about `object_id`. Only the first word of a row can be `-` or
   *   `S`.
   */
  readonly told: string
  /** The type of `-`; without it beneficiary.created if the row has a `B`, otherwise ''. */
  readonly type: string
  /** The object of `-` or `S`; '' without both. */
  readonly object_id: string
  /**
   * The data of each event, where null stands for the usual data. Null if all events have theirs.
   */
  readonly data: readonly (object | null)[] | null
  /** The digests that the events carry, concatenated. */
  readonly content: string | null
}

/** A row as read: without the digests, which only the chain and `corridor verify` need. */
export type ReadRow = Omit<EventRow, 'content'> & Partial<Pick<EventRow, 'content'>>

/** For each letter of a creation, the event type and the prefix of the object's id. */
const MADE = {
  B: { type: 'beneficiary.created', prefix: 'bnf' },
  Q: { type: 'payout_quote.created', prefix: 'poq' },
  P: { type: 'payout.created', prefix: 'pot' },
  L: { type: 'balance_transaction.created', prefix: 'btr' },
} as const satisfies Readonly<Record<string, { type: string; prefix: IdPrefix }>>

type Letter = keyof typeof MADE

const LETTERS = Object.keys(MADE) as readonly Letter[]

/** `D`, the journal's number, a dot and the end of the payout's id. */
const DONE = /^D[1-9][0-9]{0,10}\.[0-9a-z]{20}$/

/** The only type of creation that is rare enough for the index on `type`. */
const RARE = MADE.B.type
const SUCCEEDED = 'payout.succeeded'

/** The letters of the types that every payout writes. The index on `type` leaves them out. */
export const COMMON_LETTERS: ReadonlyMap<string, string> = new Map([
  [MADE.Q.type, 'Q'],
  [MADE.P.type, 'P'],
  [MADE.L.type, 'L'],
  [SUCCEEDED, 'DS'],
])

/** The most events of one row. It bounds how far before its number a row can begin. */
export const MAX_EVENTS = 8

/** Hex digits of a digest. */
const DIGITS = 64
/** The length of the prefix of payouts. */
export const PREFIX_END = 4
/** The length of the prefix and the time in an id that a book gives. */
export const TIME_END = 15

function wordsOf(told: string): string[] {
  return told.split(' ')
}

/** The number of the first event of a row. */
export function firstOf({ sequence, told }: Pick<EventRow, 'sequence' | 'told'>): bigint {
  return sequence - BigInt(wordsOf(told).length) + 1n
}

/** Whether an object's id holds its time of creation, which locates the row of its creation. */
export function idHasTime(object_id: string): boolean {
  return Object.values(MADE).some(({ prefix }) => object_id.startsWith(`${prefix}_`))
}

/** The end of the word for this payout's usual success. */
export function successEndOf(payout_id: string): string {
  return `.${payout_id.slice(PREFIX_END)}`
}

/** The part of an object's id that the word of its creation holds. */
export function endOf(object_id: string): string {
  return object_id.startsWith(`${MADE.L.prefix}_`)
    ? `L${numberIn(object_id)}`
    : object_id.slice(TIME_END)
}

/** The events of rows, in their order. */
export function unfold(rows: readonly ReadRow[]): NamedEvent[] {
  return rows.flatMap(unfoldRow)
}

function unfoldRow(row: ReadRow): NamedEvent[] {
  const { account_id, created_at, data, content } = row
  const words = wordsOf(row.told)
  const first = firstOf(row)
  const digests = content === undefined ? undefined : digestsOf(words, content)
  return words.map((_, i) => {
    const sequence = first + BigInt(i)
    return {
      account_id,
      sequence,
      id: numberedId('evt', row, sequence),
      ...subjectOf(row, words, i),
      data: data?.[i] ?? usualData(words, i),
      created_at,
      ...(digests !== undefined && { content: digests[i] }),
    }
  })
}

function subjectOf(row: ReadRow, words: readonly string[], i: number) {
  const word = words[i] as string
  const letter = word.charAt(0)
  if (letter === '-') return { type: row.type, object_id: row.object_id }
  if (letter === 'S') return { type: SUCCEEDED, object_id: row.object_id }
  if (letter === 'D') return { type: SUCCEEDED, object_id: payoutIn(word) }
  const { type, prefix } = MADE[letter as Letter]
  if (letter === 'L') return { type, object_id: numberedId(prefix, row, BigInt(word.slice(1))) }
  const end = word === 'Q' ? (words[i + 1] as string).slice(1) : word.slice(1)
  return { type, object_id: `${idBound(prefix, row.created_at, 'before')}${end}` }
}

function payoutIn(word: string): string {
  return `${MADE.P.prefix}_${word.slice(word.indexOf('.') + 1)}`
}

/** The data of a word's event where the row stores none. */
function usualData(words: readonly string[], i: number): object {
  const [word = '', next = ''] = words.slice(i)
  switch (word.charAt(0)) {
    case 'P':
      return { status: 'processing', by: 'account', journals: lineIn(next) }
    case 'D':
      return {
        status: 'succeeded',
        previous_status: 'processing',
        failure: null,
        by: 'rail',
        journals: [Number(word.slice(1, word.indexOf('.')))],
      }
    default:
      return {}
  }
}

/** The journal number in the word of a line; empty for other words. */
function lineIn(word: string): number[] {
  return word.startsWith('L') ? [Number(word.slice(1))] : []
}

/** Whether the word's event carries a digest. Events of lines and of carried quotes do not. */
function hasDigest(word: string): boolean {
  return word !== 'Q' && !word.startsWith('L')
}

/**
 * Reads from the end, because `content` alone shows whether the first event carries a digest.
 */
function digestsOf(words: readonly string[], content: string | null): (string | undefined)[] {
  let end = content?.length ?? 0
  const digests = words.toReversed().map(word => {
    if (content === null || !hasDigest(word) || end === 0) return undefined
    end -= DIGITS
    return content.slice(end, end + DIGITS)
  })
  return digests.reverse()
}

/**
 * The rows of one command's events. The events of each account are in the order of their numbers.
 */
export function fold(events: readonly Event[]): EventRow[] {
  const rows: Draft[] = []
  const last = new Map<string, Draft>()
  for (const [i, event] of events.entries()) {
    const word = wordOf(event, events[i + 1])
    const before = last.get(event.account_id)
    if (before !== undefined && fits(before, event, word)) {
      before.words.push(word)
      before.events.push(event)
    } else {
      const row = { words: [word], events: [event] }
      last.set(event.account_id, row)
      rows.push(row)
    }
  }
  return rows.map(rowOf)
}

/** A row in the making. */
interface Draft {
  readonly words: string[]
  readonly events: Event[]
}

/** Whether the event fits into the row. `Q` alone needs room for the payout that follows it. */
function fits({ words, events }: Draft, event: Event, word: string): boolean {
  const newest = events.at(-1) as Event
  if (newest.sequence + 1n !== event.sequence) return false
  if (newest.created_at !== event.created_at) return false
  if (!namesObject(word)) return false
  if (word.startsWith('B') && words.some(w => w.startsWith('B') || w === '-')) return false
  return words.length + (word === 'Q' ? 1 : 0) < MAX_EVENTS
}

/** Whether the word names its object, so that it can follow other words. */
function namesObject(word: string): boolean {
  return word.charAt(0) in MADE || word.startsWith('D')
}

function wordOf(event: Event, next: Event | undefined): string {
  const { type, content } = event
  if (type === SUCCEEDED) return succeeded(event)
  for (const letter of LETTERS) {
    if (MADE[letter].type !== type) continue
    if (letter === 'Q' && isCarried(event, next)) return 'Q'
    const word = `${letter}${madeEnd(event, MADE[letter].prefix) ?? ''}`
    if (word.length > 1 && hasDigest(word) === (content !== undefined)) return word
  }
  return '-'
}

/** Whether a quote has no digest and the next event is the payout that carries it. */
function isCarried(quote: Event, next: Event | undefined): boolean {
  if (quote.content !== undefined || next?.content === undefined) return false
  if (next.type !== MADE.P.type || next.account_id !== quote.account_id) return false
  if (next.created_at !== quote.created_at || next.sequence !== quote.sequence + 1n) return false
  const { prefix } = MADE.Q
  return (
    madeEnd(next, MADE.P.prefix) !== undefined &&
    withPrefix(next.object_id, prefix) === quote.object_id
  )
}

/** The end of the object's id; undefined when the id was not made at the event's time. */
function madeEnd(event: Event, prefix: IdPrefix): string | undefined {
  const { object_id, created_at } = event
  if (prefix === MADE.L.prefix) {
    const number = numberIn(object_id)
    return numberedId(prefix, event, number) === object_id ? String(number) : undefined
  }
  const begin = idBound(prefix, created_at, 'before')
  const has_that_time = begin.length === TIME_END && object_id.startsWith(begin)
  return has_that_time ? object_id.slice(TIME_END) : undefined
}

/** Compares as JSON text, as callers get it. Checks emptiness first, because most data is empty. */
function isUsual(data: object, words: readonly string[], i: number): boolean {
  if (isEmpty(data)) return isEmpty(usualData(words, i))
  return JSON.stringify(data) === JSON.stringify(usualData(words, i))
}

function isEmpty(data: object): boolean {
  for (const _ in data) return false
  return true
}

/** `D…` when a payout with a digest succeeded by its rail with one journal, otherwise `S`. */
function succeeded({ object_id, data, content }: Event): string {
  const { journals } = data as { readonly journals?: readonly unknown[] }
  const word = `D${journals?.[0]}${successEndOf(object_id)}`
  const usual = content !== undefined && DONE.test(word) && payoutIn(word) === object_id
  return usual && isUsual(data, [word], 0) ? word : 'S'
}

function rowOf({ words, events }: Draft): EventRow {
  const [first] = events as [Event]
  const named = namesObject(words[0] as string)
  const data = events.map((event, i) => (isUsual(event.data, words, i) ? null : event.data))
  const digests = events.flatMap(event => event.content ?? [])
  return {
    account_id: first.account_id,
    sequence: (events.at(-1) as Event).sequence,
    created_at: first.created_at,
    told: words.join(' '),
    type: words[0] === '-' ? first.type : words.some(word => word.startsWith('B')) ? RARE : '',
    object_id: named ? '' : first.object_id,
    data: data.every(one => one === null) ? null : data,
    content: digests.length === 0 ? null : digests.join(''),
  }
}

/**
 * Joins rows that fit into one. `ends` is true for a row that carries the digest of a kept answer:
 * no row is joined after it.
 */
export function gather(rows: readonly EventRow[], ends: (row: EventRow) => boolean): EventRow[] {
  const gathered: EventRow[] = []
  const places = new Map<string, number>()
  for (const row of rows) {
    const place = places.get(row.account_id)
    const before = place === undefined ? undefined : gathered[place]
    if (place !== undefined && before !== undefined && !ends(before) && follows(before, row)) {
      gathered[place] = joined(before, row)
    } else {
      places.set(row.account_id, gathered.push(row) - 1)
    }
  }
  return gathered
}

/** A row that ends with a payout. A line joined after it would pass for the payout's debit. */
const PAYOUT_LAST = /(^| )P[0-9a-z]+$/

function follows(before: EventRow, row: EventRow): boolean {
  if (row.told.startsWith('L') && PAYOUT_LAST.test(before.told)) return false
  if (row.object_id !== '' || (row.type !== '' && before.type !== '')) return false
  if (row.created_at !== before.created_at || firstOf(row) !== before.sequence + 1n) return false
  return row.sequence - firstOf(before) < BigInt(MAX_EVENTS)
}

function joined(before: EventRow, row: EventRow): EventRow {
  const dataOf = ({ told, data }: EventRow) => data ?? wordsOf(told).map(() => null)
  return {
    ...row,
    told: `${before.told} ${row.told}`,
    type: before.type || row.type,
    object_id: before.object_id,
    data: before.data === null && row.data === null ? null : [...dataOf(before), ...dataOf(row)],
    content: (before.content ?? '') + (row.content ?? '') || null,
  }
}
