// Our builder of schemas against typebox: both make the same JSON, member by member.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Typebox from 'typebox'
import { Type } from './type.ts'

type Builder = typeof Type

const OPTIONS = { title: 'A title', description: 'Words', examples: ['x'], 'x-reason': 'currency' }

const SCHEMAS: Readonly<Record<string, (type: Builder) => object>> = {
  'a text': type => type.String(),
  'a text with options': type => type.String({ ...OPTIONS, pattern: '^a+$', minLength: 1 }),
  numbers: type => type.Union([type.Integer({ minimum: 1 }), type.Number(OPTIONS)]),
  'an array': type => type.Array(type.String(OPTIONS), { minItems: 1, maxItems: 2 }),
  literals: type => type.Union([type.Literal('a'), type.Literal(1), type.Literal(true)], OPTIONS),
  'a literal with options': type => type.Literal('a', OPTIONS),
  'null, boolean, anything': type =>
    type.Union([type.Null(), type.Boolean(OPTIONS), type.Unknown(OPTIONS), type.Unknown()]),
  'an object without members': type => type.Object({}),
  'an object of required members': type =>
    type.Object(
      { b: type.String(), a: type.Integer() },
      { ...OPTIONS, additionalProperties: false },
    ),
  'an object with some optional members': type =>
    type.Object({ a: type.Optional(type.String(OPTIONS)), b: type.Null() }),
  'an object with all members optional': type =>
    type.Object({ a: type.Optional(type.Array(type.String())) }),
  'one schema, optional here and required there': type => {
    const text = type.String(OPTIONS)
    return type.Object({ a: text, b: type.Optional(text), c: type.Object({ d: text }) })
  },
  'an optional copied by its members: required again': type =>
    type.Object({ a: { ...type.Optional(type.String()) } }),
  'texts by any name': type => type.Record(type.String(), type.String(), OPTIONS),
  'a raw schema': type => type.Unsafe({ type: ['string', 'null'], ...OPTIONS }),
  'a raw schema, optional': type =>
    type.Object({ a: type.Optional(type.Unsafe({ enum: ['a', 'b'] })), b: type.Unsafe({}) }),
  'an optional raw schema: still optional': type =>
    type.Object({ a: type.Unsafe(type.Optional(type.String())) }),
}

for (const [name, build] of Object.entries(SCHEMAS)) {
  test(`schema of ${name}: equal to the schema that typebox makes`, () => {
    assert.equal(JSON.stringify(build(Type)), JSON.stringify(build(Typebox)))
  })
}

test('Type.Optional: leaves the original schema required', () => {
  const text = Type.String()
  Type.Optional(text)
  assert.deepEqual(JSON.parse(JSON.stringify(Type.Object({ text }))).required, ['text'])
})
