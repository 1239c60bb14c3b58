// corridor doctor: each thing that it looks at goes wrong and is mended; it names that, and no other.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { checkNode, type Finding, judgeClock, judgeDisk } from '../../src/cli/doctor-checks.ts'
import { localPayout } from '../support/given/bodies.ts'
import { startFront } from '../support/network/front.ts'
import { listenOn } from '../support/network/port.ts'
import { addEndpoint } from '../support/network/receiver.ts'
import { openCli } from '../support/service/cli.ts'
import { startTestService } from '../support/service/service.ts'
import { requireLists } from '../support/service/un-list.ts'

const service = await startTestService()
const sandbox = await service.openAccount({ fund: { USD: 1_000_000n } })
const cli = await openCli(service.database.url, { PORT: '0' })
after(async () => {
  await cli.close()
  await service.database.drop()
})

/** What it finds wrong, by name; the exit code and `ok` say the same. */
async function wrongs(by = cli): Promise<Record<string, string>> {
  const { code, json, stderr } = await by.run('doctor', '--json')
  assert.ok(json !== undefined, stderr)
  const wrong = (json.checks as Finding[]).filter(({ ok }) => !ok)
  assert.deepEqual([code, json.ok], [wrong.length === 0 ? 0 : 1, wrong.length === 0])
  for (const { check, fix } of json.checks) assert.equal(fix === '', !wrongNamed(check), check)
  function wrongNamed(name: string): boolean {
    return wrong.some(({ check }) => check === name)
  }
  return Object.fromEntries(wrong.map(({ check, found }) => [check, found]))
}

const only = async (check: string, found: RegExp) => {
  const wrong = await wrongs()
  assert.deepEqual(Object.keys(wrong), [check])
  assert.match(wrong[check] ?? '', found)
}

test('corridor doctor, only sandboxes: healthy, exit code 0', async () => {
  assert.deepEqual(await wrongs(), {})
  const { stdout, code } = await cli.run('doctor')
  assert.equal(code, 0)
  assert.match(stdout, /^in order +database +PostgreSQL \d+/m)
  assert.match(stdout, /^in order +service +1 process runs$/m)
  assert.match(stdout, /\nNothing needs you\.\n$/)
})

test('corridor doctor, workers not running: reports late work, also of sandboxes', async () => {
  const { owner } = service.database
  const paid = await sandbox.post('/v3/payout', localPayout)
  assert.equal(paid.status, 200, paid.text)
  await owner`
    update open_payouts set rail_attempts = 1, claimed_until = null,
      ask_rail_at = now() - interval '6 minutes' where id = ${paid.json.data.id}`
  await only('payout worker', /^1 payouts have waited/)
  await owner`update open_payouts set ask_rail_at = now() - interval '4 minutes'`
  assert.deepEqual(await wrongs(), {})
  const { account_id } = sandbox.account
  const { id } = await addEndpoint(service.database, account_id, 'https://example.com/hook')
  await owner`update webhook_endpoints set fanned_out = 0 where id = ${id}`
  assert.deepEqual(await wrongs(), {})
  await owner`
    update books set clock_ahead = interval '6 minutes' where account_id = ${account_id}`
  await only('webhook worker', /^1 endpoints/)
  await owner`delete from webhook_endpoints where id = ${id}`
})

test('corridor doctor, live account: names step by step what its payouts lack', async () => {
  const { account_id } = (await service.openAccount({ sandbox: false, currencies: ['USD'] }))
    .account
  assert.equal((await wrongs()).verify, 'never')
  const run = await cli.run('verify')
  assert.equal(run.code, 0, run.stderr)
  await service.setFees([])
  await service.setRoutes([])
  await only('routes of accounts', new RegExp(`^${account_id} has no route for any payout`))
  await service.setRoutes([{ currency: 'HKD' }])
  await only('rates of accounts', /has no rate for payouts in HKD/)
  await service.setRates({ 'USD/HKD': '7.8' })
  await only('fees of accounts', /has no fee for payouts in HKD/)
  await service.setFees([{}])
  assert.deepEqual(await wrongs(), {})
  await service.setRates({ 'USD/HKD': '7.8' }, '2026-01-01T00:00:00.000000Z')
  await only('rates', /^1 of \d+ are stale: USD\/HKD/)
  await service.setRates({ 'USD/HKD': '7.8' })
  await requireLists(service, 'un')
  await only('lists', /un is missing/)
  await requireLists(service)
})

