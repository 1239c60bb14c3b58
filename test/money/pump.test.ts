// Two accounts and three rates that disagree: money that goes round by any order of payouts never
// ends above its start.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { internalPayout } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const currencies = ['EUR', 'USD', 'GBP']
const START = 10_000_000

let service: TestService
before(async () => {
  service = await startTestService()
  await service.database.owner`delete from rates`
  await service.setFees([{ payout_type: 'service_account' }, { payout_type: 'conversion' }])
})
after(() => service.close())

async function balanceOf(account: Client, currency: string): Promise<number> {
  const { json } = await account.get('/v3/balance')
  const rows: { currency: string; amount: string }[] = json.data.available
  return Number(rows.find(row => row.currency === currency)?.amount ?? 0)
}

/** Sends all of one currency to the other account, which gets it in the next currency. */
async function send(from: Client, to: Client, holding_currency: string, currency: string) {
  const total_debit = await balanceOf(from, holding_currency)
  const quote = await from.post('/v3/payout/quote', {
    payout_type: 'service_account',
    payout_info: { currency },
    destination_info: { currency, country: 'HK' },
    holding_info: { currency: holding_currency },
    total_debit,
  })
  assert.equal(quote.status, 200, quote.text)
  const { amount } = quote.json.payout_info
  const body = internalPayout(to.account.deposit_address, amount, currency)
  const sent = await from.post('/v3/payout', { ...body, holding_currency, quote: quote.json.id })
  assert.equal(sent.status, 200, sent.text)
}

/** Converts all of one currency into the next one. */
async function convert(account: Client, holding_currency: string, currency: string) {
  const total_debit = await balanceOf(account, holding_currency)
  const quote = await account.post('/v3/conversion/quote', {
    holding_info: { currency: holding_currency },
    destination_info: { currency },
    total_debit,
  })
  assert.equal(quote.status, 200, quote.text)
  const made = await account.post('/v3/conversion', { quote: quote.json.data.id })
  assert.equal(made.status, 200, made.text)
}

for (const spread_bps of [0, 50]) {
  for (const round of [
    ['EUR', 'GBP', 'USD'],
    ['EUR', 'USD', 'GBP'],
  ]) {
    test(`payouts between two accounts, ${round.join(' to ')}, spread ${spread_bps}: five rounds gain nothing`, async () => {
      await service.setPricing({ spread_bps })
      await service.setRates({ 'EUR/USD': '1.2', 'EUR/GBP': '0.8', 'GBP/USD': '1.6155' })
      const one = await service.openAccount({ currencies, fund: { EUR: BigInt(START) } })
      const two = await service.openAccount({ currencies })
      let [payer, payee] = [one, two]
      for (let i = 0; i < 15; i++) {
        await send(payer, payee, round[i % 3] ?? '', round[(i + 1) % 3] ?? '')
        ;[payer, payee] = [payee, payer]
      }
      const left = (await balanceOf(one, 'EUR')) + (await balanceOf(two, 'EUR'))
      assert.ok(left <= START, `${START} became ${left}`)
      assert.ok(left > START / 2)
    })

    test(`conversions of one account and payouts to another, ${round.join(' to ')}, spread ${spread_bps}: five rounds gain nothing`, async () => {
      await service.setPricing({ spread_bps })
      await service.setRates({ 'EUR/USD': '1.2', 'EUR/GBP': '0.8', 'GBP/USD': '1.6155' })
      const one = await service.openAccount({ currencies, fund: { EUR: BigInt(START) } })
      const two = await service.openAccount({ currencies })
      let [payer, payee] = [one, two]
      for (let i = 0; i < 15; i++) {
        const [held, wanted] = [round[i % 3] ?? '', round[(i + 1) % 3] ?? '']
        if (i % 4 < 3) {
          await convert(payer, held, wanted)
          continue
        }
        await send(payer, payee, held, wanted)
        ;[payer, payee] = [payee, payer]
      }
      const left = (await balanceOf(one, 'EUR')) + (await balanceOf(two, 'EUR'))
      assert.ok(left <= START, `${START} became ${left}`)
      assert.ok(left > START / 2)
    })
  }
}

test('GET /v3/rate, contradicting rows: the worse rate is used, the other is shown', async () => {
  await service.setPricing({ spread_bps: 0 })
  await service.setRates({ 'EUR/USD': '1.2', 'EUR/GBP': '0.8', 'GBP/USD': '1.62' })
  const account = await service.openAccount({ currencies })
  const { data: there } = (await account.get('/v3/rate?from=GBP&to=USD')).json
  assert.deepEqual([there.rate, there.method, there.rows.length], [1.5, 'crossed', 2])
  assert.deepEqual(there.compared_with.method, 'direct')
  assert.equal(there.compared_with.rows[0].mid, '1.62')
  assert.match(there.rows[0].as_of, /\.\d{6}Z$/)
  const { data: back } = (await account.get('/v3/rate?from=USD&to=GBP')).json
  assert.deepEqual([back.mid, back.method], ['0.617283950617', 'inverted'])
  assert.equal(back.compared_with.method, 'crossed')
  assert.equal((await account.get('/v3/rate?from=EUR&to=GBP')).json.data.compared_with, null)
})
