// A bank that reports only failures: its silence counts once everything that it has sent is read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  closeQuarantined,
  closeSetAsideLines,
  listInbox,
} from '../../src/adapters/bank-file/inbox-store.ts'
import { type Transport, TransportFailed } from '../../src/adapters/bank-file/transport.ts'
import {
  bookedLine,
  type FileRailWorld,
  fileWorlds,
  type Sent,
  type WorldOptions,
} from '../support/bank/file-rail.ts'
import type { TestService } from '../support/service/service.ts'

let service: TestService
const world = fileWorlds('silent', started => {
  service = started
})

const SILENT = { settles_on: 'accepted', silent_after_days: 1, nacha: {} as never } as const

/** A world with one payout that the bank has. */
async function paidWorld(options: WorldOptions = {}) {
  const bank = await world({ profile: SILENT, ...options })
  const [id = ''] = await bank.pay([100])
  await bank.work()
  const [paid = assert.fail('nothing was sent')] = await bank.sweep()
  assert.equal(await bank.statusOf(id), 'processing')
  return { bank, id, paid }
}

/** As if the bank had been silent for so long. The payout is asked about again. */
async function passDays(bank: FileRailWorld): Promise<void> {
  const { owner } = service.database
  await owner.begin(async tx => {
    await tx`alter table rail_files disable trigger legal_step`
    await tx`update rail_files set sealed_at = sealed_at - interval '9 days',
      sent_at = sent_at - interval '9 days', updated_at = updated_at - interval '9 days'
      where rail = ${bank.name}`
    await tx`alter table rail_files enable trigger legal_step`
  })
  await askAgain(bank)
}

async function askAgain(bank: FileRailWorld): Promise<void> {
  await service.database.owner`
    update open_payouts set ask_rail_at = now() where rail = ${bank.name}
      and ask_rail_at is not null`
  await bank.settle()
}

/** Rounds in which files are read, and exceptions of the silence are closed. */
async function rounds(bank: FileRailWorld): Promise<void> {
  await bank.work()
  await askAgain(bank)
}

async function messageOf(id: string): Promise<string> {
  const [row] = await service.database.owner<{ message: string }[]>`
    select message from rail_exceptions where payout_id = ${id} and closed_at is null`
  return row?.message ?? ''
}

const person = { person: 'ann', note: 'asked the bank' }

const returned = (paid: Sent, change = {}) => ({
  ...bookedLine(paid, 'return'),
  ...{ code: 'R03', reasons: ['R03'], ...change },
})

test('silence as success, a bank file in quarantine: payout waits with an exception that names the file, until closed', async () => {
  const { bank, id } = await paidWorld()
  await bank.report('cut off in the middle', 'returns.ach')
  await rounds(bank)
  await passDays(bank)
  assert.equal(await bank.statusOf(id), 'processing')
  assert.deepEqual(await bank.openKinds(id), ['silence_unproved'])
  assert.match(await messageOf(id), /file returns\.ach \([0-9a-f]{12}\) is unread: line 1: no JSON/)
  await bank.closeOnly(id, 'silence_unproved')
  await askAgain(bank)
  assert.deepEqual(await bank.openKinds(id), ['silence_unproved'], 'closed too early: it is back')
  const [file] = await listInbox(service.deps.sql, { rail: bank.name, limit: 1 })
  await closeQuarantined(service.deps.sql, file?.sha256 ?? '', person)
  await rounds(bank)
  assert.deepEqual(await bank.openKinds(id), [])
  assert.equal(await bank.statusOf(id), 'succeeded')
})

test('silence as success, one file in quarantine, return in another: payout fails, never succeeds', async () => {
  const { bank, id, paid } = await paidWorld()
  await bank.report('not to be read', 'first.ach')
  await rounds(bank)
  await passDays(bank)
  await bank.report([returned(paid)])
  await rounds(bank)
  const [file] = await listInbox(service.deps.sql, {
    rail: bank.name,
    state: 'quarantined',
    limit: 1,
  })
  await closeQuarantined(service.deps.sql, file?.sha256 ?? '', person)
  await rounds(bank)
  const events = await service.database.owner<{ type: string }[]>`
    select type from each_event where object_id = ${id}`
  assert.ok(!events.some(({ type }) => type === 'payout.succeeded'))
})

test('silence as success, unreadable inbox: payout waits with an exception until the inbox is readable', async () => {
  let is_away = false
  const wrapTransport = (transport: Transport): Transport => ({
    ...transport,
    list: () => (is_away ? Promise.reject(new TransportFailed('gone')) : transport.list()),
  })
  const { bank, id } = await paidWorld({ wrapTransport })
  is_away = true
  await service.database.owner`
    update rail_exchanges set fetched_at = fetched_at - interval '10 days' where rail = ${bank.name}`
  await bank.round()
  await passDays(bank)
  assert.equal(await bank.statusOf(id), 'processing')
  assert.match(await messageOf(id), /inbox was not read since: .*gone/)
  is_away = false
  await bank.afterFailure()
  await rounds(bank)
  assert.equal(await bank.statusOf(id), 'succeeded')
})

test("silence as success, inbox last read before the period's end: no success before it is read again", async () => {
  const { bank, id } = await paidWorld()
  await service.database.owner`
    update rail_exchanges set fetched_at = fetched_at - interval '10 days' where rail = ${bank.name}`
  await passDays(bank)
  assert.deepEqual([await bank.statusOf(id), await bank.openKinds(id)], ['processing', []])
  await rounds(bank)
  assert.equal(await bank.statusOf(id), 'succeeded')
})

for (const [what, change, waits] of [
  ['of the payout, of another account', { account: 'DE02120300000000202051' }, true],
  ['of an unknown payment and the same amount', { end_to_end_id: 'NOBODYKNOWSTHIS' }, true],
  [
    'of an unknown payment and another amount',
    { end_to_end_id: 'NOBODYKNOWSTHIS', amount: 7n },
    false,
  ],
] as const) {
  test(`silence as success, return line ${what} set aside: ${waits ? 'payout waits' : 'payout succeeds'}`, async () => {
    const { bank, id, paid } = await paidWorld()
    await bank.report([returned(paid, change)])
    await rounds(bank)
    await passDays(bank)
    const [line] = await bank.setAsideLines()
    assert.ok(line)
    if (waits) {
      assert.deepEqual(await bank.openKinds(id), ['silence_unproved'])
      assert.match(await messageOf(id), /line 1 of file .* is set aside/)
      await closeSetAsideLines(service.deps.sql, line.sha256, undefined, person)
      await rounds(bank)
    }
    assert.equal(await bank.statusOf(id), 'succeeded')
  })
}
