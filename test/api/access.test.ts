// Who may do what: credentials, revocation and scopes, on every route there is (§access.basic,
// §access.scope). Other accounts' objects are in tenancy.test.ts, wrong credentials in
// guessing.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { markKeyRevoked } from '../../src/accounts/store.ts'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { askAny, bodiesOf, type Route, watchRoutes } from '../support/assert/routes.ts'
import {
  type Answer,
  basic,
  type Client,
  client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { promised } from '../support/share.ts'

let service: TestService
let routes: readonly Route[]
let account: Client
let live: Client
before(async () => {
  const [started, found] = await watchRoutes(() => startTestService())
  service = started
  routes = found.filter(({ scope }) => scope !== undefined)
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
  live = await service.openAccount({ sandbox: false })
})
after(() => service.close())

const ask = (route: Route, headers: Record<string, string>, payload?: string) =>
  askAny(service, route, headers, payload)

function assertUnauthorized(answer: Answer, reason: string): void {
  assertRefused(answer, 401, reason)
  assert.match(String(answer.headers['www-authenticate']), /^Basic realm="[^"]+", charset="UTF-8"$/)
}

test('every API route, no credentials: 401 before the body is read', async () => {
  assert.ok(routes.length > 60)
  const texts = new Set<string>()
  for (const route of routes) {
    const answer = await ask(route, {})
    if (route.method !== 'HEAD') {
      assertUnauthorized(answer, 'missing_credentials')
      texts.add(answer.text)
    }
    assert.equal(answer.status, 401, route.name)
  }
  assert.equal(texts.size, 1)
})

test('API keys, several of one account: same answers; one revoked: the others stay valid', async () => {
  const second = await service.addKey(account, 'write')
  assert.equal((await second.get('/v3/balance')).text, (await account.get('/v3/balance')).text)
  const revoked = await markKeyRevoked(service.deps.sql, second.key_id)
  assert.equal(revoked?.account_id, account.account.account_id)
  await service.deps.reference.refresh()
  assertUnauthorized(await second.get('/v3/balance'), 'invalid_credentials')
  // The scheme in any letter case (RFC 7617).
  const authorization = basic(account.key_id, account.secret).replace('Basic', 'bASIC')
  const answer = await service.inject({ url: '/v3/balance', headers: { authorization } })
  assert.equal(answer.status, 200, answer.text)
})

/** Asks until the answer is 401; how long that took. */
async function untilRefused(by: Client): Promise<number> {
  const started = performance.now()
  while ((await by.get('/v3/balance')).status !== 401) {
    assert.ok(performance.now() - started < 120_000, 'a revoked key still works')
    await delay(5)
  }
  return performance.now() - started
}

test('API key revoked by another process, NOTIFY received or lost: both processes refuse the key', async t => {
  const other = await service.anotherProcess()
  const { owner } = service.database
  const refusedSoon = async (revoke: (key_id: string) => Promise<unknown>) => {
    const key = await service.addKey(account, 'write')
    await other.deps.reference.refresh()
    const there = client(key, other.inject)
    for (const by of [key, there]) assert.equal((await by.get('/v3/balance')).status, 200)
    await revoke(key.key_id)
    const [here_ms, there_ms] = await Promise.all([untilRefused(key), untilRefused(there)])
    promised(t, 'refused here', here_ms, 1_000)
    promised(t, 'refused there', there_ms, 1_000)
  }
  try {
    await refusedSoon(key_id => markKeyRevoked(owner, key_id))
    await refusedSoon(key_id =>
      owner.begin(async tx => {
        await tx`alter table api_keys disable trigger announce`
        await tx`update api_keys set revoked_at = now() where key_id = ${key_id}`
        await tx`update reference_version set version = version + 1`
        await tx`alter table api_keys enable trigger announce`
      }),
    )
  } finally {
    await other.close()
  }
})

/** Ask and change nothing, so that a key that may only read can use them. */
const POSTS_THAT_READ = ['POST /v3/entity/duplicate_check', 'POST /v3/payout/options']

test('every route, required scope: read for GET and HEAD; write, or a person, for routes that may write', () => {
  const reading = routes.filter(({ scope }) => scope === 'read').map(({ name }) => name)
  const gets = routes.filter(({ method }) => /^(GET|HEAD)$/.test(method)).map(({ name }) => name)
  assert.deepEqual(reading.sort(), [...gets, ...POSTS_THAT_READ].sort())
  for (const { name, scope } of routes) assert.match(String(scope), /^(read|write|approve)$/, name)
})

test('API key of scope read, every route that may write: 403 before the body is read, no row changes', async () => {
  const key = await service.addKey(account, 'read')
  const authorization = basic(key.key_id, key.secret)
  const before = await rowVersions(service.database.owner)
  const writing = routes.filter(({ scope }) => scope !== 'read')
  assert.ok(writing.length >= 15)
  for (const route of writing) {
    const [body] = bodiesOf(route)
    for (const payload of ['{"broken', JSON.stringify(body)]) {
      const answer = await ask(route, { authorization }, payload)
      assertRefused(answer, 403, 'insufficient_scope')
      assert.equal(answer.status, 403, route.name)
    }
  }
  assert.deepEqual(await rowVersions(service.database.owner), before)
})

test('API key of each scope, routes that need this scope: neither 401 nor 403 for lack of scope', async () => {
  for (const scope of ['read', 'write', 'operator'] as const) {
    const key = await service.addKey(account, scope)
    const authorization = basic(key.key_id, key.secret)
    // Keys approve nothing.
    const needs = scope === 'read' ? 'read' : 'write'
    for (const route of routes.filter(route => route.scope === needs)) {
      const { status, json } = await ask(route, { authorization })
      assert.notEqual(status, 401, route.name)
      assert.notEqual(json?.errors?.[0]?.reason, 'insufficient_scope', route.name)
    }
  }
})

test('sandbox routes, live account: 403, no row changes', async () => {
  const before = await rowVersions(service.database.owner)
  const ofSandboxes = routes.filter(({ url }) => url.startsWith('/v3/sandbox/'))
  assert.ok(ofSandboxes.length >= 3)
  const authorization = basic(live.key_id, live.secret)
  for (const route of ofSandboxes) {
    const [body] = bodiesOf(route)
    const answer = await ask(route, { authorization }, JSON.stringify(body))
    assertRefused(answer, 403, 'sandbox_only')
  }
  assert.deepEqual(await rowVersions(service.database.owner), before)
})
