// Old events taken out of the database: only what an archive has, what nobody is owed, and what is older than
// the installation keeps. What stays is proved as before, and whoever asks for what is gone is told so.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { EMPTY_HASH } from '../../src/ledger/rules.ts'
import { listHeads } from '../../src/ledger/store.ts'
import { transitionWrite } from '../../src/operator/payouts-by-hand.ts'
import { connect, type Sql } from '../../src/sql/connect.ts'
import type { ArchivedRow } from '../../src/statements/event/archive.ts'
import { listRowsToArchive } from '../../src/statements/event/archive-store.ts'
import { removeArchived } from '../../src/statements/event/cut-operations.ts'
import { findCut } from '../../src/statements/event/cut-store.ts'
import { plusMicros } from '../../src/values/instant.ts'
import { makeEverything } from '../ledger/everything.ts'
import type { History } from '../ledger/history.ts'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { bankBeneficiary } from '../support/given/bodies.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { basic } from '../support/service/service.ts'

const FUTURE = '2999-01-01T00:00:00Z'
let history: History
let owner: Sql
let ada: Cli
/** As the command connects. */
let operators: Sql
let folder: string
const at = (name: string) => join(folder, name)
const id = () => history.main.account.account_id

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-removed-'))
  history = await makeEverything()
  owner = connect(history.service.database.url, { max: 1, as: 'owner' })
  const { url } = history.service.database
  ada = await openCli(url, { CORRIDOR_USER: 'ada' })
  operators = connect(url, { max: 2, as: 'service', operator: 'ada', act: 'events remove' })
  // As a day later: answers are forgotten by then.
  await owner`select set_config('corridor.maintenance', 'on', false)`
  await owner`delete from idempotency_keys`
})
after(async () => {
  await ada?.close()
  await operators?.end({ timeout: 1 })
  await owner?.end({ timeout: 1 })
  await history?.service.close()
  await rm(folder, { recursive: true, force: true })
})

const remove = (name: string) => ada.run('events', 'remove', at(name), '--json')

async function archive(name: string) {
  const to = ['--before', FUTURE, '--to', at(name), '--json']
  const ran = await ada.run('events', 'archive', id(), ...to)
  assert.equal(ran.code, 0, ran.stderr)
  return ran.json
}

async function rowsOf(name: string): Promise<ArchivedRow[]> {
  const text = gunzipSync(await readFile(at(name))).toString()
  return text
    .split('\n')
    .slice(1, -2)
    .map(line => JSON.parse(line))
}

async function problems(): Promise<string[]> {
  const verdict = await undone(owner, tx => verdictIn(tx, true))
  // Answers are forgotten here sooner than after a day.
  const found = verdict.ok ? [] : verdict.problems
  return found.filter(({ table }) => table !== 'idempotency_keys').map(one => JSON.stringify(one))
}

/** As if all that happened until now were older than the installation keeps. */
async function letTimePass(): Promise<void> {
  await owner`alter table privacy_settings drop constraint if exists privacy_settings_event_days_check`
  await owner`update privacy_settings set event_days = 0, set_by = 'ada', reason = 'Test'`
}

/** As the worker does in time. */
async function deliverAll(): Promise<void> {
  await owner`
    update webhook_endpoints w set fanned_out = b.event_count from books b
    where b.account_id = w.account_id`
}

const events = async (account_id = id()) =>
  owner<{ sequence: bigint }[]>`
    select sequence from events where account_id = ${account_id} order by sequence`

test('retention of events, not set: for ever; set: at least 90 days', async () => {
  await deliverAll()
  await archive('kept')
  const before = await rowVersions(owner)
  const ran = await remove('kept')
  assert.deepEqual([ran.code, ran.json.removed], [0, 0])
  assert.match(ran.json.kept, /kept for ever: corridor privacy retention events/)
  const set = (days: string) =>
    ada.run('privacy', 'retention', 'events', days, '--reason', 'Audited', '--json')
  for (const days of ['89', '0', '-1', '36501', '100.5', 'ever']) {
    assert.equal((await set(days)).code, 2, days)
  }
  assert.deepEqual(await rowVersions(owner), before)
  assert.equal((await set('90')).json.event_days, 90)
  assert.match((await remove('kept')).json.kept, /event \d+ stays: it is not older than 2/)
  assert.equal((await set('never')).json.event_days, null)
})

