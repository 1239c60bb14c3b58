// What a collector of traces gets of a real service: one scenario is played, the process is ended by
// SIGTERM, and all that was exported until then is judged, together with every line of the log.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { untilBlocked } from '../support/database/blocked.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Collector, type Span, startCollector } from '../support/network/collector.ts'
import { addEndpoint, type Receiver, startReceiver } from '../support/network/receiver.ts'
import { loadedBy, NAME_LOADED } from '../support/service/loaded.ts'
import { CANARY } from '../support/service/logs.ts'
import {
  type HttpAnswer,
  httpClient,
  openAccountOn,
  type RunningProcess,
  startProcess,
  until,
} from '../support/service/process.ts'
import { basic } from '../support/service/service.ts'

/** More than the SDK links by default. */
const TOGETHER = 150

const CALLER = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' }
const UNSAMPLED = '5bf92f3577b34da6a3ce929d0e0e4736'

const secretive = {
  ...localPayout,
  // Short, as PostgreSQL cuts what it quotes.
  purpose: 'rent',
  reference_id: CANARY,
  statement_descriptor: CANARY,
  transaction_description: CANARY,
  metadata: { [CANARY]: CANARY },
  beneficiary_details: {
    name: CANARY,
    type: 'business',
    email: `${CANARY}@example.com`,
    destination_details: {
      type: 'bank',
      bank: {
        account_number: CANARY,
        bank_name: CANARY,
        country: 'HK',
        bank_codes: { bank_code: '004' },
      },
    },
  },
}

let database: TestDatabase
let collector: Collector
let receiver: Receiver
let service: RunningProcess
let opened: Awaited<ReturnType<typeof openAccountOn>>
let how: number | string

/** What the scenario asked, by what it was. */
let alone: Response
let payout_id: string
let first: HttpAnswer
let together: HttpAnswer[]
let failed: Response
let broken: Response
let refused: Response

