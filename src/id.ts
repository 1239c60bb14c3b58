// Identifiers: a prefix that names the kind of object, then 20 characters: 50 bits of milliseconds
// since 1970 and 50 random bits, in Crockford's base 32, so that ids sort by time as plain text.
import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const BODY = '[0-9a-hjkmnp-tv-z]{20}'

export type IdPrefix =
  | 'acc'
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
  | 'whd'
  | 'whe'

/** Makes one id. Passed to pure code as a value, so that rules stay free of clock and chance. */
export type NewId = (prefix: IdPrefix) => string

const POOL_BYTES = 10 * 512
const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/** 24 characters for a three-letter prefix, 23 for `fx`: service.md, "Identifier prefixes". */
export const newId: NewId = prefix => {
  if (used === POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  let time = Date.now()
  let body = ''
  for (let i = 0; i < 10; i++) {
    body = ALPHABET.charAt(time % 32) + body
    time = Math.floor(time / 32)
  }
  // One byte a character: the low five bits are uniform because 256 is a multiple of 32.
  for (let i = 0; i < 10; i++) body += ALPHABET.charAt(pool.readUInt8(used + i) & 31)
  used += 10
  return `${prefix}_${body}`
}

/** The regular expression of ids with this prefix, for schemas. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}_${BODY}$`
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
