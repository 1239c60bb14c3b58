// What rounding, the spread and full balances do to money: debits round up, credits round down, the
// margin is income of the house, and no balance overflows.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verify } from '../../src/verify/run.ts'
import { assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { internalPayout, localPayout, yenBank } from '../support/given/bodies.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

async function pay(account: Client, body: object): Promise<{ id: string; status: string }> {
  const { status, json, text } = await account.post('/v3/payout', body)
  assert.equal(status, 200, text)
  return json.data
}

async function assertBooksHold({ database }: TestService): Promise<void> {
  assert.deepEqual((await verify(database.owner, { account_id: null })).problem, null)
}

/** A payout of 14,999 USDC units is worth 1.4999 cents and costs 2. */
test('USDC bought with USD and sold again, payout by payout: not a cent gained', async () => {
  await service.setRates({ 'USD/USDC': '1' })
  const [payer, receiver] = await service.openAccounts([
    { currencies: ['USD'], fund: { USD: 10_000n } },
    { currencies: ['USDC'] },
  ])
  assert.ok(payer !== undefined && receiver !== undefined)
  const there = internalPayout(receiver.account.deposit_address, 14_999, 'USDC')
  for (let i = 0; i < 50; i++) await pay(payer, there)
  assert.deepEqual(await balancesOf(payer), { USD: '9900' })
  assert.deepEqual(await balancesOf(receiver), { USDC: '749950' })
  // 749,950 units are 74.995 cents: 74 of them can be bought.
  const back = internalPayout(payer.account.deposit_address, 75)
  assertRefused(await receiver.post('/v3/payout', back), 422, 'insufficient_balance')
  await pay(receiver, internalPayout(payer.account.deposit_address, 74))
  assert.deepEqual(await balancesOf(payer), { USD: '9974' })
  assert.deepEqual(await balancesOf(receiver), { USDC: '9950' })
  await assertBooksHold(service)
})

interface Posted {
  kind: string
  code: string
  currency: string
  amount: string
}

function postingsOf(service: TestService, { account }: Client): Promise<Posted[]> {
  return service.database.owner<Posted[]>`
    select j.kind, x.code, x.currency, x.amount::text
    from postings x join journals j using (account_id, number)
    where j.account_id = ${account.account_id} and j.kind <> 'funding'
      and x.code in ('fx', 'fx_income')
    order by j.number, x.code, x.currency`
}

const FULL = 2n ** 62n

test("POST /v3/payout, receiver's balance full: 422 balance_limit_exceeded, alone and in a batch, no row changes", async () => {
  const [payer, receiver] = await service.openAccounts([
    { currencies: ['USD'], fund: { USD: 100_000n } },
    { currencies: ['USD'], fund: { USD: FULL - 5_000n } },
  ])
  assert.ok(payer !== undefined && receiver !== undefined)
  const before = await rowVersions(service.database.owner)
  const body = internalPayout(receiver.account.deposit_address, 5_001)
  assertRefused(await payer.post('/v3/payout', body), 422, 'balance_limit_exceeded', 'amount')
  assert.deepEqual(await rowVersions(service.database.owner), before)
  const batch = await payer.post('/v3/payout_batch', { payouts: [body] })
  assert.match(batch.text, /balance_limit_exceeded/)
  assert.deepEqual(await balancesOf(payer), { USD: '100000' })
  await pay(payer, { ...body, amount: 5_000 })
  assert.deepEqual(await balancesOf(receiver), { USD: String(FULL) })
  assertRefused(
    await payer.post('/v3/payout', { ...body, amount: 1 }),
    422,
    'balance_limit_exceeded',
  )
})

test("held payout to another account, receiver's balance full before the review: fails, credited back", async () => {
  const [payer, receiver] = await service.openAccounts([
    { currencies: ['USD'], fund: { USD: 100_000n } },
    { currencies: ['USD'], fund: { USD: FULL - 10_000n } },
  ])
  assert.ok(payer !== undefined && receiver !== undefined)
  const entity = await payer.post('/v3/entity', { type: 'individual', name: 'Anna' })
  const on_behalf_of = entity.json.data.id
  const held = await pay(payer, {
    ...internalPayout(receiver.account.deposit_address, 10_000),
    on_behalf_of,
  })
  assert.equal(held.status, 'compliance_hold')
  await pay(payer, internalPayout(receiver.account.deposit_address, 1))
  await review(service, payer, on_behalf_of, 'approved')
  await settleAll(service)
  const { status, failure } = (await payer.get(`/v3/payout/${held.id}`)).json.data
  assert.equal(status, 'failed')
  assert.equal(failure.code, 'PF000310')
  assert.deepEqual(await balancesOf(payer), { USD: '99999' })
})

/** Last: it leaves books that are not in order. */
test('margin of a spread: income in the journal, not on the statement line, reversed on failure', async () => {
  const { database } = service
  await service.setRates({ 'USD/HKD': '8', 'HKD/JPY': '20' })
  const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  await service.setPricing({ spread_bps: 100 }, { account_id: account.account.account_id })
  const { id } = await pay(account, {
    ...localPayout,
    currency: 'HKD',
    amount: 200_000,
    holding_currency: 'USD',
    beneficiary_details: {
      ...localPayout.beneficiary_details,
      destination_details: {
        type: 'bank',
        bank: yenBank,
      },
    },
  })
  const payout = (await account.get(`/v3/payout/${id}`)).json.data
  const line = await account.get(`/v3/balance_transaction/${payout.balance_transaction}`)
  // 2,000.00 HKD at 8 less 1 % cost 252.5252… USD and at mid 250.00; they yield 39,600 yen, and
  // at mid 40,000.
  assert.equal(line.json.data.amount, -25_253)
  assert.deepEqual(line.json.data.net, { amount: -25_253, currency: 'USD' })
  assert.deepEqual(await balancesOf(account), { USD: '974747' })
  const made = [
    { kind: 'payout', code: 'fx', currency: 'HKD', amount: '-200000' },
    { kind: 'payout', code: 'fx', currency: 'HKD', amount: '200000' },
    { kind: 'payout', code: 'fx', currency: 'JPY', amount: '-40000' },
    { kind: 'payout', code: 'fx', currency: 'USD', amount: '25000' },
    { kind: 'payout', code: 'fx_income', currency: 'JPY', amount: '400' },
    { kind: 'payout', code: 'fx_income', currency: 'USD', amount: '253' },
  ]
  assert.deepEqual(
    (await postingsOf(service, account)).map(p => ({ ...p })),
    made,
  )
  await assertBooksHold(service)
  const cancelled = await account.post(`/v3/payout/${id}/cancel`, {})
  assert.equal(cancelled.status, 200, cancelled.text)
  assert.deepEqual(await balancesOf(account), { USD: '1000000' })
  const sums = await database.owner`
    select x.currency, sum(x.amount)::text as income from postings x
    where x.account_id = ${account.account.account_id} and x.code = 'fx_income'
    group by 1 order by 1`
  assert.deepEqual(
    sums.map(row => ({ ...row })),
    [
      { currency: 'JPY', income: '0' },
      { currency: 'USD', income: '0' },
    ],
  )
  await assertBooksHold(service)
  // A margin that is not what the payout's own basis makes is named.
  await database.owner.begin(async tx => {
    await tx`set local corridor.maintenance = 'on'`
    await tx`alter table payouts disable trigger append_only`
    await tx`alter table payouts disable trigger erased_only`
    await tx`
      update payouts set basis = replace(basis::text, '"spread_bps":', '"spread_bps":1')::json
      where id = ${payout.id}`
  })
  const verdict = await verify(database.owner, { account_id: null })
  assert.match(verdict.problem?.table ?? 'none', /^(payouts|journals)$/)
})
