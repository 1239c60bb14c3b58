// The document of the interface against the service that serves it: every route and every error is
// in it, its requests work, its answers are what the service answers, and it needs no other host.
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, RouteOptions } from 'fastify'
import manifest from '../../package.json' with { type: 'json' }
import {
  balanceAnswers,
  balanceTransactionAnswers,
} from '../../src/balance-transaction/examples.ts'
import * as beneficiaries from '../../src/beneficiary/examples.ts'
import * as entities from '../../src/entity/examples.ts'
import { CATALOGUE, type Reason } from '../../src/errors.ts'
import { eventAnswers } from '../../src/event/examples.ts'
import { errorsPage } from '../../src/http/error-docs.ts'
import { documentText } from '../../src/http/openapi.ts'
import { cancelAnswers, payoutAnswers, payoutExamples } from '../../src/payout/examples.ts'
import { quoteAnswers, quoteExamples } from '../../src/quote/examples.ts'
import { PAYOUT_TYPES } from '../../src/quote/quote.ts'
import { type ApiDocument, type Json, readDocument } from '../support/document.ts'
import { type Answer, type Client, startTestService, type TestService } from '../support/service.ts'

const REASONS = Object.keys(CATALOGUE) as Reason[]

const routes: RouteOptions[] = []
let service: TestService
let api: ApiDocument
let document: Json
let payer: Client
/** What the service answers to the documented requests, by payout type. */
const answers: Record<'quote' | 'payout', Record<string, Answer>> = { quote: {}, payout: {} }
let deposit_address: string

before(async () => {
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', route => void routes.push(route))
  }
  subscribe('fastify.initialization', watch)
  service = await startTestService()
  unsubscribe('fastify.initialization', watch)
  document = JSON.parse(documentText(service.app))
  api = readDocument(document)
  await setPrices()
  const receiver = await service.openAccount({ currencies: ['USD'] })
  deposit_address = receiver.account.deposit_address
  const fund = { USD: 100_000_000n, EUR: 50_000_000n }
  payer = await service.openAccount({ currencies: ['USD', 'EUR'], fund })
  for (const type of PAYOUT_TYPES) {
    answers.quote[type] = await payer.post('/v3/payout/quote', quoteExamples[type])
  }
  // In the order of the examples: the balance example is what is left after all of them.
  for (const [type, request] of Object.entries(payoutExamples)) {
    answers.payout[type] = await payer.post('/v3/payout', JSON.parse(reachable(request)))
  }
})
after(() => service.close())

/** The rates and fees that the documented answers were priced at. */
async function setPrices(): Promise<void> {
  const rates = { USD: '1.1269', HKD: '8.8438', BRL: '5.5991', USDC: '1.1269' }
  await service.setRates(
    Object.fromEntries(Object.entries(rates).map(([code, mid]) => [`EUR/${code}`, mid])),
  )
  await service.setFees([
    { payout_type: 'local', fixed_amount: 150n, variable_bps: 20 },
    { payout_type: 'swift', fixed_amount: 1500n, variable_bps: 10 },
    { payout_type: 'local_payment_network', fixed_amount: 100n, variable_bps: 20 },
    { payout_type: 'wallet', fixed_amount: 100n, variable_bps: 5 },
  ])
}

/** The documented deposit address is nobody's. */
function reachable(request: object): string {
  return JSON.stringify(request).replace(/dep_\w{20}/, deposit_address)
}

/** Every object in the document, with its place. */
function* nodes(node: Json, place = '#'): Generator<[place: string, node: Json]> {
  if (typeof node !== 'object' || node === null) return
  yield [place, node]
  for (const [key, value] of Object.entries(node)) yield* nodes(value, `${place}/${key}`)
}

function assertMatches(schema: Json, value: unknown, what: string): void {
  assert.equal(api.mismatch(schema, value), '', `${what}: ${JSON.stringify(value)}`)
}

/** The documented schema of one answer, by its status and media type. */
function answerSchema(path: string, method: string, { status, headers }: Answer): Json {
  const media = headers['content-type']
  const schema = api.answerSchema(path, method, status, media)
  assert.ok(schema, `${method} ${path} ${status} ${media} is not documented`)
  return schema
}

/** Ids and times differ from run to run; everything else must not. */
function settled(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/\b([a-z]{2,3})_[0-9a-z]{20}\b/g, '$1_…')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}/g, 'time')
    // What a message by SWIFT is known by, and its day.
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, 'uetr')
    .replace(/(:20:|mt103-)[0-9A-Z]{16}/g, '$1…')
    .replace(/:32A:\d{6}/g, ':32A:day')
    .replace(/acc-[0-9a-z]{20}/g, 'acc-…')
    .replace(/base64,[A-Za-z0-9+/]+=*/g, 'base64,…')
  return JSON.parse(text)
}

