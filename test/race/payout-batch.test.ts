// Batches that meet: on one balance, with single payouts between them, to and fro between two
// accounts, and over two processes. Money is right whoever comes first, and nobody waits for ever.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { OpenedAccount } from '../../src/operator/create-account.ts'
import { checkBooks } from '../support/assert/books.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import {
  type HttpClient,
  httpClient,
  openAccountOn,
  type RunningProcess,
  startProcesses,
  tally,
  until,
} from '../support/service/process.ts'

const PATH = '/v3/payout_batch'

let database: TestDatabase
let processes: RunningProcess[] = []
const clients: HttpClient[] = []

before(async () => {
  database = await createDatabase()
  await openAccountOn(database.url, {})
  const env = { DATABASE_URL: database.url, CORRIDOR_SETTLE: 'off' }
  processes = await startProcesses(2, env)
})
after(async () => {
  for (const client of clients) client.close()
  await Promise.all(processes.map(p => p.kill()))
  await database.drop()
})

const address = (i: number) => (processes[i % 2] as RunningProcess).address

async function open(usd: bigint): Promise<[OpenedAccount, HttpClient]> {
  const opened = await openAccountOn(database.url, { USD: usd })
  const client = httpClient(opened)
  clients.push(client)
  await until('every process knows the account', async () => {
    const all = await Promise.all(
      processes.map(p => client.get(p.address, '/v3/balance_transaction/btr_none')),
    )
    return all.every(answer => answer.status !== 401)
  })
  return [opened, client]
}

async function balance({ account }: OpenedAccount): Promise<bigint | undefined> {
  const [row] = await database.owner<{ available: bigint }[]>`
    select available from balances
    where account_id = ${account.account_id} and currency = 'USD'`
  return row?.available
}

const times = <T>(count: number, make: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i))
const many = (count: number, amount: number) => times(count, () => ({ ...localPayout, amount }))

test('two batches and 100 payouts at once, money for some: each counted once, no more than there is', async () => {
  for (let round = 0; round < 3; round++) {
    const [account, client] = await open(1_000_000n)
    const [whole, best, ...singles] = await Promise.all([
      client.post(address(0), PATH, { payouts: many(300, 2_000) }),
      client.post(address(1), PATH, { mode: 'best_effort', payouts: many(300, 1_500) }),
      ...times(100, i => client.post(address(i), '/v3/payout', { ...localPayout, amount: 1_000 })),
    ])
    assert.ok(whole.status === 200 || whole.status === 422, whole.text)
    assert.equal(best.status, 200, best.text)
    const made = tally(singles)
    const { 200: paid = 0, '422 insufficient_balance': refused = 0 } = made
    assert.equal(paid + refused, 100, JSON.stringify(made))
    const { created } = best.json.data.counts
    const spent = (whole.status === 200 ? 600_000 : 0) + created * 1_500 + paid * 1_000
    assert.equal(await balance(account), 1_000_000n - BigInt(spent))
    // Nothing is refused while there is money for it.
    if (created < 300) assert.ok(1_000_000 - spent < 1_500)
  }
})

test('batches between two accounts, to and fro at once: no deadlock, no money lost', async () => {
  const [one, other] = [await open(1_000_000n), await open(1_000_000n)]
  const pay = (from: HttpClient, to: OpenedAccount, i: number) => {
    const payouts = times(200, () => internalPayout(to.account.deposit_address, 1_000))
    return from.post(address(i), PATH, { payouts })
  }
  const answers = await Promise.all([
    ...times(4, i => pay(one[1], other[0], i)),
    ...times(4, i => pay(other[1], one[0], i)),
  ])
  assert.deepEqual(tally(answers), { '200': 8 })
  assert.deepEqual([await balance(one[0]), await balance(other[0])], [1_000_000n, 1_000_000n])
})

test('one batch under one Idempotency-Key, ten times at once over both processes: made once', async () => {
  const [account, client] = await open(1_000_000n)
  const body = { payouts: many(100, 1_000) }
  const answers = await Promise.all(times(10, i => client.post(address(i), PATH, body, 'one')))
  assert.deepEqual(tally(answers), { '200': 10 })
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.equal(await balance(account), 900_000n)
})

test('the books after all: they hold together', async () => {
  await checkBooks(database.owner, { DATABASE_URL: database.url })
  const faults = processes.flatMap(p => p.log.filter(line => (line.level ?? 0) >= 50))
  assert.deepEqual(faults, [])
})
