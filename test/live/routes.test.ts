// Routes of live accounts, a row a point: the request or command, the answer, and that a refusal writes
// nothing. A payout goes where its route led when it was made, and the simulator gets none of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countWaiting } from '../../src/app/worker/counts.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { assertRefused } from '../support/assert/check.ts'
import { internalPayout, localPayout, overChats } from '../support/given/bodies.ts'
import { type Client, client } from '../support/service/service.ts'
import { report, scriptedRail, settleAll } from '../support/service/settling.ts'
import { openWithCli } from '../support/service/with-cli.ts'

const { service, cli, rows } = await openWithCli({ simulator_delay_ms: 0 })
await service.setRates({ 'USD/HKD': '8' })
await service.setFees([
  { payout_type: 'local' },
  { payout_type: 'swift' },
  { payout_type: 'service_account' },
])
const fund = { USD: 100_000_000n }
const live = await service.openAccount({ currencies: ['USD'], fund, sandbox: false })
const sandbox = await service.openAccount({ currencies: ['USD'], fund })

const inHongKong = { ...localPayout, ...overChats }
const quoteOf = (payout_type: string, currency: string, rest: object = {}) => ({
  payout_type,
  payout_info: { currency, amount: 10_000 },
  holding_info: { currency: 'USD' },
  ...rest,
})

/** None of the routes fits; `missing` is what the message says there is none for. */
const REFUSED = [
  [
    'a quote over another network',
    [{ payout_type: 'local', network: 'fps' }],
    '/v3/payout/quote',
    quoteOf('local', 'HKD', { local: { fund_transfer_network: 'chats' } }),
    'payout_type',
    'network chats',
  ],
  ['a payout, no route at all', [], '/v3/payout', localPayout, 'type', 'this account'],
] as const

for (const [what, routes, path, body, remarks, missing] of REFUSED) {
  test(`POST ${path}, ${what}: 422 route_unavailable for ${missing}, nothing written`, async () => {
    await service.setRoutes(routes)
    const before = await rows()
    const answer = await live.post(path, body, { 'idempotency-key': what })
    assertRefused(answer, 422, 'route_unavailable', remarks)
    assert.ok(answer.json.message.endsWith(`there is no route for ${missing}.`), answer.text)
    assert.deepEqual(await rows(), before)
  })
}

test('POST /v3/payout with a quote, valid or to be renewed, route removed: refused, quote unused; route restored: paid at the quote', async () => {
  await service.setRoutes([{ payout_type: 'local' }])
  const asked = async () => (await live.post('/v3/payout/quote', quoteOf('local', 'USD'))).json.id
  const [quote, expired] = [await asked(), await asked()]
  await service.database.owner`update quotes set valid_until = created_at where id = ${expired}`
  await service.setRoutes([])
  const before = await rows()
  const body = { ...localPayout, quote }
  for (const tried of [body, { ...body, quote: expired, max_total_debit: 20_000 }]) {
    assertRefused(await live.post('/v3/payout', tried), 422, 'route_unavailable', 'type')
  }
  assert.deepEqual(await rows(), before)
  await service.setRoutes([{ payout_type: 'local' }])
  const paid = await live.post('/v3/payout', body)
  assert.deepEqual([paid.status, paid.json.data.quote], [200, quote], paid.text)
})

test("POST /v3/payout, quote without a network: the route of the payout's own network", async () => {
  await service.setRoutes([
    { currency: 'HKD' },
    { payout_type: 'local', network: 'chats', rail: 'bank' },
  ])
  const quote = (await live.post('/v3/payout/quote', quoteOf('local', 'HKD'))).json
  const paid = await live.post('/v3/payout', { ...inHongKong, quote: quote.id })
  assert.equal(paid.status, 200, paid.text)
  assert.equal((await storedOf(paid.json.data.id))?.rail, 'bank')
})

