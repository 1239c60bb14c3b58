// GET /v3/balance_transaction/{id}: the statement line of each kind of movement (§line.fields).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertShape, balancesOf } from '../support/assert/check.ts'
import { BALANCE_TRANSACTION, IN_UTC, idOf } from '../support/assert/shapes.ts'
import { localPayout, yenBank } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { linesOf, report, scriptedRail, settleAll } from '../support/service/settling.ts'

const PATH = '/v3/balance_transaction'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  await service.setRates({ 'USD/EUR': '0.8', 'EUR/JPY': '160' })
})
after(() => service.close())

async function payout(body: object = {}) {
  const answer = await account.post('/v3/payout', { ...localPayout, ...body })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

async function line(id: string) {
  const answer = await account.get(`${PATH}/${id}`)
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.json), ['status', 'message', 'data'])
  assert.equal(answer.json.status, 'success')
  assert.equal(answer.json.message, '')
  assertShape(answer.json.data, BALANCE_TRANSACTION)
  assert.equal(answer.json.data.object, 'balance_transaction')
  assert.match(answer.json.data.id, idOf('btr'))
  assert.match(answer.json.data.created_at, IN_UTC)
  return answer.json.data
}

test(`GET ${PATH}/{id}, escrow: a credit of what came in, without fees or conversions`, async () => {
  const client = await service.openAccount({ currencies: ['USD', 'JPY'], fund: { JPY: 77n } })
  const [row] = await service.database.owner<{ id: string; source: string }[]>`
    select id, source from balance_transactions
    where account_id = ${client.account.account_id}`
  const { json } = await client.get(`${PATH}/${row?.id}`)
  assertShape(json.data, BALANCE_TRANSACTION)
  assert.equal(json.data.type, 'escrow')
  assert.equal(json.data.operation_type, 'credit')
  assert.equal(json.data.amount, 77)
  assert.equal(json.data.currency, 'JPY')
  assert.deepEqual(json.data.net, { amount: 77, currency: 'JPY' })
  assert.deepEqual(json.data.fee_details, [])
  assert.deepEqual(json.data.fx_conversions, [])
  assert.deepEqual(json.data.metadata, {})
  assert.match(json.data.source, /^esc_/)
  assert.equal(json.data.source, row?.source)
})

test(`GET ${PATH}/{id}, payout without conversion or fees: a debit of the amount`, async () => {
  await service.setFees([])
  const made = await payout()
  const debit = await line(made.balance_transaction)
  assert.equal(debit.type, 'payout')
  assert.equal(debit.operation_type, 'debit')
  assert.equal(debit.amount, -10_000)
  assert.deepEqual(debit.net, { amount: -10_000, currency: 'USD' })
  assert.deepEqual(debit.fee_details, [])
  assert.deepEqual(debit.fx_conversions, [])
  assert.equal(debit.source, made.id)
  assert.equal(debit.created_at, made.created_at)
})

test(`GET ${PATH}/{id}, payout with both fees and both conversions: negative fees, net the sum, two legs`, async () => {
  await service.setFees([{ fixed_amount: 200n, variable_bps: 100 }])
  const bank = yenBank
  const made = await payout({
    amount: 8_000,
    currency: 'EUR',
    beneficiary_details: {
      ...localPayout.beneficiary_details,
      destination_details: { type: 'bank', bank },
    },
  })
  const debit = await line(made.balance_transaction)
  assert.equal(debit.currency, 'USD')
  assert.equal(debit.amount, -10_000)
  assert.deepEqual(debit.fee_details, [
    { amount: -200, currency: 'USD', type: 'fixed_fee' },
    { amount: -100, currency: 'USD', type: 'variable_fee' },
  ])
  assert.deepEqual(debit.net, { amount: -10_300, currency: 'USD' })
  assert.deepEqual(debit.fx_conversions, [
    {
      exchange_rate: 0.8,
      initial: { amount: 10_000, currency: 'USD' },
      final: { amount: 8_000, currency: 'EUR' },
    },
    {
      exchange_rate: 160,
      initial: { amount: 8_000, currency: 'EUR' },
      final: { amount: 12_800, currency: 'JPY' },
    },
  ])
})

const ENDS = [
  ['failed', 'payout_failure', report('failed')],
  ['reversed', 'payout_reversal', report('succeeded', 'reversed')],
] as const

for (const [status, type, railReport] of ENDS) {
  test(`GET ${PATH}/{id}, payout ${status}: a ${type} credit of the stored integers, rates and fees changed since`, async () => {
    // Payouts of earlier tests must not fail together with this one.
    const succeeding = scriptedRail(() => Promise.resolve(report('succeeded')))
    await settleAll(service, succeeding)
    await service.setRates({ 'USD/EUR': '0.7' })
    await service.setFees([{ fixed_amount: 33n, variable_bps: 77 }])
    const start = await balancesOf(account)
    const made = await payout({ amount: 9_999, currency: 'EUR' })
    const debit = await line(made.balance_transaction)
    assert.equal(debit.amount, -14_285) // 9999 ÷ 0.7 = 14284.28…, up
    await service.setRates({ 'USD/EUR': '0.9' })
    await service.setFees([{ fixed_amount: 1n }])
    await settleAll(
      service,
      scriptedRail(() => Promise.resolve(railReport)),
    )
    const lines = await linesOf(service, account, [debit.id])
    assert.equal(lines.length, 1)
    const credit = await line(lines[0].id)
    assert.equal(credit.type, type)
    assert.equal(credit.operation_type, 'credit')
    assert.equal(credit.source, debit.id)
    assert.equal(credit.description, made.id)
    assert.equal(credit.amount, 14_285)
    assert.equal(credit.net.amount, -debit.net.amount)
    const back = (fee: { amount: number }) => ({ ...fee, amount: -fee.amount })
    assert.deepEqual(credit.fee_details, debit.fee_details.map(back))
    assert.deepEqual(await balancesOf(account), start)
    assert.equal((await account.get(`/v3/payout/${made.id}`)).json.data.status, status)
    assert.deepEqual(await line(debit.id), debit)
  })
}

test('GET of one payout or line with If-None-Match: 304 without a body until it changes', async () => {
  const made = await payout()
  const paths = [`${PATH}/${made.balance_transaction}`, `/v3/payout/${made.id}`]
  const other = await service.openAccount({ currencies: ['USD'] })
  for (const path of paths) {
    const first = await account.get(path)
    const etag = String(first.headers.etag)
    assert.match(etag, /^"[\w-]{22}"$/)
    assert.equal(first.headers['cache-control'], 'no-store')
    const again = await account.get(path, { 'if-none-match': etag })
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag])
    const outdated = await account.get(path, { 'if-none-match': '"another"' })
    assert.deepEqual([outdated.status, outdated.text], [200, first.text])
    assert.equal((await other.get(path, { 'if-none-match': etag })).status, 404)
    if (path !== paths[1]) continue
    await account.post(`${path}/cancel`, {})
    const changed = await account.get(path, { 'if-none-match': etag })
    assert.deepEqual([changed.status, changed.json?.data.status], [200, 'failed'])
  }
})
