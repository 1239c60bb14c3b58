// The error that refuses a body of JSON. It names the reason and the place: the path of the value,
// such as `payouts[12].amount`, and the line and column.
import { LINE_FEED } from './json-characters.ts'

export type JsonErrorReason =
  | 'syntax'
  | 'duplicate_key'
  | 'forbidden_key'
  | 'too_deep'
  | 'too_many_values'
  | 'too_many_keys'
  | 'too_long'
  | 'nul_character'
  | 'lone_surrogate'
  | 'invalid_utf8'
  | 'byte_order_mark'

/**
 * Refuses a body. `message` is a sentence for the caller. It never repeats a value, and names the
 * position: line and column from 1 in UTF-16 units; for invalid UTF-8 the byte from 0. `path` names
 * the value: `payout_info.amount`, `documents[2].type`, `["odd key"].x`, '' for the whole body.
 */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  readonly reason: JsonErrorReason
  readonly path: string

  constructor(reason: JsonErrorReason, path: string, message: string) {
    super(message)
    this.reason = reason
    this.path = path
  }
}

/** A path shows this many characters of a key, so that no answer gets as long as the body. */
const MAX_KEY_IN_PATH = 64

/** Writes the keys and indexes that lead to a value as a path, such as `payouts[12].amount`. */
export function presentPath(trail: readonly (string | number)[]): string {
  let path = ''
  for (const step of trail) {
    if (typeof step === 'number') path += `[${step}]`
    else if (step.length > MAX_KEY_IN_PATH || !/^[A-Za-z_]\w*$/.test(step)) path += quoteKey(step)
    else path += path === '' ? step : `.${step}`
  }
  return path
}

/** Writes a key in brackets. Cuts it by code points, so that no surrogate pair is split. */
function quoteKey(key: string): string {
  const points = Array.from(key.slice(0, 2 * MAX_KEY_IN_PATH + 1))
  const cut = points.length > MAX_KEY_IN_PATH
  return `[${JSON.stringify(cut ? `${points.slice(0, MAX_KEY_IN_PATH).join('')}…` : key)}]`
}

/** Counts the lines and columns of a text that the reader drops piece by piece. */
export class LineCount {
  #lines = 0
  #column = 0

  /** Counts the first characters of the text, which the reader drops. */
  pass(text: string, length: number): void {
    for (let i = 0; i < length; i += 1) {
      this.#column += 1
      if (text.charCodeAt(i) !== LINE_FEED) continue
      this.#lines += 1
      this.#column = 0
    }
  }

  /** The line and column, from 1, after this many characters of the text. */
  after(text: string, length: number): { readonly line: number; readonly column: number } {
    const there = new LineCount()
    there.#lines = this.#lines
    there.#column = this.#column
    there.pass(text, length)
    return { line: there.#lines + 1, column: there.#column + 1 }
  }
}
