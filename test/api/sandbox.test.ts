// What only accounts for tests can do: a clock of their own, money from nowhere, payouts moved by
// hand. A live account is refused all of it, in the service and in the database.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deliverDue } from '../../src/app/worker/deliver-webhooks.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { checkBooks } from '../support/assert/books.ts'
import { assertRefused, balancesOf } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { addEndpoint, startReceiver } from '../support/network/receiver.ts'
import { pay } from '../support/service/payouts.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { askingRail, railOf } from '../support/service/settling.ts'

const DELAY_MS = 3_600_000
const DAY_S = 86_400

let service: TestService
let sandbox: Client
let live: Client
before(async () => {
  service = await startTestService({ simulator_delay_ms: DELAY_MS })
  await service.setRates({ 'EUR/USD': '1.1269', 'EUR/HKD': '8.8438' })
  await service.setFees([{}])
  const fund = { USD: 100_000_000n }
  sandbox = await service.openAccount({ currencies: ['USD'], fund, sandbox: true })
  live = await service.openAccount({ currencies: ['USD'], fund, sandbox: false })
  await service.setRoutes([{}])
})
after(async () => {
  await checkBooks(service.database.owner, { DATABASE_URL: service.database.url })
  await service.close()
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
type Json = any

async function advance(seconds: number, headers: Record<string, string> = {}): Promise<Json> {
  const answer = await sandbox.post('/v3/sandbox/clock/advance', { seconds }, headers)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

const QUOTE = { payout_type: 'local', payout_info: { currency: 'USD', amount: 10_000 } }

test('PostgreSQL, clock of a live account moved, or clock of a sandbox set back: refused', async () => {
  await advance(1)
  for (const [{ account }, to, refused] of [
    [live, '1 hour', /clock_of_a_sandbox/],
    [sandbox, '0', /cannot go back/],
  ] as const) {
    const move = service.database.owner`
      update books set clock_ahead = ${to}::interval where account_id = ${account.account_id}`
    await assert.rejects(move.execute(), refused)
  }
})

test('sandbox clock advanced: new objects have the later time, objects of other accounts do not', async () => {
  const { now, ahead_s } = await advance(DAY_S)
  assert.ok(ahead_s >= DAY_S)
  const later = Date.parse(now)
  assert.ok(Math.abs(later - Date.now() - ahead_s * 1000) < 120_000, now)
  const payout = await pay(sandbox)
  assert.ok(payout.created_at >= now, `${payout.created_at} before ${now}`)
  const [event] = (await sandbox.get('/v3/event?limit=1')).json.data.results
  assert.equal(event.created_at, payout.created_at)
  const other = await pay(live)
  assert.ok(Date.parse(other.created_at) < later - DAY_S * 500, other.created_at)
})

test('sandbox clock advanced past valid_until: quote expired on GET, in lists and for a payout', async () => {
  const { json: quote } = await sandbox.post('/v3/payout/quote', QUOTE)
  assert.equal(quote.status, 'active')
  await advance(1799)
  assert.equal((await sandbox.get(`/v3/payout/quote/${quote.id}`)).json.status, 'active')
  await advance(1)
  assert.equal((await sandbox.get(`/v3/payout/quote/${quote.id}`)).json.status, 'expired')
  const listed = await sandbox.get('/v3/payout/quote?status=expired&limit=1')
  assert.equal(listed.json.data.results[0].id, quote.id)
  const body = { ...localPayout, amount: 10_000, currency: 'USD', quote: quote.id }
  assertRefused(await sandbox.post('/v3/payout', body), 422, 'quote_expired')
})

test("sandbox clock advanced by the simulator's delay: one step of the simulator", async () => {
  const steps = await pay(sandbox, { amount: 300_000 })
  const status = async () => {
    await settleOnce(service.deps)
    return (await sandbox.get(`/v3/payout/${steps.id}`)).json.data.status
  }
  assert.equal(await status(), 'processing')
  await advance(DELAY_MS / 1000)
  assert.equal(await status(), 'compliance_hold')
  assert.equal(await status(), 'compliance_hold')
  await advance(DELAY_MS / 1000)
  assert.equal(await status(), 'succeeded')
})

test('sandbox clock advanced while the rail is asked: due time of the payout unchanged', async () => {
  const { id } = await pay(sandbox)
  const later = { steps: [], ask_again_in_ms: 2 * DELAY_MS }
  const succeeded = { status: 'succeeded', failure: null } as const
  const rail = railOf({
    async submit(payout) {
      if (payout.id === id) await advance(DELAY_MS / 1000)
      return later
    },
    inquire: async payout =>
      payout.id === id ? { steps: [succeeded], ask_again_in_ms: null } : later,
  })
  await settleOnce(askingRail(service.deps, rail))
  await settleOnce(askingRail(service.deps, rail))
  assert.equal((await sandbox.get(`/v3/payout/${id}`)).json.data.status, 'succeeded')
})

test('sandbox clock advanced by the retry delay: webhook sent again, not before', async () => {
  const receiver = await startReceiver(() => ({ status: 500 }))
  const { sql } = service.deps
  const deps = { ...service.deps, config: { ...service.deps.config, webhook_allow_private: true } }
  const types = { event_types: ['payout.created'] }
  await addEndpoint(service.database, sandbox.account.account_id, receiver.url, types)
  await pay(sandbox)
  assert.equal(await deliverDue(deps, sql), 1)
  assert.equal(await deliverDue(deps, sql), 0)
  // The first retry is due after 5 s, give or take a tenth.
  await advance(6)
  assert.equal(await deliverDue(deps, sql), 1)
  await advance(20)
  assert.equal(await deliverDue(deps, sql), 0)
  await advance(14)
  assert.equal(await deliverDue(deps, sql), 1)
  assert.equal(new Set(receiver.received.map(({ event }) => event.id)).size, 1)
  await receiver.close()
})

test('sandbox clock advanced by 24 hours: idempotency key can be used anew, not a second before', async () => {
  const headers = { 'idempotency-key': 'aged' }
  const first = await sandbox.post('/v3/payout', localPayout, headers)
  await advance(DAY_S - 5)
  const again = await sandbox.post('/v3/payout', localPayout, headers)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(again.text, first.text)
  await advance(5)
  const later = await sandbox.post('/v3/payout', localPayout, headers)
  assert.equal(later.status, 200)
  assert.equal(later.headers['idempotent-replayed'], undefined)
  assert.notEqual(later.json.data.id, first.json.data.id)
})

test('sandbox clock advanced by twenty parallel requests: every advance counts', async () => {
  const { ahead_s } = await advance(1)
  await Promise.all(Array.from({ length: 20 }, () => advance(10)))
  assert.equal((await advance(1)).ahead_s, ahead_s + 201)
})

test('GET /v3/balance?as_of, time between two advances of a sandbox clock: the balance at that time', async () => {
  const { now } = await advance(60)
  const before = await balancesOf(sandbox)
  await advance(60)
  await pay(sandbox)
  const then = await sandbox.get(`/v3/balance?as_of=${now}`)
  const amounts = then.json.data.available.map((b: Json) => [b.currency, b.amount])
  assert.deepEqual(
    amounts,
    Object.entries(before).map(([c, a]) => [c, String(a)]),
  )
})

test('POST /v3/sandbox/fund: a credit of type escrow, once per Idempotency-Key', async () => {
  const headers = { 'idempotency-key': 'fund' }
  const body = { amount: 12_345, currency: 'USD' }
  const before = (await sandbox.get('/v3/balance')).json.data.available[0].amount
  const first = await sandbox.post('/v3/sandbox/fund', body, headers)
  const again = await sandbox.post('/v3/sandbox/fund', body, headers)
  assert.equal(first.status, 200, first.text)
  assert.equal(again.text, first.text)
  const line = first.json.data
  assert.deepEqual(
    [line.type, line.operation_type, line.amount, line.net],
    ['escrow', 'credit', 12_345, { amount: 12_345, currency: 'USD' }],
  )
  const after = (await sandbox.get('/v3/balance')).json.data.available[0].amount
  assert.equal(BigInt(after) - BigInt(before), 12_345n)
})

test('POST /v3/sandbox/fund, a currency not held or a balance above 2^62: refused at the field', async () => {
  const fund = { USD: 2n ** 62n - 1n }
  const rich = await service.openAccount({ currencies: ['USD'], fund, sandbox: true })
  const add = (currency: string) => rich.post('/v3/sandbox/fund', { amount: 1, currency })
  assertRefused(await add('EUR'), 400, 'holding_currency_not_found', 'currency')
  assert.equal((await add('USD')).status, 200)
  assertRefused(await add('USD'), 422, 'balance_limit_exceeded', 'amount')
})

test('POST /v3/sandbox/payout/{id}/transition: same balance and status as after a report of the rail', async () => {
  const before = await balancesOf(sandbox)
  const { id } = await pay(sandbox)
  const move = (body: object) => sandbox.post(`/v3/sandbox/payout/${id}/transition`, body)
  const description = 'Send the invoice that this pays.'
  const asked = (await move({ status: 'requires_action', description })).json.data
  assert.deepEqual([asked.status, asked.status_description], ['requires_action', description])
  const wrong = await move({ status: 'failed', description })
  assertRefused(wrong, 400, 'invalid_field', 'description')
  const failure = { code: 'AC04', category: 'rail', message: 'The account is closed.' }
  const failed = await move({ status: 'failed', failure })
  assert.deepEqual([failed.json.data.status, failed.json.data.failure], ['failed', failure])
  assert.deepEqual(await balancesOf(sandbox), before)
  assertRefused(await move({ status: 'succeeded' }), 409, 'invalid_transition')
})

test('POST /v3/sandbox/payout/{id}/transition, valid and invalid requests in parallel: each gets its own answer', async () => {
  const other = await service.openAccount({ fund: { USD: 100_000_000n }, sandbox: true })
  const ids: string[] = []
  for (let i = 0; i < 6; i++) ids.push((await pay(other)).id)
  const { id: wrong } = await pay(sandbox)
  const answers = await Promise.all(
    ids.flatMap(id => [
      other.post(`/v3/sandbox/payout/${id}/transition`, { status: 'failed' }),
      sandbox.post(`/v3/sandbox/payout/${wrong}/transition`, {
        status: 'failed',
        description: 'x',
      }),
    ]),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    ids.flatMap(() => [200, 400]),
  )
})

test('POST /v3/sandbox/entity/{id}/review: one allowed step, with its event, once per Idempotency-Key', async () => {
  const entity = { type: 'individual', name: 'Anna Reviewed' }
  const { id } = (await sandbox.post('/v3/entity', entity)).json.data
  const review = (body: object, headers = {}) =>
    sandbox.post(`/v3/sandbox/entity/${id}/review`, body, headers)
  const asking = { status: 'requires_action', description: 'Send a copy of the passport.' }
  const asked = (await review(asking)).json.data
  assert.deepEqual(
    [asked.approval_status, asked.approval_status_description],
    [asking.status, asking.description],
  )
  const key = { 'idempotency-key': 'review' }
  const approved = await review({ status: 'approved' }, key)
  assert.equal(approved.json.data.approval_status, 'approved')
  const again = await review({ status: 'approved' }, key)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [approved.text, 'true'])
  assert.deepEqual((await sandbox.get(`/v3/entity/${id}`)).json.data, approved.json.data)
  const [event] = (await sandbox.get(`/v3/event?object_id=${id}&limit=1`)).json.data.results
  assert.equal(event.type, 'entity.approval_approved')
  assertRefused(await review({ status: 'approved' }), 409, 'invalid_transition')
})
