// A payout's answer is kept as the payout and its state of then: whatever has happened to it since,
// the same key is answered byte for byte as at first, and no text is stored twice.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import actions from '../../docs/api/examples/answerPayout.json' with { type: 'json' }
import { Lane } from '../../src/engine/lane.ts'
import { handlePayout } from '../../src/payout/by-hand-operation.ts'
import { endHolds } from '../../src/worker/end-holds.ts'
import { checkBooks } from '../support/assert/books.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

let service: TestService
let account: Client
let live: Client
let serial = 0
before(async () => {
  service = await startTestService({ bic: 'BANKDEFF' })
  await service.setRates({ 'USD/EUR': '0.9' })
  await service.setRoutes([{}])
  await service.setFees([{ fixed_amount: 100n }])
  const fund = { USD: 1_000_000n }
  live = await service.openAccount({ currencies: ['USD'], fund, sandbox: false })
  account = await service.openAccount({
    currencies: ['USD', 'EUR'],
    fund: { USD: 1_000_000n, EUR: 1_000_000n },
  })
})
after(async () => {
  await checkBooks(service.database.owner, { DATABASE_URL: service.database.url })
  await service.close()
})

/** Answers to the key, before and after `since` has happened to the payout. */
async function replays(body: object, since: (id: string) => Promise<unknown>, by = account) {
  const key = { 'idempotency-key': `kept-${++serial}` }
  const first = await by.post('/v3/payout', body, key)
  assert.equal(first.status, 200, first.text)
  const { id } = first.json.data
  await since(id)
  const [row] = await service.database.owner<{ body: string | null; object_id: string }[]>`
    select body, object_id from idempotency_keys where key = ${key['idempotency-key']}`
  assert.deepEqual(row, { body: null, object_id: id })
  const now = await by.get(`/v3/payout/${id}`)
  const again = await by.post('/v3/payout', body, key)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(again.text, first.text)
  return now.json.data
}

const moved =
  (...statuses: string[]) =>
  async (id: string) => {
    for (const status of statuses) {
      const answer = await account.post(`/v3/sandbox/payout/${id}/transition`, { status })
      assert.equal(answer.status, 200, answer.text)
    }
  }

const full = {
  ...localPayout,
  reference_id: 'INV-2041 “Ü”',
  statement_descriptor: 'HARBOUR',
  documents: [{ type: 'invoice', file_name: 'ä\u2028"\\.pdf', url: 'https://files.example/1' }],
  logistics_tracking_details: [{ tracking_number: '1', tracking_type: 'dhl' }],
  metadata: { b: '1', a: '\u0007', é: '' },
}

const SINCE: readonly [what: string, body: object, ...statuses: string[]][] = [
  ['nothing', full],
  ['arrival and reversal', localPayout, 'succeeded', 'reversed'],
  ['a hold and its failure', localPayout, 'compliance_hold', 'failed'],
  ['arrival in another currency', { ...localPayout, holding_currency: 'EUR' }, 'succeeded'],
]

for (const [what, body, ...statuses] of SINCE) {
  test(`POST /v3/payout, ${what} since: the key is answered as at first`, async () => {
    const now = await replays(body, moved(...statuses))
    assert.equal(now.status, statuses.at(-1) ?? 'processing')
  })
}

test('POST /v3/payout, cancelled since: the key is answered as at first', async () => {
  const now = await replays(localPayout, id => account.post(`/v3/payout/${id}/cancel`, {}))
  assert.equal(now.status, 'failed')
})

test('POST /v3/payout, answered since with documents: the key is answered without them', async () => {
  const now = await replays(localPayout, async id => {
    await moved('requires_action')(id)
    await account.post(`/v3/payout/${id}/action`, actions.action.request)
  })
  assert.deepEqual(now.documents, actions.action.request.documents)
})

test('POST /v3/payout to another account: the key is answered as at first', async () => {
  const sister = await service.openAccount({ currencies: ['USD'] })
  const body = internalPayout(sister.account.deposit_address)
  assert.equal((await replays(body, () => Promise.resolve())).status, 'succeeded')
})

test('POST /v3/payout, held and released since: the key is answered as held', async () => {
  const body = { type: 'individual', name: 'Anna', email: 'anna@example.com' }
  const { id: on_behalf_of } = (await account.post('/v3/entity', body)).json.data
  const now = await replays({ ...localPayout, on_behalf_of }, async id => {
    const held = (await account.get(`/v3/payout/${id}`)).json.data
    assert.match(held.status_description, /until entity/)
    await review(service, account, on_behalf_of, 'approved')
    await endHolds(service.deps)
  })
  assert.deepEqual([now.status, now.status_description], ['processing', ''])
})

test('POST /v3/payout, paid by a person since: the key is answered without the bank’s reference', async () => {
  const { account_id } = live.account
  const advance = { account_id, by: 'operator', ask_again_in_ms: null } as const
  const person = { name: 'anna', reference: 'B-1' }
  const since = async (payout_id: string) => {
    const take = new Lane(service.deps.sql, handlePayout, { max_batch: 1 })
    await take.run({ account_id, payout_id, act: 'take', person })
    const steps = [{ status: 'succeeded', failure: null }] as const
    await service.deps.lanes.advancePayout.run({ ...advance, payout_id, steps, person })
  }
  const now = await replays(localPayout, since, live)
  assert.deepEqual(now.tracking_details.tracking_number, 'B-1')
})
