// GET /v3/rate: the rate of a quote without the quote, its rows and its age, and what is refused.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblems, assertRefused } from '../support/assert/check.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/rate'

let service: TestService
let sandbox: Client
before(async () => {
  service = await startTestService()
  await service.setPricing({ spread_bps: 50, pivot: 'EUR' })
  await service.setRates({ 'EUR/USD': '1.25', 'EUR/HKD': '10', 'USD/AED': '3.67' })
  sandbox = await service.openAccount({ currencies: ['USD'] })
})
after(() => service.close())

async function rateOf(from: string, to: string, client = sandbox) {
  const answer = await client.get(`${PATH}?from=${from}&to=${to}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

const PAIRS = [
  ['one row', 'EUR', 'USD', 'direct', '1.25', 1.24375],
  ['its inverse', 'USD', 'EUR', 'inverted', '0.8', 0.796],
  ['crossed through the pivot', 'USD', 'HKD', 'crossed', '8', 7.96],
  ['the same currency, without a spread', 'USD', 'USD', 'same_currency', '1', 1],
] as const

for (const [why, from, to, method, mid, rate] of PAIRS) {
  test(`GET /v3/rate, ${why}: the rate that a quote has, less the spread`, async () => {
    const shown = await rateOf(from, to)
    assert.equal(shown.object, 'rate')
    assert.deepEqual([shown.method, shown.mid, shown.rate], [method, mid, rate])
    assert.equal(shown.spread_bps, from === to ? 0 : 50)
    const body = {
      payout_info: { currency: to, amount: 100_000 },
      holding_info: { currency: from },
      payout_type: 'service_account',
    }
    const payer = await service.openAccount({ currencies: [from] })
    const quote = await payer.post('/v3/payout/quote', body)
    assert.equal(quote.json.exchange_rates.holding_to_payout, shown.rate, quote.text)
  })
}

test('GET /v3/rate, live account: until when each row may be quoted, the earliest counts', async () => {
  const live = await service.openAccount({ currencies: ['USD'], sandbox: false })
  const { good_until, rows } = await rateOf('USD', 'HKD', live)
  assert.equal(rows.length, 2)
  assert.ok(good_until > new Date().toISOString(), good_until)
  assert.equal((await rateOf('USD', 'HKD')).good_until, null, 'sandboxes are quoted at any age')
})

test('GET /v3/rate, rate too old for a live account: 503 rate_stale, as in a quote', async () => {
  await service.setRates({ 'GBP/HKD': '10' }, '2020-01-02T00:00:00Z')
  const live = await service.openAccount({ currencies: ['GBP'], sandbox: false })
  assertRefused(await live.get(`${PATH}?from=GBP&to=HKD`), 503, 'rate_stale')
})

test('GET /v3/rate, no rate joins the two: 422 rate_unavailable', async () => {
  assertRefused(await sandbox.get(`${PATH}?from=USD&to=JPY`), 422, 'rate_unavailable')
})

test('GET /v3/rate, unknown, missing and other parameters: 400, each named', async () => {
  const unknown = await sandbox.get(`${PATH}?from=USX&to=HKX`)
  assertProblems(unknown, 400, [
    ['currency', 'from'],
    ['currency', 'to'],
  ])
  assertProblems(await sandbox.get(`${PATH}?from=USD`), 400, [['invalid_query_parameter', 'to']])
  const other = await sandbox.get(`${PATH}?from=USD&to=EUR&amount=5`)
  assertProblems(other, 400, [['invalid_query_parameter', 'amount']])
})
