// ?expand: objects shown whole beside a payout or a line, on one and on lists; what it costs the
// database, and what is refused.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { REQUESTS, STATEMENTS } from '../../src/values/diagnostics.ts'
import { assertProblems } from '../support/assert/check.ts'
import { type Item, list } from '../support/assert/listing.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { payAll, settleAll } from '../support/service/settling.ts'

const ALL = ['beneficiary', 'quote', 'on_behalf_of', 'balance_transaction']
const PATHS: Readonly<Record<string, string>> = {
  beneficiary: '/v3/beneficiary',
  quote: '/v3/payout/quote',
  on_behalf_of: '/v3/entity',
  balance_transaction: '/v3/balance_transaction',
}

/** Statements are published where somebody listens when the service starts. */
let statements = 0
STATEMENTS.start.subscribe(() => {
  statements += 1
})
REQUESTS.start.subscribe(() => {})

let service: TestService
let account: Client
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setRates({ 'USD/HKD': '8' })
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000_000n } })
  const made = await account.post('/v3/entity', { type: 'individual', name: 'Anna' })
  const entity = made.json.data.id
  const quoted = await account.post('/v3/payout/quote', {
    payout_info: { currency: 'USD', amount: 10_000 },
  })
  await payAll(service, account, [
    ...[{}, { amount: 200_000 }, { amount: 500_001 }, { currency: 'HKD', holding_currency: 'USD' }],
    ...[{ on_behalf_of: entity }, { quote: quoted.json.id }],
  ])
  await settleAll(service)
})
after(() => service.close())

/** An object as its own GET shows it; null for the id of none. */
async function shown(path: string, id: string): Promise<unknown> {
  if (id === '') return null
  const { status, json, text } = await account.get(`${path}/${id}`)
  assert.equal(status, 200, text)
  return json.data ?? json
}

test('GET /v3/payout and /v3/payout/{id}, expand: each expanded object equals its GET by id, null where none exists', async () => {
  const { results } = await list(account, '/v3/payout', { 'expand[]': ALL })
  assert.equal(results.length, 6)
  const plain = (await list(account, '/v3/payout')).results
  for (const [i, { expanded, ...payout }] of results.entries()) {
    assert.deepEqual(payout, plain[i])
    assert.deepEqual(Object.keys(expanded), ALL)
    for (const name of ALL) {
      assert.deepEqual(expanded[name], await shown(PATHS[name] ?? '', payout[name]), name)
    }
    const alone = await account.get(`/v3/payout/${payout.id}?expand=quote&expand=beneficiary`)
    const { beneficiary, quote } = expanded
    assert.deepEqual(alone.json.data, { ...payout, expanded: { beneficiary, quote } })
  }
  assert.ok(results.some(({ expanded }) => expanded.on_behalf_of !== null))
})

test('GET /v3/balance_transaction, expand=payout: the payout of a debit or credit, null on other lines', async () => {
  const { results } = await list(account, '/v3/balance_transaction', { expand: 'payout' })
  const kinds = new Set(results.map(({ type }) => type))
  for (const type of ['escrow', 'payout', 'payout_failure', 'payout_reversal']) {
    assert.ok(kinds.has(type), type)
  }
  const payoutOf = ({ type, source, description }: Item) =>
    type === 'payout' ? source : type === 'escrow' ? '' : description
  for (const line of results) {
    const expected = await shown('/v3/payout', payoutOf(line))
    assert.deepEqual(line.expanded, { payout: expected })
    const alone = await account.get(`/v3/balance_transaction/${line.id}?expand=payout`)
    assert.deepEqual(alone.json.data, line)
  }
  // Of a payout that another account has made the id is unknown.
  const other = await service.openAccount({ currencies: ['USD'] })
  const paid = await account.post('/v3/payout', internalPayout(other.account.deposit_address))
  const [line] = (await list(other, '/v3/balance_transaction', { expand: 'payout' })).results
  assert.deepEqual([line?.source, line?.expanded], [paid.json.data.id, { payout: null }])
})

test('GET /v3/payout, expand=approval: as its own GET shows it, null for a payout that needed none', async () => {
  const payer = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 9n } })
  const pay = async () => (await payer.post('/v3/payout', localPayout)).json.data.id as string
  await pay()
  const remove = await addApprovalRule(service, { account_id: payer.account.account_id })
  await payer.post('/v3/payout', { ...localPayout, amount: 123_400 })
  await remove()
  const { results } = await list(payer, '/v3/payout', { expand: 'approval' })
  const waiting = await payer.get(`/v3/payout/${results[0]?.id}/approval`)
  assert.equal(waiting.json.data.status, 'pending', waiting.text)
  assert.deepEqual(
    results.map(({ expanded }) => expanded),
    [{ approval: waiting.json.data }, { approval: null }],
  )
})

test('GET /v3/payout, expand on six payouts: as many statements as on one payout', async () => {
  const statementsOf = async (url: string) => {
    statements = 0
    assert.equal((await account.get(url)).status, 200)
    return statements
  }
  const expand = ALL.map(name => `expand=${name}`).join('&')
  const plain = await statementsOf('/v3/payout?limit=6')
  const one = await statementsOf(`/v3/payout?limit=1&status=reversed&${expand}`)
  const six = await statementsOf(`/v3/payout?limit=6&${expand}`)
  assert.ok(plain > 0 && six > plain, `${plain} and ${six} statements`)
  assert.ok(six <= one + 2, `${one} and ${six} statements`)
})

test('GET /v3/payout/{id}, expand: the ETag also covers the expanded objects, 304 on a match', async () => {
  const { results } = await list(account, '/v3/payout', { limit: '1' })
  const url = `/v3/payout/${results[0]?.id}`
  const [plain, expanded] = [await account.get(url), await account.get(`${url}?expand=quote`)]
  assert.notEqual(expanded.headers.etag, plain.headers.etag)
  const tag = { 'if-none-match': String(expanded.headers.etag) }
  assert.equal((await account.get(`${url}?expand=quote`, tag)).status, 304)
  assert.equal((await account.get(url, tag)).status, 200)
})

test('expand, unknown object, second level or too many: 400 at expand, listing the allowed values', async () => {
  for (const url of ['/v3/payout', '/v3/balance_transaction']) {
    const many = Array.from({ length: 21 }, () => 'expand[]=payout').join('&')
    for (const query of ['expand=rail', 'expand=quote.entity_id', 'expand[]=', 'expand=', many]) {
      const answer = await account.get(`${url}?${query}`)
      assertProblems(answer, 400, [['invalid_query_parameter', 'expand']])
    }
  }
  const { json } = await account.get('/v3/payout?expand=payout')
  assert.match(json.errors[0].message, /beneficiary, quote, on_behalf_of, balance_transaction/)
  const csv = await account.get('/v3/balance_transaction?expand=payout', { accept: 'text/csv' })
  assertProblems(csv, 400, [['invalid_query_parameter', 'expand']])
})
