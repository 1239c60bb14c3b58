// Beneficiaries that people approve before a payout may go to them: who may, what voids it, what is
// refused until then, and what PostgreSQL and verify hold of it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deleteAccountRole } from '../../src/accounts/user/store.ts'
import type { TransactionSql } from '../../src/sql/connect.ts'
import { verify } from '../../src/verify/run.ts'
import { closeVerified, problemsBesidesActs } from '../support/assert/books.ts'
import { assertRefused } from '../support/assert/check.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import {
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { type Caller, pathOf, type Statement, Team } from './team.ts'

const PATH = '/v3/beneficiary'

let service: TestService
let team: Team
let people: PersonClient[]
let ann: PersonClient
let bob: PersonClient
/** Make and change beneficiaries, and are approvers too. */
let eve: PersonClient
let dan: PersonClient
before(async () => {
  service = await startTestService()
  team = await openTeam()
  const others = Array.from({ length: 18 }, (_, i) => `approver${i}`)
  people = await team.approvers(['ann', 'bob', ...others])
  ;[ann, bob] = people as [PersonClient, PersonClient]
  eve = await team.person('eve', 'maker', 'approver')
  dan = await team.person('dan', 'maker', 'approver')
  await team.person('val', 'viewer')
  await team.addRule({ subject: 'beneficiary', approvers: 2 })
})
after(() => closeVerified(service))

async function openTeam(): Promise<Team> {
  const fund = { USD: 100_000_000n }
  return new Team(service, await service.openAccount({ currencies: ['USD'], fund }))
}

async function make(by: Caller = eve): Promise<string> {
  const made = await team.ask(by, 'POST', PATH, bankBeneficiary)
  assert.equal(made.json.data.status, 'pending_approval', made.text)
  return made.json.data.id
}

async function makeApproved(by: Caller = eve): Promise<string> {
  const beneficiary = await make(by)
  for (const person of [ann, bob]) await team.approve(person, beneficiary)
  return beneficiary
}

const put = (who: Caller, beneficiary: string, body: object) =>
  team.ask(who, 'PUT', pathOf(beneficiary), body)

/** A beneficiary's account with this number. */
function numbered(account_number: string) {
  const bank = { ...bankBeneficiary.destination_details.bank, account_number }
  return { destination_details: { type: 'bank', bank } }
}

function pay(beneficiary: string, { account } = team) {
  const { beneficiary_details: _, ...body } = localPayout
  return account.post('/v3/payout', { ...body, beneficiary })
}

test('beneficiary awaiting approval, its maker who is also an approver: cannot approve or reject, under any user name', async () => {
  const null_ = await team.person('null', 'maker', 'approver')
  for (const maker of [eve, null_]) {
    const beneficiary = await make(maker)
    assert.deepEqual((await team.shown(beneficiary)).made_by, [maker.user])
    assertRefused(await team.approve(maker, beneficiary), 403, 'approval_not_allowed')
    assertRefused(await team.reject(maker, beneficiary), 403, 'approval_not_allowed')
    assert.equal((await team.shown(beneficiary)).given, 0)
  }
})

