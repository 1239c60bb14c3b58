// Shows rows, records and amounts to people. What does not fit continues on indented lines: a cut
// id or amount would be wrong.
import { currencyExponent } from '../values/money/currency.ts'
import { formatMajor } from '../values/money/decimal.ts'
import { chunksOf, columnsOfTerminal, padTo, visible, widthOf, wrapped } from './terminal.ts'

const GAP = '  '
const INDENT = '  '
/** It stays in one piece, however narrow the terminal is. */
const LONGEST_ID = 64

/** Each column is as wide as its widest cell. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns = columnsOfTerminal(),
): string {
  const cells = [headings, ...rows].map(row => row.map(visible))
  const widths = headings.map((_, i) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[i] ?? '')), 0),
  )
  const lines = columnLines(widths, columns)
  return cells.flatMap(row => linesOf(row, widths, lines, columns)).join('\n')
}

/** The cells have the headings as names; `none` without rows. */
export function listing(rows: readonly Readonly<Record<string, string>>[], none = ''): string {
  const [first] = rows
  if (first === undefined) return none
  return table(Object.keys(first), rows.map(Object.values))
}

/** As many columns as fit on a line, in order. */
function columnLines(widths: readonly number[], columns: number): number[][] {
  const lines: number[][] = []
  let taken = 0
  for (const [i, width] of widths.entries()) {
    const line = lines.at(-1)
    const end = taken + GAP.length + width
    if (line === undefined || end > columns) {
      taken = (line === undefined ? 0 : INDENT.length) + width
      lines.push([i])
    } else {
      taken = end
      line.push(i)
    }
  }
  return lines
}

function linesOf(
  row: readonly string[],
  widths: readonly number[],
  lines: readonly (readonly number[])[],
  columns: number,
): string[] {
  return lines.flatMap((indexes, n) => {
    const indent = n === 0 ? '' : INDENT
    const text = indexes.map(i => padTo(row[i] ?? '', widths[i] ?? 0)).join(GAP)
    const line = `${indent}${text}`.trimEnd()
    if (n > 0 && line === '') return []
    if (widthOf(line) <= columns) return [line]
    // A cell that is wider than a line has its own line, and continues below it.
    const further = `${indent}${INDENT}`
    const longest = Math.max(columns - further.length, LONGEST_ID)
    const words = text.trimEnd().split(' ')
    const pieces = words.flatMap(word => chunksOf(word, longest))
    return wrapped(pieces, { first: indent, further, columns })
  })
}

/** Leaves out unset members. Indents nested members below their name. */
export function outline(object: object, indent = ''): string[] {
  const members = Object.entries(object).filter(([, value]) => isSet(value))
  const texts = members.filter(([, value]) => typeof value !== 'object')
  const width = Math.max(0, ...texts.map(([name]) => widthOf(visible(name))))
  return members.flatMap(member => outlineMember(member, width, indent))
}

function outlineMember([name, value]: [string, unknown], width: number, indent: string): string[] {
  const label = visible(name)
  if (typeof value === 'object' && value !== null) {
    const inner = Array.isArray(value) ? numbered(value) : value
    return [`${indent}${label}`, ...outline(inner, `${indent}  `)]
  }
  const first = `${indent}${padTo(label, width)}  `
  const further = ' '.repeat(widthOf(first))
  // Breaks only between words, so that a copied value is complete.
  const words = visible(String(value)).split(' ')
  return wrapped(words, { first, further, columns: columnsOfTerminal() })
}

/** The names are `1.`, `2.` and so on. */
function numbered(values: readonly unknown[]): object {
  return Object.fromEntries(values.map((value, i) => [`${i + 1}.`, value]))
}

function isSet(value: unknown): boolean {
  if (value === '' || value === null) return false
  return typeof value !== 'object' || Object.values(value).some(isSet)
}

/** `1250.00`, of an amount in minor units. */
export function major(currency: string, amount: bigint): string {
  return formatMajor(amount, currencyExponent(currency))
}

/** `USD 1250.00`. */
export function money(currency: string, amount: bigint): string {
  return `${currency} ${major(currency, amount)}`
}

/** One member a line. A value that fits on one line stays on one line. */
export function jsonLines(
  value: unknown,
  width = Math.min(100, Math.max(80, process.stdout.columns ?? 80)) - INDENT.length,
  label = '',
  comma = '',
): string[] {
  const flat = `${label}${oneLine(value)}${comma}`
  if (flat.length <= width || typeof value !== 'object' || value === null) return [flat]
  const isList = Array.isArray(value)
  const members = Object.entries(value)
  const lines = members.flatMap(([name, member], i) => {
    const next = i < members.length - 1 ? ',' : ''
    const inner = isList ? '' : `${JSON.stringify(name)}: `
    return jsonLines(member, width - INDENT.length, inner, next).map(line => `${INDENT}${line}`)
  })
  return [`${label}${isList ? '[' : '{'}`, ...lines, `${isList ? ']' : '}'}${comma}`]
}

/** `{ "a": 1, "b": [2] }` */
function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
