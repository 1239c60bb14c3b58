// The upgrade to routes of an installation that has payouts: what the simulator took of live accounts
// and was not over goes to people, and nothing of theirs is due to be asked about any more.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Sql } from '../../src/db/connect.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const STATUSES = [
  'processing',
  'requires_action',
  'compliance_hold',
  'succeeded',
  'failed',
] as const

let database: TestDatabase
before(async () => {
  database = await createDatabase({ empty: true })
})
after(() => database.drop())

async function insertAccount(owner: Sql, id: string, sandbox: boolean): Promise<void> {
  await owner`
    insert into accounts (account_id, name, currencies, primary_currency, deposit_address, sandbox)
    values (${id}, 'A', '{USD}', 'USD', ${`dep_${id}`}, ${sandbox})`
  for (const type of ['local', 'service_account']) {
    for (const status of STATUSES) {
      await owner.begin(async tx => {
        await tx`set local corridor.maintenance = 'on'`
        await tx`
          insert into payouts (account_id, id, quote_id, type, amount, currency, holding_currency,
            holding_amount, fixed_fee, variable_fee, destination_currency, destination_amount,
            holding_to_payout, payout_to_destination, holding_fx_id, payout_fx_id,
            balance_transaction_id, beneficiary_id, beneficiary_details, particulars,
            fund_transfer_network, charge_type, status, ask_rail_at, created_at, updated_at)
          values (${id}, ${`${type} ${status}`}, ${`${type} ${status}`}, ${type}, 1, 'USD', 'USD', 1,
            0, 0, 'USD', 1, 1, 1, '', '', 'btr', 'bnf', '{}', '{}', '', '', ${status},
            ${type === 'local' && status !== 'failed' ? '2026-01-01T00:00:00Z' : null}, now(), now())`
      })
    }
  }
}

test('migrating to routes: open payouts of live accounts are for people, of sandboxes stay', async () => {
  const { owner } = database
  const migrations = await readMigrations()
  const routes = migrations.findIndex(({ name }) => name.endsWith('-routes.sql'))
  assert.ok(routes > 0)
  await migrate(owner, migrations.slice(0, routes))
  await insertAccount(owner, 'live', false)
  await insertAccount(owner, 'sandbox', true)
  await migrate(owner, migrations)
  const rows = await owner<{ account_id: string; id: string; rail: string; asked: boolean }[]>`
    select account_id, id, rail, ask_rail_at is not null as asked from payouts where rail <> ''
      or ask_rail_at is not null order by account_id, id`
  assert.deepEqual(
    rows.map(({ account_id, id, rail, asked }) => `${account_id} ${id}: ${rail} ${asked}`),
    [
      'live local compliance_hold: manual false',
      'live local processing: manual false',
      'live local requires_action: manual false',
      'sandbox local compliance_hold: simulator true',
      'sandbox local processing: simulator true',
      'sandbox local requires_action: simulator true',
      'sandbox local succeeded: simulator true',
    ],
  )
})
