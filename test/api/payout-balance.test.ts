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
})
after(() => service.close())

test(`POST ${PATH}, balance one unit too small: refused, naming currency, required and available amount; balance exactly enough: paid`, async () => {
  await service.setFees([{ fixed_amount: 150n, variable_bps: 100 }])
  // 10 000 + 150 + 100 = 10 250.
  const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_249n } })
  const before = await rowVersions(service.database.owner)
  const answer = await account.post(PATH, localPayout)
  assertRefused(answer, 422, 'insufficient_balance')
  const { message } = answer.json.errors[0]
  for (const word of [/\bUSD\b/, /\b10250\b/, /\b10249\b/]) assert.match(message, word)
  assert.deepEqual(await rowVersions(service.database.owner), before)
  await account.post('/v3/sandbox/fund', { amount: 1, currency: 'USD' })
  assert.equal((await account.post(PATH, localPayout)).status, 200)
  assert.deepEqual(await balancesOf(account), { USD: '0' })
  const more = await account.post(PATH, { ...localPayout, amount: 1 })
  assertRefused(more, 422, 'insufficient_balance')
})

test(`POST ${PATH}, amount 2^53 − 1: paid in full, every figure exact; with a fee on top: 400 amount_out_of_range`, async () => {
  const fund = { USD: BigInt(MAX) + 1n }
  const account = await service.openAccount({ currencies: ['USD'], fund })
  const largest = { ...localPayout, amount: MAX }
  await service.setFees([{ fixed_amount: 1n }])
  const before = await rowVersions(service.database.owner)
  assertRefused(await account.post(PATH, largest), 400, 'amount_out_of_range')
  assert.deepEqual(await rowVersions(service.database.owner), before)
  await service.setFees([])
  const answer = await account.post(PATH, largest)
  assert.equal(answer.status, 200, answer.text)
  assert.match(answer.text, /"amount":9007199254740991\b/)
  assert.deepEqual(await balancesOf(account), { USD: '1' })
  const line = await account.get(`/v3/balance_transaction/${answer.json.data.balance_transaction}`)
  assert.match(line.text, /"amount":-9007199254740991\b/)
})
