// What becomes of a payout after POST /v3/payout: the simulator's amounts (§rail.simulator), money
// given back (17), and rails that fail to answer (18).

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { simulator } from '../../src/adapters/simulator.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { type RailPayout, type RailReport, SIMULATOR } from '../../src/rails/rail.ts'
import { balancesOf, rowVersions } from '../support/assert/check.ts'
import { eventTypesOf, findPayout, pay } from '../support/service/payouts.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import {
  askingRail,
  linesOf,
  makeDue,
  railOf,
  report,
  type ScriptedRail,
  scriptedRail,
  settleAll,
} from '../support/service/settling.ts'

let service: TestService
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0, rail_timeout_ms: 50 })
  await service.setFees([{ fixed_amount: 100n, variable_bps: 10 }])
})
after(() => service.close())

async function funded(): Promise<Client> {
  return service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
}

async function payOut(account: Client, amount = 10_000) {
  const payout = await pay(account, { amount })
  assert.equal(payout.status, 'processing')
  return payout
}

const CLASSES: readonly [from: number, to: number, path: readonly string[]][] = [
  [100_000, 100_000, []],
  [200_000, 250_000, ['failed']],
  [300_000, 350_000, ['compliance_hold', 'succeeded']],
  [400_000, 450_000, ['compliance_hold', 'failed']],
  [500_000, 500_000, ['compliance_hold']],
  [500_001, 550_000, ['succeeded', 'reversed']],
]
/** Amounts beside the classes, which just succeed. */
const PLAIN = [
  1, 99_999, 100_001, 199_999, 250_001, 299_999, 350_001, 399_999, 450_001, 499_999, 550_001,
  5_000_000,
]

test('simulator, lowest and highest amount of each class: the steps of the class', async () => {
  const at = '2026-01-01T00:00:00Z'
  const payout = { execute_at: null, created_at: at, asked_at: at }
  const stepsOf = async (amount: number) => {
    const asked = { ...payout, amount: BigInt(amount) } as RailPayout
    const [report] = await Promise.all(simulator({ delay_ms: 0 }).inquire([asked]))
    return report?.steps.map(({ status }) => status)
  }
  for (const [from, to, path] of CLASSES) {
    for (const amount of [from, to]) assert.deepEqual(await stepsOf(amount), path, String(amount))
  }
  for (const amount of PLAIN) assert.deepEqual(await stepsOf(amount), ['succeeded'], String(amount))
})

test('simulator, an amount of each class: events show its steps, balances agree', async () => {
  const account = await funded()
  const start_cents = 10_000_000
  let left = start_cents
  const all = [[10_000, 10_000, ['succeeded']] as const, ...CLASSES]
  const made = []
  for (const [amount, , path] of all) made.push({ ...(await payOut(account, amount)), path })
  await settleAll(service)
  const types: Record<string, string> = { failed: 'payout_failure', reversed: 'payout_reversal' }
  for (const { id, balance_transaction, amount, path } of made) {
    const payout = await findPayout(account, id)
    assert.equal(payout.status, path.at(-1) ?? 'processing')
    const events = ['created', ...path].map(name => `payout.${name}`)
    assert.deepEqual(await eventTypesOf(service, id), events)
    const type = types[payout.status]
    if (type === undefined) {
      assert.equal(payout.failure, null)
      left -= amount + 100 + Math.ceil((amount * 10) / 10_000)
    } else {
      const { code, category, message, ...more } = payout.failure
      for (const text of [code, category, message]) assert.match(text, /./)
      assert.deepEqual(more, {})
    }
    const credits = await linesOf(service, account, [balance_transaction])
    assert.deepEqual(
      credits.map(line => line.type),
      type === undefined ? [] : [type],
    )
  }
  assert.ok(left < start_cents)
  assert.deepEqual(await balancesOf(account), { USD: String(left) })
})

test('simulator, delay between steps: no step before the delay has passed', async () => {
  const account = await funded()
  const { id } = await payOut(account, 300_000)
  await settleAll(service, simulator({ delay_ms: 60_000 }))
  assert.equal((await findPayout(account, id)).status, 'processing')
  const [row] = await service.database.owner<{ wait_s: number }[]>`
    select extract(epoch from ask_rail_at - created_at)::float8 as wait_s
    from payouts join open_payouts using (account_id, id) where id = ${id}`
  assert.ok(Math.abs((row?.wait_s ?? 0) - 60) < 1, `asked again in ${row?.wait_s} s`)
})

type Unclear = () => Promise<RailReport | undefined>
const UNCLEAR: readonly [what: string, answer: Unclear][] = [
  ['throws', () => Promise.reject(new Error('connection reset'))],
  ['never answers', () => new Promise(() => {})],
]

