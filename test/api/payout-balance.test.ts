// POST /v3/payout against the balance: what it needs, what it says when there is too little, and
// the largest amounts there are (§money.amount, §payout.balance).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/payout'
const MAX = 9_007_199_254_740_991

let service: TestService
before(async () => {
  service = await startTestService()
  await service.setRates({ 'USD/HKD': '8', 'JPY/USD': '0.01' })
})
after(() => service.close())

test(`POST ${PATH}, balance one unit short: refused with currency, required and available`, async () => {
  await service.setFees([{ fixed_amount: 150n, variable_bps: 100 }])
  // 10 000 + 150 + 100 = 10 250.
  const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_249n } })
  const before = await rowVersions(service.database.owner)
  const answer = await account.post(PATH, localPayout)
  assertRefused(answer, 422, 'insufficient_balance')
  const { message } = answer.json.errors[0]
  assert.match(message, /\bUSD\b/)
  assert.match(message, /\b10250\b/)
  assert.match(message, /\b10249\b/)
  assert.deepEqual(await rowVersions(service.database.owner), before)
})

test(`POST ${PATH}, balance exactly amount and fees: paid, balance zero and listed`, async () => {
  await service.setFees([{ fixed_amount: 150n, variable_bps: 100 }])
  const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_250n } })
  const answer = await account.post(PATH, localPayout)
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(await balancesOf(account), { USD: '0' })
  assertRefused(
    await account.post(PATH, { ...localPayout, amount: 1 }),
    422,
    'insufficient_balance',
  )
})

test(`POST ${PATH}, ten payouts at once and money for seven: seven paid, three insufficient, zero left`, async () => {
  await service.setFees([])
  const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 70_000n } })
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => account.post(PATH, localPayout)),
  )
  assert.equal(answers.filter(a => a.status === 200).length, 7)
  for (const refused of answers.filter(a => a.status !== 200)) {
    assertRefused(refused, 422, 'insufficient_balance')
  }
  assert.deepEqual(await balancesOf(account), { USD: '0' })
})

test(`POST ${PATH}, 2^53 − 1: paid to the last unit, every figure exact`, async () => {
  await service.setFees([])
  const fund = { USD: BigInt(MAX) + 1n }
  const account = await service.openAccount({ currencies: ['USD'], fund })
  const answer = await account.post(PATH, { ...localPayout, amount: MAX })
  assert.equal(answer.status, 200, answer.text)
  assert.match(answer.text, /"amount":9007199254740991\b/)
  assert.deepEqual(await balancesOf(account), { USD: '1' })
  const line = await account.get(`/v3/balance_transaction/${answer.json.data.balance_transaction}`)
  assert.match(line.text, /"amount":-9007199254740991\b/)
})

test(`POST ${PATH}, 2^53 − 1 with a fee on top: 400 amount_out_of_range, nothing written`, async () => {
  await service.setFees([{ fixed_amount: 1n }])
  const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 2n ** 60n } })
  const before = await rowVersions(service.database.owner)
  const answer = await account.post(PATH, { ...localPayout, amount: MAX })
  assertRefused(answer, 400, 'amount_out_of_range')
  assert.deepEqual(await rowVersions(service.database.owner), before)
})
