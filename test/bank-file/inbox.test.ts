// What a bank sends: taken once by its bytes, archived when it is kept, applied line by line; what fits
// nothing is set aside, and a file that is not whole changes nothing.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { listInbox } from '../../src/adapters/bank-file/inbox-store.ts'
import { MOST_BYTES } from '../../src/adapters/bank-file/receive.ts'
import { type Transport, TransportFailed } from '../../src/adapters/bank-file/transport.ts'
import {
  bookedLine,
  type FileRailWorld,
  fileWorlds,
  rejectedLine,
  type Sent,
  type WorldOptions,
} from '../support/bank/file-rail.ts'
import { plainReport } from '../support/bank/plain-format.ts'
import { zipOf } from '../support/bank/zip.ts'
import type { TestService } from '../support/service/service.ts'
import { LONG, share } from '../support/share.ts'

let service: TestService
const world = fileWorlds('bank', started => {
  service = started
})

/** A world whose payouts of these amounts are with the bank. */
async function paidWorld(amounts: readonly number[], options: WorldOptions = {}) {
  const bank = await world(options)
  const ids = await bank.pay(amounts)
  await bank.work()
  const swept = await bank.sweep()
  const items = await bank.items()
  const paid = ids.map(id => {
    const { end_to_end_id = '' } = items.find(({ payout_id }) => payout_id === id) ?? {}
    return swept.find(one => one.end_to_end_id === end_to_end_id) ?? assert.fail('not in the file')
  })
  return { bank, ids, paid, items }
}

const rejects = (end_to_end_id: string) => rejectedLine({ end_to_end_id })

const inbox = (bank: FileRailWorld) => listInbox(service.deps.sql, { rail: bank.name, limit: 100 })
const archived = (bank: FileRailWorld) => readdir(join(bank.folder, 'archive'))

async function evidenceOf(bank: FileRailWorld): Promise<number> {
  const [row] = await service.database.owner<{ count: number }[]>`
    select count(*)::integer as count from rail_item_evidence e
    join rail_items i using (account_id, payout_id, attempt) where i.rail = ${bank.name}`
  return row?.count ?? 0
}

test('bank file received twice, also under another name: stored and applied once, archived each time; repeated lines add no evidence', async () => {
  const { bank, ids, paid } = await paidWorld([100])
  const text = plainReport([rejects(paid[0]?.end_to_end_id ?? '')])
  for (const name of ['a.txt', 'a.txt', 'b.txt']) {
    await bank.report(text, name)
    await bank.work()
  }
  const [file, another] = await inbox(bank)
  assert.deepEqual([file?.name, file?.state, file?.lines, another], ['a.txt', 'read', 1, undefined])
  assert.equal(file?.sha256, createHash('sha256').update(text).digest('hex'))
  assert.equal((await archived(bank)).length, 3)
  assert.deepEqual([await evidenceOf(bank), await bank.statusOf(ids[0] ?? '')], [1, 'failed'])
  const said_at = '2026-11-24T11:00:00Z'
  await bank.report([{ ...rejects(paid[0]?.end_to_end_id ?? ''), said_at }])
  await bank.work()
  assert.deepEqual([(await inbox(bank)).length, await evidenceOf(bank)], [2, 1])
})

test('bank file with unknown ids: these lines set aside, others applied', async () => {
  const { bank, ids, paid } = await paidWorld([100, 200])
  await bank.report([
    rejects('NOSUCHPAYMENT00'),
    rejects(paid[0]?.end_to_end_id ?? ''),
    { level: 'transaction', code: 'RJCT' },
    { level: 'group', code: 'RJCT', msg_id: 'NOSUCHFILE' },
    rejects(paid[1]?.end_to_end_id ?? ''),
  ])
  await bank.work()
  for (const id of ids) assert.equal(await bank.statusOf(id), 'failed')
  const lines = (await bank.setAsideLines())
    .map(({ position, reason }) => `${position}: ${reason}`)
    .sort()
  assert.deepEqual(lines, [
    'line 1: no payment has the id NOSUCHPAYMENT00',
    'line 3: it names no payment',
    'line 4: no file has the id NOSUCHFILE',
  ])
  const [file] = await inbox(bank)
  assert.deepEqual([file?.state, file?.lines, file?.lines_quarantined], ['read', 5, 3])
})

