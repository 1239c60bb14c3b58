// Quotes as tables: the price of terms (§quote.conversion, §fee.total), refusals, and how long a
// payout can use a quote (§quote.validity, §quote.expiry).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  decimal,
  feeRow,
  NOW,
  pricing,
  quoteOf,
  refusalOf,
  terms,
} from '../../test/support/given/in-memory.ts'
import { share } from '../../test/support/share.ts'
import type { Fee } from '../prices/fee/rules.ts'
import { plusMilliseconds } from '../values/instant.ts'
import { MAX_AMOUNT } from '../values/money/decimal.ts'
import { sourcesOf } from './basis.ts'
import { checkUsable, quoteStatus } from './expiry.ts'
import { PAYOUT_TYPES, type QuoteTerms } from './quote.ts'
import {
  checkExpectations,
  dearestFee,
  defaultHoldingCurrency,
  feeSubject,
  feesFor,
  makeQuote,
  priceQuote,
  routeSubject,
  totalDebit,
} from './rules.ts'

test('PAYOUT_TYPES: the types of the specification', () => {
  assert.deepEqual(PAYOUT_TYPES, [
    'swift',
    'local',
    'local_payment_network',
    'wallet',
    'service_account',
  ])
})

test('defaultHoldingCurrency: the payout currency if the account holds it, else its primary currency', () => {
  const account = { currencies: ['USD', 'EUR'], primary_currency: 'EUR' }
  assert.equal(defaultHoldingCurrency(account, 'USD'), 'USD')
  assert.equal(defaultHoldingCurrency(account, 'EUR'), 'EUR')
  assert.equal(defaultHoldingCurrency(account, 'HKD'), 'EUR')
})

const both: QuoteTerms = {
  ...terms,
  holding_currency: 'USD',
  payout_currency: 'HKD',
  payout_amount: 80_000n,
  destination_currency: 'JPY',
}
const RATES = { 'USD/HKD': '8', 'HKD/JPY': '20' }

test('priceQuote, two conversions and a fee: every figure and its basis', () => {
  const fee = feeRow({ fixed_amount: 150n, variable_bps: 25 })
  const price = priceQuote(both, pricing(RATES, [fee]), NOW)
  const { basis, ...figures } = price
  assert.deepEqual(figures, {
    holding_amount: 10_000n,
    destination_amount: 16_000n,
    holding_to_payout: decimal('8'),
    payout_to_destination: decimal('20'),
    fixed_fee_holding: 150n,
    fixed_fee_payout: 1_200n,
    variable_fee_holding: 25n,
    variable_fee_payout: 200n,
    fx_income_holding: 0n,
    fx_income_destination: 0n,
  })
  assert.deepEqual(Object.keys(basis.rates ?? {}), ['USD/HKD', 'HKD/JPY'])
  assert.deepEqual(basis.fee, { fee_currency: 'USD', fixed_amount: '150', variable_bps: 25 })
  assert.equal(totalDebit(price), 10_175n)
})

const HOLDING_AMOUNTS: readonly (readonly [
  why: string,
  rates: Readonly<Record<string, string>>,
  holding: string,
  payout: readonly [currency: string, amount: bigint],
  expected: bigint,
])[] = [
  ['2 places from 0', { 'USD/JPY': '150' }, 'USD', ['JPY', 15_000n], 10_000n],
  ['6 places from 0', { 'USDC/JPY': '160' }, 'USDC', ['JPY', 1n], 6_250n],
  ['0.8 and 2 are 2.5, up', { 'USD/EUR': '0.8' }, 'USD', ['EUR', 2n], 3n],
  // 1 ÷ 0.3 first rounds down to 3.33333333333. 10^11 USD by that rate is 3 × 10^10 + 0.031 KWD.
  [
    'the printed rate is the rate used',
    { 'USD/KWD': '0.3' },
    'KWD',
    ['USD', 10_000_000_000_000n],
    30_000_000_000_031n,
  ],
  // Doubles would lose the last digit: 9007199254740991 ÷ 3 is 3002399751580330.33.
  [
    'largest amount divided exactly',
    { 'USD/EUR': '3' },
    'USD',
    ['EUR', MAX_AMOUNT],
    3_002_399_751_580_331n,
  ],
]

