// How much an account may write in a day, and how long unused quotes are kept.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deleteOldQuotes } from '../../src/quotes/expired-store.ts'
import { connect } from '../../src/sql/connect.ts'
import { verify } from '../../src/verify/run.ts'
import { assertProblems, assertRefused, rowVersions } from '../support/assert/check.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { entityOf, operatorSets, pay } from '../support/service/payouts.ts'
import {
  type AccountOptions,
  type Answer,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const again = { ...localPayout, allow_duplicate: true }
const QUOTE = { payout_info: { currency: 'USD', amount: 10_000 } }

let service: TestService
let cli: Cli
before(async () => {
  service = await startTestService()
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
})
after(async () => {
  await cli.close()
  await service.close()
})

function open(options: AccountOptions): Promise<Client> {
  return service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n }, ...options })
}

const quote = (account: Client, headers = {}) => account.post('/v3/payout/quote', QUOTE, headers)

async function writtenBy(account: Client): Promise<{ rows: number; bytes: number; until: string }> {
  return (await account.get('/v3/account')).json.data.written_today
}

/** A live account that can pay USD at a fee of zero. */
async function openLive(service: TestService, options: AccountOptions): Promise<Client> {
  const account = await open({ ...options, sandbox: false })
  await service.setRoutes([{ currency: 'USD' }])
  await service.setFees(
    ['local', 'service_account'].map(payout_type => ({ payout_type, payout_currency: 'USD' })),
  )
  return account
}

/** Makes the account have written its quota so many times. */
async function writeAll({ account: { account_id } }: Client, times: number): Promise<void> {
  await service.database.owner`
    update books b set written_rows = a.daily_rows * ${times}
    from accounts a where a.account_id = b.account_id and b.account_id = ${account_id}`
}

/** Quotes until the account is refused; returns the refusal. */
async function fill(account: Client) {
  for (let i = 0; i < 20; i++) {
    const answer = await quote(account)
    if (answer.status !== 200) return answer
  }
  assert.fail('the account is never full')
}

test('daily quota used up: writes answered with 429 until midnight, reads succeed', async () => {
  const account = await open({ daily_rows: 12 })
  const key = { 'idempotency-key': 'before' }
  const kept = await quote(account, key)
  const full = await fill(account)
  assertRefused(full, 429, 'quota_exceeded')
  assert.match(full.json.errors[0].message, /an operator can raise the quota/)
  const wait = Number(full.headers['retry-after'])
  assert.ok(wait >= 1 && wait <= 86_400, `${wait}`)
  const rows = await rowVersions(service.database.owner)
  const tries: [string, object][] = [
    ['/v3/payout', localPayout],
    ['/v3/payout_batch', { payouts: [localPayout] }],
    ['/v3/entity', { type: 'individual', name: 'Anna' }],
    ['/v3/beneficiary', localPayout.beneficiary_details],
    ['/v3/sandbox/fund', { currency: 'USD', amount: 1 }],
    ['/v3/webhook_endpoint', { url: 'https://example.com/hook', event_types: ['payout.*'] }],
  ]
  for (const [path, body] of tries)
    assertRefused(await account.post(path, body), 429, 'quota_exceeded')
  assert.deepEqual(await rowVersions(service.database.owner), rows)
  const again = await quote(account, key)
  assert.deepEqual([again.status, again.text], [200, kept.text])
  const { rows: written, until } = await writtenBy(account)
  assert.ok(written >= 12 && written < 20, `${written} rows`)
  assert.match(until, /T00:00:00\.000000Z$/)
})

test('daily quota used up, then the next day or a higher quota: writes succeed', async () => {
  const account = await open({ daily_rows: 3 })
  const { account_id } = account.account
  await fill(account)
  await service.database.owner`
    update books set written_day = written_day - 1 where account_id = ${account_id}`
  assert.equal((await writtenBy(account)).rows, 0)
  assert.equal((await quote(account)).status, 200)
  await fill(account)
  const set = ['account', 'set', account_id, '--daily-rows', '50', '--daily-mb', '7']
  const { code, stdout } = await cli.run(...set)
  assert.equal(code, 0)
  assert.match(stdout, /daily rows was 3, is 50\n.*daily megabytes was 5000, is 7/)
  await service.deps.reference.refresh()
  assert.equal((await quote(account)).status, 200)
})