test('PostgreSQL, event not archived, undelivered, young or newest: cannot be deleted', async () => {
  const [first, newest] = [(await events())[0], (await events()).at(-1)]
  const cut = (sequence: bigint | undefined) => `
    insert into event_cuts (account_id, sequence, hash, created_at, removed, seals, file, removed_by)
    select account_id, sequence, hash, created_at, 1, hash, hash, 'ada' from events
    where account_id = '${id()}' and sequence = ${sequence}`
  const gone = `delete from events where account_id = '${id()}' and sequence = ${first?.sequence}`
  const refused = (statements: readonly string[], words: RegExp) =>
    assert.rejects(
      undone(owner, async tx => {
        for (const statement of statements) await tx.unsafe(statement)
      }),
      words,
    )
  const old = `alter table privacy_settings drop constraint privacy_settings_event_days_check;
    update privacy_settings set event_days = 0, set_by = 'ada', reason = 'Test'`
  const says = `set local corridor.archived = 'on'`
  await refused([cut(first?.sequence)], /events are kept for longer/)
  await refused([old, cut(newest?.sequence)], /no row of events that others follow/)
  const owed = `update webhook_endpoints set fanned_out = 0 where account_id = '${id()}'`
  await refused([old, owed, cut(first?.sequence)], /still to be delivered/)
  await refused([old, cut(first?.sequence), gone], /append-only/)
  await refused([old, says, gone], /is in no archive/)
  await refused(['truncate events'], /append-only/)
})

test('corridor events remove, event undelivered to a webhook: kept, with all later ones', async () => {
  await letTimePass()
  const [endpoint] = await owner<{ id: string }[]>`
    update webhook_endpoints set fanned_out = 3 where account_id = ${id()} returning id`
  const told = new RegExp(`still to be delivered to webhook endpoint ${endpoint?.id}`)
  const ran = await remove('kept')
  assert.match(ran.json.kept, told)
  assert.ok(Number(ran.json.last) <= 3, ran.stdout)
  await deliverAll()
  const [dead] = await owner<{ event_sequence: bigint }[]>`
    update webhook_deliveries set status = 'dead' where account_id = ${id()} and number = 2
    returning event_sequence`
  if (dead !== undefined && dead.event_sequence > BigInt(ran.json.last)) {
    assert.match((await remove('kept')).json.kept, told)
  }
  await owner`update webhook_deliveries set status = 'succeeded' where status = 'dead'`
})

test('corridor events remove, archive with other rows: no event deleted', async () => {
  await archive('mine')
  const before = await rowVersions(owner)
  const [head = '', ...lines] = gunzipSync(await readFile(at('mine')))
    .toString()
    .split('\n')
  await writeFile(at('changed'), gzipSync([head, ...lines.toSpliced(1, 1)].join('\n')))
  assert.match((await remove('changed')).stderr, /line \d+: it begins with event/)
  const rows = await rowsOf('mine')
  const forged = rows.map(row => ({ ...row, hash: EMPTY_HASH }))
  const removal = { account_id: id(), file: EMPTY_HASH, person: 'ada' }
  await assert.rejects(removeArchived(operators, { ...removal, rows: forged }), /another hash/)
  const unerased = rows.map(row => ({ ...row, was: null }))
  await assert.rejects(removeArchived(operators, { ...removal, rows: unerased }), /erased since/)
  // A failure at the end of the transaction leaves all as it was.
  await assert.rejects(removeArchived(operators, { ...removal, rows, person: '' }), /removed_by/)
  assert.deepEqual(await rowVersions(owner), before)
})

test('corridor events remove in steps, two people in parallel: each row deleted once, corridor verify clean after each step', async () => {
  const rows = await rowsOf('mine')
  const half = rows.slice(0, rows.length / 2)
  const step = { account_id: id(), rows: half, file: EMPTY_HASH, person: 'ada' }
  const both = await Promise.all([removeArchived(operators, step), removeArchived(operators, step)])
  assert.deepEqual(both.map(({ removed }) => removed).sort(), [0, half.length])
  assert.deepEqual(await problems(), [])
  const done = await remove('mine')
  assert.equal(done.json.removed, rows.length - half.length - 1)
  assert.match(done.json.kept, /the newest row stays/)
  assert.equal((await events()).length, 1)
  assert.deepEqual(await problems(), [])
  assert.equal((await remove('mine')).json.removed, 0)
  const checked = await ada.run('events', 'check', at('mine'))
  assert.equal(checked.code, 0, checked.stderr)
})

