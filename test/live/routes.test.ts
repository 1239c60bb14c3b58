// Routes of live accounts, a row a point: the request or command, the answer, and that a refusal writes
// nothing. A payout goes where its route led when it was made, and the simulator gets none of them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connect } from '../../src/db/connect.ts'
import { countWaiting } from '../../src/worker/counts.ts'
import { settleOnce } from '../../src/worker/settle-payouts.ts'
import { assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { createDatabase } from '../support/database/database.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { report, scriptedRail, settleAll } from '../support/service/settling.ts'

let service: TestService
let live: Client
let sandbox: Client
let cli: Cli
let rows: () => Promise<Record<string, string>>
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setRates({ 'USD/HKD': '8' })
  await service.setFees([
    { payout_type: 'local' },
    { payout_type: 'swift' },
    { payout_type: 'service_account' },
  ])
  const fund = { USD: 100_000_000n }
  live = await service.openAccount({ currencies: ['USD'], fund, sandbox: false })
  sandbox = await service.openAccount({ currencies: ['USD'], fund })
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  rows = () => rowVersions(service.database.owner)
})
after(async () => {
  await cli.close()
  await service.close()
})

const inHongKong = {
  ...localPayout,
  currency: 'HKD',
  holding_currency: 'USD',
  local: { fund_transfer_network: 'chats' },
}
const quoteOf = (payout_type: string, currency: string, rest: object = {}) => ({
  payout_type,
  payout_info: { currency, amount: 10_000 },
  holding_info: { currency: 'USD' },
  ...rest,
})

/** `routes` are there; none of them fits. `missing` is what the message says there is none for. */
const REFUSED: readonly (readonly [
  what: string,
  routes: readonly object[],
  path: string,
  body: object,
  remarks: string,
  missing: string,
])[] = [
  [
    'a quote, no route at all',
    [],
    '/v3/payout/quote',
    quoteOf('local', 'USD'),
    'payout_type',
    'this account',
  ],
  [
    'a quote over another network',
    [{ payout_type: 'local', network: 'fps' }],
    '/v3/payout/quote',
    quoteOf('local', 'HKD', { local: { fund_transfer_network: 'chats' } }),
    'payout_type',
    'network chats',
  ],
  ['a payout, no route at all', [], '/v3/payout', localPayout, 'type', 'this account'],
  [
    'a payout of another currency',
    [{ currency: 'USD' }],
    '/v3/payout',
    inHongKong,
    'type',
    'currency HKD',
  ],
]

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

test('POST /v3/payout_batch without a route: all refused, or each by itself; nothing paid', async () => {
  await service.setRoutes([{ currency: 'HKD' }])
  const before = await balancesOf(live)
  const payouts = [localPayout, localPayout]
  const whole = await live.post('/v3/payout_batch', { payouts })
  assertRefused(whole, 422, 'route_unavailable')
  const each = await live.post('/v3/payout_batch', { payouts, mode: 'best_effort' })
  assert.deepEqual([each.status, each.json.data.counts.refused], [200, 2], each.text)
  const dry = await live.post('/v3/payout_batch', { payouts, dry_run: true })
  assert.match(dry.text, /route_unavailable/)
  assert.deepEqual(await balancesOf(live), before)
})

test('POST /v3/payout with a quote, its route removed meanwhile: refused; set again: paid at the quote', async () => {
  await service.setRoutes([{ payout_type: 'local' }])
  const quote = (await live.post('/v3/payout/quote', quoteOf('local', 'USD'))).json
  await service.setRoutes([])
  const before = await rows()
  const body = { ...localPayout, quote: quote.id }
  assertRefused(await live.post('/v3/payout', body), 422, 'route_unavailable', 'type')
  assert.deepEqual(await rows(), before)
  await service.setRoutes([{ payout_type: 'local' }])
  const paid = await live.post('/v3/payout', body)
  assert.deepEqual([paid.status, paid.json.data.quote], [200, quote.id], paid.text)
})

test('POST /v3/payout with an expired quote to be renewed, no route: refused, the quote unused', async () => {
  await service.setRoutes([{}])
  const quote = (await live.post('/v3/payout/quote', quoteOf('local', 'USD'))).json
  await service.database.owner`
    update quotes set valid_until = created_at where id = ${quote.id}`
  await service.setRoutes([])
  const before = await rows()
  const body = { ...localPayout, quote: quote.id, max_total_debit: 20_000 }
  assertRefused(await live.post('/v3/payout', body), 422, 'route_unavailable', 'type')
  assert.deepEqual(await rows(), before)
})

