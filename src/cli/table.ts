// Tables for people. What does not fit the terminal goes on in further lines, set in, the same for
// every row. Nothing is cut: an id, a status or an amount that is cut is another one, or none.
import { chunksOf, columnsOfTerminal, padTo, visible, widthOf, wrapped } from './terminal.ts'

const GAP = '  '
const INDENT = '  '
/** No id or hash is longer: it stays in one piece, however narrow the terminal. */
const LONGEST_ID = 64

/** Columns of text, each as wide as it needs to be, under their headings. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns = columnsOfTerminal(),
): string {
  const cells = [headings, ...rows].map(row => row.map(visible))
  const widths = headings.map((_, i) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[i] ?? '')), 0),
  )
  const places = laidOut(widths, columns)
  return cells.flatMap(row => linesOf(row, widths, places, columns)).join('\n')
}

/** The columns that stand on each line of a row: as many as fit, in their order. */
function laidOut(widths: readonly number[], columns: number): number[][] {
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
  places: readonly (readonly number[])[],
  columns: number,
): string[] {
  return places.flatMap((members, n) => {
    const indent = n === 0 ? '' : INDENT
    const text = members.map(i => padTo(row[i] ?? '', widths[i] ?? 0)).join(GAP)
    const line = `${indent}${text}`.trimEnd()
    if (n > 0 && line === '') return []
    if (widthOf(line) <= columns) return [line]
    // Wider than a line: it has one to itself, and goes on below.
    const further = `${indent}${INDENT}`
    const longest = Math.max(columns - further.length, LONGEST_ID)
    const words = text.trimEnd().split(' ')
    const pieces = words.flatMap(word => chunksOf(word, longest))
    return wrapped(pieces, { first: indent, further, columns })
  })
}
