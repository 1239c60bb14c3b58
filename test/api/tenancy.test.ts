// Accounts apart from each other, over HTTP: for every route that is served and every id that it
// takes, another account's id gets byte for byte the answer of one that never was, and no row of
// that account changes (§access.tenancy). Made from the routes themselves: a new one is asked too,
// and one that this test cannot ask fails it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { type IdPrefix, newId } from '../../src/values/id.ts'
import { rowsOf } from '../support/assert/check.ts'
import {
  bodiesOf,
  CONFIRMATION,
  type Ids,
  type Leaf,
  QUERIES,
  REQUEST_LOG,
  type Route,
  urlOf,
  watchRoutes,
} from '../support/assert/routes.ts'
import { onCluster } from '../support/database/citus.ts'
import { type Answer, startTestService, type TestService } from '../support/service/service.ts'
import { makeWorld, OWNERS_KEY, OWNERS_REFERENCE, type World } from '../support/service/world.ts'
import { share } from '../support/share.ts'

let service: TestService
let routes: readonly Route[]
/** Whose ids are asked for: of a sandbox, and of a live account; of two sandboxes on a cluster. */
let owner: World
let live: World
/** Who asks: others of the same kinds. */
let stranger: World
let liveStranger: World

before(async () => {
  const [started, found] = await watchRoutes(() =>
    startTestService({ webhook_allow_private: true, rate_limit_per_s: 0 }),
  )
  service = started
  // What ends objects comes last.
  routes = found
    .filter(({ url }) => url.startsWith('/v3/') && url !== REQUEST_LOG)
    .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))
  await service.setRates({ 'EUR/USD': '1.1' })
  owner = await makeWorld(service, true)
  await service.setRoutes([{}])
  // Live accounts pay at prices that are set: zero here, so that refusals are of what is asked for.
  await service.setFees([{}, { payout_type: 'service_account' }, { payout_type: 'conversion' }])
  live = await makeWorld(service, onCluster)
  stranger = await makeWorld(service, true)
  liveStranger = await makeWorld(service, onCluster)
})
after(() => service.close())

const JSON_ONLY = ['application/json']
const ACCEPTS = [...JSON_ONLY, 'application/problem+json', 'text/csv']

/** One way to put ids into a request: by leaf, or several parameters of the path at once. */
interface Probe {
  readonly route: Route
  /** The names of the parameters of the path that are not the caller's own. */
  readonly foreign: readonly string[]
  /** Where else an id is put, and of which kind. */
  readonly leaf?: Leaf
  readonly prefix: string
  readonly name: string
}

function probesOf(route: Route): Probe[] {
  const parameters = route.leaves.filter(({ place }) => place === 'params')
  const some = subsetsOf(parameters).map(leaves => {
    const foreign = leaves.map(({ path }) => path)
    return { route, foreign, prefix: '', name: `${route.name}, ${foreign.join(' and ')}` }
  })
  const others = route.leaves.filter(({ place }) => place !== 'params')
  return [
    ...some,
    ...others.flatMap(leaf =>
      leaf.prefixes.map(prefix => {
        const name = `${route.name}, ${leaf.place} ${leaf.path} (${prefix})`
        return { route, foreign: [], leaf, prefix, name }
      }),
    ),
  ]
}

/** Every choice of at least one. */
function subsetsOf<T>([first, ...rest]: readonly T[]): T[][] {
  if (first === undefined) return []
  const smaller = subsetsOf(rest)
  return [[first], ...smaller.map(some => [first, ...some]), ...smaller]
}

/** An id of each kind that nobody ever had. */
function neverIds(): Ids {
  const prefixes = Object.keys(owner.ids) as IdPrefix[]
  return Object.fromEntries(prefixes.map(prefix => [prefix, newId(prefix)]))
}

/** What the caller is answered, in these kinds of answer, and for each body that the route takes. */
async function ask(
  by: World,
  probe: Probe,
  ids: Ids,
  accepts: readonly string[] = JSON_ONLY,
): Promise<Answer[]> {
  const { route, foreign, leaf, prefix } = probe
  const id = ids[prefix] ?? ''
  const chosen = route.leaves
    .filter(({ place, path }) => place === 'params' && foreign.includes(path))
    .map(({ path, prefixes }) => [path, ids[prefixes[0] ?? ''] ?? ''])
  const query = leaf?.place === 'querystring' ? `?${leaf.path}=${id}` : ''
  const url = urlOf(route, by.ids, Object.fromEntries(chosen)) + query
  const bodies = leaf?.place === 'body' ? bodiesOf(route, leaf.path, id) : bodiesOf(route)
  const answers: Answer[] = []
  for (const [i, body] of bodies.entries()) {
    for (const accept of i === 0 ? accepts : accepts.slice(0, 1)) {
      answers.push(await send(by, route, url, body, { accept, ...keyOf(probe) }))
    }
  }
  return answers
}

