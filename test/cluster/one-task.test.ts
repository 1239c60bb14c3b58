// What a payout's way asks of a spread database, from its quote to its webhook and the lists that show
// it: each statement is explained with the values that it was sent with, and is one task of one machine.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { deliverDue } from '../../src/app/worker/deliver-webhooks.ts'
import { literal, SERVICE_ROLE } from '../../src/sql/connect.ts'
import { type Sent, Statement } from '../../src/sql/sql.ts'
import { REVIEWED } from '../statements/reviewed.ts'
import { unlessCluster } from '../support/database/citus.ts'
import { localPayout } from '../support/given/bodies.ts'
import { addEndpoint, startReceiver } from '../support/network/receiver.ts'
import { startTestService, type TestService } from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'

const skip = unlessCluster

/** By text, the values with which it was sent first. */
const sent = new Map<string, Sent['parameters']>()
let listening = false

function listen(): void {
  const execute = Statement.prototype.execute
  Statement.prototype.execute = function heard(this: Statement) {
    const answer = execute.call(this)
    answer.then(
      () => {
        if (!listening) return
        const { text, parameters } = this.written()
        if (!sent.has(text)) sent.set(text, parameters)
      },
      () => {},
    )
    return answer
  } as typeof execute
}

let service: TestService
before(async () => {
  if (skip !== false) return
  service = await startTestService({ simulator_delay_ms: 0, webhook_allow_private: true })
  listen()
})
after(() => (skip === false ? service.close() : undefined))

/** A payout by a quote, one without, and one of many; settled, told, read and listed. */
async function payAndRead(t: TestContext): Promise<string[]> {
  const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
  const { account_id } = account.account
  const receiver = await startReceiver(() => ({ status: 200 }))
  t.after(() => receiver.close())
  await addEndpoint(service.database, account_id, `${receiver.url}/`)
  listening = true
  const ask = async (path: string, body: object, key?: string) => {
    const headers = key === undefined ? {} : { 'idempotency-key': key }
    const answer = await account.post(path, body, headers)
    assert.equal(answer.status, 200, answer.text)
    return answer.json.data ?? answer.json
  }
  const { currency, beneficiary_details } = localPayout
  const quote = await ask('/v3/payout/quote', { payout_info: { currency, amount: 10_000 } })
  const quoted = await ask('/v3/payout', { ...localPayout, quote: quote.id, amount: 10_000 }, 'one')
  const made = await ask('/v3/payout', { ...localPayout, amount: 20_000 }, 'two')
  await ask('/v3/payout', { ...localPayout, amount: 20_000 }, 'two')
  const beneficiary = await ask('/v3/beneficiary', beneficiary_details)
  const batch = await ask('/v3/payout_batch', { payouts: [{ ...localPayout, amount: 300 }] })
  await settleAll(service)
  await deliverDue(service.deps, service.deps.sql)
  const reads = [
    `/v3/payout/${quoted.id}`,
    `/v3/payout/${made.id}`,
    `/v3/payout/quote/${quote.id}`,
    `/v3/payout/quote/${made.id.replace('pot_', 'poq_')}`,
    `/v3/beneficiary/${beneficiary.id}`,
    `/v3/payout_batch/${batch.id}`,
    `/v3/balance_transaction/${made.balance_transaction}`,
    '/v3/balance',
    '/v3/payout?limit=2&status=succeeded',
    '/v3/payout?limit=2',
    '/v3/event?limit=2',
    '/v3/balance_transaction?limit=2',
    '/v3/beneficiary?limit=2',
  ]
  for (const path of reads) {
    const answer = await account.get(path)
    assert.equal(answer.status, 200, `${path}: ${answer.text}`)
  }
  listening = false
  assert.ok(receiver.received.length > 0)
  return [account_id]
}

/** The parts of a plan that are jobs of machines: how many tasks each is, and whether it waits for others. */
function jobsOf(plan: unknown): { tasks: number; waits: boolean }[] {
  if (typeof plan !== 'object' || plan === null) return []
  const { Job: job, Subplans: subplans } = plan as {
    Job?: { 'Task Count'?: number }
    Subplans?: readonly unknown[]
  }
  const own =
    job === undefined ? [] : [{ tasks: job['Task Count'] ?? 0, waits: !!subplans?.length }]
  return [...own, ...Object.values(plan).flatMap(jobsOf)]
}

test('statements that make a payout: each runs as one task on one node', { skip }, async t => {
  const names = (await payAndRead(t)).join()
  const explained = [...sent].filter(([text]) =>
    /^\s*(?:with|select|insert|update|delete)\b/.test(text),
  )
  const faults: string[] = []
  let single = 0
  let at_machine = 0
  for (const [text, values] of explained) {
    // Sent to the machine itself, of tables that are there alone.
    if (/\w_\d{6}\b/.test(text)) {
      at_machine += 1
      continue
    }
    const plan = await service.database.owner.begin(async tx => {
      await tx.unsafe(`set local role ${SERVICE_ROLE}`)
      await tx.unsafe(`set local corridor.accounts = ${literal(names)}`)
      const [row] = await tx.unsafe(`explain (format json, costs off) ${text}`, values)
      return row?.['QUERY PLAN']
    })
    const jobs = jobsOf(plan)
    const plain = text.replace(/\s+/g, ' ').trim()
    const reviewed = REVIEWED.some(({ says }) => says !== '' && plain.includes(says))
    if (jobs.every(({ tasks, waits }) => tasks === 1 && !waits)) single += jobs.length
    else if (!reviewed) faults.push(`${JSON.stringify(jobs)} ${plain.slice(0, 200)}`)
  }
  t.diagnostic(
    `${explained.length} statements, ${single} of them of machines, each one task, and ` +
      `${at_machine} sent to the machine itself`,
  )
  assert.deepEqual(faults, [])
  assert.ok(at_machine > 5, `${at_machine} statements were sent to the machine itself`)
  assert.ok(single > 30, `${single} statements were asked of machines`)
})
