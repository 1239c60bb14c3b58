// Text in a terminal: how wide it is, and how text of others is shown without the terminal taking
// any of it for a command; how far a command has come. Knows no command of ours.
import { Presets, SingleBar } from 'cli-progress'

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

/** The text in pieces of at most this many columns. */
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

/** Terminals are this wide where nobody has said otherwise. */
const USUAL_WIDTH = 80

interface Lines {
  /** What the first line begins with. */
  readonly first?: string
  /** What all others begin with. */
  readonly further?: string
  readonly columns?: number
}

/** Words in lines; a word that is longer than a line has one of its own. */
export function wrapped(
  words: readonly string[],
  { first = '', further = first, columns = USUAL_WIDTH }: Lines = {},
): string[] {
  const lines: string[] = []
  let line = first
  let empty = true
  for (const word of words) {
    const longer = empty ? `${line}${word}` : `${line} ${word}`
    if (empty || widthOf(longer) <= columns) {
      line = longer
    } else {
      lines.push(line)
      line = `${further}${word}`
    }
    empty = false
  }
  return [...lines, line]
}

/** Text in lines of 80 columns. */
export function paragraph(text: string): string {
  return wrapped(text.split(' ')).join('\n')
}

/** Columns of the terminal that standard output is; without end when it is none. */
export function columnsOfTerminal(): number {
  return (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY
}

export type Bar = SingleBar

/** A bar on standard error, and only for a person: output stays clean for scripts. */
export function startBar(
  format: string,
  { total = 0, payload = {}, ...look }: { total?: number; payload?: object; barsize?: number } = {},
): Bar | undefined {
  if (!process.stderr.isTTY) return undefined
  const options = { format, ...look, stream: process.stderr, clearOnComplete: true }
  const bar = new SingleBar({ ...options, hideCursor: true }, Presets.shades_classic)
  bar.start(total, 0, payload)
  return bar
}
