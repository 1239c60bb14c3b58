// Whoever guesses learns nothing: one answer for all wrong credentials, and secrets that the database
// does not hold. What time tells is guessing-timing.test.ts's, and who is slowed down is
// guessing-limits.test.ts's.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { markKeyRevoked } from '../../src/accounts/store.ts'
import { newSecret, newToken } from '../../src/values/secret.ts'
import { assertRefused, rowsOf, withoutStamps } from '../support/assert/check.ts'
import { bankBeneficiary } from '../support/given/bodies.ts'
import { wrongCredentials } from '../support/given/credentials.ts'
import { openCli } from '../support/service/cli.ts'
import {
  basic,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

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

/** Another base64 spelling of the same bytes: the two bits that padding leaves over are set. */
function otherSpelling(encoded: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const last = encoded.indexOf('=') - 1
  const letter = alphabet.charAt(alphabet.indexOf(encoded.charAt(last)) + 1)
  const other = encoded.slice(0, last) + letter + encoded.slice(last + 1)
  assert.deepEqual(Buffer.from(other, 'base64'), Buffer.from(encoded, 'base64'))
  return other
}

/** Headers that are not of this form, made from a good one. */
function malformed({ key_id, secret }: Client): readonly string[] {
  const plain = `${key_id}:${secret}`
  const good = Buffer.from(plain).toString('base64')
  assert.ok(good.endsWith('='), 'a value with padding')
  return [
    ...[`Bearer ${good}`, 'Basic', 'Basic ', good, 'Basic ***', `Basic ${plain}`],
    ...[`Basic ${otherSpelling(good)}`, `Basic ${good.replace(/=+$/, '')}`, `Basic ${good}=`],
    ...[`Basic ${good.slice(0, 8)} ${good.slice(8)}`, `Basic ${good}, Basic ${good}`],
    `Basic ${Buffer.from(plain.replace(':', '')).toString('base64')}`,
  ]
}

test('wrong credentials of every kind: same status, headers and body, byte for byte', async () => {
  const { key_id, secret } = account
  const other = await service.openAccount()
  const pairs = [
    ...[`${secret}x`, secret.slice(0, -1), '', other.secret].map(wrong => [key_id, wrong] as const),
    ...[other.key_id, key_id.toUpperCase(), ` ${key_id}`, '__proto__'].map(
      id => [id, secret] as const,
    ),
    ...[[account.account.account_id, secret] as const, ['', ''] as const],
  ]
  const { 'unknown key': first, ...wrong } = wrongCredentials(account, revoked)
  const others = [
    ...Object.values(wrong),
    ...malformed(account),
    ...pairs.map(([id, pass]) => basic(id, pass)),
  ]
  const expected = await balance(first ?? '')
  assertRefused(expected, 401, 'invalid_credentials')
  const challenge = String(expected.headers['www-authenticate'])
  assert.match(challenge, /^Basic realm="[^"]+", charset="UTF-8"$/)
  for (const authorization of others) {
    const answer = await balance(authorization)
    assert.deepEqual(withoutStamps(answer), withoutStamps(expected), authorization)
  }
})

const SECRET = /^corridor_([a-z]+)_([\w-]{43})([\w-]{6})$/

test('secrets of API keys, sessions and login links: 256 random bits, a prefix for the kind, a checksum', () => {
  const secrets = new Set<string>()
  for (const [kind, make] of [
    ['live', () => newSecret({ sandbox: false })],
    ['test', () => newSecret({ sandbox: true })],
    ['session', () => newToken('session')],
    ['login', () => newToken('login')],
  ] as const) {
    for (let i = 0; i < 20; i++) {
      const secret = make()
      const [, named, random = '', checksum] = SECRET.exec(secret) ?? assert.fail('form')
      assert.equal(named, kind)
      assert.equal(Buffer.from(random, 'base64url').length * 8, 256)
      const sum = Buffer.alloc(4)
      sum.writeUInt32BE(crc32(secret.slice(0, -6)))
      assert.equal(checksum, sum.toString('base64url'))
      secrets.add(secret)
    }
  }
  assert.equal(secrets.size, 80)
})

test("database, every row: only the hash of an API key's secret, the secret in no encoding", async () => {
  const cli = await openCli(service.database.url)
  try {
    const { account_id } = account.account
    const named = ['--name', 'N', '--json']
    const made = await cli.run('key', 'create', account_id, '--scope', 'write', ...named)
    const money = ['--currencies', 'USD', '--primary-currency', 'USD']
    const opened = await cli.run('account', 'create', ...money, ...named)
    const secrets = [made.json.secret, opened.json.secret, account.secret, revoked.secret]
    const headers = { 'idempotency-key': 'kept' }
    const paid = await account.post('/v3/beneficiary', bankBeneficiary, headers)
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
