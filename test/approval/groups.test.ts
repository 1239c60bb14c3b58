// Payouts that people approve as one: those of a batch, and those that `corridor payout import` has
// made. Each keeps its own rules; a decision is bound to what was shown, in one transaction, however
// many decide at once and while the import goes on; what is refused changes no row.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import { importInto } from '../support/service/importing.ts'
import {
  type Answer,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { share } from '../support/share.ts'
import { pathOf, Team } from './team.ts'

const BATCH = '/v3/payout_batch'
/** From this amount on one person must approve, and from five times as much two. */
const LARGE = 100_000
/** Approvers at once, and the payouts of the file that they approve. */
const PEOPLE = 20
const ROWS = share(120, 300)

let service: TestService
let team: Team
let people: PersonClient[]
let ann: PersonClient
let bob: PersonClient
/** Makes them, and is an approver, too. */
let eve: PersonClient
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  const fund = { USD: 10n ** 10n }
  team = new Team(service, await service.openAccount({ currencies: ['USD'], fund }))
  const others = Array.from({ length: PEOPLE - 2 }, (_, i) => `p${i}`)
  people = await team.approvers(['ann', 'bob', ...others])
  ;[ann, bob] = people as [PersonClient, PersonClient]
  eve = await team.person('eve', 'maker', 'approver')
  const rule = { at_least_currency: 'USD' }
  await team.addRule({ ...rule, at_least: BigInt(LARGE) })
  await team.addRule({ ...rule, at_least: BigInt(5 * LARGE), approvers: 2 })
})
after(() => closeVerified(service))

let files = 0

/** The rows of a file, each told from those of other files. */
function rowsOf(amounts: readonly number[]): object[] {
  files += 1
  return amounts.map((amount, i) => ({ ...localPayout, amount, reference_id: `F-${files}-${i}` }))
}

/** Payouts of a group, the first of it first. */
async function payoutsOf(group: string): Promise<string[]> {
  if (group.startsWith('pob_')) {
    const { results } = (await team.account.get(pathOf(group, '/item?limit=100'))).json.data
    return results.map(({ payout }: { payout: string }) => payout)
  }
  const { results } = (await team.account.get(pathOf(group, '/payout?limit=100'))).json.data
  return results.map(({ id }: { id: string }) => id).reverse()
}

async function makeBatch(amounts: readonly number[]): Promise<string> {
  const { status, json, text } = await team.ask(eve, 'POST', BATCH, { payouts: rowsOf(amounts) })
  assert.equal(status, 200, text)
  return json.data.id
}

const importAs = (name: string, rows: readonly object[], by = 'eve') =>
  importInto(service, team.account, name, rows, by)

const KINDS = {
  'payout batch': makeBatch,
  'payout import': (amounts: readonly number[]) => importAs(`f${files}.csv`, rowsOf(amounts)),
} as const

const statusesOf = async (group: string) =>
  Promise.all((await payoutsOf(group)).map(payout => team.statusOf(payout)))

