// GET /v3/payout/{id}/timeline: every state with its cause, the journals it wrote and each attempt to
// tell of it, in one order.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listAttemptsOf } from '../../src/history/timeline/store.ts'
import { findJournals } from '../../src/ledger/store.ts'
import { uetrOf } from '../../src/payouts/swift/uetr.ts'
import type { RailReport } from '../../src/rails/rail.ts'
import type { Sql, TransactionSql } from '../../src/sql/connect.ts'
import { listEventsOf } from '../../src/statements/event/store.ts'
import { newId } from '../../src/values/id.ts'
import { assertRefused, balancesOf } from '../support/assert/check.ts'
import { assertPageCost, madeAt, madeAtSql } from '../support/assert/page-cost.ts'
import { internalPayout } from '../support/given/bodies.ts'
import { entityOf, pay } from '../support/service/payouts.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { report, scriptedRail, settleAll } from '../support/service/settling.ts'

const FUNDED = 1_000_000n

let service: TestService
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setFees([{ fixed_amount: 100n }])
  await service.setRates({ 'EUR/USD': '1.25' })
})
after(() => service.close())

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
type Json = any

function funded(sandbox = true): Promise<Client> {
  return service.openAccount({ currencies: ['USD'], fund: { USD: FUNDED }, sandbox })
}

const OF_RAILS: ReadonlySet<string> = new Set(['route', 'attempt'])

