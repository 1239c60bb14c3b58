// Beneficiaries and entities by name, e-mail, account number and metadata, and payouts by metadata:
// who is found and who is not, in pages, after a change and after an erasure; whose they are, and
// what a search costs the database.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { readList } from '../../src/http/list.ts'
import { listBeneficiaries } from '../../src/parties/beneficiary/store.ts'
import { listEntities } from '../../src/parties/entity/store.ts'
import { listPayouts } from '../../src/payouts/lists/list-store.ts'
import type { TransactionSql } from '../../src/sql/connect.ts'
import type { Tag } from '../../src/sql/sql.ts'
import { foundBy } from '../../src/values/text/found-by.ts'
import { assertProblems } from '../support/assert/check.ts'
import { assertFilters, getAll, type Item, list, type Query } from '../support/assert/listing.ts'
import { assertPageCost, costOf, crossed, madeAt, madeAtSql } from '../support/assert/page-cost.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import {
  type AnotherProcess,
  addPerson,
  type Client,
  client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'

let service: TestService
let account: Client
let other: Client
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  const opened = { currencies: ['USD'], fund: { USD: 100_000_000n } }
  account = await service.openAccount(opened)
  other = await service.openAccount(opened)
})
after(() => service.close())

/** How many statements the connections for reads keep prepared. */
async function countPrepared(of: AnotherProcess): Promise<number> {
  const [row] = await of.deps.reads<{ count: number }[]>`
    select count(*)::integer as count from pg_prepared_statements`
  return row?.count ?? assert.fail('no count')
}

test('lists, many combinations of filters: connections keep no prepared statement for them', async () => {
  const one = await service.anotherProcess({ read_connections: 1 })
  try {
    const reader = client(account, one.inject)
    const ask = async (query: string) => {
      const answer = await reader.get(`/v3/${query}`)
      assert.equal(answer.status, 200, answer.text)
    }
    await ask('payout?currency=USD')
    await ask('beneficiary?name=a')
    const before = await countPrepared(one)
    const words = Array.from('abcdefghijkl')
    for (const [i] of words.entries()) {
      const name = words.slice(0, i + 1).join('+')
      await ask(`beneficiary?name=${name}`)
      const statuses = ['failed', 'reversed', 'processing'].filter((_, bit) => (i >> bit) % 2 === 1)
      const query = statuses.map(status => `status=${status}&`).join('')
      await ask(`payout?${query}currency=USD&type=local&currency=EUR`)
    }
    assert.equal(await countPrepared(one), before)
  } finally {
    await one.close()
  }
})

async function made(path: string, body: object, by = account): Promise<string> {
  const { status, json, text } = await by.post(path, body)
  assert.equal(status, 200, text)
  return json.data.id
}

const NAMES = [
  'Ánna Müller',
  'Anna-Maria Smith',
  'Jan Søndergaard',
  'Harbour Trading Ltd',
  '港口贸易',
]
const iban = { type: 'bank', bank: { iban: 'DE89370400440532013000' } }