for (const [what, answer] of UNCLEAR) {
  test(`settling, rail that ${what}: payout stays processing, rail asked again by its id after each wait, then settled`, async () => {
    const account = await funded()
    const { id } = await payOut(account)
    const rail = scriptedRail(answer, answer, () => Promise.resolve(report('succeeded')))
    await settleOnce(askingRail(service.deps, rail))
    const start = await balancesOf(account)
    assert.equal((await findPayout(account, id)).status, 'processing')
    assert.equal((await findPayout(account, id)).failure, null)
    assert.equal(await settleOnce(askingRail(service.deps, rail)), 0)
    const [row] = await service.database.owner<{ wait_ms: number }[]>`
      select (extract(epoch from ask_rail_at - clock_timestamp()) * 1000)::float8 as wait_ms
      from open_payouts where id = ${id}`
    assert.ok(row !== undefined && row.wait_ms > 0 && row.wait_ms <= 60_000, `${row?.wait_ms}`)
    await makeDue(service, id)
    await settleOnce(askingRail(service.deps, rail))
    assert.equal((await findPayout(account, id)).status, 'processing')
    await makeDue(service, id)
    await settleOnce(askingRail(service.deps, rail))
    assert.equal((await findPayout(account, id)).status, 'succeeded')
    assert.deepEqual(rail.calls, [`submit ${id}`, `inquire ${id}`, `inquire ${id}`])
    assert.deepEqual(await balancesOf(account), start)
  })
}

test('settling, rail does not know the payout when asked again: submitted again with the same id', async () => {
  const account = await funded()
  const { id } = await payOut(account)
  const lost = () => Promise.reject(new Error('lost on the way'))
  const rail = scriptedRail(
    lost,
    () => Promise.resolve(undefined),
    () => Promise.resolve(report('succeeded')),
  )
  await settleOnce(askingRail(service.deps, rail))
  await makeDue(service, id)
  await settleOnce(askingRail(service.deps, rail))
  assert.deepEqual(rail.calls, [`submit ${id}`, `inquire ${id}`, `submit ${id}`])
  assert.equal((await findPayout(account, id)).status, 'succeeded')
})

const LATE: readonly [
  what: string,
  question: 'submit' | 'inquire',
  rail_timeout_ms: number,
  answer: (released: Promise<void>) => Unclear,
][] = [
  [
    'fails late',
    'submit',
    60_000,
    released => () => released.then(() => Promise.reject(new Error('503'))),
  ],
  ['never answers', 'inquire', 500, () => () => new Promise(() => {})],
]

for (const [what, question, rail_timeout_ms, answer] of LATE) {
  test(`settling, operator sets succeeded while a rail that ${what} has to ${question}: rail not asked again`, async () => {
    const account = await funded()
    const { id } = await payOut(account)
    const { account_id } = account.account
    if (question === 'inquire') {
      await settleOnce(
        askingRail(
          service.deps,
          scriptedRail(() => Promise.reject(new Error())),
        ),
      )
      await makeDue(service, id)
    }
    const asked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const unclear = answer(released.promise)
    const rail = scriptedRail(() => {
      asked.resolve()
      return unclear()
    })
    const config = { ...service.deps.config, rail_timeout_ms }
    const round = settleOnce({ ...askingRail(service.deps, rail), config })
    await asked.promise
    const { steps } = report('succeeded')
    const step = { account_id, payout_id: id, steps, by: 'operator' } as const
    await service.deps.lanes.advancePayout.run(step)
    released.resolve()
    await round
    assert.deepEqual(rail.calls, [`${question} ${id}`])
    const [row] = await service.database.owner`
      select s.status, o.id as open
      from payout_states s left join open_payouts o using (account_id, id)
      where s.id = ${id}`
    assert.deepEqual({ ...row }, { status: 'succeeded', open: null })
    assert.equal(await settleOnce(askingRail(service.deps, rail)), 0)
  })
}

test('settling, same report several times, in one batch and later: applied once, then no row changes', async () => {
  const account = await funded()
  const { id, balance_transaction } = await payOut(account)
  const { account_id } = account.account
  const { steps } = report('compliance_hold', 'failed')
  const advance = { account_id, payout_id: id, steps, by: 'rail', ask_again_in_ms: null } as const
  const thrice = () =>
    Promise.all([1, 2, 3].map(() => service.deps.lanes.advancePayout.run(advance)))
  await thrice()
  assert.deepEqual(await balancesOf(account), { USD: '10000000' })
  assert.equal((await linesOf(service, account, [balance_transaction])).length, 1)
  const events = ['payout.created', 'payout.compliance_hold', 'payout.failed']
  assert.deepEqual(await eventTypesOf(service, id), events)
  const { books: _, payouts: __, ...before } = await rowVersions(service.database.owner)
  await thrice()
  const { books: _b, payouts: _p, ...same } = await rowVersions(service.database.owner)
  assert.deepEqual(same, before)
})

