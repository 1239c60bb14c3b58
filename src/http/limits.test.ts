// Token buckets against a count of their own: bursts, what comes back, names apart, bounded memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pickSeed, seeded } from '../../test/support/service/process.ts'
import { share } from '../../test/support/share.ts'
import { TokenBuckets } from './limits.ts'

test('bucket, full: gives its burst, then says when the next token is there', () => {
  const buckets = new TokenBuckets({ per_second: 2, burst: 5, most: 10 })
  for (let i = 0; i < 5; i++) assert.equal(buckets.take('a', 1_000), 0)
  assert.equal(buckets.take('a', 1_000), 1)
  assert.equal(buckets.take('a', 1_499), 1)
  assert.equal(buckets.take('a', 1_500), 0)
  assert.equal(buckets.take('a', 1_500), 1)
})

test('bucket, left alone: is full again, and holds no more than its burst', () => {
  const buckets = new TokenBuckets({ per_second: 10, burst: 3, most: 10 })
  for (const start of [0, 60_000]) {
    const taken = Array.from({ length: 5 }, () => buckets.take('a', start))
    assert.deepEqual(taken, [0, 0, 0, 1, 1])
  }
})

test('bucket, looked at: what is left, and when it is full; looking takes nothing', () => {
  const buckets = new TokenBuckets({ per_second: 2, burst: 5, most: 10 })
  assert.deepEqual([buckets.burst, buckets.window_s], [5, 3])
  assert.deepEqual(buckets.look('a', 1_000), { left: 5, full_in_s: 0 })
  for (let i = 0; i < 4; i++) buckets.take('a', 1_000)
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(buckets.look('a', 1_000), { left: 1, full_in_s: 2 })
  }
  buckets.take('a', 1_000)
  assert.equal(buckets.take('a', 1_000), 1)
  assert.deepEqual(buckets.look('a', 1_000), { left: 0, full_in_s: 3 })
  assert.deepEqual(buckets.look('a', 1_600), { left: 1, full_in_s: 2 })
  assert.deepEqual(buckets.look('a', 60_000), { left: 5, full_in_s: 0 })
})

test('bucket of few a minute: the wait is as long as a token takes, rounded up', () => {
  const buckets = new TokenBuckets({ per_second: 5 / 60, burst: 5, most: 10 })
  for (let i = 0; i < 5; i++) assert.equal(buckets.take('a', 0), 0)
  assert.equal(buckets.take('a', 0), 12)
  assert.equal(buckets.take('a', 11_500), 1)
  assert.equal(buckets.take('a', 12_000), 0)
})

test('bucket, refused: costs no token, so that whoever waits as told is served', () => {
  const buckets = new TokenBuckets({ per_second: 1, burst: 1, most: 10 })
  assert.equal(buckets.take('a', 0), 0)
  for (let i = 0; i < 100; i++) assert.equal(buckets.take('a', i), 1)
  assert.equal(buckets.take('a', 1_000), 0)
})

test('buckets of other names: apart', () => {
  const buckets = new TokenBuckets({ per_second: 1, burst: 1, most: 10 })
  assert.deepEqual(
    ['a', 'b', 'a', 'b'].map(name => buckets.take(name, 0)),
    [0, 0, 1, 1],
  )
})

/** Names, of which few are kept. */
const NAMES = share(100_000, 1_000_000)

test(`buckets, ${NAMES} names: never more than the most, and the one taken from last is kept`, () => {
  const buckets = new TokenBuckets({ per_second: 0.001, burst: 1, most: 1_000 })
  for (let i = 0; i < NAMES; i++) buckets.take(`n${i}`, i / 1_000)
  assert.equal(buckets.size, 1_000)
  assert.ok(buckets.take(`n${NAMES - 1}`, NAMES / 1_000) > 0)
  assert.equal(buckets.take('n0', NAMES / 1_000), 0)
  assert.equal(buckets.size, 1_000)
})

test('rate over time: never more than burst and what came back, whatever the moments', () => {
  const seed = pickSeed()
  console.log(`SEED=${seed}`)
  const random = seeded(seed)
  const buckets = new TokenBuckets({ per_second: 20, burst: 7, most: 10 })
  let now_ms = 0
  let given = 0
  for (let i = 0; i < 20_000; i++) {
    now_ms += random() * 60
    if (buckets.take('a', now_ms) === 0) given += 1
    assert.ok(given <= 7 + (now_ms * 20) / 1000 + 0.001, `${given} after ${now_ms} ms`)
  }
  // And no fewer: more was asked for than came back.
  assert.ok(given >= (now_ms * 20) / 1000 - 7)
})
