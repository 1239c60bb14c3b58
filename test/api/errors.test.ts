// How a refusal is written (§error.body): envelope or problem details, every field at once, the
// codes of the catalogue, and nothing of how the service is built.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { hashPassword } from '../../src/accounts/user/password.ts'
import { buildApp } from '../../src/app/app.ts'
import { AtWork } from '../../src/http/at-work.ts'
import { newSecret, newToken, newUserSecret } from '../../src/values/secret.ts'
import { newSecret as newWebhookSecret } from '../../src/webhooks/sign.ts'
import {
  assertErrorEnvelope,
  assertNoInsides,
  assertProblems,
  assertRefused,
  SPECIFIED_CODES,
} from '../support/assert/check.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { localPayout } from '../support/given/bodies.ts'
import {
  type Answer,
  basic,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { OWN } from '../support/service/session.ts'

const MAX_BODY = 256 * 1024
const NO_QUOTE = 'poq_00000000000000000000'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
})
after(() => service.close())

const pay = (change: object, headers = {}) =>
  account.post('/v3/payout', { ...localPayout, ...change }, headers)
const quoteBody = { payout_info: { currency: 'USD', amount: 10_000 } }
async function newQuote(): Promise<string> {
  return (await account.post('/v3/payout/quote', quoteBody)).json.id
}

type Extra = Record<string, string>
type Way = (headers: Extra) => Promise<Answer>

/** One way to each reason that the specification lists and a caller can reach. */
const WAYS: Readonly<Record<string, Way>> = {
  invalid_json: headers => account.post('/v3/payout', '{', headers),
  invalid_path_parameter: headers => account.get('/v3/payout/x', headers),
  invalid_query_parameter: headers => account.get('/v3/balance?as_of=x', headers),
  not_found: headers => pay({ quote: NO_QUOTE }, headers),
  invalid_credentials: headers =>
    service.inject({ url: '/v3/balance', headers: { ...headers, authorization: 'Basic eDp5' } }),
  missing_credentials: headers => service.inject({ url: '/v3/balance', headers }),
  unsupported_media_type: headers =>
    account.post('/v3/payout', localPayout, { ...headers, 'content-type': 'text/xml' }),
  payload_too_large: headers => account.post('/v3/payout', ' '.repeat(MAX_BODY + 1), headers),
  method_not_allowed: headers => account.post('/v3/balance', {}, headers),
  invalid_field: headers => pay({ purpose: 1 }, headers),
  async idempotency_key_reused(headers) {
    await pay({}, { 'idempotency-key': 'ways' })
    return pay({ amount: 1 }, { ...headers, 'idempotency-key': 'ways' })
  },
  invalid_idempotency_key: headers => pay({}, { ...headers, 'idempotency-key': '' }),
  currency: headers => pay({ currency: 'XQX' }, headers),
  holding_currency_not_found: headers => pay({ holding_currency: 'EUR' }, headers),
  beneficiary_missing: headers => pay({ beneficiary_details: undefined }, headers),
  type_mismatch: headers => pay({ charge_type: 'ours' }, headers),
  beneficiary_not_found: headers =>
    pay({ beneficiary_details: undefined, beneficiary: 'bnf_00000000000000000000' }, headers),
  insufficient_balance: headers => pay({ amount: 2_000_000 }, headers),
  amount_out_of_range: headers => pay({ amount: 0 }, headers),
  async quote_expired(headers) {
    const quote = await newQuote()
    await service.database.owner`
      update quotes set valid_until = statement_timestamp() where id = ${quote}`
    return pay({ quote }, headers)
  },
  async quote_used(headers) {
    const quote = await newQuote()
    await pay({ quote })
    return pay({ quote }, headers)
  },
  async quote_mismatch(headers) {
    return pay({ quote: await newQuote(), amount: 1 }, headers)
  },
}