for (const [kind, make] of Object.entries(KINDS)) {
  test(`${kind} awaiting approval: shown with its sums, one decision approves all its payouts, once per Idempotency-Key`, async () => {
    const group = await make([LARGE, 100, 2 * LARGE])
    const waits = await team.shown(group)
    assert.deepEqual([waits.waiting, waits.ended], [2, []])
    assert.deepEqual(waits.totals, [{ currency: 'USD', payouts: 2, amount: String(3 * LARGE) }])
    const [one = '', , third] = await payoutsOf(group)
    const { payout_import } = await team.shown(one)
    assert.equal(payout_import, kind === 'payout import' ? group : '')
    const { digest } = waits
    const key = { 'idempotency-key': group }
    const { status, json, text } = await team.approve(ann, group, { digest }, key)
    assert.equal(status, 200, text)
    assert.deepEqual(json.data.payouts, [{ status: 'processing', payouts: 2 }])
    const written = await rowVersions(service.database.owner)
    assert.equal((await team.approve(ann, group, { digest }, key)).text, text)
    assert.deepEqual(await rowVersions(service.database.owner), written)
    assert.deepEqual(await statusesOf(group), ['processing', 'processing', 'processing'])
    const after = await team.shown(group)
    assert.equal(after.waiting, 0)
    assert.deepEqual(after.ended, [{ status: 'approved', payouts: 2 }])
    const { results } = (await team.account.get('/v3/event?type=payout.approved&limit=2')).json.data
    const told = results.map((event: { object_id: string }) => event.object_id)
    assert.deepEqual(told.sort(), [one, third].sort())
    const [act] = await service.database.owner<{ after: Record<string, string> }[]>`
      select after from audit_log
      where after ->> 'id' = ${group} and table_name = 'payout_approvals'`
    assert.equal(act?.after.payouts, '2')
  })

  test(`${kind} awaiting approval, maker who is also an approver: 403, no row changes; another person rejects: all credited back`, async () => {
    const before = await balancesOf(team.account)
    const group = await make([LARGE, 5 * LARGE])
    await team.refusesWithoutARow(team.approve(eve, group), 403, 'approval_not_allowed')
    await team.refusesWithoutARow(team.reject(eve, group), 403, 'approval_not_allowed')
    const { json } = await team.reject(bob, group, 'Paid last week')
    assert.deepEqual(json.data.payouts, [{ status: 'failed', payouts: 2 }])
    assert.deepEqual(await balancesOf(team.account), before)
    const [first = ''] = await payoutsOf(group)
    assert.equal((await team.read(first)).failure.message, 'Rejected: Paid last week')
  })

  test(`${kind} awaiting approval, by command: shown, approved with its digest under the person's name`, async t => {
    const cli = await openCli(service.database.url, { CORRIDOR_USER: 'ann' })
    t.after(cli.close)
    const group = await make([LARGE, 2 * LARGE])
    const text = await cli.run('payout', 'approval', group)
    assert.match(text.stdout, /2 payouts wait\nUSD 3000\.00 in 2 payouts\n/)
    const { digest } = (await cli.run('payout', 'approval', group, '--json')).json
    const wrong = await cli.run('payout', 'approve', group, '--digest', '0'.repeat(64))
    assert.equal(wrong.code, 1)
    assert.match(wrong.stderr, /look at it again/)
    const done = await cli.run('payout', 'approve', group, '--digest', digest)
    assert.equal(done.stdout, `${group}  approved; 2 processing\n`, done.stderr)
    const rows = await service.database.owner<{ changed_by: string }[]>`
      select changed_by from audit_log where after ->> 'id' = ${group} and after ? 'decision'`
    assert.deepEqual([...rows], [{ changed_by: 'ann' }])
    const none = await cli.run('payout', 'approval', `${group.slice(0, 4)}${'0'.repeat(20)}`)
    assert.equal(none.code, 1)
    assert.match(none.stderr, new RegExp(`there is no ${kind} ${group.slice(0, 4)}`))
  })
}

test('payout of an import, shown by command: names the import, which is rejected as a whole', async t => {
  const cli = await openCli(service.database.url, { CORRIDOR_USER: 'ann' })
  t.after(cli.close)
  const pim = await importAs('named.csv', rowsOf([LARGE]))
  const [first = ''] = await payoutsOf(pim)
  const alone = await cli.run('payout', 'approval', first)
  assert.match(alone.stdout, new RegExp(`\\nimport {5}${pim}, which can be approved as one\\n`))
  const rejected = await cli.run('payout', 'reject', pim, '--reason', 'Paid last week')
  assert.equal(rejected.stdout, `${pim}  rejected; 1 failed\n`, rejected.stderr)
})

test('batch, some payouts need two approvals: still waiting after the first, released by the second', async () => {
  const pob = await makeBatch([LARGE, 5 * LARGE])
  const { digest } = await team.shown(pob)
  const first = await team.approve(ann, pob)
  assert.deepEqual(first.json.data.payouts, [
    { status: 'processing', payouts: 1 },
    { status: 'pending_approval', payouts: 1 },
  ])
  assert.deepEqual((await team.shown(pob)).approved_by, ['ann'])
  await team.refusesWithoutARow(team.approve(ann, pob), 409, 'already_decided')
  await team.refusesWithoutARow(team.approve(bob, pob, { digest }), 409, 'approval_outdated')
  assert.equal((await team.approve(bob, pob)).status, 200)
  assert.deepEqual(await statusesOf(pob), ['processing', 'processing'])
  await team.refusesWithoutARow(team.approve(bob, pob), 409, 'invalid_transition')
})

