// Each client has a method for every operation, whose request reaches it, and each answer has its
// declared shape: openapi.json, of which their types are made, is held against it.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, beforeEach, test } from 'node:test'
import { Corridor, isCorridorError } from '../../packages/sdk/src/index.ts'
import { type Method, type Resource, readModel } from '../../scripts/sdk/model.ts'
import { camel, pythonName } from '../../src/docs-site/snippet/names.ts'
import { type ApiDocument, readDocument } from '../support/assert/document.ts'
import { bodiesOf, type Ids, QUERIES, type Route, watchRoutes } from '../support/assert/routes.ts'
import { localPayout, plainEntity } from '../support/given/bodies.ts'
import { type Front, startFront } from '../support/network/front.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { makeWorld } from '../support/service/world.ts'
import { noPython, startPythonClient } from './python.ts'

/** For people, about a file of an operator, or about a notice of a bank: refused, as declared. */
const REFUSED = /\/(approve|reject|accept_notice|confirmation|conversion)$|\/payout_import\//

let service: TestService
let routes: readonly Route[]
let api: ApiDocument
let document: string
let front: Front
/** The requests of a client. */
const reached = new Set<string>()
before(async () => {
  document = await readFile('openapi.json', 'utf8')
  api = readDocument(JSON.parse(document))
  const start = () => startTestService({ webhook_allow_private: true, request_log: true })
  const [started, found] = await watchRoutes(start)
  service = started
  routes = found
  await service.setRates({ 'EUR/USD': '1.1' })
  front = await startFront(service.app)
  front.observe = (verb, url) => void reached.add(`${verb} ${url.replace(/\?.*/, '')}`)
})
beforeEach(() => reached.clear())
after(async () => {
  front.close()
  await service.close()
})

async function made(client: Client, url: string, body: object): Promise<string> {
  const { status, json, text } = await client.post(url, body)
  assert.equal(status, 200, text)
  return json.data.id
}

const newPayout = (client: Client) =>
  made(client, '/v3/payout', { ...localPayout, amount: 100_000 })

async function askedFor(client: Client): Promise<string> {
  const id = await newPayout(client)
  await made(client, `/v3/sandbox/payout/${id}/transition`, { status: 'requires_action' })
  return id
}

async function paid(client: Client): Promise<string> {
  const id = await newPayout(client)
  await made(client, `/v3/sandbox/payout/${id}/transition`, { status: 'succeeded' })
  return id
}

async function submitted(client: Client): Promise<string> {
  const email = 'new@example.com'
  const id = await made(client, '/v3/entity', { ...plainEntity, name: 'Somebody New', email })
  return made(client, `/v3/entity/${id}/submit`, {})
}

/** What an operation is for, where the object of the world is over already. */
const OF_THEIR_OWN: Readonly<Record<string, (client: Client) => Promise<string>>> = {
  'GET /v3/payout/{id}/confirmation': paid,
  'POST /v3/payout/{id}/cancel': newPayout,
  'POST /v3/payout/{id}/action': askedFor,
  'POST /v3/sandbox/payout/{id}/transition': newPayout,
  'POST /v3/sandbox/entity/{id}/review': submitted,
}

/** The ids in the path, by the prefixes that its schema takes. */
async function idsOf({ verb, path, params }: Method, client: Client, ids: Ids): Promise<string[]> {
  const own = OF_THEIR_OWN[`${verb} ${path}`]
  if (own !== undefined) return [await own(client)]
  const { parameters } = api.json.paths[path][verb.toLowerCase()]
  return params.map(param => {
    const found = parameters.find(({ name }: { name: string }) => name === param)
    const [, prefix = ''] = /([a-z]{3})_/.exec(found.schema.pattern) ?? []
    return ids[prefix] ?? `${prefix}_00000000000000000000`
  })
}

/** A method with what it is called with. */
interface Asked {
  readonly what: string
  readonly way: readonly string[]
  readonly method: Method
  readonly ids: readonly string[]
  readonly body: object | undefined
  readonly query: Readonly<Record<string, string>> | undefined
}

