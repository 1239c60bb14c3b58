// Every field of every body, every parameter of every query and every id of every path gets the values
// that have broken programs before, and its own limits with one beyond them. Answers are judged as
// in every-route.test.ts; here each place is known, so that a refusal must name it too.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import openapi from '../../openapi.json' with { type: 'json' }
import {
  type ApiDocument,
  type Json,
  type Operation,
  readDocument,
} from '../support/assert/document.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import type { Answer } from '../support/service/service.ts'
import { share } from '../support/share.ts'
import { type Generator, generator, pick } from './generate.ts'
import { refusedBy } from './judge.ts'
import { HEADERS, placesOf, replaced } from './mutate.ts'
import { openProbe, type Probe } from './probe.ts'
import type { Request } from './request.ts'
import { ESCAPED_TEXTS, KEYS, NOT_JSON, NUMBERS, STRANGE_JSON, TEXTS } from './values.ts'
import { makeWorld, type World } from './world.ts'

const api: ApiDocument = readDocument(openapi)
const seed = pickSeed()
const chance = seeded(seed)

let world: World
let make: Generator
let probe: Probe
before(async () => {
  world = await makeWorld(api.operations)
  make = generator(api, world)
  probe = await openProbe(api, world)
})
after(() => world?.service.close())

const writing = api.operations.filter(({ details }) => details.requestBody !== undefined)

/** A request with this text for a body, otherwise as documented. */
function requestOf(operation: Operation, text: string | Buffer, note = ''): Request {
  const request = make.request(operation, () => 0.99)
  return { ...request, body: Buffer.from(text), notes: [note] }
}

function send(operation: Operation, body: unknown, note = ''): Promise<Answer> {
  return probe.send(requestOf(operation, JSON.stringify(body), note))
}

type Place = readonly [path: readonly (string | number)[], value: unknown]

const withAll = (body: Json, values: readonly Place[]): Json =>
  values.reduce((whole, [path, value]) => replaced(whole, path, value), body)

/** As many of these, each put at its place, as the body can have and still be taken. */
async function taken(operation: Operation, body: Json, values: readonly Place[]): Promise<Place[]> {
  for (let more = [...values]; ; ) {
    const { status, json } = await send(operation, withAll(body, more), 'all that is taken')
    if (status === 200 || more.length === 0) return more
    const named: string[] = json.errors.map((error: Json) => error.remarks)
    const left = more.filter(([path]) => !named.some(name => isNear(remarksOf(path), name)))
    // A refusal may name none of them.
    more = left.length < more.length ? left : more.slice(0, more.length / 2)
  }
}

/** Documented requests, each with as many more members as it can have. */
async function largest(operation: Operation): Promise<Json[]> {
  const full = placesOf(make.fullBody(operation))
  const bodies: Json[] = []
  for (const body of some(make.examples(operation), 1)) {
    const missing = full.filter(([path]) => lacks(body, path))
    bodies.push(withAll(body, await taken(operation, body, missing)))
  }
  return bodies
}

/** The member is missing, and what would hold it is there. */
function lacks(body: Json, path: readonly (string | number)[]): boolean {
  const holder = path.slice(0, -1).reduce((node, key) => node?.[key], body)
  return isObject(holder) && !Object.hasOwn(holder, path.at(-1) ?? '')
}

function isNear(name: string, other: string): boolean {
  return other !== '' && (name.startsWith(other) || other.startsWith(name))
}

/** Places once, whatever the index in a list. */
function distinct(bodies: readonly Json[], wanted: (value: unknown) => boolean) {
  const places = new Map<string, { body: Json; path: readonly (string | number)[] }>()
  for (const body of bodies) {
    for (const [path, value] of placesOf(body)) {
      const name = path.filter(key => typeof key === 'string').join('.')
      if (wanted(value) && !places.has(name)) places.set(name, { body, path })
    }
  }
  return [...places.values()]
}

/** A few of these, others for each place; all in the long run. */
function some<T>(values: readonly T[], count: number): T[] {
  if (share(count, values.length) === values.length) return [...values]
  return Array.from({ length: count }, () => pick(chance, values))
}

/** Lists of so many of these. */
function inTurn<T>(values: readonly T[], count: number): T[][] {
  return values.flatMap((_, i) => (i % count === 0 ? [values.slice(i, i + count)] : []))
}

