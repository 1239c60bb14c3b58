// The rows of an answer, as objects. V8 keeps an object that gets more than a dozen members one by
// one as a hash table: three times the memory, and slower to read. So a row begins as a copy of one
// that has all its members.
import type { QueryArrayResult } from 'pg'
import type { Row, Rows } from './sql.ts'

/** What is known of a statement that connections keep prepared. */
interface Prepared {
  /** The same on all connections. */
  readonly name: string
  shape: Shape | undefined
}

/** By text. There are few: whoever sends many texts does not have them prepared. */
const known = new Map<string, Prepared>()

/** The name under which connections prepare a statement. */
export function nameOf(text: string): string {
  const found = known.get(text)
  if (found !== undefined) return found.name
  const name = `s${known.size}`
  known.set(text, { name, shape: undefined })
  return name
}

interface Shape {
  readonly columns: readonly string[]
  /** A row whose members are null. */
  readonly blank: Row
}

/** The rows, with what is said of them. Of several statements in one text, an array of each. */
export function readResult(result: QueryArrayResult | QueryArrayResult[], text: string): Rows {
  if (Array.isArray(result))
    return described(
      result.map(one => readResult(one, '')),
      0,
      '',
    )
  const { rows, rowCount, command } = result
  return described(rows.length === 0 ? [] : asObjects(result, text), rowCount ?? 0, command)
}

function asObjects({ rows, fields }: QueryArrayResult, text: string): Row[] {
  const prepared = known.get(text)
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

/** A migration may have changed the columns. */
function fits({ columns }: Shape, fields: Fields): boolean {
  return columns.length === fields.length && columns.every((name, at) => name === fields[at]?.name)
}

/** Not enumerable: the rows are equal to an array of the same rows. */
function described(rows: Row[], count: number, command: string): Rows {
  return Object.defineProperties(rows, {
    count: { value: count },
    command: { value: command },
  }) as Rows
}
