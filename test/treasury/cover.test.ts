// A nostro with a gate: payouts that it does not cover wait, the longest due first, whatever their
// rail is, and go by themselves when money comes in or the gate is taken away.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { pino } from 'pino'
import { countAwaitingFunds } from '../../src/app/worker/counts.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { setNostro } from '../../src/operator/nostro-changes.ts'
import { presentInFull, showPayout } from '../../src/operator/payout-words.ts'
import { claimDuePayouts } from '../../src/payouts/advance/claim-store.ts'
import { listGates, passingOf } from '../../src/payouts/advance/cover-store.ts'
import { handlePayout } from '../../src/payouts/by-hand/by-hand-operation.ts'
import { insertRail } from '../../src/rails/row-store.ts'
import { type Deps, openDeps } from '../../src/runtime/deps.ts'
import { makeMetrics } from '../../src/runtime/metrics.ts'
import type { Sql, TransactionSql } from '../../src/sql/connect.ts'
import { listCovers } from '../../src/treasury/cover-store.ts'
import { deriveSome } from '../../src/treasury/derive.ts'
import { readForecast } from '../../src/treasury/forecast-store.ts'
import { bookHouse, movedOn } from '../../src/treasury/house.ts'
import { actForTheHouse, insertNostro } from '../../src/treasury/nostro-store.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { operate } from '../support/service/operate.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { addPerson, startTestService, type TestService } from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'
import { payAll, scriptedRail } from '../support/service/settling.ts'
import { share } from '../support/share.ts'
import { assertKept } from '../support/treasury/kept-sum.ts'
import { giveItems } from '../support/treasury/open-rows.ts'

let service: TestService
let owner: Sql
let other: Deps
before(async () => {
  service = await startTestService()
  owner = service.database.owner
  const log = pino({ level: 'silent' })
  other = await openDeps(service.database.url, service.deps.config, log, makeMetrics())
})
after(async () => {
  await other?.close()
  await service.close()
})

let worlds = 0

interface WorldOptions {
  readonly gate?: boolean
  /** Further rails. By default the payouts take the first of them. */
  readonly more?: readonly string[]
  readonly route?: string
}

const MUCH = 1_000_000_000n

async function addRail(tx: TransactionSql, name: string): Promise<void> {
  const row = { name, kind: 'connector', config: { url: 'https://x.example' } } as const
  await insertRail(tx as unknown as Sql, { ...row, secret: '', paused_reason: '' })
}

interface GivenNostro {
  readonly name: string
  readonly currency: string
  readonly rails: readonly string[]
  readonly opening: bigint
  readonly gate: boolean
}

async function addNostro(tx: TransactionSql, given: GivenNostro): Promise<void> {
  const { name, currency, rails, opening, gate } = given
  await insertNostro(tx, {
    ...{ name, kind: 'bank', currency, institution: '', account: '', bic: '' },
    ...{ purpose: 'own', pool: 'none', rails, closed_at: null },
    ...{ opening_balance: opening, opening_on: TODAY, settings: { gate } },
  })
}

/** A nostro in euros with a gate and no money, and with this rail. */
function addEurosAt(rail: string): Promise<void> {
  return owner.begin(tx =>
    addNostro(tx, {
      ...{ name: `eur_${worlds}`, currency: 'EUR', rails: [rail], opening: 0n, gate: true },
    }),
  )
}

