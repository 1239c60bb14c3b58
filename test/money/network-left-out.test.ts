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

test("POST /v3/payout above a network's limit: refused with and without network_name", async () => {
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

test('POST /v3/payout above a limit set for one of two networks: refused with and without network_name', async () => {
  const account = await service.openAccount({ currencies: ['HKD'], fund: { HKD: 1_000_000n } })
  const { account_id } = account.account
  await service.setLimits([{ account_id, network: 'chats', currency: 'HKD', cap: 9_999n }])
  const body = { ...localPayout, currency: 'HKD', holding_currency: 'HKD' }
  for (const local of [{ fund_transfer_network: 'chats' }, undefined]) {
    const answer = await account.post('/v3/payout', { ...body, ...(local && { local }) })
    assertRefused(answer, 422, 'limit_exceeded')
  }
})

test('POST /v3/payout, fee row of the only possible network: charged with and without network_name', async () => {
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

test('POST /v3/payout without network_name, two networks with their own fees: the higher fee, as in its quote', async () => {
  const fee = (more: object) => ({ payout_type: 'local', fee_currency: 'HKD', ...more })
  const account = await service.openAccount({ currencies: ['HKD'], fund: { HKD: 10_000_000n } })
  const body = { ...localPayout, currency: 'HKD', holding_currency: 'HKD', allow_duplicate: true }
  const payout_info = { currency: 'HKD', amount: body.amount }
  const destination_info = { currency: 'HKD', country: 'HK' }
  const quoted = async (local?: object) => {
    const sent = { payout_info, destination_info, ...(local && { local }) }
    const { json, text } = await account.post('/v3/payout/quote', sent)
    assert.ok(json.id, text)
    return { id: json.id, fee: json.fee_info.fixed.in_holding_currency }
  }
  const paid = async (more: object = {}) => {
    const { json, text } = await account.post('/v3/payout', { ...body, ...more })
    assert.ok(json.data, text)
    return json.data.fee_info.fixed.in_holding_currency
  }
  const [fps, chats] = [{ fund_transfer_network: 'fps' }, { fund_transfer_network: 'chats' }]
  const fixed = (network: string | null, amount: bigint) =>
    fee({ network, payout_currency: network === null ? null : 'HKD', fixed_amount: amount })
  await service.setFees([fixed(null, 0n), fixed('fps', 500n), fixed('chats', 3_000n)])
  const quote = await quoted()
  assert.deepEqual([quote.fee, await paid({ quote: quote.id })], [3_000, 3_000])
  assert.deepEqual([await paid(), await paid({ local: fps })], [3_000, 500])
  const { json } = await account.post('/v3/payout/quote?explain=true', {
    payout_info,
    destination_info,
  })
  assert.equal(json.explanation.fee_row.network, 'chats')
  const named = await account.post('/v3/payout', {
    ...body,
    quote: (await quoted()).id,
    local: fps,
  })
  assertRefused(named, 422, 'quote_mismatch')
  assert.equal(await paid({ quote: (await quoted()).id, local: chats }), 3_000)
  const total_debit = { currency: 'HKD', amount: 13_000 }
  const solved = await account.post('/v3/payout/quote', {
    payout_info: { currency: 'HKD' },
    destination_info,
    total_debit: total_debit.amount,
  })
  assert.equal(solved.json.payout_info?.amount, 10_000, solved.text)
  // The row without a network is the price of a network that has none.
  await service.setFees([fixed(null, 0n), fixed('chats', 3_000n)])
  assert.deepEqual([(await quoted()).fee, await paid()], [0, 0])
  await service.setFees([{ payout_type: 'local', fixed_amount: 0n }])
})

test('POST /v3/payout, approval rule for a network or currency: needs approval, whatever member is omitted', async () => {
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
