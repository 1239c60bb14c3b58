// The bank test (Jepsen): accounts of one installation pay each other at random, through two
// processes, while a tenth of what clients do is adding up what there is, in one snapshot. Money is
// neither made nor lost, at no moment, nor while further accounts are opened. Of a cluster nothing is
// one snapshot: what there was is added up afterwards, as of the same moments.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { OpenedAccount } from '../../src/operator/account-operations.ts'
import { verifyBooks } from '../support/assert/books.ts'
import { onCluster } from '../support/database/citus.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { internalPayout } from '../support/given/bodies.ts'
import {
  type HttpAnswer,
  type HttpClient,
  httpClient,
  openAccountOn,
  pickSeed,
  type RunningProcess,
  seeded,
  startProcess,
  tally,
  until,
} from '../support/service/process.ts'
import { share } from '../support/share.ts'

const ACCOUNTS = 8
const CLIENTS = 32
const READS = 0.1
/** Little enough that accounts run dry and transfers are refused. */
const EACH = 500n
const TOTAL = EACH * BigInt(ACCOUNTS)
const MAX_TRANSFER = 200
/** With more, most of them would have nothing; so many answers are given between two openings. */
const MOST_ACCOUNTS = 2 * ACCOUNTS
const PAUSE = 200
/** Instants as of which the balances are asked for afterwards. */
const INSTANTS = share(8, 25)

interface Member extends OpenedAccount {
  readonly client: HttpClient
}

interface Bank {
  readonly database: TestDatabase
  readonly processes: readonly RunningProcess[]
  /** Grows while accounts are opened. */
  readonly members: Member[]
  readonly answers: HttpAnswer[]
  /** When each snapshot was taken, by the database's clock. */
  readonly snapshots: string[]
}

const SECONDS = share(1, 60)
const KINDS = [
  ['8 accounts', false],
  ['accounts opened meanwhile', true],
] as const

// The usual run makes the second alone, which begins as the first.
for (const [what, opening] of KINDS.slice(share(1, 0))) {
  test(`service_account payouts, 32 clients, two processes, ${what}: the total of all balances never changes`, async t => {
    const seed = pickSeed()
    t.diagnostic(`SEED=${seed}`)
    const bank = await openBank()
    t.after(() => bank.database.drop())
    const before = await deadlocks(bank)
    try {
      await holdBank(t, bank, { seed, seconds: SECONDS, opening })
    } finally {
      for (const { client } of bank.members) client.close()
      await stop(bank)
    }
    assert.equal(await deadlocks(bank), before, 'no deadlock')
    await verifyBooks(bank.database.owner)
  })
}

async function openBank(): Promise<Bank> {
  const database = await createDatabase()
  const opened = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => openMember(database.url, EACH)),
  )
  const processes = await Promise.all(
    [1, 2].map(() => startProcess({ DATABASE_URL: database.url })),
  )
  return { database, processes, members: opened, answers: [], snapshots: [] }
}

async function openMember(url: string, fund: bigint): Promise<Member> {
  const opened = await openAccountOn(url, fund === 0n ? {} : { USD: fund }, ['USD'])
  return { ...opened, client: httpClient(opened) }
}

async function holdBank(
  t: TestContext,
  bank: Bank,
  options: { readonly seed: number; readonly seconds: number; readonly opening: boolean },
): Promise<void> {
  const { seed, seconds, opening } = options
  // On a busy machine the clients may by chance look at nothing.
  await takeSnapshot(bank)
  const deadline = performance.now() + seconds * 1000
  const clients = Array.from({ length: CLIENTS }, (_, i) =>
    beClient(bank, seeded(seed + i), deadline),
  )
  await Promise.all([...clients, opening && openMore(bank, deadline)])
  const counts = tally(bank.answers)
  const a_second = Math.round((counts['200'] ?? 0) / seconds)
  t.diagnostic(
    `${a_second} transfers/s, ${bank.snapshots.length} snapshots, ${bank.members.length} ` +
      `accounts, ${JSON.stringify(counts)}`,
  )
  // On a busy machine a lock may be waited for too long.
  const expected = ['200', '422 insufficient_balance', '503 service_unavailable']
  const others = Object.keys(counts).filter(name => !expected.includes(name))
  assert.deepEqual(others, [], 'nothing unexpected')
  assert.ok((counts['200'] ?? 0) > 0, 'there were transfers')
  await checkHistory(bank, seeded(seed + CLIENTS))
}

