// POST /v3/payout of type service_account: another account of the installation is paid in the same
// transaction, and the payout is final at once (§transfer.receiver).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused, assertShape, balancesOf, rowVersions } from '../support/assert/check.ts'
import { BALANCE_TRANSACTION, PAYOUT } from '../support/assert/shapes.ts'
import { internalPayout } from '../support/given/bodies.ts'
import { startTestService, type TestService } from '../support/service/service.ts'
import { linesOf, scriptedRail, settleAll } from '../support/service/settling.ts'

const PATH = '/v3/payout'

let service: TestService
before(async () => {
  service = await startTestService()
  await service.setRates({ 'USD/EUR': '0.8', 'EUR/HKD': '10' })
})
after(() => service.close())

async function pair() {
  const sender = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000n } })
  const receiver = await service.openAccount({ currencies: ['USD', 'EUR'], fund: { EUR: 5n } })
  return { sender, receiver, address: receiver.account.deposit_address }
}

test(`POST ${PATH}, service_account: succeeded at once, receiver credited, every field of the table`, async () => {
  const { sender, receiver, address } = await pair()
  const answer = await sender.post(PATH, internalPayout(address, 40_000))
  assert.equal(answer.status, 200, answer.text)
  const payout = answer.json.data
  assertShape(payout, PAYOUT)
  assert.equal(payout.status, 'succeeded')
  assert.equal(payout.failure, null)
  assert.equal(payout.type, 'service_account')
  assert.deepEqual(payout.beneficiary_details.destination_details, {
    type: 'service_account',
    service_account: { deposit_address: address },
  })
  assert.deepEqual(await balancesOf(sender), { USD: '60000' })
  assert.deepEqual(await balancesOf(receiver), { EUR: '5', USD: '40000' })
  assert.equal((await sender.get(`${PATH}/${payout.id}`)).text, answer.text)
})

test(`POST ${PATH}, service_account converted: the receiver's credit is the destination amount, without the sender's fees`, async () => {
  const { sender, receiver, address } = await pair()
  await service.setFees([{ payout_type: 'service_account', fixed_amount: 100n, variable_bps: 100 }])
  const answer = await sender.post(PATH, internalPayout(address, 800, 'EUR'))
  assert.equal(answer.status, 200, answer.text)
  const { id, balance_transaction } = answer.json.data
  assert.deepEqual(await balancesOf(sender), { USD: String(100_000 - 1_000 - 100 - 10) })
  assert.deepEqual(await balancesOf(receiver), { EUR: '805', USD: '0' })
  const [debit] = await linesOf(service, sender, [id])
  assert.equal(debit.id, balance_transaction)
  assert.equal(debit.operation_type, 'debit')
  const [credit, ...more] = await linesOf(service, receiver, [id])
  assert.deepEqual(more, [])
  assertShape(credit, BALANCE_TRANSACTION)
  assert.equal(credit.type, 'payout')
  assert.equal(credit.operation_type, 'credit')
  assert.equal(credit.amount, 800)
  assert.equal(credit.currency, 'EUR')
  assert.deepEqual(credit.net, { amount: 800, currency: 'EUR' })
  assert.deepEqual(credit.fee_details, [])
  assert.equal(credit.source, id)
  await service.setFees([])
})

test(`POST ${PATH}, service_account with a quote that converts the destination: credited in that currency`, async () => {
  const { sender } = await pair()
  const receiver = await service.openAccount({ currencies: ['HKD'] })
  const quote = await sender.post('/v3/payout/quote', {
    payout_type: 'service_account',
    payout_info: { currency: 'EUR', amount: 800 },
    destination_info: { currency: 'HKD', country: 'HK' },
  })
  assert.equal(quote.status, 200, quote.text)
  const body = internalPayout(receiver.account.deposit_address, 800, 'EUR')
  const answer = await sender.post(PATH, { ...body, quote: quote.json.id })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(await balancesOf(receiver), { HKD: '8000' })
})

test(`POST ${PATH}, service_account to an unknown deposit address or the sender's own: 422, nothing written`, async () => {
  const { sender } = await pair()
  const before = await rowVersions(service.database.owner)
  for (const to of [sender.account.deposit_address, `dep_${'0'.repeat(20)}`]) {
    const answer = await sender.post(PATH, internalPayout(to, 1_000))
    assertRefused(answer, 422, 'deposit_address_not_found')
  }
  assert.deepEqual(await rowVersions(service.database.owner), before)
})

test(`POST ${PATH}, service_account in a currency the receiver lacks: 422, nothing written`, async () => {
  const { sender } = await pair()
  const receiver = await service.openAccount({ currencies: ['HKD'] })
  const before = await rowVersions(service.database.owner)
  const body = internalPayout(receiver.account.deposit_address, 1_000)
  assertRefused(await sender.post(PATH, body), 422, 'deposit_currency_not_accepted')
  assert.deepEqual(await rowVersions(service.database.owner), before)
})

test('settling, service_account payout: no rail is ever asked', async () => {
  const { sender, address } = await pair()
  const { id } = (await sender.post(PATH, internalPayout(address))).json.data
  const rail = scriptedRail()
  await settleAll(service, rail)
  assert.deepEqual(
    rail.calls.filter(call => call.includes(id)),
    [],
  )
})

test(`POST ${PATH}, two accounts paying each other at once, twenty times: no deadlock, every unit accounted for`, async () => {
  const a = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000n } })
  const b = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000n } })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0
        ? a.post(PATH, internalPayout(b.account.deposit_address, 300))
        : b.post(PATH, internalPayout(a.account.deposit_address, 100)),
    ),
  )
  for (const answer of answers) assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(await balancesOf(a), { USD: '8000' })
  assert.deepEqual(await balancesOf(b), { USD: '12000' })
})

test(`POST ${PATH}, service_account from a sandbox to a live account, or back: deposit_address_not_found, nothing written`, async () => {
  const fund = { USD: 10_000n }
  const [one, other] = await Promise.all(
    [true, false].map(sandbox => service.openAccount({ currencies: ['USD'], fund, sandbox })),
  )
  assert.ok(one !== undefined && other !== undefined)
  await service.setFees([{ payout_type: 'service_account', fixed_amount: 0n }])
  const untouched = await rowVersions(service.database.owner)
  for (const [sender, receiver] of [
    [one, other],
    [other, one],
  ] as const) {
    const answer = await sender.post(PATH, internalPayout(receiver.account.deposit_address, 100))
    assertRefused(answer, 422, 'deposit_address_not_found')
  }
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
})
