import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryBudget } from './body.ts'
import { oversizedParts } from './sizes.ts'

const Item = {
  type: 'object',
  properties: { name: { type: 'string', maxLength: 10 } },
  additionalProperties: false,
}
const Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 10 },
    file: { type: 'string', maxLength: 10_000 },
    list: { type: 'array', maxItems: 3, items: Item },
    words: { type: 'object', maxProperties: 2, additionalProperties: { type: 'string' } },
  },
  additionalProperties: false,
}
const names = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]))
const long = 'x'.repeat(8_193)

/** Values, with the problems of each: path and message. None: the validator may see the value. */
const ROWS: readonly (readonly [what: string, value: unknown, remarks: readonly string[]])[] = [
  ['nothing', {}, []],
  ['a text slightly too long', { name: 'x'.repeat(8_192) }, []],
  ['a text much too long', { name: long }, ['name']],
  ['a whole file, where the schema has room for it', { file: 'x'.repeat(10_000) }, []],
  ['a file one character too long', { file: 'x'.repeat(10_001) }, ['file']],
  ['a long text in place of a list', { list: long }, ['list']],
  ['the maximum number of items', { list: [{}, {}, {}] }, []],
  ['one item too many', { list: [{}, {}, {}, {}] }, ['list']],
  ['a long text in an item', { list: [{}, { name: long }] }, ['list[1].name']],
  ['a long text in any member', { words: { a: long } }, ['words.a']],
  ['the maximum number of members', { words: { a: 'a', b: 'b' } }, []],
  ['one member too many', { words: { a: 'a', b: 'b', c: 'c' } }, ['words']],
  ['100 unknown members', names(100), []],
  [
    '100 unknown members beside too many items',
    { ...names(2), list: [1, 2, 3, 4] },
    ['k0', 'k1', 'list'],
  ],
  ['a list in place of an object', [1, 2, 3], []],
  ['null', null, []],
  ['names that every object has', { constructor: 1, toString: 1 }, []],
]
for (const [what, value, remarks] of ROWS) {
  test(`oversizedParts, ${what}: ${remarks.join(', ') || 'no remark'}`, () => {
    assert.deepEqual(
      oversizedParts(Schema, value).map(problem => problem.remarks),
      remarks,
    )
  })
}

test('oversizedParts, 101 unknown members in one or several objects: the first 100 named', () => {
  const value = { ...names(60), list: [names(30), names(30)] }
  const found = oversizedParts(Schema, value, 'payouts[7]')
  assert.equal(found.length, 100)
  assert.equal(found[0]?.message, 'payouts[7].k0 is not a field of this request.')
  assert.equal(found[99]?.remarks, 'payouts[7].list[1].k9')
})

test('MemoryBudget: bounds reservations in total and per request; released bytes can be reserved again', () => {
  const budget = new MemoryBudget({ all: 10, each: 6 })
  const [a, b, c] = [budget.open('x'), budget.open('x'), budget.open('y')]
  assert.equal(a.grow(4), true)
  assert.equal(b.grow(3), false)
  assert.equal(b.grow(2), true)
  assert.equal(c.grow(5), false)
  assert.equal(c.grow(4), true)
  assert.equal(budget.wouldFit('z', 1), false)
  a.release()
  a.release()
  assert.equal(budget.wouldFit('z', 4), true)
  assert.equal(budget.wouldFit('z', 5), false)
  assert.equal(c.grow(6), true)
  assert.equal(c.grow(7), false)
})
