// What a bank says of a payment that waits for another file, or of a file that it cannot have: the payment
// is not paid again before a person has looked.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { findFile, type RailFile } from '../../src/adapters/bank-file/file-store.ts'
import { closeSetAsideLines } from '../../src/adapters/bank-file/inbox-store.ts'
import { resendFile, takeBackFile } from '../../src/adapters/bank-file/resend.ts'
import { sealDue } from '../../src/adapters/bank-file/seal.ts'
import {
  bookedLine,
  type FileRailWorld,
  fileWorlds,
  rejectedLine,
  type Sent,
  type WorldOptions,
} from '../support/bank/file-rail.ts'
import { openCli } from '../support/service/cli.ts'
import { until } from '../support/service/process.ts'
import type { TestService } from '../support/service/service.ts'

let service: TestService
const world = fileWorlds('doubt', started => {
  service = started
})

async function fileOf({ msg_id }: { readonly msg_id: string }): Promise<RailFile> {
  return (await findFile(service.deps.sql, msg_id)) ?? assert.fail(`no file ${msg_id}`)
}

/** Seals what waits: what has missed its day gets another one first. */
async function seal(bank: FileRailWorld): Promise<void> {
  await sealDue(bank.rail)
  await until('the slot has come', bank.isDue)
  await sealDue(bank.rail)
}

const closeAll = async (bank: FileRailWorld) => {
  for (const { sha256 } of await bank.setAsideLines()) {
    await closeSetAsideLines(service.deps.sql, sha256, undefined, {
      person: 'ann',
      note: 'asked the bank',
    })
  }
}

/** A world whose payouts were in a file that the bank has refused as a whole. */
async function refusedWorld(amounts: readonly number[], options: WorldOptions = {}) {
  const bank = await world(options)
  const ids = await bank.pay(amounts)
  await bank.work()
  const paid = await bank.sweep()
  const [file = assert.fail('no file')] = await bank.files()
  await bank.report([{ level: 'group', msg_id: file.msg_id, code: 'RJCT', reasons: ['AC06'] }])
  await bank.work()
  assert.equal((await fileOf(file)).state, 'rejected')
  return { bank, ids, paid, file }
}

const waitingIn = async (bank: FileRailWorld) =>
  (await bank.items()).filter(({ msg_id }) => msg_id === '').map(({ payout_id }) => payout_id)

test('refused file, payment waits for another file, its debit is booked: payout succeeds, payment not sealed again', async () => {
  const { bank, ids, paid, file } = await refusedWorld([100, 200])
  assert.deepEqual(await bank.reseal(file), { count: 2 })
  const [one = assert.fail()] = paid.filter(({ amount }) => amount === 100n)
  await bank.report([bookedLine(one)])
  // Read before anything is sealed, as by another process.
  bank.pause(true)
  await bank.round()
  await bank.round()
  bank.pause(false)
  await seal(bank)
  const [booked = ''] = ids
  assert.deepEqual(await waitingIn(bank), [booked])
  await bank.work()
  assert.equal(await bank.statusOf(booked), 'succeeded')
  assert.deepEqual([...(await bank.setAsideLines())], [])
  assert.deepEqual(
    (await bank.sweep()).map(({ amount }) => amount),
    [200n],
  )
})

test('refused file, one debit booked for its whole block: set aside, nothing sealed until a person closes the line', async () => {
  const { bank, file } = await refusedWorld([100, 200])
  const payment_information_id = `${file.msg_id}-1`
  assert.deepEqual(await bank.reseal(file), { count: 2 })
  const whole = bookedLine({ end_to_end_id: '', amount: 300n, currency: 'USD' })
  await bank.report([{ ...whole, payment_information_id }])
  bank.pause(true)
  await bank.round()
  await bank.round()
  bank.pause(false)
  await seal(bank)
  assert.equal((await waitingIn(bank)).length, 2)
  await closeAll(bank)
  await bank.work()
  assert.equal((await bank.sweep()).length, 2)
})

test('refused file, then the file or one of its payments accepted: line set aside, payments named in it wait', async () => {
  const { bank, ids, paid, file } = await refusedWorld([100, 200])
  assert.deepEqual(await bank.reseal(file), { count: 2 })
  const [one = assert.fail()] = paid.filter(({ amount }) => amount === 100n)
  await bank.report([
    {
      ...{ level: 'transaction', code: 'ACSP', msg_id: file.msg_id },
      end_to_end_id: one.end_to_end_id,
    },
  ])
  bank.pause(true)
  await bank.round()
  await bank.round()
  bank.pause(false)
  await seal(bank)
  assert.deepEqual(await waitingIn(bank), [ids[0]])
  assert.match((await bank.setAsideLines())[0]?.reason ?? '', /is in no file yet$/)
})

