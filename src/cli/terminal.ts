// Text in a terminal: how wide it is, and how text of others is shown without the terminal taking
// any of it for a command. Knows no command of ours.

/** What moves a cursor, starts a command of the terminal, or turns the order of letters around. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** Of these, the joiners that some scripts and emoji are written with. */
const JOINERS = new Set(['\u200c', '\u200d'])

/** Text of others for a terminal: characters that would not show are written as in JSON. */
export function visible(text: string): string {
  return text.replace(UNSAFE, character => {
    if (JOINERS.has(character)) return character
    const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
    return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  })
}

/** Two columns wide in terminals: East Asian letters and signs, and emoji. */
const WIDE_BLOCKS = [
  '\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\ua960-\\ua97c\\uac00-\\ud7a3\\uf900-\\ufaff',
  '\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}',
]
const WIDE = new RegExp(`[${WIDE_BLOCKS.join('')}]|\\p{Emoji_Presentation}`, 'u')

function columnsOf(character: string): number {
  if (/[\p{M}\u200c\u200d]/u.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}

/** Columns that visible text takes in a terminal. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += columnsOf(character)
  return width
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

/** Visible text that takes at most this many columns, with … for what is cut off. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let cut = ''
  let width = 1
  for (const character of text) {
    width += columnsOf(character)
    if (width > columns) break
    cut += character
  }
  return `${cut}…`
}

/** Columns of the terminal that standard output is; without end when it is none. */
export function columnsOfTerminal(): number {
  return process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
}

/** Cut, these would be other ones, or none: ids, hashes, amounts, instants, currencies. */
const WHOLE = new RegExp(
  [
    '^[a-z]{2,4}_[0-9a-z]+$',
    '^[0-9a-f]{16,}$',
    '\\d\\.\\d',
    '^[-+\\d,]+$',
    '\\b[A-Z]{3,4} -?\\d',
    '^\\d{4}-\\d\\d-\\d\\d',
    '^[A-Z]{3,4}(?:,[A-Z]{3,4})*$',
  ].join('|'),
)

/** The narrowest that words are cut to. */
const NARROWEST = 8

/**
 * Widths of columns that fit side by side into `columns`, with `gap` between two: the widest one
 * that holds words alone gives way first, and a heading is never cut. What cannot fit stays as wide
 * as it is.
 */
export function fitted(
  cells: readonly (readonly string[])[],
  columns: number,
  gap: number,
): number[] {
  const [headings = [], ...rows] = cells
  const wanted = headings.map((_, i) => Math.max(...cells.map(row => widthOf(row[i] ?? ''))))
  const least = headings.map((heading, i) => {
    const whole = rows.some(row => WHOLE.test(row[i] ?? ''))
    return whole ? (wanted[i] ?? 0) : Math.max(widthOf(heading), NARROWEST)
  })
  const widths = [...wanted]
  const total = () => widths.reduce((sum, width) => sum + width, gap * (widths.length - 1))
  while (total() > columns) {
    const spare = widths.map((width, i) => (width > (least[i] ?? 0) ? width : 0))
    const widest = Math.max(...spare)
    if (widest === 0) break
    widths[spare.indexOf(widest)] = widest - 1
  }
  return widths
}