const debit = (paid: Sent | undefined) => bookedLine(paid ?? assert.fail())

test('bank statement of another account: set aside; own account written with spaces: applied', async () => {
  const { bank, ids, paid } = await paidWorld([100, 200])
  const [one, two] = paid
  await bank.report([
    { ...debit(one), account: 'DE02120300000000202051' },
    { ...debit(two), account: 'DE89 3704 0044 0532 0130 00' },
  ])
  await bank.work()
  assert.deepEqual(
    [await bank.statusOf(ids[0] ?? ''), await bank.statusOf(ids[1] ?? '')],
    ['processing', 'succeeded'],
  )
  assert.match(
    (await bank.setAsideLines())[0]?.reason ?? '',
    /about the account DE02.*, and was paid from/,
  )
})

test("bank statement of several accounts: each payment matched, for each of the bank's rails", async () => {
  const first = await paidWorld([100])
  const shared = join(first.bank.folder, 'inbox')
  const iban = 'DE02120300000000202051'
  const second = await paidWorld([200], { inbox: shared, iban })
  await first.bank.report([debit(first.paid[0]), { ...debit(second.paid[0]), account: iban }])
  await first.bank.work()
  await second.bank.settle()
  assert.equal(await first.bank.statusOf(first.ids[0] ?? ''), 'succeeded')
  assert.equal(await second.bank.statusOf(second.ids[0] ?? ''), 'succeeded')
})

test('bank reports on payments of another bank: set aside', async () => {
  const ours = await paidWorld([100])
  const other = await world()
  await other.report([rejects(ours.paid[0]?.end_to_end_id ?? '')])
  await other.work()
  await ours.bank.settle()
  assert.equal(await ours.bank.statusOf(ours.ids[0] ?? ''), 'processing')
  assert.match((await other.setAsideLines())[0]?.reason ?? '', /was sent to another bank/)
})

test('bank report with only the instruction id or only the UETR: matched', async () => {
  const { bank, ids, items } = await paidWorld([100, 200])
  const { owner } = service.database
  const [one] = await owner<{ instruction_id: string }[]>`
    select instruction_id from rail_items where end_to_end_id = ${items[0]?.end_to_end_id ?? ''}`
  const [two] = await owner<{ uetr: string }[]>`
    select uetr from rail_items where end_to_end_id = ${items[1]?.end_to_end_id ?? ''}`
  await bank.report([
    { ...rejects(''), instruction_id: one?.instruction_id ?? '' },
    { ...rejects(''), uetr: two?.uetr ?? '' },
  ])
  await bank.work()
  for (const id of ids) assert.equal(await bank.statusOf(id), 'failed')
})

test('one booking for a whole file, sum equal: each payment booked; sum different: none booked', async () => {
  const { bank, ids, items } = await paidWorld([100, 200])
  const block = { payment_information_id: `${items[0]?.msg_id}-1` }
  const booked = debit({ end_to_end_id: '', amount: 299n, currency: 'USD' })
  await bank.report([{ ...booked, ...block }])
  await bank.work()
  assert.equal(await bank.statusOf(ids[0] ?? ''), 'processing')
  assert.match(
    (await bank.setAsideLines())[0]?.reason ?? '',
    /USD 299 of payments that come to 300/,
  )
  await bank.report([{ ...booked, ...block, amount: 300n }])
  await bank.work()
  for (const id of ids) assert.equal(await bank.statusOf(id), 'succeeded')
})

