// A payment that its bank has rejected by name because the day or our money was missing: it goes again, as
// another attempt under ids of its own, so often and no more, and never while the bank may have paid it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT, type FileRailWorld, fileWorlds } from '../support/bank/file-rail.ts'
import type { TestService } from '../support/service/service.ts'

let service: TestService
const world = fileWorlds('again', started => {
  service = started
})

interface Attempted {
  readonly number: number
  readonly rail: string
  readonly ended_as: string
  readonly end_to_end_id: string | null
  readonly msg_id: string | null
}

async function attemptsOf(id: string): Promise<Attempted[]> {
  const rows = await service.database.owner<Attempted[]>`
    select a.number, a.rail, a.ended_as, i.end_to_end_id, i.msg_id from payout_attempts a
    left join rail_items i on i.account_id = a.account_id and i.payout_id = a.payout_id
      and i.attempt = a.number
    where a.payout_id = ${id} order by a.number`
  return [...rows]
}

/** How the attempts of a payout ended, as `not_taken/open`. */
const endsOf = async (id: string) =>
  (await attemptsOf(id)).map(({ ended_as }) => ended_as || 'open').join('/')

/** The bank rejects the payment of the last attempt, by name. */
async function reject(bank: FileRailWorld, id: string, reason: string): Promise<void> {
  const last = (await attemptsOf(id)).at(-1)
  const { end_to_end_id, msg_id } = last ?? assert.fail('no attempt')
  assert.ok(end_to_end_id !== null && msg_id !== null && msg_id !== '', 'it is in a file')
  await bank.report([
    { level: 'transaction', code: 'RJCT', reasons: [reason], end_to_end_id, msg_id },
  ])
  await bank.work()
}

async function dueOf(id: string): Promise<Date> {
  const [row] = await service.database.owner<{ due: string }[]>`
    select ask_rail_at::text as due from open_payouts where id = ${id}`
  return new Date(row?.due ?? assert.fail('nobody asks about it'))
}

/** Its release has come. */
async function comes(bank: FileRailWorld, id: string): Promise<void> {
  await service.database.owner`update open_payouts set ask_rail_at = now() where id = ${id}`
  await bank.settle()
}

test('DT05, DT06: the same rail gets it after the cut-off that it has missed, in another file, under other ids', async () => {
  for (const reason of ['DT05', 'DT06']) {
    const bank = await world()
    const [id = ''] = await bank.pay([100])
    await bank.work()
    const [first = assert.fail()] = await bank.sweep()
    const [{ closes_at } = assert.fail()] = await service.database.owner<{ closes_at: string }[]>`
      select closes_at::text from rail_items where rail = ${bank.name}`
    await reject(bank, id, reason)
    assert.deepEqual([await bank.statusOf(id), await endsOf(id)], ['processing', 'not_taken/open'])
    assert.ok((await dueOf(id)) > new Date(closes_at), 'not before its cut-off is over')
    await bank.work()
    assert.deepEqual(await bank.outbox(), [])
    await comes(bank, id)
    await bank.work()
    const [second = assert.fail(), none] = await bank.sweep()
    assert.equal(none, undefined)
    assert.notEqual(second.end_to_end_id, first.end_to_end_id)
    const attempts = await attemptsOf(id)
    assert.deepEqual(
      attempts.map(({ rail, end_to_end_id }) => [rail, end_to_end_id]),
      [
        [bank.name, first.end_to_end_id],
        [bank.name, second.end_to_end_id],
      ],
    )
    await bank.book([second])
    await bank.work()
    assert.deepEqual([await bank.statusOf(id), await endsOf(id)], ['succeeded', 'not_taken/paid'])
  }
})

test('DT05 by a timetable: the new day is shown', async () => {
  const timetable = {
    ...{ calendar: 't2', cut_off: '17:00', zone: 'Europe/Berlin' },
    ...{ lead_minutes: 30, arrival_days: 1 },
  }
  const bank = await world({ config: { timetable } })
  const [id = ''] = await bank.pay([100])
  await service.database.owner`
    update rail_items set seal_at = now() - interval '1 second' where rail = ${bank.name}`
  await bank.work()
  const expected = async () =>
    (await bank.client.get(`/v3/payout/${id}`)).json.data.expected_at as string
  const before = await expected()
  await reject(bank, id, 'DT05')
  assert.equal(await endsOf(id), 'not_taken/open')
  const later = await expected()
  assert.ok(typeof before === 'string' && later > before, `${before} and then ${later}`)
})

test('AM04: held until a person has closed it, then the same rail gets it at once, three times in all', async () => {
  const bank = await world()
  const [id = ''] = await bank.pay([100])
  const seen = new Set<string>()
  for (const ends of ['open', 'not_taken/open', 'not_taken/not_taken/open']) {
    await bank.work()
    assert.equal(await endsOf(id), ends)
    const [{ end_to_end_id } = assert.fail()] = await bank.sweep()
    seen.add(end_to_end_id)
    await reject(bank, id, 'AM04')
    assert.equal(await endsOf(id), ends, 'nothing goes before a person has looked')
    await bank.work()
    assert.deepEqual(await bank.outbox(), [])
    await bank.closeOnly(id, 'no_funds')
  }
  assert.equal(seen.size, 3)
  assert.equal(await endsOf(id), 'not_taken/not_taken/not_taken')
  assert.deepEqual(await bank.openKinds(id), ['no_other_route'])
  await bank.work()
  assert.deepEqual([await bank.outbox(), await bank.statusOf(id)], [[], 'processing'])
})

test('rejected, and its debit is booked: it does not go again, though a person closes the exceptions', async () => {
  const bank = await world()
  const [id = ''] = await bank.pay([100])
  await bank.work()
  const paid = await bank.sweep()
  await bank.book(paid)
  bank.pause(true)
  await reject(bank, id, 'DT05')
  bank.pause(false)
  assert.equal(await endsOf(id).then(ends => ends.includes('not_taken')), false)
  assert.deepEqual(await bank.outbox(), [])
})

test('the first attempt is booked after all, while the second waits for a file, or is in one: it is not sent', async () => {
  for (const when of ['waits', 'sealed']) {
    const bank = await world({ profile: { release_by_person: when === 'sealed' } })
    const [id = ''] = await bank.pay([100])
    await bank.work()
    if (when === 'sealed') await releaseAll(bank)
    const paid = await bank.sweep()
    await reject(bank, id, 'AM04')
    await bank.closeOnly(id, 'no_funds')
    assert.equal(await endsOf(id), 'not_taken/open')
    if (when === 'sealed') await bank.work()
    bank.pause(true)
    const [{ end_to_end_id, amount, currency } = assert.fail()] = paid
    const debit = { level: 'booking', code: 'BOOK', is_credit: false, account: ACCOUNT } as const
    await bank.report([{ ...debit, end_to_end_id, amount, currency }])
    await bank.round()
    await bank.round()
    bank.pause(false)
    if (when === 'sealed') {
      await service.database.owner`
        update rail_files set state = 'approved', approved_by = 'ann', approved_at = now()
        where rail = ${bank.name} and state = 'sealed'`
    }
    await bank.work()
    assert.deepEqual(await bank.outbox(), [], when)
  }
})

async function releaseAll(bank: FileRailWorld): Promise<void> {
  await service.database.owner`
    update rail_files set state = 'approved', approved_by = 'ann', approved_at = now()
    where rail = ${bank.name} and state = 'sealed'`
  await bank.work()
}