for (const [reason, [code, status]] of Object.entries(SPECIFIED_CODES)) {
  if (reason === 'internal') continue
  test(`error ${reason}: code ${code}, status ${status}, the same facts in the envelope and in RFC 9457 form`, async () => {
    const plain = await (WAYS[reason] as Way)({})
    assertRefused(plain, status, reason)
    assert.equal(plain.json.errors[0].code, code)
    const answer = await (WAYS[reason] as Way)({ accept: 'application/problem+json' })
    assert.equal(answer.status, status, answer.text)
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json/)
    const { type, title, status: inBody, detail, errors } = answer.json
    assert.equal(inBody, status)
    for (const text of [type, title, detail]) assert.match(text, /./)
    assert.doesNotMatch(type, /^about:blank$/)
    const facts = (all: { code: number; reason: string; remarks: string }[]) =>
      all.map(e => [e.code, e.reason, e.remarks])
    assert.deepEqual(facts(errors), facts(plain.json.errors))
    assertNoInsides(answer.text)
  })
}

test('request that breaks both schema and rules: every fault named at once', async () => {
  const answer = await account.post('/v3/payout/quote', {
    payout_info: { currency: 'HKX', amount: 'many' },
    holding_info: { currency: 'GBP' },
    x: 1,
  })
  assertProblems(answer, 400, [
    ['invalid_field', 'x'],
    ['invalid_field', 'payout_info.amount'],
    ['currency', 'payout_info.currency'],
    ['holding_currency_not_found', 'holding_info.currency'],
  ])
})

const NOT_ALLOWED = [
  ['POST', '/v3/balance', 'GET, HEAD'],
  ['OPTIONS', '/v3/balance', 'GET, HEAD'],
  ['PUT', '/v3/payout', 'GET, HEAD, POST'],
  ['POST', '/v3/payout/pot_00000000000000000000', 'GET, HEAD, PUT'],
  ['GET', '/v3/payout/pot_00000000000000000000/cancel', 'POST'],
] as const

test('request with a method that the path lacks: 405 with Allow', async () => {
  const authorization = basic(account.key_id, account.secret)
  for (const [method, url, allowed] of NOT_ALLOWED) {
    const answer = await service.inject({ method, url, headers: { authorization } })
    assertRefused(answer, 405, 'method_not_allowed')
    assert.equal(answer.headers.allow, allowed, `${method} ${url}`)
  }
})

test('HEAD, paths that have GET: same status and headers, no body', async () => {
  const authorization = basic(account.key_id, account.secret)
  for (const url of ['/v3/balance', '/v3/payout?limit=2', '/v3/payout/pot_1', '/openapi.json']) {
    const ask = async (method: 'GET' | 'HEAD') => {
      const { status, headers, text } = await service.inject({
        method,
        url,
        headers: { authorization },
      })
      const { date: _, 'x-request-id': __, ...kept } = headers
      return { text, status, kept }
    }
    const { text, ...head } = await ask('HEAD')
    const { text: body, ...get } = await ask('GET')
    assert.deepEqual([text, head], ['', get], url)
    assert.ok(body !== '')
  }
})

/** Charsets stand in test/live/http-messages.test.ts. */
const MEDIA = {
  200: ['application/json', 'application/json;charset="UTF-8"', 'APPLICATION/JSON'],
  415: [
    'application/vnd.api+json',
    'text/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    '',
  ],
}

test('Content-Type, any spelling of JSON: accepted; another type: 415', async () => {
  for (const [status, types] of Object.entries(MEDIA)) {
    for (const type of types) {
      const answer = await account.post('/v3/payout/quote', quoteBody, { 'content-type': type })
      assert.equal(String(answer.status), status, `${type}: ${answer.text}`)
      if (status === '415') assertRefused(answer, 415, 'unsupported_media_type')
    }
  }
})

test('field name as long as the body: shortened in the error message', async () => {
  for (const change of [
    { ['x'.repeat(100_000)]: 1 },
    { metadata: { ['😀'.repeat(20_000)]: '' } },
    { metadata: { ['x'.repeat(100_000)]: 1 } },
  ]) {
    const answer = await pay(change)
    assert.equal(answer.status, 400)
    assertErrorEnvelope(answer)
    assert.ok(answer.text.length < 2_000, `${answer.text.length} characters`)
    assert.ok(answer.text.isWellFormed())
  }
})

