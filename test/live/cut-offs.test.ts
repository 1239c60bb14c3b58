// Cut-offs of routes, over HTTP: until its release a payout is not handed over and can be cancelled;
// quote and payout say when it is expected to arrive.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RAIL_KINDS } from '../../src/adapters/registry.ts'
import { countWaiting } from '../../src/app/worker/counts.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { arrivalBy } from '../../src/values/calendar/arrival.ts'
import type { Timetable } from '../../src/values/calendar/calendar.ts'
import { addBusinessDays, instantAt, releaseOf } from '../../src/values/calendar/rules.ts'
import { CALENDARS } from '../../src/values/calendar/tables.ts'
import { withOffset } from '../../src/values/instant.ts'
import { closeVerified } from '../support/assert/books.ts'
import { localPayout, overChats } from '../support/given/bodies.ts'
import type { Client } from '../support/service/service.ts'
import { report, scriptedRail } from '../support/service/settling.ts'
import { openWithCli } from '../support/service/with-cli.ts'

const { service, cli, rows } = await openWithCli({ simulator_delay_ms: 0 }, {}, closeVerified)
await service.setRates({ 'USD/HKD': '8' })
await service.setFees([{ payout_type: 'local' }, { payout_type: 'service_account' }])
const fund = { USD: 100_000_000n }
const live = await service.openAccount({ currencies: ['USD'], fund, sandbox: false })
const sandbox = await service.openAccount({ currencies: ['USD'], fund })

const inHongKong = { ...localPayout, ...overChats }
const timetable: Timetable = {
  calendar: 'hk',
  cut_off: '15:00',
  zone: 'Asia/Hong_Kong',
  lead_minutes: 30,
  arrival_days: null,
}

test('POST /v3/payout, route with a cut-off: rail asked at the release, cancellable until then', async () => {
  await service.setRoutes([{ rail: 'bank', timetable }])
  const [first, second] = [await paidBy(live), await paidBy(live)]
  for (const { id, created_at } of [first, second]) {
    const { release_at } = releaseOf(timetable, created_at) ?? {}
    assert.equal(await askedAt(id), release_at)
  }
  const bank = scriptedRail(() => Promise.resolve(report('succeeded')))
  const deps = { ...service.deps, rails: new Map([['bank', bank]]) }
  await settleOnce(deps)
  assert.deepEqual(bank.calls, [])
  const cancelled = await live.post(`/v3/payout/${first.id}/cancel`, {})
  assert.deepEqual([cancelled.status, cancelled.json.data.failure.code], [200, 'PF000100'])
  assert.equal(cancelled.json.data.expected_at, null)
  await service.database.owner`
    update open_payouts set ask_rail_at = updated_at where id = ${second.id}`
  await settleOnce(deps)
  assert.deepEqual(bank.calls, [`submit ${second.id}`])
})

test('expected_at, network known: counted from the release, equal on quote, payout and replay', async () => {
  await service.setRoutes([{ rail: 'bank', timetable }])
  const arrivalFrom = (made: string) => {
    const release = releaseOf(timetable, made)
    assert.ok(release !== undefined)
    // CHATS pays on the day of the release, at the latest at its close.
    const by = instantAt('Asia/Hong_Kong', release.value_date, '18:30')
    assert.equal(by, arrivalBy({ currency: 'HKD', network: 'chats' }, release.release_at))
    return by
  }
  const quoted = await live.post('/v3/payout/quote', {
    payout_info: { currency: 'HKD', amount: 10_000 },
    holding_info: { currency: 'USD' },
    local: { fund_transfer_network: 'chats' },
  })
  const quote = quoted.json
  assert.equal(quote.expected_at, withOffset(arrivalFrom(quote.created_at.replace('+00:00', 'Z'))))
  const again = await live.get(`/v3/payout/quote/${quote.id}`)
  assert.equal(again.text, quoted.text)
  const body = { ...inHongKong, quote: quote.id }
  const paid = await live.post('/v3/payout', body, { 'idempotency-key': 'expected' })
  const { id, created_at, expected_at } = paid.json.data
  assert.equal(expected_at, arrivalFrom(created_at))
  const used = await live.get(`/v3/payout/quote/${quote.id}`)
  assert.equal(used.json.expected_at, null)
  const told = (await live.get('/v3/event?type=payout_quote.created&limit=1')).json.data.results[0]
  assert.deepEqual(told.data, quote)
  const listed = (await live.get('/v3/payout?limit=1')).json.data.results[0]
  assert.deepEqual([listed.id, listed.expected_at], [id, expected_at])
  // Later the rail has another date, and the first answer stays as it was.
  const later = instantAt('Asia/Hong_Kong', '2028-12-01', '09:00')
  await service.database.owner`update open_payouts set expected_at = ${later} where id = ${id}`
  assert.equal((await live.get(`/v3/payout/${id}`)).json.data.expected_at, later)
  const replayed = await live.post('/v3/payout', body, { 'idempotency-key': 'expected' })
  assert.equal(replayed.text, paid.text)
})