test('refused file, then accepted by the bank: line set aside, no payout changes', async () => {
  const { bank, ids, file } = await refusedWorld([100], { profile: { settles_on: 'accepted' } })
  await bank.report([{ level: 'group', msg_id: file.msg_id, code: 'ACCP' }])
  await bank.work()
  assert.equal(await bank.statusOf(ids[0] ?? ''), 'processing')
  assert.match((await bank.setAsideLines())[0]?.reason ?? '', /was refused before: it may be paid/)
  assert.deepEqual(await bank.reseal(file), { count: 1 })
  await seal(bank)
  assert.deepEqual(await waitingIn(bank), ids)
})

test('refused file, one payment accepted before by its id: resealed only with --force', async () => {
  const bank = await world()
  await bank.pay([100, 200])
  await bank.work()
  const [paid = assert.fail()] = await bank.sweep()
  const [file = assert.fail()] = await bank.files()
  const { end_to_end_id } = paid
  await bank.report([{ level: 'transaction', code: 'ACCP', end_to_end_id }])
  await bank.work()
  await bank.report([{ level: 'group', msg_id: file.msg_id, code: 'RJCT', reasons: ['AC06'] }])
  await bank.work()
  assert.deepEqual(await bank.reseal(file), { count: 1 })
  const { reason } = await fileOf(file)
  assert.deepEqual(await bank.reseal(file), { count: 0 })
  assert.equal((await fileOf(file)).reason, reason, 'nothing left the file')
  assert.deepEqual(await bank.reseal(file, true), { count: 1 })
  assert.match((await fileOf(file)).reason, /^RJCT AC06; resealed by ann: mended/)
})

