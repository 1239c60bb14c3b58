// Who may do what: Basic credentials, revocation, scopes, and objects of other accounts, on every
// endpoint there is (service.md "Authentication", contract 28 and 29).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { markKeyRevoked } from '../../src/account/store.ts'
import { localPayout } from '../support/bodies.ts'
import { assertRefused, fingerprint } from '../support/check.ts'
import {
  type Answer,
  basic,
  type Client,
  client,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
})
after(() => service.close())

const quoteBody = { payout_info: { currency: 'USD', amount: 100 } }

const ENDPOINTS = [
  ['POST', '/v3/payout/quote'],
  ['POST', '/v3/payout'],
  ['POST', '/v3/payout/pot_00000000000000000000/cancel'],
  ['GET', '/v3/payout/quote/poq_00000000000000000000'],
  ['GET', '/v3/payout/pot_00000000000000000000'],
  ['GET', '/v3/balance_transaction/btr_00000000000000000000'],
  ['GET', '/v3/balance'],
] as const

function assertUnauthorized(answer: Answer, reason: string): void {
  assertRefused(answer, 401, reason)
  assert.match(String(answer.headers['www-authenticate']), /^Basic realm="[^"]+", charset="UTF-8"$/)
}

for (const [method, url] of ENDPOINTS) {
  test(`${method} ${url}, no credentials: 401 before anything of the request is read`, async () => {
    const post = { headers: { 'content-type': 'application/json' }, payload: '{"broken' }
    const answer = await service.inject({ method, url, ...(method === 'POST' ? post : {}) })
    assertUnauthorized(answer, 'missing_credentials')
  })
}

/** Another base64 spelling of the same bytes: the two bits that padding leaves over are set. */
function otherSpelling(encoded: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const last = encoded.indexOf('=') - 1
  const letter = alphabet.charAt(alphabet.indexOf(encoded.charAt(last)) + 1)
  return encoded.slice(0, last) + letter + encoded.slice(last + 1)
}

const MALFORMED: readonly [what: string, header: (good: string, plain: string) => string][] = [
  ['Bearer', good => `Bearer ${good}`],
  ['scheme alone', () => 'Basic'],
  ['scheme and a space', () => 'Basic '],
  ['no scheme', good => good],
  ['not base64', () => 'Basic ***'],
  ['base64 with other left-over bits', good => `Basic ${otherSpelling(good)}`],
  ['base64 without its padding', good => `Basic ${good.replace(/=+$/, '')}`],
  ['base64 with padding too much', good => `Basic ${good}=`],
  ['base64 with a space in it', good => `Basic ${good.slice(0, 8)} ${good.slice(8)}`],
  ['two values', good => `Basic ${good}, Basic ${good}`],
  ['text in place of base64', (_, plain) => `Basic ${plain}`],
  ['no colon', (_, plain) => `Basic ${Buffer.from(plain.replace(':', '')).toString('base64')}`],
]

for (const [what, header] of MALFORMED) {
  test(`Authorization, ${what}: 401 invalid_credentials`, async () => {
    const plain = `${account.key_id}:${account.secret}`
    const good = Buffer.from(plain).toString('base64')
    assert.ok(good.endsWith('='), 'a value with padding')
    const authorization = header(good, plain)
    const answer = await service.inject({ url: '/v3/balance', headers: { authorization } })
    assertUnauthorized(answer, 'invalid_credentials')
    assert.ok(!answer.text.includes(account.secret))
  })
}

test('Authorization, other spelling of the base64: the very bytes that would have been accepted', () => {
  const good = Buffer.from(`${account.key_id}:${account.secret}`).toString('base64')
  const other = otherSpelling(good)
  assert.notEqual(other, good)
  assert.deepEqual(Buffer.from(other, 'base64'), Buffer.from(good, 'base64'))
})

test('Authorization, unknown key, wrong, empty or another key’s secret: 401, all with one body', async () => {
  const other = await service.openAccount()
  const { key_id, secret } = account
  const wrong = [
    ['key_00000000000000000000', secret],
    [key_id, `${secret}x`],
    [key_id, secret.slice(0, -1)],
    [key_id, ''],
    [key_id, other.secret],
    [other.key_id, secret],
    [key_id.toUpperCase(), secret],
    [` ${key_id}`, secret],
    ['', ''],
    ['__proto__', secret],
    [account.account.account_id, secret],
  ] as const
  const texts = new Set<string>()
  for (const [id, pass] of wrong) {
    const headers = { authorization: basic(id, pass) }
    const answer = await service.inject({ url: '/v3/balance', headers })
    assertUnauthorized(answer, 'invalid_credentials')
    texts.add(answer.text)
  }
  assert.equal(texts.size, 1)
})

test('Authorization, scheme in other letter case: accepted (RFC 7617)', async () => {
  const authorization = basic(account.key_id, account.secret).replace('Basic', 'bASIC')
  const answer = await service.inject({ url: '/v3/balance', headers: { authorization } })
  assert.equal(answer.status, 200, answer.text)
})

