// What tells of changes to prices, accounts and keys is written by triggers alone: the service's role
// can neither forge it nor date it back, and nobody turns versions back. One row a statement.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connect } from '../../src/sql/connect.ts'
import { rowVersions } from '../support/assert/check.ts'
import { createDatabase } from '../support/database/database.ts'

const database = await createDatabase()
const { owner } = database
const service = connect(database.url, { max: 1, as: 'service' })
after(async () => {
  await service.end({ timeout: 5 })
  await database.drop()
})
await owner`
  insert into pricing_policies (name, value, effective_from, created_at)
  select 'spread_bps', '10', now, now from clock_timestamp() now`

const POLICY = `insert into pricing_policies (name, value, effective_from, created_at) select`
const CHANGE = `insert into audit_log (table_name, changed_at, changed_by, after)
  values ('rates', now(), 'Mary', '{}')`

const REFUSED: readonly (readonly [
  what: string,
  by: 'service' | 'owner',
  sql: string,
  words: RegExp,
])[] = [
  ['a change forged', 'service', CHANGE, /permission denied for table audit_log/],
  [
    'a change rewritten',
    'service',
    `update audit_log set changed_by = 'Mary'`,
    /permission denied/,
  ],
  [
    'a policy with a date of its own',
    'service',
    `${POLICY} 'spread_bps', '0', now(), now() - interval '1 day'`,
    /permission denied for table pricing_policies/,
  ],
  [
    'a policy for the past, back-dated',
    'service',
    `insert into pricing_policies (name, value, effective_from)
        select 'spread_bps', '0', now() - interval '1 second'`,
    /not_in_the_past/,
  ],
  [
    'a policy for the past, back-dated',
    'owner',
    `${POLICY} 'spread_bps', '0', now() - interval '1 day', now() - interval '2 days'`,
    /not_in_the_past/,
  ],
  ...['version', 'price_version', 'change_count'].flatMap(name => {
    const lower = `update reference_version set ${name} = ${name} - 1`
    return [
      [`${name} lowered`, 'service', lower, /permission denied for table reference_version/],
      [`${name} lowered`, 'owner', lower, /versions of reference tables only rise/],
      [`${name} emptied`, 'owner', lower.replace(`${name} - 1`, 'null'), /null value|only rise/],
    ] as const
  }),
  [
    'the head of the chain replaced',
    'service',
    `update reference_version set change_head = sha256('')`,
    /permission denied/,
  ],
]

for (const [what, by, statement, words] of REFUSED) {
  test(`PostgreSQL as ${by}, ${what}: refused, no row changes`, async () => {
    const before = await rowVersions(owner)
    await assert.rejects((by === 'owner' ? owner : service).unsafe(statement), words)
    assert.deepEqual(await rowVersions(owner), before)
  })
}

test('PostgreSQL as owner, policy inserted with a future creation time: stored with the true one', async () => {
  const [row] = await owner<{ honest: boolean }[]>`
    insert into pricing_policies (name, value, effective_from, created_at)
    select 'spread_bps', '20', now + interval '2 days', now + interval '1 day' from now() as now
    returning created_at = now() as honest`
  assert.equal(row?.honest, true)
})

test('PostgreSQL as service, rate written: its history and price version written too', async () => {
  const state = async () => {
    const [row] = await owner<{ changes: bigint; price_version: bigint }[]>`
      select change_count as changes, price_version from reference_version`
    return row ?? assert.fail()
  }
  const was = await state()
  await service`
    insert into rates (base, quote, mid, source, as_of) values ('USD', 'SEK', 9, 'test', now())`
  const is = await state()
  assert.deepEqual([is.changes - was.changes, is.price_version - was.price_version], [1n, 1n])
})

test('triggers of price history and versions: each runs as the owner of the tables', async () => {
  const rows = await owner<{ name: string }[]>`
    select proname::text as name from pg_proc
    where pronamespace = 'public'::regnamespace and not prosecdef
      and prosrc ~ 'into audit_log|update reference_version'`
  // It runs for an insert that one of the others makes.
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['chain_change'],
  )
})
