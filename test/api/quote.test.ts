// POST /v3/payout/quote, GET /v3/payout/quote/{id} and GET /v3/rate: what can be asked, what is
// refused, the resource that comes back, and a row of each kind of price. Rates, fees and figures are
// tabled in src/prices and src/quotes; the figures here are worked out by hand.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  assertProblems,
  assertRefused,
  assertShape,
  balancesOf,
  rowVersions,
} from '../support/assert/check.ts'
import { idOf, QUOTE, WITH_OFFSET } from '../support/assert/shapes.ts'
import { localPayout } from '../support/given/bodies.ts'
import {
  type Client,
  type PricingValues,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const PATH = '/v3/payout/quote'
let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({
    currencies: ['USD', 'EUR'],
    primary: 'USD',
    fund: { USD: 1_000_000n },
  })
  await service.setRates({
    'USD/HKD': '7.81',
    'USD/EUR': '0.8',
    'USD/BRL': '5',
    'USD/USDC': '1',
  })
})
after(() => service.close())

async function quoted(body: object) {
  const answer = await account.post(PATH, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const local = { fund_transfer_network: '' }
const network = { payment_network: '' }

const TYPES: readonly [type: string, request: object, expected: object][] = [
  [
    'swift',
    { payout_info: { currency: 'EUR', amount: 800 }, swift: { charge_type: 'ours' } },
    { local, local_payment_network: network, wallet: {} },
  ],
  [
    'local',
    {
      payout_info: { currency: 'HKD', amount: 781 },
      destination_info: { currency: 'HKD', country: 'HK' },
      local: { fund_transfer_network: 'chats' },
    },
    {
      local: { fund_transfer_network: 'chats' },
      local_payment_network: network,
      wallet: {},
    },
  ],
  [
    'local_payment_network',
    { payout_info: { currency: 'BRL', amount: 500 }, local_payment_network: { type: 'pix' } },
    { local, local_payment_network: { payment_network: 'pix' }, wallet: {} },
  ],
  [
    'wallet',
    { payout_info: { currency: 'USDC', amount: 5_000_000 }, wallet: { type: 'ethereum' } },
    { local, local_payment_network: network, wallet: { type: 'ethereum', network: 'ERC20' } },
  ],
  [
    'service_account',
    { payout_info: { currency: 'USD', amount: 100 } },
    { local, local_payment_network: network, wallet: {} },
  ],
]

for (const [payout_type, request, expected] of TYPES) {
  test(`POST ${PATH}, payout_type ${payout_type} with its detail object: every documented field, no envelope`, async () => {
    const quote = await quoted({ payout_type, ...request })
    assertShape(quote, QUOTE)
    assert.match(quote.id, idOf('poq'))
    assert.equal(quote.id.length, 24)
    assert.equal(quote.object, 'payout_quote')
    assert.equal(quote.status, 'active')
    assert.equal(quote.payout_type, payout_type)
    for (const [field, value] of Object.entries(expected)) {
      assert.deepEqual(quote[field], value, field)
    }
  })
}

test(`POST ${PATH}, no destination_info: destination equals payout currency and amount, rate 1`, async () => {
  const quote = await quoted({ payout_info: { currency: 'HKD', amount: 781 } })
  assert.deepEqual(quote.destination_info, { currency: 'HKD', amount: 781 })
  assert.equal(quote.exchange_rates.payout_to_destination, 1)
})

test(`POST ${PATH}, one currency, no payout_type: local, both rates 1, three equal amounts, valid for 30 minutes`, async () => {
  const before_ms = Date.now()
  const quote = await quoted({ payout_info: { currency: 'USD', amount: 12_345 } })
  assert.equal(quote.payout_type, 'local')
  const same = { currency: 'USD', amount: 12_345 }
  assert.deepEqual(
    [quote.holding_info, quote.payout_info, quote.destination_info],
    [same, same, same],
  )
  assert.deepEqual(quote.exchange_rates, { holding_to_payout: 1, payout_to_destination: 1 })
  const none = { in_holding_currency: 0, in_payout_currency: 0 }
  assert.deepEqual(quote.fee_info, { fixed: none, variable: none })
  for (const field of ['created_at', 'updated_at', 'valid_until']) {
    assert.match(quote[field], WITH_OFFSET, field)
  }
  assert.equal(Date.parse(quote.valid_until) - Date.parse(quote.created_at), 1_800_000)
  assert.equal(quote.updated_at, quote.created_at)
  assert.ok(Math.abs(Date.parse(quote.created_at) - before_ms) < 10_000)
})

const TRUE_EXPECTATIONS = {
  payout_info: { currency: 'HKD', amount: 781_000 },
  holding_info: { currency: 'USD', amount: 100_000 },
  destination_info: { currency: 'HKD', country: 'HK', amount: 781_000 },
}

test(`POST ${PATH}, holding_info.amount wrong by one: 400 naming the computed amount`, async () => {
  const holding_info = { currency: 'USD', amount: 99_999 }
  const answer = await account.post(PATH, { ...TRUE_EXPECTATIONS, holding_info })
  assert.equal(answer.status, 400, answer.text)
  assert.equal(answer.json.errors[0].remarks, 'holding_info.amount')
  assert.match(answer.json.errors[0].message, /\b100000\b/)
})

/** The others are tabled in src/quotes/terms.test.ts. */
const REFUSED: readonly [body: object, reason: string, remarks: string][] = [
  [{ payout_type: 'swift', local: {} }, 'type_mismatch', 'local'],
  [{ holding_info: { currency: 'HKD' } }, 'holding_currency_not_found', 'holding_info.currency'],
  [{ payout_info: undefined }, 'invalid_field', 'payout_info'],
  [{ total_debit: 100 }, 'invalid_field', 'total_debit'],
]

test(`POST ${PATH}, invalid requests: 400 at the faulty member`, async () => {
  for (const [body, reason, remarks] of REFUSED) {
    const info = { payout_info: { currency: 'USD', amount: 100 } }
    assertRefused(await account.post(PATH, { ...info, ...body }), 400, reason, remarks)
  }
})

test(`GET ${PATH}/{id}, new quote: the bytes of its creation, no envelope`, async () => {
  const created = await account.post(PATH, TRUE_EXPECTATIONS)
  const fetched = await account.get(`${PATH}/${created.json.id}`)
  assert.equal(fetched.status, 200)
  assert.equal(fetched.text, created.text)
  assert.equal(fetched.json.data, undefined)
})

test(`GET ${PATH}/{id}, after valid_until: status expired, computed on read`, async () => {
  const { id } = await quoted({ payout_info: { currency: 'USD', amount: 100 } })
  const { owner } = service.database
  await owner`update quotes set valid_until = statement_timestamp() where id = ${id}`
  assert.equal((await account.get(`${PATH}/${id}`)).json.status, 'expired')
  await owner`
    update quotes set valid_until = statement_timestamp() + interval '1 minute' where id = ${id}`
  assert.equal((await account.get(`${PATH}/${id}`)).json.status, 'active')
})

test(`POST ${PATH}, total_debit in place of the payout amount: the largest payout within it, which can be paid`, async () => {
  await service.setFees([{ fixed_amount: 251n, variable_bps: 37 }])
  const body = { payout_info: { currency: 'HKD' }, holding_info: { currency: 'USD' } }
  const quote = await quoted({ ...body, total_debit: 100_000 })
  assert.ok(quote.total_debit.amount <= 100_000, JSON.stringify(quote.total_debit))
  const { amount } = quote.payout_info
  const more = await quoted({ ...body, payout_info: { currency: 'HKD', amount: amount + 1 } })
  assert.ok(more.total_debit.amount > 100_000)
  const { currency } = quote.payout_info
  const paid = await account.post('/v3/payout', {
    ...localPayout,
    quote: quote.id,
    amount,
    currency,
  })
  assert.equal(paid.status, 200, paid.text)
  assert.deepEqual(paid.json.data.total_debit, quote.total_debit)
  const nothing = await account.post(PATH, { ...body, total_debit: 251 })
  assertRefused(nothing, 400, 'amount_out_of_range', 'total_debit')
  await service.setFees([])
})

/** Priced by this alone, with no rate and no fee. */
async function pricedBy(pricing: PricingValues = {}): Promise<void> {
  await service.database.owner`delete from rates`
  await service.setPricing({ max_age_s: 'calendar', ...pricing })
  await service.setFees([])
}

test(`POST ${PATH}, three currencies: a rate for each side, destination amount rounded down`, async () => {
  await pricedBy()
  await service.setRates({ 'USD/EUR': '0.8', 'EUR/JPY': '160' })
  const account = await service.openAccount({ currencies: ['USD'] })
  const answer = await account.post(PATH, {
    payout_info: { currency: 'EUR', amount: 1_000_003 },
    destination_info: { currency: 'JPY', country: 'JP' },
  })
  assert.equal(answer.status, 200, answer.text)
  // 12500.0375 USD, and 1600004.8 JPY.
  assert.deepEqual(answer.json.holding_info, { currency: 'USD', amount: 1_250_004 })
  assert.deepEqual(answer.json.destination_info, { currency: 'JPY', amount: 1_600_004 })
  const rates = { holding_to_payout: 0.8, payout_to_destination: 160 }
  assert.deepEqual(answer.json.exchange_rates, rates)
})

test('POST /v3/payout, rate too old: without a quote 503 and nothing written; with a quote paid at its rate', async () => {
  await pricedBy({ max_age_s: 3_600 })
  await service.setFees([{}])
  await service.setRoutes([{}])
  const account = await service.openAccount({
    sandbox: false,
    currencies: ['USD'],
    fund: { USD: 100_000n },
  })
  await service.setRates({ 'USD/HKD': '8' })
  const payout_info = { currency: 'HKD', amount: 80_000 }
  const quote = (await account.post(PATH, { payout_info })).json.id
  await service.setRates({ 'USD/HKD': '4' }, '2020-01-01T00:00:00Z')
  const before = await rowVersions(service.database.owner)
  const body = { ...localPayout, currency: 'HKD', amount: 80_000 }
  assertRefused(await account.post('/v3/payout', body), 503, 'rate_stale')
  assert.deepEqual(await rowVersions(service.database.owner), before)
  const paid = await account.post('/v3/payout', { ...body, quote })
  assert.equal(paid.status, 200, paid.text)
  assert.deepEqual(await balancesOf(account), { USD: '90000' })
})

test(`POST ${PATH}, several fee rows match: the most specific row, in both currencies`, async () => {
  await pricedBy()
  await service.setRates({ 'USD/HKD': '8', 'USD/EUR': '0.8' })
  const account = await service.openAccount({ currencies: ['USD'] })
  const named = { payout_currency: 'HKD', destination_country: 'HK' }
  const fee = { fixed_amount: 200n, variable_bps: 1, minimum_amount: 80n, fee_currency: 'EUR' }
  await service.setFees([{ fixed_amount: 1n }, { ...named, network: 'chats', ...fee }])
  const payout_info = { currency: 'HKD', amount: 80_000 }
  const local = { fund_transfer_network: 'CHATS' }
  const { json } = await account.post(PATH, { payout_info, local })
  // Of 100 USD a basis point is less than the minimum. Euros are converted at the book.
  assert.deepEqual(json.fee_info, {
    fixed: { in_holding_currency: 250, in_payout_currency: 2_000 },
    variable: { in_holding_currency: 100, in_payout_currency: 800 },
  })
  assert.equal(json.total_debit.amount, 10_000 + 250 + 100)
  // The networks of HKD are all in Hong Kong, and nothing else is meant by a local payout.
  await service.setFees([{ fixed_amount: 1n }, { fixed_amount: 5n, ...named }])
  const other = await account.post(PATH, { payout_info })
  assert.equal(other.json.fee_info.fixed.in_holding_currency, 5)
})

const PAIRS = [
  // One row, its inverse, through the pivot, and the same currency, without a spread.
  ['EUR', 'USD', 'direct', '1.25', 1.24375],
  ['USD', 'EUR', 'inverted', '0.8', 0.796],
  ['USD', 'HKD', 'crossed', '8', 7.96],
  ['USD', 'USD', 'same_currency', '1', 1],
] as const

test('GET /v3/rate, each kind of pair: the rate that a quote has, spread included; live account: also the time until which it is good', async () => {
  await pricedBy({ spread_bps: 50, pivot: 'EUR' })
  await service.setRates({ 'EUR/USD': '1.25', 'EUR/HKD': '10' })
  for (const [from, to, method, mid, rate] of PAIRS) {
    const shown = (await account.get(`/v3/rate?from=${from}&to=${to}`)).json.data
    assert.equal(shown.object, 'rate')
    assert.deepEqual([shown.method, shown.mid, shown.rate], [method, mid, rate])
    assert.equal(shown.spread_bps, from === to ? 0 : 50)
    assert.equal(shown.good_until, null, 'sandboxes are quoted at any age')
    const payout_info = { currency: to, amount: 100_000 }
    const body = { payout_info, holding_info: { currency: from }, payout_type: 'service_account' }
    assert.equal((await quoted(body)).exchange_rates.holding_to_payout, shown.rate)
  }
  const live = await service.openAccount({ currencies: ['USD'], sandbox: false })
  const { good_until, rows } = (await live.get('/v3/rate?from=USD&to=HKD')).json.data
  assert.equal(rows.length, 2)
  assert.ok(good_until > new Date().toISOString(), good_until)
})

test('GET /v3/rate, live account, rate too old: 503 rate_stale; no rate: 422 rate_unavailable; unknown or missing currency: 400', async () => {
  await pricedBy()
  await service.setRates({ 'GBP/HKD': '10' }, '2020-01-02T00:00:00Z')
  const live = await service.openAccount({ currencies: ['GBP'], sandbox: false })
  assertRefused(await live.get('/v3/rate?from=GBP&to=HKD'), 503, 'rate_stale')
  assertRefused(await account.get('/v3/rate?from=USD&to=JPY'), 422, 'rate_unavailable')
  assertProblems(await account.get('/v3/rate?from=USX&to=HKX'), 400, [
    ['currency', 'from'],
    ['currency', 'to'],
  ])
  const missing = await account.get('/v3/rate?from=USD')
  assertProblems(missing, 400, [['invalid_query_parameter', 'to']])
})