test('GET /v3/beneficiary?name|email|account_number: by words without case and accents, or exact values, for any page size', async () => {
  const path = '/v3/beneficiary'
  for (const by of [account, other]) {
    for (const name of NAMES) await made(path, { ...bankBeneficiary, name }, by)
  }
  const details = { email: 'Ann@Example.com', destination_details: iban, name_local: 'Анна' }
  const ann = await made(path, { ...bankBeneficiary, name: 'Ann Lee', ...details })
  const all = await getAll(account, path, (await list(account, path)).ids)
  const named =
    (...wanted: string[]) =>
    (item: Item) =>
      wanted.includes(item.name)
  const one = { limit: '100' }
  await assertFilters(account, path, all, [
    [{ name: 'ann', ...one }, named('Ánna Müller', 'Anna-Maria Smith', 'Ann Lee')],
    [{ name: 'MULLER an', ...one }, named('Ánna Müller')],
    [{ name: 'sondergaard', ...one }, named('Jan Søndergaard')],
    [{ name: '港口', ...one }, named('港口贸易')],
    [{ name: 'анна', ...one }, ({ id }) => id === ann],
    [{ name: 'nna', ...one }, () => false],
    [{ name: '-', ...one }, () => false],
    [{ name: 'ann', type: 'individual' }, () => false],
    [{ email: 'ann@example.com', ...one }, ({ id }) => id === ann],
    [{ email: 'ann@example.co', ...one }, () => false],
    [{ account_number: 'de89 3704 0044 0532 0130 00', ...one }, ({ id }) => id === ann],
    [{ account_number: '1234-5678-9012', ...one }, ({ id }) => id !== ann],
    [{ account_number: '12345678901', ...one }, () => false],
    [{ name: 'ann', email: 'ann@example.com' }, ({ id }) => id === ann],
  ])
  // Who is put away is found among those.
  await account.post(`${path}/${ann}/archive`, {})
  assert.deepEqual((await list(account, path, { name: 'lee' })).ids, [])
  assert.deepEqual((await list(account, path, { name: 'lee', archived: 'true' })).ids, [ann])
  await account.put(`${path}/${ann}`, { name: 'Ann Park', email: null })
  assert.deepEqual((await list(account, path, { name: 'lee', archived: 'true' })).ids, [])
  const moved = { email: 'ann@example.com', archived: 'true' }
  assert.deepEqual((await list(account, path, moved)).ids, [])
  assert.deepEqual((await list(account, path, { name: 'park', archived: 'true' })).ids, [ann])
})

test('GET /v3/entity?name|email|metadata: by words or exact values, current after a change', async () => {
  const path = '/v3/entity'
  const person = { type: 'individual', name: 'Zoë Ångström', email: 'zoe@example.com' }
  const zoe = await made(path, { ...person, metadata: { tier: 'gold', 'a.b[c]': '1&2' } })
  const yan = await made(path, { type: 'individual', name: 'Yan', metadata: { tier: 'gold' } })
  await made(path, person, other)
  const ids = async (query: Query) => (await list(account, path, query)).ids
  assert.deepEqual(await ids({ name: 'angstrom zoe' }), [zoe])
  assert.deepEqual(await ids({ email: 'ZOE@example.com' }), [zoe])
  assert.deepEqual(await ids({ 'metadata[tier]': 'gold' }), [yan, zoe])
  assert.deepEqual(await ids({ 'metadata[tier]': 'gold', 'metadata[a.b[c]]': '1&2' }), [zoe])
  assert.deepEqual(await ids({ 'metadata[tier]': 'gol' }), [])
  assert.equal((await account.put(`${path}/${zoe}`, { metadata: { tier: 'iron' } })).status, 200)
  assert.deepEqual(await ids({ 'metadata[tier]': 'gold' }), [yan])
})

