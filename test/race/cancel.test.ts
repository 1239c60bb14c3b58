// A cancel against the workers that hand payouts over: a payout is cancelled or the rail is asked to
// pay it, never both and never neither, whoever comes first and in whichever process.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { settleOnce, startSettling } from '../../src/app/worker/settle-payouts.ts'
import { claimDuePayouts } from '../../src/payouts/advance/claim-store.ts'
import type { Rail, RailStep } from '../../src/rails/rail.ts'
import { verifyBooks } from '../support/assert/books.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { asPool } from '../support/database/one-transaction.ts'
import { pay as payFrom } from '../support/service/payouts.ts'
import { pickSeed, seeded, tally, until } from '../support/service/process.ts'
import type { AnotherProcess, Answer, Client, TestService } from '../support/service/service.ts'
import { askingRail, railOf, report, scriptedRail, settleAll } from '../support/service/settling.ts'
import { type SideBySide, startSideBySide } from '../support/service/side-by-side.ts'
import { share } from '../support/share.ts'

const START = 100_000_000n
const FEE = 100n
const AMOUNT = 10_000n

let all: SideBySide
let service: TestService
let other: SideBySide['processes'][number]
/** The same account in both processes. */
let here: Client
let there: Client

before(async () => {
  all = await startSideBySide(2, { settle_poll_ms: 50, simulator_delay_ms: 0 })
  ;({ service } = all)
  other = all.processes[1] as typeof other
  await service.setFees([{ fixed_amount: FEE }])
  const by = await all.open({ currencies: ['USD'], fund: { USD: START } })
  ;[here, there] = [by(0), by(1)]
})
after(() => all.close())

const pay = async (by = here, more: object = {}): Promise<string> => (await payFrom(by, more)).id

function cancel(by: Client, id: string, headers: Record<string, string> = {}): Promise<Answer> {
  return by.post(`/v3/payout/${id}/cancel`, {}, headers)
}

/** As the answer would be: how it ended, or the reason of the refusal. */
function outcome({ status, json }: Pick<Answer, 'status' | 'json'>): string {
  return status === 200 ? `cancelled ${json.data.failure.code}` : String(json.errors[0].reason)
}

async function balance(): Promise<bigint> {
  const answer = await here.get('/v3/balance')
  return BigInt(answer.json.data.available[0].amount)
}

for (const [what, headers, others] of [
  ['with one key', { 'idempotency-key': 'at once' }, 'cancelled PF000100'],
  ['without a key', {}, 'payout_not_cancellable'],
] as const) {
  test(`POST /v3/payout/{id}/cancel, 20 in parallel in two processes ${what}: cancelled once`, async () => {
    const start = await balance()
    const id = await pay()
    const by = (i: number) => (i % 2 === 0 ? here : there)
    const asked = Array.from({ length: 20 }, (_, i) => cancel(by(i), id, headers))
    const answers = await Promise.all(asked)
    const [first, ...more] = answers.toSorted((a, b) => a.status - b.status).map(outcome)
    assert.equal(first, 'cancelled PF000100')
    assert.deepEqual(more, Array(19).fill(others))
    const repeats = answers.filter(answer => answer.headers['idempotent-replayed'] === 'true')
    assert.equal(repeats.length, what === 'with one key' ? 19 : 0)
    assert.equal(await balance(), start)
  })
}

/** Runs `work` while no journal can be written: whoever writes one waits, with its locks held. */
async function whileJournalsAreLocked(work: () => Promise<void>): Promise<void> {
  await service.database.owner.begin(async tx => {
    await tx`lock table journals in share row exclusive mode`
    await work()
  })
}

test("POST /v3/payout/{id}/cancel, a worker's claim not yet committed: waits for it, then 409", async () => {
  const id = await pay()
  const { account_id } = here.account
  const { answer } = await service.database.owner.begin(async tx => {
    const claims = await claimDuePayouts(asPool(tx), [{ account_id, id }], 0)
    assert.equal(claims.length, 1)
    const asked = cancel(here, id)
    await untilBlocked(service.database.owner)
    return { answer: asked }
  })
  assert.equal(outcome(await answer), 'payout_not_cancellable')
  const rail = scriptedRail(() => Promise.resolve(report('succeeded')))
  await settleAll(service, rail)
  assert.deepEqual(rail.calls, [`inquire ${id}`])
})

const FAILURE = { code: 'OP1', category: 'operator', message: 'No.' }
const failed: RailStep = { status: 'failed', failure: FAILURE }

const MOVES: readonly (readonly [what: string, move: (id: string) => Promise<unknown>])[] = [
  [
    'POST /v3/payout/{id}/cancel',
    async id => assert.equal(outcome(await cancel(here, id)), 'cancelled PF000100'),
  ],
  [
    'operator sets failed',
    payout_id => {
      const { account_id } = here.account
      const step = { account_id, payout_id, steps: [failed], by: 'operator' } as const
      return service.deps.lanes.advancePayout.run(step)
    },
  ],
]

for (const [what, move] of MOVES) {
  test(`${what}, not yet committed, workers running: workers neither claim the payout nor wait`, async () => {
    const id = await pay()
    const rail = scriptedRail(() => Promise.resolve(report('succeeded')))
    let moved: Promise<unknown> = Promise.resolve()
    await whileJournalsAreLocked(async () => {
      moved = move(id)
      await untilBlocked(service.database.owner)
      for (const deps of [service.deps, other.deps]) {
        assert.equal(await settleOnce(askingRail(deps, rail)), 1)
      }
    })
    await moved
    await settleAll(service, rail)
    assert.deepEqual(rail.calls, [])
    const [row] = await service.database.owner`
      select status, rail_attempts from payout_states where id = ${id}`
    assert.deepEqual({ ...row }, { status: 'failed', rail_attempts: 0 })
  })
}

