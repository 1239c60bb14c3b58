// Variables that look like ours, and secrets from files.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from './config.ts'
import { SETTINGS } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'corridor-variables-'))
after(() => rmSync(folder, { recursive: true }))
const file = (text: string | Buffer) => {
  const path = join(folder, `secret ${Math.random()}`)
  writeFileSync(path, text)
  return path
}

const LOOK_ALIKES: readonly (readonly [name: string, hint: RegExp])[] = [
  ['DATABASE_URI', /did you mean DATABASE_URL\?$/],
  ['DATABASE_HOST', /did you mean DATABASE_URL\?$/],
  ['DATABASE_URL_FIEL', /did you mean DATABASE_URL_FILE\?$/],
  ['DATABASE_REPLICA_CONNECTION_STRING', /did you mean DATABASE_URL\?$/],
  ['database_url', /did you mean DATABASE_URL\?$/],
  ['Corridor_Data', /did you mean CORRIDOR_DATA\?$/],
  ['CORRIDOR_PORT', /did you mean PORT\?$/],
  ['CORRIDOR_SMTP_URL_FLIE', /did you mean CORRIDOR_SMTP_URL_FILE\?$/],
  ['CORRIDOR_LANES_FILE', /is unknown; CORRIDOR_LANES holds no secret$/],
]

for (const [name, hint] of LOOK_ALIKES) {
  test(`variable ${name}: refused with the near name, with and without DATABASE_URL`, () => {
    for (const DATABASE_URL of ['', 'postgres://db/books']) {
      const env = { DATABASE_URL, [name]: '8080' }
      assert.throws(() => readConfig(env), { name: 'ConfigError', message: hint })
    }
  })
}

for (const name of [
  'PGHOST',
  'PGHOSTADDR',
  'PGDATABASE',
  'PGSERVICE',
  'PG_URL',
  'POSTGRES_URL',
  'POSTGRES_HOST',
  'POSTGRES_PRISMA_URL',
  'POSTGRES_URL_FILE',
  'POSTGRESQL_DSN',
]) {
  test(`variable ${name}, no database chosen: refused; a database or a folder chosen: ignored`, () => {
    const message = new RegExp(`^${name} is not read: set DATABASE_URL .* or CORRIDOR_DATA`)
    assert.throws(() => readConfig({ [name]: 'db' }), { name: 'ConfigError', message })
    const url = 'postgres://db/books'
    assert.equal(readConfig({ [name]: 'db', DATABASE_URL: url }).database_url, url)
    const by_file = { [name]: 'db', DATABASE_URL_FILE: file(url) }
    assert.equal(readConfig(by_file).database_url, url)
    assert.equal(readConfig({ [name]: 'db', CORRIDOR_DATA: './data' }).database_url, undefined)
    assert.equal(readConfig({ [name]: '' }).database_url, undefined)
  })
}

test('variables of the machine, of a container and of Kubernetes: ignored', () => {
  const ordinary = {
    ...{ PGPASSWORD: 'x', PGUSER: 'x', PGPORT: '1', PGDATA: '/x', PG_COLOR: 'auto' },
    ...{ PGSSLMODE: 'require', POSTGRES_PASSWORD: 'x', POSTGRES_USER: 'x', POSTGRES_DB: 'x' },
    ...{ CORRIDOR_SERVICE_HOST: '10.0.0.1', CORRIDOR_SERVICE_PORT_HTTP: '80' },
    ...{ CORRIDOR_PORT: 'tcp://10.0.0.1:80', CORRIDOR_PORT_80_TCP_ADDR: '10.0.0.1' },
    ...{ POSTGRES_SERVICE_HOST: '10.0.0.2', POSTGRES_PORT_5432_TCP_ADDR: '10.0.0.2' },
  }
  assert.equal(readConfig(ordinary).port, 8080)
})

/** A right value of each setting that may hold a secret, and what else it needs. */
const SECRETS: Readonly<Record<string, readonly [string, Record<string, string>?]>> = {
  DATABASE_URL: ['postgres://ada:hush@db/books'],
  CORRIDOR_RATE_FEED_URL: ['https://rates.example/hush.xml'],
  CORRIDOR_SMTP_URL: [
    'smtps://ada:hush@mail.example:465',
    { CORRIDOR_NOTIFY_FROM: 'a@b.example', CORRIDOR_NOTIFY_TO: 'c@d.example' },
  ],
  CORRIDOR_NOTIFY_WEBHOOK_URL: ['https://hooks.example/hush'],
  CORRIDOR_OIDC_SECRET: [
    'hush',
    {
      CORRIDOR_OIDC_ISSUER: 'https://login.example',
      CORRIDOR_OIDC_CLIENT_ID: 'corridor',
      CORRIDOR_OIDC_ROLES: 'ops=operator',
    },
  ],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['http://ada:hush@collector:4318'],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ['http://ada:hush@collector:4318/v1/traces'],
}