/** With the very key of the owner's request, where there can be one. */
function keyOf({ route, foreign }: Probe): Record<string, string> {
  return route.idempotent && foreign.length > 0 ? { 'idempotency-key': OWNERS_KEY } : {}
}

type Headers = Record<string, string>

function send(by: World, route: Route, url: string, body?: object, headers: Headers = {}) {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  return service.inject({
    method: route.method as 'GET',
    url,
    headers: { ...by.headersOf(route), ...json, ...headers },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
}

/** What the caller sees, but for the time, the number of the request, and the id that it sent. */
function seen({ status, headers, text }: Answer, asked: string) {
  const { date: _, 'x-request-id': _id, ...rest } = headers
  const body = text.replace(/urn:corridor:request:[\w-]+/, 'urn:corridor:request:this')
  const length = body === text ? {} : { 'content-length': 'of that number' }
  const named = asked === '' ? body : body.replaceAll(asked, 'the id that was asked for')
  return { status, headers: { ...rest, ...length }, body: named }
}

/** Also but for what is new in it: ids and times of what was made for the caller itself. */
function made(answer: Answer) {
  const { status, headers, body } = seen(answer, '')
  const settled = body
    .replace(/\b([a-z]{2,3})_[0-9a-hjkmnp-tv-z]{20}\b/g, '$1_…')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}/g, 'time')
  return { status, headers, body: settled }
}

/** Nobody looks whom a beneficiary's address belongs to until it is paid: one is made either way. */
const looksUp = ({ route, prefix }: Probe) =>
  prefix !== 'dep' || !route.url.startsWith('/v3/beneficiary')

/** What an id that is not there comes to: `GET` of a list by it has nothing, a cursor is no cursor. */
function expectedStatuses({ route, leaf, prefix }: Probe): readonly number[] {
  if (leaf === undefined) return [404]
  // A statement as CSV is of a period, and of no payout.
  if (leaf.path === 'payout[]') return [200, 400]
  if (leaf.place === 'querystring') return [/_(after|before)$/.test(leaf.path) ? 400 : 200]
  // A batch that makes what it can, or says what it would, is answered.
  if (route.url === '/v3/payout_batch') return prefix === 'dep' ? [422, 200] : [404, 200]
  if (!looksUp({ route, leaf, prefix, foreign: [], name: '' })) return [200]
  return prefix === 'dep' ? [422] : [404]
}

/** Nothing of another account may be in any answer. */
function assertNothingOf(of: World, answer: Answer, asked: readonly string[], what: string): void {
  for (const id of answer.text.match(/\b[a-z]{2,3}_[0-9a-hjkmnp-tv-z]{20}\b/g) ?? []) {
    assert.ok(!of.all.has(id) || asked.includes(id), `${what} shows ${id}`)
  }
}

async function assertApart(
  of: World,
  by: World,
  probe: Probe,
  accepts: readonly string[],
): Promise<void> {
  const never = neverIds()
  const theirs = await ask(by, probe, of.ids, accepts)
  const nobodys = await ask(by, probe, never, accepts)
  const statuses = expectedStatuses(probe)
  const asked = (ids: Ids) => ids[probe.prefix] ?? ''
  theirs.forEach((answer, i) => {
    const other = nobodys[i] as Answer
    // A batch is recorded, and a beneficiary made or changed, for the caller alone: with new ids.
    const isNew = answer.status === 200 && /^(POST|PUT)$/.test(probe.route.method)
    if (isNew) assert.deepEqual(made(answer), made(other), probe.name)
    else assert.deepEqual(seen(answer, asked(of.ids)), seen(other, asked(never)), probe.name)
    assert.ok(statuses.includes(answer.status), `${probe.name}: ${answer.status} ${answer.text}`)
    assertNothingOf(of, answer, [asked(of.ids)], probe.name)
  })
}

/** A sandbox is asked for what is another's; addresses by one that may not pay it. */
const strangerTo = (of: World, { prefix }: Probe) =>
  of === owner && prefix === 'dep' ? liveStranger : stranger

test('API routes: all found by this test, each with a scope', () => {
  assert.ok(routes.length > 60, String(routes.length))
  for (const { name, scope } of routes) assert.ok(scope !== undefined, name)
  const names = new Set(routes.map(({ name }) => name))
  for (const { name, method, url } of routes) {
    if (method === 'GET') assert.ok(names.has(`HEAD ${url}`), name)
  }
})

test('every list and object of an account: contains nothing of another account', async () => {
  for (const route of routes.filter(({ method }) => method === 'GET')) {
    const query = QUERIES[route.url]
    const plain = query === undefined ? '' : `?${query}`
    for (const query of [plain, '?limit=100', `?reference_id=${OWNERS_REFERENCE}`]) {
      const url = encodeURI(urlOf(route, stranger.ids) + query)
      for (const accept of share(query === plain, true) ? ACCEPTS : JSON_ONLY) {
        const answer = await send(stranger, route, url, undefined, { accept })
        const own = route.url === CONFIRMATION ? 409 : 200
        assert.ok([own, 400].includes(answer.status), `${url}: ${answer.text}`)
        if (query === plain) assert.equal(answer.status, own, url)
        for (const whose of [owner, live, liveStranger]) assertNothingOf(whose, answer, [], url)
      }
    }
  }
})

