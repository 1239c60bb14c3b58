// Whoever guesses learns nothing and is slowed down, and keeps nobody with a valid key out: one
// answer and one time for all wrong credentials, limits by address and by key, and secrets that the
// database does not hold.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Agent, request } from 'node:http'
import { after, before, test } from 'node:test'
import { crc32 } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { markKeyRevoked } from '../../src/account/store.ts'
import { readConfig } from '../../src/config.ts'
import type { Refusal } from '../../src/errors.ts'
import { authenticate } from '../../src/http/authenticate.ts'
import { networkOf, openLimits } from '../../src/http/limits.ts'
import { assertRefused, rowsOf, withoutStamps } from '../support/check.ts'
import { openCli } from '../support/cli.ts'
import { type RunningProcess, startProcesses, until } from '../support/process.ts'
import {
  type Answer,
  basic,
  type Client,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let account: Client
let revoked: Client
before(async () => {
  service = await startTestService({ failed_logins_per_min: 0 })
  account = await service.openAccount()
  revoked = await service.addKey(account, 'write')
  await markKeyRevoked(service.deps.sql, revoked.key_id)
  await service.deps.reference.refresh()
})
after(() => service.close())

/** Headers of each kind of wrong credentials. */
function wrongOnes(good: Client, ended: Client): Readonly<Record<string, string>> {
  const wrong = `${good.secret.slice(0, -1)}${good.secret.endsWith('A') ? 'B' : 'A'}`
  return {
    'unknown key': basic('key_00000000000000000000', good.secret),
    'wrong secret': basic(good.key_id, wrong),
    'revoked key': basic(ended.key_id, ended.secret),
    'revoked key, wrong secret': basic(ended.key_id, wrong),
    'not base64': `Basic ${'*'.repeat(basic(good.key_id, good.secret).length)}`,
    'no colon': `Basic ${Buffer.from(good.key_id + good.secret).toString('base64')}`,
    'base64 of another spelling': `${basic(good.key_id, good.secret).replace(/=+$/, '')}====`,
  }
}

const balance = (authorization: string, of = service, remoteAddress = '192.0.2.1') =>
  of.inject({ url: '/v3/balance', headers: { authorization }, remoteAddress })

test('wrong credentials of every kind: the same status, headers and body, byte for byte', async () => {
  const answers = Object.entries(wrongOnes(account, revoked)).map(async ([what, authorization]) => {
    const answer = await balance(authorization)
    assertRefused(answer, 401, 'invalid_credentials')
    return [what, withoutStamps(answer)] as const
  })
  const [[, first], ...others] = (await Promise.all(answers)) as [
    readonly [string, object],
    ...(readonly [string, object])[],
  ]
  for (const [what, answer] of others) assert.deepEqual(answer, first, what)
})

const SAMPLES = 2_000
const MAX_DIFFERENCE_MS = 0.2

test(`wrong credentials of every kind, ${SAMPLES} requests each in turn: time does not tell them apart`, async t => {
  const address = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const kinds = Object.entries(wrongOnes(account, revoked))
  const measure = async () => {
    const times = new Map(kinds.map(([what]) => [what, [] as number[]]))
    for (let i = 0; i < SAMPLES + 50; i++) {
      for (const [what, authorization] of kinds) {
        const took_ms = await timeOf(`${address}/v3/balance`, agent, authorization)
        // The first ones warm up.
        if (i >= 50) times.get(what)?.push(took_ms)
      }
    }
    return times
  }
  try {
    const found = tellApart(await measure())
    // A machine with other work may disturb one kind more than another once.
    const apart = found.length === 0 ? [] : tellApart(await measure())
    t.diagnostic(`told apart at first: ${found.length}`)
    assert.deepEqual(apart, [])
  } finally {
    agent.destroy()
  }

  function tellApart(times: ReadonlyMap<string, readonly number[]>): string[] {
    const all = [...times].map(([what, some]) => ({ what, some, median: medianOf(some) }))
    t.diagnostic(all.map(({ what, median }) => `${what} ${median.toFixed(4)} ms`).join(', '))
    return all.flatMap((a, i) =>
      all.slice(i + 1).flatMap(b => {
        const difference = Math.abs(a.median - b.median)
        if (difference <= MAX_DIFFERENCE_MS || rankTest(a.some, b.some) > 0.05) return []
        return [`${a.what} and ${b.what} differ by ${difference.toFixed(3)} ms`]
      }),
    )
  }
})

function timeOf(url: string, agent: Agent, authorization: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const asked = request(url, { agent, headers: { authorization } }, response => {
      assert.equal(response.statusCode, 401)
      response.resume().on('end', () => resolve(performance.now() - started))
    })
    asked.on('error', reject).end()
  })
}