test('corridor doctor, endpoint disabled after a 410: a fault for a live account; none for a sandbox, or if the account disabled it', async () => {
  const { account_id } = (await service.openAccount({ sandbox: false, currencies: ['USD'] }))
    .account
  const { owner } = service.database
  const { id } = await addEndpoint(service.database, account_id, 'https://example.com/hook')
  const disable = (reason: string) => owner`
    update webhook_endpoints set status = 'disabled', disabled_reason = ${reason} where id = ${id}`
  const others = await addEndpoint(
    service.database,
    sandbox.account.account_id,
    'https://example.com/hook',
  )
  await owner`
    update webhook_endpoints set status = 'disabled', disabled_reason = 'gone'
    where id = ${others.id}`
  await disable('account')
  assert.deepEqual(await wrongs(), {})
  await disable('gone')
  await only('webhooks', new RegExp(`^${id} of ${account_id} is disabled, as it answered 410`))
  await owner`delete from webhook_endpoints where id = ${id}`
})

test('corridor doctor, corridor verify never run, run long ago or failed: a fault; run yesterday: none', async () => {
  const { owner } = service.database
  const ran = (hours: number, well: boolean) => owner`
    insert into upkeep_runs (kind, finished_at, well, told)
    values ('verify', now() - make_interval(hours => ${hours}), ${well}, 'told')`
  await ran(27, true)
  await only('verify', /^1d 3h ago: told$/)
  await ran(25, true)
  assert.deepEqual(await wrongs(), {})
  await ran(1, false)
  await only('verify', /^1h/)
  await ran(1, true)
})

test('corridor doctor, port used by another program: a fault; used by Corridor: none', async () => {
  const other = createServer((_, response) => response.end('{}'))
  const port = await listenOn(other)
  const front = await startFront(service.app)
  const at = (PORT: string) => openCli(service.database.url, { PORT, HOST: '127.0.0.1' })
  const [taken, own] = await Promise.all([at(String(port)), at(new URL(front.address).port)])
  assert.match((await wrongs(taken)).port ?? '', /taken, and Corridor’s \/healthz is not there$/)
  assert.deepEqual(await wrongs(own), {})
  other.close()
  front.close()
  await Promise.all([taken.close(), own.close()])
})

test('corridor doctor, Node version, clock or disk beyond its bound: a fault', () => {
  const ok = [checkNode(), judgeClock({ before: 0, now: 5000, after: 0 })]
  const bad = [checkNode('20.1.0')]
  bad.push(judgeClock({ before: 0, now: 5001, after: 0 }))
  bad.push(judgeClock({ before: 6001, now: 1000, after: 6001 }))
  ok.push(judgeDisk('.', { bavail: 5, blocks: 100, bsize: 4096 }))
  bad.push(judgeDisk('.', { bavail: 4, blocks: 100, bsize: 4096 }))
  // A slow answer tells nothing of the clock.
  ok.push(judgeClock({ before: 0, now: 9000, after: 9000 }))
  assert.deepEqual([ok.filter(one => !one.ok), bad.filter(one => one.ok)], [[], []])
})

test('corridor doctor, other schema version, no database or no service: named', async () => {
  const { owner } = service.database
  await owner`insert into schema_migrations (name, hash) values ('9999-later.sql', 'x')`
  await only('schema', /9999-later\.sql, unknown to this version/)
  await owner`delete from schema_migrations where name = '9999-later.sql'`
  const away = await openCli('postgres://corridor@127.0.0.1:1/corridor', { PORT: '0' }, true)
  const wrong = await wrongs(away)
  assert.deepEqual(Object.keys(wrong), ['database'])
  await away.close()
  await service.disconnect()
  await only('service', /^no process runs/)
})