test('every route × every id, id of another account: same answer as for an unknown id, no row of the other account changes', async t => {
  let count = 0
  for (const whose of [owner, live]) {
    const { account_id } = whose.client.account
    const rows = await rowsOf(service.database.owner, account_id)
    for (const route of routes) {
      for (const [nth, probe] of probesOf(route).entries()) {
        // Any sandbox may pay another.
        if (onCluster && probe.prefix === 'dep') continue
        // Of a live account: each route, and in the long run each place.
        if (whose === live && share(nth > 0, false)) continue
        const accept = whose === owner ? JSON_ONLY : [ACCEPTS[1 + (count % 2)] ?? '']
        await assertApart(whose, strangerTo(whose, probe), probe, share(accept, ACCEPTS))
        count += 1
      }
    }
    assert.deepEqual(await rowsOf(service.database.owner, account_id), rows)
  }
  t.diagnostic(`${count} places for ids`)
})

test('every route without a key: answer contains no data of any account', async () => {
  for (const url of ['/metrics', '/readyz', '/healthz', '/openapi.json']) {
    const answer = await service.inject({ url })
    assert.equal(answer.status, 200, url)
    for (const whose of [owner, live, stranger]) assertNothingOf(whose, answer, [], url)
    assert.ok(!answer.text.includes(OWNERS_REFERENCE), url)
  }
})

test("every idempotent POST with another account's Idempotency-Key: no replay, with any body", async () => {
  // A conversion needs a quote of its own: test/api/conversion.test.ts sends it.
  const posts = routes.filter(
    ({ idempotent, url }) => idempotent && !url.includes(':') && url !== '/v3/conversion',
  )
  assert.ok(posts.length >= 8, String(posts.length))
  const keyOf = ({ url }: Route) => ({ 'idempotency-key': `${url} of the owner` })
  const first = new Map<Route, Answer>()
  for (const route of posts) {
    const answer = await send(owner, route, route.url, bodiesOf(route)[0], keyOf(route))
    assert.equal(answer.status, 200, `${route.name}: ${answer.text}`)
    first.set(route, answer)
  }
  const { account_id } = owner.client.account
  const rows = await rowsOf(service.database.owner, account_id)
  for (const route of posts) {
    const [body, ...others] = bodiesOf(route)
    const same = await send(stranger, route, route.url, body, keyOf(route))
    assert.equal(same.status, 200, `${route.name}: ${same.text}`)
    const another = others[0] ?? { ...body, description: 'Another body' }
    const other = await send(liveStranger, route, route.url, another, keyOf(route))
    const reason = other.json.errors?.[0]?.reason
    const expected = ['invalid_field', 'sandbox_only', undefined]
    assert.ok(expected.includes(reason), `${route.name}: ${other.text}`)
    for (const answer of [same, other]) {
      assert.equal(answer.headers['idempotent-replayed'], undefined, route.name)
      assertNothingOf(owner, answer, [], route.name)
    }
  }
  assert.deepEqual(await rowsOf(service.database.owner, account_id), rows)
  for (const [route, { text }] of first) {
    const [body, another = { ...body, description: 'Another body' }] = bodiesOf(route)
    const other = await send(owner, route, route.url, another, keyOf(route))
    const reason = other.json.errors?.[0]?.reason
    assert.ok(['idempotency_key_reused', 'invalid_field'].includes(reason), other.text)
    const again = await send(owner, route, route.url, body, keyOf(route))
    assert.equal(again.text, text, route.name)
    assert.equal(again.headers['idempotent-replayed'], 'true', route.name)
  }
  assert.deepEqual(await rowsOf(service.database.owner, account_id), rows)
})

// Last, as it changes and ends what the owner has.
test('every route × every id, own id: answer differs from the answer for an unknown id', async () => {
  for (const route of routes) {
    for (const probe of probesOf(route).filter(looksUp)) {
      // The payouts of a world are in no batch.
      if (route.url.endsWith('/item') && probe.leaf?.place === 'querystring') continue
      // No bank has written a notice about them.
      if (route.url.endsWith('/accept_notice')) continue
      // Accounts do not pay themselves: the other sandbox pays this one.
      const by = probe.prefix === 'dep' ? stranger : owner
      const own = await ask(by, probe, owner.ids)
      const nobodys = await ask(by, probe, neverIds())
      const told = own.filter((answer, i) => {
        return !isDeepStrictEqual(made(answer), made(nobodys[i] as Answer))
      })
      assert.ok(told.length > 0, `${probe.name} is not looked up at all`)
    }
  }
})