test('daily quota used up, live account: payouts and batches created and counted; quotes and refused payouts 429', async () => {
  const account = await openLive(service, { daily_rows: 20 })
  await fill(account)
  const before = await writtenBy(account)
  await pay(account)
  const after = await writtenBy(account)
  assert.equal(after.rows - before.rows, 5, 'the payout and its four events')
  assert.ok(after.bytes - before.bytes > 3 * 300 + 1000)
  const rows = await rowVersions(service.database.owner)
  const payouts = [again, { ...localPayout, amount: 10_000_000_000 }]
  const mixed = await account.post('/v3/payout_batch', { mode: 'best_effort', payouts })
  assertRefused(mixed, 429, 'quota_exceeded')
  assert.deepEqual(await rowVersions(service.database.owner), rows)
  const batch = await account.post('/v3/payout_batch', { payouts: [again] })
  assert.equal(batch.status, 200, batch.text)
})

test('daily quota used up, live account: actions and submissions counted like payouts; cancellations always allowed', async () => {
  const account = await openLive(service, { daily_rows: 30 })
  const entity = await entityOf(account)
  const asked = await pay(account)
  const [answered, cancelled] = [await pay(account, again), await pay(account, again)]
  for (const { id } of [asked, answered])
    await operatorSets(service, account, id, 'requires_action')
  const answer = (id: string) => account.post(`/v3/payout/${id}/action`, { purpose: 'goods' })
  const cancel = (id: string) => account.post(`/v3/payout/${id}/cancel`, {})
  await fill(account)
  const before = await writtenBy(account)
  assert.equal((await answer(answered.id)).status, 200)
  assert.ok((await writtenBy(account)).rows > before.rows, 'an answer counts')
  const submitted = await account.post(`/v3/entity/${entity}/submit`, {})
  assert.equal(submitted.status, 200, submitted.text)
  const renamed = await account.put(`/v3/entity/${entity}`, { name: 'Berta' })
  assertRefused(renamed, 429, 'quota_exceeded')
  await writeAll(account, 2)
  assertRefused(await answer(asked.id), 429, 'quota_exceeded')
  assertRefused(await account.post('/v3/payout', again), 429, 'quota_exceeded')
  assert.equal((await cancel(cancelled.id)).status, 200)
})

/** What brings the money of payouts back, or leaves it in the accounts of one person. */
const CIRCLES: readonly [string, (account: Client, other: Client) => Promise<Answer>][] = [
  [
    'makes payouts and cancels them',
    async account => {
      const made = await account.post('/v3/payout', again)
      if (made.status !== 200) return made
      return account.post(`/v3/payout/${made.json.data.id}/cancel`, {})
    },
  ],
  [
    'makes payouts that fail at their rail',
    async account => {
      const made = await account.post('/v3/payout', again)
      if (made.status === 200) await operatorSets(service, account, made.json.data.id, 'failed')
      return made
    },
  ],
  [
    'pays another account of the same person, without a fee',
    (account, other) => {
      const paid = internalPayout(other.account.deposit_address)
      return account.post('/v3/payout', { ...paid, allow_duplicate: true })
    },
  ],
  [
    'makes batches of payouts',
    account => account.post('/v3/payout_batch', { payouts: [again, again] }),
  ],
]

for (const [what, circle] of CIRCLES) {
  test(`daily quota, live account that ${what}: refused at twice its quota`, async () => {
    const account = await openLive(service, { daily_rows: 20 })
    const other = await openLive(service, {})
    let last = await circle(account, other)
    for (let i = 0; last.status === 200 && i < 20; i++) last = await circle(account, other)
    assertRefused(last, 429, 'quota_exceeded')
    const { rows } = await writtenBy(account)
    assert.ok(rows >= 40 && rows < 60, `${rows} rows`)
  })
}

test('daily quota, batch of a live account: counts as single payouts, plus one row per item', async () => {
  const [account, single] = [await openLive(service, {}), await openLive(service, {})]
  const wrong = { ...localPayout, amount: 10_000_000_000 }
  const body = { mode: 'best_effort', payouts: [again, again, ...Array(20).fill(wrong)] }
  const made = await account.post('/v3/payout_batch', body)
  assert.equal(made.status, 200, made.text)
  await pay(single, again)
  await pay(single, again)
  const [batch, alone] = [await writtenBy(account), await writtenBy(single)]
  assert.equal(batch.rows, alone.rows + 22 + 1)
  const texts = batch.bytes - batch.rows * 300 - made.text.length
  assert.ok(texts > alone.bytes - alone.rows * 300, `${texts} bytes`)
})

