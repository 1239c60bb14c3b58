// Every connection of the service held up, and every one of the server taken by others: callers wait
// so long and no longer, the process says that it lives, and all is well as soon as there is room.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { checkBooks } from '../support/assert/books.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Listening, startListening } from '../support/service/listening.ts'
import {
  type HttpAnswer,
  type HttpClient,
  httpClient,
  openAccountsOn,
  tally,
  until,
} from '../support/service/process.ts'
import { promised, share } from '../support/share.ts'

const REQUESTS = share(120, 500)
const LANES = 2
/** So few that who waits for all of those before would wait for minutes. */
const READERS = share(1, 4)
/** As many as spread over all lanes. */
const ACCOUNTS = 16
const WAIT_WITHIN_MS = 5_000
const BACK_WITHIN_MS = 1_000

let database: TestDatabase
let service: Listening
let clients: readonly HttpClient[] = []

before(async () => {
  database = await createDatabase()
  const accounts = await openAccountsOn(database.url, ACCOUNTS, { USD: 1_000_000_000n })
  clients = accounts.map(account => httpClient(account))
  service = await startListening({
    DATABASE_URL: database.url,
    CORRIDOR_SETTLE_POLL_MS: '1000',
    CORRIDOR_LANES: String(LANES),
    CORRIDOR_READ_CONNECTIONS: String(READERS),
  })
})
after(async () => {
  for (const client of clients) client.close()
  await service?.close()
  await database.drop()
})

const clientOf = (i: number) => clients[i % ACCOUNTS] as HttpClient

/** A write and a read in turn, and each account has both. */
function ask(i: number, key: string): Promise<HttpAnswer> {
  const client = clientOf(i >> 1)
  if (i % 2 === 0) return client.get(service.address, '/v3/payout')
  return client.post(service.address, '/v3/payout', localPayout, key)
}

const askAll = (name: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(i, `${name}-${i}`)))

/**
 * A read and a write of each account, or more. So many at once may be too many for a busy machine, and
 * are asked again by the same keys.
 */
const allWell = (name: string, count = 2 * ACCOUNTS) =>
  until('all are answered well', async () => tally(await askAll(name, count))['200'] === count)

const slowest = (answers: readonly HttpAnswer[]) =>
  Math.max(...answers.map(({ took_ms }) => took_ms))

/** One write and one read, again and again until both are answered well. */
async function wellAgain(t: TestContext): Promise<void> {
  const since = performance.now()
  for (const i of [1, 2]) {
    await until('well again', async () => (await ask(i, `again-${since}`)).status === 200)
  }
  promised(t, 'well again', performance.now() - since, BACK_WITHIN_MS)
}

/** Whether the process lives it says while all others wait. */
async function assertAlive(t: TestContext): Promise<void> {
  const { status, took_ms } = await clientOf(0).get(service.address, '/healthz')
  assert.equal(status, 200)
  promised(t, '/healthz', took_ms, 100)
}

/** The service's connections by their state. */
async function connections(): Promise<Record<string, number>> {
  const rows = await database.owner<{ state: string; n: number }[]>`
    select state, count(*)::integer as n from pg_stat_activity
    where datname = current_database() and application_name = 'corridor' group by state`
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}

/** None is in a transaction, none is lost: each lane and each reader goes on. */
async function checkNoneLeaked(): Promise<void> {
  await until('all connections are idle', async () => {
    const { idle, ...others } = await connections()
    return idle !== undefined && Object.keys(others).length === 0
  })
  await allWell(`after-${performance.now()}`)
}

/**
 * Runs `work` while tables and books are locked. Payouts that still settle take the same locks in
 * another order, so a deadlock before all are locked is tried again.
 */
async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    let is_locked = false
    try {
      return await database.owner.begin(async tx => {
        await tx`lock table payouts, quotes in access exclusive mode`
        await tx`select from books for update`
        is_locked = true
        return work()
      })
    } catch (error) {
      if (is_locked || (error as { code?: string }).code !== '40P01') throw error
    }
  }
}

const REFUSED = '503 service_unavailable'

test(`every database connection held until ${REQUESTS} requests are answered: 200 or 503, then 200 for all`, async t => {
  await allWell('before')
  const answers = await whileLocked(async () => {
    let ended = 0
    const asked = Array.from({ length: REQUESTS }, async (_, i) => {
      const answer = await ask(i, `held-${i}`)
      ended += 1
      return answer
    })
    const held = async () => (await connections()).active ?? 0
    await until('all connections are held', async () => (await held()) >= READERS + LANES)
    assert.ok(ended < REQUESTS, 'some wait')
    await assertAlive(t)
    return Promise.all(asked)
  })
  await wellAgain(t)
  t.diagnostic(JSON.stringify(tally(answers)))
  promised(t, 'the slowest answer', slowest(answers), WAIT_WITHIN_MS)
  assert.deepEqual(tally(answers), { [REFUSED]: REQUESTS })
  for (const { headers } of answers) assert.equal(headers['retry-after'], '1')
  await allWell('held', REQUESTS)
  await checkNoneLeaked()
})

test('database server without a free connection: 503; with a free one: 200', async t => {
  const { owner } = database
  const limit = (n: number) =>
    owner.unsafe(
      `do $$ begin execute format('alter database %I connection limit ${n}', current_database()); end $$`,
    )
  await limit(0)
  await owner`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'corridor'`
  const answers: HttpAnswer[] = []
  for (let round = 0; round < 2; round++) {
    const asked = [1, 2, 3, 4].map(i => ask(i, `full-${round}-${i}`))
    await assertAlive(t)
    answers.push(...(await Promise.all(asked)))
  }
  await limit(-1)
  await wellAgain(t)
  promised(t, 'the slowest answer', slowest(answers), WAIT_WITHIN_MS)
  assert.deepEqual(tally(answers), { [REFUSED]: answers.length })
  await checkNoneLeaked()
  await checkBooks(owner, { DATABASE_URL: database.url })
})
