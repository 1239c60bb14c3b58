// GET /v3/payout: the list of payouts, its filters, and that a page costs an index look-up.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { readList } from '../../src/http/list.ts'
import { listPayouts } from '../../src/payouts/lists/list-store.ts'
import type { Sql, TransactionSql } from '../../src/sql/connect.ts'
import { assertProblems } from '../support/assert/check.ts'
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
} from '../support/assert/listing.ts'
import { assertPageCost, crossed, idAt, madeAt, madeAtSql } from '../support/assert/page-cost.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { entityOf } from '../support/service/payouts.ts'
import {
  basic,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { payAll, settleAll } from '../support/service/settling.ts'
import { share } from '../support/share.ts'

const PATH = '/v3/payout'
const NOBODY = '00000000000000000000'

let service: TestService
let account: Client
let other: Client
let entity: string
/** Of `account`, newest first. */
let all: Item[]

before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setRates({ 'USD/HKD': '8' })
  const fund = { USD: 1_000_000_000n, EUR: 1_000_000_000n }
  account = await service.openAccount({ currencies: ['USD', 'EUR'], fund })
  other = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  entity = await entityOf(account)
  await payAll(service, other, [{}])
  // Some fail, some are held, some are reversed (§rail.simulator).
  await payAll(service, account, [
    ...[{ amount: 200_000 }, { amount: 500_000, reference_id: 'A b+&="\\' }],
    ...[{ amount: 500_001, reference_id: 'A b+&="\\' }, { reference_id: 'a B+&="\\' }],
    ...[{ currency: 'EUR' }, { currency: 'HKD', holding_currency: 'USD' }, { currency: 'HKD' }],
  ])
  const { beneficiary } = (await list(account, PATH)).results[0] as Item
  const { beneficiary_details: _, ...body } = localPayout
  const again = { ...body, beneficiary, reference_id: 'INV-1' }
  assert.equal((await account.post(PATH, again)).status, 200)
  await settleAll(service)
  await payAll(service, account, [
    {},
    { on_behalf_of: entity },
    { on_behalf_of: entity, currency: 'EUR' },
  ])
  const internal = internalPayout(other.account.deposit_address)
  assert.equal((await account.post(PATH, internal)).status, 200)
  all = await getAll(account, PATH, await idsOfAll(account))
})
after(() => service.close())

async function idsOfAll({ account }: Client): Promise<string[]> {
  const rows = await service.database.owner<{ id: string }[]>`
    select id from payouts where account_id = ${account.account_id}
    order by created_at desc, id desc`
  return rows.map(({ id }) => id)
}

test(`GET ${PATH}, payouts of every kind: newest first, each equal to its GET by id, for any page size`, async () => {
  assert.equal(all.length, 12)
  await assertListed(account, PATH, all)
})

test(`GET ${PATH}, time bounds at, before and after each payout: inclusive or exclusive as named`, () =>
  assertBounds(account, PATH, all))

test(`GET ${PATH}, filters, alone and combined: exactly the matching payouts, for any page size`, async () => {
  const { quote, beneficiary } = all[3] as Item
  const statuses = new Set(all.map(({ status }) => status))
  for (const status of ['processing', 'succeeded', 'failed', 'compliance_hold', 'reversed']) {
    assert.ok(statuses.has(status), status)
  }
  const cases: Case[] = [
    ...['processing', 'succeeded', 'failed', 'compliance_hold', 'requires_action', 'reversed'].map(
      (status): Case => [{ status }, item => item.status === status],
    ),
    ...['USD', 'EUR', 'HKD', 'JPY'].map(
      (currency): Case => [{ currency }, item => item.currency === currency],
    ),
    [{ holding_currency: 'EUR' }, item => item.holding_currency === 'EUR'],
    [{ type: 'service_account' }, item => item.type === 'service_account'],
    [{ type: 'swift' }, () => false],
    [{ reference_id: 'A b+&="\\' }, item => item.reference_id === 'A b+&="\\'],
    [{ reference_id: 'A B+&="\\' }, () => false],
    [{ on_behalf_of: entity }, item => item.on_behalf_of === entity],
    [{ on_behalf_of: `ent_${NOBODY}` }, () => false],
    [{ quote }, item => item.quote === quote],
    [{ beneficiary }, item => item.beneficiary === beneficiary],
    [{ status: 'compliance_hold', currency: 'EUR' }, i => i.on_behalf_of && i.currency === 'EUR'],
    [{ status: 'succeeded', type: 'service_account' }, item => item.type === 'service_account'],
    [
      { on_behalf_of: entity, status: 'compliance_hold', currency: 'USD' },
      item => item.on_behalf_of === entity && item.currency === 'USD',
    ],
    [{ quote, status: 'requires_action' }, () => false],
    ...[all[4], all[5]].flatMap((item): Case[] => [
      [{ quote: item?.quote }, ({ id }) => id === item?.id],
      [{ beneficiary: item?.beneficiary }, i => i.beneficiary === item?.beneficiary],
    ]),
    [
      { status: ['failed', 'processing'], currency: ['EUR', 'USD'], type: ['swift', 'local'] },
      item => /failed|processing/.test(item.status) && /EUR|USD/.test(item.currency),
    ],
  ]
  await assertFilters(account, PATH, all, cases)
})

