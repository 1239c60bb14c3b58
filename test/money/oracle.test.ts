// Prices against an independent oracle: PostgreSQL's numeric computes the same quotes from the same
// rates and fee rows, by the words of the specification and sharing no code. 100,000 random cases,
// no difference.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { feeAmounts } from '../../src/prices/fee/rules.ts'
import { type Rate, RateBook } from '../../src/prices/rate/rules.ts'
import type { QuoteTerms } from '../../src/quotes/quote.ts'
import { priceQuote, totalDebit } from '../../src/quotes/rules.ts'
import { CURRENCIES, currencyExponent } from '../../src/values/money/currency.ts'
import { formatDecimal, MAX_AMOUNT, parseDecimal } from '../../src/values/money/decimal.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { feeRow, pricing, terms } from '../support/given/in-memory.ts'
import { pickSeed } from '../support/service/process.ts'
import { share } from '../support/share.ts'

const CASES = share(4_000, 100_000)
const BATCH = Math.min(CASES, 10_000)
const seed = pickSeed()
console.log(`SEED=${seed}`)

let database: TestDatabase
before(async () => {
  database = await createDatabase()
})
after(() => database.drop())

/** One random case: amounts as text, so that it travels as JSON. */
interface Case {
  holding: string
  payout: string
  destination: string
  amount: string
  mid_holding: string
  mid_destination: string
  spread: number
  fixed: string
  bps: number
  minimum: string
  maximum: string
}

const codes = [...CURRENCIES.keys()]
const positive = (max: bigint) => fc.bigInt({ min: 1n, max }).map(String)
/** Mid rates from 1e-8 to 1e8 with up to 12 digits. */
const mid = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 12n - 1n }), fc.integer({ min: 4, max: 20 }))
  .map(([digits, scale]) => formatDecimal({ digits, scale }))
const cases: fc.Arbitrary<Case> = fc.record({
  holding: fc.constantFrom(...codes),
  payout: fc.constantFrom(...codes),
  destination: fc.constantFrom(...codes),
  amount: fc.oneof(positive(10_000_000n), positive(MAX_AMOUNT)),
  mid_holding: mid,
  mid_destination: mid,
  spread: fc.integer({ min: 0, max: 500 }),
  fixed: fc.bigInt({ min: 0n, max: 100_000n }).map(String),
  bps: fc.integer({ min: 0, max: 1_000 }),
  minimum: fc.bigInt({ min: 0n, max: 5_000n }).map(String),
  maximum: fc.bigInt({ min: 5_000n, max: 10_000_000n }).map(String),
})

/** What the product computes: null where it refuses an amount out of range. */
function byProduct(c: Case): readonly string[] | null {
  const mids = new RateBook('none', ratesOf(c))
  const prices = { ...pricing({}, [], { spread_bps: c.spread }), rates: mids }
  const now = '2026-01-01T00:00:00.000000Z'
  try {
    const price = priceQuote(termsOf(c), prices, now)
    // The fee row is named in the holding currency, so that no third rate takes part.
    const fee = feeRow({
      fixed_amount: BigInt(c.fixed),
      fee_currency: c.holding,
      variable_bps: c.bps,
      minimum_amount: BigInt(c.minimum),
      maximum_amount: BigInt(c.maximum),
    })
    const withFee = priceQuote(termsOf(c), { ...prices, fees: [fee] }, now)
    const holding = { currency: c.holding, amount: price.holding_amount }
    const { fixed, variable } = feeAmounts(fee, holding, prices, now)
    assert.equal(withFee.fixed_fee_holding, fixed)
    assert.equal(totalDebit(withFee), price.holding_amount + fixed + variable)
    return [
      formatDecimal(price.holding_to_payout),
      formatDecimal(price.payout_to_destination),
      price.holding_amount,
      price.destination_amount,
      withFee.fixed_fee_holding,
      withFee.variable_fee_holding,
      withFee.fixed_fee_payout,
      withFee.variable_fee_payout,
      withFee.fx_income_holding,
      withFee.fx_income_destination,
    ].map(String)
  } catch (error) {
    assert.match(String(error), /minor unit/)
    return null
  }
}

