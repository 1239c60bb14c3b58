// kill -9 of the delivery worker, again and again, while eight writers make thousands of events: every
// event arrives, hardly any twice, in the order of its object, signed. In the long share.
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { bankBeneficiary } from '../support/given/bodies.ts'
import {
  addEndpoint,
  judge,
  type Receiver,
  startReceiver,
  verifySignature,
} from '../support/network/receiver.ts'
import { type Listening, startListening } from '../support/service/listening.ts'
import { type RunningProcess, startProcess, until } from '../support/service/process.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { LONG } from '../support/share.ts'

const EVENTS = 10_000
/** Each when so many more have arrived than when the process before it was killed. */
const KILLS = 9
const WRITERS = 8
/** Two writers each; each has an endpoint. */
const ACCOUNTS = 4
/** Events of one object. */
const CHAIN = 10
/** Each writer's pace, so that there is something to send for as long as workers live. */
const PER_SECOND = 60

interface Scene {
  readonly service: TestService
  readonly receiver: Receiver
  /** By path. */
  readonly secrets: ReadonlyMap<string, string>
  readonly accounts: readonly Client[]
}

let worker: RunningProcess | undefined
/** The one that is not killed. */
let last: Listening | undefined
after(() => worker?.kill())

async function openScene(): Promise<Scene> {
  const service = await startTestService()
  const receiver = await startReceiver(() => ({ status: 200 }))
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => service.openAccount()))
  const secrets = new Map<string, string>()
  for (const [i, { account }] of accounts.entries()) {
    const url = `${receiver.url}/${i}`
    const { secret } = await addEndpoint(service.database, account.account_id, url)
    secrets.set(`/${i}`, secret)
  }
  return { service, receiver, secrets, accounts }
}

const envOf = ({ service }: Scene) => ({
  DATABASE_URL: service.database.url,
  CORRIDOR_SETTLE: 'off',
  CORRIDOR_WEBHOOK_ALLOW_PRIVATE: 'on',
  // A killed worker's claims come due after this and five seconds.
  CORRIDOR_WEBHOOK_TIMEOUT_MS: '1000',
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

/** Everything is delivered while the worker is killed again and again. */
async function deliver(scene: Scene, t: TestContext): Promise<void> {
  const { receiver, accounts } = scene
  const ids = new Set<string>()
  let ids_seen = 0
  const arrived = () => {
    for (const { event } of receiver.received.slice(ids_seen)) ids.add(event.id)
    ids_seen = receiver.received.length
    return ids.size
  }
  const writing = Promise.all([...accounts, ...accounts].map(write))
  for (let kill = 1; kill <= KILLS; kill++) {
    worker = await startProcess(envOf(scene))
    const enough = Math.trunc((kill * EVENTS) / (KILLS + 1))
    await until(`${enough} arrive`, () => arrived() >= enough)
    await worker.kill()
  }
  last = await startListening(envOf(scene))
  await until('all arrive', () => arrived() >= EVENTS)
  await writing
  await assertAll(scene)
  assert.equal(ids.size, EVENTS)
  const { twice, disordered } = judge(receiver.received)
  assert.deepEqual(disordered, [])
  t.diagnostic(`${EVENTS} events, ${KILLS} kills; ${twice} came twice`)
  assert.ok(twice <= EVENTS / 100, `${twice} came twice`)
}

/** Every signature is good, and every delivery is recorded as succeeded. */
async function assertAll({ service, receiver, secrets }: Scene): Promise<void> {
  const { owner } = service.database
  await until('all is recorded', async () => {
    const [row] = await owner<{ left: number }[]>`
      select count(*)::integer as left from webhook_deliveries where status = 'pending'`
    return row?.left === 0
  })
  for (const one of receiver.received) verifySignature(secrets.get(one.path) ?? '', one)
  const [row] = await owner<{ events: number; succeeded: number }[]>`
    select (select count(*)::integer from each_event) as events,
      (select count(*)::integer from webhook_deliveries where status = 'succeeded') as succeeded`
  assert.deepEqual({ ...row }, { events: EVENTS, succeeded: EVENTS })
}

test(`delivery worker killed, ${KILLS} times, ${EVENTS} events by ${WRITERS} writers: all delivered, in order`, {
  skip: !LONG && 'in the long share',
}, async t => {
  const scene = await openScene()
  try {
    await deliver(scene, t)
  } finally {
    await worker?.kill()
    await last?.close()
    await scene.receiver.close()
    await scene.service.close()
  }
})
