// A good request made a bad one: one or a few changes to its body, as a value, as text or as bytes, or
// to its path, query, headers or method. Each change says what it was. Some are such that nothing
// but a refusal can be the answer (`sure`); of most others the document tells.
import { type Chance, pick } from './generate.ts'
import type { Request } from './request.ts'
import { ESCAPED_TEXTS, KEYS, NOT_JSON, NUMBERS, TEXTS } from './values.ts'
import type { World } from './world.ts'

export interface Mutated {
  readonly request: Request
  readonly sure: boolean
}

/** A value that stands in a body as this text, which JSON.stringify would not write. */
class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An object's members, of which a name may come twice. */
class Members {
  readonly list: readonly (readonly [key: string, value: unknown])[]
  constructor(list: readonly (readonly [key: string, value: unknown])[]) {
    this.list = list
  }
}

function write(value: unknown): string {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(write).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const list = value instanceof Members ? value.list : Object.entries(value)
  return `{${list.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join()}}`
}

type Change<T> = readonly [
  what: string,
  change: (value: T, chance: Chance, world: World) => unknown,
]

const nested = (levels: number) => new Raw(`${'['.repeat(levels)}${']'.repeat(levels)}`)

const TO_ANYTHING: readonly Change<unknown>[] = [
  ['null', () => null],
  ['true', () => true],
  ['a number', () => 7],
  ['a text', () => 'text'],
  ['a list', () => []],
  ['an object', () => ({})],
  ['in a list', value => [value]],
  ['in an object', value => ({ value })],
  ['as text', value => JSON.stringify(value)],
  ['another number', (_, chance) => new Raw(pick(chance, NUMBERS))],
  ['another text', (_, chance) => pick(chance, TEXTS)],
  ['an escaped text', (_, chance) => new Raw(pick(chance, ESCAPED_TEXTS))],
  ['29 levels deep', () => nested(29)],
  ['40 levels deep', () => nested(40)],
  ['another date', (_, chance) => pick(chance, ['2023-02-29', '1899-12-31', '2026-13-01', '2026'])],
]

const TO_TEXT: readonly Change<string>[] = [
  ['empty', () => ''],
  ['with a space before', text => ` ${text}`],
  ['with a line break after', text => `${text}\n`],
  ['in capitals', text => text.toUpperCase()],
  ['in small letters', text => text.toLowerCase()],
  ['twice', text => text + text],
  ['without its end', text => text.slice(0, -1)],
  ['with a NUL', text => new Raw(`${JSON.stringify(text).slice(0, -1)}\\u0000"`)],
  ['with half a character', text => new Raw(`${JSON.stringify(text).slice(0, -1)}\\udc00"`)],
  ['with an invisible character', text => `${text}\u200b`],
  ['decomposed', text => `${text}e\u0301`.normalize('NFD')],
  ['very long', text => text.padEnd(20_000, text || 'x')],
  ['escaped', text => new Raw(`"${[...text].map(escaped).join('')}"`)],
]

const TO_NUMBER: readonly Change<number>[] = [
  ['one less', number => number - 1],
  ['one more', number => number + 1],
  ['negative', number => -number],
  ['as text', number => String(number)],
  ['with a fraction of none', number => new Raw(`${number}.0`)],
  ['with an exponent', number => new Raw(`${number}e0`)],
  ['with a zero before', number => new Raw(`0${number}`)],
  ['with digits that a double loses', number => new Raw(`${number}.00000000000000001`)],
  ['2^53', () => new Raw('9007199254740992')],
  ['2^63', () => new Raw('9223372036854775808')],
]

type Members_ = Readonly<Record<string, unknown>>

const TO_OBJECT: readonly Change<Members_>[] = [
  ['without a member', (object, chance) => without(object, pick(chance, Object.keys(object)))],
  ['with another member', (object, chance) => with_(object, pick(chance, KEYS), 1)],
  ['with an object for a member', (object, chance) => with_(object, pick(chance, KEYS), { a: {} })],
  [
    'with a member twice',
    (object, chance) => {
      const key = pick(chance, Object.keys(object))
      return new Members([...Object.entries(object), [key, object[key]]])
    },
  ],
  [
    'with a member renamed',
    (object, chance) => {
      const key = pick(chance, Object.keys(object))
      return with_(without(object, key), key.toUpperCase(), object[key])
    },
  ],
  ['with 200 members more', object => ({ ...object, ...many(200) })],
  ['with its values as a list', object => Object.values(object)],
  ['empty', () => ({})],
]

const TO_LIST: readonly Change<readonly unknown[]>[] = [
  ['empty', () => []],
  ['its first item', list => list[0] ?? null],
  ['as an object', list => ({ ...list })],
  ['with null', list => [...list, null]],
  ['twice', list => [...list, ...list]],
  ['150 times', list => Array(150).fill(list[0] ?? {})],
]

function without(object: Members_, key: string): Members_ {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))
}

function with_(object: Members_, key: string, value: unknown): Members {
  return new Members([...Object.entries(object), [key, value]])
}

function many(count: number): Members_ {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`member_${i}`, i]))
}

