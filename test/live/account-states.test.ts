// Accounts that are frozen and closed: what each request and each step of a payout gets, and which
// rows change. One row a request.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { endHolds } from '../../src/app/worker/end-holds.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { writeEntity } from '../../src/parties/entity/operations.ts'
import { upsertEndedReviews } from '../../src/payouts/advance/hold-store.ts'
import type { RailStep } from '../../src/rails/rail.ts'
import { CATALOGUE } from '../../src/values/errors.ts'
import { bookId } from '../../src/values/id.ts'
import { assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { internalPayout, localPayout, plainEntity } from '../support/given/bodies.ts'
import { bookUsd, operate, reverse, setState } from '../support/service/operate.ts'
import { pay as payFrom } from '../support/service/payouts.ts'
import { type Client, startTestService } from '../support/service/service.ts'

const service = await startTestService({ simulator_delay_ms: 0, webhook_allow_private: true })
const rows = () => rowVersions(service.database.owner)
after(() => service.close())
const payer = await open(1_000_000n)
/** Has what requests need, and was frozen after it was made. */
const frozen = await open(1_000_000n)

async function idOf(path: string, body: object): Promise<string> {
  const { json, text } = await frozen.post(path, body)
  assert.ok(json.data, text)
  return json.data.id
}

const escrows = await frozen.get('/v3/balance_transaction?type=escrow')
/** Of the frozen account: not yet with the rail, asking for something, and as named. */
const made = {
  processing: await idOf('/v3/payout', localPayout),
  asking: await idOf('/v3/payout', localPayout),
  beneficiary: await idOf('/v3/beneficiary', localPayout.beneficiary_details),
  entity: await idOf('/v3/entity', plainEntity),
  endpoint: await idOf('/v3/webhook_endpoint', { url: 'http://127.0.0.1:26/hook' }),
  funding: escrows.json.data.results[0].id,
}
await frozen.post(`/v3/sandbox/payout/${made.asking}/transition`, {
  status: 'requires_action',
  description: 'Send the invoice',
})
await setState(service, frozen, 'frozen')

function open(USD: bigint): Promise<Client> {
  const fund = USD === 0n ? {} : { USD }
  return service.openAccount({ currencies: ['USD', 'EUR'], fund })
}

const pay = async (client: Client, changes: object = {}): Promise<string> =>
  (await payFrom(client, changes)).id

const statusOf = async (client: Client, id: string) =>
  (await client.get(`/v3/payout/${id}`)).json.data.status
const usd = async (client: Client) => (await balancesOf(client)).USD

const quote = { payout_type: 'local', payout_info: { currency: 'USD', amount: 10_000 } }
const batch = { payouts: [localPayout] }

test('frozen account, every write but incoming money: 403, no row changes', async () => {
  const before = await rows()
  for (const [method, path, body] of [
    ['post', '/v3/payout', localPayout],
    ['post', '/v3/payout', { ...localPayout, amount: 999_999_999 }],
    ['post', '/v3/payout/quote', quote],
    ['post', '/v3/payout_batch', batch],
    ['post', '/v3/payout_batch', { ...batch, mode: 'best_effort' }],
    ['post', '/v3/payout_batch', { ...batch, dry_run: true }],
    ['post', `/v3/payout/${made.asking}/action`, { note: 'Here.' }],
    ['put', `/v3/payout/${made.processing}`, { metadata: { order: '7' } }],
    ['post', '/v3/beneficiary', localPayout.beneficiary_details],
    ['put', `/v3/beneficiary/${made.beneficiary}`, { name: 'Mallory' }],
    ['post', '/v3/entity', { ...plainEntity, name: 'Another' }],
    ['put', `/v3/entity/${made.entity}`, { description: 'Changed' }],
    ['post', '/v3/webhook_endpoint', { url: 'http://127.0.0.1:26/other' }],
    ['post', `/v3/webhook_endpoint/${made.endpoint}/rotate_secret`, {}],
  ] as const) {
    const answer = await frozen[method](path, body)
    assertRefused(answer, 403, 'account_frozen')
    assert.equal(answer.json.errors[0].code, CATALOGUE.account_frozen.code)
  }
  assert.deepEqual(await rows(), before)
})

test('frozen account, reads, dry runs, credits and cancellations: 200', async () => {
  for (const path of [
    'balance',
    'payout',
    `payout/${made.processing}`,
    'balance_transaction',
    'event',
  ]) {
    assert.equal((await frozen.get(`/v3/${path}`)).status, 200, path)
  }
  for (const [path, body] of [
    ['/v3/entity/duplicate_check', plainEntity],
    ['/v3/payout/options', { payout_info: { currency: 'USD', amount: 5 } }],
    ['/v3/sandbox/fund', { currency: 'USD', amount: 5 }],
    [`/v3/payout/${made.processing}/cancel`, {}],
  ] as const) {
    const answer = await frozen.post(path, body)
    assert.equal(answer.status, 200, answer.text)
  }
})

test('frozen account, payout from another account to it: credited', async () => {
  const before = BigInt((await usd(frozen)) ?? '')
  await pay(payer, internalPayout(frozen.account.deposit_address))
  assert.equal(await usd(frozen), (before + 10_000n).toString())
})

test('frozen account, Idempotency-Key used before replayed: the original answer', async () => {
  const client = await open(20_000n)
  const key = { 'idempotency-key': 'k' }
  const first = await client.post('/v3/payout', localPayout, key)
  await setState(service, client, 'frozen')
  const again = await client.post('/v3/payout', localPayout, key)
  assert.deepEqual([again.status, again.text], [200, first.text])
  assertRefused(
    await client.post('/v3/payout', localPayout, { 'idempotency-key': 'l' }),
    403,
    'account_frozen',
  )
})

test('frozen account, withdrawal, downward adjustment or reversal of funding: refused, no row changes; credits: booked', async () => {
  const before = await rows()
  for (const work of [
    () => bookUsd(service, frozen, 'withdrawal', -1n),
    () => bookUsd(service, frozen, 'adjustment', -1n),
    () => reverse(service, frozen, made.funding),
  ]) {
    await assert.rejects(work, /The account is frozen/)
  }
  assert.deepEqual(await rows(), before)
  await bookUsd(service, frozen, 'funding', 1n)
  await bookUsd(service, frozen, 'adjustment', 1n)
})

test('frozen account, payout made before: the rail settles it or it is credited back', async () => {
  const client = await open(1_000_000n)
  const ids = [await pay(client), await pay(client, { amount: 200_000 })]
  await setState(service, client, 'frozen')
  for (let i = 0; i < 4; i++) await settleOnce(service.deps)
  const statuses = await Promise.all(ids.map(id => statusOf(client, id)))
  assert.deepEqual(statuses, ['succeeded', 'failed'])
  assert.equal(await usd(client), '990000')
})

/** A payout that is held for an entity which is then reviewed, when `between` is done. */
async function held(
  client: Client,
  changes: object,
  between: () => Promise<unknown>,
): Promise<string> {
  const entity = await client.post('/v3/entity', {
    ...plainEntity,
    email: `${Math.random()}@x.example`,
  })
  const { id } = entity.json.data
  await client.post(`/v3/entity/${id}/submit`, {})
  const payout = await pay(client, { ...changes, on_behalf_of: id })
  assert.equal(await statusOf(client, payout), 'compliance_hold')
  await between()
  const change = { kind: 'review', id, status: 'approved', description: '' } as const
  const { account_id } = client.account
  // As the command line does it, where a frozen account is the operator's own doing.
  await operate(service, writeEntity(bookId, upsertEndedReviews), {
    account_id,
    claim: null,
    change,
    maker: 'operator:ada',
  })
  await endHolds(service.deps)
  return payout
}

test('frozen account, held payout, its entity approved: waits, proceeds once unfrozen', async () => {
  const client = await open(20_000n)
  const id = await held(client, {}, () => setState(service, client, 'frozen'))
  assert.equal(await statusOf(client, id), 'compliance_hold')
  const { account_id } = client.account
  const by = (step: RailStep) =>
    service.deps.lanes.advancePayout.run({
      ...{ account_id, payout_id: id, steps: [step], by: 'operator' },
    })
  await assert.rejects(by({ status: 'processing', failure: null }), /The account is frozen/)
  await setState(service, client, 'active')
  await service.database.owner.begin(async tx => {
    await tx`set local corridor.maintenance = on`
    await tx`update ended_reviews set due_at = now() - interval '1 s' where account_id = ${account_id}`
  })
  await endHolds(service.deps)
  assert.equal(await statusOf(client, id), 'processing')
})

test('held payout to another account, receiver closed meanwhile: fails, everything credited back', async () => {
  const [client, receiver] = [await open(20_000n), await open(0n)]
  const to = internalPayout(receiver.account.deposit_address)
  const id = await held(client, to, () => setState(service, receiver, 'closed'))
  const { data } = (await client.get(`/v3/payout/${id}`)).json
  assert.deepEqual([data.status, data.failure.code], ['failed', 'PF000320'])
  assert.equal(await usd(client), '20000')
})

test('corridor account close, money or an open payout left: refused naming both; empty: closed', async () => {
  const client = await open(30_000n)
  const id = await pay(client)
  await assert.rejects(
    setState(service, client, 'closed'),
    /holds USD 200\.00, and 1 of its payouts/,
  )
  await bookUsd(service, client, 'withdrawal', -20_000n)
  await assert.rejects(setState(service, client, 'closed'), /closed: 1 of its payouts are not over/)
  for (let i = 0; i < 2; i++) await settleOnce(service.deps)
  assert.equal(await statusOf(client, id), 'succeeded')
  const { from } = await setState(service, client, 'closed')
  assert.equal(from, 'active')
})

test('closed account: readable, every write refused; money that comes back is booked only once reopened', async () => {
  const client = await open(10_000n)
  const id = await pay(client)
  for (let i = 0; i < 2; i++) await settleOnce(service.deps)
  await setState(service, client, 'closed')
  const before = await rows()
  for (const [method, path, body] of [
    ['post', '/v3/payout', localPayout],
    ['post', '/v3/payout/quote', quote],
    ['post', '/v3/payout_batch', batch],
    ['post', `/v3/payout/${id}/cancel`, {}],
    ['post', '/v3/sandbox/fund', { currency: 'USD', amount: 5 }],
    ['post', '/v3/entity', plainEntity],
    ['put', `/v3/beneficiary/${made.beneficiary}`, { name: 'Mallory' }],
  ] as const) {
    assertRefused(await client[method](path, body), 403, 'account_closed')
  }
  const paid = await payer.post('/v3/payout', internalPayout(client.account.deposit_address))
  assertRefused(paid, 422, 'deposit_address_not_found')
  await assert.rejects(bookUsd(service, client, 'funding', 1n), /The account is closed/)
  await assert.rejects(bookUsd(service, client, 'adjustment', 1n), /The account is closed/)
  const { account_id } = client.account
  const failure = { code: 'B1', category: 'bank', message: 'Came back' }
  const back = () =>
    service.deps.lanes.advancePayout.run({
      ...{ account_id, payout_id: id, steps: [{ status: 'reversed', failure }] },
      ...{ by: 'operator' },
    })
  await assert.rejects(back, /The account is closed/)
  await assert.rejects(setState(service, client, 'active'), /is closed; freezing it reopens it/)
  assert.deepEqual(await rows(), before)
  assert.equal((await client.get(`/v3/payout/${id}`)).status, 200)
  await setState(service, client, 'frozen')
  await back()
  assert.equal(await usd(client), '10000')
})

test('PostgreSQL, states of an account changed by SQL: no balance moves, no state skipped', async () => {
  const { owner } = service.database
  const client = await open(500n)
  const { account_id } = client.account
  const as = (statement: string) =>
    owner.begin(async tx => {
      await tx`set local corridor.maintenance = on`
      await tx.unsafe(statement, [account_id])
    })
  const refused = async (statement: string, words: RegExp) => {
    await assert.rejects(as(statement), { code: '23514', message: words }, statement)
  }
  const set = (what: string) => `update accounts set ${what} where account_id = $1`
  const move = (by: string) =>
    `update balances set available = available ${by} where account_id = $1 and currency = 'USD'`
  await refused(set(`state = 'gone', state_reason = 'x'`), /known_state/)
  await refused(set(`state = 'frozen'`), /state_has_a_reason/)
  await refused(set(`state = 'closed', state_reason = 'x'`), /holds money or has open payouts/)
  await refused(set(`currencies = '{USD}'`), /keeps its currencies/)
  await as(set(`state = 'frozen', state_reason = 'x'`))
  await refused(move('- 1'), /is frozen/)
  await as(move('+ 1'))
  await as(set(`state = 'active'`))
  await as(move('- 501'))
  await as(set(`state = 'closed', state_reason = 'x'`))
  await refused(move('+ 1'), /is closed/)
  await refused(set(`state = 'active'`), /reopened by freezing/)
  // Whoever names no account has not locked its book.
  const unnamed = service.deps.sql`
    update accounts set state = 'frozen', state_reason = 'x' where account_id = ${account_id}`
  await assert.rejects(unnamed, { code: '23514', message: /book .* is not locked/ })
})

test('PostgreSQL, bookings inserted by SQL: one per reference, with reason and direction', async () => {
  const { owner } = service.database
  const client = await open(1_000n)
  const { entries } = await bookUsd(service, client, 'withdrawal', -10n, 'R')
  const { line } = entries[0]
  const { account_id, id } = line
  const copy = (kind: string, metadata: string, net = -10, undoes: string | null = null) =>
    owner.begin(async tx => {
      await tx`set local corridor.maintenance = on`
      await tx.unsafe(
        `insert into journals
          select (jsonb_populate_record(j, jsonb_build_object('number', 999, 'kind', $3::text,
            'source', $4::text, 'undoes', $5::text, 'amount', $6::bigint, 'metadata', $7::text::json,
            'amounts', array[-$6::bigint, $6::bigint]))).* from journals j
          where account_id = $1 and number = $2`,
        [account_id, String(line.journal_number), kind, 'x', undoes, String(net), metadata],
      )
      throw new Error('nothing refused it')
    })
  const known = '{"reference":"S","reason":"x","by":"y"}'
  const refused = (constraint: string) => ({ constraint_name: constraint })
  await assert.rejects(copy('withdrawal', known), /nothing refused it/)
  await assert.rejects(
    copy('withdrawal', known.replace('S', 'R')),
    refused('journals_by_reference'),
  )
  await assert.rejects(copy('gift', known), refused('known_kind'))
  await assert.rejects(copy('withdrawal', '{}'), refused('booked_with_reason'))
  await assert.rejects(copy('withdrawal', '{"reason":"x","by":"y"}'), refused('booked_with_reason'))
  const wrong = refused('direction_matches_kind')
  await assert.rejects(copy('withdrawal', known, 10), wrong)
  await assert.rejects(copy('funding_reversal', known, 10, 'btr_x'), wrong)
  await reverse(service, client, id)
  await assert.rejects(copy('withdrawal_reversal', known, 10, id), refused('undone_once'))
})
