// Which accounts the transactions behind requests over HTTP name: exactly those of the batch or the
// read, no more and no others (docs/decisions/row-level-security-and-seals.md). A policy of this
// test's own tells what is named whenever a table of an account is looked at or written.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { REQUESTS, type StepContext, stepChannel } from '../../src/values/diagnostics.ts'
import {
  bodiesOf,
  QUERIES,
  REQUEST_LOG,
  type Route,
  urlOf,
  WITHOUT_ROWS,
  watchRoutes,
} from '../support/assert/routes.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { until } from '../support/service/process.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { makeWorld, type World } from '../support/service/world.ts'

let service: TestService
let routes: readonly Route[]
let mine: World
let theirs: World

/** What one table was told of one transaction, in the order of their commits. */
interface Told {
  readonly table: string
  readonly transaction: string
  readonly accounts: readonly string[]
}
const told: Told[] = []
let ends = 0

before(async () => {
  const start = () => startTestService({ webhook_allow_private: true, lanes: 1 })
  const [started, found] = await watchRoutes(start)
  service = started
  routes = found
    .filter(({ url, method }) => url.startsWith('/v3/') && method !== 'HEAD')
    // What ends objects comes last.
    .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))
  await service.setRates({ 'EUR/USD': '1.1' })
  mine = await makeWorld(service, true)
  theirs = await makeWorld(service, true)
  await giveFundingKeys()
  await tellAccounts()
})
after(() => service.close())

/** A sandbox has none by itself. */
async function giveFundingKeys(): Promise<void> {
  const { owner } = service.database
  await owner`
    insert into nostros (name, kind, currency, purpose, opening_balance, opening_on)
    values ('usd_main', 'bank', 'USD', 'client', 0, current_date)`
  for (const { client } of [mine, theirs]) {
    const { account_id } = client.account
    await owner`
      insert into funding_keys (account_id, kind, value, nostro, currency, made_by)
      values (${account_id}, 'reference', upper(${account_id}), 'usd_main', 'USD', 'ada')`
  }
}

/** A notice also leaves a transaction that may only read. */
async function tellAccounts(): Promise<void> {
  const { owner } = service.database
  await owner`
    create function tell_accounts(name text) returns boolean language plpgsql as $$
    begin
      -- The owner, a member, is held to its policies as well.
      if current_user <> 'corridor_service' then return true; end if;
      perform pg_notify('accounts_named', format('%s %s@%s %s', name, pg_backend_pid(),
        extract(epoch from now()), current_setting('corridor.accounts', true)));
      return true;
    end $$`
  const tables = await owner<{ name: string }[]>`
    select tablename::text as name from pg_policies where policyname = 'accounts_named'`
  for (const { name } of tables) {
    await owner.unsafe(`create policy tell on ${name} as restrictive to corridor_service
      using ((select tell_accounts('${name}')))`)
  }
  await owner.listen('accounts_named', text => {
    const [table = '', transaction = '', names = ''] = text.split(' ')
    if (table === 'end') ends += 1
    else told.push({ table, transaction, accounts: names.split(',').sort() })
  })
}

/** What the transactions of `work` have told, by transaction. */
async function toldBy(work: () => Promise<unknown>): Promise<(readonly Told[])[]> {
  await allTold()
  told.length = 0
  await work()
  await allTold()
  return [...Map.groupBy(told.splice(0), one => one.transaction).values()]
}

async function allTold(): Promise<void> {
  const { owner } = service.database
  // An answer may be sent before the transaction ends that it was read in.
  await until('the service is idle', async () => {
    const busy = await owner`
      select from pg_stat_activity where datname = current_database()
        and application_name = 'corridor' and state <> 'idle'`
    return busy.length === 0
  })
  const before = ends
  await owner`select pg_notify('accounts_named', 'end')`
  await until('all is told', () => ends > before)
}

const idOf = ({ client }: World) => client.account.account_id
const both = () => [idOf(mine), idOf(theirs)].sort()

