// Fees as properties: what each replacement must offer, and the caps that no market moves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pickSeed } from '../../../test/support/service/process.ts'
import { share } from '../../../test/support/share.ts'
import { bumpedFees, type Fees, firstFees } from './fees.ts'

const SEED = pickSeed()
const GWEI = 10n ** 9n

const fee = fc.oneof(fc.bigInt(0n, 20n), fc.bigInt(0n, 1_000n * GWEI))
const market = fc.record({ base_fee: fee, tip: fee })
const caps = fc.record({
  max_fee: fc.oneof(fc.bigInt(1n, 100n), fc.bigInt(1n, 5_000n * GWEI)),
  max_cost: fc.bigInt(1n, 10n ** 18n),
  chain: fc.record({ min_tip: fc.oneof(fc.constant(0n), fee) }),
})
const gas = fc.bigInt(21_000n, 300_000n)
const earlier = fc.array(
  fc.tuple(fee, fee).map(([a, b]): Fees => ({ tip: a < b ? a : b, max_fee: a < b ? b : a })),
  { maxLength: 9 },
)
const SETTINGS = { numRuns: share(500, 50_000), seed: SEED }

/** 12.5 % more rounded up, and one. */
const raised = (old: bigint) => (old * 9n + 7n) / 8n + 1n

test(`fees that replace others: 12.5 % and one above each, the market, within caps, SEED=${SEED}`, () => {
  let dear = 0
  fc.assert(
    fc.property(earlier, market, caps, gas, (before, now, most, units) => {
      const fees = bumpedFees(before, now, most, units)
      const tip = [now.tip, most.chain.min_tip, ...before.map(one => raised(one.tip))]
      const least_tip = tip.reduce((a, b) => (a > b ? a : b))
      const least = [now.base_fee + least_tip, ...before.map(one => raised(one.max_fee))]
      const least_fee = least.reduce((a, b) => (a > b ? a : b))
      if (fees === 'too_dear') {
        dear += 1
        assert.ok(
          least_fee > most.max_fee || least_fee * units > most.max_cost - (most.max_cost % units),
        )
        return
      }
      for (const one of before) {
        assert.ok(fees.tip >= raised(one.tip) && fees.max_fee >= raised(one.max_fee))
      }
      assert.ok(fees.tip >= now.tip && fees.tip >= most.chain.min_tip)
      assert.ok(fees.max_fee >= now.base_fee + fees.tip, 'the next block takes it')
      assert.ok(fees.max_fee <= most.max_fee && fees.max_fee * units <= most.max_cost)
      assert.ok(fees.tip <= fees.max_fee)
    }),
    SETTINGS,
  )
  assert.ok(dear > 10)
})

test(`fees of the first bytes: hold while the base fee doubles, SEED=${SEED}`, () => {
  const open = { max_fee: 10n ** 30n, max_cost: 10n ** 40n, chain: { min_tip: 3n } }
  fc.assert(
    fc.property(market, now => {
      const fees = firstFees(now, open, 60_000n)
      const tip = now.tip > 3n ? now.tip : 3n
      assert.deepEqual(fees, { tip, max_fee: 2n * now.base_fee + tip })
    }),
    SETTINGS,
  )
})

test('fees, cap between the market and its double: the cap', () => {
  const now = { base_fee: 10n * GWEI, tip: GWEI }
  const most = { max_fee: 15n * GWEI, max_cost: 10n ** 18n, chain: { min_tip: 0n } }
  assert.deepEqual(firstFees(now, most, 60_000n), { tip: GWEI, max_fee: 15n * GWEI })
  assert.equal(firstFees({ ...now, base_fee: 15n * GWEI }, most, 60_000n), 'too_dear')
})

test('fees, market at the cap: paid; one wei above: too dear', () => {
  const now = { base_fee: 10n * GWEI, tip: GWEI }
  const most = { max_fee: 11n * GWEI, max_cost: 10n ** 18n, chain: { min_tip: 0n } }
  assert.deepEqual(firstFees(now, most, 60_000n), { tip: GWEI, max_fee: 11n * GWEI })
  assert.equal(firstFees({ ...now, tip: GWEI + 1n }, most, 60_000n), 'too_dear')
})

test('fees of a chain that asks for none: 0', () => {
  const most = { max_fee: GWEI, max_cost: 10n ** 18n, chain: { min_tip: 0n } }
  assert.deepEqual(firstFees({ base_fee: 0n, tip: 0n }, most, 60_000n), { tip: 0n, max_fee: 0n })
})

test('fees, cap on the cost of a payment: more gas leaves less for each unit', () => {
  const now = { base_fee: 10n * GWEI, tip: GWEI }
  const most = { max_fee: 100n * GWEI, max_cost: 12n * GWEI * 60_000n, chain: { min_tip: 0n } }
  assert.deepEqual(firstFees(now, most, 60_000n), { tip: GWEI, max_fee: 12n * GWEI })
  assert.equal(firstFees(now, most, 90_000n), 'too_dear')
})

test('fees that were 0: rise all the same, so that a node takes the new bytes', () => {
  const most = { max_fee: GWEI, max_cost: 10n ** 18n, chain: { min_tip: 0n } }
  const zero = { tip: 0n, max_fee: 0n }
  assert.deepEqual(bumpedFees([zero], { base_fee: 0n, tip: 0n }, most, 21_000n), {
    tip: 1n,
    max_fee: 1n,
  })
})
