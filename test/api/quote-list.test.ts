// GET /v3/payout/quote: the list of quotes; what is active and what has expired is told by the time
// of the request.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readList } from '../../src/http/list.ts'
import { listQuotes } from '../../src/quotes/store.ts'
import { plusMilliseconds } from '../../src/values/instant.ts'
import {
  assertBounds,
  assertFilters,
  assertListed,
  assertRefusals,
  assertWalks,
  type Case,
  getAll,
  type Item,
  list,
  type Query,
  urlOf,
} from '../support/assert/listing.ts'
import { assertPageCost, crossed, idAt, madeAt, madeAtSql } from '../support/assert/page-cost.ts'
import { localPayout } from '../support/given/bodies.ts'
import { entityOf } from '../support/service/payouts.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const PATH = '/v3/payout/quote'

let service: TestService
let account: Client
let other: Client
let entity: string
/** Of `account`, newest first. */
let all: Item[]

before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  other = await service.openAccount({ currencies: ['USD'] })
  await ask(other, [{}])
  entity = await entityOf(account)
  const quotes = await ask(account, [
    ...[{}, {}, {}, { payout_type: 'swift' }, { payout_type: 'swift', entity_id: entity }],
    ...[{ entity_id: entity }, {}],
  ])
  const [used = '', ...others] = quotes
  assert.equal((await account.post('/v3/payout', { ...localPayout, quote: used })).status, 200)
  for (const change of [{}, { type: 'swift', on_behalf_of: entity }, {}]) {
    assert.equal((await account.post('/v3/payout', { ...localPayout, ...change })).status, 200)
  }
  await ask(account, [{}])
  // Time goes by for these, and for the used one.
  await service.database.owner`
    update quotes set valid_until = statement_timestamp() - interval '1 second'
    where id = any (${[used, ...others.slice(0, 3)]}::text[])`
  all = await getAll(account, PATH, await idsOfAll(account))
})
after(() => service.close())

function ask(client: Client, changes: readonly object[]): Promise<string[]> {
  return Promise.all(
    changes.map(async change => {
      const payout_info = { currency: 'USD', amount: 10_000 }
      const answer = await client.post(PATH, { payout_info, ...change })
      assert.equal(answer.status, 200, answer.text)
      return answer.json.id
    }),
  )
}

/** Those that were asked for, and those that payouts carry. */
async function idsOfAll({ account }: Client, of = ''): Promise<string[]> {
  const { account_id } = account
  const rows = await service.database.owner<{ id: string }[]>`
    select id from (
      select id, created_at, entity_id from quotes where account_id = ${account_id}
      union all select 'poq_' || substr(id, 5), created_at, on_behalf_of from payouts
      where account_id = ${account_id} and quote_id = ''
    ) q where ${of} in ('', entity_id) order by created_at desc, id desc`
  return rows.map(({ id }) => id)
}

test(`GET ${PATH}, quotes of every kind: in the envelope, newest first, for any page size`, async () => {
  assert.equal(all.length, 11)
  await assertListed(account, PATH, all)
})

test(`GET ${PATH}, time bounds at, before and after each quote: inclusive or exclusive as named`, () =>
  assertBounds(account, PATH, all))

test(`GET ${PATH}, filters, alone and combined: status active excludes expired quotes`, async () => {
  const counts = { active: 4, used: 4, expired: 3 }
  const cases: Case[] = Object.entries(counts).map(([status, count]) => {
    assert.equal(all.filter(item => item.status === status).length, count)
    return [{ status }, item => item.status === status]
  })
  await assertFilters(account, PATH, all, [
    ...cases,
    [{ payout_type: 'swift' }, item => item.payout_type === 'swift'],
    [{ payout_type: 'wallet' }, () => false],
    [
      { status: 'used', payout_type: 'swift' },
      item => item.status === 'used' && item.payout_type === 'swift',
    ],
    [
      { status: 'expired', payout_type: 'swift' },
      item => item.status === 'expired' && item.payout_type === 'swift',
    ],
  ])
  const { ids } = await list(account, PATH, { entity_id: entity })
  assert.deepEqual(ids, await idsOfAll(account, entity))
  assert.equal(ids.length, 3)
})

