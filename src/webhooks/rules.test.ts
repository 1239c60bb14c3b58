import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AttemptResult,
  afterAttempt,
  matches,
  RETRY_DELAYS_S,
  secretsOf,
  wants,
} from './rules.ts'
import { EVENT_TYPES } from './webhook.ts'

const answered = (status_code: number, retry_after_s: number | null = null): AttemptResult => ({
  status_code,
  retry_after_s,
})
const SILENT: AttemptResult = { status_code: null, retry_after_s: null }

test('afterAttempt, only failures: eleven attempts over 24 hours, then dead', () => {
  assert.equal(
    RETRY_DELAYS_S.reduce((sum, delay) => sum + delay, 0),
    86_400,
  )
  for (const result of [SILENT, answered(500), answered(302), answered(404), answered(199)]) {
    for (const [i, delay] of RETRY_DELAYS_S.entries()) {
      const expected = { status: 'pending', retry_in_ms: delay * 1000, disables: false }
      assert.deepEqual(afterAttempt(i + 1, result, 0.5), expected)
    }
    assert.deepEqual(afterAttempt(11, result, 0.5), { status: 'dead', disables: false })
    assert.deepEqual(afterAttempt(40, result, 0.5), { status: 'dead', disables: false })
  }
})

test('afterAttempt, random part of the delay: at most a tenth of the delay', () => {
  const at = (chance: number) => afterAttempt(1, SILENT, chance)
  assert.deepEqual(at(0), { status: 'pending', retry_in_ms: 4_500, disables: false })
  assert.deepEqual(at(1), { status: 'pending', retry_in_ms: 5_500, disables: false })
})

test('afterAttempt, 2xx at any attempt: succeeded', () => {
  for (const status_code of [200, 204, 299]) {
    for (const attempts of [1, 11]) {
      const after = afterAttempt(attempts, answered(status_code, 60), 0.5)
      assert.deepEqual(after, { status: 'succeeded', disables: false })
    }
  }
})

test('afterAttempt, Retry-After on 429 or 503: obeyed if later than the planned time, at most a day', () => {
  const cases: readonly (readonly [AttemptResult, number])[] = [
    [answered(429, 60), 60_000],
    [answered(503, 60), 60_000],
    [answered(503, 1), 5_000],
    [answered(503, 0), 5_000],
    [answered(429, 1_000_000), 86_400_000],
    [answered(500, 60), 5_000],
    [answered(301, 60), 5_000],
  ]
  for (const [result, retry_in_ms] of cases) {
    const expected = { status: 'pending', retry_in_ms, disables: false }
    assert.deepEqual(afterAttempt(1, result, 0.5), expected)
  }
  assert.deepEqual(afterAttempt(11, answered(503, 60), 0.5), { status: 'dead', disables: false })
})

test('afterAttempt, 410: endpoint disabled, delivery kept', () => {
  const after = afterAttempt(1, answered(410), 0.5)
  assert.deepEqual(after, { status: 'pending', retry_in_ms: 5_000, disables: true })
  assert.deepEqual(afterAttempt(11, answered(410), 0.5), { status: 'dead', disables: true })
})

test('wants, endpoint subscribed to all events, a type or a kind: these events only; test event: only its own endpoint', () => {
  const id = 'whe_1'
  const paid = { type: 'payout.succeeded', object_id: 'pot_1' }
  const cases: readonly (readonly [types: string[], wanted: boolean])[] = [
    [[], true],
    [['payout.*'], true],
    [['payout.succeeded'], true],
    [['entity.*', 'payout.succeeded'], true],
    [['payout.failed'], false],
    [['payout_quote.*'], false],
    [['payout'], false],
  ]
  for (const [event_types, wanted] of cases) {
    assert.equal(wants({ id, event_types }, paid), wanted, event_types.join())
  }
  assert.equal(matches(['payout.*'], 'payout_quote.created'), false)
  const own = { type: 'webhook_endpoint.test', object_id: id }
  assert.equal(wants({ id, event_types: ['payout.failed'] }, own), true)
  assert.equal(wants({ id: 'whe_2', event_types: [] }, own), false)
})

test('event types: the kind of each type can be subscribed to', () => {
  for (const type of EVENT_TYPES) {
    assert.match(type, /^[a-z_]+\.([a-z_]+|\*)$/)
    assert.ok(EVENT_TYPES.includes(`${type.slice(0, type.indexOf('.'))}.*`))
  }
})

test('secretsOf, endpoint after a rotation: previous secret included until its expiry', () => {
  const until = '2026-01-02T00:00:00.000000Z'
  const both = { secret: 'b', previous_secret: 'a', previous_secret_until: until }
  assert.deepEqual(secretsOf(both, '2026-01-01T23:59:59.999999Z'), ['b', 'a'])
  assert.deepEqual(secretsOf(both, until), ['b'])
  const one = { secret: 'b', previous_secret: '', previous_secret_until: null }
  assert.deepEqual(secretsOf(one, until), ['b'])
})
