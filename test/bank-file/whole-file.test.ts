// What a bank says of a whole file or a batch, of an account by another of its names, and of a part
// of a payment.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bookedLine, fileWorlds } from '../support/bank/file-rail.ts'

const world = fileWorlds('whole')

async function paidWorld(profile: object = {}) {
  const bank = await world({ profile })
  const ids = await bank.pay([100, 250])
  await bank.work()
  const paid = await bank.sweep()
  const { msg_id } = await bank.onlyFile()
  const statuses = async () => Promise.all(ids.map(id => bank.statusOf(id)))
  return { bank, paid, msg_id, statuses }
}

test('bank status for a whole file, accepted or settled: applied to all payments, as the profile says', async () => {
  for (const [code, settles_on] of [
    ['ACSC', 'acsc'],
    ['ACCP', 'accepted'],
  ] as const) {
    const { bank, msg_id, statuses } = await paidWorld({ settles_on })
    await bank.report([{ level: 'file', code, msg_id }])
    await bank.work()
    assert.deepEqual(await statuses(), ['succeeded', 'succeeded'], code)
  }
})

test('booking that names only the file, sum equal: applied; sum different: set aside', async () => {
  const { bank, msg_id, statuses } = await paidWorld()
  const booking = {
    level: 'booking',
    code: 'BOOK',
    msg_id,
    currency: 'USD',
    is_credit: false,
  } as const
  await bank.report([{ ...booking, amount: 349n, reference: 'a' }])
  await bank.work()
  assert.deepEqual(await statuses(), ['processing', 'processing'])
  assert.equal((await bank.setAsideLines()).length, 1)
  await bank.report([{ ...booking, amount: 350n, reference: 'b' }])
  await bank.work()
  assert.deepEqual(await statuses(), ['succeeded', 'succeeded'])
})

test('bank account given by the national part of its IBAN: the same account', async () => {
  const { bank, paid, statuses } = await paidWorld()
  await bank.report(paid.map(one => ({ ...bookedLine(one), account: '370400440532013000' })))
  await bank.work()
  assert.deepEqual(await statuses(), ['succeeded', 'succeeded'])
})

test('bank statement with a faulty line: this line set aside with its reason, others applied', async () => {
  const { bank, paid, statuses } = await paidWorld()
  await bank.report([
    { level: 'booking', defect: 'Amt "5,00" is not an amount' },
    ...paid.map(one => bookedLine(one)),
  ])
  await bank.work()
  assert.deepEqual(await statuses(), ['succeeded', 'succeeded'])
  assert.match((await bank.setAsideLines())[0]?.reason ?? '', /is not an amount/)
})

test('return of a part, or in another currency: set aside, nothing credited', async () => {
  const { bank, paid, statuses } = await paidWorld()
  await bank.book(paid)
  await bank.work()
  const [one = assert.fail('nothing was paid')] = paid
  const back = bookedLine(one, 'return')
  await bank.report([
    { ...back, amount: 1n, reference: 'a' },
    { ...back, amount: 0n, reference: 'b' },
    { ...back, amount: (one.amount * 94n) / 100n, reference: 'c' },
    { ...back, currency: 'JPY', reference: 'd' },
  ])
  await bank.work()
  assert.deepEqual(await statuses(), ['succeeded', 'succeeded'])
  const reasons = (await bank.setAsideLines()).map(({ reason }) => reason)
  assert.equal(reasons.length, 4)
  for (const reason of reasons) assert.match(reason, /^it returns .+ of USD \d\.\d\d, and charges/)
})

test("return minus the bank's charges: credited in full", async () => {
  const { bank, paid, statuses } = await paidWorld()
  await bank.book(paid)
  await bank.work()
  await bank.report(
    paid.map(one => ({ ...bookedLine(one, 'return'), amount: (one.amount * 95n + 99n) / 100n })),
  )
  await bank.work()
  assert.deepEqual(await statuses(), ['reversed', 'reversed'])
})
