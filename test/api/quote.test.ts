// POST /v3/payout/quote and GET /v3/payout/quote/{id}, by the sections of the specification.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('POST /v3/payout/quote, USD to HKD at 7.81: the holding amount is the payout amount divided by the rate', async () => {
  await service.setRates({ 'USD/HKD': '7.81' })
  const account = await service.openAccount({ currencies: ['USD'] })
  const quote = await account.post('/v3/payout/quote', {
    payout_info: { currency: 'HKD', amount: 781_000 },
  })
  assert.equal(quote.status, 200, quote.text)
  assert.deepEqual(quote.json.holding_info, { currency: 'USD', amount: 100_000 })
  assert.deepEqual(quote.json.exchange_rates, { holding_to_payout: 7.81, payout_to_destination: 1 })
})
