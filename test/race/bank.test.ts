// The bank test (Jepsen): accounts of one installation pay each other at random, through two
// processes, while readers add up what there is. Money is neither made nor lost, at no moment.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { OpenedAccount } from '../../src/cli/account.ts'
import { internalPayout } from '../support/bodies.ts'
import { checkBooks } from '../support/books.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import {
  type HttpAnswer,
  type HttpClient,
  httpClient,
  openAccountOn,
  pickSeed,
  type RunningProcess,
  seeded,
  startProcesses,
  tally,
} from '../support/process.ts'

const ACCOUNTS = 8
const CLIENTS = 16
const SECONDS = 8
/** Little enough that accounts run dry and transfers are refused. */
const EACH = 500n
const MAX_TRANSFER = 200

let database: TestDatabase
let accounts: OpenedAccount[]
let clients: HttpClient[]
let processes: RunningProcess[] = []

before(async () => {
  database = await createDatabase()
  const opened = Array.from({ length: ACCOUNTS }, () =>
    openAccountOn(database.url, { USD: EACH }, ['USD']),
  )
  accounts = await Promise.all(opened)
  clients = accounts.map(account => httpClient(account))
  processes = await startProcesses(2, { DATABASE_URL: database.url })
})
after(async () => {
  for (const client of clients) client.close()
  await Promise.all(processes.map(p => p.kill()))
  await database.drop()
})

test('service_account payouts, 8 accounts and 16 clients on two processes: the total never changes', async t => {
  const seed = pickSeed()
  const deadline = performance.now() + SECONDS * 1000
  const answers: HttpAnswer[] = []
  const transfer = async (worker: number) => {
    const random = seeded(seed + worker)
    const pick = (n: number) => Math.floor(random() * n)
    while (performance.now() < deadline) {
      const from = pick(ACCOUNTS)
      const to = (from + 1 + pick(ACCOUNTS - 1)) % ACCOUNTS
      const body = internalPayout(
        (accounts[to] as OpenedAccount).account.deposit_address,
        1 + pick(MAX_TRANSFER),
      )
      const { address } = processes[pick(processes.length)] as RunningProcess
      answers.push(await (clients[from] as HttpClient).post(address, '/v3/payout', body))
    }
  }
  const totals = new Set<string>()
  let reads = 0
  const watch = async () => {
    while (performance.now() < deadline) {
      const [row] = await database.owner<{ total: string; least: bigint }[]>`
        select sum(available)::text as total, min(available) as least from balances`
      totals.add(row?.total ?? '')
      assert.ok((row?.least ?? -1n) >= 0n)
      reads += 1
      // Reading must not crowd out the transfers.
      await delay(20)
    }
  }
  await Promise.all([...Array.from({ length: CLIENTS }, (_, i) => transfer(i)), watch()])
  const counts = tally(answers)
  const done = counts['200'] ?? 0
  t.diagnostic(`SEED=${seed} ${JSON.stringify(counts)}`)
  t.diagnostic(`${Math.round(done / SECONDS)} transfers/s, ${reads} readings of the total`)
  assert.deepEqual([...totals], [String(EACH * BigInt(ACCOUNTS))])
  const names = Object.keys(counts).sort()
  assert.deepEqual(names, ['200', '422 insufficient_balance'], 'no 5xx, nothing unexpected')
  const [server] = await database.owner<{ deadlocks: bigint }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`
  assert.equal(server?.deadlocks, 0n)
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})
