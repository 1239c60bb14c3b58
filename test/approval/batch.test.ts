// A batch approved as one: all of its payouts that wait, by one act, under one digest of what was
// shown; each keeps its own approval, and what is refused changes no row.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import {
  type Answer,
  addPerson,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const PATH = '/v3/payout_batch'
const LARGE = 100_000

let service: TestService
let account: Client
let id: string
let ann: PersonClient
let bob: PersonClient
let eve: PersonClient
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 10n } })
  id = account.account.account_id
  const approver = (user: string) => addPerson(service, { user, roles: [[id, 'approver']] })
  ann = await approver('ann')
  bob = await approver('bob')
  eve = await addPerson(service, {
    user: 'eve',
    roles: [
      [id, 'maker'],
      [id, 'approver'],
    ],
  })
  const rule = { account_id: id, at_least_currency: 'USD' }
  await addApprovalRule(service, { ...rule, at_least: BigInt(LARGE) })
  await addApprovalRule(service, { ...rule, at_least: BigInt(5 * LARGE), approvers: 2 })
  await service.deps.reference.refresh()
})
after(() => closeVerified(service))

const ask = (who: PersonClient, method: 'GET' | 'POST', url: string, payload?: object) =>
  service.inject({ method, url, headers: who.headers(id), ...(payload && { payload }) })

/** A batch by eve; returns its id and those of its payouts. */
async function makeBatch(amounts: readonly number[]): Promise<{ pob: string; pots: string[] }> {
  const payouts = amounts.map((amount, i) => ({ ...localPayout, amount, reference_id: `B-${i}` }))
  const { status, json, text } = await ask(eve, 'POST', PATH, { payouts })
  assert.equal(status, 200, text)
  const items = await account.get(`${PATH}/${json.data.id}/item?limit=100`)
  return {
    pob: json.data.id,
    pots: items.json.data.results.map(({ payout }: { payout: string }) => payout),
  }
}

const shown = async (pob: string) => (await account.get(`${PATH}/${pob}/approval`)).json.data

async function approve(who: PersonClient, pob: string, digest?: string): Promise<Answer> {
  const body = { digest: digest ?? (await shown(pob)).digest }
  return ask(who, 'POST', `${PATH}/${pob}/approve`, body)
}

const reject = (who: PersonClient, pob: string) =>
  ask(who, 'POST', `${PATH}/${pob}/reject`, { reason: 'Paid last week' })

const statusesOf = (pots: readonly string[]) =>
  Promise.all(pots.map(async pot => (await account.get(`/v3/payout/${pot}`)).json.data.status))

async function refusedWithoutARow(answer: Promise<Answer>, status: number, reason: string) {
  const before = await rowVersions(service.database.owner)
  assertRefused(await answer, status, reason)
  assert.deepEqual(await rowVersions(service.database.owner), before)
}

test('what waits is shown with its sums, and one act approves all of it', async () => {
  const { pob, pots } = await makeBatch([LARGE, 100, 2 * LARGE])
  const waits = await shown(pob)
  assert.equal(waits.waiting, 2)
  assert.equal(waits.needed, 1)
  assert.deepEqual(waits.totals, [{ currency: 'USD', payouts: 2, amount: String(3 * LARGE) }])
  assert.deepEqual(waits.ended, [])
  const { status, json, text } = await approve(ann, pob)
  assert.equal(status, 200, text)
  assert.deepEqual(json.data.payouts, [{ status: 'processing', payouts: 2 }])
  assert.deepEqual(await statusesOf(pots), ['processing', 'processing', 'processing'])
  const after = await shown(pob)
  assert.equal(after.waiting, 0)
  assert.equal(after.expires_at, null)
  assert.deepEqual(after.ended, [{ status: 'approved', payouts: 2 }])
  const events = await account.get('/v3/event?type=payout.approved&limit=2')
  const facts = events.json.data.results.map((event: { object_id: string }) => event.object_id)
  assert.deepEqual(facts.sort(), [pots[0], pots[2]].sort())
  const [act] = await service.database.owner<{ after: Record<string, string> }[]>`
    select after from audit_log where after ->> 'id' = ${pob} and table_name = 'payout_approvals'`
  assert.equal(act?.after.id, pob)
  assert.equal(act?.after.payouts, '2')
})

