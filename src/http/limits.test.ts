// Token buckets against a separate count: bursts, new tokens, separate names, bounded memory; and the
// addresses that are counted as one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pickSeed, seeded } from '../../test/support/service/process.ts'
import { share } from '../../test/support/share.ts'
import { networkOf, TokenBuckets } from './limits.ts'

test('token bucket, full: gives its burst, then the seconds until the next token', () => {
  const buckets = new TokenBuckets({ per_second: 2, burst: 5, most: 10 })
  for (let i = 0; i < 5; i++) assert.equal(buckets.take('a', 1_000), 0)
  assert.equal(buckets.take('a', 1_000), 1)
  assert.equal(buckets.take('a', 1_499), 1)
  assert.equal(buckets.take('a', 1_500), 0)
  assert.equal(buckets.take('a', 1_500), 1)
})

test('token bucket, unused: refills to its burst and no further', () => {
  const buckets = new TokenBuckets({ per_second: 10, burst: 3, most: 10 })
  for (const start of [0, 60_000]) {
    const taken = Array.from({ length: 5 }, () => buckets.take('a', start))
    assert.deepEqual(taken, [0, 0, 0, 1, 1])
  }
})

test('token bucket, peek: tokens left and seconds until full; takes no token', () => {
  const buckets = new TokenBuckets({ per_second: 2, burst: 5, most: 10 })
  assert.deepEqual([buckets.burst, buckets.window_s], [5, 3])
  assert.deepEqual(buckets.peek('a', 1_000), { left: 5, full_in_s: 0 })
  for (let i = 0; i < 4; i++) buckets.take('a', 1_000)
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(buckets.peek('a', 1_000), { left: 1, full_in_s: 2 })
  }
  buckets.take('a', 1_000)
  assert.equal(buckets.take('a', 1_000), 1)
  assert.deepEqual(buckets.peek('a', 1_000), { left: 0, full_in_s: 3 })
  assert.deepEqual(buckets.peek('a', 1_600), { left: 1, full_in_s: 2 })
  assert.deepEqual(buckets.peek('a', 60_000), { left: 5, full_in_s: 0 })
})

test('token bucket, few tokens a minute: the wait is the time of one token, rounded up', () => {
  const buckets = new TokenBuckets({ per_second: 5 / 60, burst: 5, most: 10 })
  for (let i = 0; i < 5; i++) assert.equal(buckets.take('a', 0), 0)
  assert.equal(buckets.take('a', 0), 12)
  assert.equal(buckets.take('a', 11_500), 1)
  assert.equal(buckets.take('a', 12_000), 0)
})

test('token bucket, request refused: takes no token; succeeds after the stated wait', () => {
  const buckets = new TokenBuckets({ per_second: 1, burst: 1, most: 10 })
  assert.equal(buckets.take('a', 0), 0)
  for (let i = 0; i < 100; i++) assert.equal(buckets.take('a', i), 1)
  assert.equal(buckets.take('a', 1_000), 0)
})

test('token buckets, several names: each name has its own tokens', () => {
  const buckets = new TokenBuckets({ per_second: 1, burst: 1, most: 10 })
  assert.deepEqual(
    ['a', 'b', 'a', 'b'].map(name => buckets.take(name, 0)),
    [0, 0, 1, 1],
  )
})

/** More names than buckets that are kept. */
const NAMES = share(100_000, 1_000_000)

test(`token buckets, ${NAMES} names: number of buckets bounded, the last used kept`, () => {
  const buckets = new TokenBuckets({ per_second: 0.001, burst: 1, most: 1_000 })
  for (let i = 0; i < NAMES; i++) buckets.take(`n${i}`, i / 1_000)
  assert.equal(buckets.size, 1_000)
  assert.ok(buckets.take(`n${NAMES - 1}`, NAMES / 1_000) > 0)
  assert.equal(buckets.take('n0', NAMES / 1_000), 0)
  assert.equal(buckets.size, 1_000)
})

test('token bucket, requests at random times: never more than the burst plus the new tokens', () => {
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
  // And no fewer: the calls asked for more tokens than came.
  assert.ok(given >= (now_ms * 20) / 1000 - 7)
})

test('rate limit by address: one group for an IPv6 /64 network, or for an IPv4 address in any spelling', () => {
  const same = [
    ['192.0.2.1', '::ffff:192.0.2.1'],
    ['2001:db8:1:2::1', '2001:DB8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::9'],
    ['::1', '::2'],
    ['fe80::1%eth0', 'fe80::1'],
    ['2001:db8::', '2001:db8:0:0:1::'],
  ] as const
  for (const [a, b] of same) assert.equal(networkOf(a), networkOf(b), `${a} and ${b}`)
  const others = ['192.0.2.1', '192.0.2.2', '2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:2::1']
  assert.equal(new Set(others.map(networkOf)).size, others.length)
  assert.ok(networkOf('x'.repeat(10_000)).length <= 64)
})

test('token bucket, empty, caller who waits: gets the next tokens in turn, and none too late', () => {
  const buckets = new TokenBuckets({ per_second: 10, burst: 2, most: 10 })
  const taken = Array.from({ length: 6 }, () => buckets.takeWithin('a', 0, 300))
  assert.deepEqual(taken, [0, 0, 100, 200, 300, undefined])
  assert.equal(buckets.takeWithin('a', 100, 300), 300)
  assert.equal(buckets.take('a', 400), 1)
  assert.equal(buckets.take('a', 500), 0)
})
