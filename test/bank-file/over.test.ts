// What banks say of payments that are over: refused and refunded, returned, or not taken and sent by
// another bank. What agrees is kept and opens nothing; what does not is an exception, and what can
// still be stopped is stopped.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fileRail } from '../../src/adapters/bank-file/adapter.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import type { Rail } from '../../src/rails/rail.ts'
import type { BankLine } from '../../src/values/bank-format/bank-format.ts'
import { verify } from '../../src/verify/run.ts'
import { problemsBesidesActs } from '../support/assert/books.ts'
import { balancesOf } from '../support/assert/check.ts'
import {
  bookedLine,
  type FileRailWorld,
  fileWorlds,
  rejectedLine,
  type Sent,
} from '../support/bank/file-rail.ts'
import { closeExceptionOf, exceptionsOf as readExceptions } from '../support/service/payouts.ts'
import type { TestService } from '../support/service/service.ts'

let service: TestService
after(async () => {
  const verdict = await verify(service.database.owner, { account_id: null, all: true })
  assert.deepEqual(problemsBesidesActs(verdict), [])
})
const world = fileWorlds('bank', started => {
  service = started
})

/** A payout that is in a file that its bank has. */
async function sentBy(bank: FileRailWorld): Promise<{ readonly id: string; readonly sent: Sent }> {
  const [id = ''] = await bank.pay([100])
  await bank.work()
  const [sent = assert.fail('nothing was sent')] = await bank.sweep()
  return { id, sent }
}

/** A booking or return as a statement tells it. */
const booked = (
  sent: Sent,
  level: 'booking' | 'return',
  statement: string,
  reference: string,
): Partial<BankLine> => ({ ...bookedLine(sent, level), statement, reference })

const exceptionsOf = (id: string) => readExceptions(service, id)

async function attemptsOf(id: string) {
  const rows = await service.database.owner<{ rail: string; ended_as: string }[]>`
    select rail, ended_as from payout_attempts where payout_id = ${id} order by number`
  return rows.map(({ rail, ended_as }) => `${rail} ${ended_as || 'open'}`)
}

test("payment refused and credited back, then its debit booked: an exception until the bank's credit is seen", async () => {
  const bank = await world()
  const before = await balancesOf(bank.client)
  const { id, sent } = await sentBy(bank)
  await bank.report([rejectedLine(sent, 'AC04')])
  await bank.work()
  assert.equal(await bank.statusOf(id), 'failed')
  assert.deepEqual(await balancesOf(bank.client), before)
  assert.deepEqual(await exceptionsOf(id), [])
  await bank.report([booked(sent, 'booking', 'camt.053 1', 'D-1')])
  await bank.work()
  assert.deepEqual(await exceptionsOf(id), ['1 rejected_but_booked'])
  assert.equal(await bank.statusOf(id), 'failed')
  await bank.report([booked(sent, 'return', 'camt.053 2', 'C-1')])
  await bank.work()
  assert.equal(await closeExceptionOf(service, bank.client, id, 1), true)
  await bank.work()
  assert.deepEqual(await exceptionsOf(id), ['1 rejected_but_booked closed'])
  assert.deepEqual(await balancesOf(bank.client), before)
})

test('payment refused again, with another reason or by a repeated file: evidence stored, no exception', async () => {
  const bank = await world()
  const { id, sent } = await sentBy(bank)
  for (const reason of ['AC04', 'AC06', 'DU04']) {
    await bank.report([rejectedLine(sent, reason)])
    await bank.work()
  }
  assert.deepEqual(await exceptionsOf(id), [])
  assert.equal(await bank.statusOf(id), 'failed')
})

test('return in camt.054, the same in camt.053: no change; a second return: an exception', async () => {
  const bank = await world()
  const before = await balancesOf(bank.client)
  const { id, sent } = await sentBy(bank)
  await bank.report([booked(sent, 'booking', 'camt.053 1', 'D-1')])
  await bank.work()
  await bank.report([booked(sent, 'return', 'camt.054 7', 'N-1')])
  await bank.work()
  assert.equal(await bank.statusOf(id), 'reversed')
  await bank.report([booked(sent, 'return', 'camt.053 2', 'S-1')])
  await bank.work()
  assert.deepEqual(await exceptionsOf(id), [])
  await bank.report([booked(sent, 'return', 'camt.053 3', 'S-2')])
  await bank.work()
  assert.deepEqual(await exceptionsOf(id), ['1 second_return'])
  assert.deepEqual(await balancesOf(bank.client), before)
})

