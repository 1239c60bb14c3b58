// What was handed over of a nostro with a gate is kept as a sum: whatever happens to payouts and to
// gates, in any order and at the same time, it is what is there, added up.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { setNostro } from '../../src/operator/nostro-changes.ts'
import { handlePayout } from '../../src/payouts/by-hand/by-hand-operation.ts'
import type { Rail } from '../../src/rails/rail.ts'
import { insertRail } from '../../src/rails/row-store.ts'
import type { Sql } from '../../src/sql/connect.ts'
import { assignAll, deriveSome } from '../../src/treasury/derive.ts'
import { insertNostro } from '../../src/treasury/nostro-store.ts'
import { Refusal } from '../../src/values/errors.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { operate } from '../support/service/operate.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { payAll, railOf, report } from '../support/service/settling.ts'
import { share } from '../support/share.ts'
import { assertKept } from '../support/treasury/kept-sum.ts'

const RAILS = ['first_bank', 'second_bank']
const NOSTROS = { usd_first: [RAILS[0] ?? '', 'manual'], usd_second: [RAILS[1] ?? ''] }
const PERSON = { name: 'ann', is_login: false }
const random = seeded(pickSeed())
const oneOf = <T>(list: readonly T[]): T => {
  return list[Math.floor(random() * list.length)] ?? assert.fail('empty')
}

let service: TestService
let owner: Sql
let client: Client
before(async () => {
  service = await startTestService()
  owner = service.database.owner
  client = await service.openAccount({
    ...{ currencies: ['USD'], fund: { USD: 1_000_000_000n }, sandbox: false },
  })
  const { account_id } = client.account
  await owner.begin(async tx => {
    for (const name of RAILS) {
      const row = { name, kind: 'connector', config: { url: 'https://x.example' } } as const
      await insertRail(tx as unknown as Sql, { ...row, secret: '', paused_reason: '' })
    }
    for (const [priority, rail] of [...RAILS, 'manual'].entries()) {
      await tx`insert into routes (account_id, rail, priority)
        values (${account_id}, ${rail}, ${priority})`
    }
    await tx`insert into fees (payout_type, payout_currency, fee_currency) values ('local', 'USD', 'USD')`
    for (const [name, rails] of Object.entries(NOSTROS)) {
      await insertNostro(tx, {
        ...{ name, kind: 'bank', currency: 'USD', institution: '', account: '', bic: '' },
        ...{ purpose: 'own', pool: 'none', rails, closed_at: null, opening_balance: 100_000n },
        ...{ opening_on: new Date().toISOString().slice(0, 10), settings: { gate: true } },
      })
    }
  })
  await service.deps.reference.refresh()
})
after(() => service.close())

/** A bank that answers as it likes, and has forgotten nothing. */
const bank: Rail = railOf({
  submit: async () => answer(),
  inquire: async () => answer(),
})

function answer() {
  const again = { ...report(), ask_again_in_ms: 1 }
  const not_taken = { code: 'T2', message: 'Not today.' }
  const hour = { ...report(), ask_again_in_ms: 3_600_000 }
  return oneOf([again, hour, report('succeeded'), report('failed'), { ...report(), not_taken }])
}

const openIds = async () => {
  const rows = await owner<{ id: string }[]>`
    select id from open_payouts where account_id = ${client.account.account_id} order by id`
  return rows.map(({ id }) => id)
}
const endedIds = async () => {
  const rows = await owner<{ id: string }[]>`
    select id from payout_outcomes where account_id = ${client.account.account_id} order by id`
  return rows.map(({ id }) => id)
}

/** What a step asks for may be refused, or be behind another step of the same moment. */
async function tried(work: Promise<unknown>): Promise<void> {
  await work.catch(error => assert.ok(error instanceof Refusal, String(error)))
}

async function settleRounds() {
  await owner`update open_payouts set ask_rail_at = statement_timestamp(), claimed_until = null
    where ask_rail_at is not null and random() < 0.5`
  await settleOnce({ ...service.deps, rails: new Map(RAILS.map(name => [name, bank])) })
}

async function advance(ids: readonly string[], status: 'succeeded' | 'failed' | 'reversed') {
  if (ids.length === 0) return
  const failure = { code: 'T1', category: 'test', message: 'As the test wants.' }
  const steps = [{ status, failure: status === 'succeeded' ? null : failure }]
  const { account_id } = client.account
  const of = { account_id, payout_id: oneOf(ids), steps, person: PERSON, by: 'operator' } as const
  const person = { ...PERSON, reference: `B-${Math.floor(random() * 1e9)}` }
  await tried(service.deps.lanes.advancePayout.run({ ...of, person }))
}

async function byHand(act: 'take' | 'release') {
  const ids = await openIds()
  if (ids.length === 0) return
  const asked = {
    act,
    person: PERSON,
    account_id: client.account.account_id,
    payout_id: oneOf(ids),
  }
  await tried(operate(service, handlePayout, asked))
}

const STEPS: Readonly<Record<string, () => Promise<unknown>>> = {
  pay: () =>
    payAll(
      service,
      client,
      [1, 2, 3].map(() => ({ amount: 1 + Math.floor(random() * 9_999) })),
    ),
  async route() {
    // One after the other: no two routes may have one priority.
    for (const rail of RAILS) {
      const priority = Math.floor(random() * 1_000)
      await owner`update routes set priority = ${priority} where rail = ${rail}
        and not exists (select from routes where priority = ${priority})`
    }
    await service.deps.reference.refresh()
  },
  settle: settleRounds,
  succeed: async () => advance(await openIds(), 'succeeded'),
  fail: async () => advance(await openIds(), 'failed'),
  reverse: async () => advance(await endedIds(), 'reversed'),
  take: () => byHand('take'),
  release: () => byHand('release'),
  async cancel() {
    const ids = await openIds()
    if (ids.length > 0) await client.post(`/v3/payout/${oneOf(ids)}/cancel`, {})
  },
  derive: () => deriveSome(service.deps),
  close: () => setNostro(owner, oneOf(Object.keys(NOSTROS)), { no_gate: true }),
  open: () => setNostro(owner, oneOf(Object.keys(NOSTROS)), { gate: true }),
  async move() {
    const [name, rails] = oneOf(Object.entries(NOSTROS))
    await setNostro(owner, name, { rails: oneOf([rails, rails.slice(1)]) })
  },
}

