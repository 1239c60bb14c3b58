// kill -9 of the service under keyed payouts, with and without quotes, that are settled and told to a
// webhook receiver: before or after each step of its work (src/values/diagnostics.ts), and at moments a seed
// decides, with a restart each time. Nothing acknowledged is lost, nothing happens twice.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { checkBooks } from '../support/assert/books.ts'
import { addEndpoint, judge, startReceiver, verifySignature } from '../support/network/receiver.ts'
import {
  checkPaid,
  type KeyedPayout,
  type Load,
  repeatAll,
  startLoad,
} from '../support/service/load.ts'
import { failingAt, pickSeed, seeded, until } from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { LONG, share } from '../support/share.ts'

const LANES = ['create_payout', 'advance_payout', 'create_quote']
/** Each step, and what goes through it. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  load: LANES,
  decide: LANES,
  store: LANES,
  commit: LANES,
  reply: LANES,
  claim: ['payouts', 'webhooks'],
  rail: ['simulator'],
  webhook: ['send'],
}
const LONG_KILLS = 20
const KILLS = share(1, LONG_KILLS)
/** Where there is most to lose: at these the usual run kills, and at one more. */
const WORST = /^(any moment|after commit|before rail)/
const WHERE = LONG
  ? `any moment, before and after each of 8 steps, ${LONG_KILLS} times each`
  : 'any moment, and before or after 3 of 8 steps'

/** A step is passed less often than this before it is the last one. */
const MAX_TIMES = 12

const CLIENTS = 8
const PAUSE_MS = 25
const QUOTED_PERCENT = 40
/** What the simulator fails, and what it takes back after it succeeded. */
const FAILED = 200_001
const REVERSED = 500_002

/** What the receiver wants: as many events as can be sent in the moments that a process lives. */
const TOLD = ['payout.created', 'payout.succeeded', 'payout.failed', 'payout.reversed']
/**
 * At a kill come twice what was received and not recorded: of an endpoint no more than may be out at
 * once, and as many that have ended and wait to be recorded.
 */
const MOST_TWICE = 16

/** Longest that a process may go on until it comes to the step that it is to end at. */
const REACHED_WITHIN_MS = 120_000

const { database, account, client, start, listen } = await openScene()
const env = {
  CORRIDOR_RAIL_TIMEOUT_MS: '500',
  CORRIDOR_WEBHOOK_POLL_MS: '20',
  // A killed worker's claims come due after this and five seconds.
  CORRIDOR_WEBHOOK_TIMEOUT_MS: '1000',
  CORRIDOR_WEBHOOK_ALLOW_PRIVATE: 'on',
}
/** Of the process that lives now. */
let address: string

const receiver = await startReceiver()
const { secret } = await addEndpoint(database, account.account.account_id, receiver.url, {
  event_types: TOLD,
})
const [endpoint] = await database.owner<{ fanned_out: bigint }[]>`
  select fanned_out from webhook_endpoints`
/** The number of the last event before there was a receiver. */
const untold = endpoint?.fanned_out
after(() => receiver.close())

/**
 * So many kills of each kind, in an order that the seed decides; a step's third time is another
 * moment than its first. On one side of each step: after the commit, before the reply, after a claim
 * and before the rail.
 */
function listPoints(random: () => number, kills: number, both_sides: boolean): string[] {
  const points = Array<string>(kills).fill('any moment')
  for (const [i, [step, names]] of Object.entries(STEPS).entries()) {
    for (const [j, when] of ['before', 'after'].entries()) {
      if (!both_sides && j !== i % 2) continue
      for (let kill = 0; kill < kills; kill++) {
        // One of each is enough for every kind of work, and for payouts just committed.
        const name = names[(2 * (i + 1) + j + kill) % names.length]
        points.push(`${when} ${step} ${name} ${1 + Math.floor(random() * MAX_TIMES)}`)
      }
    }
  }
  const drawn = points.map(point => [random(), point] as const)
  return drawn.sort(([a], [b]) => a - b).map(([, point]) => point)
}

interface Life {
  readonly load: Load
  /** From the start of the process until it listened, and until all keys of before had a result. */
  readonly started_ms: number
  readonly resolved_ms: number
}

/**
 * One process from its start to its end at the point: first it answers what was asked of the one
 * before, then more is asked. `resolved` says when there is an answer to what was asked before.
 */
async function live(point: string, random: () => number, resolved: Promise<void>): Promise<Life> {
  const at_any_moment = point === 'any moment'
  const began = performance.now()
  const service = await start({ ...env, ...(at_any_moment ? {} : failingAt(point)) })
  address = service.address
  const started_ms = performance.now() - began
  await resolved
  const resolved_ms = performance.now() - began
  const load = startLoad({
    client,
    clients: CLIENTS,
    address: () => address,
    name: `${point.replaceAll(' ', '-')}-${service.pid}`,
    random,
    amount: of => (of() < 0.1 ? FAILED : of() < 0.1 ? REVERSED : 1 + of() * 900) | 0,
    quoted_percent: QUOTED_PERCENT,
    insist: true,
    pause_ms: PAUSE_MS,
  })
  if (at_any_moment) await delay(150 + random() * 600)
  service.signal(at_any_moment ? 'SIGKILL' : 'SIGUSR2')
  const never = delay(REACHED_WITHIN_MS, 'not reached', { ref: false })
  assert.equal(await Promise.race([service.ended, never]), 'SIGKILL', point)
  return { load, started_ms, resolved_ms }
}

