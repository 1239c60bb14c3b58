// Payouts with an `execute_at` (§payout.scheduled): the money is taken and the price fixed when they
// are made, nothing goes out before their time, and until then they are cancelled.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { simulator } from '../../src/adapters/simulator.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { claimDuePayouts } from '../../src/payouts/advance/claim-store.ts'
import { releaseOf } from '../../src/values/calendar/rules.ts'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { addApprovalRule, approve } from '../support/service/approvals.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { entityOf, findPayout, pay } from '../support/service/payouts.ts'
import { review } from '../support/service/review.ts'
import {
  type Answer,
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { report, scriptedRail, settleAll } from '../support/service/settling.ts'

const FUNDED = 10_000_000n
const DAY_S = 86_400

let service: TestService
let cli: Cli
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  await addPerson(service, { user: 'olga', role: 'operator' })
  await service.setRates({ 'USD/HKD': '8' })
  await service.setFees([{ fixed_amount: 150n }])
})
after(async () => {
  await cli.close()
  await closeVerified(service)
})

function funded(sandbox = true): Promise<Client> {
  return service.openAccount({ currencies: ['USD'], fund: { USD: FUNDED }, sandbox })
}

/** In this many seconds. */
function ahead(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString().replace('Z', '000Z')
}

async function advance(account: Client, seconds: number): Promise<void> {
  const answer = await account.post('/v3/sandbox/clock/advance', { seconds })
  assert.equal(answer.status, 200, answer.text)
}

/** Refused (400) in these words. */
function assertNamed(answer: Answer, message: RegExp): void {
  assertRefused(answer, 400, 'invalid_field', 'execute_at')
  assert.match(answer.json.errors[0].message, message)
}

const asking = () => scriptedRail(() => Promise.resolve(report('succeeded')))

test("POST /v3/payout with execute_at: debited at once, status processing, rail asked at that time of the account's clock", async () => {
  const account = await funded()
  const execute_at = ahead(3 * DAY_S)
  const tried = await account.post('/v3/payout?dry_run=true', { ...localPayout, execute_at })
  const { outcome, execute_at: shown } = tried.json.data
  assert.deepEqual([outcome, shown], ['would_create', execute_at])
  const made = await pay(account, { execute_at })
  assert.deepEqual([made.status, made.execute_at], ['processing', execute_at])
  assert.deepEqual(await balancesOf(account), { USD: String(FUNDED - 10_150n) })
  const rail = asking()
  await settleAll(service, rail)
  await advance(account, 3 * DAY_S - 3_600)
  await settleAll(service, rail)
  assert.deepEqual(rail.calls, [])
  const { items } = (await account.get(`/v3/payout/${made.id}/timeline`)).json.data
  const attempt = items.find(({ kind }: { kind: string }) => kind === 'attempt')
  assert.deepEqual([attempt.state, attempt.release_at], ['waiting', execute_at])
  await advance(account, 3_600)
  await settleAll(service, rail)
  assert.deepEqual(rail.calls, [`submit ${made.id}`])
  const paid = await findPayout(account, made.id)
  assert.deepEqual([paid.status, paid.execute_at], ['succeeded', execute_at])
})

test('POST /v3/payout with execute_at, sandbox: the simulator counts its steps from that time', async () => {
  const account = await funded()
  const { id, execute_at } = await pay(account, { execute_at: ahead(3 * DAY_S) })
  await advance(account, 3 * DAY_S)
  await settleAll(service, simulator({ delay_ms: DAY_S * 1000 }))
  assert.equal((await findPayout(account, id)).status, 'processing')
  const [row] = await service.database.owner<{ waits: boolean }[]>`
    select ask_rail_at + clock_ahead > ${execute_at}::timestamptz + interval '23 hours' as waits
    from open_payouts join books using (account_id) where id = ${id}`
  assert.equal(row?.waits, true)
})

test('POST /v3/payout with execute_at, cancelled before that time: everything credited back, rail not asked', async () => {
  const account = await funded()
  const { id } = await pay(account, { execute_at: ahead(3_600) })
  const cancelled = await account.post(`/v3/payout/${id}/cancel`, {})
  assert.deepEqual([cancelled.status, cancelled.json.data.failure.code], [200, 'PF000100'])
  assert.deepEqual(await balancesOf(account), { USD: String(FUNDED) })
  await advance(account, DAY_S)
  const rail = asking()
  await settleAll(service, rail)
  assert.deepEqual(rail.calls, [])
})

