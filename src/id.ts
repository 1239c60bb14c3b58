// Identifiers: a prefix that names the kind of object, then 20 characters: 50 bits of milliseconds
// since 1970 and 50 random bits, in Crockford's base 32, so that ids sort by time as plain text.
import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const BODY = '[0-9a-hjkmnp-tv-z]{20}'

export type IdPrefix =
  | 'acc'
  | 'adj'
  | 'bnf'
  | 'btr'
  | 'dep'
  | 'dst'
  | 'ent'
  | 'esc'
  | 'evt'
  | 'fx'
  | 'key'
  | 'pob'
  | 'poq'
  | 'pot'
  | 'req'
  | 'wdr'
  | 'whd'
  | 'whe'

/** Makes one id. Passed to pure code as a value, so that rules stay free of clock and chance. */
export type NewId = (prefix: IdPrefix) => string

/** Each two characters, by ten bits. */
const PAIRS = Array.from(
  { length: 1024 },
  (_, bits) => ALPHABET.charAt(bits >> 5) + ALPHABET.charAt(bits & 31),
)
const PAIRS_AN_ID = 5
const pool = new Uint16Array(512 * PAIRS_AN_ID)
let used = pool.length

let last_ms = -1
let time = ''

/** 24 characters for a three-letter prefix, 23 for `fx`: service.md, "Identifier prefixes". */
export const newId: NewId = prefix => {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const now_ms = Date.now()
  if (now_ms !== last_ms) {
    last_ms = now_ms
    time = timeText(now_ms)
  }
  // Two bytes a pair: the low ten bits are uniform because 65,536 is a multiple of 1,024.
  let random = ''
  for (let i = 0; i < PAIRS_AN_ID; i++) random += PAIRS[(pool[used + i] as number) & 1023]
  used += PAIRS_AN_ID
  return `${prefix}_${time}${random}`
}

/** 50 bits as ten characters. */
function timeText(ms: number): string {
  let text = ''
  for (let rest = ms; text.length < 10; rest = Math.floor(rest / 32)) {
    text = ALPHABET.charAt(rest % 32) + text
  }
  return text
}

/** The regular expression of ids with this prefix, for schemas. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}_${BODY}$`
}

/** The id of what shares another object's row, and back: the same characters after the prefix. */
export function withPrefix(id: string, prefix: IdPrefix): string {
  return `${prefix}${id.slice(id.indexOf('_'))}`
}

/** What names an object: ids are looked up within their account, never alone. */
export interface Key {
  readonly account_id: string
  readonly id: string
}

/** A key as one text, for maps. */
export function nameOf({ account_id, id }: Key): string {
  return `${account_id}/${id}`
}

/** Each key once. */
export function uniqueKeys<K extends Key>(keys: readonly K[]): K[] {
  return [...new Map(keys.map(key => [nameOf(key), key])).values()]
}