test('POST /v3/payout, sandbox, or service_account of a live account: no route needed', async () => {
  await service.setRoutes([])
  const simulated = await sandbox.post('/v3/payout', localPayout)
  assert.equal(simulated.status, 200, simulated.text)
  const other = await service.openAccount({ currencies: ['USD'], sandbox: false })
  const transfer = await live.post('/v3/payout', internalPayout(other.account.deposit_address, 100))
  assert.deepEqual([transfer.status, transfer.json.data.status], [200, 'succeeded'], transfer.text)
  assert.deepEqual(await storedOf(simulated.json.data.id), { rail: 'simulator', route: null })
  assert.deepEqual(await storedOf(transfer.json.data.id), { rail: '', route: null })
})

test('quote and payout, routes by amount: the destination amount decides; outside every range: no route', async () => {
  const inDollars = { currency: 'HKD' } as const
  await service.setRoutes([
    { ...inDollars, max_amount: 9_999n, rail: 'small' },
    { ...inDollars, min_amount: 10_001n, rail: 'large' },
  ])
  const pay = (amount: number) => live.post('/v3/payout', { ...inHongKong, amount })
  for (const [amount, rail, bounds] of [
    [9_999, 'small', { max_amount: '9999' }],
    [10_001, 'large', { min_amount: '10001' }],
  ] as const) {
    const paid = await pay(amount)
    assert.equal(paid.status, 200, paid.text)
    const { route, ...stored } = (await storedOf(paid.json.data.id)) ?? {}
    assert.deepEqual(stored, { rail })
    assert.partialDeepStrictEqual(route, bounds)
    const { items } = (await live.get(`/v3/payout/${paid.json.data.id}/timeline`)).json.data
    const shown = items.find((item: { kind: string }) => item.kind === 'route').route
    assert.deepEqual([shown.min_amount, shown.max_amount].filter(Boolean), [amount])
  }
  const before = await rows()
  const quote = await live.post('/v3/payout/quote', quoteOf('local', 'HKD'))
  assertRefused(quote, 422, 'route_unavailable', 'payout_info.amount')
  const refused = await pay(10_000)
  assertRefused(refused, 422, 'route_unavailable', 'amount')
  assert.match(refused.json.message, /there is no route for amount 100\.00 HKD\.$/)
  assert.deepEqual(await rows(), before)
})

test('corridor route set, several rails for the same conditions: each with its priority, in failover order', async () => {
  await service.setRoutes([{ payout_type: 'swift', rail: 'bank', priority: 3 }])
  const set = (...args: string[]) =>
    cli.run('route', 'set', '--type', 'swift', '--rail', 'manual', ...args)
  const taken = await set('--priority', '3')
  assert.equal(taken.code, 1)
  assert.match(taken.stderr, /leads to bank with priority 3; say by another priority which/)
  assert.equal((await set()).code, 0)
  const list = await cli.run('route', 'list', '--json')
  const rails = list.json.map((route: { rail: string }) => route.rail)
  assert.deepEqual(rails, ['bank', 'manual'])
  const several = await cli.run('route', 'remove', '--type', 'swift')
  assert.equal(several.code, 2)
  assert.match(
    several.stderr,
    /--rail: several routes have these conditions, to bank, manual; name one/,
  )
  const removed = await cli.run('route', 'remove', '--type', 'swift', '--rail', 'bank')
  assert.match(removed.stdout, /no route any more \(before: bank, priority 3\)/)
  const { owner } = service.database
  const twice = (values: object) =>
    owner`insert into routes ${owner({ payout_type: 'swift', rail: 'manual', ...values })}`
  await assert.rejects(twice({ priority: 7 }), { constraint_name: 'one_route_to_a_rail' })
  await assert.rejects(twice({ rail: 'bank' }), { constraint_name: 'one_order_of_routes' })
})

test('payout, routes changed later: keeps its first rail and route; timeline names both with the reason', async () => {
  await service.setRoutes([{ payout_type: 'local', currency: 'USD', priority: 2 }])
  const id = await paidBy(live)
  await service.setRoutes([{ rail: 'elsewhere' }])
  const stored = await storedOf(id)
  const conditions = {
    account_id: null,
    payout_type: 'local',
    network: null,
    currency: 'USD',
    country: null,
  }
  assert.deepEqual(stored, { rail: 'manual', route: { ...conditions, priority: 2 } })
  const { items } = (await live.get(`/v3/payout/${id}/timeline`)).json.data
  const { at, event, sequence, ...shown } = items.find(
    (item: { kind: string }) => item.kind === 'route',
  )
  assert.deepEqual(shown, {
    kind: 'route',
    rail: 'manual',
    route: {
      account: null,
      type: 'local',
      network: null,
      currency: 'USD',
      country: null,
      min_amount: null,
      max_amount: null,
      priority: 2,
    },
    reason: 'Of the routes that fit, the one for type local, currency USD decided.',
  })
})

