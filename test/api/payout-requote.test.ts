// POST /v3/payout with max_total_debit: an expired quote is priced anew in the same transaction, and
// nothing is made that costs more than the caller said, whatever it is priced by.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { checkBooks } from '../support/assert/books.ts'
import { assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { expireQuote } from '../support/database/expired.ts'
import { localPayout } from '../support/given/bodies.ts'
import {
  type Answer,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const PATH = '/v3/payout'
const FUNDED = 1_000_000n

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: FUNDED } })
  await service.setRates({ 'USD/HKD': '8' })
  await service.setFees([{ fixed_amount: 100n, variable_bps: 50 }])
})
after(async () => {
  await checkBooks(service.database.owner, { DATABASE_URL: service.database.url })
  await service.close()
})

const toHkd = { ...localPayout, amount: 80_000, currency: 'HKD' }
/** 800 HKD at 8, and both fees. */
const TOTAL = 10_000 + 100 + 50

async function quoteFor(fields: object = {}): Promise<string> {
  const payout_info = { currency: 'HKD', amount: 80_000 }
  const answer = await account.post('/v3/payout/quote', { payout_info, ...fields })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.id
}

async function expiredQuote(fields: object = {}): Promise<string> {
  const id = await quoteFor(fields)
  await expireQuote(service.database.owner, id)
  return id
}

function pay(fields: object): Promise<Answer> {
  return account.post(PATH, { ...toHkd, ...fields })
}

async function rowOf(quote: string) {
  const [row] = await service.database.owner`select * from quotes where id = ${quote}`
  return row
}

test(`POST ${PATH}, expired quote and max_total_debit: created at the current price, with a new quote`, async () => {
  const quote = await expiredQuote()
  const before = await rowOf(quote)
  await service.setRates({ 'USD/HKD': '10' })
  const answer = await pay({ quote, max_total_debit: TOTAL })
  assert.equal(answer.status, 200, answer.text)
  const payout = answer.json.data
  assert.notEqual(payout.quote, quote)
  assert.equal(payout.holding_fx_quote, payout.quote)
  assert.equal(payout.holding_fx_transaction.exchange_rate, 10)
  assert.equal((await balancesOf(account)).USD, String(FUNDED - 8_000n - 100n - 40n))
  const renewed = (await account.get(`/v3/payout/quote/${payout.quote}`)).json
  assert.deepEqual([renewed.status, renewed.holding_info.amount], ['used', 8_000])
  const { created_at: updated_at } = payout
  const used = { ...before, status: 'used', renewed_as: payout.quote, updated_at }
  assert.deepEqual(await rowOf(quote), used)
  const events = await account.get(`/v3/event?object_id=${payout.quote}`)
  assert.deepEqual(
    events.json.data.results.map((event: { type: string }) => event.type),
    ['payout_quote.created'],
  )
})

for (const [what, quoted, words] of [
  ['expired', expiredQuote, /at the rates and fees of this moment; /],
  ['active', quoteFor, /as quoted; .* holding_to_payout=8 /],
] as const) {
  test(`POST ${PATH}, ${what} quote, total above max_total_debit: 422, nothing written; equal: created`, async () => {
    const quote = await quoted()
    if (what === 'active') await service.setRates({ 'USD/HKD': '10' })
    const untouched = await rowVersions(service.database.owner)
    const refused = await pay({ quote, max_total_debit: TOTAL - 1 })
    assertRefused(refused, 422, 'max_total_debit_exceeded', 'max_total_debit')
    assert.match(refused.json.errors[0].message, words)
    assert.deepEqual(await rowVersions(service.database.owner), untouched)
    const made = await pay({ quote, max_total_debit: TOTAL })
    assert.deepEqual([made.status, made.json.data.quote === quote], [200, what === 'active'])
  })
}

test(`POST ${PATH}, expired quote with max_total_debit sent repeatedly: renewed once, then quote_used`, async () => {
  const quote = await expiredQuote()
  const again = () => pay({ quote, max_total_debit: TOTAL })
  const answers = await Promise.all([0, 1, 2].map(again))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422])
  const made = answers.find(({ status }) => status === 200)
  assert.notEqual(made?.json.data.quote, quote)
  assertRefused(await again(), 422, 'quote_used', 'quote')
  assert.equal((await account.get(`/v3/payout/quote/${quote}`)).json.status, 'used')
})

test(`POST ${PATH}, expired quote with entity, network and charges: the new quote has the same entity, network and charges`, async () => {
  const body = { type: 'individual', name: 'Anna', email: 'anna@example.com' }
  const entity_id = (await account.post('/v3/entity', body)).json.data.id
  const local = { fund_transfer_network: 'chats' }
  const quote = await expiredQuote({
    entity_id,
    local,
    destination_info: { currency: 'HKD', country: 'HK' },
  })
  const answer = await pay({ quote, max_total_debit: TOTAL })
  assert.equal(answer.status, 200, answer.text)
  const { data } = answer.json
  assert.deepEqual([data.status, data.on_behalf_of], ['compliance_hold', entity_id])
  assert.deepEqual(data.local, local)
  const named = ['entity_id', 'payout_type', 'fund_transfer_network', 'destination_country']
  const [before, now] = [await rowOf(quote), await rowOf(data.quote)]
  for (const name of named) assert.equal(now?.[name], before?.[name], name)
})

test(`POST ${PATH}, row of the price version missing: 500 internal, nothing written; row restored: created`, async () => {
  const { owner } = service.database
  const [row = assert.fail()] = await owner`delete from reference_version returning *`
  try {
    const untouched = await rowVersions(owner)
    assertRefused(await pay({}), 500, 'internal')
    assert.deepEqual(await rowVersions(owner), untouched)
  } finally {
    await owner`insert into reference_version ${owner(row)}`
  }
  assert.equal((await pay({})).status, 200)
})
