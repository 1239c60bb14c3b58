// Row-level security: whatever statement the service sends, it sees and writes rows of the accounts
// that its transaction names and of no others (docs/decisions/row-level-security-and-seals.md).
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { buildApp } from '../../src/app/app.ts'
import { findConversions } from '../../src/conversions/store.ts'
import { findBeneficiaries } from '../../src/parties/beneficiary/store.ts'
import { findEntities } from '../../src/parties/entity/store.ts'
import { ITEM_STATUSES } from '../../src/payouts/batch/batch.ts'
import { findBatches, listItems } from '../../src/payouts/batch/store.ts'
import { findPayouts } from '../../src/payouts/store.ts'
import { findConversionQuotes, findQuotes } from '../../src/quotes/store.ts'
import { openDeps } from '../../src/runtime/deps.ts'
import { makeMetrics } from '../../src/runtime/metrics.ts'
import { readConfined, transactConfined } from '../../src/sql/confine.ts'
import { connect, type Sql, type TransactionSql } from '../../src/sql/connect.ts'
import { type Key, newId } from '../../src/values/id.ts'
import { findDeliveries, listAttempts } from '../../src/webhooks/delivery-store.ts'
import { findEndpoints } from '../../src/webhooks/store.ts'
import { withoutStamps } from '../support/assert/check.ts'
import {
  CONFIRMATION,
  QUERIES,
  RATE,
  REQUEST_LOG,
  type Route,
  urlOf,
  WITHOUT_ROWS,
  watchRoutes,
} from '../support/assert/routes.ts'
import { localPayout } from '../support/given/bodies.ts'
import { startConditionStripper } from '../support/network/condition-stripper.ts'
import { addApprovalRule, approve } from '../support/service/approvals.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { review } from '../support/service/review.ts'
import {
  type Answer,
  addPerson,
  basic,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { makeWorld, type World } from '../support/service/world.ts'
import { share } from '../support/share.ts'

/**
 * Of no account's own: those that every process has in memory, and what is asked across accounts,
 * which the service's role does not see.
 */
const REFERENCE = [
  'account_pools',
  'account_roles',
  'accounts',
  'api_keys',
  'approval_rules',
  'funding_references',
  'invitations',
  'limits',
  'pricing_policies',
  'routes',
]

let service: TestService
/** What is read. */
let routes: readonly Route[]
let mine: World
let theirs: World
/** By the database's clock; nothing is written after it. */
let furnished_at: string
/** As the service connects, on fewer connections. */
let sql: Sql
before(async () => {
  const start = () => startTestService({ webhook_allow_private: true })
  const [started, found] = await watchRoutes(start)
  service = started
  routes = found.filter(
    ({ url, method }) => url.startsWith('/v3/') && method === 'GET' && url !== REQUEST_LOG,
  )
  await service.setRates({ 'EUR/USD': '1.1' })
  await service.setLimits([{ cap: 1_000_000n }, { cap: 1_000_000n, new_for_hours: 1 }])
  mine = await makeWorld(service, true)
  theirs = await makeWorld(service, true)
  for (const world of [mine, theirs]) await furnish(world)
  const [now] = await service.database.owner<{ at: string }[]>`select clock_timestamp() as at`
  furnished_at = now?.at ?? ''
  sql = connect(service.database.url, { max: 2, as: 'service', look_ups: true })
})
after(async () => {
  await sql.end({ timeout: 5 })
  await service.close()
})

const idOf = ({ client }: World) => client.account.account_id

/** What no other account of a test has: payouts that wait, a review that ended, an import. */
async function furnish({ client, ids }: World): Promise<void> {
  const { owner } = service.database
  const { account_id } = client.account
  await owner`update accounts set duplicate_window_s = 600 where account_id = ${account_id}`
  await service.deps.reference.refresh()
  const made = await client.post('/v3/entity', { type: 'individual', name: 'Waits' })
  const { id } = made.json.data
  const paid = await client.post('/v3/payout', {
    ...localPayout,
    metadata: { order: id },
    on_behalf_of: id,
  })
  assert.equal(paid.status, 200, paid.text)
  const held = await client.post('/v3/payout', { ...localPayout, amount: 1, on_behalf_of: id })
  assert.equal(held.status, 200, held.text)
  await client.post(`/v3/entity/${id}/submit`, {})
  assert.equal((await review(service, client, id, 'rejected', 'no')).status, 200)
  // Only `corridor payout import` makes one.
  await owner`
    insert into payout_imports (account_id, import_key, payout_id)
    values (${account_id}, sha256(${id}::bytea), ${paid.json.data.id})`
  await owner`
    insert into entity_duplicates (found_at, account_id, entity_id, rule, differs)
    values (now(), ${account_id}, ${id}, 'email', '{name}')`
  await owner`
    insert into search_blocks (account_id, listed, after_id, last_id, bits)
    values (${account_id}, 'entities', '', ${id}, decode(repeat('00', 16384), 'hex'))`
  // No bank pays a sandbox: rows as a live account has them.
  await owner`
    insert into payout_attempts (account_id, payout_id, number, opened_at, rail, uetr)
    values (${account_id}, ${paid.json.data.id}, 1, now(), 'bank', ${randomUUID()})`
  await owner`
    insert into rail_evidence (account_id, payout_id, attempt, number, rail, source, position,
      level, code, reasons, message, currency, reference, said_at, detail, same)
    values (${account_id}, ${paid.json.data.id}, 1, 1, 'bank', '', '', 'transaction', 'ACSP', '[]',
      '', '', '', '', '{}', sha256(''))`
  await owner`
    insert into screening_matches (account_id, object_id, party, party_hash, list, entry_id,
      entry_digest, score, pieces, listed_name)
    values (${account_id}, ${paid.json.data.id}, 'beneficiary', sha256(''), 'un', '1', sha256(''),
      1000, '[]', 'A Name')`
  await owner`
    insert into screening_clears (account_id, object_id, party_hash, list, entry_id, entry_digest,
      cleared_by, reason)
    values (${account_id}, ${paid.json.data.id}, sha256(''), 'un', '1', sha256(''), 'ada', 'Other.')`
  await owner`
    insert into rail_exceptions (account_id, payout_id, number, attempt, rail, kind, message,
      opened_at)
    values (${account_id}, ${paid.json.data.id}, 1, 1, 'bank', 'amount_differs', 'Less.', now())`
  await owner`
    insert into rail_items (account_id, payout_id, attempt, end_to_end_id, uetr, rail, amount,
      currency, seal_at, closes_at, execution_date, payment)
    values (${account_id}, ${paid.json.data.id}, 1, upper(substr(md5(${account_id}), 1, 15)), '',
      'bank', 1, 'USD', now(), now() + interval '1 hour', current_date, '{}')`
  await owner`
    insert into evm_slots (chain_id, rail, purpose, account_id, payout_id, attempt, currency,
      amount, units, token, payee, calldata, state, ended_at)
    values (1, 'chain', 'pay', ${account_id}, ${paid.json.data.id}, 1, 'USDC', 1, 1, '', '', '',
      'refused', now())`
  // No event is old enough to be in an archive alone.
  await owner`alter table event_cuts disable trigger cut_after_all`
  await owner`
    insert into event_cuts (account_id, sequence, hash, created_at, removed, seals, file, removed_by)
    values (${account_id}, 1, sha256(''), now(), 1, sha256(''), sha256(''), 'ada')`
  await owner`
    insert into archived_seals (account_id, number, cut, object_id, content)
    values (${account_id}, 1, 1, ${id}, sha256(''))`
  await owner`
    insert into erasures (account_id, party_id, erased_at, table_name, key, erased_by, reason)
    values (${account_id}, ${id}, now(), 'entities', ${id}, 'ada', 'Asked.')`
  await owner`
    insert into rail_item_evidence (account_id, payout_id, attempt, level, code, reasons, text,
      currency, reference, said_at, sha256, position, same)
    values (${account_id}, ${paid.json.data.id}, 1, 'transaction', 'ACSP', '[]', '', '', '', '',
      sha256(''), '', sha256(''))`
  await owner`
    insert into request_log (account_id, id, request_id, key_id, method, path, outcome, status,
      duration_us, reason, remarks)
    values (${account_id}, ${newId('rql')}, 'a', '', 'GET', '/', 'succeeded', 200, 1, '', '')`
  await owner`
    insert into book_proofs (account_id, walk, hash) values (${account_id}, 'new', sha256(''))`
  await owner`
    insert into verify_faults (account_id, table_name, key, mark)
    values (${account_id}, 'balances', 'USD', sha256(''))`
  await owner`
    insert into account_cursors (account_id, number) values (${account_id}, 1)`
  await owner`
    insert into account_days (account_id, day, currency, code, amount, postings, number)
    values (${account_id}, current_date, 'USD', 'available', 1, 1, 1)`
  await owner`
    insert into nostro_items (account_id, number, amount, booked_at, value_on, currency, kind)
    values (${account_id}, 1, 1, now(), current_date, 'USD', 'funding')`
  await owner`
    insert into nostros (name, kind, currency, purpose, opening_balance, opening_on)
    values ('usd_main', 'bank', 'USD', 'client', 0, current_date) on conflict do nothing`
  await owner`
    insert into funding_keys (account_id, kind, value, nostro, currency, made_by)
    values (${account_id}, 'reference', upper(${account_id}), 'usd_main', 'USD', 'ada')`
  await approveOne(client, ids.bnf ?? '')
}

/** A payout and a beneficiary that a person has approved. */
async function approveOne(client: Client, beneficiary: string): Promise<void> {
  const { account_id } = client.account
  const approver = await addPerson(service, {
    user: `approver.${account_id.slice(4)}`,
    roles: [[account_id, 'approver']],
  })
  const remove = await addApprovalRule(service, { account_id })
  const made = await client.post('/v3/payout', { ...localPayout, amount: 2 })
  assert.equal(made.json.data.status, 'pending_approval', made.text)
  await approve(service, { account_id, payout_id: made.json.data.id, user: approver.user })
  // A batch that waits.
  const payouts = [{ ...localPayout, amount: 3 }]
  assert.equal((await client.post('/v3/payout_batch', { payouts })).status, 200)
  await remove()
  const forget = await addApprovalRule(service, { account_id, subject: 'beneficiary' })
  const url = `/v3/beneficiary/${beneficiary}`
  const changed = await client.put(url, { tax_id: '1' })
  assert.equal(changed.json.data.status, 'pending_approval', changed.text)
  await forget()
  const { digest } = (await client.get(`${url}/approval`)).json.data
  const headers = approver.headers(account_id)
  const asked = { method: 'POST', url: `${url}/approve`, headers, payload: { digest } } as const
  const decided = await service.inject(asked)
  assert.equal(decided.json.data.status, 'active', decided.text)
}

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

test('PostgreSQL, every table of accounts: row-level security on, also for its owner', async () => {
  const rows = await service.database.owner<{ name: string }[]>`
    select relname::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relrowsecurity and relforcerowsecurity
    order by 1`
  assert.deepEqual(
    rows.map(row => row.name),
    await tables(),
  )
})

test('PostgreSQL roles of the service: own no table, cannot log in, bypass no policy', async () => {
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
  const [who] = await sql`select current_user::text as name`
  assert.equal(who?.name, 'corridor_service')
})

/** Whose turn it is, in any account, is found in these. */
const FOUND_IN = [
  'rail_exceptions',
  'rail_items',
  'open_payouts',
  'ended_reviews',
  'entities',
  'beneficiaries',
  'screening_queue',
  'books',
  'webhook_endpoints',
  'webhook_deliveries',
  'payout_approvals',
  'payout_attempts',
  'payout_fingerprints',
  'limit_sums',
  'limit_uses',
  'idempotency_keys',
  'book_proofs',
  'verify_faults',
  'account_cursors',
]

/** What the house sees of all accounts, in a transaction that says so. */
const OF_THE_HOUSE = ['nostro_items', 'funding_keys', 'evm_slots']

test('PostgreSQL, row-level policies of every table: these five only', async () => {
  const { owner } = service.database
  const [me] = await owner<{ name: string }[]>`select current_user::text as name`
  const named = `(array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL)`
  const ofHouse = `(( SELECT current_setting('corridor.house'::text, true) AS current_setting) = 'on'::text)`
  const kept = `(( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text)`
  const expected = (await tables()).flatMap(table => [
    `${table} accounts_named PERMISSIVE ALL {corridor_service} ${named} none`,
    `${table} audit PERMISSIVE SELECT {corridor_auditor} true none`,
    ...(FOUND_IN.includes(table)
      ? [`${table} find PERMISSIVE SELECT {corridor_finder} true none`]
      : []),
    `${table} maintenance PERMISSIVE ALL {${me?.name}} ${kept} none`,
    ...(OF_THE_HOUSE.includes(table)
      ? [`${table} of_the_house PERMISSIVE ALL {corridor_service} ${ofHouse} none`]
      : []),
  ])
  const rows = await owner<{ policy: string }[]>`
    select concat_ws(' ', tablename, policyname, permissive, cmd, roles, qual,
      coalesce(with_check, 'none')) as policy
    from pg_policies where schemaname = 'public'`
  assert.deepEqual(rows.map(({ policy }) => policy.replace(/\s+/g, ' ')).sort(), expected.sort())
})

test('PostgreSQL, every table of accounts: has rows of both test accounts', async () => {
  for (const table of await tables()) {
    const rows = await service.database.owner<{ account_id: string }[]>`
      select distinct account_id from ${sql(table)} order by 1`
    const both = [idOf(mine), idOf(theirs)].sort()
    assert.deepEqual(
      rows.map(row => row.account_id),
      both,
      table,
    )
  }
})

test('transaction that names no account: reads, updates and deletes no row', async () => {
  for (const table of await tables()) {
    assert.deepEqual([...(await sql`select from ${sql(table)}`)], [], table)
  }
  const { count } = await sql`update balances set available = 0`
  assert.equal(count, 0)
  const foreign = sql`
    insert into holds (account_id, entity_id, payout_id) values (${idOf(mine)}, 'ent', 'pot')`
  await assert.rejects(foreign, { code: '42501' })
})

test('transaction that names one account, statements without an account condition: only rows of that account', async () => {
  for (const table of await tables()) {
    const seen = await readConfined(
      sql,
      [idOf(mine)],
      tx => tx<{ account_id: string }[]>`select account_id from ${tx(table)}`,
    )
    assert.deepEqual([...new Set(seen.map(row => row.account_id))], [idOf(mine)], table)
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

interface Reading {
  /** `GET /v3/payout, limit=1` */
  readonly what: string
  readonly route: Route
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Everything that can be read, by whoever asks, with ids of this account. */
function readingsOf(of: World): Reading[] {
  return routes.flatMap(route => {
    const url = urlOf(route, of.ids)
    const ask = (query: string) => ({
      what: `${route.name}, ${query}`,
      route,
      url: `${url}${query && '?'}${query}`,
    })
    const plain: Reading[] = [ask(QUERIES[route.url] ?? '')]
    const names = route.leaves.filter(({ place }) => place === 'querystring').map(l => l.path)
    const cursor = route.leaves.find(({ path }) => path === 'starting_after')
    if (cursor !== undefined) {
      // The payout of the world is in no batch.
      const id = route.url.endsWith('/item') ? '0' : of.ids[cursor.prefixes[0] ?? '']
      plain.push(ask('limit=1'), ask(`starting_after=${id}`), ask(`ending_before=${id}`))
    }
    if (names.includes('created.lt')) plain.push(ask('created.lt=2100-01-01T00:00:00Z'))
    if (route.url === '/v3/balance') plain.push(ask(`as_of=${furnished_at}`))
    if (route.url === '/v3/balance_transaction') {
      const csv = { accept: 'text/csv' }
      plain.push({ ...ask(`created.lt=${furnished_at}`), what: `${route.name}, CSV`, headers: csv })
    }
    return plain
  })
}

/** What works on a service all of whose statements have lost their conditions on the account. */
async function withoutConditions(
  work: (
    ask: (reading: Pick<Reading, 'url' | 'headers'>) => Promise<Answer>,
    lost: () => number,
  ) => Promise<void>,
): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const stripper = await startConditionStripper(service.database.url)
  stack.defer(() => stripper.close())
  const deps = await openDeps(
    stripper.url,
    { ...service.deps.config, read_connections: 1 },
    service.deps.log,
    makeMetrics(),
  )
  stack.defer(() => deps.close())
  const app = await buildApp(deps)
  stack.defer(() => app.close())
  const { key_id, secret } = mine.client
  await work(async ({ url, headers = {} }) => {
    const all = { authorization: basic(key_id, secret), ...headers }
    const { statusCode: status, ...response } = await app.inject({ url, headers: all })
    const text = response.payload
    return { status, headers: response.headers, text, json: undefined }
  }, stripper.lost)
}

/** Without what is of the request alone: a statement closes at the time it is made. */
function steady(answer: Answer) {
  const { text, ...rest } = withoutStamps(answer)
  return { ...rest, text: text.replace(/^(closing|interim),,[^,]+/gm, '$1,,') }
}

test('every list and look-up, account condition removed from its SQL: same answer', async t => {
  const named = readingsOf(theirs).filter(({ route }) => route.url.includes(':'))
  await withoutConditions(async (ask, lost) => {
    for (const reading of [...readingsOf(mine), ...named]) {
      const { what, url, headers, route } = reading
      const expected = steady(await mine.client.get(url, { ...headers }))
      const own = route.url === CONFIRMATION ? 409 : 200
      assert.equal(expected.status, named.includes(reading) ? 404 : own, what)
      assert.deepEqual(steady(await ask(reading)), expected, what)
    }
    t.diagnostic(`${lost()} statements have lost their conditions`)
  })
})

test('every list, account condition removed and row-level security off: another answer', async () => {
  const names = await tables()
  const secure = async (word: 'enable' | 'disable') => {
    for (const name of names) {
      await service.database.owner.unsafe(`alter table ${name} ${word} row level security`)
    }
  }
  const lists = readingsOf(mine).filter(
    ({ route: { url } }) => !url.includes(':') && !WITHOUT_ROWS.has(url) && url !== RATE,
  )
  const same = new Set(lists.map(({ route }) => route.name))
  await secure('disable')
  try {
    await withoutConditions(async ask => {
      for (const { route, url, headers = {} } of lists) {
        const { text } = await ask({ url, headers })
        if (text !== (await mine.client.get(url, { ...headers })).text) same.delete(route.name)
      }
    })
  } finally {
    await secure('enable')
  }
  assert.deepEqual([...same], [])
})

type LookUp = (tx: TransactionSql, key: Key) => Promise<readonly { account_id: string }[]>

/**
 * What is looked up by an id that no two accounts share, by the prefix of that id. Not events and
 * lines: theirs is looked up by the number in it, which every account has, and compared as a whole.
 */
const LOOK_UPS: readonly (readonly [name: string, prefix: string, find: LookUp])[] = [
  ['quotes', 'poq', (tx, key) => findQuotes(tx, [key])],
  ['quotes of conversions', 'coq', (tx, key) => findConversionQuotes(tx, [key])],
  ['conversions', 'cnv', (tx, key) => findConversions(tx, [key])],
  ['payouts', 'pot', (tx, key) => findPayouts(tx, [key])],
  ['batches', 'pob', (tx, key) => findBatches(tx, [key])],
  ['items', 'pob', async (tx, key) => (await listItems(tx, key, ITEMS)).rows],
  ['entities', 'ent', (tx, key) => findEntities(tx, [key])],
  ['beneficiaries', 'bnf', (tx, key) => findBeneficiaries(tx, [key])],
  ['endpoints', 'whe', (tx, key) => findEndpoints(tx, [key])],
  ['deliveries', 'whd', (tx, key) => findDeliveries(tx, [key])],
  ['attempts', 'whd', listAttempts],
]

const ITEMS = { limit: 9, after: -1, before: 9, end: 'first', statuses: ITEM_STATUSES } as const

test("another account's id, SQL without an account condition: found only by the auditor role", async () => {
  const stripper = await startConditionStripper(service.database.url)
  const look = async (as: 'service' | 'auditor', [, prefix, find]: (typeof LOOK_UPS)[number]) => {
    const loose = connect(stripper.url, { max: 1, as })
    const key = { account_id: idOf(mine), id: theirs.ids[prefix] ?? '' }
    try {
      const reading = (tx: TransactionSql) => find(tx, key)
      // Confined, an auditor would be the service.
      const rows = await (as === 'service'
        ? readConfined(loose, [idOf(mine)], reading)
        : loose.begin('read only', reading))
      return [...new Set(rows.map(row => row.account_id))]
    } finally {
      await loose.end({ timeout: 5 })
    }
  }
  try {
    for (const one of LOOK_UPS) {
      assert.deepEqual(await look('service', one), [], one[0])
      assert.deepEqual(await look('auditor', one), [idOf(theirs)], one[0])
    }
  } finally {
    await stripper.close()
  }
})

test('connection that lost its role, as behind a transaction pooler: no row of another account', async () => {
  const owner = connect(service.database.url, { max: 1, as: 'service' })
  try {
    await owner`reset role`
    const [login] = await owner`select current_user <> 'corridor_service' as owns`
    assert.equal(login?.owns, true)
    const key = { account_id: idOf(theirs), id: theirs.ids.pot ?? '' }
    const read = (account_id: string) =>
      readConfined(owner, [account_id], tx => findPayouts(tx, [key]))
    assert.equal((await read(idOf(mine))).length, 0)
    assert.equal((await read(idOf(theirs))).length, 1)
    // And the transaction leaves the connection as it was.
    const [after] = await owner`select current_user <> 'corridor_service' as owns`
    assert.equal(after?.owns, true)
  } finally {
    await owner.end({ timeout: 5 })
  }
})

const TRANSACTIONS = share(200, 1_000)

test(`two connections, ${TRANSACTIONS} transactions of two accounts, some rolled back: no row of another account`, async t => {
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
  for (let i = 0; i < TRANSACTIONS; i += 10) await Promise.all(Array.from({ length: 10 }, one))
  assert.equal(seen, TRANSACTIONS)
})

test('owner of the tables: reads all rows, changes rows only in a declared maintenance transaction', async () => {
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
