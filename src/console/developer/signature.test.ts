// Why the signature of a webhook is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhookHeaders } from '../../webhooks/sign.ts'
import { checkSignature, sameBytes } from './webhooks.ts'

test('explainSignature, refused signature: names a wrong secret, the clock, missing headers or the first differing byte', () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
  const other = `whsec_${Buffer.alloc(24, 8).toString('base64')}`
  const body = '{"id":"evt_1"}'
  const headers = new Map(Object.entries(webhookHeaders([secret], 'evt_1', 1_000, body)))
  const at = (now_s: number, got = {}) =>
    checkSignature({ headers, body, secret, ...got }, now_s * 1000).map(({ good }) => good)
  assert.deepEqual(at(1_000), [true, true])
  assert.deepEqual(at(1_301), [false, true])
  assert.deepEqual(at(600), [false, true])
  assert.deepEqual(at(1_000, { secret: other }), [true, false])
  assert.deepEqual(at(1_000, { body: '{"id": "evt_1"}' }), [true, false])
  assert.deepEqual(at(1_000, { secret: 'mine' }), [true, false])
  assert.deepEqual(at(1_000, { headers: new Map() }), [false])
  assert.match(sameBytes(body, '{"id": "evt_1"}').text, /at byte 7: signed was "\\"evt_1/)
  assert.equal(sameBytes(body, body).good, true)
})