test('beneficiary that two people must approve: payable only after the second approval', async () => {
  const balance = async () => (await team.account.get('/v3/balance')).text
  const before = await balance()
  const beneficiary = await make()
  assertRefused(await pay(beneficiary), 422, 'beneficiary_not_approved')
  const brought = await team.account.post('/v3/payout', localPayout)
  assertRefused(brought, 422, 'beneficiary_not_approved')
  assert.equal(await balance(), before)
  const ian = await team.person('ian', 'approver')
  assert.equal((await team.approve(ian, beneficiary)).status, 200)
  const given = { account_id: team.id, user_name: 'ian', role: 'approver' } as const
  await deleteAccountRole(service.deps.sql, given)
  const { digest } = await team.shown(beneficiary)
  const first = await team.approve(ann, beneficiary)
  assert.equal(first.json.data.status, 'pending_approval', 'ian is counted no more')
  assertRefused(await team.approve(ann, beneficiary), 409, 'already_decided')
  assertRefused(await pay(beneficiary), 422, 'beneficiary_not_approved')
  const listed = await team.account.get(`${PATH}?status=pending_approval&limit=1`)
  assert.equal(listed.json.data.results[0].id, beneficiary)
  const active = () => team.account.get(`${PATH}?status=active&limit=100`)
  const isListed = async () =>
    (await active()).json.data.results.some(({ id }: { id: string }) => id === beneficiary)
  assert.equal(await isListed(), false)
  assert.equal((await team.approve(bob, beneficiary)).json.data.status, 'active')
  assert.equal(await isListed(), true)
  assert.equal((await pay(beneficiary)).status, 200)
  assertRefused(await team.approve(dan, beneficiary), 409, 'invalid_transition')
  const { decisions, status, made_by } = await team.shown(beneficiary)
  assert.deepEqual([status, made_by], ['approved', ['eve']])
  const users = decisions.map(({ user }: { user: string }) => user)
  assert.deepEqual(users, ['ian', 'ann', 'bob'])
  const acts = await service.database.owner<{ changed_by: string; act: string; after: object }[]>`
    select changed_by, act, after from audit_log where table_name = 'beneficiary_approvals'
      and after ->> 'id' = ${beneficiary} and changed_by = 'ann'`
  const decided = { status: 'pending_approval', decision: 'approve', digest }
  const after = { id: beneficiary, account_id: team.id, ...decided }
  assert.deepEqual(
    acts.map(row => ({ ...row })),
    [{ changed_by: 'ann', act: 'beneficiary approve', after }],
  )
})

test('beneficiary awaiting approval, changed: earlier approvals void, each editor counts as a maker', async () => {
  const beneficiary = await make()
  const { digest } = await team.shown(beneficiary)
  assert.equal((await team.approve(ann, beneficiary)).status, 200)
  assert.equal((await put(dan, beneficiary, { email: 'a@b.example' })).status, 200)
  const { made_by, given } = await team.shown(beneficiary)
  assert.deepEqual([made_by, given], [['eve', 'dan'], 0])
  assertRefused(await team.approve(ann, beneficiary, { digest }), 409, 'approval_outdated')
  assertRefused(await team.approve(dan, beneficiary), 403, 'approval_not_allowed')
  assert.equal((await team.approve(ann, beneficiary)).json.data.status, 'pending_approval')
  assert.equal((await team.approve(bob, beneficiary)).json.data.status, 'active')
})

test('beneficiary changed by one person, same values sent by another in the same batch: needs approval, only the first is its maker', async () => {
  const beneficiary = await makeApproved(dan)
  // The first command of a lane goes alone, and those that come meanwhile go together.
  const asked = [await make(), beneficiary, beneficiary].map(one =>
    put(eve, one, numbered('555555555555')),
  )
  for (const { json } of await Promise.all(asked)) {
    assert.equal(json.data.status, 'pending_approval')
  }
  assert.deepEqual((await team.shown(beneficiary)).made_by, ['eve'])
  await put(dan, beneficiary, { email: 'dan@example.com' })
  assert.deepEqual((await team.shown(beneficiary)).made_by, ['eve', 'dan'])
  assertRefused(await team.approve(eve, beneficiary), 403, 'approval_not_allowed')
})

test('beneficiary changed 60 times in one batch: each change written, the last one needs approval', async () => {
  const beneficiary = await make()
  const asked = Array.from({ length: 60 }, (_, i) => {
    const email = `${['a', 'b', 'c'][i % 3]}@example.com`
    return put(i === 58 ? dan : eve, beneficiary, { email })
  })
  const answers = await Promise.all(asked)
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.deepEqual((await team.shown(beneficiary)).made_by, ['eve', 'dan'])
  assert.equal((await team.approve(ann, beneficiary)).status, 200)
})

test('approved beneficiary, new account number: awaits approval again, its earlier payouts proceed', async () => {
  const beneficiary = await makeApproved()
  const paid = await pay(beneficiary)
  assert.equal(paid.status, 200, paid.text)
  const changed = await put(eve, beneficiary, numbered('999999999999'))
  assert.equal(changed.json.data.status, 'pending_approval')
  assertRefused(await pay(beneficiary), 422, 'beneficiary_not_approved')
  const { beneficiary_details } = await team.read(paid.json.data.id)
  assert.equal(beneficiary_details.destination_details.bank.account_number, '123456789012')
})

