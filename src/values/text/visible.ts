// Makes foreign text safe for a line on a screen or in a bank's form.
import type { Read } from './csv.ts'

/** Characters that move the cursor, start a terminal command, or reverse the order of letters. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** Joiners, which some scripts and emoji need. */
const JOINERS = new Set(['\u200c', '\u200d'])

/** Escapes invisible characters as JSON does, so that the text is safe for a terminal. */
export function visible(text: string): string {
  return text.replace(UNSAFE, character => {
    if (JOINERS.has(character)) return character
    const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
    return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  })
}

/**
 * Reads one line of visible text, trimmed, or gives its problems. Their messages call the text
 * `what`.
 */
export function readLine(what: string, text: string, max: number): Read<string> {
  const words = text.normalize('NFC').trim()
  if (words === '') return { messages: [`${what} must not be blank`] }
  if ([...words].length > max) return { messages: [`${what} has at most ${max} characters`] }
  if (words === visible(words) && words.isWellFormed()) return { value: words }
  return { messages: [`${what} must be one line of text that can be seen`] }
}