test('GET deleted event: 410 naming the first event kept; later events complete', async () => {
  const { main, sister } = history
  const [cut] = await owner<{ sequence: bigint }[]>`
    select max(sequence) as sequence from event_cuts where account_id = ${id()}`
  const rows = await rowsOf('mine')
  const of_cut = rows.findLast(row => BigInt(row.sequence) === cut?.sequence)
  const last_gone = of_cut?.created_at ?? ''
  const lists = async (query: string) => main.get(`/v3/event?limit=100${query}`)
  const left = (await lists('')).json.data
  const first = left.results.at(-1)
  assert.deepEqual([BigInt(first.sequence), left.has_more], [(cut?.sequence ?? 0n) + 1n, false])
  const [named] = await owner<{ id: string; last: string }[]>`
    select event_id as id, '' as last from webhook_deliveries
    where account_id = ${id()} order by event_sequence limit 1`
  const gone = named?.id ?? ''
  for (const path of [
    `/v3/event/${gone}`,
    `/v3/event?ending_before=${gone}`,
    `/v3/event?starting_after=${gone}`,
  ]) {
    const answer = await main.get(path)
    assertRefused(answer, 410, 'event_archived')
    assert.match(answer.json.errors[0].message, new RegExp(`Begin with number ${first.sequence}`))
    // To another account it is unknown, as ever.
    assert.ok([400, 404].includes((await sister.get(path)).status), path)
  }
  const url = 'https://8.8.8.8/of-all-types'
  const endpoint = (await main.post('/v3/webhook_endpoint', { url })).json.data
  const path = `/v3/webhook_endpoint/${endpoint.id}`
  // Without a lower bound, a range starts at the first event that is left.
  for (const body of [
    { sequence: { to: first.sequence } },
    { created: { lt: FUTURE } },
    { created: { lte: first.created_at } },
    // Their lower bounds are between the last event that is gone and the first that is left.
    { created: { gt: last_gone, lte: first.created_at } },
    { created: { gte: plusMicros(last_gone, 1n), lt: FUTURE } },
  ]) {
    const replayed = await main.post(`${path}/replay`, body)
    assert.equal(replayed.status, 200, `${JSON.stringify(body)} ${replayed.text}`)
    assert.equal(replayed.json.data.deliveries, 1, JSON.stringify(body))
  }
  const long_ago = '2000-01-01T00:00:00Z'
  for (const body of [
    { event: gone },
    { sequence: { from: 1 } },
    { created: { gt: long_ago } },
    { created: { gte: long_ago, lt: FUTURE } },
    { created: { gte: last_gone } },
    // They end before the first event that is left.
    { sequence: { to: 1 } },
    { created: { lte: rows[0]?.created_at } },
  ]) {
    assertRefused(await main.post(`${path}/replay`, body), 410, 'event_archived')
  }
  // Its deliveries are owed until it is deleted.
  const headers = { authorization: basic(main.key_id, main.secret) }
  const deleted = await history.service.inject({ method: 'DELETE', url: path, headers })
  assert.equal(deleted.status, 200, deleted.text)
  const { archived_to } = (await main.get(`/v3/payout/${history.payouts.succeeded}/timeline`)).json
    .data
  assert.equal(archived_to, last_gone)
})

test('objects whose old events are deleted: changed, erased and archived again, corridor verify clean', async () => {
  const { main } = history
  const listed = (await main.get('/v3/beneficiary?limit=100')).json.data.results
  for (const { id, status } of listed) {
    if (status === 'erased') continue
    const put = await main.put(`/v3/beneficiary/${id}`, { name: 'Someone Else' })
    assert.equal(put.status, 200, put.text)
  }
  const made = await main.post('/v3/beneficiary', bankBeneficiary)
  assert.equal(made.status, 200, made.text)
  const { id: changed } = made.json.data
  await main.put(`/v3/beneficiary/${changed}`, { name: 'Someone Else' })
  const erased = await ada.run('privacy', 'erase', changed, '--reason', 'Request')
  assert.equal(erased.code, 0, erased.stderr)
  assert.deepEqual(await problems(), [])
  await owner`delete from idempotency_keys`
  await deliverAll()
  const next = await archive('next')
  const early = ['--after', '1', '--before', FUTURE, '--to', at('early')]
  assert.match((await ada.run('events', 'archive', id(), ...early)).stderr, /earlier archive alone/)
  const done = await remove('next')
  assert.equal(done.json.removed, next.rows - 1)
  assert.deepEqual(await problems(), [])
  const heads = await ada.file('heads.json', JSON.stringify(await listHeads(owner)))
  const { stdout } = await ada.run('verify', '--heads', heads, '--all')
  assert.doesNotMatch(stdout, /kept head/)
})