test('POST /v3/payout with execute_at malformed, past, too far ahead or of a transfer: 400 naming it, nothing written, also as a dry run', async () => {
  const [account, other] = [await funded(), await funded()]
  const before = await rowVersions(service.database.owner)
  for (const [execute_at, message, body] of [
    ['tomorrow', /RFC 3339/, localPayout],
    [ahead(0), /is not in the future: it is/, localPayout],
    [ahead(366 * DAY_S), /at most 365 days ahead/, localPayout],
    [ahead(60), /paid at once/, internalPayout(other.account.deposit_address)],
  ] as const) {
    assertNamed(await account.post('/v3/payout', { ...body, execute_at }), message)
  }
  const past = { ...localPayout, execute_at: ahead(-60) }
  const tried = (await account.post('/v3/payout?dry_run=true', past)).json.data
  assert.deepEqual([tried.outcome, tried.errors[0].remarks], ['would_refuse', 'execute_at'])
  assert.deepEqual(await rowVersions(service.database.owner), before)
})

test('POST /v3/payout with execute_at and a conversion: at most schedule_s ahead, as its rate is fixed', async () => {
  const account = await funded()
  const hkd = { currency: 'HKD', holding_currency: 'USD' }
  const refused = await account.post('/v3/payout', {
    ...localPayout,
    ...hkd,
    execute_at: ahead(8 * DAY_S),
  })
  assertNamed(refused, /its rate from USD to HKD can be fixed until/)
  const made = await pay(account, { ...hkd, execute_at: ahead(6 * DAY_S) })
  assert.equal(made.status, 'processing')
  const { account_id } = account.account
  await service.setPricing({ schedule_s: 0 }, { account_id })
  const none = await account.post('/v3/payout', { ...localPayout, ...hkd, execute_at: ahead(60) })
  assertNamed(none, /no rate from USD to HKD can be fixed ahead/)
  assert.equal((await pay(account, { execute_at: ahead(364 * DAY_S) })).status, 'processing')
})

test("POST /v3/payout with execute_at and a quote: the quote's rate and fees, also long after its expiry", async () => {
  const account = await funded()
  const quote = await account.post('/v3/payout/quote', {
    payout_info: { currency: 'HKD', amount: 10_000 },
    holding_info: { currency: 'USD' },
  })
  const { id, holding_info } = quote.json
  const body = { quote: id, currency: 'HKD', holding_currency: 'USD', execute_at: ahead(DAY_S) }
  const made = await pay(account, body)
  await service.setRates({ 'USD/HKD': '4' })
  await advance(account, 2 * DAY_S)
  await settleAll(service)
  await service.setRates({ 'USD/HKD': '8' })
  assert.equal((await findPayout(account, made.id)).status, 'succeeded')
  const debited = { USD: String(FUNDED - BigInt(holding_info.amount) - 150n) }
  assert.deepEqual(await balancesOf(account), debited)
})

test('GET /v3/payout?scheduled=true: payouts that wait for execute_at, also after the payout of the cursor was executed', async () => {
  const account = await funded()
  const ids: string[] = []
  for (const seconds of [3_600, 60, 3_600]) {
    ids.unshift((await pay(account, { execute_at: ahead(seconds) })).id)
    await pay(account)
  }
  const listed = async (query: string) => {
    const { json, text } = await account.get(`/v3/payout?scheduled=true${query}`)
    assert.ok(json.data, text)
    return json.data.results.map(({ id }: { id: string }) => id)
  }
  assert.deepEqual(await listed(''), ids)
  assert.deepEqual(await listed('&currency=HKD'), [])
  const [newest = '', middle = '', oldest = ''] = ids
  assert.deepEqual(await listed(`&limit=1&starting_after=${newest}`), [middle])
  await advance(account, 120)
  await settleAll(service)
  assert.deepEqual(await listed(''), [newest, oldest])
  assert.deepEqual(await listed(`&starting_after=${middle}`), [oldest])
})

