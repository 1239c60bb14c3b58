// What the columns of an imported CSV file mean: each is a member of the body that the API takes,
// by its path. Knows neither files nor what the members are for.
import type { Read } from '../csv.ts'

/** A member of the body, and how its cells are read. */
export interface Column {
  readonly path: readonly string[]
  readonly kind: 'text' | 'integer' | 'boolean'
}

export interface ColumnSet {
  /** By the name in the header; a member may have several names. */
  readonly columns: ReadonlyMap<string, Column>
  /** Beginnings of names, such as `metadata.`, after which any name may follow. */
  readonly open: ReadonlyMap<string, readonly string[]>
  /** As --help lists them. */
  readonly names: readonly string[]
  /** Of each, at least one must be there. */
  readonly required: readonly (readonly string[])[]
  /** Members that have no columns. */
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

/** The columns of a body, named by their paths. */
export function columnsOf(
  schema: object,
  required: ColumnSet['required'],
): ColumnSet & { readonly columns: Map<string, Column> } {
  const columns = new Map<string, Column>()
  const open = new Map<string, readonly string[]>()
  const lists: string[] = []
  const walk = ({ properties = {} }: Shape, above: readonly string[]) => {
    for (const [member, shape] of Object.entries(properties)) {
      const path = [...above, member]
      const kind = KINDS.get(shape.type)
      if (kind !== undefined) columns.set(path.join('.'), { path, kind })
      else if (shape.type === 'array') lists.push(path.join('.'))
      else if (shape.properties === undefined) open.set(`${path.join('.')}.`, path)
      else walk(shape, path)
    }
  }
  walk(schema as Shape, [])
  const names = [...columns.keys(), ...[...open.keys()].map(beginning => `${beginning}<name>`)]
  return { columns, open, names, required, lists }
}

/** Wrong columns that are named. */
const MAX_NAMED = 10

/** The columns that a header names, in any order and, but for open names, in any case. */
export function readColumns(header: readonly string[], set: ColumnSet): Read<readonly Column[]> {
  const names = header.map(cell => canonicalName(cell.trim(), set))
  const found = names.map(name => columnOf(name, set))
  const columns = found.filter(column => column !== undefined)
  const wrong = [...new Set(names.filter((_, i) => found[i] === undefined))]
  const isOfList = (name: string) =>
    set.lists.some(list => name === list || name.startsWith(`${list}.`))
  const lists = wrong.filter(isOfList)
  const unknown = wrong.filter(name => !isOfList(name))
  // By what is meant, as some members have two names.
  const meant = found.map((column, i) => column?.path.join('.') ?? names[i] ?? '')
  const twice = new Set(names.filter((_, i) => meant.indexOf(meant[i] ?? '') !== i))
  const top = set.lists.filter(list => !list.includes('.'))
  const messages = [
    ...set.required
      .filter(either => !either.some(name => names.includes(name)))
      .map(either => `no column ${either.join(' or ')}`),
    ...named('unknown', unknown, '; --help lists those there are'),
    ...named('not in CSV:', lists, `; ${top.join(' and ')} are read from .jsonl`),
    ...[...twice].map(name => `column ${name} twice`),
  ]
  return messages.length > 0 ? { messages } : { value: columns }
}

function named(what: string, names: readonly string[], hint: string): string[] {
  if (names.length === 0) return []
  const first = names.slice(0, MAX_NAMED).map(name => `"${name}"`)
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  return [`${what} ${names.length === 1 ? 'column' : 'columns'} ${first.join(', ')}${more}${hint}`]
}

function canonicalName(name: string, { open }: ColumnSet): string {
  const folded = name.toLowerCase()
  const beginning = [...open.keys()].find(key => folded.startsWith(key))
  return beginning === undefined ? folded : beginning + name.slice(beginning.length)
}

function columnOf(name: string, { columns, open }: ColumnSet): Column | undefined {
  const column = columns.get(name)
  if (column !== undefined) return column
  for (const [beginning, path] of open) {
    if (!name.startsWith(beginning)) continue
    const part = name.slice(beginning.length)
    // Of __proto__, JSON bodies are free as well.
    if (part !== '' && part !== '__proto__') return { path: [...path, part], kind: 'text' }
  }
  return undefined
}

type Members = { [member: string]: unknown }

/** The body that a row stands for; an empty cell is a member that is not set. */
export function bodyOf(columns: readonly Column[], cells: readonly string[]): Members {
  const body: Members = {}
  for (const [i, { path, kind }] of columns.entries()) {
    const cell = cells[i] ?? ''
    if (cell === '') continue
    let place = body
    for (const member of path.slice(0, -1)) {
      // An own member in any case: no column is named __proto__.
      if (!Object.hasOwn(place, member)) place[member] = {}
      place = place[member] as Members
    }
    place[path.at(-1) ?? ''] = READ[kind](cell)
  }
  return body
}

/** Cells as JSON would have them; what is no such value is left to the schema to refuse. */
const READ: Readonly<Record<Column['kind'], (cell: string) => unknown>> = {
  text: cell => cell,
  integer: readInteger,
  boolean: cell => (cell === 'true' || cell === 'false' ? cell === 'true' : cell),
}

/** NaN, as http/json.ts has it, for numbers that are no plain integer. */
function readInteger(cell: string): number {
  const number = /^-?(?:0|[1-9]\d{0,15})$/.test(cell) ? Number(cell) : Number.NaN
  return Number.isSafeInteger(number) ? number : Number.NaN
}