const BAD: readonly (readonly [what: string, bytes: (paid: string) => Buffer, reason: RegExp])[] = [
  [
    'half a file',
    paid => Buffer.from(plainReport([rejects(paid)]).replace('END\n', '')),
    /cut off/,
  ],
  ['an empty file', () => Buffer.alloc(0), /cut off/],
  ['another encoding', paid => Buffer.from(plainReport([rejects(paid)]), 'utf16le'), /no JSON|UTF/],
  ['not text', () => Buffer.from([0xff, 0xfe, 0x00, 0xd8]), /not UTF-8/],
  [
    'faulty behind good lines',
    paid => Buffer.from(`${JSON.stringify(rejects(paid))}\n{"level":\nEND\n`),
    /line 2: no JSON/,
  ],
  ['encrypted', () => Buffer.from('-----BEGIN PGP MESSAGE-----\n\nhQEMA'), /it is encrypted/],
]

test('ZIP or gzip archive from the bank: each file applied; damaged archive: quarantined, nothing applied', async () => {
  const { bank, ids, paid } = await paidWorld([100, 200, 300, 400])
  const [first, second, third, last] = paid.map(({ end_to_end_id }) =>
    Buffer.from(plainReport([rejects(end_to_end_id)])),
  )
  assert.ok(first && second && third && last)
  const files = [
    { name: 'a.txt', bytes: first },
    { name: '../b.txt', bytes: second },
  ]
  const damaged = zipOf([{ name: 'd.txt', bytes: last }])
  await writeFile(join(bank.folder, 'inbox', 'both.zip'), zipOf(files))
  await writeFile(join(bank.folder, 'inbox', 'third.gz'), gzipSync(third))
  await writeFile(join(bank.folder, 'inbox', 'damaged.zip'), damaged.subarray(0, -9))
  await bank.work()
  const found = new Map((await inbox(bank)).map(file => [file.name, file]))
  assert.equal(found.get('both.zip')?.lines, 2)
  assert.equal(found.get('damaged.zip')?.state, 'quarantined')
  assert.match(found.get('damaged.zip')?.reason ?? '', /ZIP archive is damaged or cut off/)
  const statuses = await Promise.all(ids.map(id => bank.statusOf(id)))
  assert.deepEqual(statuses, ['failed', 'failed', 'failed', 'processing'])
})

test('unreadable bank files: quarantined with reasons, nothing applied, the next file is applied', async () => {
  const { bank, ids, paid } = await paidWorld(BAD.map(() => 100))
  const all = BAD.map(([what, bytesOf, reason], i) => {
    return { name: `${what}.txt`, bytes: bytesOf(paid[i]?.end_to_end_id ?? ''), reason }
  })
  for (const { name, bytes } of all) await writeFile(join(bank.folder, 'inbox', name), bytes)
  await bank.work()
  const found = new Map((await inbox(bank)).map(file => [file.name, file]))
  const kept = await Promise.all(
    (await archived(bank)).map(name => readFile(join(bank.folder, 'archive', name), 'hex')),
  )
  for (const { name, bytes, reason } of all) {
    assert.equal(found.get(name)?.state, 'quarantined', name)
    assert.match(found.get(name)?.reason ?? '', reason, name)
    assert.ok(kept.includes(bytes.toString('hex')), name)
  }
  assert.equal(await evidenceOf(bank), 0)
  for (const id of ids) assert.equal(await bank.statusOf(id), 'processing')
  await bank.book(paid)
  await bank.work()
  for (const id of ids) assert.equal(await bank.statusOf(id), 'succeeded')
})

const MIB = 1024 * 1024
/** More MiB than are kept. */
const TOO_LARGE = share(513, 2_048)

/** A bank's folder with one file, of zeros: a file of the disk in the long run. */
const ofZeros = (transport: Transport): Transport => ({
  ...transport,
  list: async () => (await transport.list()).map(({ name }) => ({ name, size: TOO_LARGE * MIB })),
  async *read() {
    const piece = Buffer.alloc(MIB)
    for (let i = 0; i < TOO_LARGE; i++) yield piece
  },
})