for (const [why, rates, holding_currency, [currency, amount], expected] of HOLDING_AMOUNTS) {
  test(`priceQuote, holding amount = payout amount ÷ rate: rounded up once: ${why}`, () => {
    const currencies = { payout_currency: currency, destination_currency: currency }
    const asked = { ...terms, ...currencies, holding_currency, payout_amount: amount }
    assert.equal(priceQuote(asked, pricing(rates), NOW).holding_amount, expected)
  })
}

test('priceQuote, spread: both rates worse for the customer, margin computed', () => {
  const price = priceQuote(both, pricing(RATES, [], { spread_bps: 100 }), NOW)
  assert.deepEqual(price.holding_to_payout, decimal('7.92'))
  assert.deepEqual(price.payout_to_destination, decimal('19.8'))
  assert.equal(price.holding_amount, 10_102n)
  assert.equal(price.destination_amount, 15_840n)
  // At mid the same costs 100.00 USD and yields 16,000 JPY.
  assert.equal(price.fx_income_holding, 102n)
  assert.equal(price.fx_income_destination, 160n)
})

test("priceQuote, spread per pair: applied to the pair's rate, stored, same price when priced again", () => {
  const spreads = new Map([
    ['USD/HKD', 100],
    ['HKD/JPY', 50],
  ])
  const ordinary = pricing(RATES)
  const policyOf = (from: string, to: string) => ({
    ...ordinary.policyOf(from, to),
    spread_bps: spreads.get(`${from}/${to}`) ?? 0,
  })
  const price = priceQuote(both, { ...ordinary, policyOf }, NOW)
  assert.equal(price.basis.spread_bps, 100)
  assert.equal(price.basis.destination_spread_bps, 50)
  const single = priceQuote(both, pricing(RATES, [], { spread_bps: 100 }), NOW)
  const second = priceQuote(both, pricing(RATES, [], { spread_bps: 50 }), NOW)
  assert.deepEqual(price.holding_to_payout, single.holding_to_payout)
  assert.deepEqual(price.payout_to_destination, second.payout_to_destination)
  assert.deepEqual(priceQuote(both, sourcesOf(price.basis, both), NOW), price)
})

const VALIDITIES: readonly (readonly [payout: string, destination: string, seconds: number])[] = [
  ['USD', 'USD', 1_800],
  ['HKD', 'HKD', 3_600],
  ['USD', 'HKD', 3_600],
  ['HKD', 'JPY', 90],
  ['HKD', 'EUR', 1_800],
]

for (const [payout_currency, destination_currency, seconds] of VALIDITIES) {
  const way = `USD, ${payout_currency}, ${destination_currency}`
  test(`makeQuote, ${way}: valid for ${seconds} s, the shortest validity of its conversions`, () => {
    const validities = new Map([
      ['USD/HKD', 3_600],
      ['HKD/JPY', 90],
    ])
    const ordinary = pricing()
    const policyOf = (from: string, to: string) => ({
      ...ordinary.policyOf(from, to),
      quote_validity_s: validities.get(`${from}/${to}`) ?? 1_800,
    })
    const asked = { ...terms, payout_currency, destination_currency }
    const identity = { account_id: 'acc_1', id: 'poq_7', made_by: 'key_1' }
    const made = makeQuote(identity, asked, quoteOf(), 'active', NOW, { ...ordinary, policyOf })
    assert.equal(made.valid_until, plusMilliseconds(NOW, seconds * 1000))
  })
}

test('priceQuote, fee rows: the most specific matching row', () => {
  const fees = [feeRow({ fixed_amount: 1n }), feeRow({ network: 'chats', fixed_amount: 2n })]
  const named = { ...terms, fund_transfer_network: 'CHATS' }
  assert.equal(priceQuote(terms, pricing({}, fees), NOW).fixed_fee_holding, 1n)
  assert.equal(priceQuote(named, pricing({}, fees), NOW).fixed_fee_holding, 2n)
})

test('priceQuote, no rate: refused at the side without a rate', () => {
  assert.deepEqual(
    refusalOf(() => priceQuote(both, pricing({ 'HKD/JPY': '20' }), NOW)),
    ['rate_unavailable at the whole: No rate joins USD and HKD.'],
  )
  assert.deepEqual(
    refusalOf(() => priceQuote(both, pricing({ 'USD/HKD': '8' }), NOW)),
    ['rate_unavailable at the whole: No rate joins HKD and JPY.'],
  )
})