test('POST /v3/payout_batch, best_effort, every payout refused: the batch refused, nothing written', async () => {
  const account = await open({})
  const payouts = Array(300).fill({ ...localPayout, amount: 10_000_000_000 })
  const rows = await rowVersions(service.database.owner)
  const answer = await account.post('/v3/payout_batch', { mode: 'best_effort', payouts })
  assertProblems(
    answer,
    422,
    Array.from({ length: 100 }, (_, i) => ['insufficient_balance', `payouts[${i}].amount`]),
  )
  const dry = { mode: 'best_effort', payouts, dry_run: true }
  const { data } = (await account.post('/v3/payout_batch', dry)).json
  assert.equal(data.status, 'would_be_refused')
  assert.deepEqual(await rowVersions(service.database.owner), rows)
})

test('daily quota, long texts: megabytes counted, twice with an Idempotency-Key', async () => {
  const account = await open({ daily_mb: 1 })
  const metadata = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`k${i}`, 'x'.repeat(500)]),
  )
  const body = { ...localPayout, metadata }
  const { bytes: before } = await writtenBy(account)
  const paid = await account.post('/v3/payout', body)
  assert.equal(paid.status, 200, paid.text)
  const { bytes } = await writtenBy(account)
  const once = bytes - before
  assert.ok(once > paid.text.length && once < paid.text.length + 2_000, `${once}`)
  await account.post('/v3/payout', body, { 'idempotency-key': 'k' })
  const twice = (await writtenBy(account)).bytes - bytes
  assert.ok(twice > 2 * paid.text.length, `${twice}`)
})

test('quotes expired for 90 days: deleted unless used by a payout, events kept, corridor verify clean', async t => {
  const { owner, url } = service.database
  const account = await open({})
  const made = await Promise.all([quote(account), quote(account), quote(account)])
  const [used, unused, later] = made.map(answer => answer.json.id as string)
  assert.equal((await account.post('/v3/payout', { ...localPayout, quote: used })).status, 200)
  assert.equal(await deleteOldQuotes(service.deps), 0)
  // A database with one account, as each shard of a spread one is asked.
  const alone = await startTestService()
  t.after(() => alone.close())
  await alone.openAccount()
  assert.equal(await deleteOldQuotes(alone.deps), 0)
  const remove = owner`delete from quotes where id = ${unused as string}`
  await assert.rejects(remove, /has not been over for 90 days/)

  const [named] = await owner<{ name: string }[]>`select current_database() as name`
  await owner.unsafe(`
    create schema later;
    create function later.statement_timestamp() returns timestamptz language sql stable
      as $$ select pg_catalog.statement_timestamp() + interval '91 days' $$;
    grant usage on schema later to public;
    alter database ${named?.name} set search_path = later, pg_catalog, public`)
  const other = await service.anotherProcess()
  t.after(() => other.close())
  await owner`
    update quotes set valid_until = valid_until + interval '2 days' where id = ${later as string}`
  const all = await owner<{ id: string }[]>`select id from quotes where status = 'active'`
  assert.equal(await deleteOldQuotes(other.deps), all.length - 1)
  const left = await owner<{ id: string }[]>`
    select id from quotes where account_id = ${account.account.account_id} order by id`
  assert.deepEqual(left.map(({ id }) => id).sort(), [used, later].sort())

  assert.equal((await account.get(`/v3/payout/quote/${unused}`)).status, 404)
  const events = (await account.get('/v3/event?type=payout_quote.created&limit=100')).json.data
    .results
  const event = events.find((one: { object_id: string }) => one.object_id === unused)
  assert.deepEqual(event.data, { id: unused, object: 'payout_quote', deleted: true })
  const auditor = connect(url, { max: 1, as: 'auditor' })
  t.after(() => auditor.end({ timeout: 5 }))
  const { problems = [] } = (await verify(auditor, { account_id: null, all: true })) as {
    problems?: { key: string }[]
  }
  assert.deepEqual(
    problems.map(({ key }) => key),
    [later],
    'the quote that the test changed',
  )
})
