// Filters whose value hardly a row of a long list has: each page reads a few pages of the database,
// however long the list. One row of the table for each filter.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readList } from '../../src/http/list.ts'
import { listPayouts } from '../../src/payouts/lists/list-store.ts'
import { listQuotes } from '../../src/quotes/store.ts'
import { confineTo } from '../../src/sql/confine.ts'
import { connect, type TransactionSql } from '../../src/sql/connect.ts'
import { listBalanceTransactions } from '../../src/statements/balance-transaction/store.ts'
import { madeAtSql } from '../support/assert/page-cost.ts'
import { createDatabase } from '../support/database/database.ts'
import { insertLines } from '../support/database/line-rows.ts'
import { share } from '../support/share.ts'

const ROWS = share(5_000, 1_000_000)
/** What a page of six may read of tables and indexes; a walk of all rows reads hundreds. */
const MAX_PAGES = 40

const database = await createDatabase()
const sql = connect(database.url, { max: 1, as: 'service', look_ups: true })
const { owner } = database
await insertLines(owner, {
  from: `generate_series(1, ${ROWS}::integer) i`,
  account_id: `'acc_a'`,
  number: 'i',
  kind: `case when i = 3 then 'funding' else 'payout' end`,
  amount: 'case when i = 3 then 1 else -1 end',
  source: `'pot_' || lpad(i::text, 20, '0')`,
  created_at: `timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second'`,
})
await owner`
  insert into payouts (made_by, account_id, id, quote_id, type, amount, currency, holding_currency,
    holding_amount, fixed_fee, variable_fee, destination_currency, destination_amount,
    holding_to_payout, payout_to_destination, holding_fx_id, payout_fx_id,
    balance_transaction_id, beneficiary_id, beneficiary_details, particulars, reference_id,
    on_behalf_of,
    fund_transfer_network, charge_type, first_rail, created_at)
  select 'key_1', 'acc_a', ${madeAtSql(owner, 'pot')}, ${madeAtSql(owner, 'poq')}, 'local', 1,
    case when i = 3 then 'EUR' else 'USD' end, 'USD', 1, 0, 0, 'USD', 1, 1, 1, '', '', '', '',
    '{}', '{}', '', '', '', '', 'simulator',
    timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second'
  from generate_series(1, ${ROWS}::integer) i`
await owner`
  insert into payout_outcomes (account_id, id, updated_at, rail_steps, rail_attempts, status, rail,
    status_description, rail_reference, taken_by, answers)
  select account_id, id, created_at, 1, 1, 'succeeded', first_rail, '', '', '', '[]' from payouts`
await owner`
  insert into quotes (made_by, account_id, id, payout_type, holding_currency, holding_amount,
    payout_currency, payout_amount, destination_currency, destination_country,
    destination_amount, holding_to_payout, payout_to_destination, fixed_fee_holding,
    fixed_fee_payout, variable_fee_holding, variable_fee_payout, fund_transfer_network,
    payment_network, wallet_type, wallet_network, charge_type, entity_id, status, valid_until,
    created_at, updated_at, basis, fx_income_holding, fx_income_destination)
  select 'key_1', 'acc_a', ${madeAtSql(owner, 'poq')}, 'local', 'USD', 1, 'USD',
    1, 'USD', '', 1, 1, 1, 0, 0, 0, 0, '', '', '', '', '', '',
    case when i = 3 then 'active' else 'used' end, timestamptz '2027-01-01T00:00:00Z',
    timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second', now(), '{}', 0, 0
  from generate_series(1, ${ROWS}::integer) i`
await owner`analyze`
after(async () => {
  await sql.end()
  await database.drop()
})

/** After the creation of the quotes, and before they end. */
const AT = '2026-12-31T00:00:00.000000Z'

type Page = { readonly rows: readonly unknown[] } | undefined

const FILTERS: readonly (readonly [string, number, (tx: TransactionSql) => Promise<Page>])[] = [
  ['payout/quote?status=active', 1, tx => listQuotes(tx, 'acc_a', wanted('status=active'), AT)],
  ['payout/quote?status=expired', 0, tx => listQuotes(tx, 'acc_a', wanted('status=expired'), AT)],
  [
    'balance_transaction?type=escrow',
    1,
    tx => listBalanceTransactions(tx, 'acc_a', wanted('type=escrow')),
  ],
  [
    'balance_transaction?type=payout_failure',
    0,
    tx => listBalanceTransactions(tx, 'acc_a', wanted('type=payout_failure')),
  ],
  [
    'balance_transaction?operation_type=credit',
    1,
    tx => listBalanceTransactions(tx, 'acc_a', wanted('operation_type=credit')),
  ],
  [
    'balance_transaction?currency=EUR',
    0,
    tx => listBalanceTransactions(tx, 'acc_a', wanted('currency=EUR')),
  ],
  ['payout?currency=EUR', 1, tx => listPayouts(tx, 'acc_a', wanted('currency=EUR'))],
  ['payout?currency=JPY', 0, tx => listPayouts(tx, 'acc_a', wanted('currency=JPY'))],
]

function wanted(query: string) {
  return readList({ ...Object.fromEntries(new URLSearchParams(query)), limit: '5' })
}

for (const [name, count, list] of FILTERS) {
  test(`GET /v3/${name}, ${count} matching rows among ${ROWS}: found by an index`, async t => {
    const began = performance.now()
    const { pages, rows } = await pagesOf(list)
    t.diagnostic(`${pages} pages in ${(performance.now() - began).toFixed(1)} ms`)
    assert.equal(rows, count)
    assert.ok(pages <= MAX_PAGES, `${pages} pages`)
  })
}

/** What reading fetched of tables and their indexes, as PostgreSQL counts it. */
function pagesOf(list: (tx: TransactionSql) => Promise<Page>) {
  return sql.begin(async tx => {
    confineTo(tx, ['acc_a'])
    const fetched = async () => {
      const [row] = await tx<{ pages: bigint }[]>`
        select sum(pg_stat_get_xact_blocks_fetched(oid))::bigint as pages from pg_class
        where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace`
      return Number(row?.pages ?? 0)
    }
    const before = await fetched()
    const page = await list(tx)
    return { rows: page?.rows.length, pages: (await fetched()) - before }
  })
}
