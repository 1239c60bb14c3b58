// GET /v3/payout_batch: the list of batches, its filters, and that pages of batches and of their
// items cost index look-ups.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readList } from '../../src/http/list.ts'
import { ITEM_STATUSES } from '../../src/payouts/batch/batch.ts'
import { findBatches, listBatches, listItems } from '../../src/payouts/batch/store.ts'
import type { Sql, TransactionSql } from '../../src/sql/connect.ts'
import {
  assertBounds,
  assertFilters,
  assertListed,
  assertRefusals,
  getAll,
  type Item,
  list,
  type Query,
} from '../support/assert/listing.ts'
import { assertPageCost, crossed, idAt, madeAt, madeAtSql } from '../support/assert/page-cost.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/payout_batch'

let service: TestService
let account: Client
let other: Client
/** Of `account`, newest first. */
let all: Item[]

before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  other = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  const ids: string[] = []
  for (const [client, body] of [
    [account, {}],
    [account, { mode: 'best_effort', reference_id: 'A b+&="\\' }],
    [other, { reference_id: 'A b+&="\\' }],
    [account, { reference_id: 'A b+&="\\', metadata: { a: 'b' } }],
    [account, { mode: 'best_effort' }],
    [account, { mode: 'best_effort', reference_id: 'run 2' }],
  ] as const) {
    const best = 'mode' in body
    const payouts = [localPayout, ...(best ? [{ ...localPayout, amount: 2_000_000 }] : [])]
    const answer = await client.post(PATH, { ...body, payouts })
    assert.equal(answer.status, 200, answer.text)
    if (client === account) ids.unshift(answer.json.data.id)
  }
  all = await getAll(account, PATH, ids)
})
after(() => service.close())

test(`GET ${PATH}: newest first, each equal to its GET by id, for any page size and time bounds`, async () => {
  assert.deepEqual(
    all.map(({ refused }) => refused.length),
    [1, 1, 0, 1, 0],
  )
  await assertListed(account, PATH, all)
  await assertBounds(account, PATH, all)
})

test(`GET ${PATH}, filters, alone and combined: exactly the matching batches, for any page size`, () =>
  assertFilters(account, PATH, all, [
    [{ mode: 'best_effort' }, ({ mode }) => mode === 'best_effort'],
    [{ reference_id: 'A b+&="\\' }, ({ reference_id }) => reference_id === 'A b+&="\\'],
    [{ reference_id: 'a b' }, () => false],
    [{ reference_id: 'A b+&="\\', mode: 'all_or_nothing' }, ({ metadata }) => metadata !== null],
  ]))

test(`GET ${PATH}, wrong parameters: 400 naming each`, async () => {
  const [foreign] = (await list(other, PATH)).ids
  const wrong = { mode: ['all', 'BEST_EFFORT'], reference_id: ['x'.repeat(129)] }
  await assertRefusals(account, PATH, 'pob', wrong, foreign ?? '')
})

test(`GET ${PATH}, many batches, statement planned for an empty table: reads only the rows of the page`, async () => {
  const filters: Query[] = [{}, { mode: 'best_effort' }, { reference_id: 'ref-5' }]
  const time = { 'created.gte': '2026-01-01T00:10:00Z', 'created.lt': '2026-01-01T01:20:00Z' }
  const cursor = madeAt('pob', 2500)
  await assertPageCost({
    table: 'payout_batches',
    queries: crossed(filters, [{}, time, { starting_after: cursor }, { ending_before: cursor }]),
    page: (tx, query) => listBatches(tx, 'acc_a', readList({ ...query, limit: '5' })),
    // The modes that there are, of which there are two.
    besides: query => ('mode' in query ? 3 : 0),
    fill: owner => owner`
      insert into payout_batches (made_by, account_id, id, mode, reference_id, created, held, refused, totals,
        created_at, hash)
      select 'key_1', case when i % 3 = 0 then 'acc_b' else 'acc_a' end, ${madeAtSql(owner, 'pob')},
        case when i % 20 = 2 then 'best_effort' else 'all_or_nothing' end,
        case when i % 2 = 0 then '' else 'ref-' || i % 50 end, 1, 0, 0, '[]',
        timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second', sha256('')
      from generate_series(1, 6000) i`,
    one: {
      read: tx => findBatches(tx, [{ account_id: 'acc_a', id: madeAt('pob', 7) }]),
      when: 'always',
    },
  })
})

/** Ten batches of 1,000 items, of which one is another account's. */
function fillItems(owner: Sql) {
  return owner`
    insert into payout_batch_items (account_id, batch_id, position, status, payout_id, reference_id,
      problems)
    select case when b = 1 then 'acc_b' else 'acc_a' end, 'pob_' || lpad(b::text, 20, '0'), i,
      case when i % 5 = 0 then 'refused' else 'created' end,
      case when i % 5 = 0 then '' else 'pot_' || i end, '', '[]'
    from generate_series(1, 10) b, generate_series(0, 999) i`
}

test("GET a page of a batch's items: reads only these rows; with a status filter, also the items in between", async () => {
  const key = { account_id: 'acc_a', id: idAt('pob', 7) }
  const all = {
    limit: 5,
    after: -1,
    before: 10_000,
    end: 'first',
    statuses: ITEM_STATUSES,
  } as const
  const pages: Record<string, Parameters<typeof listItems>[2]> = {
    first: all,
    last: { ...all, end: 'last' },
    middle: { ...all, after: 500 },
    refused: { ...all, after: 100, statuses: ['refused'] },
  }
  await assertPageCost({
    table: 'payout_batch_items',
    queries: Object.keys(pages).map(name => ({ name })),
    page: (tx: TransactionSql, { name = '' }) => listItems(tx, key, pages[String(name)] ?? all),
    fill: fillItems,
    besides: ({ name }) => (name === 'refused' ? 25 : 0),
  })
})