test('settling, simulator: submits payouts of sandboxes, none of live accounts', async () => {
  await service.setRoutes([{}])
  const [ofLive, ofSandbox] = [await paidBy(live), await paidBy(sandbox)]
  await settleAll(service)
  assert.equal((await sandbox.get(`/v3/payout/${ofSandbox}`)).json.data.status, 'succeeded')
  assert.equal((await live.get(`/v3/payout/${ofLive}`)).json.data.status, 'processing')
})

test('settling, live payout on the simulator: not submitted, reported', async () => {
  await service.setRoutes([{ rail: 'bank' }])
  const id = await paidBy(live)
  const { owner } = service.database
  await owner`alter table payouts disable trigger append_only`
  await owner`alter table payouts disable trigger erased_only`
  await owner`alter table open_payouts disable trigger legal_failover`
  const routed = async (rail: string) => {
    await owner`update payouts set first_rail = ${rail} where id = ${id}`
    await owner`update open_payouts set rail = ${rail} where id = ${id}`
  }
  await routed('simulator')
  const rail = scriptedRail(() => Promise.resolve(report('succeeded')))
  await settleAll(service, rail)
  assert.deepEqual(rail.calls, [])
  assert.equal(await attemptsOf(id), 0)
  await countWaiting(service.deps)
  const told = await service.deps.metrics.registry.metrics()
  assert.match(told, /^corridor_payouts_left_alone\{rail="simulator"\} [1-9]/m)
  await routed('bank')
})

test('settling, rail that this process has no adapter for: not submitted, reported, submitted by another process', async () => {
  await service.setRoutes([{ rail: 'newer_bank' }])
  const id = await paidBy(live)
  await settleAll(service)
  assert.equal(await attemptsOf(id), 0)
  await countWaiting(service.deps)
  const told = await service.deps.metrics.registry.metrics()
  assert.match(told, /^corridor_payouts_left_alone\{rail="newer_bank"\} 1$/m)
  const newer = scriptedRail(() => Promise.resolve(report('succeeded')))
  const deps = { ...service.deps, rails: new Map([['newer_bank', newer]]) }
  await settleOnce(deps)
  assert.deepEqual(newer.calls, [`submit ${id}`])
  assert.equal((await live.get(`/v3/payout/${id}`)).json.data.status, 'succeeded')
})

test('PostgreSQL, route to the simulator or of a sandbox, or payout on the wrong rail: refused', async () => {
  const { owner } = service.database
  const insert = (values: object) =>
    owner`insert into routes ${owner({ rail: 'manual', ...values })}`
  for (const [values, constraint] of [
    [{ rail: 'simulator' }, 'simulator_takes_no_live_payout'],
    [{ payout_type: 'service_account' }, 'transfers_have_no_route'],
    [{ network: 'chats' }, 'network_of_a_type'],
    [{ min_amount: 100 }, 'amount_of_a_currency'],
    [{ max_amount: 100 }, 'amount_of_a_currency'],
    [{ currency: 'HKD', min_amount: 101, max_amount: 100 }, 'amounts_in_order'],
    [{ account_id: sandbox.account.account_id }, null],
  ] as const) {
    const expected = { code: '23514', ...(constraint && { constraint_name: constraint }) }
    await assert.rejects(insert(values), expected)
  }
  await service.setRoutes([{}])
  const ids = { live: await paidBy(live), sandbox: await paidBy(sandbox) }
  for (const [account, rail] of [
    ['live', 'simulator'],
    ['live', ''],
    ['sandbox', 'manual'],
    ['sandbox', 'bank'],
  ] as const) {
    const copy = owner.begin(async tx => {
      await tx`set local corridor.maintenance = 'on'`
      await tx`
        insert into payouts select (jsonb_populate_record(p,
          jsonb_build_object('id', 'pot_copy', 'first_rail', ${rail}::text))).*
        from payouts p where p.id = ${ids[account]}`
    })
    await assert.rejects(copy, { code: '23514' }, `${account} on "${rail}"`)
  }
  const asked = owner`update open_payouts set ask_rail_at = now() where id = ${ids.live}`
  await assert.rejects(asked, { constraint_name: 'people_are_not_asked' })
  const moved = service.deps.sql`update payouts set first_rail = 'bank' where id = ${ids.live}`
  await assert.rejects(moved, { code: '42501' })
})

