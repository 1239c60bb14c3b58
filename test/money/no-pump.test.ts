// No cycle of payouts and conversions ends above its start, whatever rows the book has: rows at random
// that contradict each other, in either direction, with pegs, spreads of each account, fees and rounding.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Account } from '../../src/accounts/rules.ts'
import type { ConversionQuote } from '../../src/conversions/conversion.ts'
import { quoteConversion } from '../../src/conversions/rules.ts'
import type { Fee } from '../../src/prices/fee/rules.ts'
import type { Pricing } from '../../src/prices/price.ts'
import {
  customerRate,
  midOf,
  type Rate,
  RateBook,
  stepsBetween,
} from '../../src/prices/rate/rules.ts'
import { sourcesOf } from '../../src/quotes/basis.ts'
import type { QuoteTerms } from '../../src/quotes/quote.ts'
import { priceQuote, totalDebit } from '../../src/quotes/rules.ts'
import { payoutAmountFor } from '../../src/quotes/solve.ts'
import { CURRENCIES } from '../../src/values/money/currency.ts'
import { type Decimal, formatDecimal, pow10 } from '../../src/values/money/decimal.ts'
import { feeRow, NOW, pricing, terms } from '../support/given/in-memory.ts'
import { pickSeed } from '../support/service/process.ts'
import { share } from '../support/share.ts'

const seed = pickSeed()
console.log(`SEED=${seed}`)
const BOOKS = share(1_500, 30_000)
const SIZE = 6

const index = fc.nat(SIZE - 1)
const row = fc.record({
  base: index,
  quote: index,
  /** How far the row is from a fair rate, in basis points. */
  off: fc.oneof(fc.integer({ min: -1_000, max: 1_000 }), fc.integer({ min: -9_000, max: 50_000 })),
  pegged: fc.boolean(),
})
const scene = fc.record({
  codes: fc.uniqueArray(fc.constantFrom(...CURRENCIES.keys()), {
    minLength: SIZE,
    maxLength: SIZE,
  }),
  worth: fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: SIZE, maxLength: SIZE }),
  pivot: fc.option(index, { nil: undefined, freq: 8 }),
  rows: fc.array(row, { minLength: 3, maxLength: 24 }),
  /** Spreads of three accounts. */
  spreads: fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 })), {
    minLength: 3,
    maxLength: 3,
  }),
  fee: fc.option(
    fc.record({
      currency: index,
      fixed_amount: fc.bigInt({ min: 0n, max: 500n }),
      variable_bps: fc.integer({ min: 0, max: 100 }),
      minimum_amount: fc.option(fc.bigInt({ min: 0n, max: 500n })),
    }),
  ),
  start: fc.bigInt({ min: 1n, max: 10n ** 14n }),
  chain: fc.array(
    fc.record({
      through: index,
      to: index,
      account: fc.nat(2),
      by: fc.constantFrom('payout', 'debit', 'destination'),
      /** Converts between balances of the account, and pays nobody. */
      converts: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
})
type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never

function bookOf({ codes, worth, pivot, rows }: Scene): RateBook {
  const pegged = new Set<string>()
  const anchors = new Set<string>()
  const rates = rows.flatMap(({ base: b, quote: q, off, pegged: wanted }): Rate[] => {
    const [base = '', quote = ''] = [codes[b], codes[q]]
    if (base === quote) return []
    // As the guard demands: one anchor a currency, and no anchor that is pegged itself.
    const peg = wanted && !pegged.has(base) && !pegged.has(quote) && !anchors.has(quote)
    if (peg) {
      pegged.add(quote)
      anchors.add(base)
    }
    const fair = (BigInt(worth[b] ?? 1) * pow10(8)) / BigInt(worth[q] ?? 1)
    const digits = (fair * BigInt(10_000 + off)) / 10_000n || 1n
    return [
      {
        base,
        quote,
        mid: { digits, scale: 8 },
        source: 't',
        as_of: NOW,
        pegged: peg,
        sample: false,
      },
    ]
  })
  const seen = new Map(rates.map(rate => [`${rate.base}/${rate.quote}`, rate]))
  return new RateBook(pivot === undefined ? 'XXX' : (codes[pivot] ?? ''), [...seen.values()])
}

function pricingOf(s: Scene, book: RateBook, account: number): Pricing {
  const of = (payout_type: string): Fee[] =>
    s.fee === null
      ? []
      : [feeRow({ ...s.fee, payout_type, fee_currency: s.codes[s.fee.currency] ?? '' })]
  const fees = ['local', 'conversion'].flatMap(of)
  return { ...pricing({}, fees, { spread_bps: s.spreads[account] ?? 0 }), rates: book }
}

/** The result, or undefined for a refusal. */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    assert.match(String(error), /minor unit|No rate joins/)
    return undefined
  }
}