test('API key, several of one account: all see the same; revoking one leaves the others', async () => {
  const second = await service.addKey(account, 'write')
  assert.equal((await second.get('/v3/balance')).text, (await account.get('/v3/balance')).text)
  assert.equal(await markKeyRevoked(service.deps.sql, second.key_id), true)
  await service.deps.reference.refresh()
  assertUnauthorized(await second.get('/v3/balance'), 'invalid_credentials')
  assert.equal((await account.get('/v3/balance')).status, 200)
})

/** Asks until the answer is 401; how long that took. */
async function untilRefused(by: Client): Promise<number> {
  const started = performance.now()
  while ((await by.get('/v3/balance')).status !== 401) {
    assert.ok(performance.now() - started < 5_000, 'a revoked key still works after five seconds')
  }
  return performance.now() - started
}

const NEWS = [
  ['told by NOTIFY', false],
  ['its NOTIFY lost', true],
] as const

for (const [how, lost] of NEWS) {
  test(`API key revoked elsewhere, ${how}: this process and another refuse it within one second`, async () => {
    const key = await service.addKey(account, 'write')
    const other = await service.anotherProcess()
    try {
      const there = client(key, other.inject)
      assert.equal((await there.get('/v3/balance')).status, 200)
      assert.equal((await key.get('/v3/balance')).status, 200)
      const { owner } = service.database
      if (lost) {
        await owner.begin(async tx => {
          await tx`alter table api_keys disable trigger announce`
          await tx`update api_keys set revoked_at = now() where key_id = ${key.key_id}`
          await tx`update reference_version set version = version + 1`
          await tx`alter table api_keys enable trigger announce`
        })
      } else {
        await markKeyRevoked(owner, key.key_id)
      }
      const [here_ms, there_ms] = await Promise.all([untilRefused(key), untilRefused(there)])
      assert.ok(here_ms < 1_000 && there_ms < 1_000, `${here_ms} ms here, ${there_ms} ms there`)
    } finally {
      await other.close()
    }
  })
}

const SCOPES = [
  ['read', 403],
  ['write', 200],
  ['operator', 200],
] as const

for (const [scope, expected] of SCOPES) {
  test(`API key of scope ${scope}: GET 200, POST ${expected}`, async () => {
    const key = await service.addKey(account, scope)
    const quote = await account.post('/v3/payout/quote', quoteBody)
    const payout = (await account.post('/v3/payout', localPayout)).json.data
    for (const url of [
      '/v3/balance',
      `/v3/payout/quote/${quote.json.id}`,
      `/v3/payout/${payout.id}`,
      `/v3/balance_transaction/${payout.balance_transaction}`,
    ]) {
      assert.equal((await key.get(url)).status, 200, url)
    }
    const before = await fingerprint(service.database.owner)
    for (const [url, body] of [
      ['/v3/payout/quote', quoteBody],
      ['/v3/payout', localPayout],
    ] as const) {
      const answer = await key.post(url, body)
      assert.equal(answer.status, expected, answer.text)
      if (expected === 403) assertRefused(answer, 403, 'insufficient_scope')
    }
    if (expected === 403) {
      // Also before the body is read.
      assertRefused(await key.post('/v3/payout', '{"broken'), 403, 'insufficient_scope')
      assert.deepEqual(await fingerprint(service.database.owner), before)
    }
  })
}

test('GET by id, another account’s object of every kind: byte for byte like one that never was', async () => {
  const stranger = await service.addKey(await service.openAccount(), 'operator')
  const quote = await account.post('/v3/payout/quote', quoteBody)
  const payout = (await account.post('/v3/payout', localPayout)).json.data
  const own = [
    ['/v3/payout/quote/', quote.json.id],
    ['/v3/payout/', payout.id],
    ['/v3/balance_transaction/', payout.balance_transaction],
  ] as const
  for (const [path, id] of own) {
    const never = id.replace(/.{10}$/, '0000000000')
    const theirs = await stranger.get(path + id)
    const nobodys = await stranger.get(path + never)
    assertRefused(theirs, 404, 'not_found')
    assert.equal(theirs.text, nobodys.text)
    assert.deepEqual(theirs.headers, { ...nobodys.headers, date: theirs.headers.date })
  }
})

test('POST /v3/payout, same text of another account’s quote or beneficiary: 404 like never-existing, their objects untouched', async () => {
  const stranger = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  const quote = (await account.post('/v3/payout/quote', quoteBody)).json.id
  const { beneficiary } = (await account.post('/v3/payout', localPayout)).json.data
  const { beneficiary_details: _, ...bare } = localPayout
  const before = await fingerprint(service.database.owner)
  const byQuote = await stranger.post('/v3/payout', { ...localPayout, amount: 100, quote })
  assertRefused(byQuote, 404, 'not_found', 'quote')
  const byBeneficiary = await stranger.post('/v3/payout', { ...bare, beneficiary })
  assertRefused(byBeneficiary, 404, 'beneficiary_not_found', 'beneficiary')
  assert.deepEqual(await fingerprint(service.database.owner), before)
})