/** A nostro with its rails, and a live account whose payouts the first of them takes. */
async function openWorld(opening: bigint, { gate = true, more = [], route }: WorldOptions = {}) {
  const name = `usd_${++worlds}`
  const rail = `bank_${worlds}`
  const client = await service.openAccount({
    ...{ currencies: ['USD', 'EUR'], fund: { USD: MUCH, EUR: MUCH }, sandbox: false },
  })
  const { account_id } = client.account
  await owner.begin(async tx => {
    await addRail(tx, rail)
    await tx`insert into routes (account_id, rail) values (${account_id}, ${route ?? more[0] ?? rail})`
    await tx`
      insert into fees (payout_type, payout_currency, fee_currency)
      select 'local', c, c from unnest(array['USD', 'EUR']) c where not exists (select from fees)`
    await addNostro(tx, { name, currency: 'USD', rails: [rail, ...more], opening, gate })
  })
  for (const deps of [service.deps, other]) await deps.reference.refresh()
  const asked = scriptedRail()
  return {
    ...{ name, client, rail, account_id, asked },
    /** Makes payouts one after the other. Returns their ids, in order. */
    async pay(...amounts: readonly number[]) {
      const ids: string[] = []
      for (const amount of amounts) {
        const [made] = await payAll(service, client, [{ amount }])
        ids.push(made?.outcome?.payout.id ?? assert.fail('no payout'))
      }
      await owner`
        update open_payouts set ask_rail_at = statement_timestamp()
        where account_id = ${account_id} and ask_rail_at > statement_timestamp()`
      return ids
    },
    /** Payouts that are made from now on take this rail. */
    async takeRail(name: string) {
      await owner`update routes set rail = ${name} where account_id = ${account_id}`
      for (const deps of [service.deps, other]) await deps.reference.refresh()
    },
    /** Rounds of the worker until nothing moves. Returns the ids that the rail was given. */
    async settle(by: Deps = service.deps, rails: readonly string[] = [rail]) {
      const asking = new Map(rails.map(name => [name, asked]))
      while ((await settleOnce({ ...by, rails: asking })) > 0);
      return asked.calls.splice(0).map(call => call.replace('submit ', ''))
    },
    /** The payouts that wait at the nostro, in order. */
    async waiting() {
      const rows = await owner<{ id: string }[]>`
        select id from open_payouts where awaits_funds_of = ${name} order by id`
      return rows.map(({ id }) => id)
    },
    take(payout_id: string) {
      const asked = { act: 'take', person: { name: 'ann' }, account_id, payout_id } as const
      return operate(service, handlePayout, asked)
    },
    async cover() {
      await assertKept(owner)
      return (await listCovers(owner)).find(({ nostro }) => nostro === name)?.cover
    },
    async give(amount: bigint) {
      await owner.begin(async tx => {
        void actForTheHouse(tx)
        const postings = movedOn({ name, currency: 'USD' }, amount, 'own_funds')
        const journal = { kind: 'own_funds', value_on: TODAY, postings, reference: '' } as const
        await bookHouse(tx, { ...journal, note: '', by: 'test' })
      })
    },
  }
}

const TODAY = new Date().toISOString().slice(0, 10)

afterEach(() => assertKept(owner))

test('payouts beyond the cover: the first two go, a later one that fits waits behind a large one', async () => {
  const world = await openWorld(10_000n)
  const [first = '', second = '', large = '', small = ''] = await world.pay(
    4_000,
    5_000,
    2_000,
    500,
  )
  assert.deepEqual(await world.settle(), [first, second])
  assert.deepEqual(await world.waiting(), [large, small])
  assert.deepEqual(await world.settle(), [])
  assert.equal(await world.cover(), 1_000n)
  await world.give(999n)
  assert.deepEqual(await world.settle(), [], 'a cent is missing')
  await world.give(1n)
  assert.deepEqual(await world.settle(), [large])
  assert.deepEqual(await world.waiting(), [small])
  await setNostro(owner, world.name, { no_gate: true })
  assert.deepEqual(await world.settle(), [small])
  assert.deepEqual(await world.waiting(), [])
})

test('payout that waits: its timeline, the operator and the figures say so, and it can be cancelled', async () => {
  const world = await openWorld(100n)
  const [id = ''] = await world.pay(5_000)
  await world.settle()
  const timeline = await world.client.get(`/v3/payout/${id}/timeline`)
  const stateOf = (items: readonly { kind: string; state?: string }[]) =>
    items.find(({ kind }) => kind === 'attempt')?.state
  assert.equal(stateOf(timeline.json.data.items), 'waits_for_funds')
  const shown = presentInFull(await showPayout(owner, id))
  assert.equal(shown.waits_for_funds_of, world.name)
  assert.ok(shown.waits_for_funds_since !== null)
  await countAwaitingFunds(service.deps)
  const { metrics } = service.deps
  const figure = async (gauge: {
    get(): Promise<{ values: { labels: object; value: number }[] }>
  }) =>
    (await gauge.get()).values.find(({ labels }) => Object.values(labels).includes(world.name))
      ?.value
  assert.equal(await figure(metrics.payoutsAwaitingFunds), 1)
  assert.equal(await figure(metrics.payoutsAwaitingFundsSum), 50)
  const [forecast] = (await readForecast(owner, TODAY)).filter(day => day.nostro === world.name)
  assert.equal(forecast?.waits_for_funds, 5_000n)
  await addPerson(service, { user: 'ada', role: 'operator' })
  const url = `/console/installation/treasury/${world.name}`
  const page = await service.inject({ url, headers: await logIn(service, 'ada') })
  assert.match(page.text.replaceAll(/<[^>]+>/g, ''), /that wait for funds: 1, 50\.00&nbsp;USD/)
  const { status } = await world.client.post(`/v3/payout/${id}/cancel`, {})
  assert.equal(status, 200)
  const [cover] = (await listCovers(owner)).filter(({ nostro }) => nostro === world.name)
  assert.deepEqual([cover?.waiting_count, cover?.waiting_since], [0n, null])
})

