// kill -9 of the service in the middle of keyed payouts, at moments a seed decides, and a restart
// each time: nothing acknowledged is lost, nothing is paid twice.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { OpenedAccount } from '../../src/cli/account.ts'
import { checkBooks } from '../support/books.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Asked, askAgain, checkPaid, startLoad } from '../support/load.ts'
import {
  type HttpClient,
  httpClient,
  openAccountOn,
  pickSeed,
  type RunningProcess,
  seeded,
  startProcess,
} from '../support/process.ts'

const KILLS = 6

let database: TestDatabase
let account: OpenedAccount
let client: HttpClient
let service: RunningProcess

before(async () => {
  database = await createDatabase()
  account = await openAccountOn(database.url, { USD: 1_000_000_000n })
  client = httpClient(account)
})
after(async () => {
  client?.close()
  await service?.kill()
  await database.drop()
})

test(`kill -9 of the service, ${KILLS} times under load: each key is paid exactly once`, async t => {
  const seed = pickSeed()
  const random = seeded(seed)
  const env = { DATABASE_URL: database.url }
  const all: Asked[] = []
  const cold: number[] = []
  for (let round = 0; round < KILLS; round++) {
    const started = performance.now()
    service = await startProcess(env)
    cold.push(Math.round(performance.now() - started))
    const { address } = service
    const name = `kill-${seed}-${round}`
    const load = startLoad({ client, clients: 16, address: () => address, name, random })
    await delay(150 + random() * 600)
    service.signal('SIGKILL')
    const stopped = load.stop()
    assert.equal(await service.ended, 'SIGKILL')
    await stopped
    all.push(...load.asked)
  }
  service = await startProcess(env)
  const unheard = all.filter(one => one.answer === undefined).length
  const { acknowledged, committed_unheard } = await askAgain(client, service.address, all)
  t.diagnostic(
    `SEED=${seed} ${KILLS} kills, ${all.length} keys: ${acknowledged} acknowledged, ${unheard} unheard, ` +
      `of which ${committed_unheard} had committed; restarts ${cold.join(', ')} ms`,
  )
  assert.ok(acknowledged > 100 && unheard > 0, 'the kills hit a service at work')
  await checkPaid(database.owner, account.account.account_id, all)
  await checkBooks(database.owner, env)
})