function medianOf(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

/** Mann-Whitney: how likely so different ranks are when both are of one kind (two-sided). */
function rankTest(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map(x => [x, 0]), ...b.map(x => [x, 1])].sort(([x = 0], [y = 0]) => x - y)
  const ranks = all.reduce((sum, [, of], i) => (of === 0 ? sum + i + 1 : sum), 0)
  const [n, m] = [a.length, b.length]
  const mean = (n * (n + m + 1)) / 2
  const z = Math.abs(ranks - mean) / Math.sqrt((n * m * (n + m + 1)) / 12)
  // Abramowitz and Stegun 26.2.17, to seven digits.
  const k = 1 / (1 + 0.2316419 * z)
  const factors = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429]
  const tail = factors.reduce((sum, factor, i) => sum + factor * k ** (i + 1), 0)
  return Math.min(1, 2 * (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail)
}

test('rank test of this file: sees a shift, and none where there is none', () => {
  const some = Array.from({ length: 2_000 }, (_, i) => (i * 7_919) % 2_003)
  const others = Array.from({ length: 2_000 }, (_, i) => (i * 104_729) % 2_003)
  assert.ok(rankTest(some, others) > 0.05)
  const shifted = others.map(x => x + 200)
  assert.ok(rankTest(some, shifted) < 0.000_1)
})

test('API key revoked by the command line: two processes refuse it within a second, and it alone', async () => {
  const { url } = service.database
  const key = await service.addKey(account, 'write')
  const cli = await openCli(url)
  let processes: RunningProcess[] = []
  try {
    processes = await startProcesses(2, { DATABASE_URL: url, CORRIDOR_WEBHOOKS: 'off' })
    const statusAt = async ({ address }: RunningProcess, { key_id, secret }: Client) => {
      const headers = { authorization: basic(key_id, secret) }
      return (await fetch(`${address}/v3/balance`, { headers })).status
    }
    for (const one of processes) assert.equal(await statusAt(one, key), 200)
    const refused_at = processes.map(async one => {
      await until('the key is refused', 10_000, async () => (await statusAt(one, key)) === 401)
      return Date.now()
    })
    const ran = await cli.run('key', 'revoke', key.key_id)
    assert.equal(ran.code, 0, ran.stderr)
    const [row] = await service.database.owner<{ revoked_ms: number }[]>`
      select extract(epoch from revoked_at)::float8 * 1000 as revoked_ms from api_keys
      where key_id = ${key.key_id}`
    for (const at of await Promise.all(refused_at)) {
      const took_ms = at - (row?.revoked_ms ?? 0)
      assert.ok(took_ms <= 1_000, `${took_ms} ms`)
    }
    for (const one of processes) assert.equal(await statusAt(one, account), 200)
  } finally {
    await Promise.all(processes.map(one => one.kill()))
    await cli.close()
  }
})

