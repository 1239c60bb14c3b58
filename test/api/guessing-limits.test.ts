// Whoever guesses is slowed down, by address, and keeps nobody with a valid key out; a key has a
// limit of its own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { markKeyRevoked } from '../../src/accounts/store.ts'
import { type Config, readConfig } from '../../src/config/config.ts'
import { assertRefused, withoutStamps } from '../support/assert/check.ts'
import { wrongCredentials } from '../support/given/credentials.ts'
import { until } from '../support/service/process.ts'
import {
  type AnotherProcess,
  type Answer,
  basic,
  type Client,
  client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { promised } from '../support/share.ts'

let service: TestService
let account: Client
let wrong: readonly string[]
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ sandbox: false })
  const ended = await service.addKey(account, 'write')
  await markKeyRevoked(service.deps.sql, ended.key_id)
  await service.deps.reference.refresh()
  wrong = Object.values(wrongCredentials(account, ended))
})
after(() => service.close())

const balance = (authorization: string, of: AnotherProcess, remoteAddress = '192.0.2.1') =>
  of.inject({ url: '/v3/balance', headers: { authorization }, remoteAddress })

/** A process of its own with these limits. */
async function withLimits(
  settings: Partial<Config>,
  work: (limited: AnotherProcess, by: Client) => Promise<void>,
): Promise<void> {
  const limited = await service.anotherProcess(settings)
  try {
    await work(limited, client(account, limited.inject))
  } finally {
    await limited.close()
  }
}

function assertTooMany(answer: Answer, most_s: number): void {
  assertRefused(answer, 429, 'rate_limited')
  assert.equal(answer.json.errors[0].code, 110)
  const wait = String(answer.headers['retry-after'])
  assert.match(wait, /^[1-9]\d*$/)
  assert.ok(Number(wait) <= most_s, wait)
}

test('wrong credentials of any kind, more than the limit a minute: 429 for this address only; a valid key from it still succeeds', async () => {
  await withLimits({ failed_logins_per_min: 7 }, async (limited, by) => {
    for (const authorization of wrong) {
      assertRefused(await balance(authorization, limited), 401, 'invalid_credentials')
    }
    const seen = new Set<string>()
    for (const authorization of wrong) {
      const answer = await balance(authorization, limited)
      assertTooMany(answer, 9)
      seen.add(JSON.stringify({ ...withoutStamps(answer), headers: Object.keys(answer.headers) }))
    }
    assert.equal(seen.size, 1)
    const [first = ''] = wrong
    assertRefused(await balance(first, limited, '192.0.2.2'), 401, 'invalid_credentials')
    // Who sends none guesses none.
    const none = await limited.inject({ url: '/v3/balance', remoteAddress: '192.0.2.1' })
    assertRefused(none, 401, 'missing_credentials')
    const good = basic(by.key_id, by.secret)
    for (let i = 0; i < 50; i++) {
      const guess = balance(wrong[i % wrong.length] ?? '', limited)
      // Each of a valid key beside the guesses is served.
      assert.equal((await balance(good, limited)).status, 200)
      assert.match(String((await guess).status), /^(401|429)$/)
    }
  })
})

test('wrong credentials, sent after Retry-After: 401 again', async t => {
  await withLimits({ failed_logins_per_min: 60 }, async limited => {
    const [guess = ''] = wrong
    let last: Answer
    // Where the database is too busy to judge one it is 503, and not a guess.
    do last = await balance(guess, limited)
    while (last.status === 401 || last.status === 503)
    assertTooMany(last, 1)
    const refused_at = performance.now()
    await until('they are judged again', async () => {
      return (await balance(guess, limited)).status === 401
    })
    promised(t, 'judged again', performance.now() - refused_at, 1_100)
  })
})

test('X-Forwarded-For: used only from a trusted proxy', async () => {
  const trusted_proxies = readConfig({
    CORRIDOR_TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::7',
  }).trusted_proxies
  await withLimits({ failed_logins_per_min: 1, trusted_proxies }, async limited => {
    const [guess = ''] = wrong
    const from = async (remoteAddress: string, forwarded: string) => {
      const headers = { authorization: guess, 'x-forwarded-for': forwarded }
      return (await limited.inject({ url: '/v3/balance', headers, remoteAddress })).status
    }
    assert.equal(await from('10.1.2.3', '192.0.2.1'), 401)
    assert.equal(await from('10.1.2.3', '192.0.2.1'), 429)
    assert.equal(await from('10.1.2.3', '192.0.2.2'), 401)
    // What the client itself wrote before the proxy's word.
    assert.equal(await from('2001:db8::7', '192.0.2.99, 192.0.2.2'), 429)
    assert.equal(await from('192.0.2.50', '192.0.2.60'), 401)
    assert.equal(await from('192.0.2.50', '192.0.2.61'), 429)
  })
})

