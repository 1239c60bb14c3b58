// The quote of a payout made without one: the payout's row carries it, and every answer is as if it
// had been asked for.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readList } from '../../src/http/list.ts'
import { listPayouts } from '../../src/payouts/lists/list-store.ts'
import { listQuotes } from '../../src/quotes/store.ts'
import { checkBooks } from '../support/assert/books.ts'
import { assertRefused } from '../support/assert/check.ts'
import { list, type Query } from '../support/assert/listing.ts'
import { assertPageCost, crossed, idAt, madeAt, madeAtSql } from '../support/assert/page-cost.ts'
import { internalPayout, localPayout, yenBank } from '../support/given/bodies.ts'
import { entityOf, pay } from '../support/service/payouts.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/payout/quote'

let service: TestService
let account: Client
let other: Client
let entity: string

before(async () => {
  service = await startTestService()
  await service.setRates({
    'EUR/USD': '1.0873',
    'EUR/HKD': '8.4917',
    'EUR/JPY': '161.37',
    'EUR/USDC': '1.09',
  })
  await service.setFees([{ fixed_amount: 150n, fee_currency: 'EUR', variable_bps: 25 }])
  const fund = { USD: 100_000_000n, USDC: 100_000_000_000n }
  account = await service.openAccount({ currencies: ['USD', 'USDC'], fund })
  other = await service.openAccount({ currencies: ['USD'] })
  entity = await entityOf(account)
})
after(async () => {
  await checkBooks(service.database.owner, { DATABASE_URL: service.database.url })
  await service.close()
})

const receiving = (
  destination_details: object,
  address = localPayout.beneficiary_details.address,
) => ({
  beneficiary_details: { ...localPayout.beneficiary_details, address, destination_details },
})

/** A payout and the request of a quote for the same; a function where the account must be known. */
const KINDS: Readonly<Record<string, () => readonly [payout: object, quote: object]>> = {
  'one currency': () => [{}, { destination_info: { currency: 'USD', country: 'HK' } }],
  'two conversions, for an entity': () => [
    {
      ...{ currency: 'HKD', amount: 80_001, on_behalf_of: entity },
      ...receiving({ type: 'bank', bank: yenBank }),
    },
    {
      payout_info: { currency: 'HKD', amount: 80_001 },
      destination_info: { currency: 'JPY', country: 'JP' },
      entity_id: entity,
    },
  ],
  swift: () => [
    { type: 'swift', charge_type: 'ours' },
    {
      payout_type: 'swift',
      swift: { charge_type: 'ours' },
      destination_info: { currency: 'USD', country: 'HK' },
    },
  ],
  'a wallet': () => [
    {
      ...{ type: 'wallet', currency: 'USDC', amount: 25_000_000 },
      ...receiving({
        type: 'wallet',
        wallet: { type: 'ethereum', deposit_address: '0x52908400098527886E0F7030069857D2E4169EE7' },
      }),
    },
    {
      payout_type: 'wallet',
      payout_info: { currency: 'USDC', amount: 25_000_000 },
      wallet: { type: 'ethereum' },
    },
  ],
  'another account': () => [
    internalPayout(other.account.deposit_address, 777),
    { payout_type: 'service_account', payout_info: { currency: 'USD', amount: 777 } },
  ],
}

for (const [kind, make] of Object.entries(KINDS)) {
  test(`GET ${PATH}/{id}, quote of a payout made without a quote, ${kind}: every field of a requested quote`, async () => {
    const [payout, body] = make()
    const asked = await account.post(PATH, {
      payout_info: { currency: 'USD', amount: 10_000 },
      ...body,
    })
    assert.equal(asked.status, 200, asked.text)
    const paid = await pay(account, payout)
    const carried = (await account.get(`${PATH}/${paid.quote}?explain=true`)).json
    const expected = (await account.get(`${PATH}/${asked.json.id}?explain=true`)).json
    const valid_ms = (quote: { valid_until: string; created_at: string }) =>
      Date.parse(quote.valid_until) - Date.parse(quote.created_at)
    assert.equal(valid_ms(carried), valid_ms(expected))
    const { created_at, updated_at, valid_until } = carried
    assert.equal(created_at, paid.created_at.replace('Z', '+00:00'))
    assert.equal(updated_at, created_at)
    const used = { status: 'used', expected_at: null }
    const own = { id: paid.quote, ...used, created_at, updated_at, valid_until }
    assert.deepEqual(carried, { ...expected, ...own })
    const rows = await service.database.owner`select from quotes where id = ${paid.quote}`
    assert.equal(rows.length, 0)
  })
}

