// Idempotency keys as pure functions (§idempotency.key): how long a key is kept, which requests are
// the same, and what a repeat is answered.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { NOW, refusalOf } from '../../test/support/in-memory.ts'
import type { ReadReply } from './kept-reply.ts'
import { hashRequest, isKept, KEPT_HOURS, keptName, replay } from './rules.ts'

const claim = { operation: 'POST /v3/payout', key: 'k', request_hash: 'a'.repeat(64) }
const kept: ReadReply = {
  ...claim,
  account_id: 'acc_1',
  status: 200,
  body: '{"id":1}',
  object_id: '',
  state: null,
  created_at: NOW,
}

test('isKept: 24 hours to the microsecond, the last one excluded', () => {
  assert.equal(KEPT_HOURS, 24)
  assert.ok(isKept(kept, NOW))
  assert.ok(isKept(kept, '2026-02-01T09:30:00.123455Z'))
  assert.ok(!isKept(kept, '2026-02-01T09:30:00.123456Z'))
})

test('keptName: account, operation and key, each on a line of its own', () => {
  assert.equal(keptName(kept), 'acc_1\nPOST /v3/payout\nk')
})

test('replay, the same request: the stored answer, marked', () => {
  assert.deepEqual(replay(kept, claim), { status: 200, body: '{"id":1}', replayed: true })
})

test('replay, another body: refused, a new key is asked for', () => {
  assert.deepEqual(
    refusalOf(() => replay(kept, { ...claim, request_hash: 'b'.repeat(64) })),
    [
      'idempotency_key_reused at Idempotency-Key: ' +
        'This Idempotency-Key was used with another body; send a new key for a new request.',
    ],
  )
})

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
  test(`hashRequest, ${JSON.stringify(body)}: SHA-256 of ${text}`, () => {
    assert.equal(hashRequest(body), createHash('sha256').update(text).digest('hex'))
  })
}

test('hashRequest, any two bodies: equal exactly when they say the same, whatever the order', () => {
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned)
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).toReversed()
    return Object.fromEntries(members.map(([name, member]) => [name, turned(member)]))
  }
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      assert.equal(hashRequest(turned(one)), hashRequest(one))
      assert.notEqual(hashRequest([one, other]), hashRequest([one]))
      assert.notEqual(hashRequest({ a: one }), hashRequest({ b: one }))
    }),
  )
})
