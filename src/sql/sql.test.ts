import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTag, type Rows, type Sent } from './sql.ts'
import type { Parameter } from './values.ts'

const sent: Sent[] = []
const sql = makeTag(async statement => {
  sent.push(statement.written())
  return [] as unknown as Rows
})

/** Each statement, with the text and parameters that are sent. */
const WRITTEN: readonly (readonly [
  what: string,
  statement: PromiseLike<unknown>,
  text: string,
  parameters: readonly (string | null)[],
  prepare?: false,
])[] = [
  ['no value', sql`select 1`, 'select 1', []],
  ['texts', sql`select ${'a'}, ${"it's"}`, 'select $1, $2', ['a', "it's"]],
  ['a bigint', sql`select ${10n ** 18n}`, 'select $1::bigint', ['1000000000000000000']],
  ['a bigint with a type', sql`select ${1n}::text`, 'select $1::text', ['1']],
  ['a boolean', sql`select ${true}`, 'select $1::boolean', ['true']],
  ['a number', sql`select ${7}::integer`, 'select $1::integer', ['7']],
  ['null', sql`select ${null}`, 'select $1', [null]],
  ['bytes', sql`select ${Buffer.of(0, 255)}`, 'select $1::bytea', ['\\x00ff']],
  ['texts of an array', sql`select ${['a"b', 'c\\d', '']}`, 'select $1', ['{"a\\"b","c\\\\d",""}']],
  ['an empty array', sql`select ${[]}`, 'select $1', ['{}']],
  ['a name', sql`select ${sql('a"b')}`, 'select "a""b"', []],
  ['a name within another', sql`select ${sql('t.a')}`, 'select "t"."a"', []],
  ['names', sql`select ${sql(['a', 'b'])}`, 'select "a","b"', []],
  [
    'members of a row',
    sql`insert into t ${sql({ a: 'x', b: 1n, c: null }, ['b', 'c'])}`,
    'insert into t ("b","c")values($1::bigint,$2)',
    ['1', null],
  ],
  [
    'fragments',
    sql`select ${1n} ${sql`and ${sql('a')} = ${'x'} ${sql``}`} or ${'y'}`,
    'select $1::bigint and "a" = $2  or $3',
    ['1', 'x', 'y'],
  ],
  ['text within', sql`select ${sql.unsafe('a.b')} = ${'x'}`, 'select a.b = $1', ['x']],
  ['text', sql.unsafe('select $1::text', ['x']), 'select $1::text', ['x'], false],
  ['unprepared', sql`select ${'x'}`.unprepared(), 'select $1', ['x'], false],
]

for (const [what, statement, text, parameters, prepare = true] of WRITTEN) {
  test(`sql tag, ${what}: its text and parameters`, async () => {
    sent.length = 0
    await statement
    assert.deepEqual(sent, [{ text, parameters, prepare }])
  })
}

test('sql statement: sent once, when awaited', async () => {
  sent.length = 0
  const statement = sql`select 1`
  await Promise.resolve()
  assert.equal(sent.length, 0)
  const answers = await Promise.all([statement, statement.execute(), statement.then(rows => rows)])
  assert.deepEqual([sent.length, new Set(answers).size], [1, 1])
})

for (const value of [undefined, Symbol('s'), {}, [1], [null], [undefined]]) {
  test(`sql tag, parameter ${typeof value} ${JSON.stringify(value)}: rejects, nothing sent`, async () => {
    sent.length = 0
    await assert.rejects(async () => await sql`select ${value as Parameter}`, TypeError)
    assert.equal(sent.length, 0)
  })
}

test('sql tag, more parameters than the protocol allows: rejects, nothing sent', async () => {
  sent.length = 0
  const values = Array.from({ length: 65_536 }, () => 1)
  await assert.rejects(async () => await sql.unsafe('select $1', values), /too many parameters/)
  assert.equal(sent.length, 0)
})

test('sql statement that fails: the stack names its place in the source', async () => {
  const failing = makeTag(() => Promise.reject(new Error('no')))
  const error = await failing`select 1`.catch(error => error)
  assert.match(error.stack, /^Error: no\n[\s\S]*sql\/sql\.test\.ts:\d+/)
})

test('sql tag, more different texts than it keeps: each statement has its own text', async () => {
  const names = Array.from({ length: 50 }, (_, i) => 'x'.repeat(500_000) + i)
  for (const name of [...names, ...names]) {
    sent.length = 0
    await sql`select ${sql.unsafe(name)}, ${'a'}`
    assert.equal(sent[0]?.text === `select ${name}, $1`, true)
  }
})
