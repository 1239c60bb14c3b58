// Races on one account's money, made to happen: many requests at the same moment, to one process and
// to two processes that share a database. Expects of each race one exact end.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { OpenedAccount } from '../../src/operator/create-account.ts'
import { checkBooks } from '../support/assert/books.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { localPayout } from '../support/given/bodies.ts'
import {
  type HttpAnswer,
  type HttpClient,
  httpClient,
  openAccountOn,
  type RunningProcess,
  startProcesses,
  tally,
  until,
} from '../support/service/process.ts'

for (const count of [1, 2]) describe(`${count} process(es)`, () => race(count))

function race(count: number) {
  let database: TestDatabase
  let processes: RunningProcess[] = []
  let account: OpenedAccount
  let client: HttpClient

  before(async () => {
    database = await createDatabase()
    const env = { DATABASE_URL: database.url }
    await openAccountOn(database.url, {})
    processes = await startProcesses(count, env)
  })
  after(async () => {
    client?.close()
    await Promise.all(processes.map(p => p.kill()))
    await database.drop()
  })

  /** A new account with a client, known to every process. */
  async function open(usd: bigint): Promise<void> {
    client?.close()
    account = await openAccountOn(database.url, { USD: usd })
    client = httpClient(account)
    await until('every process knows the account', async () => {
      const all = await Promise.all(
        processes.map(p => client.get(p.address, '/v3/balance_transaction/btr_none')),
      )
      return all.every(answer => answer.status !== 401)
    })
  }

  const address = (i: number) => (processes[i % processes.length] as RunningProcess).address

  function together(times: number, ask: (i: number) => Promise<HttpAnswer>) {
    return Promise.all(Array.from({ length: times }, (_, i) => ask(i)))
  }

  async function balance(): Promise<bigint | undefined> {
    const [row] = await database.owner<{ available: bigint }[]>`
      select available from balances
      where account_id = ${account.account.account_id} and currency = 'USD'`
    return row?.available
  }

  test('POST /v3/payout, 50 at once on one quote: one succeeds, 49 are told quote_used', async () => {
    await open(1_000_000n)
    const asked = { payout_info: { currency: 'USD', amount: 10_000 } }
    const quote = await client.post(address(0), '/v3/payout/quote', asked)
    assert.equal(quote.status, 200, quote.text)
    const body = { ...localPayout, quote: quote.json.id }
    const answers = await together(50, i => client.post(address(i), '/v3/payout', body))
    assert.deepEqual(tally(answers), { '200': 1, '422 quote_used': 49 })
    assert.equal(await balance(), 990_000n)
  })

  test('POST /v3/payout, 200 at once with money for 10: 10 succeed, 190 are refused, nothing left', async () => {
    await open(100_000n)
    const answers = await together(200, i => client.post(address(i), '/v3/payout', localPayout))
    assert.deepEqual(tally(answers), { '200': 10, '422 insufficient_balance': 190 })
    assert.equal(await balance(), 0n)
  })

  test('POST /v3/payout, 100 at once under one Idempotency-Key: one payout, 100 equal answers', async () => {
    await open(1_000_000n)
    const answers = await together(100, i =>
      client.post(address(i), '/v3/payout', localPayout, 'the-one-key'),
    )
    assert.deepEqual(tally(answers), { '200': 100 })
    assert.equal(new Set(answers.map(answer => answer.text)).size, 1)
    const replayed = answers.filter(answer => answer.headers['idempotent-replayed'] === 'true')
    assert.equal(replayed.length, 99)
    assert.equal(await balance(), 990_000n)
  })

  test('settling, 50 failing and 50 reversed payouts under every worker: money back exactly once', async () => {
    const start = 100_000_000n
    await open(start)
    // Amounts by which the simulator fails (200000 and up) and reverses (500001 and up).
    const answers = await together(100, i =>
      client.post(address(i), '/v3/payout', {
        ...localPayout,
        amount: i < 50 ? 200_000 + i : 500_001 + i,
      }),
    )
    assert.deepEqual(tally(answers), { '200': 100 })
    const { account_id } = account.account
    const count = async () => {
      const [row] = await database.owner<{ n: bigint }[]>`
        select count(*) as n from payout_states
        where account_id = ${account_id} and status in ('failed', 'reversed')`
      return row?.n
    }
    await until('all are final', async () => (await count()) === 100n)
    assert.equal(await balance(), start)
    const kinds = await database.owner<{ type: string; n: bigint }[]>`
      select type, count(*) as n from balance_transactions
      where account_id = ${account_id} and type like 'payout%' group by type order by type`
    assert.deepEqual(
      kinds.map(({ type, n }) => [type, n]),
      [
        ['payout', 100n],
        ['payout_failure', 50n],
        ['payout_reversal', 50n],
      ],
    )
  })

  test('the books after all races: they hold together', async () => {
    await until('nothing is left to settle', async () => {
      const due =
        await database.owner`select from open_payouts where ask_rail_at is not null limit 1`
      return due.length === 0
    })
    await checkBooks(database.owner, { DATABASE_URL: database.url })
    const faults = processes.flatMap(p => p.log.filter(line => (line.level ?? 0) >= 50))
    assert.deepEqual(faults, [])
  })
}