test('openapi.json, its frame: OpenAPI 3.1.0 of this version, HTTP Basic', () => {
  assert.equal(document.openapi, '3.1.0')
  assert.equal(document.info.title, 'Corridor')
  assert.equal(document.info.version, manifest.version)
  assert.deepEqual(document.security, [{ api_key: [] }])
  const { type, scheme } = document.components.securitySchemes.api_key
  assert.deepEqual({ type, scheme }, { type: 'http', scheme: 'basic' })
  const known = new Set(document.tags.map((tag: Json) => tag.name))
  for (const { name, details } of api.operations) {
    assert.match(details.operationId, /^[a-z][A-Za-z]+$/, name)
    assert.ok(details.summary, name)
    assert.ok(details.tags.length === 1 && known.has(details.tags[0]), `${name}: tag`)
    for (const [status, response] of Object.entries<Json>(details.responses)) {
      assert.match(status, /^[1-5]\d\d$/, name)
      assert.ok(response.headers['X-Request-Id'], `${name} ${status}`)
      assert.ok(response.description, `${name} ${status}`)
    }
  }
  const ids = api.operations.map(({ details }) => details.operationId)
  assert.equal(new Set(ids).size, ids.length, 'operation ids differ')
})

test('openapi.json, references: each leads to something, schemas have names and compile', async () => {
  for (const [place, node] of nodes(document)) {
    if (typeof node.$ref === 'string') assert.ok(api.target(node.$ref), `${place}: ${node.$ref}`)
    for (const key of [
      'x-reason',
      'x-refusals',
      'x-examples',
      'x-alternative',
      'x-response-description',
    ]) {
      assert.ok(!(key in node), `${place} shows ${key}`)
    }
  }
  for (const schema of Object.values<Json>(document.components.schemas)) {
    // Its name says what a title would.
    assert.ok(!('title' in schema))
    api.mismatch(schema, {})
    // Compiling takes seconds in all, and the service shares this process.
    await turn()
  }
  const names = ['QuoteRequest', 'PayoutQuote', 'PayoutRequest', 'Payout', 'Balance', 'Error']
  const more = ['BalanceTransaction', 'BeneficiaryDetails', 'FxTransaction', 'ProblemDetails']
  for (const name of [...names, ...more]) assert.ok(document.components.schemas[name], name)
})

test('openapi.json, what is shared: one component, whose parts the document uses, for what is repeated', () => {
  const { securitySchemes: _, ...kinds } = document.components
  const uses = new Map<string, number>()
  for (const [, { $ref }] of nodes(document)) {
    if (typeof $ref === 'string') uses.set($ref, (uses.get($ref) ?? 0) + 1)
  }
  for (const [kind, components] of Object.entries<Json>(kinds)) {
    const texts = Object.values(components).map(component => JSON.stringify(component))
    if (kind !== 'schemas') assert.equal(new Set(texts).size, texts.length, `${kind} differ`)
    for (const name of Object.keys(components)) {
      // Reasons that no operation names, such as a path that is not there, have an example as well.
      const used = uses.get(`#/components/${kind}/${name}`) ?? 0
      assert.ok(used > 0 || name.startsWith('Error.'), `${kind}: ${name} is used`)
    }
  }
  const answers = api.operations.flatMap(({ path, method }) =>
    Object.entries<Json>(document.paths[path][method].responses).filter(([s]) => s >= '400'),
  )
  const inline = answers.filter(([, { $ref }]) => $ref === undefined)
  const repeated = Map.groupBy(inline, ([, response]) => JSON.stringify(response))
  assert.ok(
    [...repeated.values()].every(({ length }) => length === 1),
    'an error stands twice',
  )
  assert.ok(inline.length < answers.length / 20, `${inline.length} of ${answers.length} errors`)
})

test('openapi.json, path parameters: each in the path is described and required', () => {
  for (const { name, path, details } of api.operations) {
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
    const found = (details.parameters ?? []).filter((p: Json) => p.in === 'path')
    assert.deepEqual(
      found.map((p: Json) => [p.name, p.required, p.schema.type]),
      wanted.map(parameter => [parameter, true, 'string']),
      name,
    )
  }
})

