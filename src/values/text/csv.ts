// Reads operators' CSV files into cells by column name, with line numbers, and collects all
// problems of a file. The callers know the columns.
import { Readable } from 'node:stream'
import { CsvError, parse as parser } from 'csv-parse'
import { parse } from 'csv-parse/sync'

/** A problem of a file. Lines are counted from 1. */
export interface LineProblem {
  readonly line: number
  readonly message: string
}

export interface Line<T> {
  readonly line: number
  readonly value: T
}

/** The lines of a file and its problems. With problems, no line may be used. */
export interface Parsed<T> {
  readonly lines: readonly Line<T>[]
  readonly problems: readonly LineProblem[]
}

/** A value, or all the reasons why there is none. */
export type Read<T> =
  | { readonly value: T; readonly messages?: never }
  | { readonly value?: never; readonly messages: readonly string[] }

/** Column names. An optional column that the header lacks reads as ''. */
export interface Columns<Name extends string> {
  readonly all: readonly Name[]
  readonly optional: readonly Name[]
}

type Cells<Name extends string> = Record<Name, string>

/**
 * Reads CSV of RFC 4180 with a header line and columns in any order. Ignores white space around
 * cells, empty lines and lines that begin with #. A record over several lines has the number of its
 * last one.
 */
export function parseCsv<Name extends string>(
  text: string,
  columns: Columns<Name>,
): Parsed<Cells<Name>> {
  const records = readRecords(text)
  if ('problem' in records) return { lines: [], problems: [records.problem] }
  const [header, ...body] = records.records
  if (header === undefined) return { lines: [], problems: [{ line: 1, message: 'no header line' }] }
  const names = header.value.map(name => name.toLowerCase())
  const problems = checkHeader(names, columns).map(message => ({ line: header.line, message }))
  if (problems.length > 0) return { lines: [], problems }
  const lines: Line<Cells<Name>>[] = []
  for (const { line, value } of body) {
    if (value.length === names.length) {
      const cells = columns.all.map((name): [string, string] => [
        name,
        value[names.indexOf(name)] ?? '',
      ])
      lines.push({ line, value: Object.fromEntries(cells) as Cells<Name> })
    } else {
      problems.push({
        line,
        message: `${value.length} columns where the header has ${names.length}`,
      })
    }
  }
  return { lines, problems }
}

/** Reads the cells of each line. Of two lines with the same key, the second is a problem. */
export function readLines<C, T>(
  parsed: Parsed<C>,
  read: (cells: C) => Read<T>,
  keyOf: (value: T) => string,
): Parsed<T> {
  const lines: Line<T>[] = []
  const problems = [...parsed.problems]
  const first_lines = new Map<string, number>()
  for (const { line, value: cells } of parsed.lines) {
    const result = read(cells)
    if (result.messages !== undefined) {
      problems.push(...result.messages.map(message => ({ line, message })))
      continue
    }
    const key = keyOf(result.value)
    const first = first_lines.get(key)
    if (first === undefined) first_lines.set(key, line)
    else problems.push({ line, message: `${key} is on line ${first} already` })
    lines.push({ line, value: result.value })
  }
  return { lines, problems: problems.sort((a, b) => a.line - b.line) }
}

/** The cells of a row, and the line where it ends. */
export interface CsvRow {
  readonly line: number
  readonly cells: readonly string[]
}

/**
 * Reads the rows of a CSV text of any length, in constant memory. Leaves out empty rows. Throws
 * CsvError, and for a row of more than 64 KiB.
 */
export async function* readCsvRows(
  text: AsyncIterable<string>,
  separator: string,
): AsyncGenerator<CsvRow, void> {
  const rows = Readable.from(text).compose(
    parser({
      bom: true,
      delimiter: separator,
      info: true,
      max_record_size: 65_536,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }),
  )
  for await (const row of rows) {
    const { info, record } = row as { info: { lines: number }; record: string[] }
    yield { line: info.lines, cells: record }
  }
}

function readRecords(text: string): { records: Line<string[]>[] } | { problem: LineProblem } {
  try {
    const rows = parse(text, {
      bom: true,
      comment: '#',
      comment_no_infix: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as { info: { lines: number }; record: string[] }[]
    return { records: rows.map(({ info, record }) => ({ line: info.lines, value: record })) }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const line = (error as { lines?: number }).lines ?? 1
    return { problem: { line, message: `not CSV: ${error.message}` } }
  }
}

function checkHeader(names: readonly string[], columns: Columns<string>): string[] {
  const { all, optional } = columns
  const missing = all.filter(name => !names.includes(name) && !optional.includes(name))
  const unknown = names.filter(name => !all.includes(name))
  const twice = names.filter((name, i) => names.indexOf(name) !== i)
  return [
    ...missing.map(name => `no column ${name}; the columns are ${all.join(',')}`),
    ...unknown.map(name => `unknown column "${name}"; the columns are ${all.join(',')}`),
    ...twice.map(name => `column ${name} twice`),
  ]
}
