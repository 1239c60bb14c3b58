// The code word EREF, by which banks name our end-to-end id in a text. Pure.

const REFERENCE = /\bEREF[:+]\s*([0-9A-Z]{15})(?![0-9A-Z])/g

/** The end-to-end ids that a text names, each once. */
export function referencesIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(REFERENCE), ([, id = '']) => id))]
}

/**
 * A text for a bank without the code word: banks repeat the texts of customers, and a customer must
 * not name another payment.
 */
export function withoutCodeWord(text: string): string {
  return text.replace(/(EREF)\s*[:+]/gi, '$1.')
}
