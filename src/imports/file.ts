// Reads rows of CSV or JSON lines as bodies for the API. It does not know what a body asks for.
import { basename } from 'node:path'
import { toRefusal } from '../http/errors.ts'
import { MAX_BODY_BYTES, readJson } from '../http/json.ts'
import { JsonError } from '../http/json-error.ts'
import { invalidField, Refusal, refusal } from '../values/errors.ts'
import type { LineProblem, Read } from '../values/text/csv.ts'
import { didYouMean } from '../values/text/nearest.ts'
import { cellsOf, type FileRecord, readRecords } from './records.ts'

export interface ImportFile {
  readonly path: string
  readonly name: string
  /** Those of the header, in its order; null for a file of JSON lines. */
  readonly columns: readonly Column[] | null
}

/** An empty list of problems says that the file has no header. */
export async function openFile(
  path: string,
  set: ColumnSet,
): Promise<ImportFile | { readonly problems: readonly LineProblem[] }> {
  const name = basename(path)
  if (!/\.csv$/i.test(name)) return { path, name, columns: null }
  for await (const record of readRows(path, true)) {
    const { line, bytes, fault } = record
    if (isUtf16(bytes)) {
      return { problems: [{ line, message: 'the file is UTF-16 text; save it as CSV in UTF-8' }] }
    }
    const read = fault === null ? readHeader(record, set) : NO_HEADER
    if (read.messages === undefined) return { path, name, columns: read.value }
    return { problems: read.messages.map(message => ({ line, message })) }
  }
  return { problems: [] }
}

/** As spreadsheets write “Unicode text”. */
function isUtf16(bytes: Buffer): boolean {
  const mark = bytes.subarray(0, 2).toString('hex')
  return mark === 'fffe' || mark === 'feff'
}

const NO_HEADER = { messages: ['not a CSV header'] } as const

/** Its messages name each wrong column. */
export function readHeader(
  { bytes, separator }: Pick<FileRecord, 'bytes' | 'separator'>,
  set: ColumnSet,
): Read<readonly Column[]> {
  const cells = cellsOf(bytes.toString('utf8'), separator)
  return cells === undefined ? NO_HEADER : readColumns(cells, set)
}

export function readRows(path: string, quotes: boolean): AsyncGenerator<FileRecord, void> {
  return readRecords(path, { quotes, max_bytes: MAX_BODY_BYTES })
}

/** Or the Refusal that says why it holds none. */
export function readBody(columns: ImportFile['columns'], record: FileRecord): unknown {
  if (record.fault === 'too_long') {
    return refusal('payload_too_large', `The body is over ${MAX_BODY_BYTES / 1024} KiB.`)
  }
  try {
    return columns === null ? readJson(record.bytes) : readCells(columns, record)
  } catch (error) {
    return error instanceof JsonError ? refusedJson(error) : toRefusal(error)
  }
}

