// Reads openapi.json into a model for the emitted clients: its schemas, and its operations as
// methods of resources, named by their paths. It knows OpenAPI, and no route and no language. Pure.
import { pascal } from '../../src/docs-site/snippet/names.ts'
import type { Json } from '../openapi/components.ts'

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: string | number | boolean
  readonly enum?: readonly (string | number)[]
  readonly 'x-extensible-enum'?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly minProperties?: number
  readonly format?: string
  readonly description?: string
  readonly deprecated?: boolean
}

export interface Parameter {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  readonly description: string
  /** Whether several values are sent in one parameter, separated by commas. */
  readonly commas: boolean
}

export interface Method {
  /** In snake_case, like all names in this file. */
  readonly name: string
  readonly operation: string
  readonly verb: string
  readonly path: string
  readonly summary: string
  /** The names of the path's parameters. */
  readonly params: readonly string[]
  readonly query: readonly Parameter[]
  readonly body: Schema | undefined
  /** Whether a body without members is enough. */
  readonly bodyMayBeEmpty: boolean
  /** Whether it takes an Idempotency-Key. */
  readonly keyed: boolean
  /** The schema of a JSON answer, without its envelope. */
  readonly answer: Schema | undefined
  readonly enveloped: boolean
  /**
   * For a list: the schema of an item, and the member of an item that is the next page's cursor.
   */
  readonly list: { readonly item: Schema; readonly cursor: string } | undefined
  /** The media type, for an answer other than JSON. */
  readonly media: string | undefined
}

export interface Resource {
  readonly name: string
  /** The names of the resources on the path from the client to this one. */
  readonly way: readonly string[]
  readonly children: Resource[]
  readonly methods: Method[]
}

export interface Model {
  /** The newest version of the API in the document. */
  readonly version: string
  readonly schemas: ReadonlyMap<string, Schema>
  /** The schemas that the clients export: without envelopes and pages, which the client unpacks. */
  readonly shown: ReadonlyMap<string, Schema>
  /** The client itself as a resource, without a name. */
  readonly root: Resource
  /** The names of integer members that are money, in any object. */
  readonly money: readonly string[]
  /** The schemas with money in them, at any depth. */
  readonly carriers: ReadonlySet<string>
}

/**
 * All resources below one, children first, because the class of a resource uses its children's
 * classes.
 */
export function flatten(resource: Resource): Resource[] {
  return resource.children.flatMap(child => [...flatten(child), child])
}

/** The name of a resource's class in every client. */
export const className = ({ way }: Resource) => `${way.map(pascal).join('')}Resource`

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly parameters?: readonly Json[]
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>
  }
  readonly responses: Readonly<Record<string, Json>>
}

/** The schema name in a reference; undefined without one. */
export function referred({ $ref }: Schema): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1)
}

export function readModel(text: string): Model {
  const document = JSON.parse(text)
  const schemas = new Map<string, Schema>(Object.entries(document.components.schemas))
  const root: Resource = { name: '', way: [], children: [], methods: [] }
  const paths = document.paths as Record<string, Record<string, Operation>>
  for (const path of Object.keys(paths)) {
    for (const [verb, operation] of Object.entries(paths[path] ?? {})) {
      const place = placeOf(path, verb, operation, paths)
      for (const method of readMethods(document, schemas, path, verb, operation, place.name)) {
        const { methods } = resourceAt(root, place.way)
        if (methods.some(({ name }) => name === method.name)) {
          throw new Error(`two operations are ${[...place.way, method.name].join('.')}`)
        }
        methods.push(method)
      }
    }
  }
  const money = moneyOf(schemas)
  const { 'Corridor-Version': header } = document.components.parameters
  const version = header.schema.enum.at(-1)
  const carriers = carriersOf(schemas, new Set(money))
  return { version, schemas, shown: shownOf(schemas, root), root, money, carriers }
}

/**
 * The schemas of the methods' queries, bodies and answers, of events and errors, and all schemas
 * that these refer to.
 */