/** Each set of accounts that was named, once. */
const setsOf = (some: readonly Told[]) => [...new Set(some.map(one => one.accounts.join()))]

/** What a transaction named in the end, which is what it writes under. */
const lastOf = (transaction: readonly Told[]) => transaction.at(-1)?.accounts.join() ?? ''

function ask(route: Route, { ids, headersOf }: World, url = plainUrl(route, ids)) {
  const [body] = bodiesOf(route)
  const headers = headersOf(route)
  return service.inject({
    method: route.method as 'GET',
    url,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
}

/** With the query that the route needs. */
function plainUrl(route: Route, ids: World['ids']): string {
  const query = QUERIES[route.url]
  return urlOf(route, ids) + (query === undefined ? '' : `?${query}`)
}

const DUPLICATES = '/v3/entity/duplicate_check'
/** Nothing waits here. */
const OF_GROUPS = /^\/v3\/payout_(group|(batch|import)\/:id\/(approve|reject))$/
test('every route, one request: its transaction may read only the rows of the calling account', async () => {
  for (const route of routes.filter(({ url }) => url !== REQUEST_LOG && !WITHOUT_ROWS.has(url))) {
    const transactions = await toldBy(() => ask(route, mine))
    const sets = setsOf(transactions.flat())
    // A search that comes upon no row tells nothing, nor does a long write that is refused.
    const mayBeSilent = route.url === DUPLICATES || OF_GROUPS.test(route.url)
    if (!mayBeSilent || sets.length > 0) assert.deepEqual(sets, [idOf(mine)], route.name)
  }
  const known = { type: 'individual', name: 'Anyone', email: 'olga@owner.example' }
  const transactions = await toldBy(() => mine.client.post(DUPLICATES, known))
  assert.deepEqual(setsOf(transactions.flat()), [idOf(mine)], DUPLICATES)
})

test("payout batch, approved: its transaction may read only the rows of the batch's account", async () => {
  const { client, headersOf } = mine
  const remove = await addApprovalRule(service, { account_id: idOf(mine) })
  await service.deps.reference.refresh()
  const payouts = [{ ...localPayout, amount: 1, reference_id: 'waits' }]
  const { id } = (await client.post('/v3/payout_batch', { payouts })).json.data
  await remove()
  await service.deps.reference.refresh()
  const { digest } = (await client.get(`/v3/payout_batch/${id}/approval`)).json.data
  const approve = routes.find(({ url }) => url.endsWith('payout_batch/:id/approve'))
  assert.ok(approve)
  const transactions = await toldBy(async () => {
    const { status, text } = await service.inject({
      method: 'POST',
      url: `/v3/payout_batch/${id}/approve`,
      headers: headersOf(approve),
      payload: { digest },
    })
    assert.equal(status, 200, text)
  })
  assert.deepEqual(setsOf(transactions.flat()), [idOf(mine)])
})

/** Paying `to` by its address. */
const pay = (from: Client, to: Client, amount: number) =>
  from.post('/v3/payout', internalPayout(to.account.deposit_address, amount))

test("payout to another account: reads the beneficiary with the payer's rows only, pays with rows of payer and receiver", async () => {
  const { client } = mine
  const paid: string[] = []
  const { account: to } = theirs.client
  const first = await pay(client, theirs.client, 1)
  assert.equal(first.status, 200, first.text)
  const { beneficiary_details: _, ...bare } = internalPayout(to.deposit_address, 2)
  const payout = { ...bare, beneficiary: first.json.data.beneficiary }
  for (const [what, work] of [
    ['by address', () => pay(client, theirs.client, 3)],
    ['by beneficiary', () => client.post('/v3/payout', payout)],
    ['in a batch', () => client.post('/v3/payout_batch', { payouts: [payout] })],
  ] as const) {
    const transactions = await toldBy(async () => {
      const answer = await work()
      assert.equal(answer.status, 200, answer.text)
    })
    const writing = transactions.filter(some => some.some(({ table }) => table === 'journals'))
    assert.equal(writing.length, 1, what)
    for (const one of writing.flat()) {
      const expected = one.table === 'beneficiaries' ? [[idOf(mine)], both()] : [both()]
      assert.ok(
        expected.some(accounts => accounts.join() === one.accounts.join()),
        `${what}: ${one.table} ${one.accounts}`,
      )
    }
    for (const one of transactions.filter(some => !writing.includes(some)).flat()) {
      assert.deepEqual(one.accounts, [idOf(mine)], what)
    }
    paid.push(...writing.map(lastOf))
  }
  assert.deepEqual(paid, Array(3).fill(both().join()))
})

test('lists of two accounts in parallel: each transaction may read only the rows of one account', async () => {
  const lists = routes.filter(
    ({ method, url }) => method === 'GET' && !url.includes(':') && !WITHOUT_ROWS.has(url),
  )
  const transactions = await toldBy(() =>
    Promise.all(lists.flatMap(route => [ask(route, mine), ask(route, theirs)])),
  )
  const named = transactions.map(setsOf)
  assert.ok(named.every(sets => sets.length === 1))
  assert.deepEqual([...new Set(named.flat())].sort(), both())
  assert.ok(named.length >= 2 * lists.length)
})

test('GET by id of two accounts in one turn of the event loop: one read with the rows of both accounts and no third', async () => {
  await service.openAccount()
  for (const path of ['/v3/payout', '/v3/entity', '/v3/event']) {
    const route = routes.find(({ name }) => name === `GET ${path}/:id`) as Route
    const times = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? mine : theirs))
    const transactions = await toldBy(async () => {
      const answers = await Promise.all(times.map(world => ask(route, world)))
      for (const answer of answers) assert.equal(answer.status, 200, answer.text)
    })
    const named = transactions.map(setsOf)
    const allowed = [both().join(), ...both()]
    assert.ok(
      named.every(sets => sets.length === 1 && allowed.includes(sets.join())),
      path,
    )
    assert.ok(
      named.some(sets => sets.join() === both().join()),
      `${path}: ${named.join(' | ')}`,
    )
  }
})