test('settling by two workers in parallel: each payout submitted by one of them', async () => {
  const account = await funded()
  const made = await Promise.all(Array.from({ length: 12 }, () => payOut(account)))
  const rails: readonly ScriptedRail[] = [1, 2].map(() =>
    scriptedRail(() => Promise.resolve(report('succeeded'))),
  )
  await Promise.all(rails.map(rail => settleOnce(askingRail(service.deps, rail))))
  // Sorted, and none left out: what another test has left due is seen for what it is.
  const calls = rails.flatMap(rail => rail.calls).sort()
  assert.deepEqual(calls, made.map(({ id }) => `submit ${id}`).sort())
})

/** Longer than a claim may take, and the rail to answer. */
const STOOD_STILL_MS = 6_000

test('settling, claim may expire before the submission: left to the next worker', async t => {
  const account = await funded()
  const { id } = await payOut(account)
  const now = performance.now.bind(performance)
  let stood_still_ms = 0
  t.mock.method(performance, 'now', () => now() + stood_still_ms)
  const neverSaw = () => Promise.resolve(undefined)
  const neverSawAndLate = () => {
    stood_still_ms += STOOD_STILL_MS
    return neverSaw()
  }
  const rail = scriptedRail(neverSawAndLate, neverSaw, () => Promise.resolve(report('succeeded')))
  const deps = askingRail(service.deps, rail)
  // Between its claim and the question this process stands still.
  const rails = new Map([[SIMULATOR, rail]])
  t.mock.method(rails, 'get', () => {
    stood_still_ms += STOOD_STILL_MS
    return rail
  })
  await settleOnce({ ...deps, rails })
  assert.deepEqual(rail.calls, [])
  stood_still_ms = 0
  await makeDue(service, id)
  await settleOnce(deps)
  stood_still_ms = 0
  assert.deepEqual(rail.calls, [`inquire ${id}`])
  await makeDue(service, id)
  await settleOnce(deps)
  assert.deepEqual(rail.calls, [`inquire ${id}`, `inquire ${id}`, `submit ${id}`])
  assert.equal((await findPayout(account, id)).status, 'succeeded')
})

test('settling, rail answers "unknown payout" after the claim expired: left to the next worker', async () => {
  const account = await funded()
  const { id } = await payOut(account)
  const asked = Promise.withResolvers<undefined>()
  const unclear = () => Promise.reject(new Error('connection reset'))
  const rail = scriptedRail(unclear, () => asked.promise)
  const deps = askingRail(service.deps, rail)
  await settleOnce(deps)
  await makeDue(service, id)
  await settleOnce(deps)
  assert.equal((await findPayout(account, id)).status, 'processing')
  // The claim is given back: somebody else may hand it over, or give the money back.
  asked.resolve(undefined)
  await new Promise(setImmediate)
  assert.deepEqual(rail.calls, [`submit ${id}`, `inquire ${id}`])
})

test('settling, report of an impossible step: not applied, balance unchanged', async () => {
  const account = await funded()
  const { id } = await payOut(account)
  const start = await balancesOf(account)
  await settleAll(
    service,
    scriptedRail(() => Promise.resolve(report('failed', 'succeeded'))),
  )
  assert.equal((await findPayout(account, id)).status, 'processing')
  assert.deepEqual(await balancesOf(account), start)
  assert.deepEqual(await eventTypesOf(service, id), ['payout.created'])
  await makeDue(service, id)
  await settleAll(service)
  assert.equal((await findPayout(account, id)).status, 'succeeded')
})

test('settling, one of many rail calls throws: the other payouts settle', async () => {
  const account = await funded()
  const made = await Promise.all([1, 2, 3].map(() => payOut(account)))
  const poisoned = made[1]?.id
  const answers = (id: string) =>
    id === poisoned ? Promise.reject(new Error('poison')) : Promise.resolve(report('succeeded'))
  const rail = railOf({ submit: ({ id }) => answers(id) })
  await settleAll(service, rail)
  const statuses = await Promise.all(
    made.map(async ({ id }) => (await findPayout(account, id)).status),
  )
  assert.deepEqual(statuses, ['succeeded', 'processing', 'succeeded'])
})
