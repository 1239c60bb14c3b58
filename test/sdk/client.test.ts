// The clients: answers are typed and exact, calls have their effect once whatever the network does,
// lists go both ways. The Python client runs by the Python of the system, and does the same.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import {
  Corridor,
  type CorridorSettings,
  isCorridorError,
  type PayoutRequest,
} from '../../packages/sdk/src/index.ts'
import { VERSION_DATES } from '../../src/http/version.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Front, startFront } from '../support/network/front.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { type PythonClient, noPython as skip, startPythonClient } from './python.ts'

const BODY = localPayout as PayoutRequest

let service: TestService
let account: Client
let front: Front
let python: PythonClient | undefined

before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
  front = await startFront(service.app)
  if (skip === false) python = startPythonClient()
})
beforeEach(() => {
  front.faults = []
  front.seen = []
})
after(async () => {
  python?.close()
  front.close()
  await service.close()
})

function connect<M extends 'number' | 'bigint' = 'number'>(
  more: Partial<CorridorSettings<M>> = {},
): Corridor<M> {
  return new Corridor<M>({
    apiKey: `${account.key_id}:${account.secret}`,
    baseUrl: front.address,
    ...more,
  })
}

async function refused(call: PromiseLike<unknown>) {
  const error = await call.then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  )
  assert.ok(isCorridorError(error), String(error))
  return error
}

const count = async () =>
  Number((await service.database.owner`select count(*) from payouts`)[0]?.count)

test('SDK, payout from quote to statement: typed objects without envelope, with request id and replay marked', async () => {
  const corridor = connect()
  const quote = await corridor.payouts.quotes.create({
    payout_info: { currency: 'USD', amount: 10_000 },
    holding_info: { currency: 'USD' },
    destination_info: { currency: 'USD', country: 'HK' },
  })
  assert.equal((await corridor.payouts.quotes.retrieve(quote.id)).id, quote.id)
  const pay = () =>
    corridor.payouts.create({ ...BODY, quote: quote.id }, { idempotencyKey: 'mine' })
  const { data: payout, status, replayed, request_id, headers } = await pay().withResponse()
  assert.deepEqual([payout.quote, payout.amount, status, replayed], [quote.id, 10_000, 200, false])
  assert.equal(headers.get('x-request-id'), request_id)
  assert.deepEqual((await pay().withResponse()).data, payout)
  assert.equal((await pay().withResponse()).replayed, true)
  const dry = await corridor.payouts.create(BODY, { query: { dry_run: true } })
  assert.equal(dry.object, 'payout_dry_run')
  const { available } = await corridor.balance.retrieve()
  assert.deepEqual(available, [{ currency: 'USD', amount: '9990000' }])
  const statement = await corridor.balanceTransactions.csv()
  assert.match(await statement.text(), new RegExp(payout.id))
})

test('SDK, connection lost after the commit: one payout, one key, a request id per attempt', async () => {
  const before = await count()
  front.faults = ['drop after', 'drop before', { status: 503, body: 'a proxy' }]
  const call = connect({ maxRetries: 3 }).payouts.create(BODY)
  const { replayed, attempts, idempotency_key } = await call.withResponse()
  assert.deepEqual([replayed, attempts, (await count()) - before], [true, 4, 1])
  const keys = front.seen.map(({ key }) => key)
  assert.deepEqual(keys, Array(4).fill(idempotency_key))
  assert.equal(new Set(front.seen.map(({ id }) => id)).size, 4)
  assert.deepEqual(
    new Set(front.seen.map(({ version }) => version)),
    new Set(VERSION_DATES.slice(-1)),
  )
})

function errorBody(reason: string): string {
  const errors = [{ code: 1, reason, message: 'no', remarks: 'a.b' }]
  return JSON.stringify({ status: 'error', message: 'no', errors, data: null })
}

test("SDK, 429: retried after Retry-After, up to a minute and the call's time-out; 409, 422 and 500: not retried", async () => {
  const body = errorBody('rate_limited')
  front.faults = [{ status: 429, headers: { 'retry-after': '0' }, body }]
  await connect().account.retrieve()
  assert.equal(front.seen.length, 2)
  for (const status of [409, 422, 500]) {
    front.seen = []
    front.faults = [
      { status, headers: { 'x-request-id': 'theirs' }, body: errorBody('quote_used') },
    ]
    const failed = await refused(connect().payouts.create(BODY))
    if (failed.reason !== 'quote_used') assert.fail(failed.reason)
    assert.deepEqual([failed.status, failed.request_id, front.seen.length], [status, 'theirs', 1])
    assert.equal(failed.errors[0]?.remarks, 'a.b')
  }
  for (const [seconds, total_timeout_ms] of [
    [3_600, undefined],
    [61, 3_600_000],
  ] as const) {
    front.faults = [{ status: 429, headers: { 'retry-after': String(seconds) }, body }]
    front.seen = []
    const corridor = connect(total_timeout_ms === undefined ? {} : { total_timeout_ms })
    const failed = await refused(corridor.account.retrieve())
    assert.ok('errors' in failed, failed.message)
    const { retry_after_ms, code, reason } = failed
    assert.deepEqual([retry_after_ms, code, reason], [seconds * 1_000, 1, 'rate_limited'])
    assert.equal(front.seen.length, 1)
  }
})

