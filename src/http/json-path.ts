// Where a value stands in a body, for people: its path, `payouts[12].amount`, its line and column.
// Knows keys, indexes and lines, no JSON.
import { LINE_FEED } from './json-characters.ts'

/** A longer key is cut in a path, so that an answer cannot be made as long as the body. */
const MAX_KEY_IN_PATH = 64

export function presentPath(trail: readonly (string | number)[]): string {
  let path = ''
  for (const step of trail) {
    if (typeof step === 'number') path += `[${step}]`
    else if (step.length > MAX_KEY_IN_PATH || !/^[A-Za-z_]\w*$/.test(step)) path += quoteKey(step)
    else path += path === '' ? step : `.${step}`
  }
  return path
}

/** Cut by code points, so that the path stays well-formed. */
function quoteKey(key: string): string {
  const points = Array.from(key.slice(0, 2 * MAX_KEY_IN_PATH + 1))
  const cut = points.length > MAX_KEY_IN_PATH
  return `[${JSON.stringify(cut ? `${points.slice(0, MAX_KEY_IN_PATH).join('')}…` : key)}]`
}

/** Lines and columns of a text that is let go of piece by piece. */
export class LineCount {
  #lines = 0
  #column = 0

  /** So many characters of the text are let go of. */
  pass(text: string, length: number): void {
    for (let i = 0; i < length; i += 1) {
      this.#column += 1
      if (text.charCodeAt(i) !== LINE_FEED) continue
      this.#lines += 1
      this.#column = 0
    }
  }

  /** The place after so many more characters, from 1. */
  after(text: string, length: number): { readonly line: number; readonly column: number } {
    const there = new LineCount()
    there.#lines = this.#lines
    there.#column = this.#column
    there.pass(text, length)
    return { line: there.#lines + 1, column: there.#column + 1 }
  }
}