test('payout that settles, before and after its item is derived: the cover is the same', async () => {
  const world = await openWorld(10_000n)
  const [id = ''] = await world.pay(4_000)
  await world.settle()
  const { account_id } = world
  const steps = [{ status: 'succeeded', failure: null }] as const
  const person = { name: 'ann', is_login: false }
  assert.equal(await world.cover(), 6_000n)
  await service.deps.lanes.advancePayout.run({
    ...{ account_id, payout_id: id, steps, by: 'operator', person },
  })
  assert.equal(await world.cover(), 6_000n)
  while ((await deriveSome(service.deps)).journals > 0n);
  assert.equal(await world.cover(), 6_000n)
  const [book] = await owner<{ amount: bigint }[]>`
    select amount::bigint from nostro_totals where nostro = ${world.name} and side = 'book'`
  assert.equal(book?.amount, -4_000n)
})

test('money whose value date is to come: covers nothing before', async () => {
  const world = await openWorld(0n)
  await giveItems(owner, { name: world.name, currency: 'USD' }, [
    { amount: 700n, day: '2999-01-01' },
    { amount: 300n },
  ])
  assert.equal(await world.cover(), 300n)
})

test('payout that comes behind a gate after it was found: handed over by no claim', async () => {
  const world = await openWorld(0n)
  const [id = ''] = await world.pay(4_000)
  const { account_id: account } = world
  const gates = (await listGates(owner)).filter(({ name }) => name === world.name)
  const keys = [{ account_id: account, id }]
  assert.deepEqual(await claimDuePayouts(service.deps.sql, keys, 0, gates), [])
})

test('a person and a worker at one gate at the same moment: one of them alone has the cover', async () => {
  const world = await openWorld(10_000n, { more: ['manual'], route: `bank_${worlds + 1}` })
  const [by_rail = ''] = await world.pay(6_000)
  await world.takeRail('manual')
  const [by_hand = ''] = await world.pay(6_000)
  // The worker waits here with its claim, which nobody else sees before it commits.
  await owner.unsafe(`
    create function wait_in_claim() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(7210098); return new;
    end $$;
    create trigger in_claim before update on open_payouts for each row
      when (new.id = '${by_rail}') execute function wait_in_claim()`)
  const { settled, taken } = await owner.begin(async tx => {
    await tx`select pg_advisory_xact_lock(7210098)`
    const settled = world.settle()
    await untilBlocked(owner)
    const taken = world.take(by_hand).then(
      () => 'taken',
      error => String(error),
    )
    await Promise.race([taken, untilBlocked(owner, 'select pg_advisory_xact_lock(hashtext')])
    return { settled, taken }
  })
  assert.deepEqual(await settled, [by_rail])
  assert.match(await taken, /waits for funds/)
  await owner.unsafe('drop function wait_in_claim cascade')
  // The rail of the next test: its payouts count where the rail is.
  assert.equal((await world.client.post(`/v3/payout/${by_hand}/cancel`, {})).status, 200)
  await setNostro(owner, world.name, { rails: [] })
})

test('payout by hand, beyond the cover: nobody takes it, nor one that fits behind a large older one', async () => {
  const world = await openWorld(10_000n, { more: ['manual'] })
  const [first = '', large = '', small = ''] = await world.pay(4_000, 7_000, 1_000)
  const { take } = world
  await assert.rejects(take(large), /waits for funds: usd_\d+ covers USD 60\.00 of USD 70\.00/)
  await assert.rejects(take(small), /waits for funds/)
  await take(first)
  await assert.rejects(take(large), /waits for funds/)
  await world.give(1_000n)
  await take(large)
  await assert.rejects(take(small), /waits for funds/)
  await setNostro(owner, world.name, { no_gate: true, rails: [] })
  await take(small)
})

const RACES = share(3, 100)
const random = seeded(pickSeed())