test('SDK, invalid call options: refused by name, nothing sent', async () => {
  const wrong: readonly [object, RegExp][] = [
    [{ timeout_ms: 0 }, /^timeout_ms is/],
    [{ timeout_ms: '5' }, /^timeout_ms is/],
    [{ total_timeout_ms: Number.NaN }, /^total_timeout_ms is/],
    [{ maxRetries: -1 }, /^maxRetries is/],
    [{ max_retries: 1 }, /^max_retries is no option; it is maxRetries/],
    [{ idempotency_key: 'mine' }, /^idempotency_key is no option; it is idempotencyKey/],
    [{ idempotencyKey: '' }, /^idempotencyKey is 1 to 255/],
    [{ idempotencyKey: 'ä' }, /^idempotencyKey is 1 to 255/],
    [{ idempotencyKey: 'a'.repeat(256) }, /^idempotencyKey is 1 to 255/],
  ]
  for (const [options, message] of wrong) {
    await assert.rejects(connect().payouts.create(BODY, options), { name: 'TypeError', message })
  }
  await assert.rejects(connect().account.retrieve({ idempotencyKey: 'a' } as object), {
    message: /^idempotencyKey is no option/,
  })
  assert.equal(front.seen.length, 0)
  const mine = { idempotencyKey: 'order 7!', timeout_ms: 5_000, maxRetries: 0 }
  const { idempotency_key } = await connect().payouts.create(BODY, mine).withResponse()
  assert.deepEqual([idempotency_key, front.seen[0]?.key], ['order 7!', 'order 7!'])
})

test('SDK, no answer: timed out and retried; call aborted or answer unreadable: not retried', async () => {
  front.faults = ['silent', 'silent']
  const timed = await refused(connect({ timeout_ms: 50, maxRetries: 1 }).payouts.create(BODY))
  assert.deepEqual(
    [timed.reason, timed.attempts, front.seen[0]?.key],
    ['timed_out', 2, front.seen[1]?.key],
  )
  front.faults = ['silent']
  const stop = new AbortController()
  const call = connect().account.retrieve({ signal: stop.signal })
  setTimeout(() => stop.abort(), 20)
  assert.equal((await refused(call)).reason, 'aborted')
  front.faults = [{ status: 200, body: '<html>' }]
  front.seen = []
  assert.equal((await refused(connect().account.retrieve())).reason, 'invalid_answer')
  assert.equal(front.seen.length, 1)
})

test("SDK, streamed statement: time-out covers only the headers, the caller's signal the whole stream", async () => {
  const stop = new AbortController()
  let sent: AbortSignal | null | undefined
  const corridor = connect({
    timeout_ms: 20,
    fetch: async (_url, init) => {
      sent = init?.signal
      return new Response('id')
    },
  })
  const statement = await corridor.balanceTransactions.csv({}, { signal: stop.signal })
  await new Promise(resolve => setTimeout(resolve, 60))
  assert.deepEqual([sent?.aborted, await statement.text()], [false, 'id'])
  stop.abort()
  assert.equal(sent?.aborted, true)
})

test('SDK, time-out of 25 days, above the maximum of a timer: the answer is awaited', async () => {
  const long = 25 * 86_400_000
  const patient = connect({ timeout_ms: long, total_timeout_ms: long, maxRetries: 0 })
  const answer = await patient.payouts.create(BODY).withResponse()
  assert.deepEqual([answer.status, front.seen.length], [200, 1])
})

test('SDK, POST without a key that may have arrived: not retried', async () => {
  front.faults = ['drop after']
  const body = { payout_info: { currency: 'USD', amount: 1 }, holding_info: { currency: 'USD' } }
  const failed = await refused(connect().payouts.options(body as never))
  assert.deepEqual([failed.reason, front.seen.length], ['connection_failed', 1])
})