test('openapi.json, routes: each route of the service is in it and nothing else is', () => {
  const served = routes
    .filter(({ url, method }) => method !== 'HEAD' && !/^\/docs(\/|$)/.test(url))
    .map(({ url, method }) => `${String(method)} ${url.replace(/:(\w+)/g, '{$1}')}`)
  assert.ok(served.length >= 10)
  assert.deepEqual(api.operations.map(({ name }) => name).sort(), served.sort())
})

test('openapi.json, security: public exactly where the route asks for no scope', () => {
  for (const { url, method, config } of routes) {
    const details = api.json.paths[url.replace(/:(\w+)/g, '{$1}')]?.[String(method).toLowerCase()]
    if (details === undefined) continue
    const scope = config?.scope
    assert.deepEqual(details.security, scope === undefined ? [] : undefined, url)
    if (scope !== undefined) assert.match(details.description, new RegExp(`scope \`${scope}\``))
  }
})

test('openapi.json, errors: every reason of the catalogue has an example, one in both notations', () => {
  const { schemas, examples } = document.components
  assert.deepEqual(schemas.ErrorDetail.properties.reason['x-extensible-enum'], REASONS)
  const [problem] = schemas.ProblemDetails.examples
  assertMatches(schemas.ProblemDetails, problem, 'problem details')
  const { value: same } = examples[`Error.${problem.errors[0].reason}`]
  assert.deepEqual(problem.errors, same.errors)
  assert.equal(problem.status, CATALOGUE[problem.errors[0].reason as Reason].status)
  for (const reason of REASONS) {
    const { code, status } = CATALOGUE[reason]
    const { value: error } = examples[`Error.${reason}`]
    assertMatches(schemas.Error, error, reason)
    assert.equal(error.errors[0].code, code)
    assert.ok(document.info.description.includes(`| ${code} | \`${reason}\` | ${status} |`), reason)
  }
})

test('openapi.json, errors of an operation: each stands at its status, with what all can give', () => {
  for (const { name, details } of api.operations.filter(({ path }) => path.startsWith('/v3/'))) {
    const given: string[] = []
    for (const [status, response] of Object.entries<Json>(details.responses)) {
      if (status === '200') continue
      const { 'application/json': json, 'application/problem+json': problem } = response.content
      assert.equal(problem.schema.$ref, '#/components/schemas/ProblemDetails')
      for (const reason of Object.keys(json.examples) as Reason[]) {
        assert.equal(String(CATALOGUE[reason].status), status, `${name}: ${reason}`)
        assert.deepEqual(json.examples[reason], document.components.examples[`Error.${reason}`])
        given.push(reason)
      }
    }
    const always = ['missing_credentials', 'invalid_credentials', 'insufficient_scope', 'internal']
    const body = ['invalid_json', 'invalid_field', 'payload_too_large', 'unsupported_media_type']
    const key = ['invalid_idempotency_key', 'idempotency_key_reused']
    const post = name.startsWith('POST')
    // The dry run writes nothing, so that there is no answer to keep.
    const kept = post && name !== 'POST /v3/entity/duplicate_check'
    const wanted = [...always, 'service_unavailable', ...(post ? body : []), ...(kept ? key : [])]
    for (const reason of wanted) assert.ok(given.includes(reason), `${name}: ${reason}`)
    assert.ok(details.responses['401'].headers['WWW-Authenticate'], name)
    assert.ok(details.responses['503'].headers['Retry-After'], name)
    const replayed = details.responses['200'].headers?.['Idempotent-Replayed']
    assert.equal(replayed !== undefined, kept, name)
  }
})

for (const type of PAYOUT_TYPES) {
  test(`openapi.json, ${type} quote: the request is taken and the answer is the documented one`, () => {
    const answer = answers.quote[type] as Answer
    assert.equal(answer.status, 200, answer.text)
    assertMatches(answerSchema('/v3/payout/quote', 'post', answer), answer.json, type)
    assert.deepEqual(settled(answer.json), settled(quoteAnswers[type]))
    const { content } = api.json.paths['/v3/payout/quote'].post.requestBody
    assert.deepEqual(content['application/json'].examples[type].value, quoteExamples[type])
  })

  test(`openapi.json, ${type} payout: the request is taken and the answer is the documented one`, () => {
    const answer = answers.payout[type] as Answer
    assert.equal(answer.status, 200, answer.text)
    assertMatches(answerSchema('/v3/payout', 'post', answer), answer.json, type)
    assert.deepEqual(settled(answer.json.data), settled(payoutAnswers[type]))
    const { content } = api.json.paths['/v3/payout'].post.responses['200']
    const { value } = content['application/json'].examples[type]
    assert.deepEqual(value, { status: 'success', message: '', data: payoutAnswers[type] })
  })
}