test('rejected beneficiary: not payable; changed after the rule was removed: still awaits approval', async () => {
  const other = await openTeam()
  const zoe = await other.person('zoe', 'approver')
  const remove = await other.addRule({ subject: 'beneficiary' })
  const made = (await other.account.post(PATH, bankBeneficiary)).json.data
  assert.equal((await other.reject(zoe, made.id)).json.data.status, 'rejected')
  assertRefused(await pay(made.id, other), 422, 'beneficiary_not_approved')
  await remove()
  const changed = await other.account.put(pathOf(made.id), { email: 'other@example.com' })
  assert.equal(changed.json.data.status, 'pending_approval', changed.text)
  // One that was made without a rule needs none, and a rule that comes later asks at its next change.
  const free = (await other.account.post(PATH, bankBeneficiary)).json.data
  assert.equal(free.status, 'active')
  await other.addRule({ subject: 'beneficiary' })
  assert.equal((await pay(free.id, other)).status, 200)
  const later = await other.account.put(pathOf(free.id), { name: 'Other Ltd' })
  assert.equal(later.json.data.status, 'pending_approval')
})

test('approval rule for one country, beneficiaries in other countries: active; inline payees there are paid', async () => {
  const other = await openTeam()
  await other.addRule({ subject: 'beneficiary', country: 'DE' })
  assert.equal((await other.account.post(PATH, bankBeneficiary)).json.data.status, 'active')
  const paid = await other.account.post('/v3/payout', localPayout)
  assert.equal(paid.status, 200, paid.text)
  const bank = { iban: 'DE89370400440532013000' }
  const german = { ...bankBeneficiary, destination_details: { type: 'bank', bank } }
  assert.equal((await other.account.post(PATH, german)).json.data.status, 'pending_approval')
})

test("beneficiary's approval expired: decisions refused, a change starts a new approval", async () => {
  const other = await openTeam()
  const yan = await other.person('yan', 'approver')
  await other.addRule({ subject: 'beneficiary', expires_after_days: 1 })
  const { id } = (await other.account.post(PATH, bankBeneficiary)).json.data
  await other.account.post('/v3/sandbox/clock/advance', { seconds: 86_400 })
  assertRefused(await other.approve(yan, id), 409, 'invalid_transition')
  await other.account.put(pathOf(id), { email: 'again@example.com' })
  assert.equal((await other.approve(yan, id)).json.data.status, 'active')
})

test('20 approvers in parallel, two must approve: two approve, the others are refused, one final event', async () => {
  const beneficiary = await make()
  const { digest } = await team.shown(beneficiary)
  const answers = await Promise.all(
    people.map(person => team.approve(person, beneficiary, { digest })),
  )
  const reasons = answers.map(({ status, json }) => (status === 200 ? 'ok' : json.errors[0].reason))
  assert.deepEqual(reasons.sort(), [...Array(18).fill('invalid_transition'), 'ok', 'ok'])
  assert.deepEqual((await team.eventsOf(beneficiary)).sort(), [
    'beneficiary.approved',
    'beneficiary.approved',
    'beneficiary.created',
    'beneficiary.pending_approval',
  ])
})

const decision = (tx: TransactionSql, beneficiary: string, user: string) => tx`
  insert into beneficiary_decisions
    (decided_at, account_id, beneficiary_id, user_name, decision, digest, reason)
  select clock_timestamp(), account_id, beneficiary_id, ${user}, 'approve', digest, ''
  from beneficiary_approvals where beneficiary_id = ${beneficiary}`

const insert =
  (approval: string): Statement =>
  tx =>
    tx`
    insert into beneficiaries (made_by, created_at, updated_at, account_id, id, details, approval)
    values ('key_1', now(), now(), ${team.id}, 'bnf_x', ${JSON.stringify(bankBeneficiary)}::text::json,
      ${approval})`