test('batch, a payout cancelled or decided since the digest was read: 409, no row changes', async () => {
  const pob = await makeBatch([LARGE, LARGE, LARGE])
  const [first = '', second = ''] = await payoutsOf(pob)
  const outdated = async (change: () => Promise<Answer>) => {
    const { digest } = await team.shown(pob)
    assert.equal((await change()).status, 200)
    await team.refusesWithoutARow(team.approve(ann, pob, { digest }), 409, 'approval_outdated')
  }
  await outdated(() => team.account.post(pathOf(second, '/cancel'), {}))
  await outdated(() => team.approve(bob, first))
  assert.equal((await team.approve(ann, pob)).status, 200)
  assert.deepEqual(await statusesOf(pob), ['processing', 'failed', 'processing'])
  assert.deepEqual((await team.shown(pob)).ended, [
    { status: 'approved', payouts: 2 },
    { status: 'cancelled', payouts: 1 },
  ])
})

test('import, rows added since the digest was read: 409, earlier approvals kept', async () => {
  const rows = rowsOf([LARGE, 2 * LARGE])
  const pim = await importAs('more.csv', rows)
  const { digest } = await team.shown(pim)
  const longer = [...rows, ...rowsOf([LARGE])]
  assert.equal(await importAs('more.csv', longer), pim)
  await team.refusesWithoutARow(team.approve(ann, pim, { digest }), 409, 'approval_outdated')
  assert.equal((await team.approve(ann, pim)).status, 200)
  assert.equal(await importAs('more.csv', [...longer, ...rowsOf([LARGE])]), pim)
  assert.deepEqual(await statusesOf(pim), [...Array(3).fill('processing'), 'pending_approval'])
  const { waiting, ended } = await team.shown(pim)
  assert.deepEqual({ waiting, ended }, { waiting: 1, ended: [{ status: 'approved', payouts: 3 }] })
})

test('batch of transfers to other accounts, approved: credited with the approval, both books agree', async () => {
  const other = await service.openAccount({ currencies: ['USD'] })
  const { deposit_address } = other.account
  const payouts = [1, 2, 3].map(n => internalPayout(deposit_address, n * LARGE))
  const made = await team.ask(eve, 'POST', BATCH, { payouts })
  const { json, text } = await team.approve(ann, made.json.data.id)
  assert.deepEqual(json.data?.payouts, [{ status: 'succeeded', payouts: 3 }], text)
  assert.deepEqual(await balancesOf(other), { USD: String(6 * LARGE) })
})

test('batch of pending payouts: reads only the states of its own payouts', async () => {
  const { owner } = service.database
  // Written last; what its transaction has fetched so far is noted.
  await owner.unsafe(`
    create table fetched (count bigint);
    create function note_fetched() returns trigger language plpgsql security definer as $$
    begin
      insert into fetched select coalesce(idx_tup_fetch, 0) + seq_tup_read
      from pg_stat_xact_user_tables where relname = 'open_payouts';
      return null;
    end $$;
    create trigger note_fetched after insert on payout_batch_items
      for each statement execute function note_fetched()`)
  await makeBatch(Array(60).fill(LARGE))
  const [row] = await owner`select max(count)::integer as most from fetched`
  await owner.unsafe('drop trigger note_fetched on payout_batch_items; drop table fetched')
  assert.ok(row?.most > 0 && row?.most <= 12 * 60, `${row?.most} rows`)
})

