// Row-level security: whatever statement the service sends, it sees and writes rows of the accounts
// that its transaction names and of no others (docs/decisions/0032).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readConfined, transactConfined } from '../../src/db/confine.ts'
import { connect, type Sql, type TransactionSql } from '../../src/db/connect.ts'
import { listPayouts } from '../../src/payout/store.ts'
import { localPayout } from '../support/bodies.ts'
import { pickSeed, seeded } from '../support/process.ts'
import { type Client, startTestService, type TestService } from '../support/service.ts'

/** In memory of every process, and so of no account's own. */
const REFERENCE = ['accounts', 'api_keys']

let service: TestService
let mine: Client
let theirs: Client
/** As the service connects, on fewer connections. */
let sql: Sql
before(async () => {
  service = await startTestService()
  mine = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  theirs = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  for (const client of [mine, theirs]) {
    const answer = await client.post('/v3/payout', localPayout, { 'idempotency-key': 'same' })
    assert.equal(answer.status, 200, answer.text)
  }
  sql = connect(service.database.url, { max: 2, as: 'service', look_ups: true })
})
after(async () => {
  await sql.end({ timeout: 5 })
  await service.close()
})

const idOf = (client: Client) => client.account.account_id

/** Tables with rows of accounts. */
async function tables(): Promise<string[]> {
  const rows = await service.database.owner<{ name: string }[]>`
    select table_name::text as name from information_schema.columns
    join pg_tables on tablename = table_name and schemaname = table_schema
    where table_schema = 'public' and column_name = 'account_id' order by 1`
  const names = rows.map(row => row.name).filter(name => !REFERENCE.includes(name))
  assert.ok(names.length >= 19)
  return names
}

test('every table of an account: row-level security on, and forced upon its owner', async () => {
  const rows = await service.database.owner<{ name: string }[]>`
    select relname::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relrowsecurity and relforcerowsecurity
    order by 1`
  assert.deepEqual(
    rows.map(row => row.name),
    await tables(),
  )
})

test('roles of the service: own nothing, log in nowhere, bypass nothing', async () => {
  const { owner } = service.database
  const roles = await owner`
    select rolname::text as name, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb
      or rolcanlogin or exists (select from pg_class where relowner = r.oid) as mighty
    from pg_roles r where rolname like 'corridor\\_%' order by 1`
  const names = ['corridor_auditor', 'corridor_finder', 'corridor_service']
  assert.deepEqual(
    roles.map(role => ({ ...role })),
    names.map(name => ({ name, mighty: false })),
  )
  const [policies] = await owner<{ roles: string[] }[]>`
    select array_agg(distinct r::text order by r::text) as roles
    from pg_policies, unnest(roles) r where policyname = 'accounts_named'`
  assert.deepEqual(policies, { roles: ['corridor_service'] })
  const [who] = await sql`select current_user::text as name`
  assert.equal(who?.name, 'corridor_service')
})

test('no account named: no row is seen, changed or taken', async () => {
  for (const table of await tables()) {
    assert.deepEqual([...(await sql`select from ${sql(table)}`)], [], table)
  }
  const { count } = await sql`update balances set available = 0`
  assert.equal(count, 0)
  const foreign = sql`
    insert into holds (account_id, entity_id, payout_id) values (${idOf(mine)}, 'ent', 'pot')`
  await assert.rejects(foreign, { code: '42501' })
})

test('one account named: its rows and no others, by statements without any condition', async () => {
  for (const table of await tables()) {
    const seen = await readConfined(
      sql,
      [idOf(mine)],
      tx => tx<{ account_id: string }[]>`select account_id from ${tx(table)}`,
    )
    assert.ok(
      seen.every(row => row.account_id === idOf(mine)),
      table,
    )
  }
  const changed = await transactConfined(
    sql,
    [idOf(mine)],
    tx => tx`update balances set updated_at = updated_at where account_id <> ${idOf(mine)}`,
  )
  assert.equal(changed.count, 0)
  const foreign = transactConfined(
    sql,
    [idOf(mine)],
    tx => tx`insert into holds values (${idOf(theirs)}, 'ent', 'pot')`,
  )
  await assert.rejects(foreign, { code: '42501' })
})

/** The transaction, whose statements have lost what they say of the account. */
function careless(tx: TransactionSql): TransactionSql {
  const loosen = (text: string) => text.replace(/\baccount_id = (\(select )?$/, "'' <> $1")
  return new Proxy(tx, {
    apply(target, self, [texts, ...values]: [TemplateStringsArray, ...unknown[]]) {
      if (texts.raw === undefined) return Reflect.apply(target, self, [texts, ...values])
      const loose = Object.assign(texts.map(loosen), { raw: texts.raw.map(loosen) })
      return Reflect.apply(target, self, [loose, ...values])
    },
  })
}

test('a list whose condition on the account is lost: shows nobody else all the same', async () => {
  const wanted = { limit: 100, filters: {}, cursor: null, ...WHENEVER }
  const list = async (tx: TransactionSql) =>
    new Set((await listPayouts(careless(tx), idOf(mine), wanted))?.rows.map(r => r.account_id))
  assert.deepEqual(await readConfined(sql, [idOf(mine)], list), new Set([idOf(mine)]))
  // The condition really is lost: who may see all accounts is shown them.
  const auditor = connect(service.database.url, { max: 1, as: 'auditor' })
  try {
    const both = await readConfined(auditor, [], list)
    assert.deepEqual(both, new Set([idOf(mine), idOf(theirs)]))
  } finally {
    await auditor.end({ timeout: 5 })
  }
})

const WHENEVER = {
  above: { created_at: '0001-01-01T00:00:00.000000Z', side: 'after' },
  below: { created_at: '9999-12-31T00:00:00.000000Z', side: 'before' },
} as const

test('1,000 transactions of two accounts on two connections, some of them broken off: no foreign row', async t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  const broken = new Error('broken off')
  let seen = 0
  const one = async () => {
    const account_id = idOf(random() < 0.5 ? mine : theirs)
    const breaks = random() < 0.2
    const reading = transactConfined(sql, [account_id], async tx => {
      const rows = await tx<{ account_id: string }[]>`select account_id from payouts`
      assert.deepEqual([...new Set(rows.map(row => row.account_id))], [account_id])
      seen += 1
      if (breaks) throw broken
    })
    await reading.catch(error => {
      if (error !== broken) throw error
    })
    const [left] = await sql`select nullif(current_setting('corridor.accounts', true), '') as names`
    assert.equal(left?.names, null)
  }
  for (let i = 0; i < 1_000; i += 10) await Promise.all(Array.from({ length: 10 }, one))
  assert.equal(seen, 1_000)
})

test('the owner of the tables: reads all, and changes rows only when it says that it maintains them', async () => {
  const { owner } = service.database
  await owner.begin(async tx => {
    await tx`set local corridor.maintenance = off`
    const [seen] = await tx`select count(distinct account_id)::integer as accounts from payouts`
    assert.equal(seen?.accounts, 2)
    const { count } = await tx`update balances set updated_at = updated_at`
    assert.equal(count, 0)
  })
  const { count } = await owner`update balances set updated_at = updated_at`
  assert.ok(count >= 2)
})
