// Words that an operator gives a reason or a reference by: one line, not blank, of a length that
// statements have room for.
import { UsageError } from './context.ts'

/** Without white space around it; anything else that is wrong is a usage error. */
export function readText(option: string, text: string, most: number): string {
  const words = text.normalize('NFC').trim()
  if (words === '') throw new UsageError(`${option} must not be blank`)
  if ([...words].length > most) throw new UsageError(`${option} has at most ${most} characters`)
  if (/\p{Cc}/u.test(words) || !words.isWellFormed()) {
    throw new UsageError(`${option} must be one line of text`)
  }
  return words
}

/** Of an account; it stands in statements. */
export const MAX_NAME = 200

export function readReason(text: string | undefined): string {
  return readText('--reason', text ?? '', 500)
}