const fits = (amount: bigint, part: Partial<QuoteTerms> = {}) => ({
  ...both,
  payout_amount: amount,
  ...part,
})
const toHkd = { destination_currency: 'HKD' }
const fromHkd = { holding_currency: 'HKD' }
const tooLittle = (currency: string) =>
  `With these terms an amount comes to less than one minor unit of ${currency}.`
const tooMuch = (currency: string) =>
  `With these terms an amount comes to more than 9007199254740991 minor units of ${currency}.`

/**
 * Amounts and refusals, at these rates of USD/HKD and HKD/JPY, with a fee in the holding currency.
 */
const RANGES: readonly (readonly [
  what: string,
  terms: QuoteTerms,
  rates: readonly [string, string],
  fixed: bigint,
  messages: readonly string[],
])[] = [
  ['an eighth of a unit of the holding currency', fits(1n, toHkd), ['8', '1'], 0n, []],
  ['a whole unit of the destination currency', fits(1n, fromHkd), ['1', '100'], 0n, []],
  ['less than one unit of it', fits(1n, fromHkd), ['1', '99'], 0n, [tooLittle('JPY')]],
  ['the largest amount', fits(MAX_AMOUNT, { ...toHkd, ...fromHkd }), ['1', '1'], 0n, []],
  [
    'above the largest holding amount',
    fits(MAX_AMOUNT, toHkd),
    ['0.999999999999', '1'],
    0n,
    [tooMuch('USD')],
  ],
  [
    'above the largest destination amount',
    fits(MAX_AMOUNT, fromHkd),
    ['1', '101'],
    0n,
    [tooMuch('JPY')],
  ],
  [
    'the largest amount, with fee',
    fits(MAX_AMOUNT - 1n, { ...toHkd, ...fromHkd }),
    ['1', '1'],
    1n,
    [],
  ],
  [
    'above the largest amount with fee',
    fits(MAX_AMOUNT - 1n, { ...toHkd, ...fromHkd }),
    ['1', '1'],
    2n,
    [tooMuch('HKD')],
  ],
  // A fee shown in the payout currency may round to zero, but must not exceed the largest amount.
  ['a fee that rounds to zero when shown', fits(1n, toHkd), ['0.1', '1'], 1n, []],
  [
    'a fee out of range when shown',
    fits(1_000_000n, toHkd),
    ['8', '1'],
    MAX_AMOUNT / 8n + 1n,
    [tooMuch('HKD')],
  ],
]

for (const [what, asked, [usdHkd, hkdJpy], fixed_amount, messages] of RANGES) {
  test(`priceQuote, ${what}: ${messages.length === 0 ? 'priced' : 'refused'}`, () => {
    const fee = feeRow({ fixed_amount, fee_currency: asked.holding_currency })
    const sources = pricing({ 'USD/HKD': usdHkd, 'HKD/JPY': hkdJpy }, [fee])
    const price = () => priceQuote(asked, sources, NOW)
    const refused = messages.map(m => `amount_out_of_range at payout_info.amount: ${m}`)
    if (messages.length === 0) price()
    else assert.deepEqual(refusalOf(price), refused)
  })
}

test("priceQuote, amount out of range: refused at the request's own path", () => {
  assert.deepEqual(
    refusalOf(() => priceQuote(fits(1n, fromHkd), pricing({ 'HKD/JPY': '20' }), NOW, 'amount')),
    [`amount_out_of_range at amount: ${tooLittle('JPY')}`],
  )
  const variable = feeRow({ variable_bps: 10_000, minimum_amount: MAX_AMOUNT / 8n + 1n })
  assert.deepEqual(
    refusalOf(() => {
      priceQuote(fits(80n, toHkd), pricing({ 'USD/HKD': '8' }, [variable]), NOW, 'amount')
    }),
    [`amount_out_of_range at amount: ${tooMuch('HKD')}`],
  )
})