test("expected_at, route without a cut-off: by the network's time; manual rail or unknown network: null", async () => {
  const chats = (made: string) => arrivalBy({ currency: 'HKD', network: 'chats' }, made)
  await service.setRoutes([{ rail: 'bank' }])
  const atOnce = await paidBy(live)
  assert.equal(atOnce.expected_at, chats(atOnce.created_at))
  assert.equal((await paidBy(live, localPayout)).expected_at, null)
  await service.setRoutes([{ rail: 'manual' }])
  assert.equal((await paidBy(live)).expected_at, null)
  await service.setRoutes([{ rail: 'manual', timetable }])
  const byHand = await paidBy(live)
  assert.ok(byHand.expected_at >= byHand.created_at)
  assert.equal(await askedAt(byHand.id), null)
})

test("expected_at, sandbox: by the network's time, not stored", async () => {
  const paid = await paidBy(sandbox)
  assert.equal(paid.expected_at, arrivalBy({ currency: 'HKD', network: 'chats' }, paid.created_at))
  const [row] = await service.database.owner`
    select expected_at from payout_states where id = ${paid.id}`
  assert.deepEqual({ ...row }, { expected_at: null })
})

test('corridor verify, payout still waiting after its release time: named', async () => {
  await service.setRoutes([{ rail: 'bank', timetable }])
  const { id } = await paidBy(live)
  const { owner } = service.database
  await owner`update open_payouts set ask_rail_at = ask_rail_at + interval '1 day' where id = ${id}`
  const { code, stdout } = await cli.run('verify')
  assert.equal(code, 1)
  assert.match(stdout, new RegExp(`open_payouts.*${id}`, 's'))
  await owner`update open_payouts set ask_rail_at = ask_rail_at - interval '1 day' where id = ${id}`
})

test('metric corridor_calendar_days_left: days left in each calendar', async () => {
  await countWaiting(service.deps)
  const told = await service.deps.metrics.registry.metrics()
  for (const { name } of Object.values(CALENDARS)) {
    assert.match(
      told,
      new RegExp(`^corridor_calendar_days_left\\{calendar="${name}"\\} \\d+$`, 'm'),
    )
  }
})

test('corridor route set, cut-off: shown by list, kept until explicitly removed', async () => {
  await service.setRoutes([])
  const set = (...args: string[]) => cli.run('route', 'set', '--rail', 'manual', ...args)
  const cut_off = [
    '--cut-off-time',
    '15:00',
    '--cut-off-zone',
    'Asia/Hong_Kong',
    '--cut-off-calendar',
    'hk',
  ]
  const made = await set(...cut_off, '--cut-off-arrival-days', '1', '--json')
  assert.deepEqual(made.json.timetable, { ...timetable, arrival_days: 1 })
  const silent = await set('--priority', '2')
  assert.equal(silent.code, 1)
  assert.match(
    silent.stderr,
    /15:00 Asia\/Hong_Kong less 30 min, hk.*say it again, or say no_cut_off/,
  )
  const list = await cli.run('route', 'list')
  assert.match(list.stdout, /15:00 Asia\/Hong_Kong less 30 min, hk, arrives after 1 days/)
  const gone = await set('--no-cut-off', '--json')
  assert.equal(gone.json.timetable, null)
})

