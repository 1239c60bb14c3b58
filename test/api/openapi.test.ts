// The document of the interface against the service that serves it: every route and every error is
// in it, its examples match its schemas, and it needs no other host. Whether the service answers as
// the examples say is tested in examples.test.ts.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { RouteOptions } from 'fastify'
import { makeConnectorDocument } from '../../scripts/openapi/connector.ts'
import { makeDocument } from '../../scripts/openapi/document.ts'
import { errorExamples, errorsPage } from '../../scripts/openapi/errors.ts'
import { EVENTS } from '../../src/statements/event/event.ts'
import { CATALOGUE, REASONS, type Reason } from '../../src/values/errors.ts'
import { type ApiDocument, ELSEWHERE, type Json, readDocument } from '../support/assert/document.ts'
import { watchAdded } from '../support/assert/routes.ts'
import { startTestService, type TestService } from '../support/service/service.ts'

let routes: readonly RouteOptions[]
let service: TestService
let api: ApiDocument
let text: string
let document: Json
/** What operators ask. */
let theirs: Json

before(async () => {
  ;[service, routes] = await watchAdded(() => startTestService())
  text = await makeDocument()
  document = JSON.parse(text)
  theirs = JSON.parse(await makeDocument('operators'))
  api = readDocument(document)
})
after(() => service.close())

/** Every object in the document, with its place. */
function* nodes(node: Json, place = '#'): Generator<[place: string, node: Json]> {
  if (typeof node !== 'object' || node === null) return
  yield [place, node]
  for (const [key, value] of Object.entries(node)) yield* nodes(value, `${place}/${key}`)
}

function assertMatches(schema: Json, value: unknown, what: string): void {
  assert.equal(api.mismatch(schema, value), '', `${what}: ${JSON.stringify(value)}`)
}

test('openapi.json, info: OpenAPI 3.1.0, this version, HTTP Basic', async () => {
  assert.equal(document.openapi, '3.1.0')
  assert.equal(document.info.title, 'Corridor')
  assert.match(document.info.version, /^3\.\d{4}-\d{2}-\d{2}$/)
  assert.deepEqual(document.security, [{ api_key: [] }])
  assert.deepEqual(
    document.servers.map(({ url }: Json) => url),
    ['/', 'http://127.0.0.1:8080'],
  )
  const shared = Object.values<object>(document.components).flatMap(Object.keys)
  assert.deepEqual(
    shared.filter(name => !/^[\w.-]+$/.test(name)),
    [],
    'names that clients can have',
  )
  const { type, scheme } = document.components.securitySchemes.api_key
  assert.deepEqual({ type, scheme }, { type: 'http', scheme: 'basic' })
  const known = new Set(document.tags.map((tag: Json) => tag.name))
  for (const { name, details } of api.operations) {
    assert.match(details.operationId, /^[a-z][A-Za-z]+$/, name)
    assert.ok(details.summary, name)
    assert.ok(details.tags.length === 1 && known.has(details.tags[0]), `${name}: tag`)
    for (const [status, response] of Object.entries<Json>(details.responses)) {
      assert.match(status, /^([1-5]\d\d|default)$/, name)
      assert.ok(response.headers['X-Request-Id'], `${name} ${status}`)
      assert.ok(response.description, `${name} ${status}`)
    }
  }
  const ids = [...api.operations, ...readDocument(theirs).operations].map(
    ({ details }) => details.operationId,
  )
  assert.equal(new Set(ids).size, ids.length, 'operation ids differ, those of operators as well')
})

/** Keywords of our schemas that only the making of the document reads, without their `x-`. */
const INTERNAL = [
  ...['reason', 'refusals', 'examples', 'alternative', 'files', 'tagged', 'documented', 'also'],
  'response-description',
]

test('openapi.json, references: each resolves; schemas named and compiled', async () => {
  for (const [place, node] of nodes(document)) {
    if (typeof node.$ref === 'string') assert.ok(api.target(node.$ref), `${place}: ${node.$ref}`)
    for (const key of INTERNAL) assert.ok(!(`x-${key}` in node), `${place} shows x-${key}`)
  }
  for (const schema of Object.values<Json>(document.components.schemas)) {
    // Its name says what a title would.
    assert.ok(!('title' in schema))
    api.mismatch(schema, {})
    // Compiling takes seconds in all, and the service shares this process.
    await turn()
  }
})