/** A service of its own with these limits, and the kinds of wrong credentials there. */
async function withLimits(
  config: Parameters<typeof startTestService>[0],
  work: (limited: TestService, by: Client, wrong: readonly string[]) => Promise<void>,
): Promise<void> {
  const limited = await startTestService(config)
  try {
    const by = await limited.openAccount()
    const ended = await limited.addKey(by, 'write')
    await markKeyRevoked(limited.deps.sql, ended.key_id)
    await limited.deps.reference.refresh()
    await work(limited, by, Object.values(wrongOnes(by, ended)))
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

test('wrong credentials, more a minute than allowed: 429, alike for every kind, and from that address alone', async () => {
  await withLimits({ failed_logins_per_min: 7 }, async (limited, by, wrong) => {
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
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      const answer = await balance(basic(by.key_id, by.secret), limited, address)
      assert.equal(answer.status, 200, answer.text)
    }
  })
})

test('valid key beside someone who guesses at the same address: every one of its requests is served', async () => {
  await withLimits({ failed_logins_per_min: 5 }, async (limited, by, wrong) => {
    for (let i = 0; i < 200; i++) {
      const [guess, good] = await Promise.all([
        balance(wrong[i % wrong.length] ?? '', limited),
        balance(basic(by.key_id, by.secret), limited),
      ])
      assert.equal(guess.status, i < 5 ? 401 : 429)
      assert.equal(good.status, 200)
    }
  })
})

test('wrong credentials, after the time that Retry-After says: 401 again', async () => {
  await withLimits({ failed_logins_per_min: 600 }, async (limited, _, [wrong = '']) => {
    let last: Answer
    do last = await balance(wrong, limited)
    while (last.status === 401)
    assertTooMany(last, 1)
    const refused_at = performance.now()
    await until('they are judged again', 1_500, async () => {
      return (await balance(wrong, limited)).status === 401
    })
    assert.ok(performance.now() - refused_at <= 1_100)
  })
})

test('address behind a proxy: believed of a trusted proxy alone', async () => {
  const trusted_proxies = readConfig({
    CORRIDOR_TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::7',
  }).trusted_proxies
  await withLimits(
    { failed_logins_per_min: 1, trusted_proxies },
    async (limited, _, [wrong = '']) => {
      const from = async (remoteAddress: string, forwarded: string) => {
        const headers = { authorization: wrong, 'x-forwarded-for': forwarded }
        return (await limited.inject({ url: '/v3/balance', headers, remoteAddress })).status
      }
      assert.equal(await from('10.1.2.3', '192.0.2.1'), 401)
      assert.equal(await from('10.1.2.3', '192.0.2.1'), 429)
      assert.equal(await from('10.1.2.3', '192.0.2.2'), 401)
      // What the client itself wrote before the proxy's word.
      assert.equal(await from('2001:db8::7', '192.0.2.99, 192.0.2.2'), 429)
      assert.equal(await from('192.0.2.50', '192.0.2.60'), 401)
      assert.equal(await from('192.0.2.50', '192.0.2.61'), 429)
    },
  )
})

test('addresses that are counted as one: an IPv6 network of 64 bits, IPv4 however it is written', () => {
  const same = [
    ['192.0.2.1', '::ffff:192.0.2.1'],
    ['2001:db8:1:2::1', '2001:DB8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::9'],
    ['::1', '::2'],
    ['fe80::1%eth0', 'fe80::1'],
    ['2001:db8::', '2001:db8:0:0:1::'],
  ] as const
  for (const [a, b] of same) assert.equal(networkOf(a), networkOf(b), `${a} and ${b}`)
  const others = ['192.0.2.1', '192.0.2.2', '2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:2::1']
  assert.equal(new Set(others.map(networkOf)).size, others.length)
  assert.ok(networkOf('x'.repeat(10_000)).length <= 64)
})

test('requests of one API key, more a second than allowed: 429, other keys go on', async () => {
  await withLimits({ rate_limit_per_s: 2 }, async (limited, by) => {
    const other = await limited.addKey(by, 'write')
    const answers: Answer[] = []
    for (let i = 0; i < 40; i++) answers.push(await by.get('/v3/balance'))
    const served = answers.filter(({ status }) => status === 200).length
    // A burst of ten, and what came back meanwhile.
    assert.ok(served >= 10 && served <= 16, `${served} of 40`)
    assertTooMany(answers.at(-1) as Answer, 1)
    assert.equal((await other.get('/v3/balance')).status, 200)
    // Wrong credentials with its id cost it nothing, and it answers to its own limit alone.
    for (let i = 0; i < 20; i++) await balance(basic(other.key_id, 'wrong'), limited)
    assert.equal((await other.get('/v3/balance')).status, 200)
    await until('it is served again', 1_500, async () => {
      return (await by.get('/v3/balance')).status === 200
    })
  })
})

test('limits by default: none for keys, a hundred wrong credentials a minute from an address', async () => {
  const { rate_limit_per_s, failed_logins_per_min } = readConfig({})
  assert.deepEqual(
    { rate_limit_per_s, failed_logins_per_min },
    {
      rate_limit_per_s: 0,
      failed_logins_per_min: 100,
    },
  )
  await withLimits({}, async (limited, by, [wrong = '']) => {
    const statuses = new Map<number, number>()
    for (let i = 0; i < 150; i++) {
      const { status } = await balance(wrong, limited)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      assert.equal((await by.get('/v3/balance')).status, 200)
    }
    const taken = statuses.get(401) ?? 0
    assert.ok(taken >= 100 && taken <= 110, `${taken} of 150`)
  })
})

test('settings of the limits that cannot be read: the error names them', () => {
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

test('credentials, right or wrong: judged in a tenth of a millisecond at most', t => {
  const limits = openLimits({ rate_limit_per_s: 1_000_000, failed_logins_per_min: 1_000_000 })
  const reference = service.deps.reference.current()
  const judge = (authorization: string) => {
    const request = { headers: { authorization }, ip: '192.0.2.1' }
    try {
      authenticate(request as FastifyRequest, reference, 'read', limits)
      return 200
    } catch (error) {
      return (error as Refusal).status
    }
  }
  const good = basic(account.key_id, account.secret)
  const { 'wrong secret': wrong = '' } = wrongOnes(account, revoked)
  for (const [authorization, status] of [
    [good, 200],
    [wrong, 401],
  ] as const) {
    const before = process.cpuUsage()
    for (let i = 0; i < 5_000; i++) assert.equal(judge(authorization), status)
    const { user, system } = process.cpuUsage(before)
    const each_ms = (user + system) / 1_000 / 5_000
    t.diagnostic(`${status}: ${each_ms.toFixed(4)} ms of processor time`)
    assert.ok(each_ms <= 0.1, `${each_ms} ms`)
  }
})

const SECRET = /^corridor_(live|test)_([\w-]{43})([\w-]{6})$/

test('secrets of API keys: 256 bits that differ, a name that tells what they are, and a checksum', async () => {
  const sandbox = await service.openAccount({ sandbox: true })
  const secrets = new Set<string>()
  for (const [whose, kind] of [
    [account, 'live'],
    [sandbox, 'test'],
  ] as const) {
    for (let i = 0; i < 20; i++) {
      const { secret } = await service.addKey(whose, 'read')
      const [, named, random = '', checksum] = SECRET.exec(secret) ?? assert.fail('form')
      assert.equal(named, kind)
      assert.equal(Buffer.from(random, 'base64url').length * 8, 256)
      const sum = Buffer.alloc(4)
      sum.writeUInt32BE(crc32(secret.slice(0, -6)))
      assert.equal(checksum, sum.toString('base64url'))
      secrets.add(secret)
    }
  }
  assert.equal(secrets.size, 40)
})

test('every row of the database: not one secret of an API key, in any spelling, only its hash', async () => {
  const cli = await openCli(service.database.url)
  try {
    const { account_id } = account.account
    const made = await cli.run(
      'key',
      'create',
      account_id,
      '--name',
      'from the command line',
      '--json',
    )
    const opened = await cli.run(
      ...['account', 'create', '--name', 'N', '--currencies', 'USD', '--primary', 'USD', '--json'],
    )
    const secrets = [made.json.secret, opened.json.secret, account.secret, revoked.secret]
    const headers = { 'idempotency-key': 'kept' }
    const paid = await account.post('/v3/beneficiary', BENEFICIARY, headers)
    assert.equal(paid.status, 200, paid.text)
    const all = Object.values(await rowsOf(service.database.owner)).join('\n')
    assert.ok(all.includes(paid.json.data.id), 'rows are seen')
    const bytes = Buffer.concat(
      [...all.matchAll(/\\\\?x([0-9a-f]+)/g)].map(([, hex]) => Buffer.from(hex ?? '', 'hex')),
    )
    for (const secret of secrets) {
      assert.match(secret, SECRET)
      const digest = createHash('sha256').update(secret).digest('hex')
      assert.ok(all.includes(digest), 'its hash is kept')
      const text = Buffer.from(secret)
      const random = Buffer.from(secret.slice(14, 57), 'base64url')
      for (const some of [text, random]) {
        for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const) {
          assert.ok(!all.includes(some.toString(encoding)), encoding)
        }
        assert.equal(bytes.indexOf(some), -1)
      }
    }
  } finally {
    await cli.close()
  }
})

const BENEFICIARY = {
  name: 'Anyone',
  type: 'individual',
  destination_details: { type: 'bank', bank: { account_number: '1', country: 'HK' } },
}
