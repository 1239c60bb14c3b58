// The clock of the database jumps: nothing is written until it is back or an operator has confirmed
// it. A function of the same name stands before clock_timestamp() in the search path.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { simulator } from '../../src/adapters/simulator.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import {
  Clock,
  clock,
  expectedAtStart,
  hostNow,
  isBack,
  refuseBookAhead,
} from '../../src/ledger/clock.ts'
import { confirmClock } from '../../src/ledger/clock-store.ts'
import { connect } from '../../src/sql/connect.ts'
import { localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import { pay as payFrom, statusOf as readStatus } from '../support/service/payouts.ts'
import { until } from '../support/service/process.ts'
import { basic, startTestService } from '../support/service/service.ts'

const service = await startTestService({ simulator_delay_ms: 0 })
const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
after(() => service.close())
const { owner, url } = service.database
const { account_id } = account.account

test("docs/operations.md, payout due in 25 hours: the runbook's SQL makes it due at once", async () => {
  const { id } = await payFrom(account)
  await owner`
    update open_payouts set ask_rail_at = statement_timestamp() + interval '25 hours',
      claimed_until = statement_timestamp() + interval '25 hours', rail_attempts = 1
    where id = ${id}`
  await settleOnce(service.deps)
  assert.equal(await readStatus(account, id), 'processing')
  const runbook = await readFile('docs/operations.md', 'utf8')
  const [, sql = ''] =
    /## The clock was set wrong.*?```sql\nbegin;\n(.*?)commit;\n```/s.exec(runbook) ?? []
  assert.match(sql, /update open_payouts/)
  await owner.begin(tx => tx.unsafe(sql))
  await settleOnce(service.deps)
  assert.equal(await readStatus(account, id), 'succeeded')
})

test('PostgreSQL, book time eleven minutes ahead of the clock: refused', async () => {
  const set = owner`
    update books set last_written_at = clock_timestamp() + interval '11 minutes'
    where account_id = ${account_id}`
  await assert.rejects(set, /too far ahead of the clock/)
})

test('database restarted: its clock is compared with the clock of the host', () => {
  const HOUR = 3_600_000
  const seen = Date.parse('2026-01-31T00:00:00Z')
  const mark = {
    seen_at: '2026-01-31T00:00:00.000000Z',
    seen_by_host: '2026-01-31T01:00:00.000000Z',
  }
  const rows = [
    ['off for a month', seen + 721 * HOUR, seen + 720 * HOUR],
    ['at once', seen + HOUR, seen],
    ['the clock of the host is set back', seen - HOUR, seen],
  ] as const
  for (const [name, host, expected] of rows) {
    assert.equal(expectedAtStart(mark, host), expected, name)
  }
  assert.equal(expectedAtStart(undefined, seen), seen)
  assert.equal(isBack(seen, seen + HOUR, seen + HOUR + 1), false, 'still ahead')
  assert.equal(isBack(seen, seen + HOUR, seen + 1), true, 'set back')
  assert.equal(isBack(seen, seen - HOUR, seen - HOUR + 1), false, 'still behind')
  assert.equal(isBack(seen, seen - HOUR, seen + 1), true, 'set forward')
})

test("book ahead of its account's clock: refused above ten minutes, accepted up to ten", () => {
  const at = (minute: string) => `2026-01-31T00:${minute}:00.000000Z`
  const ahead = (after_last: string) => () => refuseBookAhead({ by_clock: at('00'), after_last })
  assert.doesNotThrow(ahead(at('00')))
  assert.doesNotThrow(ahead(at('10')))
  assert.throws(ahead(at('11')), { message: /clock of the database shows .* nothing was written/ })
  const behind = { by_clock: at('30'), after_last: at('00') }
  assert.doesNotThrow(() => refuseBookAhead(behind))
})

test('database clock jumps: reads succeed, writes refused until the clock is back or confirmed', async t => {
  const { database } = service
  const [named] = await owner<{ name: string }[]>`select current_database() as name`
  await owner.unsafe(`
    create schema shifted;
    create table shifted.by (ahead interval);
    insert into shifted.by values ('0');
    create function shifted.clock_timestamp() returns timestamptz language sql volatile
      as $$ select pg_catalog.clock_timestamp() + ahead from shifted.by $$;
    grant usage on schema shifted to public;
    grant select on shifted.by to public;
    alter database ${named?.name} set search_path = shifted, pg_catalog, public;
    alter function confirm_clock(timestamptz) set search_path = shifted, pg_catalog, public;
    -- It was made with the other function.
    alter table books disable trigger time_near_clock`)
  const other = await service.anotherProcess()
  const operator = connect(url, { max: 1, as: 'owner', operator: 'ada' })
  // Sessions that were opened before see the clock that is not shifted.
  const look = clock.look.bind(clock)
  t.mock.method(clock, 'look', async (...[sql, keeps]: Parameters<typeof look>) =>
    sql === other.deps.sql ? look(sql, keeps) : null,
  )
  t.after(async () => {
    await operator.end({ timeout: 5 })
    await other.close()
  })
  const shift = (ahead: string) => owner`update shifted.by set ahead = ${ahead}::text::interval`
  let authorization = basic(account.key_id, account.secret)
  const send = (method: 'GET' | 'POST', url: string, payload?: object) =>
    other.inject({ method, url, headers: { authorization }, ...(payload && { payload }) })
  const quote = () =>
    send('POST', '/v3/payout/quote', {
      payout_type: 'swift',
      payout_info: { currency: 'USD', amount: 1 },
      swift: { charge_type: 'ours' },
    })

  const first = await quote()
  assert.equal(first.status, 200, first.text)
  await shift('1 year')
  const refused = await quote()
  assert.equal(refused.status, 503)
  assert.equal(refused.json.errors[0].reason, 'clock_jumped')
  assert.equal((await send('GET', `/v3/payout/quote/${first.json.id}`)).status, 200)
  await shift('0')
  assert.equal((await quote()).status, 200)

  await shift('1 year')
  await clock.look(other.deps.sql, { keeps: true })
  const ready = await other.inject({ method: 'GET', url: '/readyz' })
  assert.deepEqual([ready.status, ready.json.writes], [200, 'stopped: the clock has jumped'])
  assert.notEqual(await new Clock().look(other.deps.sql, { keeps: false }), null)
  await shift('0')
  assert.equal(await clock.look(other.deps.sql, { keeps: true }), null)
  assert.equal((await quote()).status, 200)

  await shift('-1 day')
  assert.notEqual(await clock.look(other.deps.sql, { keeps: true }), null)
  assert.equal((await quote()).status, 503)
  const { set_from, set_to } = await confirmClock(operator, new Date().toISOString())
  assert.ok(set_to < set_from)
  assert.equal(await clock.look(other.deps.sql, { keeps: true }), null)
  assert.equal((await quote()).status, 200)
  const old = await send('GET', `/v3/payout/quote/${first.json.id}`)
  assert.equal(old.json.status, 'expired')
  const audited = await owner<{ changed_by: string }[]>`
    select changed_by from audit_log where table_name = 'clock_corrections'`
  assert.deepEqual(
    audited.map(row => row.changed_by),
    ['ada'],
  )
  await shift('0')
  assert.ok(database.url)
  await clock.look(other.deps.sql, { keeps: true })
  await confirmClock(operator, hostNow())
  await clock.look(other.deps.sql, { keeps: true })

  // A person confirms a wrong clock, and then the right one.
  const fresh = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  authorization = basic(fresh.key_id, fresh.secret)
  const limited = { account_id: fresh.account.account_id, currency: null }
  await service.setLimits([{ ...limited, cap: 2n, hours: 1 }])
  await other.deps.reference.refresh()
  await shift('1 year')
  const cli = await openCli(url, { CORRIDOR_USER: 'ada' })
  t.after(() => cli.close())
  // The first service looks every few seconds, and its clock is right.
  const untilTold = (told: string, words: RegExp, read: () => Promise<string>) =>
    until(told, async () => {
      await clock.look(other.deps.sql, { keeps: true })
      return words.test(await read())
    })
  const shown = /^the clock shows 2\d{3}-.* instead of about .*: writes stand still/
  await untilTold('the command', shown, async () => (await cli.run('clock', 'show')).stdout)
  const funding = await cli.run('fund', fresh.account.account_id, 'USD', '1', '--reference', 'R1')
  assert.match(funding.stderr, /^corridor: The clock of the database .*; nothing was written\.$/m)
  const stopped = /writes .*stopped: the database's clock shows/
  await untilTold('doctor', stopped, async () => (await cli.run('doctor')).stdout)
  const gauge = /^corridor_clock_jumped 1$/m
  const metrics = () => other.inject({ method: 'GET', url: '/metrics' })
  await untilTold('the metrics', gauge, async () => (await metrics()).text)
  const confirmed = await cli.run('clock', 'confirm')
  assert.equal(confirmed.code, 0, confirmed.stderr)
  assert.match(confirmed.stdout, /^the clock is confirmed: 2\S+; no time was ahead of it/)
  await clock.look(other.deps.sql, { keeps: true })
  const ahead = await quote()
  assert.equal(ahead.status, 200, ahead.text)
  const paid: string[] = []
  for (const amount of [101, 102]) {
    const body = { ...localPayout, amount, reference_id: `ahead-${amount}` }
    const made = await send('POST', '/v3/payout', body)
    assert.equal(made.status, 200, made.text)
    paid.push(made.json.data.id)
  }
  const full = await send('POST', '/v3/payout', { ...localPayout, amount: 103 })
  assert.equal(full.json.errors[0].reason, 'limit_exceeded')

  await shift('0')
  assert.notEqual(await clock.look(other.deps.sql, { keeps: true }), null)
  assert.equal((await cli.run('clock', 'confirm')).code, 0)
  assert.equal(await clock.look(other.deps.sql, { keeps: true }), null)
  assert.equal((await cli.run('clock', 'show')).stdout.trim(), 'the clock is right')
  const again = await other.inject({ method: 'GET', url: '/metrics' })
  assert.match(again.text, /^corridor_clock_jumped 0$/m)
  // What is dated ahead: quotes are expired in lists too, payouts are due, a limit counts them on.
  const idsOf = async (status: string) => {
    const listed = await send('GET', `/v3/payout/quote?status=${status}&limit=100`)
    return listed.json.data.results.map(({ id }: { id: string }) => id)
  }
  assert.ok(!(await idsOf('active')).includes(ahead.json.id))
  assert.ok((await idsOf('expired')).includes(ahead.json.id))
  const rows = await owner<{ late: boolean }[]>`
    select ask_rail_at > now() + interval '2 days' as late from open_payouts
    where id = any (${paid}::text[])`
  assert.deepEqual(
    rows.map(({ late }) => late),
    [false, false],
  )
  const still = await send('POST', '/v3/payout', { ...localPayout, amount: 104 })
  assert.equal(still.json.errors[0].reason, 'limit_exceeded')
  clock.corrected_at = new Date(Date.now() - 2 * 3_600_000).toISOString().replace('Z', '000Z')
  const later = await send('POST', '/v3/payout', { ...localPayout, amount: 105 })
  assert.equal(later.status, 200, later.text)
  // The simulator waits for no time that the clock will reach in a year.
  await owner`update open_payouts set ask_rail_at = now() where id = any (${paid}::text[])`
  const rails = new Map([['simulator', simulator({ delay_ms: 1_000 })]])
  await settleOnce({ ...service.deps, rails })
  for (const id of paid) assert.equal(await readStatus(fresh, id), 'succeeded')
  const { code, stdout } = await cli.run('verify', '--all')
  assert.equal(code, 0, stdout)
})