test('corridor route set, wrong usage: one sentence each, nothing written', async () => {
  const before = await rows()
  for (const [args, words] of [
    [
      ['--rail', 'manuel'],
      /^corridor: --rail: There is no rail manuel; .*; did you mean manual\?\n$/,
    ],
    [
      ['--rail', 'manual', '--country', 'UK'],
      /^corridor: --country: unknown country UK; did you mean/,
    ],
    [['--rail', 'manual', '--account', sandbox.account.account_id], /is a sandbox/],
    [
      ['--rail', 'manual', '--cut-off-time', '15:00', '--cut-off-zone', 'UTC'],
      /--cut-off-calendar is missing/,
    ],
  ] as const) {
    const { code, stdout, stderr } = await cli.run('route', 'set', ...args)
    assert.deepEqual([code, stdout], [2, ''], stderr)
    assert.match(stderr, words)
    assert.doesNotMatch(stderr, /\n\s+at /)
  }
  assert.deepEqual(await rows(), before)
})

test('corridor route set, list, remove, history: old and new values with person; every process applies them', async () => {
  await service.setRoutes([])
  const other = await service.anotherProcess()
  try {
    const onOther = () => client(live, other.inject).post('/v3/payout', localPayout)
    assertRefused(await onOther(), 422, 'route_unavailable')
    const of = ['--type', 'local', '--currency', 'usd']
    const set = await cli.run('route', 'set', ...of, '--rail', 'manual', '--json')
    assert.deepEqual([set.code, set.stderr, set.json.before], [0, '', null])
    await other.deps.reference.refresh()
    const paid = await onOther()
    assert.equal(paid.status, 200, paid.text)
    const again = await cli.run('route', 'set', ...of, '--rail', 'manual', '--priority', '5')
    assert.equal(again.stdout, 'type local, currency USD: manual, priority 5 (before: manual)\n')
    const list = await cli.run('route', 'list', '--json')
    assert.deepEqual(list.json, [
      {
        account_id: null,
        payout_type: 'local',
        network: null,
        currency: 'USD',
        country: null,
        min_amount: null,
        max_amount: null,
        priority: 5,
        rail: 'manual',
        timetable: null,
        in_force: null,
        cut_off: '',
      },
    ])
    const removed = await cli.run('route', 'remove', ...of)
    assert.match(removed.stdout, /no route any more \(before: manual, priority 5\)/)
    await other.deps.reference.refresh()
    assertRefused(await onOther(), 422, 'route_unavailable')
    const none = await cli.run('route', 'remove', ...of)
    assert.equal(none.code, 1)
    assert.match(none.stderr, /there is no route for type local, currency USD; corridor route list/)
    const log = await cli.run('audit', 'list', '--act', 'route', '--json', '--limit', '3')
    const told = log.json.map((change: { changed_by: string; before: object; after: object }) => [
      change.changed_by,
      change.before !== null,
      change.after !== null,
    ])
    assert.deepEqual(told, [
      ['olga', true, false],
      ['olga', true, true],
      ['olga', false, true],
    ])
  } finally {
    await other.close()
  }
})

async function paidBy(account: Client): Promise<string> {
  const { status, json, text } = await account.post('/v3/payout', localPayout)
  assert.equal(status, 200, text)
  return json.data.id
}

async function storedOf(id: string) {
  const [row] = await service.database.owner<{ rail: string; route: object | null }[]>`
    select first_rail as rail, route from payouts where id = ${id}`
  return row && { ...row }
}

async function attemptsOf(id: string): Promise<number | undefined> {
  const [row] = await service.database.owner<{ rail_attempts: number }[]>`
    select rail_attempts from payout_states where id = ${id}`
  return row?.rail_attempts
}