/** What stands at a place, as text of the body. */
type Written = readonly [path: Place[0], text: string]

const MARK = '\u0001place'

/** A body with these texts at these places, be they JSON or not. */
function written(body: Json, texts: readonly Written[]): string {
  const marked = withAll(
    body,
    texts.map(([path], i) => [path, `${MARK} ${i}`]),
  )
  return texts.reduce(
    (json, [, text], i) => json.replace(JSON.stringify(`${MARK} ${i}`), () => text),
    JSON.stringify(marked),
  )
}

for (const operation of writing) {
  test(`${operation.name}, every text, number and object of its body fuzzed, seed ${seed}: no 5xx`, async () => {
    const bodies = [...(await largest(operation)), make.fullBody(operation)]
    const put = async (body: Json, ...texts: readonly Written[]) => {
      const note = texts.map(([path]) => path.join('.')).join()
      return await probe.send(requestOf(operation, written(body, texts), note))
    }
    const strings = distinct(bodies, value => typeof value === 'string')
    for (const [body, own] of Map.groupBy(strings, ({ body }) => body)) {
      const paths = own.map(({ path }) => path)
      const words = await taken(
        operation,
        body,
        paths.map(path => [path, 'abc']),
      )
      const free = words.map(([path]) => path)
      const strict = paths.filter(path => !free.includes(path))
      for (const first of some([...TEXTS.keys()], 2)) {
        const at = (path: Place[0], i: number): Written => {
          return [path, JSON.stringify(TEXTS[(first + i) % TEXTS.length])]
        }
        // What must have a form all at once; of the rest few, as one that is refused hides others.
        for (const texts of inTurn(strict.map(at), share(Infinity, 1))) await put(body, ...texts)
        for (const texts of inTurn(free.map(at), share(3, 1))) await put(body, ...texts)
      }
      for (const text of ESCAPED_TEXTS) {
        for (const few of inTurn(share(free, paths), share(Infinity, 1))) {
          await put(body, ...few.map((path): Written => [path, text]))
        }
      }
    }
    for (const { body, path } of distinct(bodies, value => typeof value === 'number')) {
      for (const text of some(NUMBERS, 2)) await put(body, [path, text])
    }
    for (const { body, path } of distinct(bodies, isObject)) {
      const holder = path.reduce((node, key) => node[key], body)
      for (const key of some(KEYS, 1)) {
        const more = `,${JSON.stringify(key)}:{}}`
        const text = JSON.stringify(holder).replace(/\}$/, () => more)
        await put(body, [path, text.replace('{,', '{')])
      }
    }
    await probe.finish()
  })
}