test('GET /v3/event, payout made without a quote: event of its own quote before its own, ids alike', async () => {
  const paid = await pay(account)
  const events = (await list(account, '/v3/event', { limit: '3' })).results
  assert.deepEqual(
    events.map(({ type, object_id, data }) => [type, object_id, data.object]),
    [
      ['balance_transaction.created', paid.balance_transaction, 'balance_transaction'],
      ['payout.created', paid.id, 'payout'],
      ['payout_quote.created', paid.quote, 'payout_quote'],
    ],
  )
  const quote = await account.get(`/v3/payout/quote/${paid.quote}`)
  assert.deepEqual(events[2]?.data, quote.json)
})

test('POST /v3/payout with the quote that another payout made for itself: 422 quote_used; from another account: not found', async () => {
  const { quote } = await pay(account, { on_behalf_of: entity })
  assertRefused(await account.post('/v3/payout', { ...localPayout, quote }), 422, 'quote_used')
  assert.equal((await other.get(`${PATH}/${quote}`)).status, 404)
  assertRefused(await other.post('/v3/payout', { ...localPayout, quote }), 404, 'not_found')
  assert.equal((await list(other, PATH)).ids.length, 0)
})

test('GET /v3/payout?quote, requested quote or quote made by the payout: the payout that uses it', async () => {
  const asked = await account.post(PATH, { payout_info: { currency: 'USD', amount: 10_000 } })
  const quoted = await pay(account, { quote: asked.json.id })
  const carrying = await pay(account)
  assert.equal(carrying.quote, carrying.id.replace('pot_', 'poq_'))
  for (const { id, quote } of [quoted, carrying]) {
    assert.deepEqual((await list(account, '/v3/payout', { quote })).ids, [id])
    assert.deepEqual((await list(account, '/v3/payout', { quote, type: 'local' })).ids, [id])
    assert.deepEqual((await list(account, '/v3/payout', { quote, type: 'swift' })).ids, [])
    assert.deepEqual((await list(account, '/v3/payout', { quote, starting_after: id })).ids, [])
    assert.deepEqual((await list(other, '/v3/payout', { quote })).ids, [])
  }
  // A payout that was made with a quote carries none.
  const none = quoted.id.replace('pot_', 'poq_')
  assert.deepEqual((await list(account, '/v3/payout', { quote: none })).ids, [])
  assert.equal((await account.get(`${PATH}/${none}`)).status, 404)
})

test(`GET ${PATH}, many quotes made by payouts, statement planned for an empty table: reads only the rows of the page`, async () => {
  const filters: Query[] = [
    ...[{}, { status: 'used' }, { payout_type: 'wallet' }],
    { entity_id: idAt('ent', 7) },
  ]
  const time = { 'created.gte': '2026-01-01T00:10:00Z', 'created.lt': '2026-01-01T01:20:00Z' }
  const cursor = madeAt('poq', 2500)
  const quote = madeAt('poq', 70)
  await assertPageCost({
    table: 'payouts',
    queries: crossed(filters, [{}, time, { starting_after: cursor }, { ending_before: cursor }]),
    page: (tx, query) =>
      listQuotes(tx, 'acc_a', readList({ ...query, limit: '5' }), '2026-01-01T00:55:00.000000Z'),
    // The kinds that there are, of which there are two.
    besides: query => ('payout_type' in query ? 4 : 0),
    fill: async owner => {
      await owner`
      insert into payouts (made_by, account_id, id, quote_id, type, amount, currency, holding_currency,
        holding_amount, fixed_fee, variable_fee, destination_currency, destination_amount,
        holding_to_payout, payout_to_destination, holding_fx_id, payout_fx_id,
        balance_transaction_id, beneficiary_id, beneficiary_details, particulars, reference_id,
        on_behalf_of,
        fund_transfer_network, charge_type, basis, quote_validity_s, first_rail, created_at)
      select 'key_1', case when i % 3 = 0 then 'acc_b' else 'acc_a' end, ${madeAtSql(owner, 'pot')},
        '', case when i % 20 = 2 then 'wallet' else 'local' end, 1, 'USD', 'USD', 1, 0, 0, 'USD', 1,
        1, 1, '', '', '', '', '{"destination_details":{}}', '{}', '',
        case when i % 7 = 0 then 'ent_00000000000000000007' else '' end,
        '', '', '{"spread_bps":0}', 1800, 'simulator',
        timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second'
      from generate_series(1, 6000) i`
      await owner`
        insert into payout_outcomes (account_id, id, updated_at, rail_steps, rail_attempts, status,
          rail, status_description, rail_reference, taken_by, answers)
        select account_id, id, created_at, 1, 1, 'succeeded', first_rail, '', '', '', '[]' from payouts`
    },
    one: {
      read: tx => listPayouts(tx, 'acc_a', readList({ quote, limit: '5' })),
      when: 'analyzed',
    },
  })
})