/** Lets every payout succeed, and counts how often it was asked to pay each. */
function countingRail(): Rail & { readonly paid: Map<string, number> } {
  const paid = new Map<string, number>()
  const submit = ({ id }: { id: string }) => {
    paid.set(id, (paid.get(id) ?? 0) + 1)
    return Promise.resolve(report('succeeded'))
  }
  return { ...railOf({ submit }), paid }
}

const ROUNDS = share(6, 200)
/** More, while by chance all were cancelled or all were paid. */
const MOST = 5
const PAYOUTS = 4

test(`cancellations and two workers in parallel, ${ROUNDS} rounds: each payout cancelled or paid, never both`, async t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  const rail = countingRail()
  const start = await balance()
  const answers = new Map<string, Answer>()
  const alike = () => new Set([...answers.values()].map(({ status }) => status)).size === 1
  let rounds = 0
  for (; rounds < ROUNDS || (rounds < MOST * ROUNDS && alike()); rounds++) {
    const ids = await Promise.all(Array.from({ length: PAYOUTS }, () => pay()))
    const settle = async ({ deps }: Pick<AnotherProcess, 'deps'>) => {
      await delay(random() * 25)
      await settleOnce(askingRail(deps, rail))
    }
    const cancels = ids.map(async (id, i) => {
      await delay(random() * 8)
      answers.set(id, await cancel(i % 2 === 0 ? here : there, id))
    })
    await Promise.all([settle(service), settle(other), ...cancels])
  }
  await settleAll(service, rail)
  const rows = await service.database.owner<{ id: string; status: string; asked: number }[]>`
    select id, status, rail_attempts as asked from payout_states
    where id = any (${[...answers.keys()]}::text[])`
  const counts = { cancelled: 0n, paid: 0n }
  for (const { id, status, asked } of rows) {
    const answer = answers.get(id) as Answer
    const cancelled = answer.status === 200
    counts[cancelled ? 'cancelled' : 'paid'] += 1n
    const was = [outcome(answer), status, asked, rail.paid.get(id) ?? 0]
    const wanted = cancelled
      ? ['cancelled PF000100', 'failed', 0, 0]
      : ['payout_not_cancellable', 'succeeded', 1, 1]
    assert.deepEqual(was, wanted, id)
  }
  t.diagnostic(`${counts.cancelled} cancelled, ${counts.paid} paid`)
  assert.equal(counts.cancelled + counts.paid, BigInt(rounds * PAYOUTS))
  assert.ok(counts.cancelled > 0n && counts.paid > 0n, 'both happened')
  assert.equal(await balance(), start - counts.paid * (AMOUNT + FEE))
})

const AHEAD_MS = 3_000

test('cancellations of scheduled payouts and workers of two processes in parallel: each cancelled or paid, never both', async t => {
  const workers = [service, other].map(({ deps }) => startSettling(deps))
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  const start = await balance()
  const by = () => (random() < 0.5 ? here : there)
  const answers: Answer[] = []
  const ids: string[] = []
  const times = share(2, 4)
  const alike = () => new Set(answers.map(({ status }) => status)).size === 1
  try {
    const one = async () => {
      const execute_at = new Date(Date.now() + AHEAD_MS).toISOString()
      const id = await pay(by(), { execute_at })
      ids.push(id)
      // Half of them before a worker has had time to look.
      if (random() < 0.5) await delay(random() * (AHEAD_MS + 6))
      // Or just as it is due.
      else await delay(Date.parse(execute_at) - Date.now() + random() * 30)
      const answer = await cancel(by(), id)
      answers.push(answer)
      // What the cancel said is so from then on.
      const status = answer.status === 200 ? 'failed' : 'succeeded'
      await until(`${id} is ${status}`, async () => {
        return (await by().get(`/v3/payout/${id}`)).json.data.status === status
      })
    }
    const client = async () => {
      for (let i = 0; i < times || (i < MOST * times && alike()); i++) await one()
    }
    await Promise.all(Array.from({ length: 8 }, client))
  } finally {
    await Promise.all(workers.map(worker => worker.stop()))
  }
  const counts = tally(answers)
  t.diagnostic(JSON.stringify(counts))
  assert.deepEqual(Object.keys(counts).sort(), ['200', '409 payout_not_cancellable'])
  const wrong = await service.database.owner`
    select id, status, rail_attempts, failure from payout_states
    where id = any (${ids}::text[]) and not (
      status = 'failed' and failure ->> 'code' = 'PF000100' and rail_attempts = 0
      or status = 'succeeded' and rail_attempts > 0)
    union all
    select s.id, s.status, s.rail_attempts, s.failure
    from payout_states s join payouts p using (account_id, id)
    where s.id = any (${ids}::text[]) and s.status = 'succeeded' and s.updated_at < p.execute_at`
  assert.deepEqual([...wrong], [])
  const paid = BigInt(counts['409 payout_not_cancellable'] ?? 0)
  assert.equal(await balance(), start - paid * (AMOUNT + FEE))
})

test('books after all tests of this file: corridor verify clean', async () => {
  await verifyBooks(service.database.owner)
})
