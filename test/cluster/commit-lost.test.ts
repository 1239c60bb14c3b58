// The connection to a machine, the coordinator's or the service's own, is cut around a COMMIT, so that it
// cannot know whether the machine has committed: whoever asked is told so, and nothing is lost or
// there twice; nor when a payout's two accounts are on two machines, which commit in two phases.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { readConfig } from '../../src/config/config.ts'
import type { OpenedAccount } from '../../src/operator/account-operations.ts'
import { openDeps } from '../../src/runtime/deps.ts'
import { makeMetrics } from '../../src/runtime/metrics.ts'
import { checkBooks } from '../support/assert/books.ts'
import {
  listWorkers,
  reachBy,
  speakOpenly,
  unlessCluster,
  type Worker,
  workerOf,
} from '../support/database/citus.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { type Commit, type Cut, startProxy, type TcpProxy } from '../support/network/proxy.ts'
import {
  type HttpAnswer,
  type HttpClient,
  httpClient,
  openAccountOn,
  type RunningProcess,
  startProcess,
  until,
} from '../support/service/process.ts'
import { askingRail, rememberingRail } from '../support/service/settling.ts'

const skip = unlessCluster
const CROWD = 24
/** The coordinator's, and that of the service, which writes to the machine itself. */
const ONE_PHASE: Commit = { text: /^COMMIT( AND CHAIN)?$/i, tag: 'COMMIT' }
const PREPARE: Commit = { text: /^PREPARE TRANSACTION/, tag: 'PREPARE TRANSACTION' }
const COMMIT_PREPARED: Commit = { text: /^COMMIT PREPARED/, tag: 'COMMIT PREPARED' }

let database: TestDatabase
let service: RunningProcess
/** In front of the machine of `near`; `far` is on another one. */
let proxy: TcpProxy
let near: OpenedAccount
let far: OpenedAccount
let client: HttpClient

before(async () => {
  if (skip !== false) return
  await speakOpenly(true)
  database = await createDatabase()
  const fund = { USD: 1_000_000_000n }
  near = await openAccountOn(database.url, fund)
  const of = await workerOf(database, near.account.account_id)
  do far = await openAccountOn(database.url, fund)
  while ((await workerOf(database, far.account.account_id)) === of)
  const worker = (await listWorkers(database)).find(({ node_id }) => node_id === of) as Worker
  proxy = await startProxy(worker.url)
  await reachBy(database, worker, proxy.url)
  client = httpClient(near)
  const off = { CORRIDOR_SETTLE: 'off', CORRIDOR_WEBHOOKS: 'off' }
  service = await startProcess({ DATABASE_URL: database.url, ...off })
})
after(async () => {
  if (skip !== false) return
  client?.close()
  await service?.kill()
  await database?.drop()
  await proxy?.close()
  await speakOpenly(false)
})

const pay = (body: object, key?: string) => client.post(service.address, '/v3/payout', body, key)

/** How many payouts of each amount there are. */
async function paid(amounts: readonly number[]): Promise<number[]> {
  const rows = await database.owner<{ amount: bigint }[]>`
    select amount from payouts where account_id = ${near.account.account_id}`
  return amounts.map(wanted => rows.filter(({ amount }) => Number(amount) === wanted).length)
}

function assertUnknown({ status, text }: HttpAnswer): void {
  assert.equal(status, 503, text)
  assert.match(text, /whether it took effect is not known/)
}

/** More to claim; the COMMIT of one may be cut as well. */
async function payMore(): Promise<void> {
  await Promise.all(Array.from({ length: 4 }, (_, i) => pay({ ...localPayout, amount: 100 + i })))
}

let amount = 1_000