function ratesOf(c: Case): Rate[] {
  const row = (base: string, quote: string, text: string) => {
    const value = parseDecimal(text)
    assert.ok(value)
    const as_of = '2026-01-01T00:00:00.000000Z'
    return { base, quote, mid: value, source: 'test', as_of, pegged: false, sample: false }
  }
  return [row(c.payout, c.destination, c.mid_destination), row(c.holding, c.payout, c.mid_holding)]
}

function termsOf(c: Case): QuoteTerms {
  return {
    ...terms,
    holding_currency: c.holding,
    payout_currency: c.payout,
    payout_amount: BigInt(c.amount),
    destination_currency: c.destination,
  }
}

/** The same by PostgreSQL: numeric division to 80 places; rates and credits down, the rest up. */
async function byOracle(batch: readonly Case[]): Promise<(readonly string[] | null)[]> {
  const rows = batch.map((c, i) => ({
    ...c,
    i,
    eh: currencyExponent(c.holding),
    ep: currencyExponent(c.payout),
    ed: currencyExponent(c.destination),
  }))
  const answers = await database.owner.unsafe<{ figures: string[] | null }[]>(
    `with input as (
       select * from json_to_recordset($1::text::json) as t(i int, holding text, payout text,
         destination text, amount numeric, mid_holding numeric, mid_destination numeric,
         spread numeric, fixed numeric, bps numeric, minimum numeric, maximum numeric,
         eh int, ep int, ed int)
     ), rates as (
       select *,
         case when holding = payout then 1
           else pg_temp.significant(mid_holding * (10000 - spread) * 0.0001) end as r_h,
         case when payout = destination then 1
           else pg_temp.significant(mid_destination * (10000 - spread) * 0.0001) end as r_d
       from input
     ), amounts as (
       select *,
         ceil(amount * 10::numeric ^ eh / (r_h * 10::numeric ^ ep)::numeric(200, 80)) as held,
         floor(amount * r_d * 10::numeric ^ (ed - ep)) as sent,
         case when holding = payout then amount else ceil(
           amount * 10::numeric ^ eh / (mid_holding * 10::numeric ^ ep)::numeric(200, 80)) end as cost,
         case when payout = destination then amount
           else floor(amount * mid_destination * 10::numeric ^ (ed - ep)) end as worth
       from rates
     ), fees as (
       select *, least(greatest(ceil(held * bps * 0.0001), minimum), maximum) as variable
       from amounts
     ), shown as (
       select *,
         ceil(fixed * r_h * 10::numeric ^ (ep - eh)) as fixed_shown,
         ceil(variable * r_h * 10::numeric ^ (ep - eh)) as variable_shown
       from fees
     )
     select case
       when held < 1 or sent < 1
         or greatest(held + fixed + variable, sent, fixed_shown, variable_shown) > $2 then null
       else json_build_array(
         trim_scale(r_h)::text, trim_scale(r_d)::text, held::text, sent::text, fixed::text,
         variable::text, fixed_shown::text, variable_shown::text, (held - cost)::text,
         (worth - sent)::text)
       end as figures
     from shown order by i`,
    [JSON.stringify(rows), MAX_AMOUNT.toString()],
  )
  return answers.map(row => row.figures)
}

test(`priceQuote, ${CASES} random quotes: not one figure differs from the numeric oracle`, async () => {
  await database.owner.unsafe(
    `create function pg_temp.significant(x numeric) returns numeric language sql immutable as
     $$ select trunc(x, 12 - 1 - floor(log(x))::int) $$`,
  )
  let priced = 0
  for (let done = 0; done < CASES; done += BATCH) {
    const batch = fc
      .sample(cases, { seed: seed + done, numRuns: BATCH })
      // A destination leg straight back into the holding currency would share the first leg's row.
      .filter(c => c.holding !== c.destination || c.holding === c.payout)
    const answers = await byOracle(batch)
    batch.forEach((c, i) => {
      const product = byProduct(c)
      if (product !== null) priced += 1
      assert.deepEqual(product, answers[i], JSON.stringify(c))
    })
  }
  console.log(`${priced} priced, the rest refused by both as out of range`)
  assert.ok(priced > CASES / 4)
})
