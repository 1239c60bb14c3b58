// What a database URL means: its servers, what connections to them need, and what is refused.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DatabaseProblem } from './failure.ts'
import { addressesOf, describeUrl, isDatabaseUrl, urlAt } from './url.ts'

const folder = mkdtempSync(join(tmpdir(), 'corridor-url-'))
after(() => rmSync(folder, { recursive: true }))
const file = (name: string) => {
  writeFileSync(join(folder, name), name)
  return join(folder, name)
}
const [ca, cert, key] = [file('ca.pem'), file('cert.pem'), file('key.pem')]

const UNCHECKED = { rejectUnauthorized: false }
const PLAIN = {
  server: 'db.example',
  host: 'db.example',
  port: 5432,
  user: 'ada',
  password: 'p@ss',
  database: 'books',
  options: undefined,
  application_name: undefined,
  connect_timeout_s: undefined,
  ways: [UNCHECKED, false],
  channel_binding: 'disable',
  keep_alive: { enable: true, idle_s: undefined, interval_s: undefined, count: undefined },
}
const at = (server: string, host: string, port: number) => ({ ...PLAIN, server, host, port })

const LOCAL = { server: '[::1]', host: '::1', ways: [false] }

const ADDRESSES: readonly (readonly [written: string, expected: object | readonly object[]])[] = [
  ['db.example/books', PLAIN],
  ['db.example:6432/books', at('db.example:6432', 'db.example', 6432)],
  ['[::1]/books', { ...PLAIN, ...LOCAL }],
  ['[::1]:6432/books', { ...PLAIN, ...LOCAL, server: '[::1]:6432', port: 6432 }],
  [
    'a:1,b,[fe80::2]:3/books',
    [at('a:1', 'a', 1), at('b', 'b', 5432), at('[fe80::2]:3', 'fe80::2', 3)],
  ],
  ['db.example/books?target_session_attrs=read-write', PLAIN],
  ['db.example/books?target_session_attrs=primary', PLAIN],
  ['db.example/books?target_session_attrs=any', PLAIN],
  ['db.example/books?options=-c%20search_path=b', { ...PLAIN, options: '-c search_path=b' }],
  ['db.example/books?application_name=pay', { ...PLAIN, application_name: 'pay' }],
  ['db.example/books?connect_timeout=10', { ...PLAIN, connect_timeout_s: 10 }],
  ['db.example/books?connect_timeout=0', PLAIN],
  ['db.example/books?channel_binding=require', { ...PLAIN, channel_binding: 'require' }],
  [
    'db.example/books?keepalives=0&keepalives_idle=9&keepalives_interval=3&keepalives_count=2',
    { ...PLAIN, keep_alive: { enable: false, idle_s: 9, interval_s: 3, count: 2 } },
  ],
  [
    'x/books?host=/run/postgresql&sslmode=require',
    { ...at('/run/postgresql/.s.PGSQL.5432', '/run/postgresql', 5432), ways: [false] },
  ],
  [
    '%2Frun%2Fpostgresql:6432/books',
    { ...at('/run/postgresql/.s.PGSQL.6432', '/run/postgresql', 6432), ways: [false] },
  ],
]

for (const [written, expected] of ADDRESSES) {
  test(`database URL …@${written}: its servers and their settings`, () => {
    const addresses = addressesOf(`postgres://ada:p%40ss@${written}`)
    const plain = addresses.map(one => ({
      ...one,
      ways: one.ways.map(way => way && { ...way }),
    }))
    assert.deepEqual(plain, [expected].flat())
  })
}

/** The ways to connect: a text names what a way checks. */
const WAYS: readonly (readonly [query: string, ways: readonly string[]])[] = [
  ['', ['tls', 'plain']],
  ['sslmode=disable', ['plain']],
  ['sslmode=allow', ['plain', 'tls']],
  ['sslmode=prefer', ['tls', 'plain']],
  ['sslmode=require', ['tls']],
  ['sslmode=verify-full', ['tls, chain, name']],
  [`sslmode=require&sslrootcert=${ca}`, ['tls, own root, chain']],
  [`sslmode=prefer&sslrootcert=${ca}`, ['tls, own root, chain', 'plain']],
  [`sslmode=verify-ca&sslrootcert=${ca}`, ['tls, own root, chain']],
  [`sslmode=verify-full&sslrootcert=${ca}`, ['tls, own root, chain, name']],
  ['sslmode=verify-full&sslrootcert=system', ['tls, chain, name']],
  ['sslrootcert=system', ['tls, chain, name']],
  [`sslrootcert=${ca}`, ['tls, own root, chain']],
  [`sslmode=require&sslcert=${cert}&sslkey=${key}`, ['tls, own certificate']],
]