test('settings that may hold a secret: each is in the table of this test', () => {
  const marked = SETTINGS.flatMap(one => ('secret' in one ? [one.name] : []))
  assert.deepEqual(Object.keys(SECRETS).sort(), [...marked].sort())
})

for (const [name, [value, more = {}]] of Object.entries(SECRETS)) {
  const by_file = `${name}_FILE`
  test(`${by_file}: read as ${name}; both, a missing, an empty and a large file: refused, nothing repeated`, () => {
    assert.deepEqual(
      JSON.stringify(readConfig({ ...more, [by_file]: file(`${value}\n`) })),
      JSON.stringify(readConfig({ ...more, [name]: value })),
    )
    const both = { ...more, [by_file]: file(value), [name]: value }
    assert.throws(() => readConfig(both), /are both set: unset one of them$/)
    const wrong = [
      '/nowhere',
      folder,
      '/dev/zero',
      ...['', ' \n', 'hush\nhush', Buffer.from('hush\0'), 'hush'.repeat(20_000)].map(file),
    ]
    for (const path of wrong) {
      assert.throws(
        () => readConfig({ ...more, [by_file]: path }),
        ({ message }: Error) => message.startsWith(by_file) && !message.includes('hush'),
      )
    }
  })
}

test('CORRIDOR_OPS_PORT: off by default; the same as PORT, and a host without it: refused', () => {
  assert.equal(readConfig({}).ops_port, undefined)
  const config = readConfig({ CORRIDOR_OPS_PORT: '9090', HOST: '0.0.0.0' })
  assert.deepEqual([config.ops_port, config.ops_host], [9090, '0.0.0.0'])
  const own = readConfig({ CORRIDOR_OPS_PORT: '9090', CORRIDOR_OPS_HOST: '127.0.0.1', HOST: '::' })
  assert.equal(own.ops_host, '127.0.0.1')
  assert.throws(() => readConfig({ CORRIDOR_OPS_PORT: '8080' }), /must be another port than PORT$/)
  assert.throws(
    () => readConfig({ CORRIDOR_OPS_PORT: 'x' }),
    /CORRIDOR_OPS_PORT must be an integer/,
  )
  assert.throws(
    () => readConfig({ CORRIDOR_OPS_HOST: '::1' }),
    /needs CORRIDOR_OPS_PORT: set both$/,
  )
})

for (const name of ['DATABASE_URL', 'DATABASE_URL_FILE']) {
  test(`${name} set and empty, no folder chosen: refused, as the embedded database was not meant`, () => {
    const message = new RegExp(`^${name} is set and empty`)
    assert.throws(() => readConfig({ [name]: '' }), { name: 'ConfigError', message })
    const chosen = { [name]: '', CORRIDOR_DATA: './data' }
    assert.equal(readConfig(chosen).database_url, undefined)
  })
}

test('CORRIDOR_DEFAULT_DATA off, no database chosen: refused; a database or a folder chosen: read', () => {
  const CORRIDOR_DEFAULT_DATA = 'off'
  for (const none of [{}, { DATABASE_URL: '', CORRIDOR_DATA: '' }]) {
    const message = /^no database is chosen: set DATABASE_URL .* or CORRIDOR_DATA /
    assert.throws(() => readConfig({ CORRIDOR_DEFAULT_DATA, ...none }), { message })
  }
  const url = 'postgres://db/books'
  const read = (env: object) => readConfig({ CORRIDOR_DEFAULT_DATA, ...env })
  assert.equal(read({ DATABASE_URL: url }).database_url, url)
  assert.equal(read({ DATABASE_URL_FILE: file(url) }).database_url, url)
  assert.equal(read({ CORRIDOR_DATA: '/data' }).data_dir, '/data')
  assert.throws(() => readConfig({ CORRIDOR_DEFAULT_DATA: 'no' }), /must be one of on, off/)
})
