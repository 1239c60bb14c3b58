// No strategy of waiting and cancelling gains: what comes back never buys more, at the rates of that
// moment, than the payout would have paid, and is never more than was taken.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keptOf } from '../../src/payouts/advance/rate-difference.ts'
import type { Payout } from '../../src/payouts/payout.ts'
import { priceQuote } from '../../src/quotes/rules.ts'
import { CURRENCIES, currencyExponent } from '../../src/values/money/currency.ts'
import { type Decimal, formatDecimal, pow10 } from '../../src/values/money/decimal.ts'
import { NOW, pricing, terms } from '../support/given/in-memory.ts'
import { pickSeed } from '../support/service/process.ts'
import { share } from '../support/share.ts'

const seed = pickSeed()
console.log(`SEED=${seed}`)
const PAYOUTS = share(3_000, 50_000)

const code = fc.constantFrom(...CURRENCIES.keys())
const mid = fc
  .record({ digits: fc.bigInt({ min: 1n, max: 10n ** 8n }), scale: fc.integer({ min: 2, max: 9 }) })
  .map((value: Decimal) => formatDecimal(value))
const rates = fc.tuple(mid, mid, mid)
const scene = fc.record({
  codes: fc.uniqueArray(code, { minLength: 3, maxLength: 3 }),
  amount: fc.bigInt({ min: 1n, max: 10n ** 12n }),
  at_first: rates,
  /** The rates at each moment at which the account may cancel. */
  later: fc.array(rates, { minLength: 1, maxLength: 5 }),
  spread: fc.integer({ min: 0, max: 300 }),
})

test(`keptOf, ${PAYOUTS} payouts cancelled at the best moment for the customer: no gain`, () => {
  let [kept_some, kept_none] = [0, 0]
  fc.assert(
    fc.property(scene, ({ codes, amount, at_first, later, spread }) => {
      const [holding_currency = '', payout_currency = '', destination_currency = ''] = codes
      const asked = { ...terms, holding_currency, payout_currency, destination_currency }
      const pricingAt = ([a, b, c]: readonly [string, string, string]) => {
        const rows = { [`EUR/${holding_currency}`]: a, [`EUR/${payout_currency}`]: b }
        const all = { ...rows, [`EUR/${destination_currency}`]: c }
        return pricing(all, [], { spread_bps: spread })
      }
      const priced = (of: readonly [string, string, string], payout_amount: bigint) => {
        try {
          return priceQuote({ ...asked, payout_amount }, pricingAt(of), NOW)
        } catch (error) {
          assert.match(String(error), /minor unit|No rate joins/)
          return undefined
        }
      }
      const price = codes.includes('EUR') ? undefined : priced(at_first, amount)
      if (price === undefined) return
      const payout = {
        ...{ account_id: 'acc_1', holding_currency, currency: payout_currency },
        ...{ destination_currency, amount, holding_amount: price.holding_amount },
        destination_amount: price.destination_amount,
        holding_to_payout: price.holding_to_payout,
        payout_to_destination: price.payout_to_destination,
      } as Payout
      for (const of of later) {
        const present = { pricing: () => pricingAt(of), sandbox: false, now: NOW, ended_at: NOW }
        const difference: bigint = keptOf(payout, present, NOW)?.difference ?? 0n
        const given: bigint = price.holding_amount - difference
        assert.ok(given >= 1n && given <= price.holding_amount)
        if (difference === 0n) kept_none += 1
        else kept_some += 1
        // What came back buys at most the destination amount, at the rates of this moment.
        const now = priced(of, amount)
        if (now === undefined || difference === 0n) continue
        const [a, b] = [now.holding_to_payout, now.payout_to_destination]
        const [from, to] = [
          currencyExponent(holding_currency),
          currencyExponent(destination_currency),
        ]
        const bought = given * a.digits * b.digits * pow10(to)
        assert.ok(
          bought <= price.destination_amount * pow10(a.scale + b.scale + from) || given === 1n,
        )
      }
      assert.equal(
        keptOf(
          payout,
          { ...{ sandbox: false, now: NOW, ended_at: NOW }, pricing: () => pricingAt(at_first) },
          NOW,
        ),
        undefined,
      )
    }),
    { seed, numRuns: PAYOUTS },
  )
  assert.ok(kept_some > PAYOUTS / 4 && kept_none > PAYOUTS / 4, `${kept_some}, ${kept_none}`)
})