test(`GET ${PATH}?status, at the moment of expiry: filter and shown status agree`, async () => {
  const client = await service.openAccount({ currencies: ['USD'] })
  const [id = ''] = await ask(client, [{}])
  const [quote] = await service.database.owner<{ valid_until: string }[]>`
    select valid_until from quotes where id = ${id}`
  const { account_id } = client.account
  const idsAt = async (status: string, now: string) => {
    const page = await service.deps.read(account_id, tx =>
      listQuotes(tx, account_id, readList({ status }), now),
    )
    return page?.rows.map(row => row.id)
  }
  const valid_until = quote?.valid_until ?? ''
  const just_before = plusMilliseconds(valid_until, -1000)
  assert.deepEqual(await idsAt('active', just_before), [id])
  assert.deepEqual(await idsAt('expired', just_before), [])
  assert.deepEqual(await idsAt('active', valid_until), [])
  assert.deepEqual(await idsAt('expired', valid_until), [id])
})

test(`GET ${PATH}, wrong parameters: 400 naming each`, async () => {
  const [foreign = ''] = await idsOfAll(other)
  // Its payout carries no quote of this id.
  const [quoted = ''] = (
    await service.database.owner<{ id: string }[]>`
    select id from payouts where account_id = ${account.account.account_id} and quote_id <> ''`
  ).map(({ id }) => id)
  const cursor = quoted.replace('pot_', 'poq_')
  for (const query of [{ starting_after: cursor }, { ending_before: cursor }]) {
    const answer = await account.get(urlOf(PATH, query))
    assert.equal(answer.status, 400, answer.text)
  }
  const wrong = { status: ['new', 'Active'], payout_type: ['wire'], entity_id: ['x'] }
  await assertRefusals(account, PATH, 'poq', wrong, foreign)
})

const MANY = share(120, 1_000)

test(`GET ${PATH}, ${MANY} quotes while new ones are created: none missing, none twice`, async () => {
  const client = await service.openAccount({ currencies: ['USD'] })
  await ask(
    client,
    Array.from({ length: MANY }, () => ({})),
  )
  await assertWalks(
    client,
    PATH,
    () => idsOfAll(client),
    () => ask(client, [{}, {}]),
  )
})

test(`GET ${PATH}, many quotes, statement planned for an empty table: reads only the rows of the page`, async () => {
  const filters: Query[] = [
    ...[{}, { status: 'active' }, { status: 'expired' }, { status: 'used' }],
    ...[{ payout_type: 'swift' }, { entity_id: idAt('ent', 7) }],
    ...[{ status: 'expired', payout_type: 'swift' }],
  ]
  const time = { 'created.gte': '2026-01-01T00:10:00Z', 'created.lt': '2026-01-01T01:20:00Z' }
  const cursor = madeAt('poq', 3001)
  const now = '2026-01-01T01:40:00.000000Z'
  await assertPageCost({
    table: 'quotes',
    queries: crossed(filters, [{}, time, { starting_after: cursor }, { ending_before: cursor }]),
    page: (tx, query) => listQuotes(tx, 'acc_a', readList({ ...query, limit: '5' }), now),
    // Of each kind that fits a page is read, after its kinds have been: of four.
    besides: query => ('payout_type' in query || 'status' in query ? 4 * 7 : 0),
    fill: owner => owner`
      insert into quotes (made_by, account_id, id, payout_type, holding_currency, holding_amount,
        payout_currency, payout_amount, destination_currency, destination_country,
        destination_amount, holding_to_payout, payout_to_destination, fixed_fee_holding,
        fixed_fee_payout, variable_fee_holding, variable_fee_payout, fund_transfer_network,
        payment_network, wallet_type, wallet_network, charge_type, entity_id, status, valid_until,
        created_at, updated_at, basis, fx_income_holding, fx_income_destination)
      select 'key_1', case when i % 3 = 0 then 'acc_b' else 'acc_a' end,
        ${madeAtSql(owner, 'poq')}, case when i % 20 = 2 then 'swift' else 'local' end, 'USD',
        1, 'USD', 1, 'USD', '', 1, 1, 1, 0, 0, 0, 0, '', '', '', '', '',
        case when i % 7 = 0 then 'ent_00000000000000000007' else '' end,
        case when i % 40 = 1 then 'used' else 'active' end,
        timestamptz '2026-01-01T01:15:00Z' + i % 3000 * interval '1 second',
        timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second', now(), '{}',
        0, 0
      from generate_series(1, 6000) i`,
  })
})
