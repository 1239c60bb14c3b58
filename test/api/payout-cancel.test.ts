// POST /v3/payout/{id}/cancel (§state.cancel): works until the rail has been asked, gives all money
// back with the answer, and is 409 ever after.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import payouts from '../../docs/api/examples/createPayout.json' with { type: 'json' }
import { claimDuePayouts } from '../../src/payouts/advance/claim-store.ts'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { entityOf, eventTypesOf, pay } from '../support/service/payouts.ts'
import { review } from '../support/service/review.ts'
import {
  type Answer,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { linesOf, report, scriptedRail, settleAll } from '../support/service/settling.ts'

const FUNDED = 10_000_000n
const FAILURE = {
  code: 'PF000100',
  category: 'cancelled',
  message: 'Cancelled before the rail took it.',
}

let service: TestService
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setRates({ 'EUR/USD': '1.1269' })
  await service.setFees([{ payout_type: 'swift', fixed_amount: 1500n, variable_bps: 10 }])
})
after(() => closeVerified(service))

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
type Json = any

function funded(): Promise<Client> {
  return service.openAccount({ currencies: ['USD'], fund: { USD: FUNDED } })
}

function cancel(account: Client, id: string, headers: Record<string, string> = {}) {
  return account.post(`/v3/payout/${id}/cancel`, {}, headers)
}

/** The worker has nothing to ask about it, now or later. */
async function assertNeverAsked(id: string): Promise<void> {
  const rail = scriptedRail(() => Promise.resolve(report('succeeded')))
  await settleAll(service, rail)
  assert.ok(!rail.calls.some(call => call.endsWith(id)), `${rail.calls}`)
  const [row] = await service.database.owner<Json[]>`
    select s.status, s.rail_attempts, o.id as open, s.held_for
    from payout_states s left join open_payouts o using (account_id, id) where s.id = ${id}`
  const unasked = { rail_attempts: 0, open: null, held_for: '' }
  assert.deepEqual({ ...row }, { status: 'failed', ...unasked })
}

async function assertCancelled(account: Client, id: string, answer: Answer): Promise<void> {
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual([answer.json.status, answer.json.message], ['success', ''])
  const { data } = answer.json
  assert.deepEqual([data.id, data.status, data.failure], [id, 'failed', FAILURE])
  assert.equal(data.status_description, '')
  assert.equal((await account.get(`/v3/payout/${id}`)).text, answer.text)
  assert.deepEqual(await balancesOf(account), { USD: String(FUNDED) })
}

test('POST /v3/payout/{id}/cancel, new payout: failed, principal and fees credited back', async () => {
  const account = await funded()
  const request = { ...payouts.swift.request, holding_currency: 'USD' }
  const made = await account.post('/v3/payout', request)
  assert.equal(made.status, 200, made.text)
  const { id, balance_transaction } = made.json.data
  const [debit] = await linesOf(service, account, [id])
  assert.notEqual(debit.net.amount, debit.amount, 'there are fees')
  const answer = await cancel(account, id)
  await assertCancelled(account, id, answer)
  const lines = await linesOf(service, account, [balance_transaction])
  assert.equal(lines.length, 1)
  const [credit] = lines
  const { created_at: updated_at } = credit
  const unlike = { status: 'failed', failure: FAILURE, expected_at: null, updated_at }
  assert.deepEqual(answer.json.data, { ...made.json.data, ...unlike })
  assert.deepEqual([credit.type, credit.operation_type], ['payout_failure', 'credit'])
  assert.deepEqual([credit.source, credit.description], [balance_transaction, id])
  assert.equal(credit.net.amount, -debit.net.amount)
  assert.equal(credit.amount, -debit.amount)
  assert.deepEqual(credit.fx_conversions, debit.fx_conversions)
  assert.deepEqual(await eventTypesOf(service, id), ['payout.created', 'payout.failed'])
  assert.deepEqual(await eventTypesOf(service, credit.id), ['balance_transaction.created'])
  await assertNeverAsked(id)
})

test('POST /v3/payout/{id}/cancel, held payout, entity approved later: stays cancelled, receiver not credited', async () => {
  const [account, receiver] = [await funded(), await funded()]
  const on_behalf_of = await entityOf(account)
  const held = await pay(account, { on_behalf_of })
  const body = { ...internalPayout(receiver.account.deposit_address), on_behalf_of }
  const transfer = await pay(account, body)
  const answers = [await cancel(account, held.id), await cancel(account, transfer.id)]
  assert.equal((await review(service, account, on_behalf_of, 'approved')).status, 200)
  await assertNeverAsked(held.id)
  for (const [i, { id, status }] of [held, transfer].entries()) {
    assert.equal(status, 'compliance_hold')
    await assertCancelled(account, id, answers[i] as Answer)
    const events = ['payout.created', 'payout.compliance_hold', 'payout.failed']
    assert.deepEqual(await eventTypesOf(service, id), events)
    const holds = await service.database.owner`select from holds where payout_id = ${id}`
    assert.equal(holds.length, 0)
  }
  assert.deepEqual(await balancesOf(receiver), { USD: String(FUNDED) })
  assert.deepEqual(await linesOf(service, receiver, [transfer.id]), [])
})

async function assertNotCancellable(account: Client, id: string, why: string): Promise<void> {
  const untouched = await rowVersions(service.database.owner)
  const answer = await cancel(account, id, { 'idempotency-key': 'a refusal is not kept' })
  assertRefused(answer, 409, 'payout_not_cancellable', '')
  assert.deepEqual([answer.json.errors.length, answer.json.errors[0].code], [1, 20308])
  const message = `Payout ${id} can no longer be cancelled: ${why}.`
  assert.equal(answer.json.errors[0].message, message)
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
}

test('POST /v3/payout/{id}/cancel, payout claimed by a worker or succeeded: 409, no row changes', async () => {
  const [account, receiver] = [await funded(), await funded()]
  const { id } = await pay(account)
  const { account_id } = account.account
  assert.equal((await claimDuePayouts(service.deps.sql, [{ account_id, id }], 60_000)).length, 1)
  await assertNotCancellable(account, id, 'the rail has it')
  const transfer = await pay(account, internalPayout(receiver.account.deposit_address))
  await assertNotCancellable(account, transfer.id, 'it is succeeded')
})

test('POST /v3/payout/{id}/cancel, payout made with a quote: the quote stays used', async () => {
  const account = await funded()
  const body = { payout_info: { currency: 'USD', amount: 10_000 } }
  const quote = (await account.post('/v3/payout/quote', body)).json.id
  const { id } = await pay(account, { quote })
  await assertCancelled(account, id, await cancel(account, id))
  assert.equal((await account.get(`/v3/payout/quote/${quote}`)).json.status, 'used')
  const again = await account.post('/v3/payout', { ...localPayout, quote })
  assertRefused(again, 422, 'quote_used')
})

test('POST /v3/payout/{id}/cancel, same Idempotency-Key, any form of an empty body: the original answer; on another payout: another key', async () => {
  const account = await funded()
  const [{ id }, other] = [await pay(account), await pay(account)]
  const key = { 'idempotency-key': 'cancel' }
  const first = await cancel(account, id, key)
  for (const body of [{}, '', 'null']) {
    const again = await account.post(`/v3/payout/${id}/cancel`, body, key)
    assert.deepEqual([again.status, again.text], [200, first.text])
    assert.equal(again.headers['idempotent-replayed'], 'true')
  }
  const elsewhere = await cancel(account, other.id, key)
  assert.equal(elsewhere.headers['idempotent-replayed'], undefined)
  await assertCancelled(account, other.id, elsewhere)
})
