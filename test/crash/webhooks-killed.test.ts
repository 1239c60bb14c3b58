// kill -9 of the delivery worker every two seconds while eight writers make ten thousand events:
// every event arrives, hardly any twice, in the order of its object, signed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { bankBeneficiary } from '../support/bodies.ts'
import { type RunningProcess, startProcess, until } from '../support/process.ts'
import {
  addEndpoint,
  judge,
  type Receiver,
  startReceiver,
  verifySignature,
} from '../support/receiver.ts'
import { type Client, startTestService, type TestService } from '../support/service.ts'

const EVENTS = 10_000
const WRITERS = 8
/** Two writers each; each has an endpoint. */
const ACCOUNTS = 4
/** Events of one object. */
const CHAIN = 10
const KILL_EVERY_MS = 2_000
/**
 * Each writer's pace, 480 events a second over all: what is sent and not recorded when a worker is
 * killed comes twice, and that is as much as may be out at once while there is a backlog.
 */
const PER_SECOND = 60

let service: TestService
let receiver: Receiver
let worker: RunningProcess | undefined
const secrets = new Map<string, string>()

before(async () => {
  service = await startTestService()
  receiver = await startReceiver(() => ({ status: 200 }))
})
after(async () => {
  await worker?.kill()
  await receiver.close()
  await service.close()
})

const startWorker = () =>
  startProcess({
    DATABASE_URL: service.database.url,
    CORRIDOR_SETTLE: 'off',
    CORRIDOR_WEBHOOK_ALLOW_PRIVATE: 'on',
    // A killed worker's claims come due after this and five seconds.
    CORRIDOR_WEBHOOK_TIMEOUT_MS: '1000',
    LOG_LEVEL: 'info',
  })

/** Objects of an account, each made once and changed again and again. */
async function write(account: Client): Promise<void> {
  const started = performance.now()
  let id = ''
  for (let i = 0; i < EVENTS / WRITERS; i++) {
    await delay(Math.max(0, started + (i * 1000) / PER_SECOND - performance.now()))
    const body = { ...bankBeneficiary, name: `Harbour ${i}` }
    const answer =
      i % CHAIN === 0
        ? await account.post('/v3/beneficiary', body)
        : await account.put(`/v3/beneficiary/${id}`, body)
    assert.equal(answer.status, 200, answer.text)
    id = answer.json.data.id
  }
}

test(`kill -9 of the delivery worker every ${KILL_EVERY_MS} ms, ${EVENTS} events by ${WRITERS} writers: all arrive, in order`, async t => {
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => service.openAccount()))
  for (const [i, { account }] of accounts.entries()) {
    const url = `${receiver.url}/${i}`
    const { secret } = await addEndpoint(service.database, account.account_id, url)
    secrets.set(`/${i}`, secret)
  }
  const ids = new Set<string>()
  const arrived = () => {
    for (const { event } of receiver.received.slice(ids_seen)) ids.add(event.id)
    ids_seen = receiver.received.length
    return ids.size
  }
  let ids_seen = 0
  let kills = 0
  const started = performance.now()
  const seconds = () => ((performance.now() - started) / 1000).toFixed(1)
  let written = ''
  const writing = Promise.all([...accounts, ...accounts].map(write)).then(() => {
    written = seconds()
  })
  const lives: number[] = []
  while (arrived() < EVENTS) {
    worker = await startWorker()
    const before = arrived()
    const killed_at = performance.now() + KILL_EVERY_MS
    while (arrived() < EVENTS && performance.now() < killed_at) await delay(10)
    lives.push(arrived() - before)
    if (arrived() >= EVENTS) break
    await worker.kill()
    kills += 1
    assert.ok(kills < 60, `${arrived()} of ${EVENTS} have arrived`)
  }
  await writing
  const took = seconds()
  await until('all is recorded', 15_000, async () => {
    const [row] = await service.database.owner<{ left: number }[]>`
      select count(*)::integer as left from webhook_deliveries where status = 'pending'`
    return row?.left === 0
  })
  const { twice, disordered } = judge(receiver.received)
  t.diagnostic(
    `${EVENTS} events written in ${written} s, all delivered in ${took} s, ${kills} kills; ` +
      `${twice} came twice (${((twice / EVENTS) * 100).toFixed(2)} %); new in each life: ${lives.join(', ')}`,
  )
  for (const one of receiver.received) verifySignature(secrets.get(one.path) ?? '', one)
  const [row] = await service.database.owner<{ events: number; succeeded: number }[]>`
    select (select count(*)::integer from events) as events,
      (select count(*)::integer from webhook_deliveries where status = 'succeeded') as succeeded`
  assert.deepEqual({ ...row }, { events: EVENTS, succeeded: EVENTS })
  assert.equal(ids.size, EVENTS)
  assert.ok(kills >= 3, 'the kills hit a worker at work')
  assert.deepEqual(disordered, [])
  assert.ok(twice <= EVENTS / 100, `${twice} came twice`)
})