before(async () => {
  database = await createDatabase()
  opened = await openAccountOn(database.url, { USD: 1_000_000_000n })
  collector = await startCollector()
  receiver = await startReceiver()
  await addEndpoint(database, opened.account.account_id, receiver.url, {
    event_types: ['payout.created'],
  })
  service = await startProcess({
    ...NAME_LOADED,
    DATABASE_URL: database.url,
    CORRIDOR_DRAIN_MS: '0',
    CORRIDOR_WEBHOOK_ALLOW_PRIVATE: 'on',
    // A payout whose report meets the fault below is asked about again when its claim has run out.
    CORRIDOR_RAIL_TIMEOUT_MS: '1000',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=in%20tests',
    // Nothing comes before the end but by 512 spans.
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    OTEL_BSP_MAX_QUEUE_SIZE: '20000',
  })
  await play()
  service.signal('SIGTERM')
  how = await service.ended
})
after(async () => {
  await service?.kill()
  await receiver?.close()
  await collector?.close()
  await database?.drop()
})

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  fetch(`${service.address}${path}`, {
    method,
    headers: {
      authorization: basic(opened.key_id, opened.secret),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

async function play(): Promise<void> {
  alone = await ask('POST', '/v3/payout', localPayout, {
    traceparent: `00-${CALLER.trace}-${CALLER.span}-01`,
    tracestate: `vendor=${CANARY}`,
    'x-request-id': 'the-proxy-said-1',
  })
  payout_id = ((await alone.json()) as { data: { id: string } }).data.id
  await ask('POST', '/v3/payout', localPayout, { traceparent: `00-${UNSAMPLED}-${CALLER.span}-00` })
  await playTogether()
  await playSecrets()
  await database.owner`alter table payouts rename to payouts_elsewhere`
  failed = await ask('POST', '/v3/payout', localPayout)
  await database.owner`alter table payouts_elsewhere rename to payouts`
  // PostgreSQL says which row it refuses, in full.
  await database.owner`alter table payouts add constraint refused check (amount <> 777)`
  broken = await ask('POST', '/v3/payout', { ...secretive, amount: 777 })
  refused = await ask('POST', '/v3/payout', { ...localPayout, amount: 900_000_000_000 })
  const made = 1 + 1 + 1 + TOGETHER + 1
  const paid = async () => {
    const [row] = await database.owner<{ n: number }[]>`
      select count(*)::integer as n from payout_outcomes where status = 'succeeded'`
    return row?.n === made
  }
  await until('all payouts are settled', paid)
  await until('all webhooks are sent', () => receiver.received.length === made)
  await ask('GET', '/v3/balance', undefined, { 'x-request-id': 'the-last-1' })
}

/** So many requests wait in one lane while the batch before them waits for the book. */
async function playTogether(): Promise<void> {
  const client = httpClient(opened)
  const { account_id } = opened.account
  // Connections for all, so that what is asked below is written at once.
  const warm = Array.from({ length: TOGETHER + 2 }, () => client.get(service.address, '/healthz'))
  await Promise.all(warm)
  const pay = () => client.post(service.address, '/v3/payout', localPayout)
  const asked = await database.owner.begin(async tx => {
    await tx`select from books where account_id = ${account_id} for update`
    const ahead = pay()
    await untilBlocked(database.owner)
    const others = Array.from({ length: TOGETHER }, pay)
    // The process reads them in the order in which they came.
    for (let i = 0; i < 3; i++) await client.get(service.address, '/healthz')
    return { ahead, others }
  })
  first = await asked.ahead
  together = await Promise.all(asked.others)
  client.close()
}

async function playSecrets(): Promise<void> {
  await ask('POST', '/v3/payout', secretive, {
    'idempotency-key': CANARY,
    'x-request-id': `${CANARY} with blanks`,
    'user-agent': CANARY,
    traceparent: CANARY,
  })
  await ask('POST', '/v3/payout', { ...secretive, [CANARY]: 1 })
  for (const path of [
    `/v3/payout/${CANARY}`,
    `/v3/payout?reference_id=${CANARY}`,
    `/v3/payout?${CANARY}=1`,
    `/${CANARY}`,
    `/v3/%zz${CANARY}`,
  ]) {
    await ask('GET', path)
  }
  const wrong = { authorization: basic(CANARY, CANARY) }
  await ask('GET', '/v3/balance', undefined, wrong)
}

const named = (name: string) => collector.spans.filter(span => span.name === name)
const childrenOf = (parent: Span) =>
  collector.spans.filter(
    ({ traceId, parentSpanId }) => traceId === parent.traceId && parentSpanId === parent.spanId,
  )

function only<T>(found: readonly T[], what: string): T {
  assert.equal(found.length, 1, `${found.length} of ${what}`)
  return found[0] as T
}

function requestSpan(request_id: unknown): Span {
  const found = collector.spans.filter(
    ({ attributes }) => attributes['corridor.request_id'] === request_id,
  )
  return only(found, `request ${request_id}`)
}

const asLink = ({ traceId, spanId }: Span) => ({ traceId, spanId })

function within(inner: Span, outer: Span): void {
  const what = `${inner.name} within ${outer.name}`
  assert.ok(inner.start >= outer.start && inner.end <= outer.end, what)
}

test('trace, SIGTERM: pending spans sent, process ends normally', () => {
  assert.equal(how, 0)
  assert.equal(alone.status, 200)
  const { resource } = requestSpan('the-last-1')
  assert.equal(resource['service.name'], 'corridor')
  assert.equal(resource['deployment.environment.name'], 'in tests')
  assert.equal(resource['telemetry.sdk.language'], 'nodejs')
  assert.match(String(resource['telemetry.sdk.version']), /^\d+\.\d+\.\d+$/)
})

test('trace of POST /v3/payout: one trace with request, batch, its steps and their statements', () => {
  const request = requestSpan('the-proxy-said-1')
  assert.equal(request.traceId, CALLER.trace)
  assert.equal(request.parentSpanId, CALLER.span)
  assert.equal(request.name, 'POST /v3/payout')
  assert.equal(request.kind, 2)
  assert.equal(request.status, 0)
  assert.deepEqual(request.attributes, {
    'http.request.method': 'POST',
    'http.route': '/v3/payout',
    'url.scheme': 'http',
    'http.response.status_code': 200,
    'corridor.request_id': 'the-proxy-said-1',
    'corridor.account_id': opened.account.account_id,
  })
  const [wait, batch, ...more] = childrenOf(request).sort((a, b) => (a.name > b.name ? -1 : 1))
  assert.equal(wait?.name, 'wait in lane')
  assert.equal(batch?.name, 'batch create_payout')
  assert.deepEqual(more, [])
  assert.deepEqual(wait?.links, [asLink(batch as Span)])
  assert.deepEqual(batch?.links, [asLink(request)])
  within(batch as Span, request)
  const steps = childrenOf(batch as Span).sort((a, b) => (a.start < b.start ? -1 : 1))
  assert.deepEqual(
    steps.map(({ name }) => name),
    ['load', 'decide', 'store', 'commit', 'reply'],
  )
  for (const step of steps.slice(0, 4)) within(step, batch as Span)
  // Steps take less than a millisecond: what is told in whole ones says little.
  assert.ok(steps.some(({ start }) => start % 1_000_000n > 1_000n))
  const statements = steps.map(step => childrenOf(step).map(({ name }) => name))
  const [load = [], decide, store = [], commit, reply] = statements
  assert.ok(load.includes('select books'), load.join())
  assert.ok(store.includes('insert payouts') && store.includes('insert journals'), store.join())
  assert.deepEqual([decide, commit, reply], [[], ['commit'], []])
})

test('trace, database statement: a client span with its text, every parameter a placeholder', () => {
  const insert = named('insert payouts')[0] as Span
  assert.equal(insert.kind, 3)
  assert.equal(insert.attributes['db.system.name'], 'postgresql')
  assert.match(
    String(insert.attributes['db.query.text']),
    /^insert into payouts .*from \(select \$1/s,
  )
  const steps = new Set(['load', 'store', 'commit', 'claim'])
  const statements = collector.spans.filter(({ attributes }) => 'db.query.text' in attributes)
  for (const { traceId, parentSpanId, name } of statements) {
    const parent = collector.spans.find(
      span => span.traceId === traceId && span.spanId === parentSpanId,
    )
    const expected = steps.has(parent?.name ?? '') || parent?.kind === 2
    assert.ok(expected, `${name} in ${parent?.name}`)
  }
})

test(`trace, ${TOGETHER} requests in one batch: batch linked to each request and back`, t => {
  assert.equal(first.status, 200)
  assert.deepEqual([...new Set(together.map(({ status }) => status))], [200])
  const requests = together.map(({ headers }) => requestSpan(headers['x-request-id']))
  const batchOf = (request: Span) => {
    const wait = childrenOf(request).filter(({ name }) => name === 'wait in lane')
    return only(only(wait, 'waits').links, 'links of a wait').spanId
  }
  // How many batches it takes is for the lane, and the machine, to say.
  const batches = Map.groupBy(requests, batchOf)
  t.diagnostic(`batches of ${[...batches.values()].map(({ length }) => length).join(', ')}`)
  const bySpan = (a: { spanId: string }, b: { spanId: string }) => (a.spanId < b.spanId ? -1 : 1)
  for (const [spanId, own] of batches) {
    const sent = named('batch create_payout').filter(batch => batch.spanId === spanId)
    const batch = only(sent, 'batches')
    assert.deepEqual([...batch.links].sort(bySpan), own.map(asLink).sort(bySpan))
    assert.equal(batch.attributes['corridor.size'], own.length)
    assert.ok(own.some(request => request.spanId === batch.parentSpanId))
  }
})

test('trace, internal fault: spans of request, batch and statement have status error and code, no message', () => {
  // What it sends is searched for in all that is kept, at the end of the run.
  assert.deepEqual([failed.status, broken.status], [500, 500])
  const request = requestSpan(failed.headers.get('x-request-id'))
  assert.equal(request.status, 2)
  assert.equal(request.attributes['error.type'], '500')
  const batch = only(
    childrenOf(request).filter(({ name }) => name === 'batch create_payout'),
    'batches',
  )
  assert.equal(batch.status, 2)
  assert.equal(batch.attributes['error.type'], '42P01')
  const statements = childrenOf(batch).flatMap(childrenOf)
  const wrong = only(
    statements.filter(
      ({ status, attributes }) => status === 2 && attributes['error.type'] === '42P01',
    ),
    'statements that failed',
  )
  assert.equal(wrong.attributes['db.response.status_code'], '42P01')
})

test('trace, request refused with 422: no error in its span; callers that are not sampled, and probes: no trace', () => {
  assert.equal(refused.status, 422)
  const request = requestSpan(refused.headers.get('x-request-id'))
  assert.equal(request.status, 0)
  assert.equal(request.attributes['http.response.status_code'], 422)
  assert.deepEqual(
    collector.spans.filter(({ traceId }) => traceId === UNSAMPLED),
    [],
  )
  assert.deepEqual(named('GET /healthz'), [])
})

test('trace, workers: spans of claim, rail and webhook, with ids', () => {
  const claims = named('claim').filter(c => c.attributes['corridor.operation'] === 'payouts')
  assert.ok(claims.length > 0)
  assert.ok(claims.flatMap(childrenOf).some(({ attributes }) => 'db.query.text' in attributes))
  const rail = named('rail').filter(r => r.attributes['corridor.payout_id'] === payout_id)
  assert.equal(only(rail, 'questions to the rail').kind, 3)
  const webhook = named('webhook')[0] as Span
  assert.equal(webhook.attributes['http.response.status_code'], 204)
  assert.match(String(webhook.attributes['corridor.delivery_id']), /^whd_/)
})

test('tracing on: the OpenTelemetry SDK is loaded', () => {
  const loaded = loadedBy(service.log)
  assert.ok(loaded.includes('@opentelemetry/sdk-trace'), loaded.join())
})

test('trace, request: each of its log lines has the ids of request and trace', () => {
  const request_id = failed.headers.get('x-request-id')
  const { traceId } = requestSpan(request_id)
  const lines = service.log.filter(line => line.request_id === request_id)
  const said = lines.map(({ msg, trace_id }) => [msg, trace_id])
  assert.deepEqual(said, [
    ['request failed', traceId],
    ['request', traceId],
  ])
})
