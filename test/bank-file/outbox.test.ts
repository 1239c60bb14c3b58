// Payouts into files: each is in one file, files are written once and sent as they are, whatever is cut
// off in between.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { approve } from '../../src/adapters/bank-file/file-store.ts'
import { resendFile } from '../../src/adapters/bank-file/resend.ts'
import { sealDue } from '../../src/adapters/bank-file/seal.ts'
import { type Transport, TransportFailed } from '../../src/adapters/bank-file/transport.ts'
import { fileWorlds } from '../support/bank/file-rail.ts'
import { PLAIN } from '../support/bank/plain-format.ts'
import { until } from '../support/service/process.ts'
import type { TestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const run = promisify(execFile)

let service: TestService
const world = fileWorlds('bank', started => {
  service = started
})

test('file rail submits the same payment twice: one item, with the ids of the first submission', async () => {
  const bank = await world()
  const [id] = await bank.pay([100])
  const before = await bank.items()
  await service.database.owner`
    update open_payouts set rail_attempts = 0, ask_rail_at = now(), claimed_until = null
    where id = ${id ?? ''}`
  await bank.settle()
  assert.deepEqual([...(await bank.items())], [...before])
})

/** Fails a call of the transport, once or as often as is said, before or after it is done. */
function failing(call: 'rename' | 'write' | 'sizeOf', when: 'before' | 'after', times = 1) {
  let left = times
  return (transport: Transport): Transport => ({
    ...transport,
    async [call](...args: never[]) {
      const fails = left > 0
      left -= 1
      if (fails && when === 'before') throw new TransportFailed('cut off')
      const done = await (transport[call] as (...args: never[]) => Promise<unknown>)(...args)
      if (fails) throw new TransportFailed('cut off')
      return done
    },
  })
}

test('connection lost after the rename, file fetched by the bank: state unknown, not resent; a report of the bank proves receipt', async () => {
  const bank = await world({ wrapTransport: failing('rename', 'after') })
  const [id = ''] = await bank.pay([100])
  await bank.round()
  const paid = await bank.sweep()
  assert.equal(paid.length, 1)
  await bank.afterFailure()
  await bank.round()
  const file = await bank.onlyFile()
  assert.equal(file.state, 'unknown')
  assert.deepEqual(await bank.outbox(), [])
  const refused = await resendFile(service.deps.sql, file, {
    ...{ force: false, note: 'Ann: why' },
    items: await bank.itemsOf(file),
  })
  assert.match(refused ?? '', /may pay it twice, as its profile says: ask the bank/)
  await bank.book(paid)
  await bank.work()
  assert.equal((await bank.onlyFile()).state, 'acknowledged')
  assert.equal(await bank.statusOf(id), 'succeeded')
  assert.deepEqual(await bank.outbox(), [])
})

test('connection lost during uploads, profile with resend_is_safe: the same bytes resent automatically, however often', async () => {
  const many = 12
  const written = failing('write', 'before', many)
  const named = failing('rename', 'after')
  const bank = await world({
    profile: { resend_is_safe: true },
    wrapTransport: transport => named(written(transport)),
  })
  await bank.pay([100])
  await bank.round()
  for (let i = 1; i <= many; i++) await bank.afterFailure()
  const [first] = await bank.outbox()
  await bank.sweep()
  await bank.afterFailure()
  await bank.round()
  assert.deepEqual(await bank.outbox(), [first])
  const { state, uploads, offers } = await bank.onlyFile()
  assert.deepEqual([state, uploads, offers], ['sent', many + 3, 2])
})

const TIMES = share(4, 20)

test(`three workers seal in parallel, ${TIMES} times: each payment in one file`, async () => {
  const bank = await world({ profile: { most_items: 3 } })
  for (let time = 0; time < TIMES; time++) {
    await bank.pay([100, 200, 300, 400, 500])
    await until('the slot has come', bank.isDue)
    const sealed = await Promise.all([sealDue(bank.rail), sealDue(bank.rail), sealDue(bank.rail)])
    assert.ok(sealed.flat().length >= 2)
    const left = (await bank.items()).filter(({ msg_id }) => msg_id === '')
    if (left.length > 0) await sealDue(bank.rail)
  }
  const items = await bank.items()
  assert.ok(items.every(({ msg_id }) => msg_id !== ''))
  const sealed = await bank.files()
  const counted = sealed.reduce((sum, { item_count }) => sum + item_count, 0)
  assert.deepEqual([items.length, counted], [5 * TIMES, 5 * TIMES])
  await bank.round()
  const paid = await bank.sweep()
  const ids = paid.map(({ end_to_end_id }) => end_to_end_id)
  assert.equal(new Set(ids).size, 5 * TIMES)
  assert.deepEqual(ids.sort(), items.map(({ end_to_end_id }) => end_to_end_id).sort())
})

test('payout failed before its file is sealed: in no file', async () => {
  const bank = await world()
  const [over = '', other = ''] = await bank.pay([100, 200])
  await bank.move(over, 'failed')
  await bank.work()
  assert.deepEqual(
    (await bank.sweep()).map(({ amount }) => amount),
    [200n],
  )
  assert.equal(await bank.statusOf(over), 'failed')
  assert.equal(await bank.statusOf(other), 'processing')
  await assert.rejects(
    service.database.owner`
      update rail_items set msg_id = 'C000000000000000', payment_information_id = 'x',
        instruction_id = 'x' where payout_id = ${over}`,
    { code: '23001' },
  )
})

test('file limits on items and sum: payments divided over as many files as needed', async () => {
  const bank = await world({ profile: { most_items: 3, most_amount: '10.00' } })
  await bank.pay([400, 400, 400, 400, 1, 1, 1])
  await bank.work()
  const sealed = await bank.files()
  assert.ok(
    sealed.every(({ item_count, control_sum }) => item_count <= 3 && Number(control_sum) <= 10),
  )
  assert.equal((await bank.sweep()).length, 7)
})

test('sum of a file differs from the sum of its items: not sealed', async () => {
  const write: typeof PLAIN.write = batch => ({ ...PLAIN.write(batch), control_sum: '1.01' })
  const bank = await world({ format: { ...PLAIN, write } })
  await bank.pay([100])
  await bank.work()
  assert.equal((await bank.files()).length, 0)
  assert.match(await bank.problem(), /its sum is 1\.01, and that of its items 1\.00/)
})

test('PostgreSQL, sealed file: bytes and sums cannot change, states only in order, for service and owner', async () => {
  const bank = await world({ profile: { release_by_person: true } })
  await bank.pay([100])
  await bank.work()
  const file = await bank.onlyFile()
  const { msg_id } = file
  assert.deepEqual([file.state, (await bank.outbox()).length], ['sealed', 0])
  const { owner } = service.database
  const comes = (state: string) =>
    owner`update rail_files set state = ${state} where msg_id = ${msg_id}`
  // Nobody has released it.
  for (const state of ['approved', 'uploading'])
    await assert.rejects(comes(state), { code: '23514' })
  assert.equal(await approve(service.deps.sql, file, 'ann'), true)
  await bank.round()
  assert.equal((await bank.onlyFile()).state, 'sent')
  // The bank was offered it.
  await assert.rejects(comes('withdrawn'), { code: '23514' })
  const refused = (statement: Promise<unknown>) =>
    assert.rejects(statement, /stays|cannot go|append-only|sha256_of_the_bytes/)
  await refused(comes('sealed'))
  await refused(owner`update rail_files set bytes = 'x' where msg_id = ${msg_id}`)
  await refused(
    owner`update rail_files set bytes = 'x', sha256 = sha256('x') where msg_id = ${msg_id}`,
  )
  await refused(owner`update rail_files set control_sum = 2 where msg_id = ${msg_id}`)
  await refused(owner`delete from rail_files where msg_id = ${msg_id}`)
  await refused(owner`update rail_items set amount = 1 where msg_id = ${msg_id}`)
  await refused(
    owner`update rail_items set msg_id = '', payment_information_id = '', instruction_id = ''
      where msg_id = ${msg_id}`,
  )
  await refused(owner`delete from rail_items where msg_id = ${msg_id}`)
  await assert.rejects(service.deps.sql`update rail_files set bytes = 'x'`, { code: '42501' })
})

test('file name already used at the bank by other bytes: reported, not overwritten', async () => {
  const bank = await world({ profile: { release_by_person: true } })
  await bank.pay([100])
  await bank.work()
  const file = await bank.onlyFile()
  const path = join(bank.folder, 'outbox', file.name)
  await writeFile(path, 'theirs')
  await approve(service.deps.sql, file, 'ann')
  await bank.round()
  assert.match(await bank.problem(), /is there with 6 bytes, and ours has/)
  assert.equal((await bank.onlyFile()).state, 'uploading')
  assert.deepEqual(
    (await bank.outbox()).map(({ text }) => text),
    ['theirs'],
  )
  await rm(path)
  await bank.afterFailure()
  assert.equal((await bank.onlyFile()).state, 'sent')
})

// Of SFTP: openssh.test.ts and test/bank/faults.test.ts.
test('bank folder without room: not sent, no partial file; sent once there is room', async t => {
  const bank = await world()
  const outbox = join(bank.folder, 'outbox')
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', outbox])
  } catch (error) {
    return t.skip(`NOT RUN: no volume can be mounted here: ${(error as Error).message}`)
  }
  t.after(() => run('umount', ['--lazy', outbox]))
  const { bavail, bsize } = await statfs(outbox)
  await writeFile(join(outbox, 'ballast'), Buffer.alloc(bavail * bsize))
  await bank.pay([100])
  await bank.round()
  const full = await bank.onlyFile()
  assert.deepEqual([full.state, full.offers, full.sent_at], ['uploading', 0, null])
  assert.match(await bank.problem(), /could not write .*ENOSPC/)
  const names = async () => (await bank.outbox()).map(({ name }) => name)
  assert.deepEqual(await names(), ['ballast'])
  await rm(join(outbox, 'ballast'))
  await bank.afterFailure()
  const { state, offers, name } = await bank.onlyFile()
  assert.deepEqual([state, offers, await names()], ['sent', 1, [name]])
  assert.equal(await bank.problem(), '')
})