async function wholeTimelineOf(account: Client, id: string): Promise<Json> {
  const answer = await account.get(`/v3/payout/${id}/timeline`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

/** Without route and attempt, which follow from the payout for a sandbox. */
async function timelineOf(account: Client, id: string): Promise<Json> {
  const timeline = await wholeTimelineOf(account, id)
  return { ...timeline, items: timeline.items.filter((item: Json) => !OF_RAILS.has(item.kind)) }
}

function says(rail: RailReport) {
  return settleAll(
    service,
    scriptedRail(() => Promise.resolve(rail)),
  )
}

function operate(account: Client, payout_id: string, steps: RailReport['steps']) {
  const { account_id } = account.account
  const advance = { account_id, payout_id, steps, by: 'operator' } as const
  return service.deps.lanes.advancePayout.run(advance)
}

/** `processing by account`, `journal payout`, `attempt 1 of payout.failed delivered`. */
function outline(items: readonly Json[]): string[] {
  return items.map(item => {
    if (item.kind === 'state') return `${item.status} by ${item.by}`
    if (item.kind === 'journal') return `journal ${item.journal_kind}`
    return `attempt ${item.attempt} of ${item.event_type} ${item.outcome}`
  })
}

async function eventsOf(id: string) {
  return service.database.owner<{ id: string; sequence: bigint; type: string; at: string }[]>`
    select id, sequence, type, created_at as at from each_event where object_id = ${id}
    order by sequence`
}

const PATH = 'GET /v3/payout/{id}/timeline'

test(`${PATH}, new payout: its creation and the journal of its debit`, async () => {
  const account = await funded()
  const payout = await pay(account, { amount: 800, currency: 'EUR', holding_currency: 'USD' })
  const [event] = await eventsOf(payout.id)
  const [stored] = await service.database.owner<{ hash: string }[]>`
    select encode(hash, 'hex') as hash from journals
    where account_id = ${account.account.account_id} and number = 2`
  assert.deepEqual(await wholeTimelineOf(account, payout.id), {
    object: 'payout_timeline',
    payout: payout.id,
    status: 'processing',
    truncated: false,
    archived_to: null,
    under_review: false,
    items: [
      {
        at: payout.created_at,
        kind: 'state',
        status: 'processing',
        previous_status: null,
        by: 'account',
        made_by: payout.made_by,
        status_description: '',
        failure: null,
        answer: null,
        by_hand: null,
        event: event?.id,
        sequence: Number(event?.sequence),
      },
      {
        at: payout.created_at,
        kind: 'route',
        rail: 'simulator',
        route: null,
        reason: 'The payouts of sandbox accounts go to the simulator.',
        event: event?.id,
        sequence: Number(event?.sequence),
      },
      {
        at: payout.created_at,
        kind: 'attempt',
        number: 1,
        rail: 'simulator',
        route: null,
        reason: 'The payouts of sandbox accounts go to the simulator.',
        state: 'waiting',
        uetr: uetrOf(payout.id),
        references: {},
        release_at: null,
        handed_over_at: null,
        released_at: null,
        expected_at: null,
        ended_at: null,
        failure: null,
        why_not_taken: '',
      },
      {
        at: payout.created_at,
        kind: 'journal',
        event: event?.id,
        journal_number: 2,
        journal_kind: 'payout',
        hash: stored?.hash,
        postings: [
          { code: 'available', currency: 'USD', amount: -1_100 },
          { code: 'fees', currency: 'USD', amount: 100 },
          { code: 'fx', currency: 'USD', amount: 1_000 },
          { code: 'fx', currency: 'EUR', amount: -800 },
          { code: 'in_transit', currency: 'EUR', amount: 800 },
        ],
        balance_transaction: payout.balance_transaction,
        balance_after: '998900',
      },
    ],
  })
})

const MADE = ['processing by account', 'journal payout']

const REPORTS: readonly (readonly [rail: RailReport, outline: readonly string[]])[] = [
  [
    report('compliance_hold', 'processing', 'requires_action'),
    ['compliance_hold by rail', 'processing by rail', 'requires_action by rail'],
  ],
  [
    report('succeeded', 'reversed'),
    ['succeeded by rail', 'journal settlement', 'reversed by rail', 'journal reversal'],
  ],
]

for (const [rail, expected] of REPORTS) {
  const words = rail.steps.map(({ status }) => status).join(', ')
  test(`${PATH}, rail reports ${words} together: each state precedes its journals and events`, async () => {
    const account = await funded()
    const payout = await pay(account)
    await says(rail)
    const { items, status } = await timelineOf(account, payout.id)
    assert.deepEqual(outline(items), [...MADE, ...expected])
    assert.equal(status, rail.steps.at(-1)?.status)
    const times = new Set(items.slice(2).map((item: Json) => item.at))
    assert.equal(times.size, 1, 'all in one transaction')
    const states = items.filter((item: Json) => item.kind === 'state')
    assert.deepEqual(
      states.map((state: Json) => state.previous_status),
      [null, ...states.slice(0, -1).map((state: Json) => state.status)],
    )
    assert.deepEqual(
      states.slice(1).map((state: Json) => state.failure),
      rail.steps.map(step => step.failure),
    )
    const given_back = items.find((item: Json) => /failure|reversal/.test(item.journal_kind))
    if (given_back === undefined) return
    const answer = await account.get(`/v3/balance_transaction/${given_back.balance_transaction}`)
    assert.equal(answer.json.data.source, payout.balance_transaction)
    assert.equal(given_back.balance_after, (await balancesOf(account)).USD)
    assert.equal(given_back.event, states.at(-1).event)
  })
}

test(`${PATH}, action answered by the account: the request, the answer and the next state`, async () => {
  const account = await funded()
  const { id } = await pay(account)
  const description = 'Send the invoice.'
  const asking = { steps: [{ status: 'requires_action', failure: null, description }] } as const
  await says({ ...asking, ask_again_in_ms: null })
  const answer = await account.post(`/v3/payout/${id}/action`, { note: 'It is INV-2041.' })
  assert.equal(answer.status, 200, answer.text)
  await operate(account, id, asking.steps)
  await account.post(`/v3/payout/${id}/action`, { note: 'As I said.' })
  const states = (await timelineOf(account, id)).items.filter((i: Json) => i.kind === 'state')
  assert.deepEqual(
    states.map((s: Json) => [s.status, s.by, s.status_description, s.answer]),
    [
      ['processing', 'account', '', null],
      ['requires_action', 'rail', description, null],
      ['processing', 'account', '', 1],
      ['requires_action', 'operator', description, null],
      ['processing', 'account', '', 2],
    ],
  )
})

test(`${PATH}, payout held, then its entity rejected: one state at creation, with the reason`, async () => {
  const account = await funded()
  const on_behalf_of = await entityOf(account)
  const payout = await pay(account, { on_behalf_of })
  const start = ['compliance_hold by account', 'journal payout']
  const [held, ...more] = (await timelineOf(account, payout.id)).items
  assert.deepEqual(outline([held, ...more]), start)
  assert.equal(held.status_description, payout.status_description)
  assert.match(held.status_description, new RegExp(on_behalf_of))
  await review(service, account, on_behalf_of, 'rejected')
  await settleAll(service)
  const { items } = await timelineOf(account, payout.id)
  assert.deepEqual(outline(items), [...start, 'failed by review', 'journal failure'])
  assert.equal(items[0].status_description, payout.status_description)
  assert.equal(items[2].status_description, '')
  assert.equal(items[2].previous_status, 'compliance_hold')
})

test(`${PATH}, paid to another account: only the payer's journals; 404 for the receiver`, async () => {
  const [account, receiver] = [await funded(), await service.openAccount({ currencies: ['USD'] })]
  const request = internalPayout(receiver.account.deposit_address)
  const { id } = await pay(account, request)
  const paid = (await timelineOf(account, id)).items
  assert.deepEqual(outline(paid), ['succeeded by account', 'journal payout'])
  assert.equal(paid[1].postings.at(-1).code, 'inter_account')
  assertRefused(await receiver.get(`/v3/payout/${id}/timeline`), 404, 'not_found')

  const on_behalf_of = await entityOf(account)
  const held = await pay(account, { ...request, on_behalf_of })
  await review(service, account, on_behalf_of, 'approved')
  await settleAll(service)
  assert.deepEqual(await balancesOf(receiver), { USD: '20000' })
  const { items } = await timelineOf(account, held.id)
  assert.deepEqual(outline(items), [
    ...['compliance_hold by account', 'journal payout'],
    ...['succeeded by review', 'journal settlement'],
  ])
  assert.equal(items[3].balance_transaction, null)
  const own = await account.get(`/v3/event?object_id=${held.id}&type=payout.succeeded`)
  assert.deepEqual(own.json.data.results[0].change.journals, [items[3].journal_number])
})

test(`${PATH}, events written by a version that stored no causes: states without cause and journals`, async () => {
  const account = await funded()
  const { id } = await pay(account)
  await says(report('succeeded'))
  const { owner } = service.database
  await owner.begin(async tx => {
    await tx`alter table events disable trigger erased_only`
    await tx`
      update events e set data = (
          select json_agg(o.data::jsonb - 'by' - 'journals' order by o.sequence) from each_event o
          where o.account_id = e.account_id and o.row_sequence = e.sequence)
      where (account_id, sequence) in (
        select account_id, row_sequence from each_event where object_id = ${id})`
    await tx`alter table events enable trigger erased_only`
  })
  const { items } = await timelineOf(account, id)
  assert.deepEqual(outline(items), ['processing by null', 'succeeded by null'])
})

interface Sent {
  readonly number: number
  /** Seconds after its event. */
  readonly after_s: number
  readonly status_code: number | null
}

interface Told {
  readonly account_id: string
  readonly event: {
    readonly id: string
    readonly sequence: bigint
    readonly type: string
    readonly at: string
  }
  readonly status: string
  readonly sent: readonly Sent[]
  /** Claims, when there were more than attempts that ended. */
  readonly attempts?: number
  readonly due_in_s?: number
}

/** A delivery and its attempts, as the worker leaves them. */
async function tell({ account_id, event, status, sent, due_in_s, attempts = sent.length }: Told) {
  const { owner } = service.database
  const [delivery, endpoint] = [newId('whd'), newId('whe')]
  const due_in = due_in_s === undefined ? null : `${due_in_s} seconds`
  await owner`
    insert into webhook_deliveries (account_id, endpoint_id, number, id, event_id, event_sequence,
      event_type, object_id, status, attempts, due_at, created_at, updated_at)
    values (${account_id}, ${endpoint}, 1, ${delivery}, ${event.id}, ${event.sequence},
      ${event.type}, 'pot_1', ${status}, ${attempts}, clock_timestamp() + ${due_in}::interval,
      ${event.at}, ${event.at})`
  for (const { number, after_s, status_code } of sent) {
    const error = status_code === null ? 'connection refused' : ''
    await owner`
      insert into webhook_attempts (account_id, delivery_id, number, created_at, duration_ms,
        status_code, error, answer)
      values (${account_id}, ${delivery}, ${number},
        ${event.at}::timestamptz + ${`${after_s} seconds`}::interval, 7, ${status_code}, ${error},
        'never shown')`
  }
  return { delivery, endpoint }
}

test(`${PATH}, webhook attempts to two endpoints: each with its outcome, in time order among the states`, async () => {
  const account = await funded()
  const { account_id } = account.account
  const { id } = await pay(account)
  await says(report('failed'))
  const [created, failed] = await eventsOf(id)
  assert.ok(created !== undefined && failed !== undefined)
  const first = await tell({
    ...{ account_id, event: created, status: 'succeeded' },
    sent: [
      { number: 1, after_s: 60, status_code: 500 },
      { number: 2, after_s: 120, status_code: 204 },
    ],
  })
  const second = await tell({
    ...{ account_id, event: failed, status: 'pending', due_in_s: 3600 },
    sent: [
      { number: 1, after_s: 60, status_code: null },
      // Number 2 was claimed by a process that died.
      { number: 3, after_s: 180, status_code: 302 },
    ],
    attempts: 3,
  })
  await tell({
    ...{ account_id, event: failed, status: 'dead' },
    sent: [{ number: 11, after_s: 86_400, status_code: 500 }],
  })
  // The next attempt is under way: nobody knows yet when there will be another.
  await tell({
    ...{ account_id, event: failed, status: 'pending', due_in_s: 20, attempts: 2 },
    sent: [{ number: 1, after_s: 90_000, status_code: 500 }],
  })
  const { items } = await timelineOf(account, id)
  assert.deepEqual(outline(items), [
    ...[...MADE, 'failed by rail', 'journal failure'],
    'attempt 1 of payout.created failed',
    'attempt 1 of payout.failed failed',
    'attempt 2 of payout.created delivered',
    'attempt 3 of payout.failed will_retry',
    'attempt 11 of payout.failed failed',
    'attempt 1 of payout.failed failed',
  ])
  const { retry_at, ...retried } = items[7]
  assert.deepEqual(retried, {
    at: items[7].at,
    kind: 'webhook_attempt',
    endpoint: second.endpoint,
    delivery: second.delivery,
    event: failed.id,
    event_type: 'payout.failed',
    attempt: 3,
    status_code: 302,
    error: '',
    outcome: 'will_retry',
    duration_ms: 7,
  })
  const wait_ms = Date.parse(retry_at) - Date.now()
  assert.ok(wait_ms > 3_500_000 && wait_ms <= 3_600_000, `${wait_ms}`)
  assert.deepEqual([items[5].status_code, items[5].error], [null, 'connection refused'])
  assert.deepEqual([items[4].delivery, items[4].retry_at], [first.delivery, null])
  assert.doesNotMatch(JSON.stringify(items), /never shown/)
})

test(`${PATH}, clock set back, attempt at or before its event's time: listed after the event`, async () => {
  const account = await funded()
  const { account_id } = account.account
  const { id } = await pay(account)
  await says(report('failed'))
  const [created, failed] = await eventsOf(id)
  assert.ok(created !== undefined && failed !== undefined)
  for (const after_s of [-3_600, 0]) {
    const sent = [{ number: 1, after_s, status_code: 200 }]
    await tell({ account_id, event: failed, status: 'succeeded', sent })
    await tell({ account_id, event: created, status: 'succeeded', sent })
  }
  const told = (type: string) => Array(2).fill(`attempt 1 of payout.${type} delivered`)
  assert.deepEqual(outline((await timelineOf(account, id)).items), [
    ...[...MADE, ...told('created')],
    ...['failed by rail', 'journal failure', ...told('failed')],
  ])
})

test(`${PATH}, account's clock ahead: time of the next webhook attempt by that clock`, async () => {
  const account = await funded(true)
  const { account_id } = account.account
  await service.database.owner`
    update books set clock_ahead = '240:00:00' where account_id = ${account_id}`
  const { id } = await pay(account)
  const [event] = await eventsOf(id)
  assert.ok(event !== undefined)
  const sent = [{ number: 1, after_s: 1, status_code: 500 }]
  await tell({ account_id, event, status: 'pending', due_in_s: 60, sent })
  const { items } = await timelineOf(account, id)
  const ahead_s = (Date.parse(items.at(-1).retry_at) - Date.now()) / 1000
  assert.ok(ahead_s > 864_000 && ahead_s <= 864_060, `${ahead_s}`)
})

test(`${PATH}, more than 1,000 attempts: the newest 1,000, truncated: true`, async () => {
  const account = await funded()
  const { account_id } = account.account
  const { id } = await pay(account)
  const [event] = await eventsOf(id)
  assert.ok(event !== undefined)
  const attempt = (number: number) => ({ number, after_s: number, status_code: 500 })
  const { delivery } = await tell({ account_id, event, status: 'dead', sent: [attempt(1)] })
  const addUpTo = (count: number) => service.database.owner`
    insert into webhook_attempts
    select account_id, delivery_id, n, created_at + n * interval '1 second', 7, 500, '', ''
    from webhook_attempts cross join generate_series(2, ${count}::integer) n
    where delivery_id = ${delivery} and number = 1 on conflict do nothing`
  await addUpTo(1_000)
  const all = await timelineOf(account, id)
  assert.deepEqual([all.items.length, all.truncated], [1_002, false])
  await addUpTo(1_005)
  const { items, truncated } = await timelineOf(account, id)
  assert.deepEqual([items.length, truncated], [1_002, true])
  assert.deepEqual([items[2].attempt, items.at(-1).attempt], [6, 1_005])
})

test(`${PATH}, more than 1,000 states: the newest 1,000, truncated: true`, async () => {
  const account = await funded()
  const { id } = await pay(account)
  await says(report('requires_action'))
  const cycles = Array.from({ length: 499 }, () => report('processing', 'requires_action').steps)
  // A command may take 4.5 s at most.
  for (let i = 0; i < cycles.length; i += 100) {
    await operate(account, id, cycles.slice(i, i + 100).flat())
  }
  const all = await timelineOf(account, id)
  assert.deepEqual([all.items.length, all.truncated], [1_001, false])
  await operate(account, id, report('failed').steps)
  const { items, truncated, status } = await timelineOf(account, id)
  assert.deepEqual([items.length, truncated, status], [1_001, true, 'failed'])
  assert.equal(outline(items)[0], 'requires_action by rail')
  assert.deepEqual(outline(items).slice(-2), ['failed by operator', 'journal failure'])
})

test(`${PATH}, read while the payout changes: the last state always equals its status`, async () => {
  const account = await funded()
  const { id } = await pay(account)
  await says(report('requires_action'))
  let over = false
  const moving = (async () => {
    for (let i = 0; i < 40; i++) {
      await operate(account, id, report(i % 2 === 0 ? 'processing' : 'requires_action').steps)
    }
    over = true
  })()
  let reads = 0
  while (!over) {
    const { status, items } = await timelineOf(account, id)
    assert.equal(items.findLast((item: Json) => item.kind === 'state').status, status)
    reads += 1
  }
  await moving
  assert.ok(reads > 5, `${reads} reads`)
})

const KEY = { account_id: 'acc_a', id: madeAt('pot', 8) }
const FIVE = [1, 2, 3, 4, 5]

const STATEMENTS: readonly {
  readonly table: string
  readonly read: (tx: TransactionSql) => Promise<readonly unknown[]>
  readonly besides?: number
  readonly fill: (owner: Sql) => PromiseLike<unknown>
}[] = [
  {
    table: 'events',
    read: async tx => (await listEventsOf(tx, KEY, 5)).rows,
    // When it was made is found by halving 4,000 events twelve times from both sides.
    besides: 26,
    fill: async owner => {
      await owner`
        insert into events (account_id, sequence, created_at, told, type, object_id, hash)
        select a, i, timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second',
          case when i <= 100 then 'P' || lpad(i::text, 9, '0') else '-' end,
          case when i <= 100 then '' else 'payout.processing' end,
          case when i <= 100 then '' else ${madeAtSql(owner, 'pot', 'i % 100')} end, sha256('')
        from generate_series(1, 4000) i, unnest(array['acc_a', 'acc_b']) a`
      await owner`update books set event_count = 4000 where account_id = 'acc_a'`
    },
  },
  {
    table: 'journals',
    read: tx =>
      findJournals(
        tx,
        FIVE.map(i => ({ account_id: 'acc_a', number: BigInt(i * 300) })),
      ),
    fill: owner => owner`
      insert into journals (account_id, number, kind, source, codes, currencies, amounts,
        created_at, hash)
      select a, i, 'settlement', '', 'in_transit settled', 'USD USD', '{-1,1}', now(), sha256('')
      from generate_series(1, 4000) i, unnest(array['acc_a', 'acc_b']) a`,
  },
  ...['webhook_deliveries', 'webhook_attempts'].map(table => ({
    table,
    read: (tx: TransactionSql) =>
      listAttemptsOf(
        tx,
        FIVE.map(i => ({ account_id: 'acc_a', id: `evt_${i * 300}` })),
        1_001,
      ),
    fill: async (owner: Sql) => {
      await owner`
        insert into webhook_deliveries select a, 'whe_1', i, 'whd_' || i, 'evt_' || i, i,
          'payout.created', 'pot_1', 'succeeded', 1, null, now(), now()
        from generate_series(1, 4000) i, unnest(array['acc_a', 'acc_b']) a`
      await owner`
        insert into webhook_attempts select account_id, id, 1, now(), 7, 200, '', ''
        from webhook_deliveries`
    },
  })),
]

for (const { table, read, fill, besides = 0 } of STATEMENTS) {
  test(`GET a timeline among thousands, ${table} planned while empty: reads only its rows`, () =>
    assertPageCost({
      table,
      queries: [{}],
      page: async tx => ({ rows: await read(tx) }),
      prepare: owner => owner`
        insert into books (account_id, head_hash) values ('acc_a', sha256(''))`,
      fill,
      besides: () => besides,
    }))
}
