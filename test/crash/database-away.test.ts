// The database goes away under load and comes back: refused, silent, and cut off right after COMMIT.
// Callers get a 503 soon, the process survives, and what was acknowledged happened exactly once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { OpenedAccount } from '../../src/cli/account.ts'
import { localPayout } from '../support/bodies.ts'
import { checkBooks } from '../support/books.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import {
  type HttpAnswer,
  type HttpClient,
  httpClient,
  openAccountOn,
  type RunningProcess,
  startProcess,
  tally,
} from '../support/process.ts'
import { startProxy, type TcpProxy } from '../support/proxy.ts'

let database: TestDatabase
let proxy: TcpProxy
let account: OpenedAccount
let client: HttpClient
let service: RunningProcess

before(async () => {
  database = await createDatabase()
  proxy = await startProxy(database.url)
  account = await openAccountOn(database.url, { USD: 1_000_000_000n })
  client = httpClient(account)
  service = await startProcess({ DATABASE_URL: proxy.url })
})
after(async () => {
  client?.close()
  await service?.kill()
  await proxy.close()
  await database.drop()
})

const pay = (key?: string) => client.post(service.address, '/v3/payout', localPayout, key)

async function isPaid(key: string): Promise<boolean> {
  const rows = await database.owner`select from idempotency_keys where key = ${key}`
  return rows.length === 1
}

interface Timed extends HttpAnswer {
  readonly asked_at: number
  readonly key?: string
}

/** Writes and reads side by side until told to stop. */
function load(read_path: string) {
  const answers: Timed[] = []
  let stopped = false
  const worker = async (name: number) => {
    for (let i = 0; !stopped; i++) {
      const asked_at = performance.now()
      const key = `load-${asked_at}-${name}-${i}`
      const write = name % 2 === 0
      const answer = await (write ? pay(key) : client.get(service.address, read_path))
      answers.push({ ...answer, asked_at, ...(write ? { key } : {}) })
      await delay(5)
    }
  }
  const workers = Array.from({ length: 8 }, (_, i) => worker(i))
  return {
    answers,
    async stop() {
      stopped = true
      await Promise.all(workers)
    },
  }
}

for (const [how, away_ms] of [
  ['down', 3_000],
  ['silence', 6_000],
] as const) {
  test(`the database away by ${how} for ${away_ms} ms: 503 within 5 s, and back within 2 s`, async t => {
    const first = await pay()
    assert.equal(first.status, 200, first.text)
    const running = load(`/v3/payout/${first.json.data.id}`)
    await delay(300)
    await proxy[how]()
    const gone_at = performance.now()
    await delay(away_ms)
    await proxy.up()
    const back_at = performance.now()
    await delay(2_500)
    await running.stop()
    const { answers } = running
    assert.ok(service.running())

    const slowest = Math.max(...answers.map(answer => answer.took_ms))
    assert.ok(slowest < 5_000, `slowest answer ${slowest} ms`)
    const refused = answers.filter(answer => answer.status !== 200)
    assert.deepEqual(Object.keys(tally(refused)), ['503 service_unavailable'])
    for (const { headers } of refused) assert.equal(headers['retry-after'], '1')
    const firstAfter = (write: boolean) => {
      const good = answers.filter(
        a => a.status === 200 && (a.key !== undefined) === write && a.asked_at > gone_at + 100,
      )
      return Math.min(...good.map(a => a.asked_at + a.took_ms)) - back_at
    }
    const [write_ms, read_ms] = [firstAfter(true), firstAfter(false)]
    t.diagnostic(
      `${JSON.stringify(tally(answers))}, slowest ${Math.round(slowest)} ms; ` +
        `first success after return: write ${Math.round(write_ms)} ms, read ${Math.round(read_ms)} ms`,
    )
    assert.ok(write_ms < 2_000 && read_ms < 2_000, `${write_ms} ms, ${read_ms} ms`)
    for (const { key, status } of answers) {
      if (key !== undefined && status === 200) assert.ok(await isPaid(key), 'acknowledged and lost')
    }
    await checkBooks(database.owner, { DATABASE_URL: database.url })
  })
}

test('the answer to COMMIT lost, 30 times: 503, and the same key finds the one payout', async () => {
  // Without the settling worker, whose commits would be cut as well.
  await service.kill()
  service = await startProcess({ DATABASE_URL: proxy.url, CORRIDOR_SETTLE: 'off' })
  const before_all = await countPayouts()
  for (let round = 0; round < 30; round++) {
    const key = `cut-${round}`
    // Each transaction ends with a second, empty one, whose COMMIT is not the one meant.
    await allIdle()
    proxy.cutAt('COMMIT\0', 1)
    const lost = await pay(key)
    assert.equal(lost.status, 503, lost.text)
    assert.equal(lost.json.errors[0].reason, 'service_unavailable')
    const again = await pay(key)
    assert.equal(again.status, 200, again.text)
    assert.equal(again.headers['idempotent-replayed'], 'true')
  }
  assert.equal((await countPayouts()) - before_all, 30n)
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})

test('every connection forgotten by the way, new ones served: writes and reads come back', async t => {
  proxy.forget()
  const began = performance.now()
  const statuses: number[] = []
  let last = 0
  while (last !== 200 && performance.now() - began < 25_000) {
    last = (await pay()).status
    statuses.push(last)
  }
  assert.equal(last, 200, `after ${statuses}`)
  assert.deepEqual([...new Set(statuses)].sort(), [200, 503])
  t.diagnostic(`paying again after ${Math.round(performance.now() - began)} ms`)
  assert.equal((await client.get(service.address, '/v3/balance')).status, 200)
  assert.ok(service.running())
})

test('SIGTERM while the database is silent and 20 requests wait: 503s, then code 0 within 10 s', async () => {
  proxy.silence()
  const waiting = Array.from({ length: 20 }, (_, i) => pay(`waiting-${i}`))
  await delay(200)
  const told_at = performance.now()
  service.signal('SIGTERM')
  const answers = await Promise.all(waiting)
  assert.deepEqual(tally(answers), { '503 service_unavailable': 20 })
  assert.equal(await service.ended, 0)
  assert.ok(performance.now() - told_at < 10_000)
  await proxy.up()
})

/** Resolves once no connection of the service is in a transaction, and the proxy has passed that on. */
async function allIdle(): Promise<void> {
  // Seen twice: what the server had said at the first time has come through by the second.
  for (let seen = 0; seen < 2; ) {
    const [row] = await database.owner<{ busy: bigint }[]>`
      select count(*) as busy from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`
    seen = row?.busy === 0n ? seen + 1 : 0
  }
}

async function countPayouts(): Promise<bigint> {
  const [row] = await database.owner<{ n: bigint }[]>`select count(*) as n from payouts`
  return row?.n ?? -1n
}
