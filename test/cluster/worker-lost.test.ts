// A machine of a spread database is stopped as if its power had gone, under load, while two processes
// settle: requests are answered, those of accounts elsewhere go on, nothing that was acknowledged is
// lost, nothing is there twice, and nothing is handed over twice.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { startSettling } from '../../src/app/worker/settle-payouts.ts'
import type { Worker as Settling } from '../../src/app/worker/worker.ts'
import { readConfig } from '../../src/config/config.ts'
import { type Deps, openDeps } from '../../src/runtime/deps.ts'
import { makeMetrics } from '../../src/runtime/metrics.ts'
import { checkBooks } from '../support/assert/books.ts'
import {
  listWorkers,
  loseWorker,
  unlessCluster,
  type Worker,
  workerOf,
} from '../support/database/citus.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import {
  checkPaid,
  type KeyedPayout,
  type Load,
  repeatAll,
  startLoad,
} from '../support/service/load.ts'
import {
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
import { askingRail, rememberingRail } from '../support/service/settling.ts'
import { share } from '../support/share.ts'

const ROUNDS = share(2, 20)
const LOAD_MS = 1_500
const AWAY_S = 2

/** An account, and the machine that has its rows. */
interface Paying {
  readonly client: HttpClient
  readonly account_id: string
  readonly node_id: number
  readonly asked: KeyedPayout[]
}

let database: TestDatabase
let service: RunningProcess
let workers: readonly Worker[]
let processes: readonly Deps[]
let settling: readonly Settling[]
const accounts: Paying[] = []

/** Of both processes. */
const bank = rememberingRail()

async function openOn(node_id: number): Promise<Paying> {
  for (;;) {
    const opened = await openAccountOn(database.url, { USD: 1_000_000_000n })
    const { account_id } = opened.account
    if ((await workerOf(database, account_id)) !== node_id) continue
    return { client: httpClient(opened), account_id, node_id, asked: [] }
  }
}

before(async () => {
  if (unlessCluster !== false) return
  database = await createDatabase()
  workers = await listWorkers(database)
  for (const { node_id } of workers) accounts.push(await openOn(node_id), await openOn(node_id))
  const off = { CORRIDOR_SETTLE: 'off', CORRIDOR_WEBHOOKS: 'off' }
  service = await startProcess({ DATABASE_URL: database.url, ...off })
  const config = {
    ...readConfig({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' }),
    settle_poll_ms: 20,
    rail_timeout_ms: 500,
  }
  const open = () => openDeps(database.url, config, pino({ level: 'silent' }), makeMetrics())
  processes = await Promise.all([open(), open()])
  settling = processes.map(deps => startSettling(askingRail(deps, bank)))
})
after(async () => {
  if (unlessCluster !== false) return
  for (const { client } of accounts) client.close()
  await service?.kill()
  await Promise.all((settling ?? []).map(worker => worker.stop()))
  await Promise.all((processes ?? []).map(deps => deps.close()))
  await database?.drop()
})

test(`node lost for ${AWAY_S} s, ${ROUNDS} times under load: nothing lost, nothing twice`, {
  skip: unlessCluster,
}, async t => {
  const seed = pickSeed()
  const random = seeded(seed)
  const back: number[] = []
  let elsewhere = 0
  for (let round = 0; round < ROUNDS; round++) {
    const lost = workers[round % workers.length] as Worker
    const loads: Load[] = accounts.map(({ client, account_id }) =>
      startLoad({
        client,
        clients: 4,
        address: () => service.address,
        name: `${account_id}-${seed}-${round}`,
        random,
        quoted_percent: 20,
        retry_ms: 100,
      }),
    )
    await delay(LOAD_MS + random() * 500)
    const lost_at = performance.now()
    await loseWorker(lost, AWAY_S)
    await until('every account pays again', async () =>
      loads.every(({ asked }) =>
        asked.some(one => one.answer?.status === 200 && one.asked_at > lost_at + 1_000 * AWAY_S),
      ),
    )
    back.push(Math.round(performance.now() - lost_at))
    await Promise.all(loads.map(load => load.stop()))
    for (const [i, { asked, node_id }] of accounts.entries()) {
      const of = (loads[i] as Load).asked
      asked.push(...of)
      if (node_id === lost.node_id) continue
      elsewhere += of.filter(
        ({ answer, asked_at, ended_at }) =>
          answer?.status === 200 && asked_at > lost_at && ended_at < lost_at + 1_000 * AWAY_S,
      ).length
    }
  }
  const all = accounts.flatMap(({ asked }) => asked)
  const answers = all.flatMap(({ answer }) => (answer === undefined ? [] : [answer]))
  assert.equal(answers.length, all.length, 'every request was answered')
  const kinds = tally(answers)
  t.diagnostic(
    `SEED=${seed} ${JSON.stringify(kinds)}, ${elsewhere} elsewhere meanwhile; all paying again after ${back.join(', ')} ms`,
  )
  assert.deepEqual(
    Object.keys(kinds).filter(kind => kind !== '503 service_unavailable'),
    ['200'],
  )
  assert.ok(elsewhere > 0, 'accounts of the other machine were paid meanwhile')
  for (const { client, account_id, asked } of accounts) {
    const { acknowledged, committed_unanswered } = await repeatAll(client, service.address, asked)
    t.diagnostic(`${account_id}: ${acknowledged} acknowledged, ${committed_unanswered} unheard`)
    await checkPaid(database.owner, account_id, asked)
  }
  await until('all are settled', async () => {
    const [open] = await database.owner`select from open_payouts limit 1`
    return open === undefined
  })
  const twice = [...bank.handed].filter(([, times]) => times > 1)
  assert.deepEqual(twice, [])
  assert.equal(bank.handed.size, all.length)
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})
