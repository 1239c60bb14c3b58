// Without a present rate, how long a payout waits for one before the newest row counts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimal, NOW, pricing, rateBook } from '../../../test/support/given/in-memory.ts'
import type { Refusal } from '../../values/errors.ts'
import { type Instant, plusMilliseconds } from '../../values/instant.ts'
import type { Payout } from '../payout.ts'
import { keptOf } from './rate-difference.ts'

const DAY_MS = 86_400_000
const ago = (days: number): Instant => plusMilliseconds(NOW, -days * DAY_MS)

/** 100.00 USD were taken at 8; a Hong Kong dollar now costs a fifth less. */
const payout = {
  account_id: 'acc_1',
  holding_currency: 'USD',
  currency: 'USD',
  destination_currency: 'HKD',
  amount: 10_000n,
  holding_amount: 10_000n,
  destination_amount: 80_000n,
  holding_to_payout: decimal('1'),
  payout_to_destination: decimal('8'),
} as Payout

for (const [name, ended_days_ago, rate_days_ago, result] of [
  ['a current rate', 10, 0.5, 2_000n],
  ['a rate stale for an hour, a price that ended 6 days ago', 6, 1.05, 'rate_stale'],
  ['a rate stale for an hour, a price that ended 10 days ago', 10, 1.05, 'rate_stale'],
  ['a rate stale for 6 days, a price that ended 300 days ago', 300, 7, 'rate_stale'],
  ['a rate stale for 8 days, a price that ended 6 days ago', 6, 9, 'rate_stale'],
  ['a rate stale for 8 days, a price that ended 10 days ago', 10, 9, 2_000n],
] as const) {
  test(`keptOf (rate difference that the payout keeps), ${name}: ${result}`, () => {
    const rates = rateBook({ 'USD/HKD': '10' }, { 'USD/HKD': ago(rate_days_ago) })
    const policy = { max_age_s: 86_400, any_age: false }
    const present = {
      pricing: () => ({ ...pricing({}, [], policy), rates }),
      ...{ sandbox: false, now: NOW, ended_at: ago(ended_days_ago) },
    }
    const keep = () => keptOf(payout, present, NOW)?.difference
    if (typeof result === 'bigint') assert.equal(keep(), result)
    else assert.throws(keep, ({ problems: [problem] }: Refusal) => problem?.reason === result)
  })
}
