// “Try it” in the documentation: a request sent with the key of a sandbox, what the page shows of
// the answer, and what it refuses to send.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rowVersions } from '../support/assert/check.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

let service: TestService
let sandbox: Client
let live: Client
before(async () => {
  service = await startTestService()
  await service.setFees([{ payout_type: 'local' }])
  await service.setRates({ 'USD/HKD': '7.8' })
  sandbox = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  live = await service.openAccount({ currencies: ['USD'], sandbox: false })
})
after(() => service.close())

const HOST = '127.0.0.1:8080'

async function tried(operation: string, form: Record<string, string>, headers = {}) {
  const answer = await service.inject({
    method: 'POST',
    url: `/docs/try?operation=${operation}`,
    headers: {
      host: HOST,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    payload: new URLSearchParams(form).toString(),
  })
  return { ...answer, words: answer.text.replaceAll('&quot;', '"') }
}
const keyOf = ({ key_id, secret }: Client) => ({ key_id, secret })

test('Try it, example of each operation: the form has its path and its body; an unknown operation: 404', async () => {
  const { text, status } = await service.inject({ url: '/docs/try?operation=createPayoutQuote' })
  assert.equal(status, 200)
  assert.match(text, /<input name="path" value="\/v3\/payout\/quote"/)
  assert.match(text, /<textarea name="body"[^>]*>\{\s*&quot;payout_type/)
  assert.equal((await service.inject({ url: '/docs/try?operation=nothing' })).status, 404)
  const reference = await service.inject({ url: '/docs/api/payouts' })
  assert.match(reference.text, /href="\/docs\/try\?operation=createPayout"/)
})

test('Try it with the key of a sandbox: sends the request once, shows status and answer with their digits, keeps no secret', async () => {
  const read = await tried('getBalance', { path: '/v3/balance', ...keyOf(sandbox) })
  assert.equal(read.status, 200, read.text)
  assert.match(read.words, /Answer: 200/)
  assert.match(read.words, /"amount": "1000000"/)
  assert.equal(read.text.includes(sandbox.secret), false)
  assert.equal(read.headers['cache-control'], 'private, no-store')
  const body = JSON.stringify({
    ...{ payout_type: 'local', payout_info: { currency: 'HKD', amount: 7800 } },
    holding_info: { currency: 'USD' },
  })
  const quoted = await tried('createPayoutQuote', {
    ...{ path: '/v3/payout/quote', body },
    ...keyOf(sandbox),
  })
  assert.match(quoted.words, /"holding_to_payout": 7\.8\b/)
  const wrong = await tried('createPayoutQuote', {
    ...{ path: '/v3/payout/quote', body: '{"payout_type"' },
    ...keyOf(sandbox),
  })
  assert.match(wrong.words, /Answer: 400/)
  assert.match(wrong.words, /invalid_json/)
})

test('Try it, key of a live account, unknown key, wrong secret, path of another operation, another site: refused, no row changes', async () => {
  const rows = await rowVersions(service.database.owner)
  const path = '/v3/balance'
  for (const key of [keyOf(live), { key_id: 'key_nobody', secret: 'x' }]) {
    const answer = await tried('getBalance', { path, ...key })
    assert.match(answer.words, /No sandbox of this service has such a key\./)
  }
  const guessed = await tried('getBalance', { path, ...keyOf(sandbox), secret: 'guess' })
  assert.match(guessed.words, /Answer: 401/)
  for (const other of [
    '/v3/payout',
    '/v3/balance/../payout',
    'http://example.com/v3/balance',
    '',
  ]) {
    const answer = await tried('getBalance', { path: other, ...keyOf(sandbox) })
    assert.match(answer.words, /Fill in the path as \/v3\/balance/)
  }
  const cross = { 'sec-fetch-site': 'cross-site' }
  assert.equal((await tried('getBalance', { path, ...keyOf(sandbox) }, cross)).status, 403)
  assert.deepEqual(await rowVersions(service.database.owner), rows)
})

test('Try it, hostile text in path, body and answer: shown as text', async () => {
  const path = '/v3/payout/quote'
  const body = '{"</textarea><script>alert(1)</script>": 1}'
  const { text } = await tried('createPayoutQuote', { path, body, ...keyOf(sandbox) })
  assert.match(text, /Answer: 400/)
  assert.equal(text.includes('<script>'), false)
})
