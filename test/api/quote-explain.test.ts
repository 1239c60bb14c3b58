// ?explain=true on quotes: what the price was made from, worked out again here by fractions of
// bigints that share no code with the product, and told the same way whatever has changed since.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { Fee } from '../../src/prices/fee/rules.ts'
import type { Pricing } from '../../src/prices/price.ts'
import { type Rate, RateBook } from '../../src/prices/rate/rules.ts'
import { presentExplained } from '../../src/quotes/response.ts'
import { makeQuote, priceQuote } from '../../src/quotes/rules.ts'
import { CURRENCIES } from '../../src/values/money/currency.ts'
import { MAX_AMOUNT } from '../../src/values/money/decimal.ts'
import { assertRefused } from '../support/assert/check.ts'
import { inJapan } from '../support/given/bodies.ts'
import { feeRow, pricing, terms } from '../support/given/in-memory.ts'
import { assertExplained } from '../support/oracle/by-hand.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const PATH = '/v3/payout/quote'
const EXPLAINED = `${PATH}?explain=true`
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
console.log(`SEED=${seed}`)

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  const currencies = ['USD', 'EUR', 'HKD', 'JPY', 'KWD', 'USDC']
  const fund = { USD: 1_000_000_000n, EUR: 1_000_000_000n }
  account = await service.openAccount({ currencies, fund })
})
after(() => service.close())

/** Priced with this spread, by the rates and fees that a test sets. */
async function pricedBy(spread_bps = 0): Promise<void> {
  await service.database.owner`delete from rates`
  await service.setPricing({ spread_bps })
  await service.setFees([])
}

const RATES = {
  'EUR/USD': '1.1269',
  'EUR/HKD': '8.8438',
  'USD/JPY': '150',
  'KWD/USD': '3.25',
  'USD/USDC': '1',
}
const FEES: readonly Partial<Fee>[] = [
  { fixed_amount: 150n, variable_bps: 20, minimum_amount: 100n, maximum_amount: 9_000n },
  { payout_type: 'wallet', fixed_amount: 2_000n, fee_currency: 'JPY', variable_bps: 5 },
  {
    payout_type: 'swift',
    charge_type: 'ours',
    fixed_amount: 1_000n,
    fee_currency: 'EUR',
    variable_bps: 10,
    minimum_amount: 500n,
    maximum_amount: 7_000n,
  },
]

interface Case {
  readonly what: string
  readonly body: object
  /** Methods of both rates, and of the fee's conversion where there is one. */
  readonly methods: readonly string[]
  /** Some members at spread 0, worked out by hand. */
  readonly figures: Readonly<Record<string, readonly [unrounded: string, rounded: string]>>
}

const paid = (currency: string, amount: number, holding: string) => ({
  payout_info: { currency, amount },
  holding_info: { currency: holding },
})

const CASES: readonly Case[] = [
  {
    what: 'one currency',
    body: paid('USD', 75_000, 'USD'),
    methods: ['same_currency', 'same_currency'],
    figures: {
      'exchange_rates.holding_to_payout': ['1', '1'],
      'holding_info.amount': ['75000', '75000'],
      'variable_fee.before_bounds': ['150', '150'],
      'total_debit.amount': ['75300', '75300'],
    },
  },
  {
    what: 'the inverse of a row, three places',
    body: { ...paid('KWD', 325, 'USD'), payout_type: 'swift' },
    methods: ['inverted', 'same_currency'],
    // 1 ÷ 3.25 = 0.307692307692 307…; 325 fils at the rate as it is printed
    figures: {
      'exchange_rates.holding_to_payout': ['0.30769230769230769230', '0.307692307692'],
      'holding_info.amount': ['105.62500000010562500', '106'],
    },
  },
  {
    what: 'a stablecoin of six places, the fee named in yen',
    body: { ...paid('USDC', 150_000_000, 'USD'), payout_type: 'wallet' },
    methods: ['direct', 'same_currency', 'inverted'],
    figures: {
      'holding_info.amount': ['15000', '15000'],
      // 2 000 ÷ 150 × 100
      'fee_info.fixed.in_holding_currency': ['1333.3333333333333333', '1334'],
      'variable_fee.before_bounds': ['7.5', '8'],
    },
  },
  {
    what: 'three currencies, bounds of the fee named in euros',
    body: {
      ...paid('HKD', 1_000_001, 'USD'),
      payout_type: 'swift',
      swift: { charge_type: 'ours' },
      destination_info: { currency: 'EUR', country: 'DE' },
    },
    methods: ['crossed', 'inverted', 'direct'],
    figures: {
      // 1 ÷ 8.8438
      'exchange_rates.payout_to_destination': ['0.11307356566181957981', '0.113073565661'],
      'variable_fee.minimum_amount': ['563.45', '564'],
      'variable_fee.maximum_amount': ['7888.3', '7889'],
      'fee_info.fixed.in_holding_currency': ['1126.9', '1127'],
    },
  },
]