test(`bank file of ${TOO_LARGE} MiB: quarantined by size, in bounded memory, archived`, async () => {
  const bank = await world(LONG ? {} : { wrapTransport: ofZeros })
  const path = join(bank.folder, 'inbox', 'large.txt')
  await writeFile(path, '')
  if (LONG) await truncate(path, TOO_LARGE * MIB)
  const before = process.memoryUsage.rss()
  let most = 0
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss() - before)
  }, 20)
  await bank.round()
  await bank.round()
  clearInterval(watching)
  const [file] = await inbox(bank)
  assert.deepEqual([file?.state, file?.kept], ['quarantined', false])
  assert.equal(file?.reason, `too large: ${TOO_LARGE} MiB, of at most ${MOST_BYTES / MIB}`)
  assert.equal((await archived(bank)).length, 1)
  assert.ok(most < MOST_BYTES, `${most} bytes more`)
})

test('bank file still growing: not read until its size is equal twice', async () => {
  const { bank, ids, paid } = await paidWorld([100])
  const text = plainReport([debit(paid[0])])
  await bank.report(text.slice(0, 20), 'growing.txt')
  await bank.round()
  await bank.report(text, 'growing.txt')
  await bank.round()
  assert.equal((await inbox(bank)).length, 0)
  await bank.round()
  await bank.settle()
  assert.equal((await inbox(bank))[0]?.state, 'read')
  assert.equal(await bank.statusOf(ids[0] ?? ''), 'succeeded')
})

test('crash between storing and archiving a bank file: recognised by hash in the next round, archived', async () => {
  let fails = true
  const wrapTransport = (transport: Transport): Transport => ({
    ...transport,
    async archive(name) {
      if (fails) throw new TransportFailed('cut off')
      return transport.archive(name)
    },
  })
  const { bank, ids, paid } = await paidWorld([100], { wrapTransport })
  await bank.book(paid)
  await bank.work()
  assert.deepEqual([(await inbox(bank)).length, (await archived(bank)).length], [1, 0])
  fails = false
  await bank.afterFailure()
  await bank.work()
  assert.deepEqual([(await inbox(bank)).length, (await archived(bank)).length], [1, 1])
  assert.equal(await bank.statusOf(ids[0] ?? ''), 'succeeded')
})

test('PostgreSQL, received bytes, lines and evidence: cannot be updated or deleted', async () => {
  const { bank, paid } = await paidWorld([100])
  await bank.report([rejects(paid[0]?.end_to_end_id ?? ''), rejects('NOSUCHPAYMENT00')])
  await bank.work()
  const { owner } = service.database
  for (const table of ['rail_inbox_bytes', 'rail_item_evidence']) {
    await assert.rejects(owner.unsafe(`update ${table} set sha256 = sha256('x')`), /append-only/)
    await assert.rejects(owner.unsafe(`delete from ${table}`), /append-only/)
  }
  await assert.rejects(owner`delete from rail_inbox`, /append-only/)
  await assert.rejects(
    owner`update rail_inbox set state = 'stored' where state = 'read'`,
    /stays as/,
  )
})

test('bank file with a name of 236 to 255 bytes: stored, applied and archived once', async () => {
  const { bank, ids, paid } = await paidWorld([100, 200])
  for (const [i, name] of [`${'n'.repeat(232)}.txt`, `${'ü'.repeat(125)}.txt`].entries()) {
    await bank.report([rejects(paid[i]?.end_to_end_id ?? '')], name)
    await bank.work()
    assert.equal(await bank.statusOf(ids[i] ?? ''), 'failed')
    assert.equal(await bank.problem(), '')
  }
  assert.equal((await archived(bank)).length, 2)
  assert.equal((await inbox(bank)).length, 2)
})
