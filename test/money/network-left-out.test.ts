// A payer who leaves out the network passes no limit and no approval rule of a network. The same holds
// for a payer who names another payout currency than the one that arrives.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused } from '../support/assert/check.ts'
import { inJapan, localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { startTestService, type TestService } from '../support/service/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  await service.setRates({ 'USD/JPY': '150' })
})
after(() => service.close())

const YEN = { ...inJapan, amount: 50_000, currency: 'JPY', holding_currency: 'JPY' }
const ZENGIN = { ...YEN, local: { fund_transfer_network: 'zengin' } }
const DOLLARS = { ...inJapan, amount: 10_000, currency: 'USD', holding_currency: 'USD' }

const open = () =>
  service.openAccount({ currencies: ['JPY', 'USD'], fund: { JPY: 1_000_000n, USD: 1_000_000n } })

test('POST /v3/payout, above the limit of a network: refused with and without the name', async () => {
  const account = await open()
  const { account_id } = account.account
  await service.setLimits([{ account_id, network: 'zengin', currency: 'JPY', cap: 49_999n }])
  for (const body of [ZENGIN, YEN]) {
    assertRefused(await account.post('/v3/payout', body), 422, 'limit_exceeded')
  }
  const below = await account.post('/v3/payout', { ...YEN, amount: 49_999 })
  assert.equal(below.status, 200, below.text)
  assertRefused(await account.post('/v3/payout', { ...YEN, amount: 1 }), 422, 'limit_exceeded')
})

test('POST /v3/payout, above the limit of one network of two: refused with and without the name', async () => {
  const account = await service.openAccount({ currencies: ['HKD'], fund: { HKD: 1_000_000n } })
  const { account_id } = account.account
  await service.setLimits([{ account_id, network: 'chats', currency: 'HKD', cap: 9_999n }])
  const body = { ...localPayout, currency: 'HKD', holding_currency: 'HKD' }
  for (const local of [{ fund_transfer_network: 'chats' }, undefined]) {
    const answer = await account.post('/v3/payout', { ...body, ...(local && { local }) })
    assertRefused(answer, 422, 'limit_exceeded')
  }
})

test('POST /v3/payout, a fee of the only network that can carry it: charged with and without the name', async () => {
  await service.setFees([
    { payout_type: 'local', fixed_amount: 0n },
    { payout_type: 'local', payout_currency: 'JPY', network: 'zengin', fixed_amount: 500n },
  ])
  for (const body of [ZENGIN, YEN]) {
    const account = await open()
    const { json, text } = await account.post('/v3/payout', body)
    // 5.00 US dollars.
    assert.equal(json.data?.fee_info.fixed.in_payout_currency, 750, text)
  }
  await service.setFees([{ payout_type: 'local', fixed_amount: 0n }])
})

test('POST /v3/payout, a rule of a network or of a currency: it waits, whatever is left out', async () => {
  for (const [rule, bodies] of [
    [{ network: 'zengin' }, [ZENGIN, YEN]],
    [{ currency: 'JPY' }, [YEN, DOLLARS]],
  ] as const) {
    const account = await open()
    await addApprovalRule(service, { account_id: account.account.account_id, ...rule })
    await service.deps.reference.refresh()
    for (const body of bodies) {
      const { json, text } = await account.post('/v3/payout', body)
      assert.equal(json.data?.status, 'pending_approval', text)
    }
  }
})