test('openapi.json, cancelled payout: the answer is the documented one', async () => {
  const made = await payer.post('/v3/payout', payoutExamples.local)
  const path = '/v3/payout/{id}/cancel'
  assert.equal(made.status, 200, made.text)
  const cancelled = await ask('post', path, made.json.data.id, {})
  assert.deepEqual(settled(cancelled), settled(cancelAnswers.cancelled))
  const { content } = api.json.paths[path].post.responses['200']
  const { value } = content['application/json'].examples.cancelled
  assert.deepEqual(value, { status: 'success', message: '', data: cancelAnswers.cancelled })
})

/** Sends a documented request; its answer is as documented. */
async function ask(method: 'get' | 'post' | 'put', path: string, id: string, body?: object) {
  const answer = await payer[method](path.replace('{id}', id), body as never)
  assert.equal(answer.status, 200, answer.text)
  assertMatches(answerSchema(path, method, answer), answer.json, path)
  const { content } = api.json.paths[path][method].requestBody ?? {}
  const examples = Object.values<Json>(content?.['application/json'].examples ?? {})
  assert.ok(method === 'get' || examples.some(e => isDeepStrictEqual(e.value, body)), path)
  return answer.json.data
}

for (const type of ['business', 'individual'] as const) {
  test(`openapi.json, ${type} beneficiary: the requests are taken and the answers are the documented ones`, async () => {
    const beneficiary = await ask(
      'post',
      '/v3/beneficiary',
      '',
      beneficiaries.beneficiaryExamples[type],
    )
    assert.deepEqual(settled(beneficiary), settled(beneficiaries.beneficiaryAnswers[type]))
    assert.deepEqual(await ask('get', '/v3/beneficiary/{id}', beneficiary.id), beneficiary)
    let changed: Json
    for (const change of Object.values(beneficiaries.beneficiaryUpdateExamples)) {
      changed = await ask('put', '/v3/beneficiary/{id}', beneficiary.id, change)
    }
    assert.deepEqual((await ask('get', '/v3/beneficiary', '')).results[0], changed)
  })

  test(`openapi.json, ${type} entity: the requests are taken and the answers are the documented ones`, async () => {
    const request = entities.entityExamples[type]
    const entity = await ask('post', '/v3/entity', '', request)
    assert.deepEqual(settled(entity), settled(entities.entityAnswers[type]))
    const checked = await ask('post', '/v3/entity/duplicate_check', '', request)
    assert.deepEqual(settled(checked), settled(entities.duplicateCheckAnswers[type]))
    assert.deepEqual(await ask('get', '/v3/entity/{id}', entity.id), entity)
    for (const change of Object.values(entities.entityUpdateExamples)) {
      await ask('put', '/v3/entity/{id}', entity.id, change)
    }
    const submitted = await ask('post', '/v3/entity/{id}/submit', entity.id, {})
    assert.deepEqual((await ask('get', '/v3/entity', '')).results[0], submitted)
  })
}

test('openapi.json, documented answers: each matches its schema', async () => {
  for (const { name, details } of api.operations) {
    for (const response of Object.values<Json>(details.responses)) {
      for (const { schema, examples = {} } of Object.values<Json>(response.content)) {
        for (const example of Object.values<Json>(examples)) {
          assertMatches(schema, example.value, name)
        }
        await turn()
      }
    }
  }
})

test('GET by id and balance, after the documented payouts: the answers are the documented ones', async () => {
  const { id, quote, balance_transaction } = (answers.payout.local as Answer).json.data
  const reads = [
    ['/v3/payout/quote/{id}', quote, undefined],
    ['/v3/payout/{id}', id, payoutAnswers.local],
    ['/v3/payout/{id}/timeline', id, undefined],
    ['/v3/balance_transaction/{id}', balance_transaction, balanceTransactionAnswers.payout],
    ['/v3/balance', '', balanceAnswers.balance],
  ] as const
  for (const [path, name, documented] of reads) {
    const answer = await payer.get(path.replace('{id}', name))
    assert.equal(answer.status, 200, path)
    assertMatches(answerSchema(path, 'get', answer), answer.json, path)
    if (documented !== undefined) {
      assert.deepEqual(settled(answer.json.data), settled(documented), path)
    }
  }
})

