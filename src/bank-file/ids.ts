// The ids that banks give back: digits and capitals that no bank cuts or changes, in the order in
// which they are made. Constraints of their tables keep them unique for ever.
import { randomBytes } from 'node:crypto'

/** Crockford's base 32: 0 and O, 1 and I cannot be mistaken for each other. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** 7 characters of seconds since 1970, then random ones: 40 bits in an EndToEndId. */
export function newEndToEndId(): string {
  return secondsText() + randomText(8)
}

/** Begins with a letter, since some banks read an id of digits as a number. */
export function newMessageId(): string {
  return `C${secondsText()}${randomText(8)}`
}

function secondsText(): string {
  let rest = Math.floor(Date.now() / 1000)
  let text = ''
  for (let i = 0; i < 7; i++, rest = Math.floor(rest / 32)) {
    text = ALPHABET.charAt(rest % 32) + text
  }
  return text
}

function randomText(length: number): string {
  // The low five bits of a byte are uniform, as 256 is a multiple of 32.
  return Array.from(randomBytes(length), byte => ALPHABET.charAt(byte & 31)).join('')
}