test('POST /v3/payout_batch, one payout with execute_at: this payout waits, the others are sent', async () => {
  const account = await funded()
  const answer = await account.post('/v3/payout_batch', {
    payouts: [{ ...localPayout, execute_at: ahead(DAY_S) }, localPayout],
  })
  assert.equal(answer.status, 200, answer.text)
  await settleAll(service)
  const { results } = (await account.get('/v3/payout')).json.data
  const statuses = results.map(({ execute_at, status }: never) => [execute_at !== null, status])
  assert.deepEqual(statuses.toSorted(), [
    [false, 'succeeded'],
    [true, 'processing'],
  ])
})

for (const [when, waits_s] of [
  ['before', 0],
  ['after', 2 * DAY_S],
] as const) {
  test(`payout with execute_at, approved ${when} that time: sent ${when === 'before' ? 'at that time' : 'at once'}`, async () => {
    const account = await funded()
    const { account_id } = account.account
    const { user } = await addPerson(service, {
      user: `approver-${when}`,
      roles: [[account_id, 'approver']],
    })
    const remove = await addApprovalRule(service, { account_id })
    const { id } = await pay(account, { execute_at: ahead(DAY_S) })
    await remove()
    if (waits_s > 0) await advance(account, waits_s)
    const rail = asking()
    await settleAll(service, rail)
    assert.deepEqual(rail.calls, [])
    assert.equal(await approve(service, { account_id, payout_id: id, user }), 'processing')
    await settleAll(service, rail)
    if (when === 'before') {
      assert.deepEqual(rail.calls, [])
      await advance(account, DAY_S)
      await settleAll(service, rail)
    }
    assert.deepEqual(rail.calls, [`submit ${id}`])
  })
}

test('payout with execute_at, its entity approved meanwhile: released, sent at that time', async () => {
  const account = await funded()
  const entity = await entityOf(account)
  const { id, status } = await pay(account, { execute_at: ahead(DAY_S), on_behalf_of: entity })
  assert.equal(status, 'compliance_hold')
  await review(service, account, entity, 'approved')
  const rail = asking()
  await settleAll(service, rail)
  assert.equal((await findPayout(account, id)).status, 'processing')
  assert.deepEqual(rail.calls, [])
  await advance(account, DAY_S)
  await settleAll(service, rail)
  assert.deepEqual(rail.calls, [`submit ${id}`])
})

for (const [to, then] of [
  ['rejected', 'failed PF000300'],
  ['requires_action', 'compliance_hold'],
] as const) {
  test(`payout with execute_at, its entity ${to} meanwhile: ${then} at that time, rail not asked`, async () => {
    const account = await funded()
    const entity = await entityOf(account)
    await review(service, account, entity, 'approved')
    const { id } = await pay(account, { execute_at: ahead(DAY_S), on_behalf_of: entity })
    await review(service, account, entity, to)
    await settleAll(service)
    assert.equal((await findPayout(account, id)).status, 'processing')
    await advance(account, DAY_S)
    const rail = asking()
    await settleAll(service, rail)
    assert.deepEqual(rail.calls, [])
    const { status, failure } = await findPayout(account, id)
    assert.equal([status, ...(failure ? [failure.code] : [])].join(' '), then)
    if (to === 'rejected') assert.deepEqual(await balancesOf(account), { USD: String(FUNDED) })
    await review(service, account, entity, 'approved')
    await settleAll(service, rail)
    assert.deepEqual(rail.calls, to === 'rejected' ? [] : [`submit ${id}`])
  })
}

test('payout with execute_at, account frozen at that time: not sent until unfrozen; can be cancelled', async () => {
  const account = await funded()
  const { account_id } = account.account
  const [first, second] = [
    await pay(account, { execute_at: ahead(DAY_S) }),
    await pay(account, { execute_at: ahead(DAY_S) }),
  ]
  await advance(account, DAY_S)
  const frozen = await cli.run('account', 'freeze', account_id, '--reason', 'court')
  assert.equal(frozen.code, 0, frozen.stderr)
  const rail = asking()
  await settleAll(service, rail)
  assert.deepEqual(rail.calls, [])
  assert.equal((await account.post(`/v3/payout/${first.id}/cancel`, {})).status, 200)
  const active = await cli.run('account', 'unfreeze', account_id, '--reason', 'over')
  assert.equal(active.code, 0, active.stderr)
  await settleAll(service, rail)
  assert.deepEqual(rail.calls, [`submit ${second.id}`])
})

