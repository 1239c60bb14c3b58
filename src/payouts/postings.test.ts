// The positions that a payout moves, written out for each kind of conversion. ledger/rules.test.ts
// tests the properties for any amount.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quoteOf } from '../../test/support/given/in-memory.ts'
import type { Posting } from '../ledger/rules.ts'
import type { Quote } from '../quotes/quote.ts'
import {
  failurePostings,
  payoutPostings,
  receiptPostings,
  reversalPostings,
  settlementPostings,
} from './postings.ts'

/** One line for each posting: `code currency amount`. */
function lines(postings: readonly Posting[]): string[] {
  return postings.map(({ code, currency, amount }) => `${code} ${currency} ${amount}`)
}

/** The figures of a payout from USD in HKD to EUR, with both sides converted. */
const figures: Partial<Quote> = {
  holding_currency: 'USD',
  holding_amount: 1_000n,
  payout_currency: 'HKD',
  payout_amount: 8_000n,
  destination_currency: 'EUR',
  destination_amount: 800n,
  fixed_fee_holding: 20n,
  variable_fee_holding: 3n,
  fx_income_holding: 10n,
  fx_income_destination: 8n,
}
const sameCurrency = {
  payout_currency: 'USD',
  payout_amount: 1_000n,
  destination_currency: 'USD',
  destination_amount: 1_000n,
}
const holdingConverted = { destination_currency: 'HKD', destination_amount: 8_000n }
const destinationConverted = { payout_currency: 'USD', payout_amount: 1_000n }

const CREATIONS: readonly (readonly [what: string, part: Partial<Quote>, postings: string[]])[] = [
  ['no conversion', sameCurrency, ['available USD -1023', 'fees USD 23', 'in_transit USD 1000']],
  [
    'holding side converted',
    holdingConverted,
    [
      'available USD -1023',
      'fees USD 23',
      'fx USD 990',
      'fx_income USD 10',
      'fx HKD -8000',
      'in_transit HKD 8000',
    ],
  ],
  [
    'destination side converted',
    destinationConverted,
    [
      'available USD -1023',
      'fees USD 23',
      'fx USD 1000',
      'fx EUR -808',
      'fx_income EUR 8',
      'in_transit EUR 800',
    ],
  ],
  [
    'both sides converted',
    {},
    [
      'available USD -1023',
      'fees USD 23',
      'fx USD 990',
      'fx_income USD 10',
      'fx HKD -8000',
      'fx HKD 8000',
      'fx EUR -808',
      'fx_income EUR 8',
      'in_transit EUR 800',
    ],
  ],
]

for (const [what, part, postings] of CREATIONS) {
  const quote = quoteOf({ ...figures, ...part })
  const back = postings.map(line => line.replace(/-?\d+$/, amount => String(-Number(amount))))

  test(`postings of a new payout, ${what}: principal and fees leave the balance, the margin is income`, () => {
    assert.deepEqual(lines(payoutPostings(quote, false)), postings)
  })

  test(`postings of a new payout to another account, ${what}: inter_account in place of in_transit`, () => {
    const between = postings.map(line => line.replace('in_transit', 'inter_account'))
    assert.deepEqual(lines(payoutPostings(quote, true)), between)
  })

  test(`postings of a failed payout, ${what}: every posting with the sign reversed`, () => {
    assert.deepEqual(lines(failurePostings(payoutPostings(quote, false))), back)
  })

  test(`postings of a reversed payout, ${what}: every sign reversed, from settled in place of in_transit`, () => {
    const settled = back.map(line => line.replace('in_transit', 'settled'))
    assert.deepEqual(lines(reversalPostings(payoutPostings(quote, false))), settled)
  })
}

test('postings of a settled payout: from in_transit to settled, only in the destination currency', () => {
  const postings = settlementPostings(quoteOf(figures), false)
  assert.deepEqual(lines(postings), ['in_transit EUR -800', 'settled EUR 800'])
})

test('postings of a released payout to another account: from in_transit to inter_account', () => {
  const postings = settlementPostings(quoteOf(figures), true)
  assert.deepEqual(lines(postings), ['in_transit EUR -800', 'inter_account EUR 800'])
})

test("postings of a received payout: from inter_account to the receiver's balance", () => {
  const postings = receiptPostings(quoteOf(figures))
  assert.deepEqual(lines(postings), ['inter_account EUR -800', 'available EUR 800'])
})