for (const [where, there] of [
  ['before COMMIT', 0],
  ['behind COMMIT', 1],
  ['before its answer', 1],
] as const satisfies readonly (readonly [Cut, number])[]) {
  test(`connection to a worker node cut ${where}, payout without a key: 503 unknown outcome, payout ${there}`, {
    skip,
  }, async () => {
    let answer: HttpAnswer
    // A worker of the service may have made the COMMIT that was cut.
    let tries = 0
    do {
      amount += 1
      proxy.cutCommits(where, 1, ONE_PHASE)
      answer = await pay({ ...localPayout, amount })
      assert.equal(proxy.cutsLeft(), 0)
    } while (answer.status === 200 && ++tries < 50)
    assertUnknown(answer)
    await until('the machine is done with it', async () => {
      const [count] = await paid([amount])
      return count === there
    })
  })

  test(`connection to a worker node cut ${where}, ${CROWD} payouts with keys in parallel: each created once in the end`, {
    skip,
  }, async t => {
    const from = amount + 1
    const amounts = Array.from({ length: CROWD }, (_, i) => from + i)
    amount += CROWD
    proxy.cutCommits(where, 2, ONE_PHASE)
    const ask = (amount: number) => pay({ ...localPayout, amount }, `lost ${amount}`)
    const answers = await Promise.all(amounts.map(ask))
    assert.equal(proxy.cutsLeft(), 0)
    const unknown = answers.filter(({ status }) => status !== 200)
    t.diagnostic(`${unknown.length} of ${CROWD} were told that it is not known`)
    unknown.forEach(assertUnknown)
    const counts = await paid(amounts)
    for (const [i, { status }] of answers.entries()) {
      assert.ok(
        status === 200 ? counts[i] === 1 : (counts[i] ?? 0) <= 1,
        `${amounts[i]}: ${status}`,
      )
    }
    for (const amount of amounts) assert.equal((await ask(amount)).status, 200)
    assert.deepEqual(await paid(amounts), Array(CROWD).fill(1))
  })
}

/** The sum of both, and how many payouts of this amount each has sent or received. */
async function bothSides(amount: number) {
  const ids = [near.account.account_id, far.account.account_id]
  const read = async (id: string) => {
    const [row] = await database.owner<{ available: bigint; lines: number }[]>`
      select available, (
          select count(*)::integer from balance_transactions t
          where t.account_id = ${id} and abs(t.net_amount) = ${amount}) as lines
      from balances where account_id = ${id} and currency = 'USD'`
    return row ?? { available: 0n, lines: 0 }
  }
  const [one, other] = await Promise.all(ids.map(read))
  return {
    total: (one?.available ?? 0n) + (other?.available ?? 0n),
    lines: [one?.lines, other?.lines],
  }
}

for (const [what, commit, where] of [
  ['before PREPARE', PREPARE, 'before COMMIT'],
  ['behind PREPARE', PREPARE, 'behind COMMIT'],
  ['before COMMIT PREPARED', COMMIT_PREPARED, 'before COMMIT'],
  ['before the answer to COMMIT PREPARED', COMMIT_PREPARED, 'before its answer'],
] as const satisfies readonly (readonly [string, Commit, Cut])[]) {
  test(`connection cut ${what}, payout to an account on another node: in both books or in neither, once per key`, {
    skip,
  }, async () => {
    amount += 1
    const body = internalPayout(far.account.deposit_address, amount)
    const { total } = await bothSides(amount)
    proxy.cutCommits(where, 1, commit)
    const first = await pay(body, what)
    assert.equal(proxy.cutsLeft(), 0)
    if (first.status !== 200) assertUnknown(first)
    // What the cluster does by itself once a minute.
    await until('nothing is halfway', async () => {
      await database.owner`select recover_prepared_transactions()`
      const { lines } = await bothSides(amount)
      return lines[0] === lines[1]
    })
    const again = await pay(body, what)
    assert.equal(again.status, 200, again.text)
    if (first.status === 200) assert.equal(again.text, first.text)
    assert.deepEqual(await bothSides(amount), { total, lines: [1, 1] })
  })
}

test('two processes settle, COMMITs to a node cut: each payout submitted once', {
  skip,
}, async () => {
  const config = {
    ...readConfig({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' }),
    rail_timeout_ms: 300,
  }
  const open = () => openDeps(database.url, config, pino({ level: 'silent' }), makeMetrics())
  const bank = rememberingRail()
  const processes = await Promise.all([open(), open()])
  try {
    for (const where of ['before COMMIT', 'behind COMMIT', 'before its answer'] as const) {
      proxy.cutCommits(where, 4, ONE_PHASE)
      await until('a few were cut', async () => {
        await payMore()
        await Promise.all(processes.map(deps => settleOnce(askingRail(deps, bank))))
        return proxy.cutsLeft() === 0
      })
    }
    await until('all are settled', async () => {
      await Promise.all(processes.map(deps => settleOnce(askingRail(deps, bank))))
      const [open] = await database.owner`select from open_payouts limit 1`
      return open === undefined
    })
  } finally {
    await Promise.all(processes.map(deps => deps.close()))
  }
  assert.deepEqual([...new Set(bank.handed.values())], [1])
})

test('books after all tests of this file: corridor verify clean', { skip }, async () => {
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})