test('GET /v3/payout?metadata[key]=value: payouts that have every pair, with other filters, for any page size', async () => {
  const path = '/v3/payout'
  const pay = (changes: object, by = account) =>
    made(path, { ...localPayout, allow_duplicate: true, ...changes }, by)
  for (let i = 0; i < 6; i++) {
    const metadata = { order: String(i % 2), run: i < 3 ? 'a' : 'b' }
    await pay({ metadata, reference_id: i === 0 ? 'INV-1' : '' })
  }
  await pay({})
  await pay({ metadata: { order: '1' } }, other)
  const { results: all } = await list(account, path, { limit: '100' })
  const has = (key: string, value: string) => (item: Item) => item.metadata?.[key] === value
  const oldest = all.find(({ reference_id }) => reference_id === 'INV-1')
  await assertFilters(account, path, all, [
    [{ 'metadata[order]': '1', currency: 'USD' }, has('order', '1')],
    [
      { 'metadata[order]': '1', 'metadata[run]': 'a' },
      i => has('order', '1')(i) && has('run', 'a')(i),
    ],
    [{ 'metadata[order]': '0', reference_id: 'INV-1' }, ({ id }) => id === oldest?.id],
    [{ 'metadata[order]': '0', quote: oldest?.quote }, ({ id }) => id === oldest?.id],
    [{ 'metadata[order]': '0', beneficiary: oldest?.beneficiary }, ({ id }) => id === oldest?.id],
    [{ 'metadata[order]': '1', beneficiary: oldest?.beneficiary }, () => false],
    [{ 'metadata[order]': '0', status: ['failed', 'reversed'] }, () => false],
    [{ 'metadata[none]': '1', currency: 'USD' }, () => false],
  ])
  const changed = await account.put(`${path}/${oldest?.id}`, {
    metadata: { order: '7', run: null },
  })
  assert.equal(changed.status, 200, changed.text)
  const found = async (order: string) =>
    (await list(account, path, { 'metadata[order]': order })).ids
  assert.deepEqual(await found('7'), [oldest?.id])
  assert.equal((await found('0')).includes(String(oldest?.id)), false)
  // One that had none, of another time than its neighbours; its metadata is what it is found by.
  const bare = all.find(item => item.metadata === null)
  for (const order of ['8', '9']) {
    await account.put(`${path}/${bare?.id}`, { metadata: { order } })
  }
  assert.deepEqual([await found('8'), await found('9')], [[], [bare?.id]])
  const { account_id } = account.account
  const [kept] = await service.database.owner<{ hashes: bigint }[]>`
    select sum(cardinality(hashes)) as hashes from payout_metadata where account_id = ${account_id}`
  const { results: now } = await list(account, path, { limit: '100' })
  const pairs = now.flatMap(({ metadata }) => Object.keys(metadata ?? {}))
  assert.equal(Number(kept?.hashes), pairs.length)
})

test('GET /v3/payout?metadata[key]=value, metadata changed in one batch: found, pairs in any order', async () => {
  const by = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  const ids: string[] = []
  for (let i = 0; i < 4; i++) {
    ids.push(await made('/v3/payout', { ...localPayout, allow_duplicate: true }, by))
  }
  const put = (i: number) => by.put(`/v3/payout/${ids[i]}`, { metadata: { at: String(i) } })
  // While one waits for the lock of the book, the others gather behind it.
  const answers = await service.database.owner.begin(async tx => {
    await tx`select from books where account_id = ${by.account.account_id} for update`
    const first = put(3)
    await setTimeout(100)
    const rest = [1, 0, 2].map(put)
    await setTimeout(100)
    return { all: Promise.all([first, ...rest]) }
  })
  for (const { status, text } of await answers.all) assert.equal(status, 200, text)
  for (const [i, id] of ids.entries()) {
    assert.deepEqual((await list(by, '/v3/payout', { 'metadata[at]': String(i) })).ids, [id])
  }
})