function shownOf(schemas: ReadonlyMap<string, Schema>, root: Resource): Map<string, Schema> {
  const names = new Set<string>()
  const visit = (schema: Schema) => {
    const name = referred(schema)
    if (name !== undefined && names.has(name)) return
    if (name !== undefined) names.add(name)
    for (const [, inner] of within(follow(schemas, schema))) visit(inner)
  }
  const visitAll = ({ methods, children }: Resource) => {
    for (const { query, body = {}, answer = {}, list } of methods) {
      const met = [...query.map(one => one.schema), body, list?.item ?? answer]
      met.forEach(visit)
    }
    children.forEach(visitAll)
  }
  visitAll(root)
  for (const $ref of ['AccountEvent', 'ErrorDetail']) visit({ $ref })
  return new Map([...schemas].filter(([name]) => names.has(name)))
}

function resourceAt(root: Resource, way: readonly string[]): Resource {
  return way.reduce<Resource>((parent, name) => {
    const known = parent.children.find(child => child.name === name)
    if (known !== undefined) return known
    const made = { name, way: [...parent.way, name], children: [], methods: [] }
    parent.children.push(made)
    return made
  }, root)
}

const VERBS: Readonly<Record<string, string>> = {
  get: 'retrieve',
  post: 'create',
  put: 'update',
  patch: 'update',
  delete: 'delete',
}

/**
 * The resource and method name of an operation. `/v3/payout` and `/v3/payout/{id}` are the resource
 * `payouts`. A path below an object is a method: `/v3/payout/{id}/cancel` is `payouts.cancel`. A
 * path without objects keeps its name: `/v3/balance` is `balance.retrieve`. Paths outside `/v3`
 * belong to `operations`.
 */
function placeOf(
  path: string,
  verb: string,
  { operationId }: Operation,
  paths: Readonly<Record<string, Record<string, Operation>>>,
): { readonly way: string[]; readonly name: string } {
  const [version, ...segments] = path.slice(1).split('/')
  if (version !== 'v3') return { way: ['operations'], name: snake(operationId.replace(/^get/, '')) }
  const way: string[] = []
  let at = `/${version}`
  for (const [index, segment] of segments.entries()) {
    at += `/${segment}`
    if (segment.startsWith('{')) continue
    const below = Object.keys(paths).filter(other => other.startsWith(`${at}/`))
    const isCollection = below.some(other => other.slice(at.length + 1).startsWith('{'))
    const isList = /^list/.test(paths[at]?.get?.operationId ?? '')
    const isLast = index === segments.length - 1
    if (isCollection || isList) way.push(plural(segment))
    else if (below.length > 0 || index === 0 || Object.keys(paths[at] ?? {}).length > 1) {
      way.push(segment)
    } else if (isLast) return { way, name: segment }
  }
  if (segments.at(-1)?.startsWith('{')) return { way, name: VERBS[verb] ?? verb }
  return { way, name: /^list/.test(operationId) ? 'list' : (VERBS[verb] ?? verb) }
}