test('checkExpectations, expected amounts absent or equal: accepted; different: all named', () => {
  const quote = quoteOf({ holding_amount: 7n, destination_amount: 9n })
  const none = { holding_amount: undefined, destination_amount: undefined }
  checkExpectations(quote, none)
  checkExpectations(quote, { holding_amount: 7n, destination_amount: 9n })
  const holding =
    'amount_mismatch at holding_info.amount: holding_info.amount is 9 but the computed amount is 7.'
  const destination =
    'amount_mismatch at destination_info.amount: ' +
    'destination_info.amount is 7 but the computed amount is 9.'
  const refused = (expected: Parameters<typeof checkExpectations>[1]) =>
    refusalOf(() => checkExpectations(quote, expected))
  assert.deepEqual(refused({ ...none, holding_amount: 9n }), [holding])
  assert.deepEqual(refused({ ...none, destination_amount: 7n }), [destination])
  assert.deepEqual(refused({ holding_amount: 9n, destination_amount: 7n }), [holding, destination])
})

test('makeQuote: terms and price as given, validity as configured', () => {
  const identity = { account_id: 'acc_1', id: 'poq_7', made_by: 'key_1' }
  const price = priceQuote(both, pricing(RATES), NOW)
  assert.deepEqual(makeQuote(identity, both, price, 'active', NOW, pricing()), {
    ...both,
    ...price,
    account_id: 'acc_1',
    id: 'poq_7',
    made_by: 'key_1',
    status: 'active',
    valid_until: '2026-01-31T10:00:00.123456Z',
    expected_at: null,
    created_at: NOW,
    updated_at: NOW,
  })
})

const LAST = '2026-01-31T10:00:00.123455Z'
const TOO_LATE = '2026-01-31T10:00:00.123456Z'
const STATUSES = [
  ['active', LAST, 'active', undefined],
  ['active', TOO_LATE, 'expired', `quote_expired at quote: The quote was valid until ${TOO_LATE}.`],
  ['used', LAST, 'used', 'quote_used at quote: The quote was used already.'],
  ['used', TOO_LATE, 'used', 'quote_used at quote: The quote was used already.'],
] as const

for (const [stored, now, status, refused] of STATUSES) {
  test(`quote stored as ${stored}, read at ${now}: ${status}, ${refused ?? 'usable'}`, () => {
    const quote = quoteOf({ status: stored })
    assert.equal(quoteStatus(quote, now), status)
    if (refused === undefined) checkUsable(quote, now)
    else
      assert.deepEqual(
        refusalOf(() => checkUsable(quote, now)),
        [refused],
      )
  })
}

test('feesFor, no fee row: no fee where allowed, else refused, naming the missing row', () => {
  const asked = { ...terms, destination_country: 'HK', fund_transfer_network: 'chats' }
  const swift = feeRow({ payout_type: 'swift' })
  const row = feeRow({ fixed_amount: 1n })
  const live = { ...pricing(), fee_required: true }
  assert.deepEqual(feesFor(asked, pricing({}, [swift])), [])
  assert.deepEqual(feesFor(asked, { ...live, fees: [swift, row] }), [row])
  assert.deepEqual(
    refusalOf(() => feesFor(asked, { ...live, fees: [swift] })),
    [
      'fee_unavailable at the whole: No fee is set for a payout by local, payout_currency USD, ' +
        'destination_country HK, network chats.',
    ],
  )
})

test('feesFor, local payout without a network: the rows of its networks if each has one, else the general row', () => {
  const asked = { ...terms, destination_currency: 'HKD', destination_country: 'HK' }
  const [general, fps, chats] = [
    feeRow({ fixed_amount: 1n }),
    feeRow({ network: 'fps', fixed_amount: 2n }),
    feeRow({ network: 'chats', fixed_amount: 3n }),
  ]
  const live = { ...pricing(), fee_required: true }
  const rowsOf = (fees: readonly Fee[]) => feesFor(asked, { ...live, fees })
  assert.deepEqual(rowsOf([general, fps, chats]), [chats, fps])
  assert.deepEqual(rowsOf([fps, chats]), [chats, fps])
  assert.deepEqual(rowsOf([general, fps]), [general], 'it is the price of chats')
  assert.match(String(refusalOf(() => rowsOf([fps]))), /^fee_unavailable/)
  assert.deepEqual(feesFor(asked, { ...live, fees: [fps], fee_required: false }), [fps])
})