test(`GET ${PATH}, wrong parameters: 400 naming each`, async () => {
  const [foreign = ''] = await idsOfAll(other)
  const wrong = {
    status: ['paid', 'SUCCEEDED'],
    currency: ['usd', 'DOLLAR'],
    holding_currency: ['usd'],
    type: ['wire'],
    reference_id: ['x'.repeat(129)],
    on_behalf_of: ['x', `bnf_${NOBODY}`],
    quote: ['x', `pot_${NOBODY}`],
    beneficiary: ['x', `ent_${NOBODY}`],
  }
  await assertRefusals(account, PATH, 'pot', wrong, foreign)
  const names = Array.from({ length: 21 }, () => `beneficiary=bnf_${NOBODY}`).join('&')
  const many = await account.get(`${PATH}?${names}&status=succeeded&status=paid&reference_id[]=a`)
  assertProblems(many, 400, [
    ['invalid_query_parameter', 'reference_id[]'],
    ['invalid_query_parameter', 'status'],
    ['invalid_query_parameter', 'beneficiary'],
  ])
})

test(`GET ${PATH}, Accept-Encoding brotli or gzip: long lists compressed, short lists and single payouts not`, async () => {
  const ask = (url: string, coding: string, method: 'GET' | 'HEAD' = 'GET') =>
    service.app.inject({
      ...{ url, method },
      headers: {
        authorization: basic(account.key_id, account.secret),
        'accept-encoding': coding,
      },
    })
  const plain = await ask(PATH, 'identity, br;q=0')
  assert.equal(plain.headers['content-encoding'], undefined)
  for (const [accepts, coding, decode] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ] as const) {
    const { headers, rawPayload } = await ask(PATH, accepts)
    assert.deepEqual([headers['content-encoding'], headers.vary], [coding, 'accept-encoding'])
    assert.equal(decode(rawPayload).toString(), plain.payload)
    assert.ok(rawPayload.length < plain.rawPayload.length / 4, `${rawPayload.length} bytes`)
    const head = await ask(PATH, accepts, 'HEAD')
    assert.deepEqual(
      [head.headers['content-length'], head.rawPayload.length],
      [String(rawPayload.length), 0],
    )
  }
  for (const url of [`${PATH}?limit=1`, `${PATH}/${all[0]?.id}`]) {
    const { headers, payload } = await ask(url, 'br')
    assert.deepEqual([headers['content-encoding'], payload.charAt(0)], [undefined, '{'])
  }
  const lines = await ask('/v3/balance_transaction', 'br')
  assert.equal(lines.headers.vary, 'accept, accept-encoding')
})

const MANY = share(120, 1_000)

test(`GET ${PATH}, ${MANY} payouts while new ones are created: none missing, none twice`, async () => {
  const client = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  await payAll(
    service,
    client,
    Array.from({ length: MANY }, () => ({})),
  )
  await assertWalks(
    client,
    PATH,
    () => idsOfAll(client),
    () => payAll(service, client, [{}, {}]),
  )
})