test('long run of kills, any seed: a kill before and after each step of each kind of work', () => {
  const points = listPoints(seeded(pickSeed()), LONG_KILLS, true)
  const reached = new Set(points.map(point => point.replace(/ \d+$/, '')))
  const kinds = Object.entries(STEPS).flatMap(([step, names]) =>
    names.flatMap(name => [`before ${step} ${name}`, `after ${step} ${name}`]),
  )
  assert.deepEqual([...new Set(kinds).difference(reached)], [])
})

test(`SIGKILL at ${WHERE}, under load: one result per key, every event delivered`, async t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  const all = listPoints(random, KILLS, LONG)
  const worst = all.filter(point => WORST.test(point))
  const points = LONG ? all : [...worst, ...all.filter(point => !worst.includes(point)).slice(0, 1)]
  const lives: Life[] = []
  let resolved = Promise.resolve()
  for (const point of points) {
    const life = await live(point, random, resolved)
    lives.push(life)
    // What it has asked for is asked for again until the next process answers.
    resolved = life.load.stop()
  }
  const ended = performance.now()
  address = (await listen(env)).address
  await resolved
  const asked = lives.flatMap(({ load }) => load.asked)
  const [started_ms, resolved_ms] = [
    lives.map(life => Math.round(life.started_ms)).sort((a, b) => a - b),
    lives.map(life => Math.round(life.resolved_ms - life.started_ms)).sort((a, b) => a - b),
  ]
  const middle = lives.length >> 1
  t.diagnostic(
    `starts took ${started_ms[middle]} ms (${started_ms.at(-1)} at most), and all keys had a result ` +
      `${resolved_ms[middle]} ms later (${resolved_ms.at(-1)} at most)`,
  )
  await repeatAll(client, address, asked)
  t.diagnostic(`${points.length} kills, ${report(asked)}`)
  await until('all is settled and told', allDone)
  const done_s = ((performance.now() - ended) / 1000).toFixed(1)
  await checkPaid(database.owner, account.account.account_id, asked)
  await checkSettled()
  const { events, twice } = await checkTold()
  t.diagnostic(
    `${events} events told, ${twice} of them twice; all done ${done_s} s after the last kill`,
  )
  assert.ok(twice <= MOST_TWICE * points.length, `${twice} came twice`)
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})

function report(asked: readonly KeyedPayout[]): string {
  const unheard = asked.filter(({ earlier }) => earlier.length > 0)
  const replayed = unheard.filter(({ answer }) => answer?.headers['idempotent-replayed'] === 'true')
  const expected = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '503 service_unavailable']
  const heard = new Set(asked.flatMap(({ earlier }) => earlier))
  assert.deepEqual([...heard.difference(new Set(expected))], [])
  for (const { answer, error, key } of asked) {
    assert.equal(answer?.status, 200, `${key} is stuck: ${answer?.text ?? error}`)
  }
  assert.ok(unheard.length > CLIENTS * KILLS && replayed.length > 0, 'the kills hit it at work')
  return (
    `${asked.length} keys, of which ${unheard.length} were not heard of at first and ` +
    `${replayed.length} of these had committed`
  )
}

async function allDone(): Promise<boolean> {
  const [row] = await database.owner<{ left: number }[]>`
    select ((select count(*) from open_payouts where ask_rail_at is not null)
      + (select count(*) from webhook_deliveries where status = 'pending')
      + (select count(*) from webhook_endpoints e join books b on b.account_id = e.account_id
        where e.fanned_out < b.event_count))::integer as left`
  return row?.left === 0
}

/** The rail's answer was applied to every payout, once: checkBooks sees what it did to the money. */
async function checkSettled(): Promise<void> {
  const wrong = await database.owner`
    select id, amount, status from payouts join payout_states using (account_id, id)
    where status <> case amount
      when ${FAILED} then 'failed' when ${REVERSED} then 'reversed' else 'succeeded' end`
  assert.deepEqual([...wrong], [])
}

/** Every event was told, signed, by the same id and words, in order, and nothing uncommitted. */
async function checkTold(): Promise<{ events: number; twice: number }> {
  const rows = await database.owner<{ id: string }[]>`
    select id from each_event where sequence > ${untold ?? 0n} and type = any (${TOLD})`
  const told = Map.groupBy(receiver.received, ({ headers }) => String(headers['webhook-id']))
  const ids = new Set(rows.map(({ id }) => id))
  assert.deepEqual([...ids.difference(new Set(told.keys()))], [], 'events that were not told')
  assert.deepEqual([...new Set(told.keys()).difference(ids)], [], 'told, and no such event')
  const failed = await database.owner`
    select from webhook_deliveries where status <> 'succeeded'`
  assert.equal(failed.length, 0, 'each delivery is recorded as succeeded')
  for (const one of receiver.received) verifySignature(secret, one)
  for (const [id, times] of told) {
    assert.deepEqual([...new Set(times.map(({ body }) => body))], [times[0]?.body])
    assert.equal(times[0]?.event.id, id)
  }
  const { twice, disordered } = judge(receiver.received)
  assert.deepEqual(disordered, [])
  return { events: ids.size, twice }
}
