import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createDatabase, type TestDatabase } from '../../test/support/database/database.ts'
import type { Parameter } from './values.ts'

let database: TestDatabase
before(async () => {
  database = await createDatabase({ empty: true })
})
after(() => database.drop())

/** Values of each type, which PostgreSQL must return unchanged. */
const READ: readonly (readonly [type: string, value: Parameter, read: unknown])[] = [
  ['text', 'a\n\t\\ " \' {} \u{1f600}', 'a\n\t\\ " \' {} \u{1f600}'],
  ['text', '', ''],
  ['text', null, null],
  ['bigint', 9223372036854775807n, 9223372036854775807n],
  ['bigint', -9223372036854775808n, -9223372036854775808n],
  ['integer', -2147483648, -2147483648],
  ['smallint', 32767, 32767],
  ['double precision', 0.1, 0.1],
  ['numeric', '0.10000000000000000000001', '0.10000000000000000000001'],
  ['boolean', false, false],
  ['bytea', Buffer.of(0, 1, 255), Buffer.of(0, 1, 255)],
  ['timestamptz', '2026-11-28T00:00:00.000001Z', '2026-11-28T00:00:00.000001Z'],
  ['timestamptz', new Date('2026-11-28T00:00:00.5Z'), '2026-11-28T00:00:00.500000Z'],
  ['json', '{"a": [1, null]}', { a: [1, null] }],
  ['jsonb', '{"a": [1, null]}', { a: [1, null] }],
  [
    'text[]',
    ['a', '', 'NULL', 'b"c', '\\', '{,}', ' x '],
    ['a', '', 'NULL', 'b"c', '\\', '{,}', ' x '],
  ],
  ['text[]', [], []],
]

for (const [type, value, read] of READ) {
  test(`parameter ${type} ${typeof value === 'string' ? JSON.stringify(value) : String(value)}: read back unchanged`, async () => {
    const { owner } = database
    const [row] = await owner`select ${value}::${owner.unsafe(type)} as value`
    assert.deepEqual(row?.value, read)
  })
}

test('parameter of random text, alone and in arrays: read back unchanged', async () => {
  const { owner } = database
  const seed = randomInt(2 ** 31)
  let state = seed
  const next = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state % below
  }
  const make = () =>
    Array.from({ length: next(12) }, () => '\\"\'{}, \nNULL$1éあ'.at(next(16)) ?? 'x').join('')
  for (let round = 0; round < 200; round++) {
    const texts = Array.from({ length: 1 + next(4) }, make)
    const [row] = await owner`select ${texts[0] ?? ''}::text as one, ${texts}::text[] as all`
    assert.deepEqual({ ...row }, { one: texts[0], all: texts }, `seed ${seed}`)
  }
})

test('parameter text with NUL, which PostgreSQL cannot store: rejects, connection usable', async () => {
  const { owner } = database
  await assert.rejects(async () => await owner`select ${'a\0b'}::text`, { code: '22021' })
  const [row] = await owner`select 1 as one`
  assert.equal(row?.one, 1)
})
