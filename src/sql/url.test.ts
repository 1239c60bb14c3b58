import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseProblem } from './failure.ts'
import { addressOf } from './url.ts'

const PLAIN = {
  host: 'db.example',
  port: 5432,
  user: 'ada',
  password: 'p@ss',
  database: 'books',
  ssl: false,
  sslnegotiation: 'postgres',
  options: undefined,
}

for (const [url, expected] of [
  ['postgres://ada:p%40ss@db.example/books', PLAIN],
  ['postgres://ada:p%40ss@db.example:6432/books', { ...PLAIN, port: 6432 }],
  ['postgres://ada:p%40ss@[::1]/books', { ...PLAIN, host: '::1' }],
  ['postgres://ada:p%40ss@db.example/books?sslmode=disable', PLAIN],
  [
    'postgres://ada:p%40ss@db.example/books?sslmode=require',
    { ...PLAIN, ssl: { rejectUnauthorized: false } },
  ],
  ['postgres://ada:p%40ss@db.example/books?sslmode=verify-full', { ...PLAIN, ssl: {} }],
  [
    'postgres://ada:p%40ss@db.example/books?host=/run/postgresql&sslmode=require',
    { ...PLAIN, host: '/run/postgresql' },
  ],
  [
    'postgres://ada:p%40ss@db.example/books?options=-c%20search_path=b',
    { ...PLAIN, options: '-c search_path=b' },
  ],
] as const) {
  test(`database URL ${url}: its address and use of TLS`, () => {
    assert.deepEqual(addressOf(url), expected)
  })
}

for (const mode of ['prefer', 'verify_full', 'required', '']) {
  test(`database URL, sslmode=${mode}: refused`, () => {
    const url = `postgres://ada@db.example/books?sslmode=${mode}`
    assert.throws(() => addressOf(url), DatabaseProblem)
  })
}

for (const wrong of [
  'ada@db.example/books?ssl=true',
  'ada@db.example/b?search_path=x',
  'a:%zz@db/b',
  'ada@localhost/books?host=db.example',
]) {
  test(`database URL postgres://${wrong}: refused`, () => {
    assert.throws(() => addressOf(`postgres://${wrong}`), DatabaseProblem)
  })
}