function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`
}

function snake(text: string): string {
  return text.replace(/[A-Z]/g, (letter, at) => (at === 0 ? '' : '_') + letter.toLowerCase())
}

/** The operation's method, and one more for each media type of its answer other than JSON. */
function readMethods(
  document: Json,
  schemas: ReadonlyMap<string, Schema>,
  path: string,
  verb: string,
  operation: Operation,
  name: string,
): Method[] {
  const parameters = (operation.parameters ?? []).map(one => resolve(document, one))
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))
  const contents = resolve(document, success?.[1] ?? {}).content ?? {}
  const { 'application/json': json, ...others } = contents as Record<string, { schema: Schema }>
  const body = operation.requestBody?.content['application/json']?.schema
  const shape = body && follow(schemas, body)
  const base = {
    operation: operation.operationId,
    verb: verb.toUpperCase(),
    path,
    summary: operation.summary ?? '',
    params: [...path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param as string),
    query: parameters.filter(one => one.in === 'query').map(readParameter),
    body,
    bodyMayBeEmpty: operation.requestBody?.required !== true || isEmptyEnough(shape),
    keyed: parameters.some(one => one.name === 'Idempotency-Key'),
  }
  const none = { answer: undefined, enveloped: false, list: undefined }
  if (json === undefined) return [{ ...base, ...none, name, media: Object.keys(others).join(', ') }]
  const texts = Object.keys(others).map(media => {
    return { ...base, ...none, name: snake(media.slice(media.indexOf('/') + 1)), media }
  })
  return [{ ...base, ...readAnswer(schemas, json.schema), name, media: undefined }, ...texts]
}

function isEmptyEnough({ required = [], anyOf, oneOf, minProperties = 0 }: Schema = {}): boolean {
  return required.length + minProperties === 0 && anyOf === undefined && oneOf === undefined
}

function readAnswer(schemas: ReadonlyMap<string, Schema>, schema: Schema) {
  const { properties = {} } = follow(schemas, schema)
  const enveloped = properties.data !== undefined && properties.status !== undefined
  const answer = enveloped ? (properties.data as Schema) : schema
  const inside = follow(schemas, answer).properties ?? {}
  const item = inside.object?.const === 'list' ? inside.results?.items : undefined
  if (item === undefined) return { answer, enveloped, list: undefined }
  const { properties: members = {} } = follow(schemas, item)
  const cursor = 'position' in members && !('id' in members) ? 'position' : 'id'
  return { answer, enveloped, list: { item, cursor } }
}

function readParameter(parameter: Json): Parameter {
  const { name, schema, required = false, description = '' } = parameter as unknown as Parameter
  return { name, schema, required, description, commas: parameter.explode === false }
}

function resolve(document: Json, node: Json): Json {
  if (typeof node.$ref !== 'string') return node
  const names = node.$ref.slice(2).split('/')
  return names.reduce<unknown>((at, name) => (at as Json)[name], document) as Json
}

/** The kinds of a union; undefined for alternatives that only require members. */
export function kindsOf({ anyOf, oneOf }: Schema): readonly Schema[] | undefined {
  const kinds = anyOf ?? oneOf
  return kinds?.every(kind => Object.keys(kind).join() === 'required') ? undefined : kinds
}

/** Follows references to the schema itself. */
export function follow(schemas: ReadonlyMap<string, Schema>, schema: Schema): Schema {
  const name = referred(schema)
  return name === undefined ? schema : follow(schemas, schemas.get(name) ?? {})
}

/** The schemas directly inside this one; a member's comes with its name, any other with ''. */
export function* within(schema: Schema): Generator<[name: string, schema: Schema]> {
  yield* Object.entries(schema.properties ?? {})
  for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) {
    yield ['', one]
  }
  if (schema.items !== undefined) yield ['', schema.items]
  if (typeof schema.additionalProperties === 'object') yield ['', schema.additionalProperties]
}

/**
 * The names of integers that are money: named `…amount`, or described as minor units. Throws when a
 * name is money in one schema and a count in another.
 */
function moneyOf(schemas: ReadonlyMap<string, Schema>): string[] {
  const money = new Set<string>()
  const counts = new Set<string>()
  const visit = (schema: Schema) => {
    for (const [name, member] of within(schema)) {
      const { description = '' } = { ...follow(schemas, member), ...member }
      if (name !== '' && isInteger(schemas, member)) {
        const isMoney = /(^|_)amount$/.test(name) || /minor units/i.test(description)
        ;(isMoney ? money : counts).add(name)
      }
      visit(member)
    }
  }
  for (const schema of schemas.values()) visit(schema)
  const both = [...money].filter(name => counts.has(name))
  if (both.length > 0) {
    throw new Error(`${both} is money in one schema ("minor units") and a count in another`)
  }
  return [...money].sort()
}

function isInteger(schemas: ReadonlyMap<string, Schema>, schema: Schema): boolean {
  const { type, anyOf = [], oneOf = [] } = follow(schemas, schema)
  if ([type].flat().includes('integer')) return true
  return [...anyOf, ...oneOf].some(one => isInteger(schemas, one))
}

/**
 * The schemas with money at any depth. Repeats until nothing is added, because schemas refer to
 * each other.
 */
function carriersOf(schemas: ReadonlyMap<string, Schema>, money: ReadonlySet<string>): Set<string> {
  const carriers = new Set<string>()
  const carries = (schema: Schema, name = ''): boolean =>
    (money.has(name) && isInteger(schemas, schema)) ||
    carriers.has(referred(schema) ?? '') ||
    [...within(schema)].some(([member, inner]) => carries(inner, member))
  for (let before = -1; before !== carriers.size; ) {
    before = carriers.size
    for (const [name, schema] of schemas) if (carries(schema)) carriers.add(name)
  }
  return carriers
}
