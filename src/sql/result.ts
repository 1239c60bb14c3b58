// Reads the rows of an answer as objects. V8 makes a hash table of an object that gets more than a
// dozen members one by one: it takes three times the memory, and is slower to read. So each row
// begins as a copy of a blank row that has all members.
import type { QueryArrayResult } from 'pg'
import type { Row, Rows } from './sql.ts'

/** A statement that connections keep prepared. */
interface Prepared {
  /** The same on all connections. */
  readonly name: string
  shape: Shape | undefined
}

/** By text. There are few: code that sends many different texts does not prepare them. */
const statements = new Map<string, Prepared>()

/** The name under which connections prepare a statement. */
export function nameOf(text: string): string {
  const found = statements.get(text)
  if (found !== undefined) return found.name
  const name = `s${statements.size}`
  statements.set(text, { name, shape: undefined })
  return name
}

interface Shape {
  readonly columns: readonly string[]
  /** A row whose members are null. */
  readonly blank: Row
}

/** The rows, with `count` and `command`. For a text of several statements, an array of each. */
export function readResult(result: QueryArrayResult | QueryArrayResult[], text: string): Rows {
  if (Array.isArray(result))
    return describe(
      result.map(one => readResult(one, '')),
      0,
      '',
    )
  const { rows, rowCount, command } = result
  return describe(rows.length === 0 ? [] : asObjects(result, text), rowCount ?? 0, command)
}

function asObjects({ rows, fields }: QueryArrayResult, text: string): Row[] {
  const prepared = statements.get(text)
  let shape = prepared?.shape
  if (shape === undefined || !fits(shape, fields)) {
    shape = shapeOf(fields)
    if (prepared !== undefined) prepared.shape = shape
  }
  const { columns, blank } = shape
  return rows.map(values => {
    const row = { ...blank }
    for (let at = 0; at < columns.length; at++) row[columns[at] as string] = values[at]
    return row
  })
}

type Fields = QueryArrayResult['fields']

function shapeOf(fields: Fields): Shape {
  const columns = fields.map(({ name }) => name)
  const members = columns.map(name => `${JSON.stringify(name)}:null`)
  return { columns, blank: JSON.parse(`{${members.join(',')}}`) }
}

/** Whether the shape has these columns. A migration may have changed them. */
function fits({ columns }: Shape, fields: Fields): boolean {
  return columns.length === fields.length && columns.every((name, at) => name === fields[at]?.name)
}

/** Adds `count` and `command`, not enumerable, so that the rows equal a plain array of rows. */
function describe(rows: Row[], count: number, command: string): Rows {
  return Object.defineProperties(rows, {
    count: { value: count },
    command: { value: command },
  }) as Rows
}