/** Every method, of an account that has one of everything; what ends objects comes last. */
async function everything(): Promise<{ readonly asked: Asked[]; readonly apiKey: string }> {
  const { client, ids } = await makeWorld(service, true)
  const asked: Asked[] = []
  const walk = async ({ way, methods, children }: Resource) => {
    for (const method of methods) {
      const { verb, path } = method
      const what = `${verb} ${path}`
      const name = what.replace(/\{(\w+)\}/g, ':$1')
      const route = routes.find(one => one.name === name)
      const given = method.body && bodiesOf(route ?? assert.fail(name))[0]
      const query = QUERIES[path] && Object.fromEntries(new URLSearchParams(QUERIES[path]))
      const own = await idsOf(method, client, ids)
      asked.push({ what, way, method, ids: own, body: given, query: query || undefined })
    }
    for (const child of children) await walk(child)
  }
  await walk(readModel(document).root)
  const ends = ({ method }: Asked) => Number(method.verb === 'DELETE')
  asked.sort((a, b) => ends(a) - ends(b))
  const operations = api.operations.map(({ name }) => name)
  assert.deepEqual([...new Set(asked.map(({ what }) => what))].sort(), operations.sort())
  return { asked, apiKey: `${client.key_id}:${client.secret}` }
}

/** Each method has sent its request. */
function assertReached(asked: readonly Asked[]): void {
  const wanted = asked.map(({ what, ids }) =>
    ids.reduce((way, id) => way.replace(/\{\w+\}/, id), what),
  )
  assert.deepEqual([...reached].sort(), [...new Set(wanted)].sort())
}

test('SDK, every operation of openapi.json: a method calls it, answer as declared', async () => {
  let answer: Response | undefined
  const { asked, apiKey } = await everything()
  const corridor = new Corridor({
    apiKey,
    baseUrl: front.address,
    // A busy machine answers 503 now and then, and the client is made for it.
    maxRetries: 5,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      answer = response.clone()
      return response
    },
  })
  type Methods = Record<string, (...given: unknown[]) => PromiseLike<unknown>>
  for (const { what, way, method, ids, body: sent, query } of asked) {
    const { name, verb, path, enveloped, media } = method
    const at = way.reduce<unknown>(
      (on, one) => (on as Record<string, object>)[camel(one)],
      corridor,
    )
    const given = [...ids, sent ?? query].filter(one => one !== undefined)
    const call = (at as Methods)[camel(name)]
    const data = await call?.apply(at, given).then(undefined, error => {
      assert.ok(isCorridorError(error) && REFUSED.test(path), `${what}: ${error}`)
    })
    assert.ok(answer, what)
    const { status, headers } = answer
    const type = headers.get('content-type')
    const body = await answer.text()
    const schema = api.answerSchema(path, verb.toLowerCase(), status, type)
    assert.ok(schema, `${what}: ${status} ${type} is not declared`)
    if (media !== undefined) continue
    const json = JSON.parse(body)
    assert.equal(api.mismatch(schema, json), '', `${what}: ${body}`)
    if (data !== undefined) assert.deepEqual(data, enveloped ? json.data : json, what)
  }
  assertReached(asked)
})

test('Python, every operation of openapi.json: a method calls it, answer as declared', {
  skip: noPython,
}, async () => {
  const { asked, apiKey } = await everything()
  const calls = asked.map(({ way, method, ids, body, query = {} }) => ({
    way: [...way, method.name].map(pythonName),
    given: body === undefined ? ids : [...ids, body],
    query: Object.fromEntries(Object.entries(query).map(([name, one]) => [pythonName(name), one])),
  }))
  const settings = { max_retries: 5 }
  const python = startPythonClient()
  const answers = (await python.call({
    ...{ do: 'answers', api_key: apiKey, base_url: front.address, settings, calls },
  })) as { status: number; type: string; data?: unknown; errors?: unknown }[]
  python.close()
  assert.equal(answers.length, asked.length)
  for (const [i, { status, type, data, errors }] of answers.entries()) {
    const { what, method } = asked[i] ?? assert.fail()
    const { verb, path, answer, enveloped, media } = method
    const declared = api.answerSchema(path, verb.toLowerCase(), status, type)
    assert.ok(declared, `${what}: ${status} ${type} is not declared`)
    if (errors !== undefined) {
      assert.match(path, REFUSED, `${what}: ${JSON.stringify(errors)}`)
      assert.equal(
        api.mismatch(
          { type: 'array', items: { $ref: '#/components/schemas/ErrorDetail' } },
          errors,
        ),
        '',
        what,
      )
    } else if (media === undefined) {
      const schema = enveloped ? answer : declared
      assert.equal(api.mismatch(schema, data), '', `${what}: ${JSON.stringify(data)}`)
    }
  }
  assertReached(asked)
})
