// The log of a real service, and the ids of requests in it: which line says what, and at which level.
// Nothing is traced here, and so nothing of the SDK for traces may be loaded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilBlocked } from '../support/database/blocked.ts'
import { localPayout } from '../support/given/bodies.ts'
import { loadedBy, NAME_LOADED } from '../support/service/loaded.ts'
import { type LogLine, until } from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { basic } from '../support/service/service.ts'

const LEVELS = { debug: 20, warn: 40, error: 50 }
const OWN_ID = /^req_[0-9a-hjkmnp-tv-z]{20}$/

const { database, account: opened, start } = await openScene()
const service = await start({ ...NAME_LOADED, CORRIDOR_DRAIN_MS: '0' })

const ask = (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: object,
  signal?: AbortSignal,
) =>
  fetch(`${service.address}${path}`, {
    method,
    ...(signal && { signal }),
    headers: {
      authorization: basic(opened.key_id, opened.secret),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** All lines of a request, once its last is there. */
async function linesOf(request_id: string | null): Promise<readonly LogLine[]> {
  const lines = () => service.log.filter(line => line.request_id === request_id)
  await until('the request is in the log', () => lines().some(l => l.msg === 'request'))
  return lines()
}

/** What a line says besides what every line has. */
function said({ time, pid, hostname, duration_ms, ...line }: LogLine): object {
  assert.equal(typeof time, 'number')
  assert.equal(pid, service.pid)
  assert.equal(typeof hostname, 'string')
  assert.ok(Number(duration_ms) > 0 && Number(duration_ms) < 30_000)
  return line
}

/** While the book of the account is locked, its payouts wait. */
function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  return database.owner
    .begin(async tx => {
      await tx`select from books where account_id = ${opened.account.account_id} for update`
      return { of: await work() }
    })
    .then(({ of }) => of as T)
}

test("tracing off: loads only OpenTelemetry's API, which prom-client imports", async () => {
  assert.equal((await ask('POST', '/v3/payout', {}, localPayout)).status, 200)
  assert.deepEqual(loadedBy(service.log), ['@opentelemetry/api'])
})

test('log, request answered: one debug line, without anything that was sent', async () => {
  const answer = await ask('GET', '/v3/payout?reference_id=Invoice-2041')
  assert.equal(answer.status, 200)
  const request_id = answer.headers.get('x-request-id')
  assert.deepEqual((await linesOf(request_id)).map(said), [
    {
      level: LEVELS.debug,
      request_id,
      method: 'GET',
      route: '/v3/payout',
      status: 200,
      account_id: opened.account.account_id,
      key_id: opened.key_id,
      msg: 'request',
    },
  ])
})

test('log, wrong credentials or unknown path: a line without account, key or path', async () => {
  for (const [path, route, status] of [
    ['/v3/balance', '/v3/balance', 401],
    ['/nothing', 'unknown', 404],
  ] as const) {
    const answer = await ask('GET', path, { authorization: basic(opened.key_id, 'x') })
    const request_id = answer.headers.get('x-request-id')
    const line = { level: LEVELS.debug, request_id, method: 'GET', route, status, msg: 'request' }
    assert.deepEqual((await linesOf(request_id)).map(said), [line])
  }
})

test("log, internal fault: cause and request at level error, under the caller's request id", async () => {
  await database.owner`alter table payouts rename to payouts_elsewhere`
  const headers = { accept: 'application/problem+json', 'x-request-id': 'fault-1' }
  const answer = await ask('POST', '/v3/payout', headers, localPayout).finally(
    () => database.owner`alter table payouts_elsewhere rename to payouts`,
  )
  const { instance } = (await answer.json()) as { instance: string }
  assert.equal(answer.headers.get('x-request-id'), 'fault-1')
  assert.equal(instance, 'urn:corridor:request:fault-1')
  const lines = (await linesOf('fault-1')).map(({ level, msg, status }) => [level, msg, status])
  assert.deepEqual(lines, [
    [LEVELS.error, 'request failed', undefined],
    [LEVELS.error, 'request', 500],
  ])
})

test('log, answer after more than a second: level warn', async () => {
  const asked = await whileLocked(async () => {
    const asked = ask('POST', '/v3/payout', {}, localPayout)
    await untilBlocked(database.owner)
    // From here on: the service may have begun to measure long after the request was sent.
    const blocked_at = performance.now()
    await until('a second is over', () => performance.now() - blocked_at > 1_050)
    return { asked }
  })
  const answer = await asked.asked
  assert.equal(answer.status, 200)
  const [line] = await linesOf(answer.headers.get('x-request-id'))
  assert.equal(line?.level, LEVELS.warn)
  assert.ok(Number(line?.duration_ms) > 1_000)
})

test('log, caller disconnects before the answer: status null', async () => {
  await whileLocked(async () => {
    const leaving = new AbortController()
    const named = { 'x-request-id': 'leaving-1' }
    const fetching = ask('POST', '/v3/payout', named, localPayout, leaving.signal).catch(() => {})
    await untilBlocked(database.owner)
    leaving.abort()
    await fetching
    const [line] = await linesOf('leaving-1')
    assert.equal(line?.status, null)
  })
})

test('X-Request-Id missing or unusable: the answer has a new id', async () => {
  const paths = ['/v3/nothing', '/v3/%zz', '/healthz', '/metrics', '/docs', '/openapi.json']
  for (const path of [...paths, '/v3/balance']) {
    const answer = await ask('GET', path, { 'x-request-id': 'two words' })
    assert.match(String(answer.headers.get('x-request-id')), OWN_ID, path)
  }
})