test('dearestFee, a fixed and a variable row: the higher fee at each amount', () => {
  const fixed = feeRow({ network: 'fps', fixed_amount: 10n })
  const variable = feeRow({ network: 'chats', variable_bps: 100 })
  const feeOf = (amount: bigint) =>
    dearestFee([fixed, variable], { currency: 'USD', amount }, pricing(), NOW).fee
  assert.deepEqual([999n, 1_000n, 1_001n].map(feeOf), [fixed, fixed, variable])
})

test('routeSubject of a quote: matched by destination currency, country, network and amount', () => {
  const asked = { ...both, destination_country: 'JP', fund_transfer_network: 'Zengin' }
  assert.deepEqual(routeSubject(asked, 16_000n), {
    payout_type: 'local',
    network: 'zengin',
    currency: 'JPY',
    country: 'JP',
    amount: 16_000n,
  })
})

test('feeSubject of a quote: network is the network, payment network or chain', () => {
  const all = {
    payout_type: 'swift',
    payout_currency: 'HKD',
    destination_country: 'HK',
    charge_type: 'ours',
  } as const
  assert.deepEqual(feeSubject({ ...terms, ...all }), { ...all, network: '' })
  const networkOf = (part: Partial<QuoteTerms>) => feeSubject({ ...terms, ...part }).network
  const [fund_transfer_network, payment_network, wallet_type] = ['Chats', 'Pix', 'Tron']
  assert.equal(networkOf({ fund_transfer_network, payment_network, wallet_type }), 'chats')
  assert.equal(networkOf({ payment_network, wallet_type }), 'pix')
  assert.equal(networkOf({ wallet_type }), 'tron')
})

const CHAIN = ['USD', 'EUR', 'JPY', 'KWD', 'USDC'] as const
const mids = fc.record({
  'EUR/USD': fc.constantFrom('1.1712', '0.000012', '1', '3', '7919.000000001'),
  'EUR/JPY': fc.constantFrom('181.55', '1', '0.3', '12345.678901234567'),
  'USD/KWD': fc.constantFrom('0.3061', '1', '0.7', '91'),
  'USD/USDC': fc.constantFrom('1', '0.999', '1.0000000000001'),
})
const hops = fc.array(fc.tuple(fc.constantFrom(...CHAIN), fc.constantFrom(...CHAIN)), {
  minLength: 1,
  maxLength: 6,
})

test('priceQuote, money converted through any chain of currencies: never more at the end', () => {
  fc.assert(
    fc.property(
      mids,
      hops,
      fc.bigInt({ min: 1n, max: 10n ** 12n }),
      fc.integer({ min: 0, max: 300 }),
      (rates, hops, amount, spread_bps) => {
        const sources = pricing(rates, [], { spread_bps })
        // Each hop pays the largest payout; the last goes back to the first currency.
        let [currency, left]: [string, bigint] = ['USD', amount]
        for (const [payout, destination] of [...hops, ['USD', 'USD'] as const]) {
          const paid = spend(sources, left, currency, payout, destination)
          if (paid === undefined) return
          ;[currency, left] = [destination, paid.destination_amount]
          assert.ok(paid.fx_income_holding >= 0n && paid.fx_income_destination >= 0n)
        }
        assert.ok(left <= amount, `${amount} USD became ${left} by ${JSON.stringify(hops)}`)
      },
    ),
    { numRuns: share(500, 2_000) },
  )
})

/** The largest payout that `available` covers, by binary search; undefined for none. */
function spend(
  sources: Parameters<typeof priceQuote>[1],
  available: bigint,
  holding_currency: string,
  payout_currency: string,
  destination_currency: string,
) {
  const currencies = { holding_currency, payout_currency, destination_currency }
  const price = (payout_amount: bigint) => {
    try {
      return priceQuote({ ...terms, ...currencies, payout_amount }, sources, NOW)
    } catch {
      return undefined
    }
  }
  let [low, high] = [0n, MAX_AMOUNT]
  while (low < high) {
    const middle = (low + high + 1n) / 2n
    const cost = price(middle)
    // Pricing refuses a small amount for its destination amount, and a large one for its debit.
    const fits = cost === undefined ? middle < 10_000_000n : totalDebit(cost) <= available
    if (fits) low = middle
    else high = middle - 1n
  }
  return low === 0n ? undefined : price(low)
}