test('file refused as a duplicate by the bank: its payments resealed only with --force', async () => {
  const bank = await world()
  await bank.pay([100])
  await bank.work()
  await bank.sweep()
  const [file = assert.fail()] = await bank.files()
  await bank.report([{ level: 'group', msg_id: file.msg_id, code: 'RJCT', reasons: ['DU01'] }])
  await bank.work()
  assert.equal((await fileOf(file)).state, 'rejected')
  const refused = await bank.reseal(file)
  assert.match('fault' in refused ? refused.fault : '', /takes file .* for one that it has \(RJCT/)
  assert.deepEqual(await bank.reseal(file, true), { count: 1 })
})

test('payment moved to a second file: late status for the first file, or for none, set aside; booking matched', async () => {
  const { bank, ids, paid, file } = await refusedWorld([100, 200])
  assert.deepEqual(await bank.reseal(file), { count: 2 })
  await bank.round()
  await bank.work()
  await bank.sweep()
  const [again = assert.fail()] = await bank.items()
  const [one, two] = [100n, 200n].map(
    sum => paid.find(({ amount }) => amount === sum) ?? assert.fail(),
  ) as [Sent, Sent]
  const rejected = rejectedLine(one)
  await bank.report([rejected, { ...rejected, msg_id: file.msg_id }])
  await bank.work()
  const statuses = () => Promise.all(ids.map(id => bank.statusOf(id)))
  assert.deepEqual(await statuses(), ['processing', 'processing'])
  const [first, second] = [file.msg_id, again.msg_id]
  assert.deepEqual((await bank.setAsideLines()).map(({ reason }) => reason.split(':')[0]).sort(), [
    `it is about file ${first}, and the payment is in ${second}`,
    `it names no file, and the payment was in ${first} and is in ${second}`,
  ])
  await bank.report([
    { ...rejected, msg_id: second },
    { ...bookedLine(two), msg_id: first },
  ])
  await bank.work()
  assert.deepEqual(await statuses(), ['failed', 'succeeded'])
})

test('payment moved to a next file, debit of the earlier file booked: next file neither acknowledged nor sent', async () => {
  const { bank, ids, paid, file } = await refusedWorld([100, 200])
  assert.deepEqual(await bank.reseal(file), { count: 2 })
  // In a file that is sealed and not sent.
  await seal(bank)
  const [second = assert.fail()] = (await bank.files()).filter(({ state }) => state === 'sealed')
  const [one = assert.fail()] = paid.filter(({ amount }) => amount === 100n)
  await bank.report([bookedLine(one)])
  bank.pause(true)
  await bank.work()
  bank.pause(false)
  await bank.round()
  assert.equal(await bank.statusOf(ids[0] ?? ''), 'succeeded')
  // It would pay what is paid: it stops, is taken back, and the other payment goes by the next one.
  assert.deepEqual(await bank.outbox(), [])
  const stopped = await fileOf(second)
  assert.deepEqual([stopped.offers, stopped.state === 'acknowledged'], [0, false])
  assert.match(stopped.reason, new RegExp(`have ended or have a later attempt: ${ids[0]}$`))
  assert.match(await bank.problem(), new RegExp(`file ${second.msg_id} is not sent`))
  const say = { note: 'ann: one is paid', items: await bank.itemsOf(stopped) }
  assert.deepEqual(await takeBackFile(service.deps.sql, stopped, say), { count: 1 })
  await bank.afterFailure()
  await bank.work()
  assert.deepEqual(
    (await bank.sweep()).map(({ amount }) => amount),
    [200n],
  )
})

test('payout held by a person after its file was sealed: this file not sent, other files of the rail sent', async () => {
  const bank = await world()
  const [id = ''] = await bank.pay([100, 200])
  await until('the slot has come', bank.isDue)
  await sealDue(bank.rail)
  await bank.move(id, 'compliance_hold')
  await bank.round()
  assert.deepEqual(await bank.outbox(), [])
  const file = await bank.onlyFile()
  assert.equal(file.offers, 0)
  assert.match(file.reason, new RegExp(`${id}$`))
  await bank.pay([300])
  await bank.afterFailure()
  await bank.work()
  await until('the other file is sent', async () => {
    await bank.afterFailure()
    return (await bank.outbox()).length === 1
  })
})

test('bank reports on a file not yet sent, as after a restored backup: file not sent', async () => {
  const bank = await world({ profile: { release_by_person: true } })
  await bank.pay([100])
  await bank.work()
  const [file = assert.fail()] = await bank.files()
  await bank.report([{ level: 'group', msg_id: file.msg_id, code: 'ACCP' }])
  await bank.work()
  const { owner } = service.database
  await owner`update rail_files set state = 'approved', approved_by = 'ann', approved_at = now()
    where msg_id = ${file.msg_id}`
  await bank.work()
  assert.deepEqual(await bank.outbox(), [])
  assert.match((await fileOf(file)).reason, /a line of the bank about this file is set aside/)
  await closeAll(bank)
  await bank.afterFailure()
  assert.equal((await bank.outbox()).length, 1)
})

test('file to be resent, bank answers the first sending: the answer is applied', async () => {
  for (const [said, state] of [
    [{ code: 'ACCP' }, 'acknowledged'],
    [{ code: 'RJCT', reasons: ['AC06'] }, 'rejected'],
  ] as const) {
    const bank = await world()
    await bank.pay([100])
    await bank.work()
    await bank.sweep()
    const [file = assert.fail()] = await bank.files()
    const again = { force: true, note: 'ann: no answer', items: await bank.itemsOf(file) }
    assert.equal(await resendFile(service.deps.sql, file, again), undefined)
    bank.pause(true)
    await bank.report([{ level: 'group', msg_id: file.msg_id, ...said }])
    await bank.work()
    bank.pause(false)
    await bank.work()
    assert.equal((await fileOf(file)).state, state)
    assert.deepEqual([[...(await bank.setAsideLines())], await bank.outbox()], [[], []])
  }
})

test('file uploaded twice, received once, refused as a duplicate: counts as a refusal, not as proof of receipt', async () => {
  let fails = 1
  const bank = await world({
    wrapTransport: transport => ({
      ...transport,
      async write(name, bytes) {
        fails -= 1
        if (fails >= 0) throw new Error('no space left on device')
        return transport.write(name, bytes)
      },
    }),
  })
  await bank.pay([100])
  await bank.round()
  await bank.afterFailure()
  const [file = assert.fail()] = await bank.files()
  assert.deepEqual([file.state, file.uploads, file.offers], ['sent', 2, 1])
  await bank.report([{ level: 'group', msg_id: file.msg_id, code: 'RJCT', reasons: ['AM05'] }])
  await bank.work()
  assert.equal((await fileOf(file)).state, 'rejected')
})

test('rail debits another account now: statements of the former account still match its files', async () => {
  const bank = await world()
  const ids = await bank.pay([100])
  await bank.work()
  const paid = await bank.sweep()
  const iban = 'DE02120300000000202051'
  await service.database.owner`
    update rails set config = jsonb_set(config, '{settlement_account,iban}', ${`"${iban}"`}::text::jsonb)
    where name = ${bank.name}`
  Object.assign(bank.rail.config.settlement_account, { iban })
  await bank.book(paid)
  await bank.work()
  assert.deepEqual(
    [[...(await bank.setAsideLines())], await bank.statusOf(ids[0] ?? '')],
    [[], 'succeeded'],
  )
})

test('corridor rail add --replace, another settlement account while payouts are open, or one invalid for files: refused', async () => {
  const bank = await world()
  await bank.pay([100])
  const [row] = await service.database.owner<{ config: Record<string, object> }[]>`
    select config from rails where name = ${bank.name}`
  const settings = {
    ...row?.config,
    profile: 'generic',
    settlement_account: {
      ...row?.config.settlement_account,
      address: { town: 'Frankfurt', country: 'DE' },
    },
  }
  const cli = await openCli(service.database.url, { CORRIDOR_USER: 'ann' })
  try {
    const replace = async (account: object) => {
      const { settlement_account, ...rest } = settings
      const given = { ...rest, settlement_account: { ...settlement_account, ...account } }
      const path = await cli.file('bank.json', JSON.stringify(given))
      return cli.run('rail', 'add', bank.name, '--kind', 'iso20022', '--config', path, '--replace')
    }
    const refused = await replace({ iban: 'DE02120300000000202051' })
    assert.equal(refused.code, 1, refused.stdout)
    assert.match(
      refused.stderr,
      /keeps its settlement_account\.iban: it is asked about 1 payout; add another rail/,
    )
    const unfit = await replace({ address: { country: 'DE' } })
    assert.equal(unfit.code, 2, unfit.stdout)
    assert.match(
      unfit.stderr,
      /settlement_account: .* holder of the settlement account has no town/,
    )
    const same = await replace({ iban: 'DE89 3704 0044 0532 0130 00' })
    assert.equal(same.code, 0, same.stderr)
  } finally {
    await cli.close()
  }
})

test("two banks on one host, by user or port: neither can report on the other's payments", async () => {
  const ours = await world()
  const [id = ''] = await ours.pay([100])
  await ours.work()
  const [paid = assert.fail()] = await ours.sweep()
  const other = await world({ inbox: join(ours.folder, 'inbox') })
  const sftp = {
    kind: 'sftp',
    host: 'sftp.example',
    outbox: '/out',
    inbox: '/in',
    archive: '/kept',
  }
  const at = async (bank: FileRailWorld, more: object) => {
    const transport = JSON.stringify({ ...sftp, ...more })
    await service.database.owner`
      update rails set config = jsonb_set(config, '{transport}', ${transport}::text::jsonb)
      where name = ${bank.name}`
  }
  for (const [mine, theirs] of [
    [{ user: 'a' }, { user: 'b' }],
    [{ user: 'a' }, { user: 'a', port: 2222 }],
  ] as const) {
    await at(ours, mine)
    await at(other, theirs)
    const user = JSON.stringify([mine, theirs])
    await other.report([{ ...bookedLine(paid), text: user }], `${JSON.stringify(theirs)}.txt`)
    await other.work()
    await ours.settle()
    assert.equal(await ours.statusOf(id), 'processing')
    assert.match((await other.setAsideLines())[0]?.reason ?? '', /was sent to another bank/)
  }
})

/** A thousand are read, and written, at once. */
const MORE_THAN_AT_ONCE = 1_001

test('bank report on more payments than one statement writes: evidence stored for each', async () => {
  const bank = await world()
  const [id = ''] = await bank.pay([100])
  await bank.work()
  const { msg_id } = await bank.onlyFile()
  const { owner } = service.database
  // Other attempts of the payment stand for other payments of its file.
  await owner`
    insert into rail_items
    select (jsonb_populate_record(i, jsonb_build_object('attempt', n, 'uetr', gen_random_uuid(),
      'end_to_end_id', 'ATTEMPT' || lpad(n::text, 8, '0')))).*
    from rail_items i, generate_series(2, ${MORE_THAN_AT_ONCE}::integer) n
    where i.msg_id = ${msg_id}`
  await bank.report([{ level: 'group', msg_id, code: 'ACCP' }])
  await bank.round()
  await bank.round()
  const [row] = await owner<{ count: number }[]>`
    select count(*)::integer as count from rail_item_evidence where payout_id = ${id}`
  assert.equal(row?.count, MORE_THAN_AT_ONCE)
})