test('paused rail: seals and sends nothing, reads its inbox', async () => {
  const bank = await world()
  await bank.pay([100])
  await bank.work()
  await bank.book(await bank.sweep())
  await bank.pay([200])
  await until('the slot has come', bank.isDue)
  bank.pause(true)
  await bank.round()
  await bank.round()
  assert.deepEqual(await bank.outbox(), [])
  assert.equal((await bank.files()).length, 1)
  assert.deepEqual(await readdir(join(bank.folder, 'inbox')), [])
  bank.pause(false)
  await bank.round()
  assert.equal((await bank.outbox()).length, 1)
})

test('payment with another attempt, an open exception or a hold by a person: not sealed until that ends', async () => {
  const bank = await world()
  const { owner } = service.database
  const { account_id } = bank.client.account
  const [other = '', asked = '', held = '', well = ''] = await bank.pay([100, 200, 300, 400])
  await owner`
    update payout_attempts set ended_as = 'not_taken', ended_at = now(),
      not_taken = '{"code": "x", "message": "x"}' where payout_id = ${other}`
  await owner`
    insert into payout_attempts (number, opened_at, account_id, payout_id, rail, uetr)
    values (2, now(), ${account_id}, ${other}, ${bank.name}, gen_random_uuid())`
  await owner`
    insert into rail_exceptions (number, attempt, opened_at, account_id, payout_id, rail, kind,
      message)
    values (1, 1, now(), ${account_id}, ${asked}, ${bank.name}, 'odd', 'look')`
  await bank.move(held, 'compliance_hold')
  await until('the slot has come', bank.isDue)
  const inFiles = async () =>
    (await bank.items()).filter(({ msg_id }) => msg_id !== '').map(({ payout_id }) => payout_id)
  await sealDue(bank.rail)
  assert.deepEqual(await inFiles(), [well])
  await owner`
    update rail_exceptions set closed_at = now(), closed_by = 'ann', note = 'well'
    where payout_id = ${asked}`
  await bank.move(held, 'processing')
  await sealDue(bank.rail)
  assert.deepEqual((await inFiles()).sort(), [asked, held, well].sort())
})

