// The rules of idempotency keys (§idempotency.key): how long an answer is kept, and the answer to a
// repeat.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOW, refusalOf } from '../../../test/support/given/in-memory.ts'
import type { KeptReply } from './kept-reply.ts'
import { isKept, KEPT_HOURS, keptName, replay } from './rules.ts'

const claim = { operation: 'POST /v3/payout', key: 'k', request_hash: 'a'.repeat(64) }
const kept: KeptReply = {
  ...claim,
  account_id: 'acc_1',
  status: 200,
  body: '{"id":1}',
  headers: null,
  created_at: NOW,
}

test('isKept, idempotency key: kept for 24 hours exactly, to the microsecond', () => {
  assert.equal(KEPT_HOURS, 24)
  assert.ok(isKept(kept, NOW))
  assert.ok(isKept(kept, '2026-02-01T09:30:00.123455Z'))
  assert.ok(!isKept(kept, '2026-02-01T09:30:00.123456Z'))
})

test('keptName, idempotency key: account, operation and key, one a line', () => {
  assert.equal(keptName(kept), 'acc_1\nPOST /v3/payout\nk')
})

test('replay, same request: the stored answer with replayed: true', () => {
  assert.deepEqual(replay(kept, claim), { status: 200, body: '{"id":1}', replayed: true })
})

test('replay, another body: refused, the message says to use a new key', () => {
  assert.deepEqual(
    refusalOf(() => replay(kept, { ...claim, request_hash: 'b'.repeat(64) })),
    [
      'idempotency_key_reused at Idempotency-Key: ' +
        'This Idempotency-Key was used with another body; send a new key for a new request.',
    ],
  )
})
