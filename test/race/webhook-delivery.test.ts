// Delivery side by side: endpoints that hang beside others that answer, and two workers on one
// database. A request that hangs does so for longer than any test: whoever waited for one would never
// get its own.
import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { startDelivering } from '../../src/app/worker/deliver-webhooks.ts'
import type { Worker } from '../../src/app/worker/worker.ts'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { bankBeneficiary } from '../support/given/bodies.ts'
import { addEndpoint, judge, type Receiver, startReceiver } from '../support/network/receiver.ts'
import { until } from '../support/service/process.ts'
import { type Client, startTestService } from '../support/service/service.ts'

let receiver: Receiver
const connections: Sql[] = []
let workers: Worker[] = []

const service = await startTestService({ webhook_allow_private: true, webhook_timeout_ms: 600_000 })
after(async () => {
  await Promise.all(connections.map(sql => sql.end({ timeout: 5 })))
  await service.close()
})
afterEach(async () => {
  receiver.answer(() => ({ status: 204 }))
  await receiver.close()
  await Promise.all(workers.map(worker => worker.stop()))
  workers = []
  // The next test's workers would go on with them.
  await service.database.owner`delete from webhook_endpoints`
})

function startWorkers(count: number): void {
  workers = Array.from({ length: count }, () => {
    const sql = connect(service.database.url, { max: 4, as: 'service', look_ups: true })
    connections.push(sql)
    return startDelivering(service.deps, sql)
  })
}

async function makeEvent(account: Client): Promise<void> {
  const answer = await account.post('/v3/beneficiary', bankBeneficiary)
  assert.equal(answer.status, 200, answer.text)
}

const addTo = ({ account }: Client, path: string) =>
  addEndpoint(service.database, account.account_id, `${receiver.url}${path}`)

const arrivedAt = (path: string) => receiver.received.filter(one => one.path === path)

/** So many events of each account, all at once. */
const makeEvents = (accounts: readonly Client[], count: number) =>
  Promise.all(accounts.flatMap(account => Array.from({ length: count }, () => makeEvent(account))))

const openAccounts = (count: number) =>
  service.openAccounts(Array.from({ length: count }, () => ({})))

/** The requests that receivers hold, and none of which has ended. */
const hanging = () => receiver.out().filter(one => one.path === '/hangs')

/** Deliveries with an attempt that is known to have got no answer. */
async function countUnanswered(): Promise<number> {
  const rows = await service.database.owner<{ count: number }[]>`
    select count(distinct delivery_id)::integer as count from webhook_attempts
    where status_code is null`
  return rows[0]?.count ?? NaN
}

test('delivery, two thirds of the endpoints do not answer from the start: one request each, the others receive everything', async () => {
  receiver = await startReceiver(({ path }) => (path === '/hangs' ? undefined : { status: 200 }))
  const accounts = await openAccounts(4)
  for (const account of accounts) {
    for (const path of ['/hangs', '/hangs', '/answers']) await addTo(account, path)
  }
  startWorkers(1)
  await makeEvents(accounts, 1)
  await until('the receivers hang', () => hanging().length === 8)
  await makeEvents(accounts, 5)
  await until('all arrive', () => arrivedAt('/answers').length === 24)
  assert.equal(hanging().length, 8, 'none of them has ended')
  assert.equal(arrivedAt('/hangs').length, 8, 'and they hold one each')
  assert.deepEqual(judge(arrivedAt('/answers')), { twice: 0, disordered: [] })
})

/** What all endpoints that are slow to answer may have out together: half of what a process may. */
const MAX_SLOW = 128

test('delivery, 144 endpoints that do not answer, known as slow: at most half of all requests, the others receive everything', async () => {
  receiver = await startReceiver(({ path }) => (path === '/hangs' ? 'cut' : { status: 200 }))
  const [slow, others] = [await openAccounts(9), await openAccounts(2)]
  const adding = slow.flatMap(one => Array.from({ length: 16 }, () => addTo(one, '/hangs')))
  await Promise.all([...adding, ...others.map(one => addTo(one, '/answers'))])
  const all = (await countUnanswered()) + adding.length
  startWorkers(1)
  await makeEvents(slow, 1)
  await until('all are known to be slow', async () => (await countUnanswered()) === all)
  receiver.answer(({ path }) => (path === '/hangs' ? undefined : { status: 200 }))
  await makeEvents(slow, 1)
  await until('the receivers hang', () => hanging().length === MAX_SLOW)
  const held = hanging()
  await makeEvents(others, 20)
  await until('all arrive', () => arrivedAt('/answers').length === 40)
  assert.deepEqual(hanging(), held, 'none of them has ended, and no other is out')
  assert.deepEqual(judge(arrivedAt('/answers')), { twice: 0, disordered: [] })
})

test('delivery by two workers: everything once, in order', async () => {
  receiver = await startReceiver()
  const accounts = await openAccounts(3)
  for (const account of accounts) await addTo(account, '/')
  startWorkers(2)
  const made = accounts.flatMap(account =>
    Array.from({ length: 8 }, async () => {
      const { json } = await account.post('/v3/beneficiary', bankBeneficiary)
      for (let i = 0; i < 4; i++) {
        const body = { ...bankBeneficiary, name: `Harbour ${i}` }
        const answer = await account.put(`/v3/beneficiary/${json.data.id}`, body)
        assert.equal(answer.status, 200, answer.text)
      }
    }),
  )
  await Promise.all(made)
  await until('all arrive', () => receiver.received.length >= 120)
  await Promise.all(workers.map(worker => worker.stop()))
  assert.equal(receiver.received.length, 120)
  assert.deepEqual(judge(receiver.received), { twice: 0, disordered: [] })
})