test('where some need two people: the first leaves those waiting, the second ends them', async () => {
  const { pob, pots } = await makeBatch([LARGE, 5 * LARGE])
  const { digest } = await shown(pob)
  const first = await approve(ann, pob)
  assert.deepEqual(first.json.data.payouts, [
    { status: 'processing', payouts: 1 },
    { status: 'pending_approval', payouts: 1 },
  ])
  assert.deepEqual((await shown(pob)).approved_by, ['ann'])
  await refusedWithoutARow(approve(ann, pob), 409, 'already_decided')
  await refusedWithoutARow(approve(bob, pob, digest), 409, 'approval_outdated')
  assert.equal((await approve(bob, pob)).status, 200)
  assert.deepEqual(await statusesOf(pots), ['processing', 'processing'])
  await refusedWithoutARow(approve(bob, pob), 409, 'invalid_transition')
})

test('one rejection ends all that wait, and the account has its money back', async () => {
  const available = async () => (await account.get('/v3/balance')).json.data.available
  const before = await available()
  const { pob, pots } = await makeBatch([LARGE, 5 * LARGE])
  const { json } = await reject(bob, pob)
  assert.deepEqual(json.data.payouts, [{ status: 'failed', payouts: 2 }])
  assert.deepEqual(await statusesOf(pots), ['failed', 'failed'])
  assert.deepEqual(await available(), before)
  const { data } = (await account.get(`/v3/payout/${pots[0]}`)).json
  assert.deepEqual(data.failure.message, 'Rejected: Paid last week')
})

test('who made it, an approver too: 403, and no row changes', async () => {
  const { pob } = await makeBatch([LARGE, LARGE])
  await refusedWithoutARow(approve(eve, pob), 403, 'approval_not_allowed')
  await refusedWithoutARow(reject(eve, pob), 403, 'approval_not_allowed')
})

test('one of it cancelled, or decided alone, since it was shown: 409, and no row changes', async () => {
  const { pob, pots } = await makeBatch([LARGE, LARGE, LARGE])
  const { digest } = await shown(pob)
  assert.equal((await account.post(`/v3/payout/${pots[1]}/cancel`, {})).status, 200)
  await refusedWithoutARow(approve(ann, pob, digest), 409, 'approval_outdated')
  const second = await shown(pob)
  const alone = (await account.get(`/v3/payout/${pots[0]}/approval`)).json.data.digest
  const one = await ask(bob, 'POST', `/v3/payout/${pots[0]}/approve`, { digest: alone })
  assert.equal(one.status, 200)
  await refusedWithoutARow(approve(ann, pob, second.digest), 409, 'approval_outdated')
  assert.equal((await approve(ann, pob)).status, 200)
  assert.deepEqual(await statusesOf(pots), ['processing', 'failed', 'processing'])
  assert.deepEqual((await shown(pob)).ended, [
    { status: 'approved', payouts: 2 },
    { status: 'cancelled', payouts: 1 },
  ])
})

test('a batch of which all wait: each looks at its own state alone, not at all that wait', async () => {
  const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 10n } })
  await addApprovalRule(service, { account_id: other.account.account_id })
  await service.deps.reference.refresh()
  // Written last; what its transaction has fetched so far is noted.
  await service.database.owner.unsafe(`
    create table fetched (count bigint);
    create function note_fetched() returns trigger language plpgsql security definer as $$
    begin
      insert into fetched select coalesce(idx_tup_fetch, 0) + seq_tup_read
      from pg_stat_xact_user_tables where relname = 'open_payouts';
      return null;
    end $$;
    create trigger note_fetched after insert on payout_batch_items
      for each statement execute function note_fetched()`)
  const payouts = Array.from({ length: 150 }, () => localPayout)
  const { status, text } = await other.post(PATH, { payouts })
  assert.equal(status, 200, text)
  const [row] = await service.database.owner`select max(count)::integer as most from fetched`
  await service.database.owner`drop trigger note_fetched on payout_batch_items`
  await service.database.owner`drop table fetched`
  assert.ok(row?.most > 0 && row?.most <= 12 * payouts.length, `${row?.most} rows`)
})

test('a batch that needs no approval: nothing waits, and nobody can decide', async () => {
  const { pob } = await makeBatch([100])
  assert.equal((await shown(pob)).waiting, 0)
  await refusedWithoutARow(approve(ann, pob), 409, 'invalid_transition')
})

