// The payout amount of a fixed total debit or destination amount, compared with trials of each.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  feeRow,
  NOW,
  pricing,
  rateBook,
  refusalOf,
  terms,
} from '../../test/support/given/in-memory.ts'
import { share } from '../../test/support/share.ts'
import type { Fee } from '../prices/fee/rules.ts'
import type { PriceSources } from '../prices/price.ts'
import { Refusal } from '../values/errors.ts'
import { MAX_AMOUNT } from '../values/money/decimal.ts'
import type { FixedAmount, QuoteTerms } from './quote.ts'
import { priceQuote, totalDebit } from './rules.ts'
import { payoutAmountFor } from './solve.ts'

const seed = process.env.SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.SEED)
console.log(`SEED=${seed}`)

/** The price of a payout amount; undefined when pricing refuses it. */
function priceOf(payout_amount: bigint, asked: QuoteTerms, sources: PriceSources) {
  try {
    return priceQuote({ ...asked, payout_amount }, sources, NOW)
  } catch {
    return undefined
  }
}

/** The payout amount; undefined when the fixed amount is refused as out of range. */
function solved(fixed: FixedAmount, asked: QuoteTerms, sources: PriceSources) {
  try {
    return payoutAmountFor(fixed, asked, sources, NOW)
  } catch (refused) {
    assert.ok(refused instanceof Refusal && refused.problems[0]?.reason === 'amount_out_of_range')
    return undefined
  }
}

/** Sources that cross pairs through the euro. */
function sourcesOf(rates: Record<string, string>, fees: Fee[], spread_bps: number): PriceSources {
  return { ...pricing({}, fees, { spread_bps }), rates: rateBook(rates) }
}

const mid = fc.integer({ min: 2, max: 99_999 }).map(n => (n / 1_000).toFixed(3))
const fee = fc.record({
  fixed_amount: fc.bigInt({ min: 0n, max: 40n }),
  fee_currency: fc.constantFrom('USD', 'HKD', 'JPY'),
  variable_bps: fc.integer({ min: 0, max: 900 }),
  minimum_amount: fc.option(fc.bigInt({ min: 0n, max: 20n })),
  maximum_amount: fc.option(fc.bigInt({ min: 0n, max: 20n })),
})
const prices = fc.record({
  'EUR/HKD': mid,
  'EUR/JPY': mid,
  'EUR/KWD': mid,
  'EUR/USD': mid,
})
const currency = fc.constantFrom('USD', 'HKD', 'JPY', 'KWD')
const legs = fc.record({
  holding_currency: currency,
  payout_currency: currency,
  destination_currency: currency,
})

test('payoutAmountFor, fixed total debit: the largest payout within it, by exhaustive search', () => {
  fc.assert(
    fc.property(
      ...[prices, fee, legs, fc.integer({ min: 0, max: 300 }), fc.bigInt({ min: 1n, max: 400n })],
      (rates, row, currencies, spread_bps, limit) => {
        const asked = { ...terms, ...currencies }
        const sources = sourcesOf(rates, [feeRow(row)], spread_bps)
        const fixed = { path: 'total_debit', amount: limit } as const
        const found = solved(fixed, asked, sources) ?? 0n
        const debit = (amount: bigint) => {
          const price = priceOf(amount, asked, sources)
          return price && totalDebit(price)
        }
        // Every amount below costs no more, and those above cost more.
        for (let amount = found > 50n ? found - 50n : 1n; amount <= found; amount++) {
          const cost = debit(amount)
          assert.ok(cost === undefined || cost <= limit, `${amount} costs ${cost}`)
        }
        for (let amount = found + 1n; amount <= found + 50n; amount++) {
          const cost = debit(amount)
          assert.ok(cost === undefined || cost > limit, `${amount} costs ${cost}, found ${found}`)
        }
      },
    ),
    { numRuns: share(150, 1_000), seed },
  )
})

test('payoutAmountFor, fixed destination amount: the smallest payout that delivers it', () => {
  fc.assert(
    fc.property(
      ...[prices, legs, fc.integer({ min: 0, max: 300 }), fc.bigInt({ min: 1n, max: 10n ** 6n })],
      (rates, currencies, spread_bps, amount) => {
        const asked = { ...terms, ...currencies }
        const sources = sourcesOf(rates, [], spread_bps)
        const fixed = { path: 'destination_info.amount', amount } as const
        const found = payoutAmountFor(fixed, asked, sources, NOW)
        const arrives = (payout: bigint) => priceOf(payout, asked, sources)?.destination_amount
        const reached = arrives(found)
        assert.ok(reached === undefined || reached >= amount, `${found} brings ${reached}`)
        const before = found > 1n ? arrives(found - 1n) : 0n
        assert.ok(before === undefined || before < amount, `${found - 1n} brings ${before}`)
        if (asked.payout_currency === asked.destination_currency) assert.equal(found, amount)
      },
    ),
    { numRuns: share(300, 1_000), seed },
  )
})

for (const [what, path, amount] of [
  ['below the fees', 'total_debit', 150n],
  ['above the largest amount', 'destination_info.amount', MAX_AMOUNT],
] as const) {
  test(`payoutAmountFor, ${what}: refused at the fixed amount`, () => {
    const asked = {
      ...terms,
      ...{ holding_currency: 'USD', payout_currency: 'HKD', destination_currency: 'USD' },
    }
    const sources = pricing({ 'USD/HKD': '8' }, [feeRow({ fixed_amount: 150n })])
    const [refused = ''] = refusalOf(() => payoutAmountFor({ path, amount }, asked, sources, NOW))
    assert.ok(refused.startsWith(`amount_out_of_range at ${path}: `), refused)
  })
}
