// How events stand in the table: a row is what one command told. `fold` writes it and `unfold`
// reads it; the view each_event does the same in SQL (migrations/0003-book.sql). Pure.
import { type IdPrefix, idBound, numberedId, numberIn, withPrefix } from '../id.ts'
import type { Instant } from '../instant.ts'
import type { Event, NamedEvent } from './event.ts'

/**
 * Events of one account, one after the other and of one time. At most the first tells of what was
 * there before; the others tell of what the same command has made.
 */
export interface EventRow {
  readonly account_id: string
  /** Of its last event. */
  readonly sequence: bigint
  readonly created_at: Instant
  /**
   * A word an event, in their order: a letter that says what happened, and what the rest of the
   * event is made from.
   * - `B…`, `Q…`, `P…`: a beneficiary, quote or payout was created; its id has the row's time and
   *   ends in these nine characters. `Q` alone: the quote that the payout of the next word carries.
   * - `L17`: the balance transaction of journal 17 was created, whose hash vouches for it.
   * - `S17`: the payout `object_id` has succeeded by its rail, and journal 17 was written.
   * - `-`: `type` happened to `object_id`. Like `S`, it stands first.
   */
  readonly told: string
  /** What `-` stands for, or beneficiary.created if the row has that; '' when it has neither. */
  readonly type: string
  /** What the first event happened to, when that was there before; '' when it was not. */
  readonly object_id: string
  /** Of each event; null of what is usual, and of a row in which all is. */
  readonly data: readonly (object | null)[] | null
  /** The digests that the events carry, one after the other. */
  readonly content: string | null
}

/** Without what only the chain and `corridor verify` need. */
export type ReadRow = Omit<EventRow, 'content'> & Partial<Pick<EventRow, 'content'>>

/** What is made by the command that tells of it, and how its id begins. */
const MADE = {
  B: { type: 'beneficiary.created', prefix: 'bnf' },
  Q: { type: 'payout_quote.created', prefix: 'poq' },
  P: { type: 'payout.created', prefix: 'pot' },
  L: { type: 'balance_transaction.created', prefix: 'btr' },
} as const satisfies Readonly<Record<string, { type: string; prefix: IdPrefix }>>

type Letter = keyof typeof MADE

const LETTERS = Object.keys(MADE) as readonly Letter[]

/** Has an index: most rows have none. */
const RARE = MADE.B.type
const SUCCEEDED = 'payout.succeeded'

/** The letters of the types that an ordinary payout writes, which no index finds. */
export const COMMON_LETTERS: ReadonlyMap<string, string> = new Map([
  [MADE.Q.type, 'Q'],
  [MADE.P.type, 'P'],
  [MADE.L.type, 'L'],
  [SUCCEEDED, 'S'],
])

/** No row has more events, so that whoever looks for a number knows how far its row can reach. */
export const MAX_EVENTS = 8

/** Hex digits of a digest. */
const DIGITS = 64
/** How many characters of a book's id are its prefix and its time. */
export const TIME_END = 15

/** The words of a row. */
function wordsOf(told: string): string[] {
  return told.split(' ')
}

/** The number of the first event of a row. */
export function firstOf({ sequence, told }: Pick<EventRow, 'sequence' | 'told'>): bigint {
  return sequence - BigInt(wordsOf(told).length) + 1n
}

/** Whether its id says when an object was made, and with that where the row is that tells of it. */
export function isMadeById(object_id: string): boolean {
  return Object.values(MADE).some(({ prefix }) => object_id.startsWith(`${prefix}_`))
}

/** How object ids are found in `told`: what a row that tells of its creation has there. */
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
      ...namesOf(row, words, i),
      data: data?.[i] ?? usualOf(words, i),
      created_at,
      ...(digests !== undefined && { content: digests[i] }),
    }
  })
}

function namesOf(row: ReadRow, words: readonly string[], i: number) {
  const word = words[i] as string
  const letter = word.charAt(0)
  if (letter === '-') return { type: row.type, object_id: row.object_id }
  if (letter === 'S') return { type: SUCCEEDED, object_id: row.object_id }
  const { type, prefix } = MADE[letter as Letter]
  if (letter === 'L') return { type, object_id: numberedId(prefix, row, BigInt(word.slice(1))) }
  const end = word === 'Q' ? (words[i + 1] as string).slice(1) : word.slice(1)
  return { type, object_id: `${idBound(prefix, row.created_at, 'before')}${end}` }
}