/** Whether the product of the rates along some cycle of the currencies is above one. */
function gains(
  codes: readonly string[],
  rateOf: (from: string, to: string) => Decimal | undefined,
) {
  const edges = new Map<string, Decimal>()
  for (const from of codes) {
    for (const to of codes) {
      const rate = from === to ? undefined : rateOf(from, to)
      if (rate !== undefined) edges.set(`${from} ${to}`, rate)
    }
  }
  const walk = (start: string, at: string, product: Decimal, left: readonly string[]): boolean => {
    const next = (to: string) => {
      const rate = edges.get(`${at} ${to}`)
      return rate && { digits: product.digits * rate.digits, scale: product.scale + rate.scale }
    }
    const home = next(start)
    if (home !== undefined && home.digits > pow10(home.scale)) return true
    return left.some(to => {
      const product = next(to)
      return (
        product !== undefined &&
        walk(
          start,
          to,
          product,
          left.filter(code => code !== to),
        )
      )
    })
  }
  // A cycle is found from its first currency, so that each start needs only the later ones.
  return codes.some((start, i) => walk(start, start, { digits: 1n, scale: 0 }, codes.slice(i + 1)))
}

test(`customerRate, ${BOOKS} contradicting rate books: no cycle of currencies gains`, () => {
  let torn = 0
  fc.assert(
    fc.property(scene, s => {
      const book = bookOf(s)
      const policy = { spread_bps: Math.min(...s.spreads), max_age_s: null, any_age: true }
      const own = (from: string, to: string): Decimal | undefined => {
        const steps = stepsBetween(book, from, to)
        if (steps === undefined) return undefined
        const { n, d } = midOf(steps)
        return { digits: (n * pow10(40)) / d, scale: 40 }
      }
      if (gains(s.codes, own)) torn += 1
      const rate = (from: string, to: string) =>
        unlessRefused(() => customerRate(book, policy, from, to, NOW))
      assert.equal(gains(s.codes, rate), false)
      for (const from of s.codes) {
        for (const to of s.codes) {
          // A pair is quoted when its own way exists, and only then.
          assert.equal(rate(from, to) === undefined, own(from, to) === undefined)
        }
      }
    }),
    { seed, numRuns: BOOKS },
  )
  assert.ok(torn > BOOKS / 4, `${torn} books of ${BOOKS} gain by their own rows`)
})

/** The payout amount that spends at most `balance`, by one of the three amounts of a request. */
function payoutOf(
  by: 'payout' | 'debit' | 'destination',
  asked: QuoteTerms,
  prices: Pricing,
  balance: bigint,
): bigint | undefined {
  const solve = (path: 'total_debit' | 'destination_info.amount', amount: bigint) =>
    unlessRefused(() => payoutAmountFor({ path, amount }, asked, prices, NOW))
  const amount = solve('total_debit', balance)
  if (amount === undefined || by !== 'destination') return amount
  const price = unlessRefused(() => priceQuote({ ...asked, payout_amount: amount }, prices, NOW))
  return price && solve('destination_info.amount', price.destination_amount)
}