const LETS_GO: readonly (readonly [
  what: string,
  statement: (tx: TransactionSql, beneficiary: string) => PromiseLike<unknown>,
  why: RegExp,
])[] = [
  [
    'it is said to be approved',
    (tx, b) => tx`update beneficiaries set approval = 'approved' where id = ${b}`,
    /nobody has said/,
  ],
  [
    'it is said to need nothing',
    (tx, b) => tx`update beneficiaries set approval = '' where id = ${b}`,
    /nobody has said/,
  ],
  [
    'its approval is said to be complete',
    (tx, b) => tx`
      update beneficiary_approvals set outcome = 'approved', ended_at = clock_timestamp()
      where beneficiary_id = ${b}`,
    /has 0 of 2 approvals/,
  ],
  ['its maker approves', (tx, b) => decision(tx, b, 'eve'), /eve has made beneficiary/],
  ['who is no approver approves', (tx, b) => decision(tx, b, 'val'), /val is no approver/],
  [
    'a payout goes to it',
    (tx, b) => tx`
      insert into payouts select (jsonb_populate_record(p, jsonb_build_object(
        'id', left(p.id, -1) || case right(p.id, 1) when 'z' then 'y' else 'z' end,
        'beneficiary_id', ${b}::text))).*
      from payouts p where p.account_id = ${team.id} limit 1`,
    /is not approved/,
  ],
  [
    'fewer people are to approve it',
    (tx, b) => tx`update beneficiary_approvals set approvers = 1 where beneficiary_id = ${b}`,
    /stays as it is|permission denied/,
  ],
  [
    'it is changed, and nobody is asked',
    (tx, b) => tx`
      update beneficiaries set updated_at = updated_at + interval '1 second' where id = ${b}`,
    /nobody was asked/,
  ],
  ['another is made that nobody was asked about', insert(''), /a rule asks/],
  [
    'another is made that waits, without an approval when its transaction ends',
    insert('pending_approval'),
    /nobody was asked to approve beneficiary bnf_x/,
  ],
]

test('PostgreSQL, beneficiary awaiting approval, SQL that activates or pays it: refused for service and owner', async () => {
  const beneficiary = await make()
  for (const [what, statement, why] of LETS_GO) {
    await team.assertRefusesBoth(what, tx => statement(tx, beneficiary), why)
  }
  assert.equal(await team.statusOf(beneficiary), 'pending_approval')
})

test('corridor verify, erased beneficiary whose approval was changed by SQL: named', async t => {
  const approved = await makeApproved()
  const waiting = await make()
  const cli = await openCli(service.database.url, { CORRIDOR_USER: 'first' })
  t.after(cli.close)
  for (const beneficiary of [approved, waiting]) {
    const { code, stderr } = await cli.run('privacy', 'erase', beneficiary, '--reason', 'Request 7')
    assert.equal(code, 0, stderr)
  }
  const named = await undone(service.database.owner, async tx => {
    await tx`alter table beneficiaries disable trigger user`
    const verdict = () => verdictIn(tx, true).then(made => (made.ok ? [] : made.problems))
    assert.deepEqual(await verdict(), [])
    await tx`update beneficiaries set approval = '' where id = ${approved}`
    await tx`update beneficiaries set approval = 'approved' where id = ${waiting}`
    return verdict()
  })
  assert.deepEqual(named.map(({ key }) => key).toSorted(), [approved, waiting].toSorted())
})

test('corridor verify, approved beneficiary changed by SQL without triggers: named', async () => {
  const beneficiary = await makeApproved()
  const alter = async (from: string, to: string) =>
    team.asOwner(async tx => {
      await tx`alter table beneficiaries disable trigger user`
      await tx`update beneficiaries set details = replace(details::text, ${from}, ${to})::json
        where id = ${beneficiary}`
      await tx`alter table beneficiaries enable trigger user`
    })
  await alter('123456789012', '123456789099')
  const verdict = await verify(service.database.owner, { account_id: team.id, all: true })
  await alter('123456789099', '123456789012')
  const named = problemsBesidesActs(verdict).map(({ table, key }) => `${table} ${key}`)
  assert.ok(named.includes(`beneficiaries ${beneficiary}`), named.join('\n'))
})