function escaped(letter: string): string {
  return letter
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}

type Path = readonly (string | number)[]

/** Every place in a body, the whole first, as far down as any body goes. */
export function placesOf(value: unknown, path: Path = []): [path: Path, value: unknown][] {
  if (typeof value !== 'object' || value === null || path.length > 40) return [[path, value]]
  const below = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [[path, value], ...below.flatMap(([key, member]) => placesOf(member, [...path, key]))]
}

/** A copy with another value at one place. */
export function replaced(value: unknown, path: Path, by: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return by
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
  const members = copy as Record<string | number, unknown>
  members[key] = replaced(members[key], rest, by)
  return copy
}

const ID = /^([a-z]{2,3})_[0-9a-hjkmnp-tv-z]{20}$/

/** Another object than the one that is named, and never one that would do. */
function otherIds(world: World, id: string): string[] {
  const prefix = ID.exec(id)?.[1] ?? ''
  const kind = prefix === 'pot' ? 'poq' : 'pot'
  const never = `${prefix}_zzzzzzzzzzzzzzzzzzzz`
  const foreign = world.foreign.get(prefix) ?? []
  return [...foreign, ...(world.own.get(kind) ?? []), never, id.toUpperCase(), id.slice(0, -1)]
}

/** Its own deposit address is refused by rules of its own, another's is a good one. */
function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value) && !value.startsWith('dep_')
}

function mutateBody(request: Request, chance: Chance, world: World): Mutated | undefined {
  const { body, url } = request
  const value = parsed(body)
  if (value === undefined) return undefined
  const [path, old] = pick(chance, placesOf(value))
  const change = (what: string, by: unknown, sure = false): Mutated => {
    const notes = [...request.notes, `body.${path.join('.')}: ${what}`]
    const text = write(replaced(value, path, by))
    return { request: { ...request, body: Buffer.from(text), notes }, sure }
  }
  if (isId(old) && chance() < 0.7) {
    // A batch of best effort and a dry run answer that an item is refused.
    return change('another id', pick(chance, otherIds(world, old)), !url.includes('batch'))
  }
  const own = chance() < 0.6 ? changesOf(old) : []
  const changes = own.length > 0 ? own : (TO_ANYTHING as readonly Change<never>[])
  const [what, by] = pick(chance, changes)
  return change(what, by(old as never, chance, world))
}

/**
 * Undefined when there is no body, or an earlier change has left no JSON, or JSON so deep that to
 * write it again would take more stack than there is.
 */