/** What the event of a word says unless the row has written something else. */
function usualOf(words: readonly string[], i: number): object {
  const [word = '', next = ''] = words.slice(i)
  switch (word.charAt(0)) {
    case 'P':
      return { status: 'processing', by: 'account', journals: journalIn(next, 'L') }
    case 'S':
      return {
        status: 'succeeded',
        previous_status: 'processing',
        failure: null,
        by: 'rail',
        journals: journalIn(word, 'S'),
      }
    default:
      return {}
  }
}

/** The number in a word of this letter; none in another. */
function journalIn(word: string, letter: string): number[] {
  return word.startsWith(letter) && word.length > 1 ? [Number(word.slice(1))] : []
}

/** What is made has a digest, but for lines and the quote that a payout carries. */
function hasDigest(word: string): boolean {
  return word !== 'Q' && !word.startsWith('L')
}

/** What was there before, which stands first, may have one, too: its place is what is left over. */
function digestsOf(words: readonly string[], content: string | null): (string | undefined)[] {
  let end = content?.length ?? 0
  const digests = words.toReversed().map(word => {
    if (content === null || !hasDigest(word) || end === 0) return undefined
    end -= DIGITS
    return content.slice(end, end + DIGITS)
  })
  return digests.reverse()
}

/** The rows of what one command has told, any accounts, each in the order of its numbers. */
export function fold(events: readonly Event[]): EventRow[] {
  const rows: Draft[] = []
  const last = new Map<string, Draft>()
  for (const [i, event] of events.entries()) {
    const word = wordOf(event, events[i + 1])
    const before = last.get(event.account_id)
    if (before !== undefined && takes(before, event, word)) {
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

/** A row that is being written. */
interface Draft {
  readonly words: string[]
  readonly events: Event[]
}

/** What a quote's word says of the payout after it must stand in the same row. */
function takes({ words, events }: Draft, event: Event, word: string): boolean {
  const newest = events.at(-1) as Event
  if (newest.sequence + 1n !== event.sequence) return false
  if (newest.created_at !== event.created_at) return false
  if (!isMade(word)) return false
  if (word.startsWith('B') && words.some(w => w.startsWith('B') || w === '-')) return false
  return words.length + (word === 'Q' ? 1 : 0) < MAX_EVENTS
}

function isMade(word: string): boolean {
  return word.charAt(0) in MADE
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

/** A quote without a digest, and after it the payout that carries it. */
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

/** The end of an id that was made at the event's time. */
function madeEnd(event: Event, prefix: IdPrefix): string | undefined {
  const { object_id, created_at } = event
  if (prefix === MADE.L.prefix) {
    const number = numberIn(object_id)
    return numberedId(prefix, event, number) === object_id ? String(number) : undefined
  }
  const begin = idBound(prefix, created_at, 'before')
  const of_that_time = begin.length === TIME_END && object_id.startsWith(begin)
  return of_that_time ? object_id.slice(TIME_END) : undefined
}

/** To the letter, as it is answered. */
function isUsual(data: object, words: readonly string[], i: number): boolean {
  return JSON.stringify(data) === JSON.stringify(usualOf(words, i))
}

/** With the journal when that is all there is to say. */
function succeeded({ data }: Event): string {
  const { journals } = data as { readonly journals?: readonly unknown[] }
  const word = `S${journals?.[0]}`
  const usual = /^S\d+$/.test(word) && isUsual(data, [word], 0)
  return usual ? word : 'S'
}

function rowOf({ words, events }: Draft): EventRow {
  const [first] = events as [Event]
  const made = isMade(words[0] as string)
  const data = events.map((event, i) => (isUsual(event.data, words, i) ? null : event.data))
  const digests = events.flatMap(event => event.content ?? [])
  return {
    account_id: first.account_id,
    sequence: (events.at(-1) as Event).sequence,
    created_at: first.created_at,
    told: words.join(' '),
    type: words[0] === '-' ? first.type : words.some(word => word.startsWith('B')) ? RARE : '',
    object_id: made ? '' : first.object_id,
    data: data.every(one => one === null) ? null : data,
    content: digests.length === 0 ? null : digests.join(''),
  }
}