test(`two processes at one gate, ${RACES} rounds: together never more than the cover, and no place unused`, async () => {
  for (let round = 0; round < RACES; round++) {
    const world = await openWorld(10_000n)
    const amounts = Array.from({ length: 12 }, () => 500 + Math.floor(random() * 3_000))
    const ids = await world.pay(...amounts)
    const given = await Promise.all([
      ...[service.deps, other, service.deps, other].map(by => world.settle(by)),
    ])
    const all = given.flat()
    let sum = 0
    const fit = ids.filter((_, i) => {
      sum += amounts[i] ?? 0
      return sum <= 10_000
    })
    const also = await world.settle()
    assert.deepEqual([...all, ...also].sort(), fit.sort())
  }
})

test('a rail of two nostros: neither gets a gate, in TypeScript and in PostgreSQL', async () => {
  const one = await openWorld(0n, { gate: false })
  const two = await openWorld(0n)
  const shared = { rails: [one.rail] }
  await assert.rejects(setNostro(owner, two.name, shared), /rail bank_\d+ is that of usd_\d+ too/)
  await assert.rejects(
    owner`update nostros set rails = ${[one.rail]} where name = ${two.name}`,
    /have a rail in common/,
  )
})

test('two nostros with one rail: 500 payouts that one does not cover hold up none of the other currency', async () => {
  const world = await openWorld(10_000n)
  await addEurosAt(world.rail)
  const euros = Array.from({ length: 500 }, () => ({ amount: 100, currency: 'EUR' }))
  await payAll(service, world.client, euros)
  assert.deepEqual(await world.settle(), [])
  const [dollars = ''] = await world.pay(4_000)
  assert.deepEqual(await world.settle(), [dollars])
})

test('rail of a nostro that nobody asks: its payouts take neither the cover nor the turn of another rail', async () => {
  const slow = `slow_${worlds + 1}`
  await owner.begin(tx => addRail(tx, slow))
  const world = await openWorld(0n, { more: [slow, 'manual'] })
  // What people took for earlier tests counts where their rail is.
  await world.give(10_000n - ((await world.cover()) ?? 0n))
  const [older = ''] = await world.pay(9_000)
  await world.takeRail(world.rail)
  const [first = ''] = await world.pay(4_000)
  assert.deepEqual(await world.settle(), [first])
  assert.deepEqual(await world.settle(service.deps, [world.rail, slow]), [])
  assert.deepEqual(await world.waiting(), [older])
  const [second = ''] = await world.pay(1_000)
  assert.deepEqual(await world.settle(), [second])
  await world.takeRail('manual')
  const [by_hand = ''] = await world.pay(1_000)
  await assert.rejects(world.take(by_hand), /waits for funds/)
  await owner`update rails set paused_reason = 'no bank' where name = ${slow}`
  await world.take(by_hand)
  await world.give(5_000n)
  assert.deepEqual(await world.settle(service.deps, [world.rail, slow]), [older])
})

test('payout that waits, whose nostro has lost its rail: goes, though a gate of another currency has the rail', async () => {
  const world = await openWorld(0n)
  await addEurosAt(world.rail)
  const [id = ''] = await world.pay(4_000)
  assert.deepEqual(await world.settle(), [])
  assert.deepEqual(await world.waiting(), [id])
  const unused = `unused_${worlds}`
  await owner.begin(tx => addRail(tx, unused))
  await setNostro(owner, world.name, { rails: [unused] })
  assert.deepEqual(await world.settle(), [id])
})

const KEY = (id: string) => ({ account_id: 'a', id })
const LEAVES = (id: string, amount: bigint, is_handed_over = false) => ({
  ...KEY(id),
  amount,
  is_handed_over,
})

test('queue at a gate: prefixes alone pass, what is younger waits; what was handed over, or leaves elsewhere, is in no list', () => {
  const leaving = [LEAVES('1', 5n), LEAVES('2', 9n, true), LEAVES('3', 6n), LEAVES('4', 1n)]
  const oldest = ['1', '2', '3', 'elsewhere'].map(KEY)
  const names = (keys: readonly { id: string }[]) => keys.map(({ id }) => id).join()
  const judge = (cover: bigint) => {
    const { covered, waiting } = passingOf({ oldest, found: [KEY('4')] }, leaving, cover)
    return [names(covered), names(waiting)]
  }
  assert.deepEqual(judge(4n), ['', '1,3,4'])
  assert.deepEqual(judge(10n), ['1', '3,4'])
  assert.deepEqual(judge(11n), ['1,3', '4'])
})