function parsed(body: Buffer | undefined): unknown {
  try {
    const text = body?.toString()
    return text === undefined || /\[{500}/.test(text) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function changesOf(value: unknown): readonly Change<never>[] {
  if (typeof value === 'string') return TO_TEXT
  if (typeof value === 'number') return TO_NUMBER
  if (Array.isArray(value)) return TO_LIST
  const some = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  return some ? TO_OBJECT : []
}

const TO_BYTES: readonly Change<Buffer>[] = [
  ['a byte changed', (body, chance) => spliced(body, chance, 1, [Math.floor(chance() * 256)])],
  ['a byte left out', (body, chance) => spliced(body, chance, 1, [])],
  ['a byte added', (body, chance) => spliced(body, chance, 0, [Math.floor(chance() * 256)])],
  ['bytes that are not UTF-8', (body, chance) => spliced(body, chance, 0, [0xed, 0xa0, 0x80])],
  ['a NUL added', (body, chance) => spliced(body, chance, 0, [0])],
  ['cut short', (body, chance) => body.subarray(0, Math.floor(chance() * body.length))],
  ['with a byte order mark', body => Buffer.concat([Buffer.from('\ufeff'), body])],
  ['in UTF-16', body => Buffer.from(body.toString(), 'utf16le')],
  ['twice', body => Buffer.concat([body, body])],
  ['in white space', body => Buffer.concat([Buffer.from(' \n'), body, Buffer.from('\r\t')])],
  ['empty', () => Buffer.alloc(0)],
  ['other text', (_, chance) => Buffer.from(pick(chance, Object.values(NOT_JSON)))],
]

function spliced(body: Buffer, chance: Chance, away: number, by: readonly number[]): Buffer {
  const at = Math.floor(chance() * body.length)
  return Buffer.concat([body.subarray(0, at), Buffer.from(by), body.subarray(at + away)])
}

function mutateBytes(request: Request, chance: Chance, world: World): Mutated | undefined {
  if (request.body === undefined) return undefined
  const [what, change] = pick(chance, TO_BYTES)
  const body = change(request.body, chance, world) as Buffer
  return { request: { ...request, body, notes: [...request.notes, `bytes: ${what}`] }, sure: false }
}

/** Beside what every-field.test.ts and the lists send. */
const QUERIES: readonly string[] = [
  'limit=1e1',
  'limit=%31',
  'limit=１',
  'limit',
  'limit[gt]=1',
  '__proto__=1',
  '__proto__[polluted]=1',
  'constructor[prototype][polluted]=1',
  'starting_after=pot_00000000000000000000',
  'starting_after=x&ending_before=y',
  'created.gte=2026-01-31T09:30:00+01:00',
  'created.lt=9999-12-31T23:59:60Z',
  'created[gt]=2026-01-31T09:30:00Z',
  'as_of=%00',
  'as_of=-271821-04-20T00:00:00Z',
  'status=%F0%9F%98%80',
  `reference_id=${encodeURIComponent('😀'.repeat(128))}`,
  'type=payout.*',
  'explain=1',
  'a&b&c&=&&==',
  '?',
  `q=${'x'.repeat(3_000)}`,
  `q=${'x'.repeat(5_000)}`,
  Array.from({ length: 500 }, (_, i) => `a${i}=1`).join('&'),
]

const SEGMENTS: readonly string[] = [
  '..',
  '%2e%2e%2f',
  '%00',
  '%0a',
  '%ff',
  '%zz',
  '%',
  '%2F',
  '%F0%9F%98%80',
  "'",
  'null',
  'undefined',
  '__proto__',
  '0',
  ' ',
  'quote',
  'x'.repeat(256),
  'x'.repeat(257),
  'x'.repeat(5_000),
]

function mutateUrl(request: Request, chance: Chance, world: World): Mutated {
  const [path = '', query] = request.url.split('?')
  const to = (what: string, url: string, sure = false): Mutated => {
    return { request: { ...request, url, notes: [...request.notes, `url: ${what}`] }, sure }
  }
  const tail = query === undefined ? '' : `?${query}`
  const segments = path.split('/')
  const named = segments.findIndex(isId)
  const choice = chance()
  if (choice < 0.4) {
    const more = pick(chance, QUERIES)
    return to('query', `${path}?${query === undefined ? more : `${query}&${more}`}`)
  }
  if (named !== -1 && choice < 0.7) {
    const other = pick(chance, otherIds(world, segments[named] ?? ''))
    return to('another id', segments.with(named, other).join('/') + tail, true)
  }
  if (named !== -1 && choice < 0.85) {
    return to('no id', segments.with(named, pick(chance, SEGMENTS)).join('/') + tail)
  }
  return to(
    'path',
    pick(chance, [`${path}/`, `/${path}`, path.toUpperCase(), `${path};a=b`]) + tail,
  )
}

export const HEADERS: readonly (readonly [name: string, values: readonly (string | string[])[]])[] =
  [
    [
      'content-type',
      [
        '',
        'text/plain',
        'application/json; charset=utf-16',
        'application/json;charset=UTF-8',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/json, text/plain',
        'application/vnd.api+json',
        `application/json; a="${'x'.repeat(4_000)}"`,
        ';',
        ['application/json', 'text/plain'],
      ],
    ],
    [
      'idempotency-key',
      [
        '',
        ' ',
        '"',
        '""',
        '"quoted"',
        'k'.repeat(255),
        'k'.repeat(256),
        '\u00e9',
        'a\tb',
        'a, b',
        '__proto__',
        ['a', 'b'],
      ],
    ],
    [
      'accept',
      [
        '',
        '*/*',
        'application/problem+json',
        'text/csv',
        'text/html;q=0.9, application/problem+json;q=0',
        'x'.repeat(8_000),
        ['application/json', 'text/csv'],
      ],
    ],
    [
      'authorization',
      [
        '@theirs',
        '@reader',
        '@production',
        '',
        'Basic',
        'Basic Og==',
        'Basic ***',
        `Basic ${'A'.repeat(10_000)}`,
        'Bearer x',
        'Digest username="x"',
        ['@ours', '@theirs'],
      ],
    ],
    ['content-encoding', ['gzip', 'identity']],
    ['x-http-method-override', ['DELETE']],
    ['x-forwarded-for', ['127.0.0.1', "'"]],
    ['range', ['bytes=0-1']],
    ['if-none-match', ['*']],
    ['cookie', ['a=b; '.repeat(500)]],
    ['expect', ['100-continue', 'the unexpected']],
  ]

function mutateHeaders(request: Request, chance: Chance): Mutated {
  const [name, values] = pick(chance, HEADERS)
  const value = pick(chance, values)
  const notes = [...request.notes, `${name}: ${String(value).slice(0, 40)}`]
  const twice = Array.isArray(value) && name !== 'accept'
  return {
    request: { ...request, headers: { ...request.headers, [name]: value }, notes },
    sure: twice,
  }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

function mutateMethod(request: Request, chance: Chance): Mutated {
  const method = pick(chance, METHODS)
  return { request: { ...request, method, notes: [...request.notes, `as ${method}`] }, sure: false }
}

export function mutate(request: Request, chance: Chance, world: World): Mutated {
  const choice = chance()
  const body = () => mutateBody(request, chance, world)
  const url = () => mutateUrl(request, chance, world)
  if (choice < 0.6) return body() ?? url()
  if (choice < 0.7) return mutateBytes(request, chance, world) ?? url()
  if (choice < 0.87) return url()
  return choice < 0.97 ? mutateHeaders(request, chance) : mutateMethod(request, chance)
}
