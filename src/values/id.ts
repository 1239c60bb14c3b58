// Ids: a prefix for the kind of object, then 20 characters of Crockford's base 32, which sort as
// text (§request.ids). Ids made under the lock of a book follow its order, so that the primary key
// is the index of lists. Account ids are shorter (docs/decisions/ids-and-clocks.md).
import { hash as digest, randomFillSync } from 'node:crypto'
import { type Instant, instantToMicros } from './instant.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const BODY = '[0-9a-hjkmnp-tv-z]{20}'

export type IdPrefix =
  | 'adj'
  | 'apr'
  | 'bnf'
  | 'btr'
  | 'cni'
  | 'cnv'
  | 'coq'
  | 'dep'
  | 'dst'
  | 'ent'
  | 'esc'
  | 'evt'
  | 'fx'
  | 'inv'
  | 'key'
  | 'lim'
  | 'pim'
  | 'pob'
  | 'poq'
  | 'pot'
  | 'req'
  | 'rql'
  | 'usk'
  | 'viw'
  | 'wdr'
  | 'whd'
  | 'whe'

/** A locked book: its time, and the number of ids made at that time. */
export interface GivesIds {
  readonly now: Instant
  ids_given: number
}

/** Makes an id in the order of a book. It uses chance, so pure code gets it as a parameter. */
export type BookId = (book: GivesIds, prefix: IdPrefix) => string

/** 11 characters of microseconds, 4 of the book's count at that time, and 5 random characters. */
export const bookId: BookId = (book, prefix) => {
  if (book.ids_given === MAX_IDS) throw new Error(`a book gives ${MAX_IDS} ids at most at a time`)
  const count = base32(book.ids_given, 4)
  book.ids_given += 1
  return `${prefix}_${timeText(book.now)}${count}${randomText(5)}`
}

const MAX_IDS = 2 ** 20

/** Makes an id of an object without a book. */
export type NewId = (prefix: IdPrefix) => string

/** 11 characters of microseconds by the process's clock, and 9 random characters. */
export const newId: NewId = prefix => `${prefix}_${clockText(Date.now())}${randomText(9)}`

/**
 * An account id has only 8 random characters, because all of the account's rows and index entries
 * contain it. The primary key of `accounts` refuses an id that another account has.
 */
export function newAccountId(): string {
  return `acc_${randomText(8)}`
}

/**
 * A text that sorts before, or after, all ids that a book makes at this time. For an instant
 * outside the range of ids, such as `infinity`, it sorts before or after all ids.
 */
export function idBound(prefix: IdPrefix, at: Instant, side: 'before' | 'after'): string {
  if (at === '-infinity') return `${prefix}_`
  if (at === 'infinity') return `${prefix}_${AFTER_ALL}`
  const micros = at === last_instant ? 0n : instantToMicros(at)
  if (micros < 0n) return `${prefix}_`
  if (micros >= MICROS_END) return `${prefix}_${AFTER_ALL}`
  return `${prefix}_${timeText(at)}${side === 'after' ? AFTER_ALL : ''}`
}

/** The time in an id made by bookId or newId. */
export function instantIn(id: string): Instant {
  return instantOf(numberOf(id.slice(id.indexOf('_') + 1).slice(0, 11)))
}

/** The range of time, both ends included, in which the object of an id was created. */
export function timesIn(id: string): { readonly from: Instant; readonly to: Instant } {
  if (!NUMBERED.some(prefix => id.startsWith(`${prefix}_`))) {
    return { from: instantIn(id), to: instantIn(id) }
  }
  const from = numberOf(id.slice(id.indexOf('_') + 1).slice(0, 9)) * 1000n
  return { from: instantOf(from), to: instantOf(from + 999n) }
}

/** Numbered ids hold milliseconds. */
const NUMBERED: readonly IdPrefix[] = ['btr', 'evt']

function instantOf(micros: bigint): Instant {
  const seconds = new Date(Number(micros / 1_000_000n) * 1000).toISOString().slice(0, 19)
  return `${seconds}.${String(micros % 1_000_000n).padStart(6, '0')}Z`
}

function numberOf(text: string): bigint {
  let value = 0n
  // Ten characters have 50 bits, which a number holds exactly.
  for (let at = 0; at < text.length; at += 10) {
    const part = text.slice(at, at + 10)
    let number = 0
    for (const character of part) number = number * 32 + ALPHABET.indexOf(character)
    value = (value << BigInt(5 * part.length)) + BigInt(number)
  }
  return value
}

/** A character that sorts after all characters of ids. */
const AFTER_ALL = '~'
/** 55 bits of microseconds since 1970 last until the year 3111. */
const MICROS_END = 2n ** 55n

/**
 * The id of a numbered row: 9 characters of milliseconds, 7 of the number, and 4 of a digest of the
 * account. It is computed from the row and not stored; the number in it locates the row.
 */
export function numberedId(
  prefix: IdPrefix,
  row: { readonly account_id: string; readonly created_at: Instant },
  number: bigint,
): string {
  if (number >= NUMBERS_END) throw new Error(`${row.account_id} has used up the numbers of ids`)
  const count = Number(number)
  const numbered = base32(Math.floor(count / 2 ** 15), 4) + base32(count % 2 ** 15, 3)
  return `${prefix}_${millisecondsText(row.created_at)}${numbered}${accountText(row.account_id)}`
}

/** The number in a numbered id. The caller must check that the row of that number has this id. */
export function numberIn(id: string): bigint {
  return numberOf(id.slice(-11, -4))
}

