// The tables of currencies and networks as programs read them: complete, filtered, cached, and with
// clear refusals of unknown codes.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CURRENCIES } from '../../src/values/money/currency.ts'
import { CHAINS } from '../../src/values/network/chain.ts'
import { NETWORKS } from '../../src/values/network/local.ts'
import { PAYMENT_NETWORKS } from '../../src/values/network/payment.ts'
import { assertProblems } from '../support/assert/check.ts'
import { startTestService } from '../support/service/service.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by what they say.
type Json = any

const service = await startTestService()
const account = await service.openAccount()
after(() => service.close())

const networks = async (query: string): Promise<Json[]> =>
  (await account.get(`/v3/network${query}`)).json.data.networks
const named = (found: readonly Json[]) => found.map(({ type, name }) => `${type} ${name}`)

test('GET /v3/currency: every currency with code, exponent and name', async () => {
  const { json } = await account.get('/v3/currency')
  const { object, currencies } = json.data
  assert.equal(object, 'currencies')
  assert.equal(currencies.length, CURRENCIES.size)
  const yen = currencies.find(({ code }: Json) => code === 'JPY')
  assert.deepEqual(yen, { object: 'currency', code: 'JPY', exponent: 0, name: 'Yen' })
})

test('GET /v3/currency, two codes: those two; unknown code: 400 with the nearest one', async () => {
  const { json } = await account.get('/v3/currency?code=USDC&code=KWD')
  const found = json.data.currencies.map(({ code, exponent }: Json) => [code, exponent])
  assert.deepEqual(found, [
    ['KWD', 3],
    ['USDC', 6],
  ])
  const refused = await account.get('/v3/currency?code=EUT')
  assertProblems(refused, 400, [['currency', 'code']])
  assert.match(refused.json.message, /There is no currency EUT; did you mean EUR\?/)
})

test('GET /v3/network: every network of every type, under 100 KB', async () => {
  const { json, text } = await account.get('/v3/network')
  const expected = NETWORKS.length + PAYMENT_NETWORKS.length + CHAINS.length
  assert.equal(json.data.networks.length, expected)
  assert.ok(text.length < 100_000, String(text.length))
})

test('GET /v3/network, country: its local and payment networks, no chain', async () => {
  assert.deepEqual(named(await networks('?country=BR')), [
    'local pix',
    'local ted',
    'local_payment_network pix',
  ])
  const [pix] = await networks('?country=BR')
  assert.deepEqual(pix, {
    object: 'network',
    type: 'local',
    name: 'pix',
    title: 'Pix',
    currencies: ['BRL'],
    countries: ['BR'],
    minimum_amount: null,
    maximum_amount: null,
  })
})

test('GET /v3/network, currency and country: both must fit; limits in minor units', async () => {
  const found = await networks('?currency=GBP&country=GB')
  assert.deepEqual(named(found), ['local bacs', 'local chaps', 'local faster_payments'])
  assert.equal(found[2]?.maximum_amount, 100_000_000)
  assert.deepEqual(await networks('?currency=GBP&country=DE'), [])
})

test('GET /v3/network, territory with the account numbers of another country: the networks of that country', async () => {
  assert.deepEqual(named(await networks('?currency=GBP&country=JE')), [
    'local bacs',
    'local chaps',
    'local faster_payments',
  ])
})

test('GET /v3/network, type wallet and a token: the chains of the token', async () => {
  const found = await networks('?type=wallet&currency=USDT')
  const chains = CHAINS.filter(({ currencies }) => currencies.includes('USDT'))
  assert.deepEqual(
    named(found),
    chains.map(({ type }) => `wallet ${type}`),
  )
})

for (const [query, ...problems] of [
  ['?currency=EUX', ['currency', 'currency']],
  ['?country=UK', ['invalid_query_parameter', 'country']],
  ['?currency=EUX&country=UK', ['currency', 'currency'], ['invalid_query_parameter', 'country']],
  ['?type=swift', ['invalid_query_parameter', 'type']],
  ['?land=DE', ['invalid_query_parameter', 'land']],
] as const) {
  test(`GET /v3/network${query}: 400 naming each wrong parameter`, async () => {
    assertProblems(await account.get(`/v3/network${query}`), 400, problems)
  })
}

for (const path of ['/v3/currency', '/v3/network?country=DE']) {
  test(`GET ${path}, known ETag: 304; the caller may keep the answer for an hour`, async () => {
    const first = await account.get(path)
    assert.equal(first.headers['cache-control'], 'private, max-age=3600')
    const again = await account.get(path, { 'if-none-match': String(first.headers.etag) })
    assert.deepEqual([again.status, again.text], [304, ''])
  })
}
