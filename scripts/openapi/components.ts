// Moves repeated parts of a document into its components. `hoistSchemas` moves schemas that have a
// title, so that generated code has names for them. `shareRepeated` moves examples, headers,
// parameters and answers that are the same to the letter. Knows OpenAPI 3.1, no route.
import { STATUS_CODES } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { ALSO, ALTERNATIVE, DOCUMENTED, FILES, REFUSALS, TAGGED } from '../../src/http/docs.ts'
import { REASON } from '../../src/http/schema.ts'
import { EXAMPLES } from './examples.ts'

export type Json = Record<string, unknown>

/** Our own keywords, which the document leaves out. */
const INTERNAL = new Set<string>([EXAMPLES, REFUSALS, ALTERNATIVE, FILES, TAGGED, REASON])
/** Keywords whose values are data, not schemas. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const', 'x-extensible-enum'])
/** Keywords whose members are names, not keywords. */
const NAMED = new Set([
  'properties',
  'schemas',
  'responses',
  'headers',
  'content',
  'paths',
  'webhooks',
  'mapping',
])

/** Required request headers as parameters; `headers` has their descriptions by name. */
export function headerParameters(headers: Readonly<Record<string, string>>): Json {
  const parameters = Object.entries(headers).map(([name, description]) => {
    return [name, { name, in: 'header', required: true, description, schema: { type: 'string' } }]
  })
  return Object.fromEntries(parameters)
}

/**
 * The schema for readers of the document. The validator may need another schema (DOCUMENTED) or
 * check less (ALSO).
 */
export function forReaders<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(forReaders) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const { [DOCUMENTED]: documented, [ALSO]: also, ...node } = schema as Json
  const { title, description } = node
  const names = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  }
  const shown = {
    ...(documented === undefined ? node : { ...names, ...(documented as Json) }),
    ...(also as Json),
  }
  return Object.fromEntries(
    Object.entries(shown).map(([key, value]) => [key, forReaders(value)]),
  ) as T
}

/** A copy of the document with its titled schemas hoisted; refuses two schemas of one title. */
export function hoistSchemas(document: Json): Json {
  const schemas = new Map<string, Json>()
  const copy = visit(document, schemas) as Json
  const components = copy.components as Json
  const byName = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1))
  return { ...copy, components: { ...components, schemas: Object.fromEntries(byName) } }
}

function visit(node: unknown, schemas: Map<string, Json>, named = false): unknown {
  if (Array.isArray(node)) return node.map(item => visit(item, schemas))
  if (typeof node !== 'object' || node === null) return node
  const copy: Json = {}
  for (const [key, value] of Object.entries(node)) {
    if (named) copy[key] = visit(value, schemas)
    else if (DATA.has(key)) copy[key] = value
    else if (!INTERNAL.has(key)) copy[key] = visit(value, schemas, NAMED.has(key))
  }
  if (named || !isSchema(copy)) return copy
  const { title, ...schema } = { ...copy, ...discriminated(copy, schemas) }
  if (schema.oneOf !== undefined && schema.discriminator !== undefined) delete schema.anyOf
  if (typeof title !== 'string') return schema
  const known = schemas.get(title)
  if (known !== undefined && !isDeepStrictEqual(known, schema)) {
    throw new Error(`two different schemas have the title ${title}`)
  }
  schemas.set(title, schema)
  return { $ref: `#/components/schemas/${title}` }
}

/**
 * `oneOf` with a discriminator, for kinds of an object that differ in one constant; {} for others.
 */
