// Payouts made for an entity (§payout.held): refused for one that is not there or is rejected, held
// in compliance_hold for one that is not approved, and let go or ended by its review.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import type { TransactionSql } from '../../src/sql/connect.ts'
import { checkBooks } from '../support/assert/books.ts'
import { balancesOf } from '../support/assert/check.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import {
  entityOf,
  eventTypesOf,
  findPayout,
  operatorSets,
  pay,
  statusOf,
} from '../support/service/payouts.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import {
  askingRail,
  linesOf,
  report,
  scriptedRail,
  settleAll,
} from '../support/service/settling.ts'
import { share } from '../support/share.ts'

const AMOUNT = 10_000
const FEE = 100
const FUNDED = 1_000_000n

let service: TestService
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setRates({ 'USD/HKD': '8' })
  await service.setFees([{ fixed_amount: 100n }])
})
after(async () => {
  // Whatever these tests did, every book holds together.
  await checkBooks(service.database.owner, { DATABASE_URL: service.database.url })
  await service.close()
})

function funded(): Promise<Client> {
  return service.openAccount({ currencies: ['USD'], fund: { USD: FUNDED } })
}

async function approved(account: Client): Promise<string> {
  const id = await entityOf(account)
  await review(service, account, id, 'approved')
  return id
}

async function usd(account: Client): Promise<bigint> {
  return BigInt((await balancesOf(account)).USD ?? '0')
}

const PAID = FUNDED - BigInt(AMOUNT + FEE)

test('POST /v3/payout, entity not approved: debited, held, not sent; entity approved: each held payout sent once', async () => {
  const account = await funded()
  const [entity, other] = [await entityOf(account), await entityOf(account)]
  const payout = await pay(account, { on_behalf_of: entity })
  assert.equal(payout.status, 'compliance_hold')
  assert.equal(payout.status_description, `Held until entity ${entity} is reviewed.`)
  assert.equal(await usd(account), PAID)
  const second = await pay(account, { on_behalf_of: entity })
  const waiting = await pay(account, { on_behalf_of: other })
  await settleAll(service)
  assert.equal(await statusOf(account, payout.id), 'compliance_hold')
  await review(service, account, entity, 'approved')
  await settleAll(service)
  for (const { id } of [payout, second]) {
    const { status, status_description } = await findPayout(account, id)
    assert.deepEqual([status, status_description], ['succeeded', ''])
    const events = ['created', 'compliance_hold', 'processing', 'succeeded']
    assert.deepEqual(
      await eventTypesOf(service, id),
      events.map(name => `payout.${name}`),
    )
  }
  assert.equal(await statusOf(account, waiting.id), 'compliance_hold')
})

const DAY_S = 86_400
const HKD = { currency: 'HKD', holding_currency: 'USD' }
for (const [days, ends, balance] of [
  [6, 'succeeded', PAID - BigInt(AMOUNT / 8 + FEE)],
  [8, 'failed PF000330', PAID],
] as const) {
  test(`entity review, entity approved after ${days} days: its payout with conversion has ${ends}, also read later; its payout without conversion has succeeded`, async () => {
    const account = await funded()
    const entity = await entityOf(account)
    const converted = await pay(account, { ...HKD, on_behalf_of: entity })
    const plain = await pay(account, { on_behalf_of: entity })
    const advance = (seconds: number) => account.post('/v3/sandbox/clock/advance', { seconds })
    await advance(days * DAY_S)
    await review(service, account, entity, 'approved')
    await advance(6 * DAY_S)
    // The price ends by the time of the approval, and not by that of the entity's row.
    const edited = await account.put(`/v3/entity/${entity}`, { metadata: { note: 'later' } })
    assert.equal(edited.json.data.approval_status, 'approved')
    await settleAll(service)
    const { status, failure } = await findPayout(account, converted.id)
    assert.equal([status, ...(failure ? [failure.code] : [])].join(' '), ends)
    assert.equal(await statusOf(account, plain.id), 'succeeded')
    assert.equal(await usd(account), balance)
  })
}

test('entity review, approval withdrawn before the worker releases the payout: payout stays held', async () => {
  const account = await funded()
  const entity = await entityOf(account)
  const payout = await pay(account, { on_behalf_of: entity })
  await review(service, account, entity, 'approved')
  await review(service, account, entity, 'requires_action')
  await settleAll(service)
  assert.equal(await statusOf(account, payout.id), 'compliance_hold')
  await review(service, account, entity, 'approved')
  await settleAll(service)
  assert.equal(await statusOf(account, payout.id), 'succeeded')
})