test('refused file, payment held by a person: not in the next file', async () => {
  const bank = await world()
  const [held = ''] = await bank.pay([100, 200])
  await bank.work()
  const file = await bank.onlyFile()
  await bank.sweep()
  await bank.report([{ level: 'group', msg_id: file.msg_id, code: 'RJCT', reasons: ['AC06'] }])
  await bank.work()
  await bank.move(held, 'compliance_hold')
  assert.deepEqual(await bank.reseal(file), { count: 1 })
})

test('sealing while another transaction holds the book: waits for the book before locking payouts', async () => {
  const bank = await world()
  const [id = ''] = await bank.pay([100])
  await until('the slot has come', bank.isDue)
  const { owner } = service.database
  const { account_id } = bank.client.account
  let sealing: Promise<unknown> = Promise.resolve()
  await owner.begin(async tx => {
    await tx`select from books where account_id = ${account_id} for update`
    sealing = sealDue(bank.rail)
    await until('it waits', async () => {
      const [row] = await owner`
        select from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' limit 1`
      return row !== undefined
    })
    await tx`select from open_payouts where id = ${id} for update nowait`
  })
  await sealing
  assert.equal((await bank.files()).length, 1)
})

test('profile changed to resend_is_safe: a file sealed before is not resent', async () => {
  const bank = await world({ wrapTransport: failing('rename', 'after') })
  await bank.pay([100])
  await bank.round()
  await bank.sweep()
  Object.assign(bank.rail.config.profile, { resend_is_safe: true })
  await bank.afterFailure()
  await bank.round()
  assert.equal((await bank.onlyFile()).state, 'unknown')
  assert.deepEqual(await bank.outbox(), [])
})

test('payout failed after its file was perhaps received: file resent only with --force', async () => {
  const profile = { resend_is_safe: true }
  const bank = await world({ profile, wrapTransport: failing('rename', 'after') })
  const [over = ''] = await bank.pay([100])
  await bank.round()
  await bank.sweep()
  await bank.move(over, 'failed')
  await bank.afterFailure()
  await bank.round()
  const file = await bank.onlyFile()
  assert.equal(file.state, 'unknown')
  assert.match(file.reason, new RegExp(`have a later attempt: ${over}$`))
  assert.deepEqual(await bank.outbox(), [])
  const again = { items: await bank.itemsOf(file), note: 'Ann: no answer' }
  const fault = await resendFile(service.deps.sql, file, { ...again, force: false })
  assert.match(fault ?? '', new RegExp(`have ended or have a later attempt: ${over};`))
  assert.equal(await resendFile(service.deps.sql, file, { ...again, force: true }), undefined)
})
