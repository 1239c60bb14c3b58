// A payment that its bank has rejected by name because the day or our money was missing goes again, as
// another attempt under ids of its own, so often and no more, and never while the bank may have paid it. One
// that waits for a person goes into no file until they have looked, and never waits where nobody sees it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findFile, type RailFile, sendAgain } from '../../src/adapters/bank-file/file-store.ts'
import { releaseFile, resealFile, takeBackFile } from '../../src/adapters/bank-file/resend.ts'
import { sealDue } from '../../src/adapters/bank-file/seal.ts'
import { verify } from '../../src/verify/run.ts'
import { problemsBesidesActs } from '../support/assert/books.ts'
import {
  bookedLine,
  type FileRailWorld,
  fileWorlds,
  rejectedLine,
  type Sent,
} from '../support/bank/file-rail.ts'
import { until } from '../support/service/process.ts'
import type { TestService } from '../support/service/service.ts'

let service: TestService
after(async () => {
  const verdict = await verify(service.database.owner, { account_id: null, all: true })
  assert.deepEqual(problemsBesidesActs(verdict), [])
})
const world = fileWorlds('held', started => {
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
  await bank.report([{ ...rejectedLine({ end_to_end_id }, reason), msg_id }])
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

test('payment rejected with DT05 (cut-off missed): sent again by the same rail after the cut-off, in another file, under new ids', async () => {
  const bank = await world()
  const [id = ''] = await bank.pay([100])
  await bank.work()
  const [first = assert.fail()] = await bank.sweep()
  const [{ closes_at } = assert.fail()] = await service.database.owner<{ closes_at: string }[]>`
    select closes_at::text from rail_items where rail = ${bank.name}`
  await reject(bank, id, 'DT05')
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
})

test('payment rejected with DT05, rail with a timetable: the new day is shown', async () => {
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

test('payment rejected with AM04 (no funds): held until a person closes the exception, then sent again, at most three times', async () => {
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

test('payment rejected, but its debit booked: not sent again, also after a person closes the exceptions', async () => {
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

test('first attempt booked late, second attempt waiting for a file or in one: second attempt not sent', async () => {
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
    const [sent = assert.fail()] = paid
    await bank.report([bookedLine(sent)])
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

/** The only file that waits for its release. */
async function sealed(bank: FileRailWorld): Promise<RailFile> {
  const files = await bank.files('sealed')
  assert.equal(files.length, 1)
  return files[0] ?? assert.fail()
}

/** A person releases the only file that waits for it, and the bank takes it. */
async function release(bank: FileRailWorld) {
  const file = await sealed(bank)
  const items = await bank.itemsOf(file)
  const saying = { force: false, items, person: 'ben' }
  assert.equal(await releaseFile(service.deps.sql, file, saying), undefined)
  await bank.work()
  return bank.sweep()
}

const rejected = (sent: Sent) => rejectedLine(sent, 'DT05')

/** The bank has missed the day of these payments: their next attempts wait in items of their own. */
async function again(bank: FileRailWorld, paid: readonly Sent[]): Promise<void> {
  await bank.report(paid.map(rejected))
  await bank.work()
  await service.database.owner`
    update open_payouts set ask_rail_at = now() where rail = ${bank.name}`
  await bank.settle()
}

test("file withdrawn, one of its payments needs a decision: sent after a person's decision", async () => {
  const bank = await world({ profile: { release_by_person: true } })
  const [id = '', other = ''] = await bank.pay([100, 200])
  await bank.work()
  const paid = await release(bank)
  await again(bank, paid)
  await bank.work()
  const file = await sealed(bank)
  const first = paid.find(({ amount }) => amount === 100n) ?? assert.fail()
  await bank.report([bookedLine(first)])
  await bank.work()
  assert.equal((await bank.openKinds(id)).length, 1)
  const items = await bank.itemsOf(file)
  const taken = await takeBackFile(service.deps.sql, file, { note: 'ann: one is booked', items })
  assert.ok('count' in taken)
  await bank.work()
  await bank.work()
  assert.deepEqual(
    (await release(bank)).map(({ amount }) => amount),
    [200n],
  )
  await bank.report([bookedLine(first, 'return')])
  await bank.work()
  await bank.closeOnly(id, 'rejected_but_booked')
  await bank.work()
  await bank.work()
  assert.deepEqual(
    (await release(bank)).map(({ amount }) => amount),
    [100n],
  )
  assert.deepEqual((await findFile(service.deps.sql, file.msg_id))?.state, 'withdrawn')
  assert.deepEqual(
    [await bank.statusOf(id), await bank.statusOf(other)],
    ['processing', 'processing'],
  )
})

test('bank pays an earlier attempt late: later attempt sealed only after a person closes the exception', async () => {
  const bank = await world()
  const [id = ''] = await bank.pay([100])
  await bank.work()
  const paid = await bank.sweep()
  await again(bank, paid)
  const [{ end_to_end_id } = assert.fail()] = paid
  // Its worker is busy or gone: only files are worked on.
  bank.pause(true)
  await bank.report([{ level: 'transaction', code: 'ACSC', end_to_end_id }])
  await bank.round()
  await bank.round()
  bank.pause(false)
  await bank.round()
  await bank.round()
  assert.deepEqual(await bank.outbox(), [])
  await bank.settle()
  await bank.closeOnly(id, 'paid_after_rejection')
  await bank.work()
  await bank.work()
  assert.equal((await bank.sweep()).length, 1)
})

test('exception closed, earlier attempt still booked: another exception opens', async () => {
  const bank = await world()
  const [id = ''] = await bank.pay([100])
  await bank.work()
  const paid = await bank.sweep()
  await again(bank, paid)
  bank.pause(true)
  await bank.report(paid.map(one => bookedLine(one)))
  await bank.work()
  bank.pause(false)
  await bank.closeOnly(id, 'rejected_but_booked')
  await bank.work()
  assert.deepEqual(await bank.outbox(), [])
  assert.notDeepEqual(await bank.openKinds(id), [], 'its money waits, and nobody sees it')
})

test('file being resent, its payout fails while another process has an older copy: file not sent', async () => {
  let meanwhile = async () => {}
  const bank = await world({
    profile: { most_items: 1 },
    wrapTransport: transport => ({
      ...transport,
      async rename(from, to) {
        await meanwhile()
        return transport.rename(from, to)
      },
    }),
  })
  const ids = await bank.pay([100, 200])
  await until('the slot has come', bank.isDue)
  await sealDue(bank.rail)
  const [first, second] = (await bank.files('sealed')).toReversed()
  const msg_id = second?.msg_id ?? assert.fail()
  const [{ payout_id = '' } = {}] = await bank.itemsOf({ msg_id })
  assert.ok(ids.includes(payout_id))
  const { owner } = service.database
  await owner`update rail_files set state = 'approved' where msg_id = ${msg_id}`
  // Whoever uploaded it was killed when it was about to get its name.
  await owner`
    update rail_files set state = 'uploading', uploads = 1, offers = 1, offered_at = now()
    where msg_id = ${msg_id}`
  meanwhile = async () => {
    meanwhile = async () => {}
    await owner`update rail_files set state = 'unknown' where msg_id = ${msg_id}`
    assert.ok(await sendAgain(service.deps.sql, msg_id, 'ann: the bank has no such file'))
    await bank.move(payout_id, 'failed')
  }
  await bank.round()
  assert.deepEqual(
    (await bank.outbox()).map(({ name }) => name),
    [first?.name],
  )
  assert.match((await findFile(service.deps.sql, msg_id))?.reason ?? '', new RegExp(payout_id))
})

test('two people reseal the payments of a refused file in parallel: one succeeds', async () => {
  const bank = await world()
  await bank.pay([100, 200])
  await bank.work()
  await bank.sweep()
  const { sql } = service.deps
  const { msg_id } = await bank.onlyFile()
  await bank.report([{ level: 'file', code: 'RJCT', reasons: ['FF10'], msg_id }])
  await bank.work()
  const file = await bank.onlyFile()
  const items = await bank.itemsOf(file)
  const saying = { file, items, force: false }
  const done = await Promise.all([
    resealFile(sql, { ...saying, note: 'ann' }),
    resealFile(sql, { ...saying, note: 'ben' }),
  ])
  const counts = done.map(one => ('count' in one ? one.count : one.fault))
  assert.deepEqual(counts.toSorted(), [0, 2])
  const name = counts[0] === 2 ? 'ann' : 'ben'
  assert.equal((await findFile(sql, msg_id))?.reason, `RJCT FF10; resealed by ${name}`)
  const earlier = await service.database.owner<{ earlier_files: string[] }[]>`
    select earlier_files from rail_items where rail = ${bank.name}`
  assert.deepEqual(
    earlier.map(({ earlier_files }) => earlier_files),
    [[msg_id], [msg_id]],
  )
})

test('payment rejected and booked, exception closed before the credit arrives: opened again until the credit is booked', async () => {
  const bank = await world()
  const [id = ''] = await bank.pay([100])
  await bank.work()
  const [sent = assert.fail()] = await bank.sweep()
  await bank.report([rejected(sent), bookedLine(sent)])
  await bank.work()
  await bank.closeOnly(id, 'rejected_but_booked')
  assert.equal(await bank.statusOf(id), 'processing')
  await bank.closeOnly(id, 'rejected_but_booked')
  await bank.report([bookedLine(sent, 'return')])
  await bank.work()
  await bank.closeOnly(id, 'rejected_but_booked')
  assert.deepEqual(await bank.openKinds(id), [])
})