test('GET of lists, after the documented payouts: the answers match, the events are the documented ones', async () => {
  for (const path of ['/v3/payout', '/v3/payout/quote', '/v3/balance_transaction', '/v3/event']) {
    const answer = await payer.get(`${path}?limit=100`)
    assert.equal(answer.status, 200, path)
    assert.ok(answer.json.data.results.length >= 5, path)
    assertMatches(answerSchema(path, 'get', answer), answer.json, path)
  }
  const { id } = (answers.payout.local as Answer).json.data
  const { json } = await payer.get(`/v3/event?object_id=${id}&type=payout.created`)
  assert.deepEqual(settled(json.data.results), settled([eventAnswers.payout_created]))
  const one = await payer.get(`/v3/event/${json.data.results[0].id}`)
  assertMatches(answerSchema('/v3/event/{id}', 'get', one), one.json, 'event')
  assert.deepEqual(one.json.data, json.data.results[0])
})

test('refusals of POST /v3/payout: each is documented at its status and matches the schema', async () => {
  const request = JSON.parse(reachable(payoutExamples.service_account))
  const huge = { ...request, amount: 9_007_199_254_740_991 }
  const cases: [Reason, unknown, Record<string, string>][] = [
    ['invalid_credentials', request, { authorization: 'Basic eDp5' }],
    ['invalid_json', '{"amount":1,"amount":2}', {}],
    ['invalid_field', { ...request, colour: 'red' }, {}],
    ['unsupported_media_type', '<payout/>', { 'content-type': 'text/xml' }],
    ['payload_too_large', `"${'x'.repeat(300_000)}"`, {}],
    ['invalid_idempotency_key', request, { 'idempotency-key': 'ключ' }],
    ['insufficient_balance', huge, {}],
  ]
  for (const [reason, body, headers] of cases) {
    for (const accept of ['application/json', 'application/problem+json']) {
      const answer = await payer.post('/v3/payout', body, { accept, ...headers })
      assert.equal(answer.json.errors?.[0]?.reason, reason, answer.text)
      assertMatches(answerSchema('/v3/payout', 'post', answer), answer.json, reason)
      const { content } = api.json.paths['/v3/payout'].post.responses[answer.status]
      assert.ok(content['application/json'].examples[reason], reason)
    }
  }
  const stranger = await service.inject({ method: 'POST', url: '/v3/payout', payload: request })
  assertMatches(answerSchema('/v3/payout', 'post', stranger), stranger.json, 'missing_credentials')
  assert.ok(stranger.headers['www-authenticate'])
})

test('openapi.json and docs/errors.md, as committed: what the service serves', async () => {
  const committed = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
  const { text } = await service.inject({ url: '/openapi.json' })
  assert.ok((await committed('openapi.json')) === text)
  assert.ok(documentText(service.app) === text, 'run: npm run openapi')
  assert.ok((await committed('docs/errors.md')) === errorsPage(), 'run: npm run openapi')
  for (const reason of REASONS) assert.ok(errorsPage().includes(`| \`${reason}\` |`), reason)
})

test('/openapi.json and /docs, no credentials: 200', async () => {
  const types = {
    '/openapi.json': 'application/json; charset=utf-8',
    '/docs': 'text/html; charset=utf-8',
    '/docs/': 'text/html; charset=utf-8',
  }
  for (const [url, type] of Object.entries(types)) {
    const { status, headers } = await service.inject({ url })
    assert.deepEqual({ status, type: headers['content-type'] }, { status: 200, type }, url)
  }
  for (const url of ['/docs/json', '/docs/yaml']) {
    const { status, headers } = await service.inject({ url })
    assert.deepEqual({ status, to: headers.location }, { status: 302, to: '../openapi.json' }, url)
  }
})

test('/docs, its page: refers to files of this service only, which are there, and forbids others', async () => {
  const page = await service.inject({ url: '/docs' })
  const links = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link)
  assert.ok(links.length >= 5)
  assert.doesNotMatch(page.text, /https?:|"\/\//)
  for (const url of links) {
    assert.match(url, /^\/docs\/static\/[\w.-]+$/)
    assert.equal((await service.inject({ url })).status, 200, url)
  }
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'; script-src 'self';/)
  assert.doesNotMatch(policy, /https?:|\*/)
})

test('/docs/static, no file of it: 404, never a fault', async () => {
  for (const path of ['absent.js', '..%2f..%2fpackage.json', '%00', '/', '.hidden']) {
    const { status, json } = await service.inject({ url: `/docs/static/${path}` })
    assert.deepEqual([status, json.errors[0].reason], [404, 'not_found'], path)
  }
})
