// Whether an answer is one that the document allows for its request, in status, headers and body; and
// whether the document leaves a request any answer but a refusal.
import { CATALOGUE, type Reason } from '../../src/values/errors.ts'
import { assertNoInsides } from '../support/assert/check.ts'
import {
  type ApiDocument,
  type Json,
  type Operation,
  responseOf,
} from '../support/assert/document.ts'
import type { Answer } from '../support/service/service.ts'
import type { Request } from './request.ts'

/** The operation that a request is for; undefined when there is none. */
export function operationOf(api: ApiDocument, { method, url }: Request): Operation | undefined {
  const path = pathOf(url)
  return api.operations
    .filter(operation => operation.method === method.toLowerCase())
    .filter(operation => patternOf(operation).test(path))
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0]
}

const patterns = new Map<string, RegExp>()

function patternOf({ path }: Operation): RegExp {
  const known = patterns.get(path)
  if (known !== undefined) return known
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]*')}$`)
  patterns.set(path, pattern)
  return pattern
}

/** As it is sent: a client leaves out each `.`, and each `..` with the segment before it. */
function pathOf(url: string): string {
  const path = url.split('?')[0] ?? ''
  if (!path.split('/').some(segment => DOTS.test(segment))) return path
  return new URL(`http://localhost${path}`).pathname
}
const DOTS = /^(?:\.|%2e){1,2}$/i

/** What is wrong with an answer; '' when nothing is. */
export function complaintOf(api: ApiDocument, request: Request, answer: Answer): string {
  const { status, headers, text } = answer
  if (status >= 500) return `a fault: ${status}`
  if (Object.hasOwn(Object.prototype, 'polluted')) return 'Object.prototype is polluted'
  const media = String(headers['content-type']).split(';')[0]
  if (request.method === 'HEAD') return text === '' ? '' : 'an answer to HEAD has a body'
  if (headers['idempotent-replayed'] !== undefined && status !== 200) return 'a refusal was kept'
  if (headers['set-cookie'] !== undefined) return 'a header that nobody wrote'
  const operation = operationOf(api, request)
  if (status === 304 && operation?.details.responses[304] !== undefined) {
    return text === '' ? '' : 'an answer of 304 has a body'
  }
  const ours = operation?.path.startsWith('/v3/') || status < 400
  const schema =
    operation && ours
      ? api.answerSchema(operation.path, operation.method, status, media)
      : elsewhere(api, status, media)
  if (schema === undefined) return `${status} ${media} is not documented`
  const wrong = api.mismatch(schema, media?.endsWith('json') ? answer.json : text)
  if (wrong !== '') return `${status} is not as documented: ${wrong}`
  return status < 400 ? '' : refusalComplaint(ours ? operation : undefined, answer)
}

/** No such path, or it is there for another method; or the message was refused as such. */
function elsewhere(api: ApiDocument, status: number, media = ''): Json {
  const { schemas } = api.json.components
  if (![400, 404, 405, 413, 414, 415, 431].includes(status)) return undefined
  return media === 'application/problem+json' ? schemas.ProblemDetails : schemas.ErrorAnswer
}

function refusalComplaint(operation: Operation | undefined, answer: Answer): string {
  const { status, headers, text, json } = answer
  try {
    assertNoInsides(text)
  } catch {
    return 'it shows its insides'
  }
  const [first] = json.errors as { reason: Reason }[]
  for (const { reason, code } of json.errors as { reason: Reason; code: number }[]) {
    if (CATALOGUE[reason]?.code !== code) return `${reason} has the code ${code}`
  }
  if (first && CATALOGUE[first.reason].status !== status) return `${first.reason} has ${status}`
  const response = operation && responseOf(operation.details, status)
  const examples = response?.content['application/json'].examples
  if (first && operation && !Object.hasOwn(examples, first.reason)) {
    return `${first.reason} is not documented`
  }
  if (status === 401 && headers['www-authenticate'] === undefined) return '401 without a challenge'
  if (status === 405 && headers.allow === undefined) return '405 without Allow'
  return text.length > 60_000 ? 'a long refusal' : ''
}

/** Why the document leaves nothing but a refusal; '' when it leaves more. */
export function refusedBy(api: ApiDocument, request: Request): string {
  const operation = operationOf(api, request)
  if (operation === undefined || !operation.path.startsWith('/v3/')) return ''
  return (
    pathProblem(operation, request) ||
    queryProblem(api, operation, request) ||
    bodyProblem(api, operation, request)
  )
}

function parametersOf({ details }: Operation, place: string): Json[] {
  return (details.parameters ?? []).filter((parameter: Json) => parameter.in === place)
}

function pathProblem(operation: Operation, { url }: Request): string {
  const segments = pathOf(url).split('/')
  const names = operation.path.split('/')
  for (const { name, schema } of parametersOf(operation, 'path')) {
    const segment = segments[names.indexOf(`{${name}}`)] ?? ''
    if (!new RegExp(schema.pattern).test(segment)) return `${name} in the path`
  }
  return ''
}

function queryProblem(api: ApiDocument, operation: Operation, { url }: Request): string {
  const documented = parametersOf(operation, 'query')
  const pairs = [...new URLSearchParams(url.split('?').slice(1).join('?'))]
  const named = ([name]: readonly [string, string]) => {
    const bare = name.replace(/\[.*\]$/, '')
    const { schema } = documented.find(parameter => parameter.name === bare) ?? {}
    const folds = name === `${bare}[]` ? 'array' : 'object'
    return schema?.type === folds ? bare : name
  }
  for (const [name, sent] of Map.groupBy(pairs, named)) {
    const { schema } = documented.find(parameter => parameter.name === name) ?? {}
    const several = schema?.type === 'array'
    if (schema?.type === 'object') {
      const keys = sent.map(([key]) => key.slice(name.length + 1, -1))
      const pairs = Object.fromEntries(sent.map(([, text], i) => [keys[i], text]))
      if (new Set(keys).size < keys.length || sent.some(([key]) => key === name)) return name
      if (api.mismatch(schema, pairs) !== '') return name
      continue
    }
    if (schema === undefined || (sent.length > 1 && !several)) return `${name} in the query`
    const texts = sent.map(([, text]) => read(several ? schema.items : schema, text))
    const value = several ? texts : texts[0]
    // Of times the document says less than the service takes.
    if (schema.format === undefined && api.mismatch(schema, value) !== '') return `${name}`
  }
  return ''
}

/** A parameter as what the document says it is. */
function read(schema: Json, text: string): unknown {
  if (schema.type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text
  if (schema.type === 'boolean') return ['true', 'false'].includes(text) ? text === 'true' : text
  return text
}

function bodyProblem(api: ApiDocument, { details }: Operation, { body }: Request): string {
  const schema = details.requestBody?.content['application/json'].schema
  if (schema === undefined || body === undefined || body.length === 0) return ''
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    return api.mismatch(schema, JSON.parse(text))
  } catch {
    return 'no JSON'
  }
}