test(`GET ${PATH}, many payouts, statement planned for an empty table: reads only the rows of the page`, async () => {
  const filters: Query[] = [
    ...[{}, { status: 'failed' }, { status: 'succeeded' }, { currency: 'JPY' }],
    ...[{ holding_currency: 'EUR' }, { type: 'wallet' }, { beneficiary: madeAt('bnf', 7) }],
    ...[{ reference_id: 'ref-5' }, { on_behalf_of: idAt('ent', 7) }],
    ...[
      { status: 'failed', currency: 'JPY' },
      { status: 'succeeded', type: 'wallet' },
    ],
    ...[{ status: ['failed', 'reversed', 'processing'] }, { currency: ['JPY', 'GBP'] }],
    ...[{ on_behalf_of: [idAt('ent', 7), idAt('ent', 8)] }],
    ...[{ beneficiary: [madeAt('bnf', 7), madeAt('bnf', 8)] }],
    ...[{ pair: 'team=a' }, { pair: 'run=7' }],
  ]
  const time = { 'created.gte': '2026-01-01T00:10:00Z', 'created.lt': '2026-01-01T01:20:00Z' }
  const cursor = madeAt('pot', 2500)
  const page = (tx: TransactionSql, { pair, ...query }: Query) => {
    const metadata = pair === undefined ? {} : Object.fromEntries([String(pair).split('=')])
    return listPayouts(tx, 'acc_a', readList({ ...query, ...(pair && { metadata }), limit: '5' }))
  }
  await assertPageCost({
    table: 'payouts',
    queries: crossed(filters, [{}, time, { starting_after: cursor }, { ending_before: cursor }]),
    page,
    fill,
    // Of each kind that fits a page is read, after its kinds have been: of eight. A beneficiary that
    // a payout has brought is looked for among the payouts of its batch, too. Most payouts succeed, so
    // that they are found on the way.
    besides: query =>
      ['currency', 'holding_currency', 'type'].some(name => name in query) &&
      query.status !== 'failed'
        ? 8 * 7
        : 'pair' in query
          ? // The payouts of each part that has one of the page, and those of the page again.
            (query.pair === 'run=7' ? 7 : 2) * 64 + 6
          : // Of the failed every fifth is in this currency, which their rows say.
            query.status === 'failed' && 'currency' in query
            ? 8 * 7
            : 'beneficiary' in query || query.status === 'succeeded'
              ? 3 + (Array.isArray(query.beneficiary) ? 7 + 3 : 0)
              : 0,
    one: { read: tx => page(tx, { quote: madeAt('poq', 70) }), when: 'analyzed' },
  })
})

/** 6,000 payouts, of which every third is another account's. */
async function fill(owner: Sql) {
  await insertPayouts(owner)
  await owner`
    insert into payout_metadata (account_id, part, first_id, last_id, hashes)
    select account_id, i / 96, min(id), max(id), array_agg(hashtext(pair))
    from payouts join (
      select ${madeAtSql(owner, 'pot')} as id, i from generate_series(1, 6000) i
    ) made using (id)
    cross join lateral (values (E'team\na'), (E'run\n' || i % 50)) pairs (pair)
    group by 1, 2`
  await owner`
    insert into payout_outcomes (account_id, id, updated_at, rail_steps, rail_attempts, status, rail,
      status_description, rail_reference, taken_by, answers)
    select account_id, id, created_at, 1, 1, case when i % 8 = 2 and i % 80 <> 2 then 'failed'
      else 'succeeded' end, first_rail, '', '', '', '[]'
    from payouts join (
      select ${madeAtSql(owner, 'pot')} as id, i from generate_series(1, 6000) i
    ) made using (id)`
}

function insertPayouts(owner: Sql) {
  return owner`
    insert into payouts (made_by, account_id, id, quote_id, type, amount, currency, holding_currency,
      holding_amount, fixed_fee, variable_fee, destination_currency, destination_amount,
      holding_to_payout, payout_to_destination, holding_fx_id, payout_fx_id,
      balance_transaction_id, beneficiary_id, beneficiary_details, particulars, reference_id,
      on_behalf_of,
      fund_transfer_network, charge_type, first_rail, created_at)
    select 'key_1', case when i % 3 = 0 then 'acc_b' else 'acc_a' end, ${madeAtSql(owner, 'pot')},
      ${madeAtSql(owner, 'poq')}, case when i % 20 = 2 then 'wallet' else 'local' end, 1,
      case when i % 40 = 2 then 'JPY' else 'USD' end,
      case when i % 35 = 2 then 'EUR' else 'USD' end, 1, 0, 0, 'USD', 1, 1, 1, '', '', '',
      ${madeAtSql(owner, 'bnf', 'i % 50')}, '{}',
      json_build_object('metadata', json_build_object('team', 'a', 'run', (i % 50)::text)),
      case when i % 2 = 0 then '' else 'ref-' || i % 50 end,
      case when i % 7 = 0 then 'ent_00000000000000000007' else '' end,
      '', '', 'simulator', timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second'
    from generate_series(1, 6000) i`
}