/** The length, in hex digits, of the beginning that all keys of an import's rows share. */
export const IMPORT_DIGITS = 16

/**
 * The id of a payout import, which has no row: 13 characters of the beginning of its rows' keys,
 * and 7 of a digest of the account.
 */
export function importId(account_id: string, beginning: string): string {
  const bits = (hex: string, from: number, to: number, length: number) =>
    base32(Number.parseInt(hex.slice(from, to), 16), length)
  const mark = digest('sha256', account_id, 'hex')
  const name = bits(beginning, 0, 6, 5) + bits(beginning, 6, 11, 4) + bits(beginning, 11, 16, 4)
  return `pim_${name}${bits(mark, 0, 5, 4)}${bits(mark, 5, 8, 3)}`
}

/** The beginning of the keys of an import's rows. Every import id with these characters has it. */
export function beginningIn(import_id: string): string {
  const part = (from: number, to: number, digits: number) =>
    numberOf(import_id.slice(4 + from, 4 + to))
      .toString(16)
      .padStart(digits, '0')
      .slice(-digits)
  return part(0, 5, 6) + part(5, 9, 5) + part(9, 13, 5)
}

/** 35 bits of a number. */
const NUMBERS_END = 2n ** 35n

let last_account = ''
let account = ''

/** 20 bits of the SHA-256 of the account's id. */
function accountText(account_id: string): string {
  if (account_id !== last_account) {
    const bits = Number.parseInt(digest('sha256', account_id, 'hex').slice(0, 5), 16)
    account = base32(bits, 4)
    last_account = account_id
  }
  return account
}

let last_instant: Instant = ''
let time = ''

/** 55 bits of microseconds as 11 characters. Caches the last: a book's batch has one time. */
function timeText(at: Instant): string {
  if (at !== last_instant) {
    const micros = instantToMicros(at)
    if (micros < 0n || micros >= MICROS_END) throw new Error(`no id is made of ${at}`)
    time = base32(Number(micros >> 25n), 6) + base32(Number(micros & 0x1ff_ffffn), 5)
    last_instant = at
  }
  return time
}

let last_reading = Number.NaN
let reading = ''

/** The clock's milliseconds as timeText writes them. A float holds their microseconds exactly. */
function clockText(ms: number): string {
  if (ms !== last_reading) {
    reading = base32(Math.floor((ms * 1000) / 2 ** 25), 6) + base32((ms * 1000) % 2 ** 25, 5)
    last_reading = ms
  }
  return reading
}

let last_millisecond = ''
let millisecond = ''

/** 45 bits of milliseconds as 9 characters. */
function millisecondsText(at: Instant): string {
  const cut = at.slice(0, 23)
  if (cut !== last_millisecond) {
    // An integer far below 2^53.
    const ms = Date.parse(`${cut}Z`)
    if (!(ms >= 0 && ms < 2 ** 45)) throw new Error(`no id is made of ${at}`)
    millisecond = base32(Math.floor(ms / 2 ** 25), 4) + base32(ms % 2 ** 25, 5)
    last_millisecond = cut
  }
  return millisecond
}

/** An integer of at most 30 bits as `length` characters. */
export function base32(value: number, length: number): string {
  let text = ''
  for (let rest = value, i = 0; i < length; i++, rest >>= 5)
    text = ALPHABET.charAt(rest & 31) + text
  return text
}

const pool = new Uint8Array(4096)
let used = pool.length

/** Random characters of ids. */
export function randomText(length: number): string {
  if (used + length > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  let text = ''
  // The low five bits of a byte are uniform, as 256 is a multiple of 32.
  for (let i = 0; i < length; i++) text += ALPHABET.charAt((pool[used + i] as number) & 31)
  used += length
  return text
}

/** The regular expression of ids with this prefix, for schemas. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}_${BODY}$`
}

/** As `idPattern`, for several prefixes. */
export function idPatternOf(prefixes: readonly IdPrefix[]): string {
  const [prefix, ...others] = prefixes
  if (prefix !== undefined && others.length === 0) return idPattern(prefix)
  return `^(${prefixes.join('|')})_${BODY}$`
}

/** The id of an object that shares another one's row: the same characters after another prefix. */
export function withPrefix(id: string, prefix: IdPrefix): string {
  return `${prefix}${id.slice(id.indexOf('_'))}`
}

/** The key of an object: ids are looked up within their account only. */
export interface Key {
  readonly account_id: string
  readonly id: string
}

/** The key of the payout that a command, or a row of another table, names. */
export function payoutKey(of: { readonly account_id: string; readonly payout_id: string }): Key {
  return { account_id: of.account_id, id: of.payout_id }
}

/** A key as one text, for maps. */
export function nameOf({ account_id, id }: Key): string {
  return `${account_id}/${id}`
}

/** The keys by `nameOf`. Of several with the same name, the last. */
export function byName<K extends Key>(keys: readonly K[]): Map<string, K> {
  const named = new Map<string, K>()
  for (const key of keys) named.set(nameOf(key), key)
  return named
}

/** The keys in the order in which their rows are locked, so that no two transactions deadlock. */
export function inLockOrder<K extends Key>(keys: readonly K[]): K[] {
  return keys.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

/** Each key once. */
export function uniqueKeys<K extends Key>(keys: readonly K[]): readonly K[] {
  return keys.length < 2 ? keys : [...byName(keys).values()]
}