test('API key, more requests a second than the limit: 429, other keys unaffected', async () => {
  await withLimits({ rate_limit_per_s: 2 }, async (limited, by) => {
    const key = await service.addKey(account, 'write')
    await limited.deps.reference.refresh()
    const other = client(key, limited.inject)
    const began_at = performance.now()
    const answers: Answer[] = []
    for (let i = 0; i < 40; i++) answers.push(await by.get('/v3/balance'))
    const served = answers.filter(({ status }) => status === 200).length
    // A burst of ten, and what came back meanwhile.
    const back = 2 * ((performance.now() - began_at) / 1_000)
    assert.ok(served >= 10 && served <= 11 + back, `${served} of 40`)
    assertTooMany(answers.at(-1) as Answer, 1)
    assert.equal((await other.get('/v3/balance')).status, 200)
    // Wrong credentials with its id cost it nothing, and it answers to its own limit alone.
    for (let i = 0; i < 20; i++) await balance(basic(other.key_id, 'wrong'), limited)
    assert.equal((await other.get('/v3/balance')).status, 200)
    await until('it is served again', async () => {
      return (await by.get('/v3/balance')).status === 200
    })
  })
})

test('RateLimit header: requests left on each answer, 0 on a 429; no header without a limit', async () => {
  const rateOf = ({ headers }: Answer) => [headers['ratelimit-policy'], headers.ratelimit]
  // So slow that none comes back meanwhile; `t` counts the seconds down.
  await withLimits({ rate_limit_per_s: 0.001 }, async (limited, by) => {
    const policy = '"key";q=10;w=10000'
    const began_at = performance.now()
    const assertCountsDown = (t: number, from: number) => {
      const passed_s = Math.ceil((performance.now() - began_at) / 1_000)
      assert.ok(t <= from && t >= from - passed_s, `${t} of ${from}, after ${passed_s} s`)
    }
    for (let left = 9; left >= 0; left--) {
      const [named, now] = rateOf(await by.get(left === 5 ? '/v3/payout/pot_x' : '/v3/balance'))
      assert.equal(named, policy)
      const [, r, t] = /^"key";r=(\d+);t=(\d+)$/.exec(String(now)) ?? []
      assert.equal(r, String(left))
      assertCountsDown(Number(t), (10 - left) * 1_000)
    }
    const refused = await by.get('/v3/balance')
    assertTooMany(refused, 1_000)
    const [named, now] = rateOf(refused)
    const [, t] = /^"key";r=0;t=(\d+)$/.exec(String(now)) ?? []
    assert.equal(named, policy)
    assertCountsDown(Number(t), 10_000)
    const nobody = await limited.inject({ url: '/v3/balance' })
    assert.deepEqual(rateOf(nobody), [undefined, undefined])
  })
  await withLimits({ rate_limit_per_s: 0 }, async (_, by) => {
    assert.deepEqual(rateOf(await by.get('/v3/balance')), [undefined, undefined])
  })
  const sandbox = await service.openAccount()
  assert.deepEqual(rateOf(await sandbox.get('/v3/balance')), [undefined, undefined])
  assert.notDeepEqual(rateOf(await account.get('/v3/balance')), [undefined, undefined])
})

test('rate limit settings, defaults: 500 requests a second per key, 100 wrong credentials a minute per address; invalid values named', () => {
  const { rate_limit_per_s, failed_logins_per_min } = readConfig({})
  assert.deepEqual([rate_limit_per_s, failed_logins_per_min], [500, 100])
  for (const [name, value] of [
    ['CORRIDOR_RATE_LIMIT_PER_S', '-1'],
    ['CORRIDOR_FAILED_LOGINS_PER_MIN', 'many'],
    ['CORRIDOR_TRUSTED_PROXIES', 'localhost'],
    ['CORRIDOR_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['CORRIDOR_TRUSTED_PROXIES', '10.0.0.1, 2001:db8::/129'],
  ] as const) {
    assert.throws(() => readConfig({ [name]: value }), new RegExp(`^ConfigError: ${name} must be`))
  }
})