test('openapi.json, schema names: none equals a JavaScript global, as generated code would hide it', async () => {
  const types = `@typescript/typescript-${process.platform}-${process.arch}/lib/lib.dom.d.ts`
  const dom = await readFile(new URL(`../../node_modules/${types}`, import.meta.url), 'utf8')
  const found = [...dom.matchAll(/^declare (?:var|function|const) (\w+)/gm)].map(([, name]) => name)
  const globals = new Set([...found, ...Object.getOwnPropertyNames(globalThis)])
  assert.ok(globals.has('Event') && globals.has('Document') && globals.has('Error'))
  for (const { components } of [document, theirs, JSON.parse(makeConnectorDocument())]) {
    const names = Object.keys(components.schemas)
    assert.deepEqual(
      names.filter(name => globals.has(name)),
      [],
    )
  }
})

test('openapi.json, schema used repeatedly: one component; no component unused', () => {
  assert.ok(text.split('\n').length < 11_500, 'it can be read')
  const { securitySchemes: _, ...kinds } = document.components
  const uses = new Map<string, number>()
  for (const [, { $ref }] of nodes(document)) {
    if (typeof $ref === 'string') uses.set($ref, (uses.get($ref) ?? 0) + 1)
  }
  for (const [kind, components] of Object.entries<Json>(kinds)) {
    const texts = Object.values(components).map(component => JSON.stringify(component))
    if (kind !== 'schemas') assert.equal(new Set(texts).size, texts.length, `${kind} differ`)
    for (const name of Object.keys(components)) {
      const used = uses.get(`#/components/${kind}/${name}`) ?? 0
      assert.ok(used > 0, `${kind}: ${name} is used`)
    }
  }
  const answers = api.operations.flatMap(({ path, method }) =>
    Object.entries<Json>(document.paths[path][method].responses).filter(([s]) => s >= '300'),
  )
  const inline = answers.filter(([, { $ref }]) => $ref === undefined)
  const repeated = Map.groupBy(inline, ([, response]) => JSON.stringify(response))
  assert.ok(
    [...repeated.values()].every(({ length }) => length === 1),
    'an error stands twice',
  )
  assert.ok(inline.length < answers.length / 20, `${inline.length} of ${answers.length} errors`)
})

test('openapi.json, path parameters: each described and required; limit is a number', () => {
  for (const { name, path, details } of api.operations) {
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
    const found = (details.parameters ?? []).filter((p: Json) => p.in === 'path')
    assert.deepEqual(
      found.map((p: Json) => [p.name, p.required, p.schema.type]),
      wanted.map(parameter => [parameter, true, 'string']),
      name,
    )
    const limit = details.parameters?.find((p: Json) => p.name === 'limit')
    if (limit !== undefined) assert.equal(limit.schema.type, 'integer', name)
  }
})

test('openapi.json, routes: exactly those of the service', () => {
  const served = routes
    .filter(({ url, method }) => method !== 'HEAD' && !ELSEWHERE.test(url))
    .map(({ url, method }) => `${String(method)} ${url.replace(/:(\w+)/g, '{$1}')}`)
  assert.ok(served.length >= 10)
  assert.deepEqual(api.operations.map(({ name }) => name).sort(), served.sort())
})

test('openapi.json, security: none exactly where the route needs no scope', () => {
  for (const { url, method, config } of routes) {
    const details = api.json.paths[url.replace(/:(\w+)/g, '{$1}')]?.[String(method).toLowerCase()]
    if (details === undefined) continue
    const scope = config?.scope
    assert.deepEqual(details.security, scope === undefined ? [] : undefined, url)
    const people = { approve: 'a person who may approve', person: 'Needs a person' }
    const needed = people[scope as keyof typeof people] ?? `scope \`${scope}\``
    if (scope !== undefined) assert.match(details.description, new RegExp(needed))
  }
})

test('openapi.json, errors: an example for every reason of the catalogue, one in both notations', () => {
  const { schemas } = document.components
  const examples = errorExamples() as Json
  assert.deepEqual(schemas.ErrorDetail.properties.reason.enum, REASONS)
  const [problem] = schemas.ProblemDetails.examples
  assertMatches(schemas.ProblemDetails, problem, 'problem details')
  const { value: same } = examples[`Error.${problem.errors[0].reason}`]
  assert.deepEqual(problem.errors, same.errors)
  assert.equal(problem.status, CATALOGUE[problem.errors[0].reason as Reason].status)
  for (const reason of REASONS) {
    const { code, status } = CATALOGUE[reason]
    const { value: error } = examples[`Error.${reason}`]
    assertMatches(schemas.ErrorAnswer, error, reason)
    assert.equal(error.errors[0].code, code)
    assert.ok(document.info.description.includes(`| ${code} | \`${reason}\` | ${status} |`), reason)
  }
})