test('POST /v3/payout, a quote that left the network open: the route of the network that is paid over', async () => {
  await service.setRoutes([
    { currency: 'HKD' },
    { payout_type: 'local', network: 'chats', rail: 'bank' },
  ])
  const quote = (await live.post('/v3/payout/quote', quoteOf('local', 'HKD'))).json
  const paid = await live.post('/v3/payout', { ...inHongKong, quote: quote.id })
  assert.equal(paid.status, 200, paid.text)
  assert.equal((await storedOf(paid.json.data.id))?.rail, 'bank')
})

test('POST /v3/payout of a sandbox and service_account of a live account: need no route', async () => {
  await service.setRoutes([])
  const simulated = await sandbox.post('/v3/payout', localPayout)
  assert.equal(simulated.status, 200, simulated.text)
  const other = await service.openAccount({ currencies: ['USD'], sandbox: false })
  const transfer = await live.post('/v3/payout', internalPayout(other.account.deposit_address, 100))
  assert.deepEqual([transfer.status, transfer.json.data.status], [200, 'succeeded'], transfer.text)
  assert.deepEqual(await storedOf(simulated.json.data.id), { rail: 'simulator', route: null })
  assert.deepEqual(await storedOf(transfer.json.data.id), { rail: '', route: null })
})

test('routes by amount: what arrives decides; between them no route, on quote and payout', async () => {
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

test('corridor route set, several rails for the same: each with its priority, the order of failover', async () => {
  await service.setRoutes([{ payout_type: 'swift', rail: 'bank', priority: 3 }])
  const set = (...args: string[]) =>
    cli.run('route', 'set', '--type', 'swift', '--rail', 'manual', ...args)
  const taken = await set('--priority', '3')
  assert.equal(taken.code, 1)
  assert.match(taken.stderr, /leads to bank with priority 3; say by another --priority which/)
  assert.equal((await set()).code, 0)
  const list = await cli.run('route', 'list', '--json')
  const rails = list.json.map((route: { rail: string }) => route.rail)
  assert.deepEqual(rails, ['bank', 'manual'])
  const several = await cli.run('route', 'remove', '--type', 'swift')
  assert.equal(several.code, 2)
  assert.match(several.stderr, /several routes have these conditions, to bank, manual; name one/)
  const removed = await cli.run('route', 'remove', '--type', 'swift', '--rail', 'bank')
  assert.match(removed.stdout, /no route any more \(before: bank, priority 3\)/)
  const { owner } = service.database
  const twice = (values: object) =>
    owner`insert into routes ${owner({ payout_type: 'swift', rail: 'manual', ...values })}`
  await assert.rejects(twice({ priority: 7 }), { constraint_name: 'one_route_to_a_rail' })
  await assert.rejects(twice({ rail: 'bank' }), { constraint_name: 'one_order_of_routes' })
})

test('a payout keeps the rail and the route it was made with; its timeline says which, and why', async () => {
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

test('settling: the simulator gets the payouts of sandboxes, and none of a live account', async () => {
  await service.setRoutes([{}])
  const [ofLive, ofSandbox] = [await paidBy(live), await paidBy(sandbox)]
  await settleAll(service)
  assert.equal((await sandbox.get(`/v3/payout/${ofSandbox}`)).json.data.status, 'succeeded')
  assert.equal((await live.get(`/v3/payout/${ofLive}`)).json.data.status, 'processing')
})

test('settling, a live payout that names the simulator all the same: left alone, and told', async () => {
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

test('settling, a rail that this process has no adapter for: left alone, told, and asked by one that has', async () => {
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

test('the database refuses a route to a rail that there is not, whoever writes it', async () => {
  // That of the service here has other rails.
  const fresh = await createDatabase()
  const sql = connect(fresh.url, { max: 1, as: 'service' })
  try {
    for (const by of [fresh.owner, sql]) {
      await assert.rejects(by`insert into routes (rail) values ('manuel')`, {
        constraint_name: 'taken_by_a_known_rail',
      })
    }
  } finally {
    await sql.end({ timeout: 5 })
    await fresh.drop()
  }
})

test('the database refuses a route to the simulator, of a sandbox, and payouts on the wrong rail', async () => {
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

/** Commands that are refused: exit code, and what the one sentence must say. */
const WRONG: readonly (readonly [args: () => readonly string[], words: RegExp])[] = [
  [() => ['--rail', 'manuel'], /unknown rail manuel; the rails are manual; did you mean manual\?/],
  [
    () => ['--rail', 'simulator'],
    /the simulator takes the payouts of sandbox accounts, and of no live/,
  ],
  [() => ['--rail', 'manual', '--type', 'locl'], /unknown type locl; .*; did you mean local\?/],
  [() => ['--rail', 'manual', '--type', 'service_account'], /needs no route/],
  [
    () => ['--rail', 'manual', '--currency', 'HKX'],
    /unknown currency HKX; did you mean [A-Z]{3}\?/,
  ],
  [() => ['--rail', 'manual', '--country', 'UK'], /unknown country UK; did you mean [A-Z]{2}\?/],
  [() => ['--rail', 'manual', '--network', 'chats'], /a network needs the type it belongs to/],
  [
    () => ['--rail', 'manual', '--type', 'local', '--network', 'chat'],
    /unknown network chat of type local; did you mean chats\?/,
  ],
  [
    () => ['--rail', 'manual', '--type', 'local', '--network', 'chats', '--currency', 'USD'],
    /network chats carries HKD and no USD/,
  ],
  [
    () => ['--rail', 'manual', '--type', 'swift', '--network', 'chats'],
    /unknown network chats of type swift/,
  ],
  [() => ['--rail', 'manual', '--account', sandbox.account.account_id], /is a sandbox/],
  [() => ['--rail', 'manual', '--min-amount', '5'], /an amount needs the currency that it is in/],
  [
    () => ['--rail', 'manual', '--currency', 'JPY', '--max-amount', '5.5'],
    /--max-amount "5.5" is not an amount in JPY: digits, and at most 0 after a point/,
  ],
  [
    () => ['--rail', 'manual', '--currency', 'USD', '--min-amount', '0'],
    /--min-amount "0" is not an amount in USD/,
  ],
  [
    () => ['--rail', 'manual', '--currency', 'USD', '--min-amount', '9', '--max-amount', '8.99'],
    /--min-amount 9 is more than --max-amount 8.99/,
  ],
  [() => ['--rail', 'manual', '--priority', '1001'], /priority "1001" is not a whole number/],
  [() => ['--rail', 'manual', '--priority', '1.5'], /priority "1\.5" is not a whole number/],
]

test('corridor route set, mistakes: one sentence each, nothing written', async () => {
  const before = await rows()
  for (const [args, words] of WRONG) {
    const { code, stdout, stderr } = await cli.run('route', 'set', ...args())
    assert.deepEqual([code, stdout], [2, ''], stderr)
    assert.match(stderr, words)
    assert.doesNotMatch(stderr, /\n\s+at /)
  }
  assert.deepEqual(await rows(), before)
})

test('corridor route set, list, remove, history: before and after, and who; each process obeys', async () => {
  await service.setRoutes([])
  const other = await service.anotherProcess()
  try {
    const onOther = () => {
      const authorization = `Basic ${Buffer.from(`${live.key_id}:${live.secret}`).toString('base64')}`
      const headers = { authorization, 'content-type': 'application/json' }
      const payload = JSON.stringify(localPayout)
      return other.inject({ method: 'POST', url: '/v3/payout', headers, payload })
    }
    assertRefused(await onOther(), 422, 'route_unavailable')
    const of = ['--type', 'LOCAL', '--currency', 'usd']
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
      },
    ])
    const removed = await cli.run('route', 'remove', ...of)
    assert.match(removed.stdout, /no route any more \(before: manual, priority 5\)/)
    await other.deps.reference.refresh()
    assertRefused(await onOther(), 422, 'route_unavailable')
    const none = await cli.run('route', 'remove', ...of)
    assert.equal(none.code, 1)
    assert.match(none.stderr, /there is no route for type local, currency USD; corridor route list/)
    const history = await cli.run('route', 'history', '--json', '--limit', '3')
    const told = history.json.map(
      (change: { changed_by: string; before: object; after: object }) => [
        change.changed_by,
        change.before !== null,
        change.after !== null,
      ],
    )
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