for (const [query, expected] of WAYS) {
  test(`database URL ?${query.replaceAll(folder, '…')}, remote server: ${expected.join('; then ')}`, () => {
    const [{ ways }] = addressesOf(`postgres://ada@db.example/books?${query}`)
    const words = ways.map(way => {
      if (way === false) return 'plain'
      const parts = [
        'tls',
        way.ca === 'ca.pem' && 'own root',
        way.cert === 'cert.pem' && way.key === 'key.pem' && 'own certificate',
        way.rejectUnauthorized !== false && 'chain',
        way.rejectUnauthorized !== false && way.checkServerIdentity === undefined && 'name',
      ]
      return parts.filter(Boolean).join(', ')
    })
    assert.deepEqual(words, expected)
  })
}

const REFUSED: readonly (readonly [written: string, names: RegExp])[] = [
  [
    'db.example/books?sslmode=verify_full',
    /^sslmode=verify_full .* use disable, .* or verify-full/,
  ],
  ['db.example/books?sslmode=', /^sslmode= /],
  ['db.example/books?sslmode=verify-ca', /^sslmode=verify-ca .* needs sslrootcert=/],
  ['db.example/books?sslmode=require&sslrootcert=system', /^sslrootcert=system .*verify-full/],
  ['db.example/books?sslmode=require&sslrootcert=/nowhere', /sslrootcert .*\/nowhere.*ENOENT/],
  ['db.example/books?sslmode=require&sslcert=/nowhere', /^sslcert and sslkey .* go together/],
  ['u:12/secret@db.example/books', /^DATABASE_URL cannot be read: (?!.*secret)/],
  ['u:12?secret@db.example/books', /^DATABASE_URL cannot be read: (?!.*secret)/],
  ['db.example/books?ssl=true', /parameter ssl, which is not known here: use host, sslmode, /],
  ['db.example/books?search_path=x', /parameter search_path/],
  ['db.example/books?sslmode=require&sslmode=disable', /sslmode twice/],
  ['db.example/books?target_session_attrs=standby', /^target_session_attrs=standby .* primary/],
  ['db.example/books?channel_binding=yes', /^channel_binding=yes/],
  ['db.example/books?connect_timeout=soon', /^connect_timeout .* integer from 0 to 600/],
  ['db.example/books?keepalives=2', /^keepalives .* from 0 to 1/],
  ['%zz@db/b', /% that begins no escape/],
  ['localhost/books?host=db.example', /^host .* no folder/],
]

for (const [written, names] of REFUSED) {
  test(`database URL …@${written}: refused in a sentence that names the part`, () => {
    assert.throws(
      () => addressesOf(`postgres://ada@${written}`),
      error => error instanceof DatabaseProblem && names.test(error.message),
    )
  })
}

for (const text of [
  'nonsense',
  'mysql://db.example/books',
  'postgres://db.example:0/books',
  'postgres://db.example:65536/books',
  'postgres://db.example:port/books',
  'postgres://ada:p#ss@db.example/books',
  'postgres://ada:p/ss@db.example/books',
  'postgres://a:1,b:two/books',
]) {
  test(`text ${text}: no database URL`, () => {
    assert.equal(isDatabaseUrl(text), false)
    assert.throws(() => addressesOf(text), DatabaseProblem)
  })
}

test('database URL, described: servers and database, no user and no password', () => {
  assert.equal(describeUrl('postgres://ada:secret@a:1,b/books?sslmode=require'), 'a:1,b/books')
  assert.equal(describeUrl('postgres://ada@x/b?host=/run'), '/run/.s.PGSQL.5432/b')
})

test('database URL at another server: the same log-in, database and parameters, by TCP', () => {
  const url = 'postgres://ada:p%40ss@a:1,b/books?host=/run&sslmode=require'
  assert.equal(urlAt(url, 'w:5'), 'postgres://ada:p%40ss@w:5/books?sslmode=require')
  assert.equal(urlAt('postgres://a/b', 'w:5'), 'postgres://w:5/b')
})
