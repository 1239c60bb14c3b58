// A service that logs and traces all it can, given canaries in every text of every request, hostile
// ones too, and errors on every path, those of the database that print the row among them: nothing of
// what was sent is in its log, its spans, its metrics or its answers' messages, and each event is
// one line of JSON.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { traceSteps } from '../../src/app/trace/spans.ts'
import { deliverDue } from '../../src/app/worker/deliver-webhooks.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { makeLog } from '../../src/values/log.ts'
import { bodiesOf, type Route, urlOf, watchRoutes, withText } from '../support/assert/routes.ts'
import { CANARY, faultsOfLines, privateIn } from '../support/service/logs.ts'
import { startProcess } from '../support/service/process.ts'
import {
  type Answer,
  basic,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { askingRail, railOf, report } from '../support/service/settling.ts'
import { makeWorld, type World } from '../support/service/world.ts'
import { share } from '../support/share.ts'

const HOSTILE = `${CANARY}\r\n{"level":60,"time":1,"msg":"forged"}\u001b[31m\u009b31m\u2028`

/** Every write of the log. */
const written: string[] = []
/** Every span, as text. */
const spans: string[] = []
let service: TestService
let routes: readonly Route[]
let world: World

const KEEP_SPANS: SpanProcessor = {
  onStart() {},
  onEnd({ name, attributes, events, links, status }) {
    spans.push(JSON.stringify({ name, attributes, events, links, status }))
  },
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
}

before(async () => {
  const log = makeLog('trace', { write: text => void written.push(text) })
  traceSteps(new TracerProvider({ spanProcessors: [KEEP_SPANS] }).getTracer('test'))
  const start = () => startTestService({ webhook_allow_private: true }, log)
  const [started, found] = await watchRoutes(start)
  service = started
  routes = found.filter(({ url, method }) => url.startsWith('/v3/') && method !== 'HEAD')
  await service.setRates({ 'EUR/USD': '1.1' })
  world = await makeWorld(service, true)
})
after(() => service.close())

type Headers = Record<string, string>

/** As the account; checks what it is answered. */
async function send(route: Route, url: string, body?: object | string, headers: Headers = {}) {
  const answer = await call(route, url, body, headers)
  assertSilent(answer, `${route.name} ${JSON.stringify(body)}`)
  return answer
}

function call(route: Route, url: string, body?: object | string, headers: Headers = {}) {
  const { key_id, secret } = world.client
  const json: Headers = body === undefined ? {} : { 'content-type': 'application/json' }
  return service.inject({
    method: route.method as 'GET',
    url,
    headers: { authorization: basic(key_id, secret), ...json, ...headers },
    ...(body === undefined
      ? {}
      : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

/** Not even to the caller itself is a refused text said again. */
function assertSilent({ status, json, text }: Answer, what: string): void {
  if (status < 400 || json === undefined) return
  const messages = [json.message, json.detail, ...json.errors.map((e: Answer['json']) => e.message)]
  assert.doesNotMatch(JSON.stringify(messages), /zqcanary/i, `${what}: ${text}`)
}

/** What log and spans must be after whatever was done. */
function assertClean(): void {
  const text = written.join('')
  const all = [...written, ...spans.splice(0)]
  const found = all.filter(line => /zqcanary/i.test(line) || privateIn(line).length > 0)
  assert.deepEqual(found.slice(0, 3), [])
  assert.deepEqual(faultsOfLines(text), [])
  for (const line of written) assert.equal(line.split('\n').length, 2, 'one line each')
  assert.doesNotMatch(text, /forged/)
}

/** How often each code of PostgreSQL stands in the log. */
function codesLogged(): Map<string, number> {
  const codes = written.map(line => JSON.parse(line).err?.code as string | undefined)
  return new Map(
    [...Map.groupBy(codes, code => code ?? '')].map(([code, some]) => [code, some.length]),
  )
}

/**
 * Of the texts of requests every third gets all of these; the others get the last ones alone. Of
 * those that an earlier route has, under the same name, the usual run sends every third.
 */
const TEXTS = [HOSTILE, CANARY, 'zqcanary@zqcanary.example']

/** Texts that each route has taken, by path: what a full body of canaries is made of. */
const taken = new Map<string, [path: string, text: string][]>()

function noteTaken({ name }: Route, path: string, text: string): void {
  taken.set(name, [...(taken.get(name) ?? []), [path, text]])
}

test('request texts of every field, with any content: neither logged nor echoed', async () => {
  /** By name: the text that the first route with it has taken, or ''. */
  const met = new Map<string, string>()
  for (const route of routes) {
    const url = urlOf(route, world.ids)
    for (const [nth, { place, path }] of route.leaves.entries()) {
      const name = `${place} ${path.replace('payouts[].', '')}`
      const known = met.get(name)
      if (share(known !== undefined && nth % 3 !== 0, false)) {
        if (known) noteTaken(route, path, known)
        continue
      }
      met.set(name, known ?? '')
      for (const text of TEXTS.slice(share(nth % 3 === 0, true) ? 0 : 1)) {
        const encoded = encodeURIComponent(text)
        if (place === 'params') {
          await send(route, urlOf(route, world.ids, { [path]: encoded }), bodiesOf(route)[0])
        } else if (place === 'querystring') {
          await send(route, `${url}?${path}=${encoded}`, bodiesOf(route)[0])
        } else {
          const [body] = bodiesOf(route, path, text)
          const { status } = await send(route, url, body)
          if (status !== 200) continue
          noteTaken(route, path, text)
          met.set(name, known || text)
          break
        }
      }
    }
  }
  assert.ok((taken.get('POST /v3/payout') ?? []).length >= 20, 'most texts of a payout are taken')
  assertClean()
})

test('invalid JSON bodies, headers of every kind, member names: neither logged nor echoed', async () => {
  const bodies = [
    `{"a": "${CANARY}`,
    `{"a": "${CANARY}"}`,
    `{"a": "${CANARY}\u0000"}`,
    `{"a": "${CANARY}", "a": "${CANARY}"}`,
    `"${CANARY}"`,
    `${CANARY}`,
    `{"__proto__": "${CANARY}"}`,
    `"${CANARY}${' '.repeat(300_000)}"`,
  ]
  const largest = `"${CANARY}${' '.repeat(17_000_000)}"`
  const headers: Headers[] = [
    { 'idempotency-key': `${CANARY} ${CANARY} ключ` },
    { 'idempotency-key': CANARY.repeat(100) },
    { 'content-type': `text/${CANARY}` },
    { 'content-type': `application/json; charset=${CANARY}` },
    { accept: `application/problem+json, ${CANARY}` },
    { authorization: `Basic ${CANARY}` },
    { authorization: basic(CANARY, CANARY) },
    { authorization: basic(world.client.key_id, `${world.client.secret}${CANARY}`) },
    {
      'user-agent': CANARY,
      'x-request-id': `${CANARY} ${CANARY}`,
      'x-forwarded-for': CANARY,
      cookie: CANARY,
    },
  ]
  for (const route of routes.filter(({ takesBody }) => takesBody)) {
    for (const body of bodies) await send(route, urlOf(route, world.ids), body)
    // Of a member that is wrong the caller is told the name.
    for (const body of [`{"${CANARY}":`, `{"${CANARY}": 1}`]) {
      await call(route, urlOf(route, world.ids), body)
    }
  }
  const batch = routes.find(({ name }) => name === 'POST /v3/payout_batch') as Route
  await send(batch, batch.url, largest)
  for (const [nth, route] of routes.entries()) {
    const url = urlOf(route, world.ids)
    const some = headers.filter((_, i) => share((i + nth) % 3 === 0, true))
    for (const one of some) await send(route, url, bodiesOf(route)[0], one)
  }
  const nowhere = [`/${CANARY}`, `/v3/${CANARY}`, `/v3/payout/%ff${CANARY}`, `/docs/${CANARY}`]
  for (const url of nowhere) assertSilent(await service.inject({ url }), url)
  assertClean()
})

test('bytes that are no HTTP request: not logged', async () => {
  const address = new URL(await service.app.listen({ port: 0, host: '127.0.0.1' }))
  for (const sent of [
    `${CANARY}\r\n\r\n`,
    `GET /${CANARY} HTTP/1.1\r\n${CANARY}\r\n\r\n`,
    `GET / HTTP/1.1\r\nhost: a\r\nx: ${CANARY.repeat(4_000)}\r\n\r\n`,
    `POST /v3/payout HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\ncontent-length: 8\r\n\r\n${CANARY}`,
  ]) {
    const socket = connect(Number(address.port), address.hostname)
    socket.on('error', () => {}).end(sent)
    let answer = ''
    socket.setEncoding('utf8').on('data', text => {
      answer += text
    })
    await once(socket, 'close')
    assert.ok(!answer.includes(CANARY), answer)
  }
  assertClean()
})

/**
 * What each row with a canary that is written comes to, on every table of accounts. More codes are
 * in src/values/log.test.ts.
 */
const FAULTS = [
  ['P0001', "raise exception 'refused: %', new::text using detail = new::text, hint = new::text;"],
  [
    '23514',
    `raise exception 'violates' using errcode = 'check_violation', detail = new::text,
      table = tg_table_name;`,
  ],
] as const

async function tablesOfAccounts(): Promise<string[]> {
  const rows = await service.database.owner<{ name: string }[]>`
    select table_name::text as name
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and column_name = 'account_id'
      and table_name <> 'accounts' and table_name <> 'api_keys'`
  return rows.map(({ name }) => name)
}

/** A body with every text in it that the route has taken. */
function fullBody(route: Route): object | undefined {
  const [body] = bodiesOf(route)
  if (body === undefined) return undefined
  const texts = taken.get(route.name) ?? []
  const full = texts.reduce((b, [path, text]) => withText(b, path, text), structuredClone(body))
  return full
}

for (const [code, statement] of FAULTS.slice(0, share(1, 2))) {
  test(`database error ${code} whose message contains the row, on every write: code logged, row not logged`, async () => {
    const { owner } = service.database
    const tables = await tablesOfAccounts()
    await owner.unsafe(`create or replace function explode() returns trigger language plpgsql as $$
      begin if new::text ~* '${CANARY}' then ${statement} end if; return new; end $$`)
    for (const table of tables) {
      await owner.unsafe(`create trigger zz_explode before insert or update on ${table}
        for each row execute function explode()`)
    }
    const before = codesLogged().get(code) ?? 0
    try {
      let failed = 0
      for (const route of routes.filter(({ scope }) => scope === 'write')) {
        const { status } = await send(route, urlOf(route, world.ids), fullBody(route))
        if (status === 500) failed += 1
      }
      // A payout, a batch of them, an endpoint: a clock that is advanced writes no row with a canary.
      assert.ok(failed >= 3, `${failed} writes failed`)
      // Payouts to settle and events to deliver are there from the tests before.
      await settleOnce(service.deps)
      await deliverDue(service.deps, service.deps.sql)
    } finally {
      for (const table of tables) await owner.unsafe(`drop trigger zz_explode on ${table}`)
    }
    const logged = (codesLogged().get(code) ?? 0) - before
    assert.ok(logged >= 4, `${logged} were logged`)
    const traced = spans.filter(span => span.includes(code)).length
    assert.ok(traced >= 4, `${traced} were traced`)
    assertClean()
  })
}

test('rail error whose message contains the payout, lost connections: logged without the payout', async () => {
  const { owner } = service.database
  const created = await world.client.post('/v3/payout', {
    ...(fullBody(routes.find(({ name }) => name === 'POST /v3/payout') as Route) as object),
    amount: 12_345,
  })
  const failing = railOf({
    submit: async payout => {
      throw Object.assign(new Error('no connection'), { payout, request: { body: payout } })
    },
    inquire: async () => report(),
  })
  const lines = written.length
  await owner`update open_payouts set ask_rail_at = statement_timestamp(), claimed_until = null
    where ask_rail_at is not null`
  await settleOnce(askingRail(service.deps, failing))
  assert.ok(
    written.slice(lines).some(line => line.includes('rail gave no clear answer')),
    created.text,
  )
  await owner`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'corridor'`
  await Promise.all(routes.map(route => send(route, urlOf(route, world.ids), fullBody(route))))
  assertClean()
})

test('GET /metrics after the requests of this file: no text or id of any request', async () => {
  const { text } = await service.inject({ url: '/metrics' })
  assert.match(text, /corridor_http_request_seconds_count\{[^}]*status="500"/)
  assert.doesNotMatch(text, /zqcanary/i)
  assert.deepEqual(privateIn(text), [])
  for (const id of world.all) assert.ok(!text.includes(id), id)
})

test("unexpected error in a process: one log line, without the error's data", async () => {
  const preload = `process.on('SIGUSR2', () => {
    const text = ['Zq', 'canary'].join('')
    const error = Object.assign(new Error('unexpected'), { detail: text, secret: text })
    setImmediate(() => { throw error })
  })`
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(preload)}`
  const one = await startProcess({ DATABASE_URL: service.database.url, NODE_OPTIONS })
  try {
    process.kill(one.pid, 'SIGUSR2')
    assert.equal(await one.ended, 1)
    const last = one.log.at(-1) as { level?: number; msg?: string }
    assert.deepEqual([last.level, last.msg], [60, 'unexpected error'])
    assert.ok(!JSON.stringify(one.log).includes(CANARY))
  } finally {
    await one.kill()
  }
})
