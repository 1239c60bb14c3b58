// The dated versions of the API: what Corridor-Version may say, and what answers say of it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { headersOf, VERSION_DATES } from '../../src/http/version.ts'
import { assertRefused } from '../support/assert/check.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const [oldest = ''] = VERSION_DATES
let service: TestService
let client: Client

before(async () => {
  service = await startTestService()
  client = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000n } })
})
after(() => service.close())

test('Corridor-Version, every known date or none: accepted, the answer names the version used', async () => {
  for (const date of VERSION_DATES) {
    const { status, headers } = await client.get('/v3/balance', { 'corridor-version': date })
    assert.deepEqual([status, headers['corridor-version']], [200, date])
  }
  const { headers } = await client.get('/v3/balance')
  assert.equal(headers['corridor-version'], oldest)
  assert.equal(headers.deprecation, undefined)
})

test('Corridor-Version, refusals of every kind: the answer names its version', async () => {
  const refused = [
    await service.inject({ url: '/v3/balance' }),
    await client.get('/v3/payout/pot_1'),
    await client.get('/v3/nothing'),
    await client.post('/v3/payout', '{'),
    await service.inject({ method: 'DELETE', url: '/v3/balance' }),
  ]
  assert.deepEqual(
    refused.map(({ status, headers }) => [status, headers['corridor-version']]),
    [401, 400, 404, 400, 405].map(status => [status, oldest]),
  )
})

test('Corridor-Version, unknown date: 400 naming the header and the versions', async () => {
  for (const sent of ['2020-01-01', 'latest', '', `${oldest}, ${oldest}`]) {
    const answer = await client.post(
      '/v3/beneficiary',
      { name: 'A', type: 'business', destination_details: {} },
      { 'corridor-version': sent },
    )
    assertRefused(answer, 400, 'unknown_version')
    const [error] = answer.json.errors
    assert.equal(error.remarks, 'Corridor-Version')
    assert.ok(error.message.includes(oldest))
  }
})

test('Corridor-Version, version that will end: Deprecation, Sunset and a link to the policy', () => {
  const deprecated = { since: '2027-01-01T00:00:00Z', until: '2028-01-01T00:00:00Z' }
  assert.deepEqual(headersOf({ date: '2026-11-25', deprecated }), {
    'corridor-version': '2026-11-25',
    deprecation: '@1798761600',
    sunset: 'Sat, 01 Jan 2028 00:00:00 GMT',
    link: '</docs/versioning>; rel="deprecation"; type="text/html"',
  })
})

test('GET /openapi.json and /docs: no version header', async () => {
  for (const url of ['/openapi.json', '/docs', '/healthz']) {
    const { headers } = await service.inject({ url, headers: { 'corridor-version': 'x' } })
    assert.equal(headers['corridor-version'], undefined, url)
  }
})
