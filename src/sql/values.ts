// Writes parameters and reads columns, both as text. Reads types exactly: bigint as bigint, time as
// Instant text, numeric as text. Type numbers are those of pg_type, which never change.
import { instantFromPostgres } from '../values/instant.ts'

export type Parameter =
  | string
  | number
  | bigint
  | boolean
  | null
  | Date
  | Uint8Array
  | readonly string[]

interface Written {
  readonly text: string | null
  /** The type in PostgreSQL, where TypeScript's type tells it; the server infers the others. */
  readonly type?: string
}

/** @throws TypeError for anything but a Parameter, such as undefined */
export function writeParameter(value: Parameter): Written {
  if (value === null) return { text: null }
  switch (typeof value) {
    case 'string':
      return { text: value }
    case 'bigint':
      return { text: value.toString(), type: 'bigint' }
    case 'boolean':
      return { text: String(value), type: 'boolean' }
    case 'number':
      return { text: String(value) }
    case 'object':
      return writeObject(value)
    default:
      throw unsendable(value)
  }
}

function writeObject(value: object): Written {
  if (value instanceof Date) return { text: value.toISOString(), type: 'timestamptz' }
  if (value instanceof Uint8Array) {
    return { text: `\\x${Buffer.from(value).toString('hex')}`, type: 'bytea' }
  }
  if (!Array.isArray(value)) throw unsendable(value)
  return { text: `{${value.map(writeElement).join(',')}}` }
}

function writeElement(value: unknown): string {
  if (typeof value !== 'string') throw unsendable(value)
  return quoteElement(value)
}

/** An element that needs no quotes: a word of letters and digits, such as an id or a time. */
const BARE = /^(?!null$)[\w.:+-]+$/i

/** An element of an array literal. Most texts need no escaping, so it tests for that first. */
export function quoteElement(text: string): string {
  if (BARE.test(text)) return text
  const plain = !text.includes('"') && !text.includes('\\')
  return plain ? `"${text}"` : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

function unsendable(value: unknown): TypeError {
  const what = value === undefined ? 'undefined' : typeof value
  return Object.assign(new TypeError(`a statement has a parameter that is ${what}`), {
    code: 'UNDEFINED_VALUE',
  })
}

const READERS: Readonly<Record<number, (text: string) => unknown>> = {
  // boolean, bytea, bigint, smallint, integer, oid, real, double precision
  16: text => text === 't',
  17: text => Buffer.from(text.slice(2), 'hex'),
  20: BigInt,
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
  // json, jsonb
  114: text => JSON.parse(text),
  3802: text => JSON.parse(text),
  // text[], timestamptz
  1009: readTextArray,
  1184: instantFromPostgres,
}

const asText = (text: string) => text

/** The function that reads a column of this type; other types stay text. */
export function readerOf(type: number): (text: string) => unknown {
  return READERS[type] ?? asText
}

/** A one-dimensional text[] without nulls, as PostgreSQL prints it. */
function readTextArray(literal: string): string[] {
  const elements = literal.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^",]+)/g)
  return [...elements].map(([, quoted, bare = '']) => quoted?.replace(/\\(.)/g, '$1') ?? bare)
}