test(`POST ${EXPLAINED}: every figure can be computed from the printed ones`, async t => {
  await pricedBy()
  await service.setRates(RATES, '2026-10-06T14:00:00Z')
  await service.setFees(FEES)
  for (const { what, body, methods, figures } of CASES) {
    await t.test(what, async () => {
      const answer = await account.post(EXPLAINED, body)
      assert.equal(answer.status, 200, answer.text)
      assertExplained(answer.json)
      const { explanation } = answer.json
      const { rates, fee_conversion, amounts, total_debit } = explanation
      const ways = fee_conversion === null ? rates : [...rates, fee_conversion]
      assert.deepEqual(
        ways.map((way: { method: string }) => way.method),
        methods,
      )
      for (const { spread_bps } of rates) {
        assert.equal(spread_bps, 0)
      }
      for (const { source, as_of } of ways.flatMap((way: { rows: object[] }) => way.rows)) {
        assert.deepEqual([source, as_of], ['test', '2026-10-06T14:00:00.000000Z'])
      }
      const read = await account.get(`${PATH}/${answer.json.id}?explain=true`)
      assert.equal(read.text, answer.text)
      for (const [name, expected] of Object.entries(figures)) {
        const found = [...rates, ...amounts, total_debit].find(({ figure }) => figure === name)
        assert.deepEqual([found?.unrounded, found?.rounded], expected, name)
      }
    })
  }
})

test(`POST ${EXPLAINED}, spread of 25: prints the mid before and the rate after the spread`, async () => {
  await pricedBy(25)
  await service.setRates(RATES)
  const { json } = await account.post(EXPLAINED, paid('HKD', 1_000_000, 'USD'))
  const [rate] = json.explanation.rates
  assert.equal(rate.mid.formula, '1 / mid(EUR/USD) * mid(EUR/HKD)')
  assert.equal(rate.mid.calculation, '1 / 1.1269 * 8.8438')
  assert.equal(rate.formula, `${rate.mid.formula} * (10000 - spread_bps) / 10000`)
  assert.equal(rate.calculation, '1 / 1.1269 * 8.8438 * 9975 / 10000')
  assert.equal(rate.rounding, 'down_12_digits')
  assert.equal(rate.rounded, String(json.exchange_rates.holding_to_payout))
  const [amount] = json.explanation.amounts
  assert.equal(amount.formula, 'payout_info.amount / exchange_rates.holding_to_payout')
  assert.equal(amount.calculation, `1000000 / ${rate.rounded}`)
})

test(`POST ${EXPLAINED}, fee row: printed, with null for each wildcard`, async () => {
  await pricedBy()
  const row = { payout_currency: 'HKD', network: 'chats', destination_country: 'HK' }
  await service.setFees([{ ...row, fixed_amount: 7n, maximum_amount: 5n, variable_bps: 3 }])
  await service.setRates({ 'USD/HKD': '8' })
  const answer = await account.post(EXPLAINED, {
    ...paid('HKD', 50_000, 'HKD'),
    destination_info: { currency: 'HKD', country: 'HK' },
    local: { fund_transfer_network: 'CHATS' },
  })
  assert.deepEqual(answer.json.explanation.fee_row, {
    payout_type: 'local',
    ...row,
    charge_type: null,
    fixed_amount: '7',
    fee_currency: 'USD',
    variable_bps: 3,
    minimum_amount: null,
    maximum_amount: '5',
  })
  assertExplained(answer.json)
})