test('internal fault: 500 without stack, SQL or table name, nothing written; the next request succeeds', async () => {
  const { owner } = service.database
  await owner`alter table quotes rename to quotes_elsewhere`
  await owner`alter table payouts rename to payouts_elsewhere`
  try {
    for (const answer of [
      await account.post('/v3/payout/quote', quoteBody),
      await pay({}),
      await account.get(`/v3/payout/quote/${NO_QUOTE}`),
    ]) {
      assertRefused(answer, 500, 'internal')
      assert.equal(answer.json.errors[0].code, 101)
      assert.doesNotMatch(answer.text, /quotes_?|payouts_|relation|42P01/)
    }
  } finally {
    await owner`alter table quotes_elsewhere rename to quotes`
    await owner`alter table payouts_elsewhere rename to payouts`
  }
  assert.equal((await pay({})).status, 200)
})

test('database lost during a request: 503 with Retry-After; database back: requests succeed', async () => {
  const { owner } = service.database
  const waiting = await owner.begin(async tx => {
    await tx`select from books where account_id = ${account.account.account_id} for update`
    const answer = pay({})
    for (const pid of await untilBlocked(owner)) {
      await tx`select pg_terminate_backend(${pid}::integer)`
    }
    return { answer }
  })
  const answer = await waiting.answer
  assert.equal(answer.status, 503, answer.text)
  assertErrorEnvelope(answer)
  assert.match(String(answer.headers['retry-after']), /^\d+$/)
  assert.equal((await pay({})).status, 200)
})

test("migration that changes a column's type, service running: no request fails", async () => {
  const { owner } = service.database
  const url = 'https://8.8.8.8/migrated'
  const { id } = (await account.post('/v3/webhook_endpoint', { url })).json.data
  const path = `/v3/webhook_endpoint/${id}`
  const statuses = async () => [
    (await account.put(path, { description: 'x' })).status,
    (await account.get(path)).status,
    (await account.get('/v3/webhook_endpoint')).status,
  ]
  const well = [200, 200, 200]
  assert.deepEqual(await statuses(), well)
  const [trigger] = await owner<{ definition: string }[]>`
    select pg_get_triggerdef(oid) as definition from pg_trigger
    where tgrelid = 'webhook_endpoints'::regclass and tgname = 'history'`
  for (const type of ['varchar', 'text']) {
    await owner.unsafe(`begin; drop trigger history on webhook_endpoints;
      alter table webhook_endpoints alter column description type ${type};
      ${trigger?.definition}; commit`)
    assert.deepEqual(await statuses(), well, type)
  }
})

/** Holds all connections for reads while `work` runs. */
async function withoutConnections<T>(work: () => Promise<T>): Promise<T> {
  const { config, reads } = service.deps
  const sessions = Array.from({ length: config.read_connections }, () => reads.reserve())
  const held = await Promise.all(sessions)
  return work().finally(() => {
    for (const session of held) session.release()
  })
}

test('log-in, no free database connection: 503 after one wait', async () => {
  const payload = JSON.stringify({ user: 'nobody', password: 'a password of a person' })
  const headers = { ...OWN, 'content-type': 'application/json' }
  const answer = await withoutConnections(() =>
    service.inject({ method: 'POST', url: '/v3/session', headers, payload }),
  )
  assertRefused(answer, 503, 'service_unavailable')
})

test('more requests than the memory budget allows: 503 at once, probes answered', async () => {
  const app = await buildApp(service.deps, undefined, new AtWork(2))
  const headers = { authorization: basic(account.key_id, account.secret) }
  // Without `async`, a request begins only when it is awaited.
  const get = async (url: string) => app.inject({ url, headers })
  const answered = await withoutConnections(async () => {
    const waiting = [get('/v3/payout'), get('/v3/event')]
    const refused = await get('/v3/payout')
    assert.match(refused.body, /Too many requests wait for the database/)
    assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '1'])
    assert.equal((await get('/healthz')).statusCode, 200)
    return { waiting }
  })
  for (const answer of await Promise.all(answered.waiting)) assert.equal(answer.statusCode, 200)
  assert.equal((await get('/v3/payout')).statusCode, 200)
  await app.close()
})

test('assertNoInsides, answer that contains one of our secrets: fails', async () => {
  const secrets = [
    newSecret({ sandbox: false }),
    newSecret({ sandbox: true }),
    newUserSecret(),
    newToken('session'),
    newToken('login'),
    newWebhookSecret(randomBytes(24)),
    await hashPassword('a password of a person'),
  ]
  assertNoInsides('The secret of corridor_live_… or whsec_… is wrong.')
  for (const secret of secrets) assert.throws(() => assertNoInsides(`It is ${secret}.`))
})
