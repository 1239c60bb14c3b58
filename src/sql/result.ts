// Reads the rows of an answer as objects. V8 makes a hash table of an object that gets more than a
// dozen members one by one: it takes three times the memory, and is slower to read. So each row
// begins as a copy of a blank row that has all members.
import type { FieldDef, QueryArrayResult } from 'pg'
import type { Row, Rows } from './sql.ts'
import { readerOf } from './values.ts'

/** By text. There are few: code that sends many different texts does not prepare them. */
const names = new Map<string, string>()

/** The name under which connections prepare a statement, the same on all connections. */
export function nameOf(text: string): string {
  const found = names.get(text)
  if (found !== undefined) return found
  const name = `s${names.size}`
  names.set(text, name)
  return name
}

/** The columns of the rows of a statement. */
export interface Shape {
  readonly columns: readonly string[]
  readonly readers: readonly ((text: string) => unknown)[]
  /** A row whose members are null. */
  readonly blank: Row
}

export const NOTHING: Shape = { columns: [], readers: [], blank: {} }

export function shapeOf(fields: readonly FieldDef[]): Shape {
  const columns = fields.map(({ name }) => name)
  const members = columns.map(name => `${JSON.stringify(name)}:null`)
  const readers = fields.map(({ dataTypeID }) => readerOf(dataTypeID))
  return { columns, readers, blank: JSON.parse(`{${members.join(',')}}`) }
}

export function readRow(
  { columns, readers, blank }: Shape,
  values: readonly (string | null)[],
): Row {
  const row = { ...blank }
  for (let at = 0; at < columns.length; at++) {
    const text = values[at] as string | null
    row[columns[at] as string] = text === null ? null : readers[at]?.(text)
  }
  return row
}

/**
 * The rows of a text that the server has read as it is, with `count` and `command`. For a text of
 * several statements, an array of each.
 */
export function readResult(result: QueryArrayResult | QueryArrayResult[]): Rows {
  if (Array.isArray(result)) return describe(result.map(readResult), 0, '')
  const { rows, rowCount, command, fields } = result
  const shape = shapeOf(fields)
  return describe(
    (rows as (string | null)[][]).map(values => readRow(shape, values)),
    rowCount ?? 0,
    command,
  )
}

/** Adds `count` and `command`, not enumerable, so that the rows equal a plain array of rows. */
export function describe(rows: Row[], count: number, command: string): Rows {
  return Object.defineProperties(rows, {
    count: { value: count },
    command: { value: command },
  }) as Rows
}