test("stray cents under a payment's id, repeatedly: one exception; debit and return still applied", async () => {
  const bank = await world()
  const before = await balancesOf(bank.client)
  const { id, sent } = await sentBy(bank)
  for (const cents of [1n, 2n]) {
    const stray = booked(sent, 'booking', `camt.053 ${cents}`, `S-${cents}`)
    await bank.report([{ ...stray, is_credit: true, amount: cents }])
    await bank.work()
    assert.deepEqual(await exceptionsOf(id), ['1 credit_unmarked'])
  }
  await bank.report([booked(sent, 'booking', 'camt.053 3', 'D-1')])
  await bank.work()
  assert.equal(await bank.statusOf(id), 'succeeded')
  await bank.report([booked(sent, 'return', 'camt.053 4', 'C-1')])
  await bank.work()
  assert.equal(await bank.statusOf(id), 'reversed')
  assert.deepEqual(await balancesOf(bank.client), before)
  assert.deepEqual(await exceptionsOf(id), ['1 credit_unmarked'])
})

/** Rounds of the work on files: a report is read once two looks have found the same size. */
async function rounds(bank: FileRailWorld, settle = async () => {}): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await bank.round()
    await settle()
  }
}

/** A payout that the first bank has not taken, and that waits in an item of the second one. */
async function failedOver() {
  const [first, second] = [await world(), await world()]
  await service.database.owner`
    insert into routes (account_id, rail, priority)
    values (${first.client.account.account_id}, ${second.name}, -1)`
  await service.deps.reference.refresh()
  const rails = new Map<string, Rail>([
    [first.name, fileRail(first.rail)],
    [second.name, fileRail(second.rail)],
  ])
  const settle = async () => {
    while ((await settleOnce({ ...service.deps, rails })) > 0);
  }
  const { id, sent } = await sentBy(first)
  await first.report([rejectedLine(sent, 'AB05')])
  await rounds(first, settle)
  assert.deepEqual(await attemptsOf(id), [`${first.name} not_taken`, `${second.name} open`])
  return { first, second, settle, id, sent }
}

test("payment not taken by the first bank, in a file for the second, then booked by the first: second bank's file not sealed", async () => {
  const { first, second, settle, id, sent } = await failedOver()
  assert.equal((await second.items()).length, 1)
  await first.report([booked(sent, 'booking', 'camt.053 1', 'D-1')])
  await rounds(first, settle)
  assert.deepEqual(await exceptionsOf(id), ['1 rejected_but_booked'])
  await rounds(second, settle)
  assert.deepEqual(await second.outbox(), [])
  assert.equal(await first.statusOf(id), 'processing')
  // The bank has given it back, and a person has seen that: the second bank may pay.
  await first.report([booked(sent, 'return', 'camt.053 2', 'C-1')])
  await rounds(first, settle)
  assert.equal(await closeExceptionOf(service, first.client, id, 1), true)
  await settle()
  await rounds(second, settle)
  const [paid = assert.fail('not sealed')] = await second.sweep()
  await second.book([paid])
  await rounds(second, settle)
  assert.equal(await first.statusOf(id), 'succeeded')
  assert.deepEqual(await attemptsOf(id), [`${first.name} not_taken`, `${second.name} paid`])
})

test('payment booked by the first bank after the second has paid: an exception', async () => {
  const { first, second, settle, id, sent } = await failedOver()
  await rounds(second, settle)
  await second.book(await second.sweep())
  await rounds(second, settle)
  assert.equal(await first.statusOf(id), 'succeeded')
  await first.report([booked(sent, 'booking', 'camt.053 1', 'D-1')])
  await rounds(first, settle)
  assert.deepEqual(await exceptionsOf(id), ['1 rejected_but_booked'])
  assert.equal(await first.statusOf(id), 'succeeded')
})

test('payment booked while its rail is asked: the older answer does not hide the booking', async () => {
  const bank = await world()
  const { id, sent } = await sentBy(bank)
  await bank.report([rejectedLine(sent, 'AC04')])
  await bank.work()
  const rail = fileRail(bank.rail)
  const answered = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  // Its answer is made before the booking comes, and is heard of after it.
  const slow: Rail = {
    ...rail,
    inquire: payouts =>
      rail.inquire(payouts).map(async report => {
        const told = await report
        answered.resolve()
        await go.promise
        return told
      }),
  }
  await service.database.owner`
    update payout_attempts set ask_again_at = statement_timestamp() where payout_id = ${id}`
  const round = settleOnce({ ...service.deps, rails: new Map([[bank.name, slow]]) })
  await answered.promise
  await bank.report([booked(sent, 'booking', 'camt.053 1', 'D-1')])
  await rounds(bank)
  go.resolve()
  await round
  assert.deepEqual(await exceptionsOf(id), [])
  await bank.settle()
  assert.deepEqual(await exceptionsOf(id), ['1 rejected_but_booked'])
})