/** Drops the line, which is always 1: the report has the line of the file. */
function refusedJson({ message, path }: JsonError): Refusal {
  return refusal('invalid_json', message.replace(' at line 1, column ', ' at column '), path)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Refuses what no JSON body can hold. */
function readCells(
  columns: readonly Column[],
  { bytes, separator, fault }: FileRecord,
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
  const cells = cellsOf(text, separator)
  if (cells === undefined) return refuse('A quote stands where CSV has none.')
  if (cells.length !== columns.length) {
    const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`
    return refuse(`The row has ${count} where the header has ${columns.length}.`)
  }
  return bodyOf(columns, cells)
}

/** A column: which member of the body it fills, and how its cells are read. */
export interface Column {
  readonly path: readonly string[]
  readonly kind: 'text' | 'integer' | 'boolean'
}

export interface ColumnSet {
  /** The columns by their name in the header. A member may have several names. */
  readonly columns: ReadonlyMap<string, Column>
  /** Prefixes such as `metadata.`, which any name may follow. */
  readonly open: ReadonlyMap<string, readonly string[]>
  /** The names that --help lists. */
  readonly names: readonly string[]
  /** The header must name at least one of each group. */
  readonly required: readonly (readonly string[])[]
  /** Members that are lists, which have no columns. */
  readonly lists: readonly string[]
}

interface Shape {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Shape>>
}

const KINDS: ReadonlyMap<unknown, Column['kind']> = new Map([
  ['string', 'text'],
  ['integer', 'integer'],
  ['boolean', 'boolean'],
] as const)

/** The path of a member, with dots, is its column's name. */
export function columnsOf(
  schema: object,
  required: ColumnSet['required'],
): ColumnSet & { readonly columns: Map<string, Column> } {
  const columns = new Map<string, Column>()
  const open = new Map<string, readonly string[]>()
  const lists: string[] = []
  const walk = ({ properties = {} }: Shape, parent: readonly string[]) => {
    for (const [member, shape] of Object.entries(properties)) {
      const path = [...parent, member]
      const kind = KINDS.get(shape.type)
      if (kind !== undefined) columns.set(path.join('.'), { path, kind })
      else if (shape.type === 'array') lists.push(path.join('.'))
      else if (shape.properties === undefined) open.set(`${path.join('.')}.`, path)
      else walk(shape, path)
    }
  }
  walk(schema as Shape, [])
  const names = [...columns.keys(), ...[...open.keys()].map(prefix => `${prefix}<name>`)]
  return { columns, open, names, required, lists }
}

/** How many wrong columns a message names. */
const MAX_NAMED = 10

/** In any order. Case matters only after an open prefix. */
function readColumns(header: readonly string[], set: ColumnSet): Read<readonly Column[]> {
  const names = header.map(cell => canonicalName(cell.trim(), set))
  const found = names.map(name => columnOf(name, set))
  const columns = found.filter(column => column !== undefined)
  const unmatched = [...new Set(names.filter((_, i) => found[i] === undefined))]
  const isOfList = (name: string) =>
    set.lists.some(list => name === list || name.startsWith(`${list}.`))
  const lists = unmatched.filter(isOfList)
  const unknown = unmatched.filter(name => !isOfList(name))
  // Compares members, not names, because some members have two names.
  const members = found.map((column, i) => column?.path.join('.') ?? names[i] ?? '')
  const repeated = new Set(names.filter((_, i) => members.indexOf(members[i] ?? '') !== i))
  const top_lists = set.lists.filter(list => !list.includes('.'))
  const messages = [
    ...set.required
      .filter(either => !either.some(name => names.includes(name)))
      .map(either => `no column ${either.join(' or ')}`),
    ...columnMessage('unknown', unknown, nearestColumn(unknown, set)),
    ...columnMessage('not in CSV:', lists, `; ${top_lists.join(' and ')} are read from .jsonl`),
    ...[...repeated].map(name => `column ${name} twice`),
  ]
  return messages.length > 0 ? { messages } : { value: columns }
}

/** The known column that a single unknown one is likely meant to be. */
function nearestColumn([name = '', ...others]: readonly string[], { names }: ColumnSet): string {
  return others.length > 0 ? '' : didYouMean(name, names)
}

function columnMessage(what: string, names: readonly string[], hint: string): string[] {
  if (names.length === 0) return []
  const first = names.slice(0, MAX_NAMED).map(name => `"${name}"`)
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  return [`${what} ${names.length === 1 ? 'column' : 'columns'} ${first.join(', ')}${more}${hint}`]
}

function canonicalName(name: string, { open }: ColumnSet): string {
  const folded = name.toLowerCase()
  const prefix = [...open.keys()].find(key => folded.startsWith(key))
  return prefix === undefined ? folded : prefix + name.slice(prefix.length)
}

function columnOf(name: string, { columns, open }: ColumnSet): Column | undefined {
  const column = columns.get(name)
  if (column !== undefined) return column
  for (const [prefix, path] of open) {
    if (!name.startsWith(prefix)) continue
    const member = name.slice(prefix.length)
    // The reader of JSON refuses __proto__, too.
    if (member !== '' && member !== '__proto__') return { path: [...path, member], kind: 'text' }
  }
  return undefined
}

type Members = { [member: string]: unknown }

/** An empty cell leaves its member out. */
function bodyOf(columns: readonly Column[], cells: readonly string[]): Members {
  const body: Members = {}
  for (const [i, { path, kind }] of columns.entries()) {
    const cell = bareCell(cells[i] ?? '')
    if (cell === '') continue
    let parent = body
    for (const member of path.slice(0, -1)) {
      // The member is the object's own, because no column is named __proto__.
      if (!Object.hasOwn(parent, member)) parent[member] = {}
      parent = parent[member] as Members
    }
    parent[path.at(-1) ?? ''] = READ[kind](cell)
  }
  return body
}

/** Drops the apostrophe by which spreadsheets, and our exports, keep digits or formulas as text. */
function bareCell(cell: string): string {
  return cell.trim().replace(/^'(?=[0-9=+\-@\uff1d\uff0b\uff0d\uff20])/, '')
}

/** Reads a cell as a JSON value of the column's kind. The schema refuses any other cell later. */
const READ: Readonly<Record<Column['kind'], (cell: string) => unknown>> = {
  text: cell => cell,
  integer: readInteger,
  boolean: cell => (cell === 'true' || cell === 'false' ? cell === 'true' : cell),
}

/** NaN, which the schema refuses, for all but a plain safe integer; http/json.ts reads alike. */
function readInteger(cell: string): number {
  const number = /^-?(?:0|[1-9]\d{0,15})$/.test(cell) ? Number(cell) : Number.NaN
  return Number.isSafeInteger(number) ? number : Number.NaN
}