test('SDK, lists: from new to old; with ending_before backwards', async () => {
  const corridor = connect()
  for (let i = 0; i < 3; i += 1) await corridor.payouts.create(BODY)
  const all = await Array.fromAsync(corridor.payouts.list({ limit: 2 }))
  const page = await corridor.payouts.list({ limit: 2, created: { gt: new Date(0) } })
  assert.deepEqual([page.results, page.has_more], [all.slice(0, 2), true])
  assert.equal(all.length, await count())
  const ending_before = all.at(-1)?.id as string
  const back = await Array.fromAsync(corridor.payouts.list({ limit: 2, ending_before }))
  assert.deepEqual(back, all.slice(0, -1).reverse())
  const pages = await Array.fromAsync(corridor.payouts.list({ limit: 2 }).pages())
  assert.deepEqual(
    pages.flatMap(({ results }) => results),
    all,
  )
})

test('SDK, amounts: exact bigints; imprecise numbers refused in requests and answers', async () => {
  const exact = connect({ money: 'bigint' })
  const payout = await exact.payouts.create({ ...BODY, amount: 10_000n })
  const amount: bigint = payout.amount
  assert.equal(amount, 10_000n)
  const sent: string[] = []
  const recording = connect({
    fetch: (url, init) => {
      sent.push(String(init?.body))
      return fetch(url, init)
    },
  })
  const large = await refused(recording.payouts.create({ ...BODY, amount: 9007199254740993n }))
  assert.match(sent[0] ?? '', /"amount":9007199254740993,/)
  assert.ok('errors' in large && large.errors[0]?.remarks === 'amount', large.message)
  const rounded = connect().payouts.create({ ...BODY, amount: 2 ** 53 })
  await assert.rejects(rounded, /body\.amount is beyond/)
  const body = '{"status":"success","message":"","data":{"amount":9007199254740993}}'
  front.faults = [
    { status: 200, body },
    { status: 200, body },
  ]
  assert.equal((await exact.payouts.retrieve(payout.id)).amount, 9007199254740993n)
  assert.equal((await refused(connect().payouts.retrieve(payout.id))).reason, 'invalid_answer')
})

/** What comes of a call by the Python client. */
async function run(what: string, settings: object = {}): Promise<unknown> {
  const api_key = `${account.key_id}:${account.secret}`
  const given = { do: what, api_key, base_url: front.address, settings, body: localPayout }
  return python?.call(given)
}

const pay = (settings?: object) => run('pay', settings) as Promise<Record<string, unknown>>

test('Python, connection lost after the commit: one payout, one key, a request id per attempt', {
  skip,
}, async () => {
  const before = await count()
  front.faults = ['drop after', { status: 503, headers: { 'retry-after': '0' }, body: 'a proxy' }]
  const answer = await pay()
  assert.deepEqual([answer.replayed, answer.attempts], [true, 3])
  assert.equal(new Set(front.seen.map(({ key }) => key)).size, 1)
  assert.equal(new Set(front.seen.map(({ id }) => id)).size, 3)
  const versions = new Set(front.seen.map(({ version }) => version))
  assert.deepEqual([...versions], [VERSION_DATES.at(-1)])
  assert.equal((await count()) - before, 1)
})

test('Python, refused, no answer or unreadable answer: error with its reason, only some retried', {
  skip,
}, async () => {
  front.faults = [{ status: 422, body: errorBody('quote_used') }]
  assert.deepEqual(await run('refused'), { reason: 'quote_used', attempts: 1 })
  front.faults = ['silent', 'silent']
  const timed = await run('refused', { timeout_s: 0.2, max_retries: 1 })
  assert.deepEqual(timed, { reason: 'timed_out', attempts: 2 })
  front.faults = [{ status: 200, body: '<html>' }]
  assert.deepEqual(await run('refused'), { reason: 'invalid_answer', attempts: 1 })
  const large = '{"status":"success","message":"","data":{"amount":9007199254740993}}'
  front.faults = [{ status: 200, body: large }]
  assert.equal(await run('large'), '9007199254740993')
})

test('Python, invalid call options: refused by name, nothing sent', {
  skip,
}, async () => {
  const keys = Array(3).fill('idempotency_key')
  const names = ['timeout_s', 'timeout_s', 'total_timeout_s', 'max_retries', ...keys]
  assert.deepEqual(await run('wrong'), names)
  assert.equal(front.seen.length, 0)
})

test('Python, Retry-After above a minute: not awaited, stated in the error', {
  skip,
}, async () => {
  const body = errorBody('rate_limited')
  front.faults = [{ status: 429, headers: { 'retry-after': '61' }, body }]
  const settings = { total_timeout_s: 3600 }
  assert.deepEqual(await run('patience', settings), ['rate_limited', 1, 61, 1])
})

test('Python, lists: from new to old; with ending_before backwards', { skip }, async () => {
  const { results } = (await account.get('/v3/payout?limit=100')).json.data
  const ids = results.map(({ id }: { id: string }) => id)
  assert.deepEqual(await run('list'), { every: ids, back: ids.slice(0, -1).reverse() })
})