/** Everything a price depends on, at random. */
const codes = [...CURRENCIES.keys()]
const mid = fc.record({
  digits: fc.bigInt({ min: 1n, max: 10n ** 12n - 1n }),
  scale: fc.integer({ min: 4, max: 20 }),
})
const amountUpTo = (max: bigint) => fc.bigInt({ min: 0n, max })
const prices = fc.record({
  holding: fc.constantFrom(...codes),
  payout: fc.constantFrom(...codes),
  destination: fc.constantFrom(...codes),
  fee_currency: fc.constantFrom(...codes),
  pivot: fc.constantFrom(...codes),
  amount: fc.oneof(amountUpTo(10_000_000n), amountUpTo(MAX_AMOUNT)),
  mids: fc.array(mid, { minLength: 6, maxLength: 6 }),
  /** For each pair: its own row, the inverse row, or both through the pivot. */
  ways: fc.array(fc.constantFrom('direct', 'inverse', 'cross'), { minLength: 3, maxLength: 3 }),
  spread: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 500 })),
  fee: fc.option(
    fc.record({
      fixed_amount: amountUpTo(100_000n),
      variable_bps: fc.integer({ min: 0, max: 1_000 }),
      minimum_amount: fc.option(amountUpTo(5_000n)),
      maximum_amount: fc.option(fc.bigInt({ min: 5_000n, max: 10_000_000n })),
    }),
  ),
})
type Priced = typeof prices extends fc.Arbitrary<infer T> ? T : never

function pricingOf(c: Priced): Pricing {
  const rates = new Map<string, Rate>()
  const add = (base: string, quote: string, i: number) => {
    const rate = c.mids[i]
    assert.ok(rate)
    if (base === quote || rates.has(`${base}/${quote}`) || rates.has(`${quote}/${base}`)) return
    const as_of = `2026-01-0${i + 1}T00:00:00.000000Z`
    rates.set(`${base}/${quote}`, {
      base,
      quote,
      mid: rate,
      source: `s${i}`,
      as_of,
      pegged: false,
      sample: false,
    })
  }
  const pairs = [
    [c.holding, c.payout],
    [c.payout, c.destination],
    [c.fee_currency, c.holding],
  ] as const
  for (const [i, [from, to]] of pairs.entries()) {
    if (c.ways[i] === 'direct') add(from, to, 2 * i)
    else if (c.ways[i] === 'inverse') add(to, from, 2 * i)
    else {
      add(c.pivot, from, 2 * i)
      add(c.pivot, to, 2 * i + 1)
    }
  }
  const fees = c.fee === null ? [] : [feeRow({ ...c.fee, fee_currency: c.fee_currency })]
  const priced = pricing({}, fees, { spread_bps: c.spread })
  return { ...priced, rates: new RateBook(c.pivot, [...rates.values()]) }
}

const NOW = '2026-02-01T00:00:00.000000Z'

/** The answer of a quote that was stored and read; undefined where the price is refused. */
function explainedOf(c: Priced) {
  const asked = {
    ...terms,
    holding_currency: c.holding,
    payout_currency: c.payout,
    payout_amount: c.amount,
    destination_currency: c.destination,
  }
  try {
    const price = priceQuote(asked, pricingOf(c), NOW)
    const basis = JSON.parse(JSON.stringify(price.basis))
    const identity = { account_id: 'acc_a', id: 'poq_a', made_by: 'key_a' }
    const quote = makeQuote(identity, asked, { ...price, basis }, 'active', NOW, pricingOf(c))
    return JSON.parse(JSON.stringify(presentExplained(quote, NOW)))
  } catch (error) {
    assert.match(String(error), /minor unit|No rate joins/)
    return undefined
  }
}

const QUOTES = share(400, 2_000)

