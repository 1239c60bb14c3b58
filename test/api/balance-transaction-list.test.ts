// GET /v3/balance_transaction: the statement, in the order of the book.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readList } from '../../src/http/list.ts'
import type { TransactionSql } from '../../src/sql/connect.ts'
import { listBalanceTransactions } from '../../src/statements/balance-transaction/store.ts'
import { numberedId } from '../../src/values/id.ts'
import {
  assertBounds,
  assertFilters,
  assertListed,
  assertRefusals,
  type Case,
  getAll,
  type Item,
  type Query,
} from '../support/assert/listing.ts'
import { assertPageCost, crossed, idAt } from '../support/assert/page-cost.ts'
import { insertManyLines } from '../support/database/line-rows.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { payAll, settleAll } from '../support/service/settling.ts'

const PATH = '/v3/balance_transaction'

let service: TestService
let account: Client
let other: Client
/** Of `account`, newest first. */
let all: Item[]

before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  const fund = { USD: 1_000_000_000n, EUR: 1_000_000_000n }
  account = await service.openAccount({ currencies: ['USD', 'EUR'], fund })
  other = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  // Some fail, one is reversed (§rail.simulator).
  await payAll(service, account, [
    ...[{}, { amount: 200_000 }, { amount: 200_000, currency: 'EUR' }, { amount: 500_001 }],
    ...[{ currency: 'EUR' }, {}],
  ])
  await settleAll(service)
  all = await getAll(account, PATH, await idsOfAll(account))
})
after(() => service.close())

async function idsOfAll({ account }: Client): Promise<string[]> {
  const rows = await service.database.owner<{ id: string }[]>`
    select id from balance_transactions where account_id = ${account.account_id}
    order by journal_number desc`
  return rows.map(({ id }) => id)
}

test(`GET ${PATH}, lines of every kind: newest first, for any page size and time bounds`, async () => {
  assert.equal(all.length, 11)
  assert.ok(new Set(all.map(line => line.created_at)).size < 11, 'some share their time')
  await assertListed(account, PATH, all)
  await assertBounds(account, PATH, all)
})

test(`GET ${PATH}, filters, alone and combined: exactly the matching lines, for any page size`, async () => {
  const types = ['escrow', 'payout', 'payout_failure', 'payout_reversal']
  for (const type of types) assert.ok(all.some(line => line.type === type))
  const failure = all.find(({ type }) => type === 'payout_failure') as Item
  const cases: Case[] = [
    ...types.map((type): Case => [{ type }, line => line.type === type]),
    ...['USD', 'EUR', 'HKD'].map((c): Case => [{ currency: c }, line => line.currency === c]),
    ...['credit', 'debit'].map((o): Case => [{ operation_type: o }, l => l.operation_type === o]),
    [{ source: failure.source }, line => line.id === failure.id],
    [{ source: failure.description }, line => line.id === failure.source],
    [{ source: failure.id }, () => false],
    [
      { currency: 'EUR', type: 'payout_failure' },
      line => line.currency === 'EUR' && line.type === 'payout_failure',
    ],
    [
      { operation_type: 'credit', type: 'escrow', currency: 'USD' },
      line => line.type === 'escrow' && line.currency === 'USD',
    ],
    [{ source: failure.source, type: 'payout' }, () => false],
    [
      { type: ['payout', 'payout_failure'], operation_type: 'credit', currency: ['EUR', 'USD'] },
      line => line.type === 'payout_failure' && line.currency !== 'HKD',
    ],
  ]
  await assertFilters(account, PATH, all, cases)
})

test(`GET ${PATH}, filter by one payout: its debit and its credit back, for any page size`, async () => {
  const given = all.filter(({ type }) => ['payout_failure', 'payout_reversal'].includes(type))
  assert.ok(given.length > 1)
  const lines = all.filter(({ type }) => type === 'payout')
  for (const { source: payout } of lines) {
    const own = all.filter(line => line.source === payout || line.description === payout)
    const page = (await account.get(`${PATH}?payout=${payout}`)).json.data
    assert.deepEqual(page, { object: 'list', has_more: false, results: own })
    const first = (await account.get(`${PATH}?payout=${payout}&limit=1`)).json.data
    assert.deepEqual(first, { ...page, has_more: own.length > 1, results: own.slice(0, 1) })
    const path = `${PATH}?payout=${payout}&starting_after=${own[0]?.id}`
    assert.deepEqual((await account.get(path)).json.data.results, own.slice(1))
    assert.deepEqual((await other.get(`${PATH}?payout=${payout}`)).json.data.results, [])
  }
  const both = await account.get(`${PATH}?payout=${lines[0]?.source}&source=${lines[0]?.source}`)
  assert.equal(both.status, 400)
})

test(`GET ${PATH}, wrong parameters: 400 that names each`, async () => {
  const [foreign = ''] = await idsOfAll(other)
  const wrong = {
    currency: ['usd'],
    type: ['refund'],
    operation_type: ['CREDIT'],
    source: ['x', 'poq_00000000000000000000', ' pot_00000000000000000000'],
  }
  await assertRefusals(account, PATH, 'btr', wrong, foreign)
})

const isFilter = (name: string) => ['currency', 'type', 'operation_type'].includes(name)

test(`GET ${PATH}, many lines, statement planned for an empty table: reads only the rows of the page`, async () => {
  const filters: Query[] = [
    ...[{}, { currency: 'EUR' }, { type: 'payout_failure' }, { operation_type: 'credit' }],
    ...[{ currency: 'EUR', type: 'payout_failure' }],
  ]
  const time = { 'created.gte': '2026-01-01T00:10:00Z', 'created.lt': '2026-01-01T01:20:00Z' }
  const created_at = '2026-01-01T00:50:01.000000Z'
  const cursor = numberedId('btr', { account_id: 'acc_a', created_at }, 3001n)
  const page = (tx: TransactionSql, query: Query) =>
    listBalanceTransactions(tx, 'acc_a', readList({ ...query, limit: '5' }))
  await assertPageCost({
    table: 'journals',
    queries: crossed(filters, [{}, time, { starting_after: cursor }, { ending_before: cursor }]),
    page,
    prepare: owner => owner`
      insert into books (account_id, head_hash) values ('acc_a', sha256(''))`,
    fill: async owner => {
      await insertManyLines(owner, 6000)
      await owner`update books set journal_count = 6000 where account_id = 'acc_a'`
    },
    // Each bound of time is found by halving 6,000 journals thirteen times. Without a filter that
    // leads, the first rows of both currencies are merged. Of failures rows of one currency are all.
    besides: query =>
      ('created.gte' in query ? 28 : 0) + (Object.keys(query).some(isFilter) ? 0 : 6 + 3),
    one: { read: tx => page(tx, { source: idAt('pot', 70) }), when: 'analyzed' },
  })
})
