// The statements about payments of bank files, on payments of accounts of two machines: each is sent
// as one statement a shard, and finds and changes the same rows as on one PostgreSQL.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { endToEndIdOf, messageIdOf } from '../../src/adapters/bank-file/ids.ts'
import {
  type FoundItem,
  findItemsOfLines,
  insertItems,
  listDueItems,
  listEvidence,
  listItemsOf,
  moveToSlot,
  type NewItem,
  placeItems,
  readPayments,
  sumBlock,
  takeOutOfFile,
  withdrawItems,
} from '../../src/adapters/bank-file/item-store.ts'
import {
  findItemsWithOpenLines,
  listBookedAttempts,
  transactMany,
} from '../../src/adapters/bank-file/waiting.ts'
import { newId } from '../../src/values/id.ts'
import { unlessCluster, workerOf } from '../support/database/citus.ts'
import { startTestService, type TestService } from '../support/service/service.ts'

const skip = unlessCluster
const SLOT = {
  seal_at: '2026-11-25T10:00:00.000000Z',
  closes_at: '2026-11-25T12:00:00.000000Z',
  execution_date: '2026-11-25',
}
const RAIL = 'of_two_machines'

let service: TestService
let items: NewItem[]
before(async () => {
  if (skip !== false) return
  service = await startTestService()
  const opened = new Map<number, string>()
  while (opened.size < 2) {
    const { account_id } = (await service.openAccount({ sandbox: true })).account
    opened.set(await workerOf(service.database, account_id), account_id)
  }
  items = [...opened.values()].flatMap(account_id => [itemOf(account_id), itemOf(account_id)])
})
after(() => (skip === false ? service.close() : undefined))

const itemOf = (account_id: string): NewItem => ({
  ...{ account_id, payout_id: newId('pot'), attempt: 1, rail: RAIL, ...SLOT },
  ...{
    end_to_end_id: endToEndIdOf(randomUUID()),
    uetr: randomUUID(),
    amount: 1_300n,
    currency: 'USD',
  },
  payment: { remittance: 'Invoice 118' } as unknown as NewItem['payment'],
})

const idsOf = (found: readonly Pick<FoundItem, 'end_to_end_id'>[]) =>
  found.map(({ end_to_end_id }) => end_to_end_id).sort()

test('payments of accounts on two nodes: put into a file, matched, taken out', {
  skip,
}, async () => {
  const { sql, finder } = service.deps
  const inTransaction = <T>(work: Parameters<typeof transactMany<T>>[2]) =>
    transactMany(sql, items, work)
  const all = idsOf(items)
  await inTransaction(tx => insertItems(tx, items))
  await inTransaction(tx => insertItems(tx, items))
  assert.deepEqual(idsOf(await listDueItems(finder, RAIL, 10)), all)
  const payments = await inTransaction(tx => readPayments(tx, items))
  assert.deepEqual([...payments.keys()].sort(), all)

  const msg_id = messageIdOf([{ end_to_end_id: randomUUID(), earlier_files: [] }])
  const block = { msg_id, payment_information_id: `${msg_id}1` }
  const places = items.map((item, i) => ({ ...item, ...block, instruction_id: `${msg_id}I${i}` }))
  await inTransaction(tx => placeItems(tx, places))
  await assert.rejects(
    inTransaction(tx => placeItems(tx, places)),
    { code: '40001' },
  )
  assert.deepEqual(idsOf(await listItemsOf(finder, msg_id)), all)
  assert.deepEqual([...(await sumBlock(finder, block))], [{ currency: 'USD', sum: 5_200n }])
  const line = { end_to_end_id: '', uetr: '', instruction_id: '', payment_information_id: '' }
  const named = (ids: object) => findItemsOfLines(finder, [{ ...line, ...ids }])
  for (const { end_to_end_id, uetr, instruction_id } of places) {
    for (const ids of [{ end_to_end_id }, { uetr }, { instruction_id }]) {
      assert.deepEqual(idsOf(await named(ids)), [end_to_end_id])
    }
  }
  const { payment_information_id } = block
  assert.equal((await named({ payment_information_id })).length, 1)

  await service.database.owner`
    insert into rail_inbox (sha256, rail, name, size, state, kept)
    values (sha256('x'), ${RAIL}, 'x', 1, 'stored', true)`
  const [first, ...others] = items
  await service.database.owner`
    insert into rail_inbox_lines (sha256, position, reason, said, end_to_end_id, msg_id)
    values (sha256('x'), '1', 'x', '{}', ${first?.end_to_end_id ?? ''}, '')`
  const open = (of: readonly NewItem[]) => inTransaction(tx => findItemsWithOpenLines(tx, of))
  assert.deepEqual(idsOf(await open(items)), [first?.end_to_end_id])
  assert.deepEqual(await open(others), [])
  assert.deepEqual(await inTransaction(tx => listBookedAttempts(tx, items)), [])
  assert.deepEqual(await inTransaction(tx => listEvidence(tx, items)), [])

  // In a file, they neither move nor are withdrawn.
  assert.equal(await inTransaction(tx => moveToSlot(tx, items, SLOT)), 0)
  assert.equal(await inTransaction(tx => withdrawItems(tx, items)), 0)
  assert.equal(await inTransaction(tx => takeOutOfFile(tx, msg_id, others)), others.length)
  assert.equal(await inTransaction(tx => takeOutOfFile(tx, msg_id, items)), 1)
  const [taken] = await named({ uetr: first?.uetr })
  assert.deepEqual([taken?.msg_id, taken?.earlier_files], ['', [msg_id]])
  assert.equal(await inTransaction(tx => moveToSlot(tx, items, SLOT)), items.length)
  assert.equal(await inTransaction(tx => withdrawItems(tx, items)), items.length)
  assert.deepEqual(await listDueItems(finder, RAIL, 10), [])
})