test(`quote explanation, ${QUOTES} random quotes: every figure equals its recomputation in fractions`, () => {
  const methods = new Set<string>()
  let explained = 0
  for (let round = 0; explained < QUOTES; round++) {
    for (const c of fc.sample(prices, { seed: seed + round, numRuns: 1_000 })) {
      const quote = explainedOf(c)
      if (quote === undefined || explained === QUOTES) continue
      explained += 1
      const { rates, fee_conversion } = quote.explanation
      for (const { method } of [...rates, fee_conversion ?? { method: 'no fee' }])
        methods.add(method)
      assertExplained(quote)
    }
  }
  const all = ['crossed', 'direct', 'inverted', 'no fee', 'same_currency']
  assert.deepEqual([...methods].sort(), all)
})

test(`POST and GET ${PATH}, explain=false or absent: bytes without any explanation`, async () => {
  await pricedBy()
  await service.setRates(RATES)
  await service.setFees(FEES)
  const body = paid('HKD', 1_000_000, 'USD')
  for (const query of ['', '?explain=false']) {
    const made = await account.post(`${PATH}${query}`, body)
    assert.equal(made.status, 200, made.text)
    assert.deepEqual(Object.keys(made.json), PLAIN)
    const plain = await account.get(`${PATH}/${made.json.id}`)
    assert.equal(plain.text, made.text)
    assert.equal((await account.get(`${PATH}/${made.json.id}?explain=false`)).text, made.text)
    const explained = await account.get(`${PATH}/${made.json.id}?explain=true`)
    assert.ok(explained.text.startsWith(`${made.text.slice(0, -1)},"explanation":{`))
  }
  const list = await account.get(PATH)
  for (const quote of list.json.data.results) assert.deepEqual(Object.keys(quote), PLAIN)
})

const PLAIN = [
  ...['id', 'object', 'payout_type', 'local', 'local_payment_network', 'wallet', 'holding_info'],
  ...['payout_info', 'destination_info', 'fee_info', 'exchange_rates', 'total_debit'],
  'valid_until',
  'expected_at',
  'status',
  'made_by',
  ...['created_at', 'updated_at'],
]

test(`GET ${EXPLAINED}, rates and fees replaced since: explained at the quote's own prices, also for quotes made by payouts`, async () => {
  await pricedBy(25)
  await service.setRates(RATES, '2026-10-06T14:00:00Z')
  await service.setFees(FEES)
  const asked = await account.post(EXPLAINED, paid('HKD', 1_000_000, 'USD'))
  const payout = { ...inJapan, currency: 'JPY', amount: 123_457, holding_currency: 'USD' }
  const made = await account.post('/v3/payout', payout)
  assert.equal(made.status, 200, made.text)
  await service.setRates({ 'EUR/USD': '2', 'EUR/HKD': '3', 'USD/HKD': '4', 'USD/JPY': '1' })
  await service.setFees([{ fixed_amount: 1n }])
  const read = await account.get(`${PATH}/${asked.json.id}?explain=true`)
  assert.equal(read.text, asked.text)
  const { quote, holding_fx_transaction: fx } = made.json.data
  const { json } = await account.get(`${PATH}/${quote}?explain=true`)
  assertExplained(json)
  assert.equal(json.explanation.rates[0].rounded, String(fx.exchange_rate))
  assert.equal(json.explanation.amounts[0].rounded, String(fx.initial.amount))
})

test(`POST ${EXPLAINED}, Idempotency-Key replayed: explanation only if the first request asked for it`, async () => {
  await pricedBy()
  const body = paid('USD', 100, 'USD')
  const ask = (query: string, key: string) =>
    account.post(`${PATH}${query}`, body, { 'idempotency-key': key })
  const explained = await ask('?explain=true', 'k-1')
  assert.equal(explained.status, 200, explained.text)
  const again = await ask('?explain=true', 'k-1')
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(again.text, explained.text)
  for (const query of ['', '?explain=false']) {
    assertRefused(await ask(query, 'k-1'), 422, 'idempotency_key_reused', 'Idempotency-Key')
  }
  const plain = await ask('', 'k-2')
  assert.equal((await ask('?explain=false', 'k-2')).text, plain.text)
  const other = await ask('?explain=true', 'k-2')
  assertRefused(other, 422, 'idempotency_key_reused', 'Idempotency-Key')
})