function discriminated({ anyOf }: Json, schemas: Map<string, Json>): Json {
  const refs = ((anyOf ?? []) as Json[]).map(({ $ref }) => String($ref))
  const kinds = refs.map(
    ref => schemas.get(ref.replace(/^.*\//, ''))?.properties as Kind | undefined,
  )
  for (const propertyName of Object.keys(kinds[0] ?? {})) {
    const values = kinds.map(kind => kind?.[propertyName]?.const)
    const areTexts = values.every(value => typeof value === 'string')
    if (!areTexts || values.length < 2 || new Set(values).size < values.length) continue
    const mapping = Object.fromEntries(values.map((value, index) => [value, refs[index]]))
    return { oneOf: anyOf, discriminator: { propertyName, mapping } }
  }
  return {}
}

type Kind = Readonly<Record<string, { readonly const?: unknown }>>

/** `info` has a title too, and is no schema. */
function isSchema(node: Json): boolean {
  return 'type' in node || 'anyOf' in node || 'oneOf' in node || 'allOf' in node
}

interface Operation {
  readonly operationId: string
  readonly parameters?: Json[]
  readonly requestBody?: Body
  readonly responses: Record<string, Body>
}

interface Body {
  readonly headers?: Json
  readonly content?: Record<string, { readonly schema: Json; readonly examples?: Json }>
}

/** A place of the document that other operations may repeat. */
interface Place {
  /** The object or array around it. */
  readonly holder: Json
  readonly key: string
  /** The name of its component. */
  readonly name: string
  readonly operation: string
}

/** A copy of the document in which references replace repeated parts. */
export function shareRepeated(document: Json): Json {
  const copy = structuredClone(document)
  const operations = Object.values(copy.paths as Record<string, object>).flatMap(
    path => Object.values(path) as Operation[],
  )
  const components = copy.components as Record<string, Json>
  // From the inside out: equal responses hold equal references only after their parts are shared.
  const examples = share('examples', operations.flatMap(examplePlaces))
  const used = new Set(JSON.stringify(copy.paths).match(/(?<=#\/components\/examples\/)[\w.-]+/g))
  const known = Object.entries(components.examples ?? {}).filter(([name]) => used.has(name))
  components.examples = { ...Object.fromEntries(known), ...examples }
  components.headers = share('headers', operations.flatMap(headerPlaces))
  components.parameters = share('parameters', operations.flatMap(parameterPlaces))
  components.responses = share('responses', operations.flatMap(responsePlaces))
  return copy
}

/**
 * The components of one kind, by name. When two differ but have the same name, the more frequent
 * one keeps it, and the other adds the name of its first operation. All examples become components,
 * because they are long.
 */
function share(kind: string, places: readonly Place[]): Json {
  const components: Json = {}
  const alike = Map.groupBy(places, ({ holder, key }) => JSON.stringify(holder[key]))
  const repeated = [...alike.values()].filter(same => same.length > (kind === 'examples' ? 0 : 1))
  for (const same of repeated.sort((a, b) => b.length - a.length)) {
    const [first] = same as [Place, ...Place[]]
    const { holder, key, operation } = first
    // Prefers a name that does not begin with the operation's: such a name only stands in for a
    // missing schema title.
    const { name: short } = same.find(place => !place.name.startsWith(`${operation}.`)) ?? first
    const name = short in components ? `${short}.${operation}` : short
    components[name] = holder[key]
    for (const place of same) place.holder[place.key] = { $ref: `#/components/${kind}/${name}` }
  }
  return Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * An example is named after the object that it shows. Examples of errors are references already.
 */
function examplePlaces({ operationId: operation, responses, requestBody }: Operation): Place[] {
  const bodies = [...Object.values(responses), ...(requestBody === undefined ? [] : [requestBody])]
  const contents = bodies.flatMap(({ content }) => Object.values(content ?? {}))
  return contents.flatMap(({ schema, examples = {} }) => {
    const shown = String(schema.$ref ?? operation).replace(/^.*\/|Answer$/g, '')
    return Object.entries(examples)
      .filter(([, example]) => !('$ref' in (example as Json)))
      .map(([key]) => ({
        holder: examples,
        key,
        name: `${shown}.${key.replaceAll(' ', '_')}`,
        operation,
      }))
  })
}

function headerPlaces({ operationId: operation, responses }: Operation): Place[] {
  return Object.values(responses).flatMap(({ headers = {} }) =>
    Object.keys(headers).map(key => ({ holder: headers, key, name: key, operation })),
  )
}

/** A path id adds the kind of its object to its name: `id.pot`. */
function parameterPlaces({ operationId: operation, parameters = [] }: Operation): Place[] {
  return parameters.map(({ name, in: place, schema }, index) => {
    const [, prefix] = /^\^(\w+)_/.exec(String((schema as Json).pattern)) ?? []
    const full = place === 'path' && prefix !== undefined ? `${name}.${prefix}` : String(name)
    return { holder: parameters as unknown as Json, key: String(index), name: full, operation }
  })
}

function responsePlaces({ operationId: operation, responses }: Operation): Place[] {
  return Object.keys(responses)
    .filter(status => status >= '300')
    .map(key => {
      const name = (STATUS_CODES[key] ?? 'AnyRequest').replaceAll(' ', '')
      return { holder: responses as Json, key, name, operation }
    })
}
