// Digests of stored rows and of JSON values. The service and PostgreSQL compute a row's digest by
// one recipe: the service when it writes the row, PostgreSQL from the stored row. Knows no table.
import { hash } from 'node:crypto'
import { formatDecimal } from './money/decimal.ts'
import { exactJson } from './money/json.ts'

/** Text that JSON writes unchanged. Most of our texts are such. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/

function textOrNull(value: string | null | undefined): string {
  if (value === null || value === undefined) return 'null'
  return PLAIN_TEXT.test(value) ? `"${value}"` : JSON.stringify(value.toWellFormed())
}

/** How the service, and how an SQL expression, writes a column's value for a digest. */
interface Writing<Value> {
  write(value: Value): string
  read(column: string): string
}

/** PostgreSQL makes JSON slowly, and many texts are empty. */
const quotedSql = (column: string) =>
  `case ${column} when '' then '""' else to_json(${column})::text end`
const plainSql = (column: string) => `${column}::text`
const QUOTED: Writing<string | null | undefined> = { write: textOrNull, read: quotedSql }
const PLAIN: Writing<bigint | number | null> = { write: String, read: plainSql }

/** Joined to one text, so that no text between is made for the collector of garbage. */
type Parts = string[]

/** Adds the JSON of a text; several times faster than JSON.stringify for plain text. */
function addQuoted(text: string, parts: Parts): void {
  if (PLAIN_TEXT.test(text)) parts.push('"', text, '"')
  else parts.push(JSON.stringify(text))
}

/** By the column's kind (sql/rows.ts). */
const KINDS: Readonly<Record<string, Writing<never>>> = {
  text: QUOTED,
  // A row that somebody has given a quote or a line break has another digest in any case: no other
  // text between quotes is equal to it.
  code: { write: textOrNull, read: c => `'"' || ${c} || '"'` },
  bigint: PLAIN,
  integer: PLAIN,
  timestamptz: {
    write: String,
    read: c => `to_char(${c} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  },
  decimal: { write: formatDecimal, read: plainSql },
  json: { write: (value: unknown) => JSON.stringify(value ?? null), read: plainSql },
  json_text: { write: (value: string | null) => value ?? 'null', read: plainSql },
  exact_json: { write: exactJson, read: plainSql },
  document: QUOTED,
  hex: { write: String, read: c => `encode(${c}, 'hex')` },
  words: { write: JSON.stringify, read: c => `to_json(${c})::text` },
}

export interface Seal<Row> {
  /** SHA-256 in hex. */
  digest(row: Row): string
  /** The SQL expression, of type bytea, for the digest of the row with this alias. */
  sql(alias: string): string
}

/**
 * Makes the recipe for rows of these columns, without the columns of `except`: one line a column.
 * No value that the service writes has a line break, so different rows have different texts.
 */
export function sealOf<Row extends object>(
  kinds: { readonly [column: string]: string },
  except: readonly (keyof Row & string)[] = [],
): Seal<Row> {
  const columns = Object.entries(kinds)
    .filter(([name]) => !except.includes(name as keyof Row & string))
    .map(([name, kind]) => {
      const writing = KINDS[kind] as Writing<unknown> | undefined
      if (writing === undefined) throw new Error(`no digest of a column of kind ${kind}`)
      return { name, ...writing }
    })
  // Three texts a column: the value, and the quotes around it. One array for all rows of a process:
  // only the joined text is new.
  const parts: string[] = columns.flatMap(() => ['', '', ''])
  return {
    digest(row) {
      const values = row as Readonly<Record<string, unknown>>
      columns.forEach(({ name, write }, i) => {
        const value = values[name]
        const isPlain = write === textOrNull && typeof value === 'string' && PLAIN_TEXT.test(value)
        const end = i === columns.length - 1 ? '' : '\n'
        parts[3 * i] = isPlain ? '"' : ''
        parts[3 * i + 1] = isPlain ? value : write(value)
        parts[3 * i + 2] = isPlain ? `"${end}` : end
      })
      return hash('sha256', parts.join(''), 'hex')
    },
    sql(alias) {
      const lines = columns.map(({ name, read }) => `coalesce(${read(`${alias}.${name}`)}, 'null')`)
      return `sha256(convert_to(concat_ws(E'\\n', ${lines.join(', ')}), 'UTF8'))`
    },
  }
}

/**
 * SHA-256, in hex, of a JSON value with the members of its objects sorted. The order of members and
 * white space do not change it; any other difference does.
 */
export function hashJson(value: unknown): string {
  const parts: Parts = []
  addCanonical(value, parts)
  return hash('sha256', parts.join(''), 'hex')
}

function addCanonical(value: unknown, parts: Parts): void {
  if (typeof value === 'string') {
    addQuoted(value, parts)
    return
  }
  if (Array.isArray(value)) {
    parts.push('[')
    for (const [i, one] of value.entries()) {
      if (i > 0) parts.push(',')
      addCanonical(one, parts)
    }
    parts.push(']')
    return
  }
  if (typeof value !== 'object' || value === null) {
    parts.push(JSON.stringify(value) ?? 'null')
    return
  }
  const members = value as Readonly<Record<string, unknown>>
  let before = '{'
  for (const name of Object.keys(members).sort()) {
    parts.push(before)
    addQuoted(name, parts)
    parts.push(':')
    addCanonical(members[name], parts)
    before = ','
  }
  parts.push(before === '{' ? '{}' : '}')
}
