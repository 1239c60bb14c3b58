// POST /v3/payout with a quote: the price is the quote's, the quote serves once, for its account,
// until its last microsecond, and a refused payout consumes nothing (§quote.single_use,
// §payout.quoted).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const PATH = '/v3/payout'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({
    currencies: ['USD', 'EUR'],
    fund: { USD: 1_000_000_000n, EUR: 1_000_000_000n },
  })
  await service.setRates({ 'USD/HKD': '8', 'EUR/HKD': '10' })
})
after(() => service.close())

const toHkd = { ...localPayout, amount: 80_000, currency: 'HKD' }

async function quoteFor(body: object = {}, client = account) {
  const payout_info = { currency: 'HKD', amount: 80_000 }
  const answer = await client.post('/v3/payout/quote', { payout_info, ...body })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

test(`POST ${PATH} with a quote, rates and fees changed since: paid at the quote's rates and fees`, async () => {
  const client = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000n } })
  await service.setRates({ 'USD/HKD': '8' })
  await service.setFees([{ fixed_amount: 100n, variable_bps: 50 }])
  const quote = await quoteFor({}, client)
  await service.setRates({ 'USD/HKD': '4' })
  await service.setFees([{ fixed_amount: 9_999n }])
  const answer = await client.post(PATH, { ...toHkd, quote: quote.id })
  assert.equal(answer.status, 200, answer.text)
  const payout = answer.json.data
  assert.equal(payout.quote, quote.id)
  assert.equal(payout.holding_fx_quote, quote.id)
  assert.equal(payout.holding_fx_transaction.exchange_rate, 8)
  assert.equal(payout.holding_fx_transaction.initial.amount, 10_000)
  assert.equal((await balancesOf(client)).USD, String(100_000 - 10_000 - 100 - 50))
  await service.setRates({ 'USD/HKD': '8' })
  await service.setFees([])
})

test(`POST ${PATH}, quote expired, amount differs or balance too small: refused, quote still active and usable`, async () => {
  const poor = await service.openAccount({ currencies: ['USD'], fund: { USD: 9_999n } })
  const { id } = await quoteFor({}, poor)
  const { owner } = service.database
  const move = (by: string) => owner`
    update quotes set valid_until = statement_timestamp() + ${by}::interval where id = ${id}`
  await move('0')
  const before = await rowVersions(owner)
  const pay = (body: object = {}) => poor.post(PATH, { ...toHkd, quote: id, ...body })
  assertRefused(await pay(), 422, 'quote_expired', 'quote')
  assert.deepEqual(await rowVersions(owner), before)
  await move('1 minute')
  assertRefused(await pay({ amount: 80_001 }), 422, 'quote_mismatch', 'amount')
  assertRefused(await pay(), 422, 'insufficient_balance')
  assert.equal((await poor.get(`/v3/payout/quote/${id}`)).json.status, 'active')
  await poor.post('/v3/sandbox/fund', { amount: 1, currency: 'USD' })
  assert.equal((await pay()).status, 200)
})

test(`POST ${PATH}, quote expires while the payout waits for the lock: quote_expired`, async () => {
  const { id } = await quoteFor()
  const { owner } = service.database
  const answer = await owner.begin(async tx => {
    await tx`select from books where account_id = ${account.account.account_id} for update`
    const waiting = account.post(PATH, { ...toHkd, quote: id })
    await untilBlocked(service.database.owner)
    // Valid when the request came in and when its transaction began; not once the lock is held.
    await tx`update quotes set valid_until = statement_timestamp() where id = ${id}`
    return { waiting }
  })
  assertRefused(await answer.waiting, 422, 'quote_expired', 'quote')
})

const RUNS = share(10, 1_000)
for (const [what, until_valid_us, pays] of [
  ['the last microsecond before valid_until', 1, true],
  ['valid_until itself', 0, false],
] as const) {
  const end = pays ? 'before valid_until' : 'quote_expired'
  test(`POST ${PATH}, waits for the lock until ${what}, ${RUNS} times: ${end}`, async () => {
    for (let i = 0; i < RUNS; i++) {
      const answer = await payAtClock(until_valid_us)
      if (pays) assert.equal(answer.status, 200, answer.text)
      else assertRefused(answer, 422, 'quote_expired', 'quote')
    }
  })
}

/**
 * A payout by a new quote that waits for the lock of the book, and gets it when the account's clock
 * says `until_valid_us` before its quote's valid_until.
 */
async function payAtClock(until_valid_us: number) {
  const { id } = await quoteFor()
  const { owner } = service.database
  const { account_id } = account.account
  const { paying } = await owner.begin(async tx => {
    await tx`select from books where account_id = ${account_id} for update`
    const paying = account.post(PATH, { ...toHkd, quote: id })
    await untilBlocked(service.database.owner)
    // A book last written in the future makes the instant after it the payout's now.
    await tx`
      with clock as (select clock_timestamp() + interval '1 minute' as now),
        quote as (
          update quotes set valid_until = now + ${until_valid_us}::integer * interval '1 microsecond'
          from clock where id = ${id}
        )
      update books set last_written_at = now - interval '1 microsecond' from clock
      where account_id = ${account_id}`
    return { paying }
  })
  const answer = await paying
  await owner`
    update books set last_written_at = statement_timestamp() where account_id = ${account_id}`
  return answer
}

test(`POST ${PATH}, quote of a swift payout with charge type and destination currency: the payout has the same`, async () => {
  const quote = await quoteFor({
    payout_type: 'swift',
    payout_info: { currency: 'USD', amount: 1_000 },
    destination_info: { currency: 'HKD', country: 'HK' },
    swift: { charge_type: 'ours' },
  })
  const body = { ...localPayout, type: 'swift', amount: 1_000, quote: quote.id }
  const answer = await account.post(PATH, body)
  assert.equal(answer.status, 200, answer.text)
  const payout = answer.json.data
  assert.equal(payout.type, 'swift')
  assert.equal(payout.charge_type, 'ours')
  assert.deepEqual(payout.payout_fx_transaction.final, { amount: 8_000, currency: 'HKD' })
  assert.equal(payout.holding_fx_quote, '')
})

test('POST /v3/payout/quote, no destination_info, fee and route per country: priced by the row without a country', async () => {
  const live = await service.openAccount({
    sandbox: false,
    currencies: ['EUR'],
    fund: { EUR: 100_000n },
  })
  await service.setRoutes([{ rail: 'manual', currency: 'EUR', country: 'DE' }])
  await service.setFees([{ fixed_amount: 10n, fee_currency: 'EUR' }, { destination_country: 'DE' }])
  const { id, fee_info } = await quoteFor(
    { payout_info: { currency: 'EUR', amount: 10_000 } },
    live,
  )
  assert.equal(fee_info.fixed.in_holding_currency, 10)
  const bank = { iban: 'DE89370400440532013000' }
  const toGermany = {
    ...localPayout,
    quote: id,
    currency: 'EUR',
    amount: 10_000,
    beneficiary_details: {
      ...localPayout.beneficiary_details,
      destination_details: { type: 'bank', bank },
    },
  }
  const answer = await live.post(PATH, toGermany)
  const path = 'beneficiary_details.destination_details.bank.country'
  assertRefused(answer, 422, 'quote_mismatch', path)
  assert.equal(answer.json.message, `${path} is DE but the quote's is not named.`)
  assert.equal((await balancesOf(live)).EUR, '100000')
  await service.setFees([])
})