test('PUT /v3/entity/{id}, approved entity: new payouts held, earlier payouts proceed', async () => {
  const account = await funded()
  const entity = await approved(account)
  const before = await pay(account, { on_behalf_of: entity })
  await account.put(`/v3/entity/${entity}`, { name: 'Someone else' })
  const held = await pay(account, { on_behalf_of: entity })
  await settleAll(service)
  assert.equal(await statusOf(account, before.id), 'succeeded')
  assert.equal(await statusOf(account, held.id), 'compliance_hold')
})

test('POST /v3/payout, service_account, held, then entity approved: receiver credited once, by the review', async () => {
  const payer = await funded()
  const receiver = await service.openAccount({ currencies: ['USD'] })
  const entity = await entityOf(payer)
  const body = internalPayout(receiver.account.deposit_address)
  const { id, status } = await pay(payer, { ...body, on_behalf_of: entity })
  assert.deepEqual([status, await usd(receiver)], ['compliance_hold', 0n])
  await review(service, payer, entity, 'approved')
  await settleAll(service)
  assert.equal(await statusOf(payer, id), 'succeeded')
  assert.equal(await usd(receiver), BigInt(AMOUNT))
  const [line] = await linesOf(service, receiver, [id])
  assert.deepEqual([line.type, line.operation_type], ['payout', 'credit'])
  assert.deepEqual(await eventTypesOf(service, line.id), ['balance_transaction.created'])
})

test('POST /v3/payout during the review of its entity: each payout proceeds, none stays held', async () => {
  const account = await funded()
  for (let round = 0; round < share(2, 5); round++) {
    const entity = await entityOf(account)
    const all = Array.from({ length: 20 }, () => pay(account, { on_behalf_of: entity, amount: 7 }))
    all.splice(10, 0, review(service, account, entity, 'approved').then(() => undefined) as never)
    const payouts = (await Promise.all(all)).filter(payout => payout !== undefined)
    await settleAll(service)
    for (const { id } of payouts) assert.equal(await statusOf(account, id), 'succeeded')
  }
})

test('PostgreSQL, held_for set outside compliance_hold: refused for every writer', async () => {
  const account = await funded()
  const { id } = await pay(account, {})
  const write = service.database.owner`update open_payouts set held_for = 'ent_x' where id = ${id}`
  await assert.rejects(write.execute(), { constraint_name: 'held_while_in_compliance_hold' })
})

test('entity review, 600 held payouts: the review writes one row, all payouts proceed', async () => {
  const account = await funded()
  const entity = await entityOf(account)
  const payouts = Array(600).fill({ ...localPayout, on_behalf_of: entity, amount: 7 })
  const batch = await account.post('/v3/payout_batch', { payouts })
  assert.equal(batch.json.data.counts.held, 600, batch.text)
  await review(service, account, entity, 'approved')
  const [due] = await service.database.owner<{ n: number }[]>`
    select count(*)::integer as n from ended_reviews where entity_id = ${entity}`
  assert.equal(due?.n, 1)
  await settleAll(service)
  const left = await service.database.owner`
    select from payout_states
    where account_id = ${account.account.account_id} and status <> 'succeeded'`
  assert.equal(left.length, 0)
  const rest = await service.database.owner`
    select entity_id from holds where entity_id = ${entity}
    union all select entity_id from ended_reviews where entity_id = ${entity}`
  assert.deepEqual([...rest], [])
})

/** The first statement that claims payouts lets `meanwhile` happen before it is sent. */
function interrupted(meanwhile: () => Promise<unknown>): TestService['deps'] {
  let first = true
  const statements: ProxyHandler<TransactionSql> = {
    apply(target, self, args: [readonly string[], ...unknown[]]) {
      const query = Reflect.apply(target, self, args)
      const text = Array.isArray(args[0]) ? args[0].join('') : ''
      const claims = text.includes('set rail_attempts = o.rail_attempts + 1')
      if (!claims || !first) return query
      first = false
      return meanwhile().then(() => query)
    },
  }
  const { begin } = service.deps.sql
  const sql = new Proxy(service.deps.sql, {
    get: (target, name) =>
      name === 'begin'
        ? (mode: string, work: (tx: TransactionSql) => Promise<unknown>) =>
            begin(mode, tx => work(new Proxy(tx, statements)))
        : Reflect.get(target, name),
  })
  return { ...service.deps, sql }
}

test('worker, payout found due, then ended by the operator: not claimed, rail not asked', async () => {
  const account = await funded()
  const { id } = await pay(account, {})
  const rail = scriptedRail(async () => report('succeeded'))
  const deps = interrupted(() => operatorSets(service, account, id, 'failed'))
  await settleOnce(askingRail(deps, rail))
  assert.deepEqual(rail.calls, [])
  assert.equal(await usd(account), FUNDED)
})
