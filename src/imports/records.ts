// Splits a file of any length into lines of JSON or records of CSV (RFC 4180) while it reads. A
// record that is too long, or whose quote stays open, becomes a fault; the next is read.
import { createReadStream } from 'node:fs'

export interface FileRecord {
  /** From 1; the last line of a record that spans several. */
  readonly line: number
  /** The bytes from the start of the file to the end of this record. */
  readonly bytes_read: number
  /** Without the line break; empty if there is a fault. */
  readonly bytes: Buffer
  /** What stands between its cells, in the whole file. */
  readonly separator: Separator
  /** The record is too long, or a quote in it is not closed. */
  readonly fault: 'too_long' | 'open_quote' | null
}

/** A comma; a semicolon or a tab where the comma is the decimal point. */
export type Separator = ',' | ';' | '\t'

interface RecordOptions {
  /** True for CSV, where a line break within quotes belongs to the cell. */
  readonly quotes: boolean
  /** A longer record is a fault. */
  readonly max_bytes: number
}

const NEWLINE = 0x0a
const RETURN = 0x0d
const QUOTE = 0x22
const BYTE_ORDER_MARK = Buffer.from('\ufeff')
const CHUNK_BYTES = 256 * 1024

/** Skips blank lines, and a byte order mark at the beginning. */
export async function* readRecords(
  path: string,
  options: RecordOptions,
): AsyncGenerator<FileRecord, void> {
  const splitter = new Splitter(options)
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    yield* splitter.split(chunk as Buffer, false)
  }
  yield* splitter.split(Buffer.alloc(0), true)
}

export function splitRecords(bytes: Buffer, options: RecordOptions): FileRecord[] {
  return [...new Splitter(options).split(bytes, true)]
}

interface End {
  /** -1 if there is no line break yet. */
  readonly at: number
  /** The lines of the file that the record spans. */
  readonly lines: number
  /** True if a quote is open at the end of the bytes. */
  readonly open: boolean
}

class Splitter {
  readonly #options: RecordOptions
  #rest: Buffer = Buffer.alloc(0)
  #line = 0
  #bytes_read = 0
  /** Undefined before the header. */
  #separator: Separator | undefined
  /** True inside a line that is too long, after its fault was yielded. */
  #skipping = false

  constructor(options: RecordOptions) {
    this.#options = options
  }

