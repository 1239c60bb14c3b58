// Words that an operator gives a reason or a reference by: one line, not blank, of a length that
// statements have room for.
import { UsageError } from './context.ts'
import { visible } from './terminal.ts'

/** Without white space around it; anything else that is wrong is a usage error. */
export function readText(option: string, text: string, most: number): string {
  const words = text.normalize('NFC').trim()
  if (words === '') throw new UsageError(`${option} must not be blank`)
  if ([...words].length > most) throw new UsageError(`${option} has at most ${most} characters`)
  if (words !== visible(words) || !words.isWellFormed()) {
    throw new UsageError(`${option} must be one line of text that can be seen`)
  }
  return words
}

/** Of an account; it stands in statements. */
export const MAX_NAME = 200

/** The bank's reference of a payment, and why an operator does something. */
export const MAX_REFERENCE = 140
export const MAX_REASON = 500

export function readReference(text: string): string {
  return readText('--reference', text, MAX_REFERENCE)
}

export function readReason(text: string): string {
  return readText('--reason', text, MAX_REASON)
}