test('GET /v3/payout?beneficiary_name=, beneficiary inline or by id: found, with other filters, for any page size', async () => {
  const by = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  const [path, parties] = ['/v3/payout', '/v3/beneficiary']
  const pay = (changes: object) =>
    made(path, { ...localPayout, allow_duplicate: true, ...changes }, by)
  const known = await made(parties, { ...bankBeneficiary, name: 'Ánna Müller' }, by)
  const names = ['Anna Schmidt', 'Anna Müller', 'Jan Berg']
  for (const [i, name] of [...names, ...names].entries()) {
    const beneficiary_details = { ...bankBeneficiary, name }
    await pay({ beneficiary_details, reference_id: `R${i}` })
    await pay({ beneficiary: known, beneficiary_details: undefined, amount: 700 + i })
  }
  const one = { limit: '100' }
  const { results: all } = await list(by, path, one)
  const nameOf = ({ beneficiary_details }: Item) => beneficiary_details.name
  const isMuller = (item: Item) => nameOf(item).endsWith('Müller')
  await assertFilters(by, path, all, [
    [{ beneficiary_name: 'muller an', ...one }, isMuller],
    [{ beneficiary_name: 'anna', ...one }, item => nameOf(item) !== 'Jan Berg'],
    [{ beneficiary_name: 'berg', reference_id: 'R2' }, ({ reference_id }) => reference_id === 'R2'],
    [{ beneficiary_name: 'anna', beneficiary: known }, item => item.beneficiary === known],
    [{ beneficiary_name: 'anna', status: 'failed' }, () => false],
    [{ beneficiary_name: 'nobody', ...one }, () => false],
    [{ beneficiary_name: 'berg', beneficiary: known }, () => false],
  ])
  // By the name that it has now, and more of one name than are named at once.
  assert.equal((await by.put(`${parties}/${known}`, { name: 'Zoë Park' })).status, 200)
  const ids = async (beneficiary_name: string) =>
    (await list(by, path, { beneficiary_name, limit: '100' })).ids
  assert.equal((await ids('park')).length, 6)
  const payouts = Array.from({ length: 30 }, (_, i) => {
    const beneficiary_details = { ...bankBeneficiary, name: `Many ${i}` }
    return { ...localPayout, allow_duplicate: true, amount: 900 + i, beneficiary_details }
  })
  assert.equal((await by.post('/v3/payout_batch', { payouts })).status, 200)
  assert.equal((await ids('many')).length, 30)
  // Each is looked up, though all of them were made at one time.
  const { account_id } = by.account
  const query = readList({ beneficiary_name: 'many', limit: '100' })
  const read = (tx: TransactionSql) => listPayouts(tx, account_id, query)
  const { result, ...cost } = await costOf(service.deps.reads, 'payouts', read, account_id)
  assert.equal(result?.rows.length, 30)
  assert.ok(
    cost.scans === 0 && cost.fetched <= 3 * 30,
    `fetches ${cost.fetched}, scans ${cost.scans}`,
  )
  const { owner } = service.database
  await owner.begin(async tx => {
    await tx`select set_config('corridor.maintenance', 'on', true)`
    await tx`
      insert into beneficiaries (made_by, account_id, id, details, created_at, updated_at, found_by)
      select 'key_1', ${by.account.account_id}, ${madeAtSql(owner, 'bnf')}, '{"name":"x","type":"business","destination_details":{"type":"bank"}}', now(), now(),
        ${foundBy({ names: ['Hydra'] })}
      from generate_series(1, 501) i`
  })
  const hydra = await by.get(`${path}?beneficiary_name=hydra`)
  assertProblems(hydra, 400, [['invalid_query_parameter', 'beneficiary_name']])
})

test('search parameters of lists, wrong: 400 naming each', async () => {
  const wrong: readonly (readonly [string, string, string])[] = [
    ['/v3/beneficiary', 'name=', 'name'],
    ['/v3/beneficiary', `name=${'x'.repeat(101)}`, 'name'],
    ['/v3/beneficiary', 'email=%20', 'email'],
    ['/v3/beneficiary', 'account_number=1&account_number=2', 'account_number'],
    ['/v3/entity', 'metadata=gold', 'metadata'],
    ['/v3/payout', 'beneficiary_name=a&beneficiary_name=b', 'beneficiary_name'],
    ['/v3/payout', 'metadata[a]=1&metadata[a]=2', 'metadata[a]'],
    ['/v3/payout', `metadata[${'k'.repeat(41)}]=1`, `metadata[${'k'.repeat(41)}]`],
    ['/v3/payout', `metadata[a]=${'x'.repeat(501)}`, 'metadata[a]'],
    ['/v3/payout', 'metadata[a]=%00', 'metadata'],
    ['/v3/balance_transaction', 'metadata[a]=1', 'metadata[a]'],
  ]
  for (const [path, query, name] of wrong) {
    const answer = await account.get(`${path}?${query}`)
    assertProblems(answer, 400, [['invalid_query_parameter', name]])
  }
})