test('payout whose old events are deleted: newest event shows it before and after in full', async () => {
  const { main, payouts } = history
  const steps = {
    processing: 'failed',
    waiting: 'failed',
    held: 'failed',
    answered: 'failed',
    swift: 'reversed',
    succeeded: 'reversed',
    fx: 'reversed',
  } as const
  for (const fate of Object.keys(steps) as (keyof typeof steps)[]) {
    const payout_id = payouts[fate]
    const was = (await main.get(`/v3/payout/${payout_id}`)).json.data
    const failure = { code: 'PF000100', category: 'other', message: 'Over.' }
    const status = was.status === 'succeeded' ? 'reversed' : steps[fate]
    const operators = history.service.deps.operators
    const ada = { name: 'ada', is_login: false }
    const write = await transitionWrite(operators.audit, ada, payout_id, { status, failure })
    const author = { operator: 'ada', act: 'payout transition', via: 'cli', origin: {} }
    await operators.run(author, write)
    const now = (await main.get(`/v3/payout/${payout_id}`)).json.data
    const [event] = (await main.get(`/v3/event?object_id=${payout_id}&limit=1`)).json.data.results
    assert.deepEqual(event.data, now, fate)
    assert.deepEqual({ ...event.data, ...event.previous_attributes }, was, fate)
  }
  assert.deepEqual(await problems(), [])
})

test('corridor verify of every account, before and after deletion of old events: same result', async () => {
  await deliverAll()
  const accounts = await owner<{ account_id: string }[]>`
    select account_id from books where event_count > 1 order by account_id`
  for (const { account_id } of accounts) {
    const after = String((await findCut(owner, account_id))?.sequence ?? 0n)
    const rows = await owner.begin(tx =>
      listRowsToArchive(tx, account_id, { after, before: FUTURE }, 1_000),
    )
    const removal = { account_id, rows, file: EMPTY_HASH, person: 'ada' }
    assert.match((await removeArchived(operators, removal)).kept ?? '', /the newest row stays/)
    assert.equal((await events(account_id)).length, 1)
  }
  assert.ok(accounts.length > 3)
  assert.deepEqual(await problems(), [])
})

const FORGED: readonly (readonly [what: string, statement: string, table: string])[] = [
  ['a payout', `update payouts set charge_type = 'ours' where id = $`, 'payouts'],
  ['the digest of a payout', `update archived_seals set content = sha256(content)`, 'event_cuts'],
  [
    'a digest more',
    `insert into archived_seals select account_id, 1, 999, 'pot_x', content
    from archived_seals limit 1`,
    'archived_seals',
  ],
  ['the time of a cut', `update event_cuts set created_at = now()`, 'event_cuts'],
  ['the hash of a cut', `update event_cuts set hash = sha256(hash)`, 'event_cuts'],
  ['the archive of a cut', `update event_cuts set file = sha256(file)`, 'event_cuts'],
  [
    'a cut that is gone',
    `delete from event_cuts where sequence = (
    select max(sequence) from event_cuts)`,
    'event_cuts',
  ],
  ['who has cut', `update event_cuts set removed_by = 'eve'`, 'event_cuts'],
]

test('corridor verify, old events deleted, each remaining row changed by SQL: named', async () => {
  for (const [what, statement, table] of FORGED) {
    const verdict = await undone(owner, async tx => {
      for (const name of ['payouts', 'archived_seals', 'event_cuts']) {
        await tx.unsafe(`alter table ${name} disable trigger user`)
      }
      await tx.unsafe(statement.replace('= $', `= '${history.payouts.succeeded}'`))
      return verdictIn(tx, true)
    })
    const named = verdict.ok ? [] : verdict.problems.map(problem => problem.table)
    assert.ok(named.includes(table), `${what}: ${named}`)
  }
})
