// Files that are imported row by row: CSV under a header of columns, or JSON lines. Reads each row
// into the body that the API would take, and names what no body could hold.
import type { Read } from '../csv.ts'
import { invalidField, Refusal, refusal } from '../errors.ts'
import { toRefusal } from '../http/errors.ts'
import { MAX_BODY_BYTES, readJson } from '../http/json.ts'
import { JsonError } from '../http/json-error.ts'
import { CommandFailed } from './context.ts'
import { bodyOf, type Column, type ColumnSet, readColumns } from './import-columns.ts'
import { refuseProblems } from './input.ts'
import { cellsOf, type FileRecord, readRecords } from './records.ts'
import { visible } from './terminal.ts'

export interface ImportFile {
  readonly path: string
  /** Its last part. */
  readonly name: string
  /** Of a CSV file; null of a file of JSON lines. */
  readonly columns: readonly Column[] | null
}

/** Reads the header of a .csv file; ends the command when it cannot be used. */
export async function openImportFile(
  path: string,
  name: string,
  set: ColumnSet,
): Promise<ImportFile> {
  if (!/\.csv$/i.test(name)) return { path, name, columns: null }
  for await (const { line, bytes, fault } of readRows(path, true)) {
    const read = fault === null ? readHeader(bytes.toString('utf8'), set) : NO_HEADER
    if (read.messages === undefined) return { path, name, columns: read.value }
    const problems = read.messages.map(message => ({ line, message: visible(message) }))
    refuseProblems(visible(name), problems)
  }
  throw new CommandFailed(`${visible(name)} has no header line; nothing was written`)
}

const NO_HEADER = { messages: ['not a CSV header'] } as const

function readHeader(text: string, set: ColumnSet): Read<readonly Column[]> {
  // As spreadsheets write it where the comma is the decimal point.
  if (/[;\t]/.test(text) && !text.includes(',')) return { messages: ['separate columns by commas'] }
  const cells = cellsOf(text)
  return cells === undefined ? NO_HEADER : readColumns(cells, set)
}

/** Records of a file; `quotes` of one that is CSV. */
export function readRows(path: string, quotes: boolean): AsyncGenerator<FileRecord, void> {
  return readRecords(path, { quotes, max_bytes: MAX_BODY_BYTES })
}

/** The body that a record stands for, or why it stands for none. */
export function readRowBody(columns: ImportFile['columns'], record: FileRecord): unknown {
  const { bytes, fault } = record
  if (fault === 'too_long') {
    return refusal('payload_too_large', `The body is over ${MAX_BODY_BYTES / 1024} KiB.`)
  }
  try {
    return columns === null ? readJson(bytes) : readCells(columns, bytes, fault)
  } catch (error) {
    return error instanceof JsonError ? refusedJson(error) : toRefusal(error)
  }
}

/** The place is one in the row, beside which stands the line of the file. */
function refusedJson({ message, path }: JsonError): Refusal {
  return refusal('invalid_json', message.replace(' at line 1, column ', ' at column '), path)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The body that a CSV record stands for; refuses what no body in JSON could hold. */
function readCells(
  columns: readonly Column[],
  bytes: Buffer,
  fault: FileRecord['fault'],
): object | Refusal {
  const refuse = (message: string) => new Refusal([invalidField('', message)])
  if (fault === 'open_quote') return refuse('The row opens a quote that is not closed.')
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return refuse('The row is not UTF-8 text.')
  }
  if (text.includes('\0')) return refuse('The row holds the character U+0000.')
  const cells = cellsOf(text)
  if (cells === undefined) return refuse('A quote stands where CSV has none.')
  if (cells.length !== columns.length) {
    const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`
    return refuse(`The row has ${count} where the header has ${columns.length}.`)
  }
  return bodyOf(columns, cells)
}