test('payouts of two accounts in one batch: the transaction may read only the rows of these accounts', async () => {
  const batches: StepContext[] = []
  const watch = {
    start: () => {},
    end: () => {},
    asyncStart: () => {},
    error: () => {},
    asyncEnd: (batch: StepContext) => void batches.push(batch),
  }
  // Told of, a command knows who asked.
  const requests = { ...watch, asyncEnd: () => {} }
  stepChannel('batch').subscribe(watch)
  REQUESTS.subscribe(requests)
  try {
    const transactions = await toldBy(async () => {
      const answers = await service.database.owner.begin(async tx => {
        await tx`select from books where account_id = ${idOf(mine)} for update`
        const first = mine.client.post('/v3/payout', localPayout)
        await untilBlocked(service.database.owner)
        const others = [mine, theirs, theirs].map(({ client }) =>
          client.post('/v3/payout', localPayout),
        )
        // Asked after them, and answered: they wait in the lane by now.
        await service.inject({ url: '/healthz' })
        return { of: [first, ...others] }
      })
      for (const { status, text } of await Promise.all(answers.of)) assert.equal(status, 200, text)
    })
    const expected = batches.map(({ waiting = [] }) => {
      const accounts = waiting.map(({ caller }) =>
        caller !== undefined && 'account_id' in caller ? (caller.account_id ?? '') : '',
      )
      return [...new Set(accounts)].sort().join()
    })
    assert.deepEqual(transactions.map(lastOf).sort(), expected.sort())
    assert.ok(transactions.every(some => setsOf(some).length === 1))
    assert.ok(expected.includes(both().join()), expected.join(' | '))
  } finally {
    stepChannel('batch').unsubscribe(watch)
    REQUESTS.unsubscribe(requests)
  }
})
