// Each answer has its declared shape: the TypeScript client calls every operation of the running
// service, and openapi.json, of which its types are made, is held against each answer.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { Corridor, isCorridorError } from '../../packages/sdk/src/index.ts'
import { type Method, type Resource, readModel } from '../../scripts/sdk/model.ts'
import { camel } from '../../src/snippet/names.ts'
import { type ApiDocument, readDocument } from '../support/assert/document.ts'
import { bodiesOf, type Ids, QUERIES, type Route, watchRoutes } from '../support/assert/routes.ts'
import { localPayout, plainEntity } from '../support/given/bodies.ts'
import { startTestService, type TestService } from '../support/service/service.ts'
import { makeWorld, type World } from '../support/service/world.ts'

/** For people, or about a file that only an operator imports: refused, in the declared shape too. */
const REFUSED = /\/(approve|reject)$|\/payout_import\//

let service: TestService
let routes: readonly Route[]
let world: World
let api: ApiDocument
let text: string
let address: string
before(async () => {
  text = await readFile('openapi.json', 'utf8')
  api = readDocument(JSON.parse(text))
  const start = () => startTestService({ webhook_allow_private: true, request_log: 'on' })
  const [started, found] = await watchRoutes(start)
  service = started
  routes = found
  await service.setRates({ 'EUR/USD': '1.1' })
  world = await makeWorld(service, true)
  address = await service.app.listen({ host: '127.0.0.1', port: 0 })
})
after(() => service.close())

async function made(url: string, body: object): Promise<string> {
  const { status, json, text } = await world.client.post(url, body)
  assert.equal(status, 200, text)
  return json.data.id
}

const newPayout = () => made('/v3/payout', { ...localPayout, amount: 100_000 })

async function askedFor(): Promise<string> {
  const id = await newPayout()
  await made(`/v3/sandbox/payout/${id}/transition`, { status: 'requires_action' })
  return id
}

async function submitted(): Promise<string> {
  const email = 'new@example.com'
  const id = await made('/v3/entity', { ...plainEntity, name: 'Somebody New', email })
  return made(`/v3/entity/${id}/submit`, {})
}

/** What an operation is for, where the object of the world is over already. */
const OF_THEIR_OWN: Readonly<Record<string, () => Promise<string>>> = {
  'POST /v3/payout/{id}/cancel': newPayout,
  'POST /v3/payout/{id}/action': askedFor,
  'POST /v3/sandbox/payout/{id}/transition': newPayout,
  'POST /v3/sandbox/entity/{id}/review': submitted,
}

/** The ids in the path, by the prefixes that its schema takes. */
async function idsOf({ verb, path, params }: Method, ids: Ids): Promise<string[]> {
  const own = OF_THEIR_OWN[`${verb} ${path}`]
  if (own !== undefined) return [await own()]
  const { parameters } = api.json.paths[path][verb.toLowerCase()]
  return params.map(param => {
    const found = parameters.find(({ name }: { name: string }) => name === param)
    const [, prefix = ''] = /([a-z]{3})_/.exec(found.schema.pattern) ?? []
    return ids[prefix] ?? `${prefix}_00000000000000000000`
  })
}

/** What the method is called with after its ids. */
function givenTo({ verb, path, body }: Method): unknown[] {
  const name = `${verb} ${path.replace(/\{(\w+)\}/g, ':$1')}`
  const route = routes.find(one => one.name === name)
  if (body !== undefined) return [bodiesOf(route ?? assert.fail(name))[0]]
  const query = QUERIES[path]
  return query === undefined ? [] : [Object.fromEntries(new URLSearchParams(query))]
}

/** The resources and methods of the model; what ends objects comes last. */
function methodsOf(resource: Resource, at: object): [object, Method][] {
  const members = at as Record<string, object>
  const below = resource.children.flatMap(child =>
    methodsOf(child, members[camel(child.name)] ?? assert.fail(child.name)),
  )
  return [...below, ...resource.methods.map((method): [object, Method] => [at, method])]
}

test('SDK, every operation against the service: each answer is as openapi.json declares it', async () => {
  let answer: Response | undefined
  const { key_id, secret } = world.client
  const corridor = new Corridor({
    apiKey: `${key_id}:${secret}`,
    baseUrl: address,
    // A busy machine answers 503 now and then, and the client is made for it.
    maxRetries: 5,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      answer = response.clone()
      return response
    },
  })
  const methods = methodsOf(readModel(text).root, corridor)
  const ends = ([, { verb }]: [object, Method]) => Number(verb === 'DELETE')
  for (const [at, method] of methods.toSorted((a, b) => ends(a) - ends(b))) {
    const { name, verb, path, enveloped, media } = method
    const what = `${verb} ${path}`
    const call = (at as Record<string, (...given: unknown[]) => PromiseLike<unknown>>)[camel(name)]
    const given = [...(await idsOf(method, world.ids)), ...givenTo(method)]
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
})