  /** Yields each record that is complete. `last` says that no more bytes will come. */
  *split(chunk: Buffer, last: boolean): Generator<FileRecord> {
    let bytes: Buffer = Buffer.concat([this.#rest, chunk])
    const { length: mark } = BYTE_ORDER_MARK
    if (this.#bytes_read === 0 && bytes.subarray(0, mark).equals(BYTE_ORDER_MARK)) {
      bytes = this.#pass(bytes, mark)
    }
    while (bytes.length > 0) {
      if (this.#options.quotes) this.#separator ??= separatorIn(bytes, last)
      const { separator } = this
      const is_csv = this.#options.quotes && !this.#skipping
      const end = is_csv
        ? csvEnd(bytes, separator.charCodeAt(0))
        : { at: bytes.indexOf(NEWLINE), lines: 1, open: false }
      const length = end.at === -1 ? bytes.length : end.at
      const too_long = length > this.#options.max_bytes
      if (end.at === -1 && !last && !too_long && !this.#skipping) break
      if (end.open) {
        // Nobody knows where the quote should end. So only the line that opens it is the fault.
        const newline = bytes.indexOf(NEWLINE)
        if (newline !== -1 || last) {
          bytes = this.#pass(bytes, newline === -1 ? bytes.length : newline + 1)
          this.#line += 1
          yield this.#fault('open_quote')
          continue
        }
      }
      const record = withoutReturn(bytes.subarray(0, length))
      const has_fault = this.#skipping
      this.#skipping = end.at === -1 && !last
      if (!has_fault) this.#line += end.lines
      bytes = this.#pass(bytes, end.at === -1 ? bytes.length : end.at + 1)
      if (has_fault) continue
      if (too_long) yield this.#fault('too_long')
      else if (!this.#isEmpty(record)) yield { ...this.#fault(null), bytes: record }
    }
    // A copy frees the memory of the chunk.
    this.#rest = Buffer.from(bytes)
  }

  get separator(): Separator {
    return this.#separator ?? ','
  }

  /** In CSV also a row of empty cells, and the line that names the separator. */
  #isEmpty(record: Buffer): boolean {
    if (isBlank(record)) return true
    if (!this.#options.quotes) return false
    const between = this.separator.charCodeAt(0)
    if (record.every(byte => byte === between || byte === 0x20 || byte === 0x09)) return true
    return this.#line === 1 && NAMES_SEPARATOR.test(record.toString('latin1'))
  }

  #pass(bytes: Buffer, count: number): Buffer {
    this.#bytes_read += count
    return bytes.subarray(count)
  }

  #fault(fault: FileRecord['fault']): FileRecord {
    const { separator } = this
    const bytes = Buffer.alloc(0)
    return { line: this.#line, bytes_read: this.#bytes_read, separator, bytes, fault }
  }
}

/** The first line by which Excel writes the separator, such as `sep=;`. */
const NAMES_SEPARATOR = /^sep=([,;\t])[\s]*$/i

/** The separator, by the first line that is not blank; undefined while there is none. */
function separatorIn(bytes: Buffer, last: boolean): Separator | undefined {
  const newline = bytes.indexOf(NEWLINE)
  if (newline === -1 && !last) return undefined
  const line = bytes.subarray(0, newline === -1 ? bytes.length : newline)
  if (isBlank(line)) return undefined
  const text = line.toString('latin1')
  const named = NAMES_SEPARATOR.exec(text)?.[1]
  if (named !== undefined) return named as Separator
  if (text.includes(',')) return ','
  if (text.includes(';')) return ';'
  return text.includes('\t') ? '\t' : ','
}

/** A quote opens a cell only where the cell begins. Within a cell, two quotes stand for one. */
function csvEnd(bytes: Buffer, separator: number): End {
  const newline = bytes.indexOf(NEWLINE)
  const quote = (newline === -1 ? bytes : bytes.subarray(0, newline)).indexOf(QUOTE)
  if (quote === -1) return { at: newline, lines: 1, open: false }
  let lines = 1
  let open = false
  let cell_begins = true
  let closed_at = -2
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE && open) {
      open = false
      closed_at = at
    } else if (byte === QUOTE) {
      open = cell_begins || closed_at === at - 1
    } else if (byte === NEWLINE) {
      if (!open) return { at, lines, open }
      lines += 1
    }
    cell_begins = !open && byte === separator
  }
  return { at: -1, lines, open }
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line
}

function isBlank(line: Buffer): boolean {
  return line.every(byte => byte === 0x20 || byte === 0x09 || byte === RETURN)
}

const CELLS: Readonly<Record<Separator, RegExp>> = {
  ',': /"([^"]*(?:""[^"]*)*)"|[^",]*/y,
  ';': /"([^"]*(?:""[^"]*)*)"|[^";]*/y,
  '\t': /"([^"]*(?:""[^"]*)*)"|[^"\t]*/y,
}

/** Undefined if its quotes break RFC 4180. */
export function cellsOf(record: string, separator: Separator): string[] | undefined {
  if (!record.includes('"')) return record.split(separator)
  const cell = CELLS[separator]
  const cells: string[] = []
  for (let at = 0; ; at += 1) {
    cell.lastIndex = at
    const [text = '', quoted] = cell.exec(record) ?? []
    cells.push(quoted === undefined ? text : quoted.replaceAll('""', '"'))
    at += text.length
    if (at === record.length) return cells
    if (record[at] !== separator) return undefined
  }
}