test('openapi.json, errors of each operation: under their status, with the errors that every operation has', () => {
  for (const { name, details } of api.operations.filter(({ path }) => path.startsWith('/v3/'))) {
    const given: string[] = []
    for (const [status, response] of Object.entries<Json>(details.responses)) {
      if (status < '400') continue
      const { 'application/json': json, 'application/problem+json': problem } = response.content
      assert.equal(problem.schema.$ref, '#/components/schemas/ProblemDetails')
      for (const reason of Object.keys(json.examples) as Reason[]) {
        const its = String(CATALOGUE[reason].status)
        const isOfMessages = ['408', '414', '421', '431'].includes(its)
        assert.equal(isOfMessages ? 'default' : its, status, `${name}: ${reason}`)
        assert.deepEqual(json.examples[reason], document.components.examples[`Error.${reason}`])
        given.push(reason)
      }
    }
    const credentials = ['missing_credentials', 'invalid_credentials', 'insufficient_scope']
    const message = ['request_timeout', 'uri_too_long', 'misdirected_request', 'headers_too_large']
    const always = [...credentials, ...message, 'internal']
    const body = ['invalid_json', 'invalid_field', 'payload_too_large', 'unsupported_media_type']
    const key = ['invalid_idempotency_key', 'idempotency_key_reused']
    const post = name.startsWith('POST')
    // They write nothing, so that there is no answer to keep.
    const kept =
      post && !['POST /v3/entity/duplicate_check', 'POST /v3/payout/options'].includes(name)
    const wanted = [...always, 'service_unavailable', ...(post ? body : []), ...(kept ? key : [])]
    for (const reason of wanted) assert.ok(given.includes(reason), `${name}: ${reason}`)
    assert.ok(details.responses['401'].headers['WWW-Authenticate'], name)
    assert.ok(details.responses['503'].headers['Retry-After'], name)
    const replayed = details.responses['200'].headers?.['Idempotent-Replayed']
    assert.equal(replayed !== undefined, kept, name)
  }
})

test('openapi.json, documented answers: each matches its own schema', async () => {
  for (const { name, details } of api.operations) {
    for (const response of Object.values<Json>(details.responses)) {
      for (const { schema, examples = {} } of Object.values<Json>(response.content ?? {})) {
        for (const example of Object.values<Json>(examples)) {
          assertMatches(schema, example.value, name)
        }
        await turn()
      }
    }
  }
})

test('openapi.json, webhooks: one per event type, its schema accepts only this type', () => {
  const types = Object.entries(EVENTS).flatMap(([kind, all]) => all.map(type => `${kind}.${type}`))
  assert.deepEqual(Object.keys(document.webhooks), types)
  const { mapping } = document.components.schemas.AccountEvent.discriminator
  assert.deepEqual(Object.keys(mapping), types)
  const { responses } = api.json.paths['/v3/event/{id}'].get
  const [{ value }] = Object.values<Json>(responses[200].content['application/json'].examples)
  for (const type of types) {
    const { post } = document.webhooks[type]
    assert.ok(post.summary && post.operationId, type)
    const { schema } = post.requestBody.content['application/json']
    const [kind, of_type] = schema.allOf
    assert.deepEqual([kind.$ref, of_type.properties.type.const], [mapping[type], type])
    const fits = api.mismatch(kind, value.data) === ''
    assert.equal(fits, mapping[type] === mapping[value.data.type], type)
  }
})

test('openapi.json and docs/errors.md in the repository: equal to the served documents', async () => {
  const committed = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
  const served = await service.inject({ url: '/openapi.json' })
  assert.ok((await committed('openapi.json')) === served.text)
  assert.ok(served.text === text, 'run: npm run openapi')
  assert.ok((await committed('docs/errors.md')) === errorsPage(), 'run: npm run openapi')
  for (const reason of REASONS) assert.ok(errorsPage().includes(`| \`${reason}\` |`), reason)
})

test('GET /openapi.json and /docs, no credentials: 200', async () => {
  const types = {
    '/openapi.json': 'application/json; charset=utf-8',
    '/docs': 'text/html; charset=utf-8',
    '/docs/': 'text/html; charset=utf-8',
  }
  for (const [url, type] of Object.entries(types)) {
    const { status, headers } = await service.inject({ url })
    assert.deepEqual({ status, type: headers['content-type'] }, { status: 200, type }, url)
  }
})