test('file rail with a timetable: its cut-off applies to its routes, none may have a later one', async () => {
  const example = RAIL_KINDS.find(({ name }) => name === 'iso20022')?.example as object
  const own = { ...timetable, cut_off: '14:00', arrival_days: 2 }
  const add = async (change: object, ...more: string[]) => {
    const path = await cli.file('files.json', JSON.stringify({ ...example, timetable: change }))
    return cli.run('rail', 'add', 'files', '--kind', 'iso20022', '--config', path, ...more)
  }
  const added = await add(own)
  assert.equal(added.code, 0, added.stderr)
  await service.setRoutes([])
  const set = (...args: string[]) =>
    cli.run(
      'route',
      'set',
      '--rail',
      'files',
      '--cut-off-calendar',
      'hk',
      '--cut-off-zone',
      'Asia/Hong_Kong',
      ...args,
    )
  const silent = await cli.run('route', 'set', '--rail', 'files', '--json')
  assert.deepEqual([silent.json.timetable, silent.json.in_force], [null, own], silent.stderr)
  await service.deps.reference.refresh()
  const quoted = await live.post('/v3/payout/quote', {
    payout_info: { currency: 'HKD', amount: 10_000 },
    holding_info: { currency: 'USD' },
    local: { fund_transfer_network: 'chats' },
  })
  const paid = await paidBy(live)
  const release = releaseOf(own, paid.created_at)
  assert.ok(release !== undefined)
  assert.equal(await askedAt(paid.id), release.release_at)
  const arrives = addBusinessDays('hk', release.value_date, 2) ?? ''
  assert.equal(paid.expected_at, instantAt('Asia/Hong_Kong', arrives, '23:59'))
  assert.equal(quoted.json.expected_at, withOffset(paid.expected_at))
  assert.match((await cli.run('route', 'list')).stdout, /of the rail, 14:00 Asia\/Hong_Kong/)

  const before = await rows()
  const later = await set('--cut-off-time', '15:00')
  assert.equal(later.code, 1, later.stdout)
  assert.match(
    later.stderr,
    /contradicts the timetable of rail files: .*15:00.*, which is at 14:00/,
  )
  assert.deepEqual(await rows(), before)
  const narrow = await set('--cut-off-time', '12:00', '--json')
  assert.equal(narrow.json.in_force.cut_off, '12:00', narrow.stderr)
  const earlier = await add({ ...own, cut_off: '11:00' }, '--replace')
  assert.equal(earlier.code, 1, earlier.stdout)
  assert.match(
    earlier.stderr,
    /timetable contradicts the route for any payout: .*12:00.*--no-cut-off/,
  )
  const wider = await add({ ...own, cut_off: '16:00' }, '--replace')
  assert.equal(wider.code, 0, wider.stderr)
  await service.setRoutes([])
})

test('PostgreSQL, incomplete timetable: refused for every writer', async () => {
  const { owner } = service.database
  const whole = { calendar: 't2', cut_off: '15:00', zone: 'Europe/Berlin', lead_minutes: 30 }
  const insert = (values: object) =>
    owner`insert into routes ${owner({ rail: 'manual', currency: 'EUR', ...values })}`
  for (const values of [
    { ...whole, zone: null },
    { ...whole, zone: 'Europe/Berlyn' },
    { ...whole, cut_off: '25:00' },
    { ...whole, calendar: 't3' },
    { ...whole, lead_minutes: 0 },
    { arrival_days: 1 },
  ]) {
    await assert.rejects(insert(values), { code: '23514' }, JSON.stringify(values))
  }
})

async function paidBy(account: Client, body: object = inHongKong) {
  const { status, json, text } = await account.post('/v3/payout', body)
  assert.equal(status, 200, text)
  return json.data
}

async function askedAt(id: string): Promise<string | null | undefined> {
  const [row] = await service.deps.finder<{ ask_rail_at: string | null }[]>`
    select ask_rail_at from open_payouts where id = ${id}`
  return row?.ask_rail_at
}