test('GET /v3/payout_group: pending batches and imports of this account, newest first, no single payouts', async () => {
  const fund = { USD: 10n ** 9n }
  const of = new Team(service, await service.openAccount({ currencies: ['USD'], fund }))
  const groups = async ({ account } = of) =>
    (await account.get('/v3/payout_group')).json.data.groups
  await of.person('gil', 'approver')
  await of.addRule()
  assert.deepEqual(await groups(), [])
  const batch = (await of.account.post(BATCH, { payouts: rowsOf([LARGE, LARGE]) })).json.data
  const pim = await importInto(service, of.account, 'groups.csv', rowsOf([LARGE, 2 * LARGE]), 'gil')
  const total = (amount: number) => [{ currency: 'USD', payouts: 2, amount: String(amount) }]
  const told = (await groups()).map(({ since: _, ...group }: { since: string }) => group)
  assert.deepEqual(told, [
    { object: 'payout_group', id: pim, totals: total(3 * LARGE), made_by: ['gil'] },
    { object: 'payout_group', id: batch.id, totals: total(2 * LARGE), made_by: [] },
  ])
  const theirs: { id: string }[] = await groups(team)
  assert.ok(!theirs.some(({ id }) => id === pim))
  const { made_by, approved_by } = await of.shown(pim)
  assert.deepEqual([made_by, approved_by], [['gil'], []])
})

test("GET a page of an import's payouts: both directions; another account's cursor refused", async () => {
  const pim = await importAs('pages.csv', rowsOf([1, 2, 3, 4, 5]))
  const all = (await payoutsOf(pim)).reverse()
  const read = (query: string) => team.account.get(pathOf(pim, `/payout?limit=2${query}`))
  const page = async (query: string) => {
    const { json, text } = await read(query)
    assert.ok(json.data, text)
    return [json.data.results.map((one: { id: string }) => one.id), json.data.has_more]
  }
  assert.deepEqual(await page(''), [all.slice(0, 2), true])
  assert.deepEqual(await page(`&starting_after=${all[2]}`), [all.slice(3), false])
  assert.deepEqual(await page(`&ending_before=${all[3]}`), [all.slice(1, 3), true])
  assert.deepEqual(await page('&created.lt=2020-01-01T00:00:00Z'), [[], false])
  const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 8n } })
  const foreign = (await other.post('/v3/payout', localPayout)).json.data.id
  assertRefused(await read(`&starting_after=${foreign}`), 400, 'invalid_query_parameter')
})

test(`${PEOPLE} approvers in parallel while the import adds rows: one effect, on the payouts shown`, async () => {
  const rows = rowsOf(Array(ROWS).fill(LARGE))
  const pim = await importAs('race.csv', rows)
  const { digest } = await team.shown(pim)
  const more = rowsOf(Array(20).fill(LARGE))
  const [answers] = await Promise.all([
    Promise.all(people.map(who => team.approve(who, pim, { digest }))),
    importAs('race.csv', [...rows, ...more]),
  ])
  const won = answers.filter(({ status }) => status === 200)
  assert.ok(won.length <= 1, won.map(({ text }) => text).join('\n'))
  for (const { json } of won) {
    assert.deepEqual(json.data.payouts, [{ status: 'processing', payouts: ROWS }])
  }
  const others = answers.filter(({ status }) => status !== 200)
  for (const { status, text } of others) assert.equal(status, 409, text)
  // None of them, when the import came between what was shown and the first.
  if (won.length === 0) assert.equal((await team.approve(ann, pim)).status, 200)
  const [told] = await service.database.owner<{ payouts: number; decisions: number }[]>`
    select count(distinct p.id)::integer as payouts, count(*)::integer as decisions
    from payouts p join approval_decisions d on d.account_id = p.account_id and d.payout_id = p.id
    where p.reference_id like ${`F-${files - 1}-%`}`
  assert.deepEqual(told, { payouts: ROWS, decisions: ROWS })
  const { waiting, ended } = await team.shown(pim)
  assert.equal(waiting + ended[0].payouts, ROWS + 20)
})

test('ten people in parallel, approving and rejecting: each payout decided by one of them', async () => {
  const pob = await makeBatch(Array(40).fill(LARGE))
  const { digest } = await team.shown(pob)
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => {
      const who = i % 2 === 0 ? ann : bob
      return i < 5 ? team.approve(who, pob, { digest }) : team.reject(who, pob)
    }),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).sort(),
    [200, ...Array(9).fill(409)],
    answers.map(({ text }) => text).join('\n'),
  )
  assert.equal(new Set(await statusesOf(pob)).size, 1)
  const decisions = await service.database.owner`
    select from approval_decisions where payout_id = any (
      select payout_id from payout_batch_items where batch_id = ${pob})`
  assert.equal(decisions.length, 40)
})
