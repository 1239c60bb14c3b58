// Whoever guesses learns nothing: one answer for all wrong credentials, and secrets that the database
// does not hold. What time tells is guessing-timing.test.ts's, and who is slowed down is
// guessing-limits.test.ts's.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { markKeyRevoked } from '../../src/account/store.ts'
import { assertRefused, rowsOf, withoutStamps } from '../support/assert/check.ts'
import { wrongCredentials } from '../support/given/credentials.ts'
import { openCli } from '../support/service/cli.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

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

const balance = (authorization: string) =>
  service.inject({ url: '/v3/balance', headers: { authorization } })

test('wrong credentials of every kind: the same status, headers and body, byte for byte', async () => {
  const answers = Object.entries(wrongCredentials(account, revoked)).map(
    async ([what, authorization]) => {
      const answer = await balance(authorization)
      assertRefused(answer, 401, 'invalid_credentials')
      return [what, withoutStamps(answer)] as const
    },
  )
  const [[, first], ...others] = (await Promise.all(answers)) as [
    readonly [string, object],
    ...(readonly [string, object])[],
  ]
  for (const [what, answer] of others) assert.deepEqual(answer, first, what)
})

const SECRET = /^corridor_(live|test)_([\w-]{43})([\w-]{6})$/

test('secrets of API keys: 256 bits that differ, a name that tells what they are, and a checksum', async () => {
  const live = await service.openAccount({ sandbox: false })
  const secrets = new Set<string>()
  for (const [whose, kind] of [
    [live, 'live'],
    [account, 'test'],
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
  destination_details: {
    type: 'bank',
    bank: { account_number: '1', country: 'HK', bank_codes: { bank_code: '004' } },
  },
}