test('search of an erased beneficiary and its payouts: not found, no trace in the search index', async () => {
  const body = { ...localPayout, allow_duplicate: true, metadata: { secret: 'zwick' } }
  const beneficiary_details = { ...bankBeneficiary, name: 'Zwick', email: 'zwick@example.com' }
  const paid = await account.post('/v3/payout', { ...body, beneficiary_details })
  const { beneficiary } = paid.json.data
  await settleAll(service)
  const traces = async () => {
    const [row] = await service.database.owner<{ traces: bigint }[]>`
      select count(*) as traces from payout_metadata, unnest(hashes) hash
      where hash = hashtext(E'secret\nzwick')`
    return Number(row?.traces)
  }
  const found = async () => [
    ...(await list(account, '/v3/beneficiary', { name: 'zwick' })).ids,
    ...(await list(account, '/v3/payout', { 'metadata[secret]': 'zwick' })).ids,
  ]
  assert.equal((await found()).length, 2)
  assert.deepEqual(await traces(), 1)
  await addPerson(service, { user: 'olga', role: 'operator' })
  await service.database.owner`delete from idempotency_keys`
  const cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  const ran = await cli.run('privacy', 'erase', beneficiary, '--reason', 'Asked for')
  assert.equal(ran.code, 0, ran.stderr)
  assert.deepEqual(await found(), [])
  assert.equal(await traces(), 0)
  const [left] = await service.database.owner<{ found_by: string }[]>`
    select found_by from beneficiaries where id = ${beneficiary}`
  assert.equal(left?.found_by, '')
  await assert.rejects(
    service.database
      .owner`update beneficiaries set found_by = 'x' where id = ${beneficiary}`.execute(),
    { constraint_name: 'erased_is_not_found' },
  )
})

const CURSORS = (prefix: 'bnf' | 'ent'): Query[] => [
  {},
  { starting_after: madeAt(prefix, 2500) },
  { ending_before: madeAt(prefix, 2500) },
]

test('search among many rows, statement planned for an empty table: reads only matching rows', async () => {
  const some = foundBy({ email: 'a@example.com', names: ['Anna Müller'] })
  const most = foundBy({ names: ['Harbour Trading'] })
  const found = (owner: Tag) => owner`case when i % 40 = 2 then ${some} else ${most} end`
  await assertPageCost({
    table: 'beneficiaries',
    queries: crossed([{ name: 'anna' }, { email: 'a@example.com' }], CURSORS('bnf')),
    page: (tx: TransactionSql, query) =>
      listBeneficiaries(tx, 'acc_a', readList({ ...query, limit: '5' })),
    // Before the table is known the index of look-ups may be taken, whose rows are fetched.
    besides: () => 5_000,
    fill: owner => owner`
      insert into beneficiaries (made_by, account_id, id, details, created_at, updated_at, found_by)
      select 'key_1', case when i % 3 = 0 then 'acc_b' else 'acc_a' end, ${madeAtSql(owner, 'bnf')},
        '{"name":"x","type":"business","destination_details":{"type":"bank"}}', now(), now(),
        ${found(owner)}
      from generate_series(1, 5000) i`,
  })
  await assertPageCost({
    table: 'entities',
    queries: crossed([{ name: 'anna' }], CURSORS('ent')),
    page: (tx, query) => listEntities(tx, 'acc_a', readList({ ...query, limit: '5' })),
    besides: () => 5_000,
    fill: owner => owner`
      insert into entities (made_by, account_id, id, type, on_behalf_of, reference_id, details,
        approval_status, approval_history, created_at, updated_at, found_by)
      select 'key_1', case when i % 3 = 0 then 'acc_b' else 'acc_a' end, ${madeAtSql(owner, 'ent')},
        'individual', '', '', '{"name":"x"}', 'pending', '[]', now(), now(), ${found(owner)}
      from generate_series(1, 5000) i`,
  })
})
