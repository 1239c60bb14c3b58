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

/** @throws TypeError for anything but a Parameter, such as undefined */
export function writeParameter(value: Parameter): string | null {
  switch (typeof value) {
    case 'string':
      return value
    case 'bigint':
    case 'boolean':
    case 'number':
      return String(value)
    case 'object':
      return value === null ? null : writeObject(value)
    default:
      throw unsendable(value)
  }
}

/** The cast to a type that TypeScript's type tells; '' if the server infers the type. */
export function castOf(value: Parameter): string {
  if (typeof value === 'bigint') return '::bigint'
  if (typeof value === 'boolean') return '::boolean'
  if (value instanceof Date) return '::timestamptz'
  return value instanceof Uint8Array ? '::bytea' : ''
}

function writeObject(value: object): string {
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  if (!Array.isArray(value)) throw unsendable(value)
  return `{${value.map(writeElement).join(',')}}`
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
