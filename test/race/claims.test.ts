// Many workers that claim the same payouts at the same moment, in whatever order they found them, and
// one that looked before another had committed: each payout is one worker's.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import {
  claimDuePayouts,
  type DuePayout,
  listDuePayouts,
} from '../../src/payouts/advance/claim-store.ts'
import { SIMULATOR } from '../../src/rails/rail.ts'
import { type Deps, openDeps } from '../../src/runtime/deps.ts'
import { makeMetrics } from '../../src/runtime/metrics.ts'
import { nameOf } from '../../src/values/id.ts'
import { verifyBooks } from '../support/assert/books.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { onCluster } from '../support/database/citus.ts'
import { localPayout } from '../support/given/bodies.ts'
import { startTestService, type TestService } from '../support/service/service.ts'
import { askingRail, report, scriptedRail } from '../support/service/settling.ts'
import { share } from '../support/share.ts'

const ACCOUNTS = 6
const PAYOUTS = 20
const WORKERS = 8
const ROUNDS = share(4, 200)
const LEASE_MS = 600_000

let service: TestService
/** As of other processes. */
let others: Deps[]
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  const log = pino({ level: 'silent' })
  const open = () => openDeps(service.database.url, service.deps.config, log, makeMetrics())
  others = await Promise.all([open(), open()])
  const fund = { USD: 100_000_000n }
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => service.openAccount({ currencies: ['USD'], fund })),
  )
  const payouts = Array(PAYOUTS).fill({ ...localPayout, amount: 10_000 })
  const made = await Promise.all(accounts.map(a => a.post('/v3/payout_batch', { payouts })))
  for (const { status, text } of made) assert.equal(status, 200, text)
})
after(async () => {
  await Promise.all((others ?? []).map(other => other.close()))
  await service.close()
})

const processes = () => [service.deps, ...others]
const listDue = () => listDuePayouts(service.deps.finder, [SIMULATOR], 1_000)

/** As if every claim had run out. */
async function giveUpClaims(): Promise<void> {
  await service.database.owner`update open_payouts set claimed_until = null`
}

test(`claims, ${WORKERS} workers, payouts of ${ACCOUNTS} accounts, ${ROUNDS} rounds: each payout claimed once per round`, async t => {
  let shared = 0
  for (let round = 1; round <= ROUNDS; round++) {
    await giveUpClaims()
    const due = await listDue()
    assert.equal(due.length, ACCOUNTS * PAYOUTS)
    const claims = await Promise.all(
      Array.from({ length: WORKERS }, (_, i) => {
        const { sql } = processes()[i % 3] as Deps
        // Each has found them in an order of its own.
        const from = Math.floor((i * due.length) / WORKERS)
        const keys = [...due.slice(from), ...due.slice(0, from)]
        return claimDuePayouts(sql, i % 2 === 0 ? keys : keys.toReversed(), LEASE_MS)
      }),
    )
    shared += claims.filter(claimed => claimed.length > 0).length > 1 ? 1 : 0
    assert.deepEqual(claims.flat().map(nameOf).sort(), due.map(nameOf).sort())
    const attempts = new Set(claims.flat().map(({ rail_attempts }) => rail_attempts))
    assert.deepEqual([...attempts], [round - 1])
  }
  t.diagnostic(`several workers had some of them in ${shared} of ${ROUNDS} rounds`)
  await giveUpClaims()
})

// On a machine of its own the gate can be held by the test.
const skip = onCluster ? 'the gate is a lock of one machine' : false

test("claim by a worker that read before another worker's claim was committed: payout found claimed", {
  skip,
}, async () => {
  await giveUpClaims()
  const { owner } = service.database
  const [first, second] = (await listDue()) as [DuePayout, DuePayout]
  // Whoever has claimed the first waits here, and looks at the second with the eyes of before.
  await owner.unsafe(`
    create function wait_at_gate() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(7210099); return new;
    end $$;
    create trigger gate before update on open_payouts for each row
      when (new.id = '${first.id}') execute function wait_at_gate()`)
  const [other] = others as [Deps]
  const { slow, quick } = await owner.begin(async tx => {
    await tx`select pg_advisory_xact_lock(7210099)`
    const slow = claimDuePayouts(service.deps.sql, [first, second], LEASE_MS)
    await untilBlocked(owner)
    return { slow, quick: await claimDuePayouts(other.sql, [second], LEASE_MS) }
  })
  assert.deepEqual(quick.map(nameOf), [nameOf(second)])
  assert.deepEqual((await slow).map(nameOf), [nameOf(first)])
  await owner.unsafe('drop function wait_at_gate cascade')
})

test('settling rounds of three processes in parallel: each payout submitted once', async () => {
  const { owner } = service.database
  await owner`update open_payouts set claimed_until = null, rail_attempts = 0`
  const due = await listDue()
  const rails = processes().map(() => scriptedRail(() => Promise.resolve(report('succeeded'))))
  await Promise.all(
    processes().flatMap((deps, i) => {
      const rail = rails[i] as (typeof rails)[number]
      return [settleOnce(askingRail(deps, rail)), settleOnce(askingRail(deps, rail))]
    }),
  )
  const calls = rails.flatMap(rail => rail.calls).sort()
  assert.deepEqual(calls, due.map(({ id }) => `submit ${id}`).sort())
  await verifyBooks(owner)
})

test('claims after a promotion, before the process has noticed it: none; once a person has looked: all', async () => {
  const { owner } = service.database
  await giveUpClaims()
  const due = await listDue()
  // A test database is noted by no process: the first look does it.
  await owner`
    insert into database_mark (system, database, timeline, files)
    select system, database, 'FFFFFFFF', '' from database_identity()`
  assert.deepEqual(await claimDuePayouts(service.deps.sql, due, LEASE_MS), [])
  const [row] = await owner<{ claimed: string }[]>`
    select count(*)::text as claimed from open_payouts where claimed_until is not null`
  assert.equal(row?.claimed, '0')
  await owner`update database_mark set timeline = (select timeline from database_identity())`
  const claimed = await claimDuePayouts(service.deps.sql, due, LEASE_MS)
  assert.equal(claimed.length, due.length)
})
