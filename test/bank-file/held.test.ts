// What becomes of a payment that waits for a person: it goes into no file until they have looked, into the
// next one afterwards, and never waits where nobody sees it.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findFile, type RailFile, sendAgain } from '../../src/bank-file/file-store.ts'
import { releaseFile, resealFile, takeBackFile } from '../../src/bank-file/resend.ts'
import { sealDue } from '../../src/bank-file/seal.ts'
import type { BankLine } from '../../src/bank-format/bank-format.ts'
import { verify } from '../../src/verify/run.ts'
import { ACCOUNT, type FileRailWorld, fileWorlds } from '../support/bank/file-rail.ts'
import { until } from '../support/service/process.ts'
import type { TestService } from '../support/service/service.ts'

let service: TestService
after(async () => {
  const verdict = await verify(service.database.owner, { account_id: null, all: true })
  assert.deepEqual(verdict.ok ? [] : verdict.problems, [])
})
const world = fileWorlds('held', started => {
  service = started
})

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

type Sent = Awaited<ReturnType<FileRailWorld['sweep']>>[number]

const rejected = ({ end_to_end_id }: Sent): Partial<BankLine> => {
  return { level: 'transaction', code: 'RJCT', reasons: ['DT05'], end_to_end_id }
}

/** A line of a statement. */
function booked(
  { end_to_end_id, amount, currency }: Sent,
  level: 'booking' | 'return',
): Partial<BankLine> {
  const money = { end_to_end_id, amount, currency, account: ACCOUNT, reference: level }
  return { ...money, level, code: 'BOOK', is_credit: level === 'return' }
}

/** The bank has missed the day of these payments: their next attempts wait in items of their own. */
async function again(bank: FileRailWorld, paid: readonly Sent[]): Promise<void> {
  await bank.report(paid.map(rejected))
  await bank.work()
  await service.database.owner`
    update open_payouts set ask_rail_at = now() where rail = ${bank.name}`
  await bank.settle()
}

test('a file is taken back while one of its payments waits for a person: that one goes once they have looked', async () => {
  const bank = await world({ profile: { release_by_person: true } })
  const [id = '', other = ''] = await bank.pay([100, 200])
  await bank.work()
  const paid = await release(bank)
  await again(bank, paid)
  await bank.work()
  const file = await sealed(bank)
  const first = paid.find(({ amount }) => amount === 100n) ?? assert.fail()
  await bank.report([booked(first, 'booking')])
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
  await bank.report([booked(first, 'return')])
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

test('the bank pays an earlier attempt after all: the later one goes into no file before a person has looked', async () => {
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

test('a person closes the exception of an earlier attempt that is booked still: another one opens', async () => {
  const bank = await world()
  const [id = ''] = await bank.pay([100])
  await bank.work()
  const paid = await bank.sweep()
  await again(bank, paid)
  bank.pause(true)
  await bank.report(paid.map(one => booked(one, 'booking')))
  await bank.work()
  bank.pause(false)
  await bank.closeOnly(id, 'rejected_but_booked')
  await bank.work()
  assert.deepEqual(await bank.outbox(), [])
  assert.notDeepEqual(await bank.openKinds(id), [], 'its money waits, and nobody sees it')
})

test('a file is sent again, and its payout fails, while another process still knows it as it was: it is not sent', async () => {
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

test('two people put the payments of a refused file into the next one at once: one of them does', async () => {
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

test('rejected and booked, and a person closes that in vain: it is told again until the credit is there', async () => {
  const bank = await world()
  const [id = ''] = await bank.pay([100])
  await bank.work()
  const [sent = assert.fail()] = await bank.sweep()
  await bank.report([rejected(sent), booked(sent, 'booking')])
  await bank.work()
  await bank.closeOnly(id, 'rejected_but_booked')
  assert.equal(await bank.statusOf(id), 'processing')
  await bank.closeOnly(id, 'rejected_but_booked')
  await bank.report([booked(sent, 'return')])
  await bank.work()
  await bank.closeOnly(id, 'rejected_but_booked')
  assert.deepEqual(await bank.openKinds(id), [])
})