test('transfers to other accounts: paid with the approval, and both books agree', async () => {
  const other = await service.openAccount({ currencies: ['USD'] })
  const { deposit_address } = other.account
  const payouts = [1, 2, 3].map(n => internalPayout(deposit_address, n * LARGE))
  const made = await ask(eve, 'POST', PATH, { payouts })
  assert.equal(made.status, 200, made.text)
  const { json, text } = await approve(ann, made.json.data.id)
  assert.deepEqual(json.data?.payouts, [{ status: 'succeeded', payouts: 3 }], text)
  const { available } = (await other.get('/v3/balance')).json.data
  assert.deepEqual(available, [{ currency: 'USD', amount: String(6 * LARGE) }])
})

test('the same Idempotency-Key: decided once, the first answer again', async () => {
  const { pob } = await makeBatch([LARGE, LARGE])
  const { digest } = await shown(pob)
  const send = () =>
    service.inject({
      method: 'POST',
      url: `${PATH}/${pob}/approve`,
      headers: { ...ann.headers(id), 'idempotency-key': pob },
      payload: { digest },
    })
  const first = await send()
  assert.equal(first.status, 200, first.text)
  const before = await rowVersions(service.database.owner)
  const second = await send()
  assert.equal(second.text, first.text)
  assert.deepEqual(await rowVersions(service.database.owner), before)
})

test('a batch of another account, or none: 404', async () => {
  const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 6n } })
  const made = await other.post(PATH, { payouts: [localPayout] })
  for (const pob of [made.json.data.id, `pob_${'0'.repeat(20)}`]) {
    await refusedWithoutARow(approve(ann, pob, '0'.repeat(64)), 404, 'not_found')
    assertRefused(await account.get(`${PATH}/${pob}/approval`), 404, 'not_found')
  }
})

test('by the command line: shown, approved under its digest, and rejected, in the name of the person', async () => {
  const { database } = service
  const cli = await openCli(database.url, { CORRIDOR_USER: 'ann' })
  try {
    const { pob, pots } = await makeBatch([LARGE, 2 * LARGE])
    const text = await cli.run('payout', 'approval', pob)
    assert.match(text.stdout, /2 payouts wait\nUSD 3000\.00 in 2 payouts\n/)
    const { digest } = (await cli.run('payout', 'approval', pob, '--json')).json
    const wrong = await cli.run('payout', 'approve', pob, '--digest', '0'.repeat(64))
    assert.equal(wrong.code, 1)
    assert.match(wrong.stderr, /look at it again/)
    const done = await cli.run('payout', 'approve', pob, '--digest', digest)
    assert.equal(done.stdout, `${pob}  approved; 2 processing\n`, done.stderr)
    assert.deepEqual(await statusesOf(pots), ['processing', 'processing'])
    const other = await makeBatch([LARGE])
    const refused = await cli.run('payout', 'reject', other.pob, '--reason', 'Paid last week')
    assert.equal(refused.stdout, `${other.pob}  rejected; 1 failed\n`, refused.stderr)
    await assertOwnOnly(cli, pob)
  } finally {
    await cli.close()
  }
})

async function assertOwnOnly(cli: Cli, pob: string): Promise<void> {
  const none = await cli.run('payout', 'approval', `pob_${'0'.repeat(20)}`)
  assert.equal(none.code, 1)
  assert.match(none.stderr, /there is no payout batch pob_/)
  const rows = await service.database.owner<{ changed_by: string }[]>`
    select changed_by from audit_log where after ->> 'id' = ${pob} and after ? 'decision'`
  assert.deepEqual([...rows], [{ changed_by: 'ann' }])
}

test('ten people at once, approving and rejecting: one of them ends each payout', async () => {
  const { pob, pots } = await makeBatch(Array.from({ length: 100 }, () => LARGE))
  const { digest } = await shown(pob)
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => {
      const who = i % 2 === 0 ? ann : bob
      return i < 5 ? approve(who, pob, digest) : reject(who, pob)
    }),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).sort(),
    [200, 409, 409, 409, 409, 409, 409, 409, 409, 409],
    answers.map(({ text }) => text).join('\n'),
  )
  const statuses = new Set(await statusesOf(pots))
  assert.equal(statuses.size, 1)
  const decisions = await service.database.owner`
    select from approval_decisions where payout_id = any (
      select payout_id from payout_batch_items where batch_id = ${pob})`
  assert.equal(decisions.length, 100)
})