function schemaOf({ details }: Operation): Json {
  return details.requestBody.content['application/json'].schema
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

for (const operation of writing) {
  test(`${operation.name}, unknown or repeated member, at every level: 400 naming it`, async () => {
    const full = make.fullBody(operation)
    const unknown: Place[] = []
    for (const { path } of distinct([full], isObject)) {
      const holder = path.reduce((node, key) => node[key], full)
      for (const key of some(['x', 'constructor', 'toString', 'status', 'NAME'], 1)) {
        const request = requestOf(operation, JSON.stringify(withAll(full, [[[...path, key], {}]])))
        if (refusedBy(api, request) !== '') unknown.push([[...path, key], {}])
      }
      for (const key of some(['__proto__', ...Object.keys(holder).slice(0, 1)], 1)) {
        const name = JSON.stringify(key)
        const members = JSON.stringify(holder).slice(1)
        const twice = `{${name}:1,${name}:1${members === '}' ? '' : ','}${members}`
        const { status, json, text } = await probe.send(
          requestOf(operation, written(full, [[path, twice]])),
        )
        const [{ reason, remarks }] = json.errors
        const place = remarksOf([...path, key])
        assert.deepEqual([status, reason, remarks], [400, 'invalid_json', place], text)
      }
    }
    const { status, json, text } = await send(operation, withAll(full, unknown), 'unknown members')
    assert.equal(status, 400, text)
    const named = json.errors.map(({ reason, remarks }: Json) => `${reason} ${remarks}`)
    for (const [path] of unknown) {
      assert.ok(named.includes(`invalid_field ${remarksOf(path)}`), `${remarksOf(path)}: ${text}`)
    }
    await probe.finish()
  })

  test(`${operation.name}, invalid JSON: 400 invalid_json; unusual JSON: no 5xx`, async () => {
    for (const [what, body] of some(Object.entries(NOT_JSON), 1)) {
      const { status, json, text } = await probe.send(requestOf(operation, body, what), true)
      assert.equal(`${status} ${json?.errors?.[0]?.reason}`, '400 invalid_json', `${what}: ${text}`)
    }
    for (const body of some(STRANGE_JSON, 1)) {
      await probe.send(requestOf(operation, body, body.slice(0, 40)))
    }
    await probe.finish()
  })

  test(`${operation.name}, limit of every field: its documented value accepted, the next value 400 naming the field`, async () => {
    const full = make.fullBody(operation)
    const limits = placesOf(full).flatMap(([path, value]) =>
      limitsOf(schemaAt(schemaOf(operation), path), value).map((limit, i) => {
        // Of a list or an object by itself, as the limits of what is in it are other limits.
        const alone = typeof value === 'object' ? path : ''
        return { path, name: remarksOf(path), limit, kind: `${i} ${alone}` }
      }),
    )
    const sets = [...Map.groupBy(limits, ({ kind }) => kind).values()]
    for (const few of sets.flatMap(set => inTurn(set, share(8, 1)))) {
      const what = few.map(({ name, limit }) => `${name}: ${limit[0]}`).join()
      const put = (which: 1 | 2) => {
        const values = few.map(({ path, limit }): Place => [path, limit[which]])
        return send(operation, withAll(full, values), what)
      }
      const [ok, over] = [await put(1), await put(2)]
      assert.equal(over.status, 400, `over ${what}: ${over.text}`)
      const errorsAt = ({ json }: Answer, name: string) =>
        (json.errors ?? []).filter(({ remarks }: Json) => remarks.startsWith(name))
      for (const { name } of few) {
        // Rules may refuse what has the right length, such as an address of a wallet, and say why.
        const own = errorsAt(ok, name).find(({ remarks }: Json) => remarks === name)
        assert.doesNotMatch(
          own?.message ?? '',
          /must (be|have) at (most|least)/,
          `${name}: ${what}`,
        )
        assert.notDeepEqual(errorsAt(over, name), [], `${name}, over ${what}: ${over.text}`)
      }
    }
    await probe.finish()
  })
}

for (const [name, most] of [
  ['POST /v3/payout', 256 * 1024],
  ['POST /v3/payout_batch', 16 * 1024 * 1024],
] as const) {
  test(`${name}, body of the maximum size: accepted; one byte more: 413`, async () => {
    const operation = writing.find(one => one.name === name) ?? assert.fail(name)
    const body = Buffer.from(JSON.stringify(make.examples(operation)[0]))
    const padded = (bytes: number) => Buffer.concat([body, Buffer.alloc(bytes - body.length, ' ')])
    const exact = await probe.send(requestOf(operation, padded(most)))
    assert.notEqual(exact.status, 413)
    await polled()
    const over = await probe.send(requestOf(operation, padded(most + 1)), true)
    assert.deepEqual([over.status, over.json.errors[0].reason], [413, 'payload_too_large'])
    await probe.finish()
    await polled()
  })
}

/** The probe judges a large body at once, so that no poll of the service may end meanwhile. */
const polled = () => world.service.deps.reference.refresh()

type Limit = readonly [what: string, within: unknown, beyond: unknown]

/** What a schema bounds: the last value within, and the first beyond. */
function limitsOf(schema: Json, value: Json): Limit[] {
  const limits: Limit[] = []
  const { maxLength, minimum, maximum, maxItems, maxProperties } = schema
  if (maxLength !== undefined && typeof value === 'string') {
    // In characters, of which one may be two units of UTF-16 and four bytes.
    for (const letter of some(['x', '😀'], 1)) {
      const text = letter.repeat(maxLength)
      limits.push([`${maxLength} of ${letter}`, text, text + letter])
    }
  }
  if (maximum !== undefined && typeof value === 'number') {
    limits.push(['maximum', maximum, maximum + 1], ['minimum', minimum, minimum - 1])
  }
  if (maxItems !== undefined && maxItems < 1000) {
    limits.push([
      `${maxItems} items`,
      Array(maxItems).fill(value[0]),
      Array(maxItems + 1).fill(value[0]),
    ])
  }
  if (maxProperties !== undefined) {
    const members = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']))
    limits.push([`${maxProperties} members`, members(maxProperties), members(maxProperties + 1)])
  }
  return limits
}

function schemaAt(given: Json, path: readonly (string | number)[]): Json {
  const schema = given.$ref === undefined ? given : api.target(given.$ref)
  // What may be null as well: the other one.
  if (schema.anyOf !== undefined) return schemaAt(schema.anyOf[0], path)
  const [key, ...rest] = path
  if (key === undefined) return schema
  if (typeof key === 'number') return schemaAt(schema.items, rest)
  if (schema.discriminator !== undefined) {
    const kinds: Json[] = schema.oneOf.map((kind: Json) => schemaAt(kind, []))
    return schemaAt(
      kinds.find(({ properties }) => key in properties),
      path,
    )
  }
  return schemaAt(schema.properties?.[key] ?? schema.additionalProperties, rest)
}

/** `documents[0].url` */
function remarksOf(path: readonly (string | number)[]): string {
  return path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`
    return name === '' ? key : `${name}.${key}`
  }, '')
}

for (const operation of api.operations.filter(({ path }) => path.startsWith('/v3/'))) {
  test(`${operation.name}, query and path, unknown or repeated parameter: 400, no 5xx`, async () => {
    const request = make.request(operation, () => 0.99)
    const parameters: Json[] = operation.details.parameters ?? []
    const query = parameters.filter(parameter => parameter.in === 'query')
    const asked = async (text: string) => {
      return await probe.send({ ...request, url: `${request.url}?${text}`, notes: [text] })
    }
    const refused = async (text: string, names: readonly string[]) => {
      const { status, json, text: body } = await asked(text)
      assert.equal(status, 400, `${text}: ${body}`)
      const problems = json.errors.map((error: Json) => `${error.reason} ${error.remarks}`)
      for (const name of names) {
        assert.ok(problems.includes(`invalid_query_parameter ${name}`), `${text}: ${problems}`)
      }
    }
    const unknown = ['x', 'constructor', 'toString', 'limit[]']
    await refused(unknown.map(name => `${name}=1`).join('&'), unknown)
    for (const { name } of query) {
      await refused(`${name}=a&${name}=a`, [name])
      for (const text of some(TEXTS, 1))
        await asked(`${name}=${encodeURIComponent(text.slice(0, 300))}`)
      for (const text of some(['%00', '%ff', '%', '%u0041', '%0d%0aset-cookie:a=b'], 1)) {
        await asked(`${name}=${text}`)
      }
    }
    for (const { name } of parameters.filter(parameter => parameter.in === 'path')) {
      const segments = operation.path.split('/')
      const own = request.url.split('/')
      for (const text of [...some(TEXTS, 1), 'a'.repeat(256), 'a'.repeat(257)]) {
        const segment = encodeURIComponent(text.slice(0, 300)) || '%20'
        const url = own.with(segments.indexOf(`{${name}}`), segment).join('/')
        await probe.send({ ...request, url, notes: [text.slice(0, 40)] }, true)
      }
    }
    await probe.finish()
  })
}

for (const operation of api.operations) {
  test(`${operation.name}, headers fuzzed: no 5xx; header repeated ambiguously: 400`, async () => {
    const all = HEADERS.flatMap(([name, values]) => values.map(value => ({ name, value })))
    const isTwice = ({ name, value }: (typeof all)[number]) =>
      Array.isArray(value) && name !== 'accept'
    const once = all.filter(header => !isTwice(header))
    for (const header of [...some(all.filter(isTwice), 1), ...some(once, 2)]) {
      const { name, value } = header
      const { headers, ...request } = make.request(operation, () => 0.99)
      const sent = { ...request, headers: { ...headers, [name]: value }, notes: [name] }
      const twice = isTwice(header)
      const { status } = await probe.send(sent, twice)
      if (twice) assert.equal(status, 400, `${name}: ${value}`)
    }
    await probe.finish()
  })
}
