// Reads openapi.json for tests: its operations and its schemas. Ajv validates answers against the
// schemas.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { watchAdded } from './routes.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of the document
export type Json = any

export interface Operation {
  /** `GET /v3/payout/{id}` */
  readonly name: string
  /** In lower case, as in the document. */
  readonly method: string
  readonly path: string
  readonly details: Json
}

/** The documented request bodies of one operation. */
export function examplesOf(operations: readonly Operation[], name: string): Json[] {
  const details = operations.find(operation => operation.name === name)?.details
  const examples = details?.requestBody?.content['application/json'].examples ?? {}
  return Object.values<Json>(examples).map(({ value }) => value)
}

/**
 * Paths that openapi.json leaves out: web pages, and the routes of connectors and operators, which
 * other documents describe.
 */
export const ELSEWHERE =
  /^\/($|(docs|llms|connector|console|log(in|out)|v3\/(operator|session))([./]|$))/

/** Returns the result of `start` and the routes that it has added, as `GET /v3/payout/{id}`. */
export async function watchRoutes<T>(start: () => Promise<T>): Promise<[T, string[]]> {
  const [started, added] = await watchAdded(start)
  const routes = added.filter(({ method, url }) => method !== 'HEAD' && !ELSEWHERE.test(url))
  return [
    started,
    routes.map(({ method, url }) => `${String(method)} ${url.replace(/:(\w+)/g, '{$1}')}`),
  ]
}

export interface ApiDocument {
  /** The document with its references resolved, except those to schemas. */
  readonly json: Json
  readonly operations: readonly Operation[]
  /** The node that a reference names. */
  target(ref: string): Json
  /** How the value breaks the schema, in Ajv's words; '' when it is valid. */
  mismatch(schema: Json, value: unknown): string
  /** The schema of an answer; undefined when the status or the media type is not documented. */
  answerSchema(path: string, method: string, status: number, contentType: unknown): Json
}

/** The documented answer of this status. */
export function responseOf({ responses }: Json, status: number | string): Json {
  return responses[status] ?? (Number(status) >= 400 ? responses.default : undefined)
}

/**
 * Documents by their text: the test files of a process share one document and its compiled schemas.
 */
const read = new Map<string, ApiDocument>()

export function readDocument(document: Json): ApiDocument {
  const text = JSON.stringify(document)
  const known = read.get(text) ?? makeDocument(document)
  read.set(text, known)
  return known
}

const DOCUMENT = 'openapi.json'

/** A copy of the schema that refuses members it does not name. */
function strict(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(strict)
  if (typeof schema !== 'object' || schema === null) return schema
  // Ajv compiles a referenced schema once, however many schemas refer to it.
  if (typeof schema.$ref === 'string') return { $ref: `${DOCUMENT}${schema.$ref}` }
  const copy = Object.fromEntries(Object.entries(schema).map(([k, v]) => [k, strict(v)]))
  return 'properties' in copy ? { additionalProperties: false, ...copy } : copy
}

function makeDocument(document: Json): ApiDocument {
  // Ajv's optimizer takes longer than it saves: a schema validates only a few values here.
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } })
  formats.default(ajv)
  const { schemas } = document.components
  ajv.addSchema({ $id: DOCUMENT, components: { schemas: strict(schemas) } })
  const compiled = new Map<Json, ValidateFunction>()
  const json = { ...document, paths: inPlace(document.paths) }
  const operations = Object.entries<Json>(json.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, details]) => {
      return { name: `${method.toUpperCase()} ${path}`, method, path, details }
    }),
  )

  function target(ref: string): Json {
    const names = ref.slice(2).split('/')
    return names.reduce((node: Json, name) => node?.[name], document)
  }

  function inPlace(node: Json): Json {
    if (Array.isArray(node)) return node.map(inPlace)
    if (typeof node !== 'object' || node === null) return node
    const isShared = typeof node.$ref === 'string' && !node.$ref.includes('/schemas/')
    if (isShared) return inPlace(target(node.$ref))
    return Object.fromEntries(Object.entries(node).map(([name, child]) => [name, inPlace(child)]))
  }

  return {
    json,
    operations,
    target,
    mismatch(schema, value) {
      const name = schema.$ref ?? schema
      const validate = compiled.get(name) ?? ajv.compile(strict(schema))
      compiled.set(name, validate)
      if (validate(value)) return ''
      return ajv.errorsText(validate.errors, { dataVar: 'answer' })
    },
    answerSchema(path, method, status, contentType) {
      const [media = ''] = String(contentType).split(';')
      const operation = json.paths[path]?.[method]
      return operation && responseOf(operation, status)?.content?.[media]?.schema
    },
  }
}
