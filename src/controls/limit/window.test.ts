// The windows of limits, as tables: a payout's step, a window's beginning, and when a step leaves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instantToMicros, plusMicros } from '../../values/instant.ts'
import type { Window } from './limit.ts'
import { leavesAt, MAX_HOURS, newUntil, stepAt, stepMinutes, windowFrom } from './window.ts'

const hours = (count: number): Window => ({ per: 'hours', zone: null, hours: count })
const dayIn = (zone: string): Window => ({ per: 'day', zone, hours: null })

const at = (text: string) => `2026-${text}.000000Z`

/** A payout's time, its step, the window's first step at that time, when the payout leaves it. */
const WINDOWS: readonly (readonly [
  what: string,
  window: Window,
  now: string,
  step: string,
  from: string,
  leaves: string,
])[] = [
  ['an hour', hours(1), '11-23T12:00:59', '11-23T12:00:00', '11-23T11:00:00', '11-23T13:01:00'],
  ['24 hours', hours(24), '11-23T12:04:59', '11-23T12:00:00', '11-22T12:00:00', '11-24T12:05:00'],
  ['25 hours', hours(25), '11-23T12:14:59', '11-23T12:00:00', '11-22T11:00:00', '11-24T13:15:00'],
  ['31 days', hours(744), '11-23T12:59:59', '11-23T12:00:00', '10-23T12:00:00', '12-24T13:00:00'],
  [
    'a day of UTC, its first second',
    dayIn('UTC'),
    '11-23T00:00:00',
    '11-23T00:00:00',
    '11-23T00:00:00',
    '11-24T00:00:00',
  ],
  [
    'a day of Hong Kong, its last second',
    dayIn('Asia/Hong_Kong'),
    '11-23T15:59:59',
    '11-22T16:00:00',
    '11-22T16:00:00',
    '11-23T16:00:00',
  ],
  [
    'a day of 25 hours',
    dayIn('Europe/Berlin'),
    '10-25T12:00:00',
    '10-24T22:00:00',
    '10-24T22:00:00',
    '10-25T23:00:00',
  ],
  [
    'a day of 23 hours',
    dayIn('Europe/Berlin'),
    '03-29T12:00:00',
    '03-28T23:00:00',
    '03-28T23:00:00',
    '03-29T22:00:00',
  ],
  [
    'a day that begins at one, its zone skips midnight',
    dayIn('Africa/Cairo'),
    '04-24T12:00:00',
    '04-23T22:00:00',
    '04-23T22:00:00',
    '04-24T21:00:00',
  ],
]

for (const [what, window, now, step, from, leaves] of WINDOWS) {
  test(`limit window, ${what}: its current step, its beginning, and the time at which the step leaves it`, () => {
    assert.equal(stepAt(window, at(now)), at(step))
    assert.equal(windowFrom(window, at(now)), at(from))
    assert.equal(leavesAt(window, at(step)), at(leaves))
  })
}

test('limit window of hours, two payouts: the first counts for these hours, at most one step longer', () => {
  const micros = fc.bigInt({ min: 0n, max: 3_000_000_000_000n })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MAX_HOURS }), micros, micros, (count, first, later) => {
      const window = hours(count)
      const made = plusMicros(at('01-01T00:00:00'), first)
      const now = plusMicros(made, later)
      const counted = stepAt(window, made) >= windowFrom(window, now)
      const age = instantToMicros(now) - instantToMicros(made)
      const [hour, minute] = [3_600_000_000n, 60_000_000n]
      if (age <= BigInt(count) * hour) assert.ok(counted)
      if (age >= BigInt(count) * hour + BigInt(stepMinutes(count)) * minute) assert.ok(!counted)
      assert.equal(counted, now < leavesAt(window, stepAt(window, made)))
    }),
  )
})

test('limit window of hours, each length: whole steps, at most 744', () => {
  for (let count = 1; count <= MAX_HOURS; count++) {
    const steps = (count * 60) / stepMinutes(count)
    assert.ok(Number.isInteger(steps) && steps <= 744, `${count} hours have ${steps} steps`)
  }
})

test('stepAt, daily limit, several zones: the beginning of the local day', () => {
  const now = at('11-23T12:00:00')
  const days = () => [
    stepAt(dayIn('UTC'), now),
    stepAt(dayIn('Asia/Hong_Kong'), now),
    stepAt(dayIn('Asia/Hong_Kong'), at('11-23T17:00:00')),
    stepAt(dayIn('UTC'), now),
  ]
  const expected = ['11-23T00:00:00', '11-22T16:00:00', '11-23T16:00:00', '11-23T00:00:00'].map(at)
  assert.deepEqual(days(), expected)
  assert.deepEqual(days(), expected)
})

test('stepMinutes: shorter windows have shorter steps', () => {
  const steps = [1, 4, 5, 24, 25, 72, 73, 744].map(stepMinutes)
  assert.deepEqual(steps, [1, 1, 5, 5, 15, 15, 60, 60])
})

test("newUntil: the time at which the payee is known for the limit's hours", () => {
  assert.equal(newUntil(25, at('11-23T12:00:00')), at('11-24T13:00:00'))
})