/** A conversion of at most `balance`, by one of the two amounts of a request. */
function converted(
  by: 'payout' | 'debit' | 'destination',
  [held, wanted]: readonly [string, string],
  prices: Pricing,
  balance: bigint,
): ConversionQuote | undefined {
  const account = { currencies: [held, wanted] } as unknown as Account
  const identity = { account_id: 'acc_1', id: 'coq_1', made_by: 'key_1' }
  const times = { now: NOW, at: NOW }
  const quote = (amounts: { total_debit?: number; amount?: number }) => {
    const { total_debit, amount } = amounts
    const request = {
      holding_info: { currency: held },
      destination_info: { currency: wanted, ...(amount !== undefined && { amount }) },
      ...(total_debit !== undefined && { total_debit }),
    }
    return unlessRefused(() => quoteConversion(identity, request, account, prices, times))
  }
  const most = quote({ total_debit: Number(balance) })
  return by === 'debit' || most === undefined
    ? most
    : quote({ amount: Number(most.destination_amount) })
}

test(`priceQuote and quoteConversion, ${BOOKS} chains over up to six currencies and three accounts: none ends with more than its start`, () => {
  let [ended, conversions] = [0, 0]
  fc.assert(
    fc.property(scene, s => {
      const book = bookOf(s)
      const first = s.codes[0] ?? ''
      let [held, balance] = [first, s.start]
      for (const [i, { through, to, account, by, converts }] of s.chain.entries()) {
        const last = i === s.chain.length - 1
        const wanted = last ? first : (s.codes[to] ?? '')
        if (converts && wanted !== held) {
          const quote = converted(by, [held, wanted], pricingOf(s, book, account), balance)
          if (quote === undefined) return
          assert.ok(totalDebit(quote) <= balance, 'a conversion takes at most what there is')
          assert.ok(quote.fx_income_holding >= 0n && quote.fx_income_destination === 0n)
          held = wanted
          balance = quote.destination_amount
          conversions += 1
          continue
        }
        const asked: QuoteTerms = {
          ...terms,
          holding_currency: held,
          payout_currency: s.codes[through] ?? '',
          destination_currency: wanted,
        }
        const prices = pricingOf(s, book, account)
        const payout_amount = payoutOf(by, asked, prices, balance)
        if (payout_amount === undefined) return
        const all = { ...asked, payout_amount }
        const price = unlessRefused(() => priceQuote(all, prices, NOW))
        if (price === undefined) return
        assert.ok(totalDebit(price) <= balance, 'a payout spends at most what there is')
        assert.ok(price.fx_income_holding >= 0n && price.fx_income_destination >= 0n)
        const basis = JSON.parse(JSON.stringify(price.basis))
        assert.deepEqual(priceQuote(all, sourcesOf(basis, all), NOW), price)
        held = all.destination_currency
        balance = price.destination_amount
      }
      ended += 1
      assert.ok(balance <= s.start, `${s.start} of ${first} became ${balance}`)
    }),
    { seed, numRuns: BOOKS * 4 },
  )
  assert.ok(ended > BOOKS / 4, `${ended} chains came to their end`)
  assert.ok(conversions > BOOKS, `${conversions} conversions`)
})

test('rate triangle that once turned 100,000 into 122,806: loses in every round', () => {
  const book = new RateBook(
    'EUR',
    [
      ['EUR', 'USD', '1.2'],
      ['EUR', 'GBP', '0.8'],
      ['GBP', 'USD', '1.62'],
    ].map(([base = '', quote = '', text = '']) => {
      const scale = text.length - 2
      const mid = { digits: BigInt(text.replace('.', '')), scale }
      return { base, quote, mid, source: 't', as_of: NOW, pegged: false, sample: false }
    }),
  )
  const policy = { spread_bps: 50, max_age_s: null, any_age: true }
  const rate = (from: string, to: string) => customerRate(book, policy, from, to, NOW)
  assert.equal(formatDecimal(rate('GBP', 'USD')), '1.4925')
  assert.equal(formatDecimal(rate('USD', 'GBP')), '0.614197530864')
  assert.equal(gains(['EUR', 'USD', 'GBP'], rate), false)
})
