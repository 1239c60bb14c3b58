// Text in a terminal: its width and its line breaks. This file knows no command.
export { visible } from '../values/text/visible.ts'

/** Characters that take two columns: East Asian letters and signs, and emoji. */
const WIDE_BLOCKS = [
  '\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\ua960-\\ua97c\\uac00-\\ud7a3\\uf900-\\ufaff',
  '\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}',
]
const WIDE = new RegExp(`[${WIDE_BLOCKS.join('')}]|\\p{Emoji_Presentation}`, 'u')

function columnsOf(character: string): number {
  if (/[\p{M}\u200c\u200d]/u.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}

/** The number of columns that the text takes. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += columnsOf(character)
  return width
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

/** A text that is cut ends in …. */
export function cutTo(text: string, columns: number): string {
  return widthOf(text) <= columns ? text : `${chunksOf(text, columns - 1)[0]}…`
}

/** At most this many columns each. */
export function chunksOf(text: string, columns: number): string[] {
  const chunks: string[] = []
  let chunk = ''
  let width = 0
  for (const character of text) {
    width += columnsOf(character)
    if (width > columns && chunk !== '') {
      chunks.push(chunk)
      chunk = ''
      width = columnsOf(character)
    }
    chunk += character
  }
  return [...chunks, chunk]
}

/** The width of a line where the terminal does not say it. */
const DEFAULT_COLUMNS = 80

/** `first` begins the first line, `further` all others. A longer word has a line of its own. */
export function wrapped(
  words: readonly string[],
  layout: { first?: string; further?: string; columns?: number } = {},
): string[] {
  const { first = '', further = first, columns = DEFAULT_COLUMNS } = layout
  const lines: string[] = []
  let line = first
  let is_empty = true
  for (const word of words) {
    const longer = is_empty ? `${line}${word}` : `${line} ${word}`
    if (is_empty || widthOf(longer) <= columns) {
      line = longer
    } else {
      lines.push(line)
      line = `${further}${word}`
    }
    is_empty = false
  }
  return [...lines, line]
}

/** In lines of 80 columns. */
export function paragraph(text: string): string {
  return wrapped(text.split(' ')).join('\n')
}

/** Infinite if standard output is no terminal. */
export function columnsOfTerminal(): number {
  return (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY
}
