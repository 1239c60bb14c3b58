// The words for return codes and change codes in an ACH file. Source: Nacha Operating Rules,
// Appendix Four (Return Reason Codes) and Five (Change Codes). Pure.
import { reasonOf } from '../../values/bank-format/reason.ts'

/**
 * The banking day after settlement by whose opening most returns reach the sending bank (section
 * 3.8). R06, R23 and R31 may come later.
 */
export const RETURN_DAYS = 2

/**
 * The title of a code, for people, and whether money has come back. It has with every code but an
 * answer to a return, even with an unknown code.
 */
export function readReturnCode(code: string): { is_return: boolean; title: string } {
  const { cause, words, debit } = reasonOf('nacha', code) ?? {}
  if (words === undefined) {
    return { is_return: true, title: 'returned with a code that is not known' }
  }
  const title = phraseOf(words)
  if (cause === 'answer') return { is_return: false, title: `answer to a return: ${title}` }
  // Some banks use the nearest code that they know. The money has come back all the same.
  return { is_return: true, title: debit === true ? `${title} (a code of debits)` : title }
}

/** The field that a change code asks to change in later entries, as text for people. */
export function changeTitle(code: string): string {
  const { cause, words } = reasonOf('nacha', code) ?? {}
  if (words === undefined) return 'a code that is not known'
  const title = phraseOf(words)
  return cause === 'change' ? `to be changed: ${title}` : title
}

/** A sentence without its full stop, to stand inside of another. */
function phraseOf(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1, -1)
}
