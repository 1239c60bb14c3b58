// Text of others, for a line on a screen or in a form of a bank.
import type { Read } from './csv.ts'

/** Characters that move the cursor, start a terminal command, or reverse the order of letters. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** Joiners, which some scripts and emoji need. */
const JOINERS = new Set(['\u200c', '\u200d'])

/** Text of others, safe for a terminal: escapes invisible characters as JSON does. */
export function visible(text: string): string {
  return text.replace(UNSAFE, character => {
    if (JOINERS.has(character)) return character
    const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
    return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  })
}

/** One line of text that can be seen, trimmed; or what is wrong with it, of `what`. */
export function readLine(what: string, text: string, most: number): Read<string> {
  const words = text.normalize('NFC').trim()
  if (words === '') return { messages: [`${what} must not be blank`] }
  if ([...words].length > most) return { messages: [`${what} has at most ${most} characters`] }
  if (words === visible(words) && words.isWellFormed()) return { value: words }
  return { messages: [`${what} must be one line of text that can be seen`] }
}