test('payout with execute_at, before that time: a person cannot take it or set it to succeeded', async () => {
  await service.setRoutes([{ rail: 'manual' }])
  const [live, sandbox] = [await funded(false), await funded()]
  const { id } = await pay(live, { execute_at: ahead(3_600) })
  const taken = await cli.run('payout', 'take', id)
  assert.notEqual(taken.code, 0)
  assert.match(taken.stderr, /is executed at .*, not before/)
  const shown = await cli.run('payout', 'list', '--rail', 'manual', '--status', 'processing')
  assert.match(shown.stdout, /processing, from .* on/)
  const scheduled = await pay(sandbox, { execute_at: ahead(3_600) })
  const path = `/v3/sandbox/payout/${scheduled.id}/transition`
  assertRefused(await sandbox.post(path, { status: 'succeeded' }), 409, 'invalid_transition')
  assert.equal((await sandbox.post(path, { status: 'failed' })).status, 200)
})

const timetable = {
  calendar: 'hk',
  cut_off: '15:00',
  zone: 'Asia/Hong_Kong',
  lead_minutes: 30,
  arrival_days: null,
} as const

test('payout with execute_at, route with a cut-off: sent at the first release after that time', async () => {
  await service.setRoutes([{ rail: 'bank', timetable }])
  const live = await funded(false)
  await service.setPricing({ schedule_s: 604_800 }, { account_id: live.account.account_id })
  const execute_at = ahead(5 * DAY_S)
  const body = { currency: 'HKD', holding_currency: 'USD', execute_at }
  const { id, expected_at } = await pay(live, {
    ...body,
    local: { fund_transfer_network: 'chats' },
  })
  const { release_at } = releaseOf(timetable, execute_at) ?? { release_at: '' }
  const [row] = await service.database.owner<{ ask_rail_at: string }[]>`
    select ask_rail_at from open_payouts where id = ${id}`
  assert.equal(row?.ask_rail_at, release_at)
  assert.ok(release_at >= execute_at && expected_at >= release_at)
  // Its event says the same, computed anew.
  const { results } = (await live.get(`/v3/event?object_id=${id}&type=payout.created`)).json.data
  assert.deepEqual(
    [results[0].data.execute_at, results[0].data.expected_at],
    [execute_at, expected_at],
  )
})

test('PostgreSQL, payout with execute_at in the future on a live rail: claim and attempt refused', async () => {
  await service.setRoutes([{ rail: 'bank' }])
  const live = await funded(false)
  const { account_id } = live.account
  const { id } = await pay(live, { execute_at: ahead(3_600) })
  const { owner } = service.database
  await owner`update open_payouts set ask_rail_at = statement_timestamp() where id = ${id}`
  assert.deepEqual(await claimDuePayouts(service.deps.sql, [{ account_id, id }], 0), [])
  const bank = asking()
  await settleOnce({ ...service.deps, rails: new Map([['bank', bank]]) })
  assert.deepEqual(bank.calls, [])
  const early = /not before/
  await assert.rejects(
    owner`update open_payouts set rail_attempts = 1 where id = ${id}`.execute(),
    early,
  )
  const attempt = owner`
    insert into payout_attempts (number, opened_at, asked_at, account_id, payout_id, rail, uetr)
    values (1, now(), now(), ${account_id}, ${id}, 'bank', gen_random_uuid()::text)`
  await assert.rejects(attempt.execute(), early)
  await assert.rejects(owner`delete from open_payouts where id = ${id}`.execute(), early)
  await assert.rejects(
    owner`update open_payouts set execute_at = now() where id = ${id}`.execute(),
    /open_payouts/,
  )
  await owner`update open_payouts set ask_rail_at = execute_at where id = ${id}`
})

test('payout with execute_at, sanctions lists changed since its creation: screened again before sending', async () => {
  const account = await funded()
  const { id } = await pay(account, { execute_at: ahead(3_600) })
  await service.database.owner`
    update open_payouts set screened = screened - 1 where id = ${id}`
  await advance(account, 3_600)
  const claims = await claimDuePayouts(
    service.deps.sql,
    [{ account_id: account.account.account_id, id }],
    0,
  )
  assert.deepEqual(claims, [])
  const rail = asking()
  await settleAll(service, rail)
  assert.deepEqual(rail.calls, [`submit ${id}`])
})