const deriveAll = async () => {
  while ((await deriveSome(service.deps)).journals > 0n);
}

/**
 * Once each rail has its nostro and all is derived, a nostro covers its opening less the payouts of
 * its rails: those that succeeded, and those that a rail or a person has. No item, sum or cursor is
 * read to know that.
 */
async function assertCovers(after = ''): Promise<void> {
  for (const [name, rails] of Object.entries(NOSTROS)) {
    await setNostro(owner, name, { gate: true, rails })
  }
  await deriveAll()
  await assignAll(service.deps.sql)
  const covers = await owner<{ name: string; cover: bigint; expected: bigint }[]>`
    select n.name, nostro_cover(n.name) as cover, (n.opening_balance - coalesce((
      select sum(p.destination_amount) from payouts p
      where p.account_id = ${client.account.account_id} and (
        exists (select from payout_outcomes o where o.account_id = p.account_id and o.id = p.id
          and o.status = 'succeeded' and o.rail = any (n.rails))
        or exists (select from house_payouts h where h.account_id = p.account_id and h.id = p.id
          and h.is_handed_over and h.rail = any (n.rails)))), 0))::bigint as expected
    from nostros n order by n.name`
  for (const { name, cover, expected } of covers) {
    assert.equal(cover, expected, `${name} ${after}`)
  }
}

/** New payouts go to people first. */
async function routeToPeople() {
  await owner`update routes set priority = -rank from (
      select rail, row_number() over (order by rail <> 'manual', rail) as rank from routes) r
    where routes.rail = r.rail`
  await service.deps.reference.refresh()
}

const WALK = share(60, 3_000)
const RACES = share(15, 600)

test(`random steps of payouts and gates, ${WALK}: the sum kept is what is added up, after each`, async () => {
  const done: string[] = []
  for (let i = 0; i < WALK; i++) {
    const step = oneOf(Object.keys(STEPS))
    done.push(step)
    await STEPS[step]?.()
    await assertKept(owner, done.slice(-10).join(', '))
  }
  await assertCovers(done.slice(-10).join(', '))
})

test(`four random steps at the same moment, ${RACES} rounds: the sum kept is what is added up`, async () => {
  const done: string[] = []
  for (let i = 0; i < RACES; i++) {
    const steps = [1, 2, 3, 4].map(() => oneOf(Object.keys(STEPS)))
    done.push(steps.join('+'))
    await Promise.all(steps.map(step => STEPS[step]?.()))
    await assertKept(owner, done.slice(-10).join(', '))
  }
  await assertCovers(done.slice(-10).join(', '))
})

test('payout that was derived while no account at a bank had its rail: in the books of its nostro as its gate opens', async () => {
  await setNostro(owner, 'usd_first', { no_gate: true, rails: [] })
  await routeToPeople()
  const [made] = await payAll(service, client, [{ amount: 900 }])
  const payout_id = made?.outcome?.payout.id ?? assert.fail('no payout')
  const { account_id } = client.account
  await operate(service, handlePayout, { act: 'take', person: PERSON, account_id, payout_id })
  await advance([payout_id], 'succeeded')
  await deriveAll()
  const nostroOf = async () => {
    const [item] = await owner<{ nostro: string }[]>`
      select nostro from nostro_items where payout_id = ${payout_id}`
    return item?.nostro
  }
  assert.equal(await nostroOf(), '')
  await setNostro(owner, 'usd_first', { gate: true, rails: NOSTROS.usd_first })
  assert.equal(await nostroOf(), 'usd_first')
  await assertCovers()
})

test('gate set while a person takes a payout: its sum has the payout once both have committed', async () => {
  await setNostro(owner, 'usd_first', { no_gate: true, rails: NOSTROS.usd_first })
  await routeToPeople()
  const [made] = await payAll(service, client, [{ amount: 700 }])
  const id = made?.outcome?.payout.id ?? assert.fail('no payout')
  const setting = await owner.begin(async tx => {
    await tx`update open_payouts set taken_by = 'ann', taken_at = clock_timestamp()
      where id = ${id} and rail = 'manual'`
    const setting = setNostro(service.deps.sql, 'usd_first', { gate: true })
    await Promise.race([setting, untilBlocked(owner)])
    return { setting }
  })
  await setting.setting
  await assertKept(owner)
  const [sum] = await owner<{ amount: bigint }[]>`
    select add_up_handed_over('usd_first')::bigint as amount`
  assert.ok((sum?.amount ?? 0n) >= 700n)
})

test('sum of a gate changed by SQL: verify names the nostro', async () => {
  await setNostro(owner, 'usd_first', { gate: true })
  const found = await undone(owner, async tx => {
    await tx`insert into handed_over (nostro, amount) values ('usd_first', 1)`
    const verdict = await verdictIn(tx, true)
    return verdict.ok ? [] : verdict.problems.map(({ table, key }) => `${table} ${key}`)
  })
  assert.ok(found.includes('handed_over usd_first'), found.join('; '))
})