/** Pays somebody else, or adds up; again and again. */
async function beClient(bank: Bank, random: () => number, deadline: number): Promise<void> {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  while (performance.now() < deadline) {
    if (random() < READS) await takeSnapshot(bank)
    else {
      const from = pick(bank.members)
      const to = pick(bank.members.filter(member => member !== from))
      const amount = 1 + Math.floor(random() * MAX_TRANSFER)
      const body = internalPayout(to.account.deposit_address, amount)
      const { address } = pick(bank.processes)
      bank.answers.push(await from.client.post(address, '/v3/payout', body))
    }
  }
}

/** Every account there was before, no balance missing or negative, and the total. */
async function takeSnapshot({ database, members, snapshots }: Bank): Promise<void> {
  const expected = members.map(({ account }) => account.account_id)
  const rows = await database.owner<{ account_id: string; available: bigint; at: string }[]>`
    select account_id, available, statement_timestamp() as at from balances`
  const found = new Map(rows.map(row => [row.account_id, row.available]))
  assert.equal(found.size, rows.length, 'a balance twice')
  assert.deepEqual(
    expected.filter(id => !found.has(id)),
    [],
    'a balance is missing',
  )
  assert.deepEqual(
    rows.filter(({ available }) => available < 0n),
    [],
    'a balance is negative',
  )
  if (!onCluster) assert.equal(sum(found.values()), TOTAL, 'the total')
  snapshots.push(rows[0]?.at ?? '')
}

/** Opens accounts without money; each takes part once every process knows it. */
async function openMore(bank: Bank, deadline: number): Promise<void> {
  const { database, processes, members, answers } = bank
  while (performance.now() < deadline && members.length < MOST_ACCOUNTS) {
    const member = await openMember(database.url, 0n)
    await until('the account is known', async () => {
      const asked = processes.map(({ address }) => member.client.get(address, '/v3/balance'))
      return (await Promise.all(asked)).every(({ status }) => status === 200)
    })
    members.push(member)
    // Not all in the first second.
    const next = answers.length + PAUSE
    await until('others pay', () => {
      return answers.length >= next || performance.now() > deadline
    })
  }
}

/** What the API says of instants that are over: the total then, in whatever process. */
async function checkHistory(bank: Bank, random: () => number): Promise<void> {
  const { members, processes, snapshots } = bank
  for (let i = 0; i < INSTANTS; i++) {
    const at = snapshots[Math.floor(random() * snapshots.length)] as string
    const { address } = processes[i % processes.length] as RunningProcess
    const asked = members.map(m => m.client.get(address, `/v3/balance?as_of=${at}`))
    const amounts = (await Promise.all(asked)).map(({ status, json, text }) => {
      assert.equal(status, 200, text)
      const [balance, ...more] = json.data.available
      assert.deepEqual(more, [])
      assert.ok(BigInt(balance.amount) >= 0n, text)
      return BigInt(balance.amount)
    })
    assert.equal(sum(amounts), TOTAL, `the total as of ${at}`)
  }
}

/** Sessions tell of their deadlocks when they end, if not before. */
async function stop({ database, processes }: Bank): Promise<void> {
  for (const { signal } of processes) signal('SIGTERM')
  await Promise.all(processes.map(({ ended }) => ended))
  await until('the service has disconnected', async () => {
    const sessions = await database.owner`
      select from pg_stat_activity
      where datname = current_database() and application_name = 'corridor'`
    return sessions.length === 0
  })
}

async function deadlocks({ database }: Bank): Promise<bigint> {
  const [row] = await database.owner<{ deadlocks: bigint }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`
  return row?.deadlocks ?? assert.fail('no statistics')
}

function sum(amounts: Iterable<bigint>): bigint {
  let total = 0n
  for (const amount of amounts) total += amount
  return total
}
