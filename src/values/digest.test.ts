// Hashes of JSON values: the same for the same value, in any order of its members.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashJson } from './digest.ts'

const CANONICAL: readonly (readonly [body: unknown, text: string])[] = [
  [{}, '{}'],
  [[], '[]'],
  [null, 'null'],
  [undefined, 'null'],
  ['a"b', '"a\\"b"'],
  [1.5, '1.5'],
  [true, 'true'],
  [{ b: 1, a: [2, { d: null, c: 'x' }] }, '{"a":[2,{"c":"x","d":null}],"b":1}'],
  [[[], [1, 2], 3], '[[],[1,2],3]'],
  [{ 'a"': { '': 0 } }, '{"a\\"":{"":0}}'],
]

for (const [body, text] of CANONICAL) {
  test(`hashJson, ${JSON.stringify(body)}: SHA-256 of ${text}`, () => {
    assert.equal(hashJson(body), createHash('sha256').update(text).digest('hex'))
  })
}

test('hashJson, random bodies: equal exactly for equal values, in any order of members', () => {
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned)
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).toReversed()
    return Object.fromEntries(members.map(([name, member]) => [name, turned(member)]))
  }
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      assert.equal(hashJson(turned(one)), hashJson(one))
      assert.notEqual(hashJson([one, other]), hashJson([one]))
      assert.notEqual(hashJson({ a: one }), hashJson({ b: one }))
    }),
  )
})
