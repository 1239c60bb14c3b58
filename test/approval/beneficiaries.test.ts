// Beneficiaries that people approve before a payout may go to them: who may, what voids it, what is
// refused until then, and what PostgreSQL and verify hold of it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { transactConfined } from '../../src/db/confine.ts'
import type { TransactionSql } from '../../src/db/connect.ts'
import { deleteAccountRole } from '../../src/user/store.ts'
import { verify } from '../../src/verify/run.ts'
import { undone, verdictIn } from '../ledger/undone.ts'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused } from '../support/assert/check.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { openCli } from '../support/service/cli.ts'
import {
  type Answer,
  addPerson,
  basic,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const PATH = '/v3/beneficiary'

type Headers = Readonly<Record<string, string>>

let service: TestService
let account: Client
let id: string
let people: PersonClient[]
let ann: PersonClient
let bob: PersonClient
/** Make and change beneficiaries, and are approvers too. */
let eve: PersonClient
let dan: PersonClient
const callers = new Map<string, Headers>()
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  id = account.account.account_id
  const person = (user: string, ...roles: ('viewer' | 'maker' | 'approver')[]) =>
    addPerson(service, { user, roles: roles.map(role => [id, role] as const) })
  ann = await person('ann', 'approver')
  bob = await person('bob', 'approver')
  eve = await person('eve', 'maker', 'approver')
  dan = await person('dan', 'maker', 'approver')
  people = [ann, bob]
  for (let i = 0; i < 18; i++) people.push(await person(`approver${i}`, 'approver'))
  const keyed = ({ key_id, secret }: Client) => ({ authorization: basic(key_id, secret) })
  callers.set('nobody', {})
  callers.set('a key that writes', keyed(account))
  await person('val', 'viewer')
  callers.set('a maker', (await person('mia', 'maker')).headers(id))
  callers.set('who made it, an approver too', eve.headers(id))
  callers.set('an approver', ann.headers(id))
  await addApprovalRule(service, { account_id: id, subject: 'beneficiary', approvers: 2 })
})
after(() => closeVerified(service))

const ask = (headers: Headers, method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) =>
  service.inject({ method, url, headers, ...(payload && { payload }) })

async function make(by: PersonClient = eve): Promise<string> {
  const made = await ask(by.headers(id), 'POST', PATH, bankBeneficiary)
  assert.equal(made.json.data.status, 'pending_approval', made.text)
  return made.json.data.id
}

const shown = async (beneficiary: string) =>
  (await account.get(`${PATH}/${beneficiary}/approval`)).json.data

async function approve(who: Headers, beneficiary: string, digest?: string): Promise<Answer> {
  const payload = { digest: digest ?? (await shown(beneficiary)).digest }
  return ask(who, 'POST', `${PATH}/${beneficiary}/approve`, payload)
}

const reject = (who: Headers, beneficiary: string) =>
  ask(who, 'POST', `${PATH}/${beneficiary}/reject`, { reason: 'Not a supplier.' })

const pay = (beneficiary: string) => {
  const { beneficiary_details: _, ...body } = localPayout
  return account.post('/v3/payout', { ...body, beneficiary, allow_duplicate: true })
}

const statusOf = async (beneficiary: string) =>
  (await account.get(`${PATH}/${beneficiary}`)).json.data.status

const NO = 'insufficient_scope'
const ANSWERS: readonly (readonly [
  string,
  readonly [number, string],
  readonly [number, string],
])[] = [
  ['nobody', [401, 'missing_credentials'], [401, 'missing_credentials']],
  ['a key that writes', [200, ''], [403, NO]],
  ['a maker', [200, ''], [403, NO]],
  ['who made it, an approver too', [200, ''], [403, 'approval_not_allowed']],
  ['an approver', [200, ''], [200, '']],
]
for (const [caller, show, decide] of ANSWERS) {
  test(`beneficiary that waits, ${caller}: shown ${show.join(' ')}, decides ${decide.join(' ')}`, async () => {
    const headers = callers.get(caller) ?? assert.fail(caller)
    const beneficiary = await make()
    const answers = [
      [await ask(headers, 'GET', `${PATH}/${beneficiary}/approval`), show],
      [await approve(headers, beneficiary), decide],
      [await reject(headers, await make()), decide],
    ] as const
    for (const [answer, [status, reason]] of answers) {
      if (status === 200) assert.equal(answer.status, 200, answer.text)
      else assertRefused(answer, status, reason)
    }
    const { given } = await shown(beneficiary)
    assert.equal(given, decide[0] === 200 ? 1 : 0)
  })
}

test('beneficiary under a rule of two: paid after the second approval, and by nobody before', async () => {
  const beneficiary = await make()
  assertRefused(await pay(beneficiary), 422, 'beneficiary_not_approved')
  assert.equal((await approve(ann.headers(id), beneficiary)).json.data.status, 'pending_approval')
  assertRefused(await approve(ann.headers(id), beneficiary), 409, 'already_decided')
  assertRefused(await pay(beneficiary), 422, 'beneficiary_not_approved')
  const listed = await account.get(`${PATH}?status=pending_approval&limit=1`)
  assert.equal(listed.json.data.results[0].id, beneficiary)
  assert.equal((await approve(bob.headers(id), beneficiary)).json.data.status, 'active')
  assert.equal((await pay(beneficiary)).status, 200)
  assertRefused(await approve(people[2]?.headers(id) ?? {}, beneficiary), 409, 'invalid_transition')
  const { decisions, status, made_by } = await shown(beneficiary)
  assert.deepEqual([status, made_by], ['approved', ['eve']])
  assert.deepEqual(
    decisions.map(({ user }: { user: string }) => user),
    ['ann', 'bob'],
  )
})

test('beneficiary made by a person who is called null: approved by two others, and not by its maker', async () => {
  const roles = [[id, 'maker'] as const, [id, 'approver'] as const]
  const maker = await addPerson(service, { user: 'null', roles })
  const beneficiary = await make(maker)
  assert.deepEqual((await shown(beneficiary)).made_by, ['null'])
  assertRefused(await approve(maker.headers(id), beneficiary), 403, 'approval_not_allowed')
  assert.equal((await approve(ann.headers(id), beneficiary)).status, 200)
  assert.equal((await approve(bob.headers(id), beneficiary)).json.data.status, 'active')
})

test('payout that brings its payee along, beneficiaries are approved first: 422, nothing is made', async () => {
  const before = await account.get('/v3/balance')
  const answer = await account.post('/v3/payout', localPayout)
  assertRefused(answer, 422, 'beneficiary_not_approved')
  assert.equal((await account.get('/v3/balance')).text, before.text)
})

test('beneficiary that is changed, while it waits: approvals before are void, and each who changed it is its maker', async () => {
  const beneficiary = await make()
  const { digest } = await shown(beneficiary)
  assert.equal((await approve(ann.headers(id), beneficiary)).status, 200)
  const url = `${PATH}/${beneficiary}`
  assert.equal((await ask(dan.headers(id), 'PUT', url, { email: 'a@b.example' })).status, 200)
  assert.deepEqual((await shown(beneficiary)).made_by, ['eve', 'dan'])
  assert.equal((await shown(beneficiary)).given, 0)
  assertRefused(await approve(ann.headers(id), beneficiary, digest), 409, 'approval_outdated')
  assertRefused(await approve(dan.headers(id), beneficiary), 403, 'approval_not_allowed')
  assert.equal((await approve(ann.headers(id), beneficiary)).status, 200)
  assert.equal(
    (await approve(people[2]?.headers(id) ?? {}, beneficiary)).json.data.status,
    'active',
  )
})

test('beneficiary, changed and sent again as it is in one batch: asked for, and the change has its maker', async () => {
  const beneficiary = await make(dan)
  for (const person of [ann, bob]) await approve(person.headers(id), beneficiary)
  const url = `${PATH}/${beneficiary}`
  const bank = { ...bankBeneficiary.destination_details.bank, account_number: '555555555555' }
  const changed = { destination_details: { type: 'bank', bank } }
  // The first command of a lane goes alone, and those that come meanwhile go together.
  const answers = await Promise.all(
    [await make(), beneficiary, beneficiary].map(one =>
      ask(eve.headers(id), 'PUT', `${PATH}/${one}`, changed),
    ),
  )
  for (const { json } of answers) assert.equal(json.data.status, 'pending_approval')
  assert.deepEqual((await shown(beneficiary)).made_by, ['eve'])
  await ask(dan.headers(id), 'PUT', url, { email: 'dan@example.com' })
  assert.deepEqual((await shown(beneficiary)).made_by, ['eve', 'dan'])
  assertRefused(await approve(eve.headers(id), beneficiary), 403, 'approval_not_allowed')
})

test('beneficiary, changed 60 times to and fro in one batch: each is written, and the last is asked for', async () => {
  const beneficiary = await make()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      ask((i === 58 ? dan : eve).headers(id), 'PUT', `${PATH}/${beneficiary}`, {
        email: `${['a', 'b', 'c'][i % 3]}@example.com`,
      }),
    ),
  )
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.deepEqual((await shown(beneficiary)).made_by, ['eve', 'dan'])
  assert.equal((await approve(ann.headers(id), beneficiary)).status, 200)
})

test('beneficiary that is approved, another account number: waits again, and the old payouts go on', async () => {
  const beneficiary = await make()
  for (const person of [ann, bob]) await approve(person.headers(id), beneficiary)
  const paid = await pay(beneficiary)
  assert.equal(paid.status, 200, paid.text)
  const bank = { ...bankBeneficiary.destination_details.bank, account_number: '999999999999' }
  const changed = { destination_details: { type: 'bank', bank } }
  const put = await ask(eve.headers(id), 'PUT', `${PATH}/${beneficiary}`, changed)
  assert.equal(put.json.data.status, 'pending_approval')
  assertRefused(await pay(beneficiary), 422, 'beneficiary_not_approved')
  const old = (await account.get(`/v3/payout/${paid.json.data.id}`)).json.data
  assert.equal(old.beneficiary_details.destination_details.bank.account_number, '123456789012')
})

test('beneficiary that is rejected: not paid; changed without a rule by then, it waits still', async () => {
  const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  const other_id = other.account.account_id
  const zoe = await addPerson(service, { user: 'zoe', roles: [[other_id, 'approver']] })
  const rule = { account_id: other_id, subject: 'beneficiary' } as const
  const remove = await addApprovalRule(service, rule)
  const made = (await other.post(PATH, bankBeneficiary)).json.data
  const url = `${PATH}/${made.id}`
  const rejected = await ask(zoe.headers(other_id), 'POST', `${url}/reject`, { reason: 'No.' })
  assert.equal(rejected.json.data.status, 'rejected')
  const { beneficiary_details: _, ...body } = localPayout
  const payout = { ...body, beneficiary: made.id }
  assertRefused(await other.post('/v3/payout', payout), 422, 'beneficiary_not_approved')
  await remove()
  const put = await other.put(url, { email: 'other@example.com' })
  assert.equal(put.json.data.status, 'pending_approval', put.text)
  // One that was made without a rule needs none, and a rule that comes later asks at its next change.
  const free = (await other.post(PATH, bankBeneficiary)).json.data
  assert.equal(free.status, 'active')
  await addApprovalRule(service, rule)
  assert.equal((await other.post('/v3/payout', { ...body, beneficiary: free.id })).status, 200)
  const later = await other.put(`${PATH}/${free.id}`, { name: 'Other Ltd' })
  assert.equal(later.json.data.status, 'pending_approval')
})

test('rule of one country: beneficiaries elsewhere are active, and payees brought along go there', async () => {
  const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  const rule = { account_id: other.account.account_id, subject: 'beneficiary' } as const
  await addApprovalRule(service, { ...rule, country: 'DE' })
  assert.equal((await other.post(PATH, bankBeneficiary)).json.data.status, 'active')
  const paid = await other.post('/v3/payout', localPayout)
  assert.equal(paid.status, 200, paid.text)
  const bank = { iban: 'DE89370400440532013000' }
  const german = { ...bankBeneficiary, destination_details: { type: 'bank', bank } }
  assert.equal((await other.post(PATH, german)).json.data.status, 'pending_approval')
})

test('nobody approves in time: decisions are refused, and a change asks anew', async () => {
  const other = await service.openAccount({ currencies: ['USD'] })
  const other_id = other.account.account_id
  const yan = await addPerson(service, { user: 'yan', roles: [[other_id, 'approver']] })
  const rule = { account_id: other_id, subject: 'beneficiary', expires_after_days: 1 } as const
  await addApprovalRule(service, rule)
  const made = (await other.post(PATH, bankBeneficiary)).json.data
  const decide = async () => {
    const { digest } = (await other.get(`${PATH}/${made.id}/approval`)).json.data
    const url = `${PATH}/${made.id}/approve`
    return ask(yan.headers(other_id), 'POST', url, { digest })
  }
  await other.post('/v3/sandbox/clock/advance', { seconds: 86_400 })
  assertRefused(await decide(), 409, 'invalid_transition')
  await other.put(`${PATH}/${made.id}`, { email: 'again@example.com' })
  assert.equal((await decide()).json.data.status, 'active')
})

test('20 approvers at once: two approve, each other one is refused, and one event tells of the end', async () => {
  const beneficiary = await make()
  const { digest } = await shown(beneficiary)
  const answers = await Promise.all(
    people.map(person => approve(person.headers(id), beneficiary, digest)),
  )
  const reasons = answers.map(({ status, json }) => (status === 200 ? 'ok' : json.errors[0].reason))
  const counted = Object.fromEntries(
    Map.groupBy(reasons, reason => reason)
      .entries()
      .map(([reason, all]) => [reason, all.length]),
  )
  assert.deepEqual(counted, { ok: 2, invalid_transition: 18 })
  const events = await account.get(`/v3/event?object_id=${beneficiary}`)
  assert.deepEqual(events.json.data.results.map(({ type }: { type: string }) => type).sort(), [
    'beneficiary.approved',
    'beneficiary.approved',
    'beneficiary.created',
    'beneficiary.pending_approval',
  ])
})

test('approver who loses the role before the last approval: counted no more', async () => {
  const beneficiary = await make()
  const ian = await addPerson(service, { user: 'ian', roles: [[id, 'approver']] })
  assert.equal((await approve(ian.headers(id), beneficiary)).status, 200)
  await deleteAccountRole(service.deps.sql, { account_id: id, user_name: 'ian', role: 'approver' })
  assert.equal((await approve(ann.headers(id), beneficiary)).json.data.status, 'pending_approval')
  assert.equal((await approve(bob.headers(id), beneficiary)).json.data.status, 'active')
})

test('corridor beneficiary approve with an empty digest, as of an unset variable: refused', async () => {
  const beneficiary = await make()
  await addPerson(service, { user: 'olga', role: 'operator', roles: [[id, 'approver']] })
  const cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  const ran = await cli.run('beneficiary', 'approve', beneficiary, '--digest', '')
  await cli.close()
  assert.equal(ran.code, 1, ran.stdout)
  assert.match(ran.stderr, /digest/)
  assert.equal((await shown(beneficiary)).given, 0)
})

test('decision, in the audit log: who, on which beneficiary, with which digest', async () => {
  const beneficiary = await make()
  const { digest } = await shown(beneficiary)
  await approve(ann.headers(id), beneficiary, digest)
  const rows = await service.database.owner`
    select changed_by, act, after from audit_log where table_name = 'beneficiary_approvals'
      and after ->> 'id' = ${beneficiary}`
  assert.deepEqual(
    rows.map(row => ({ ...row })),
    [
      {
        changed_by: 'ann',
        act: 'beneficiary approve',
        after: {
          ...{ id: beneficiary, account_id: id, status: 'pending_approval' },
          ...{ decision: 'approve', digest },
        },
      },
    ],
  )
})

const asService = (work: (tx: TransactionSql) => PromiseLike<unknown>) =>
  transactConfined(service.deps.sql, [id], async tx => void (await work(tx)))

const asOwner = (work: (tx: TransactionSql) => PromiseLike<unknown>) =>
  service.database.owner.begin(async tx => {
    await tx`set local corridor.maintenance = on`
    await work(tx)
  })

type Statement = (tx: TransactionSql, beneficiary: string) => PromiseLike<unknown>

const decision = (tx: TransactionSql, beneficiary: string, user: string) => tx`
  insert into beneficiary_decisions
    (decided_at, account_id, beneficiary_id, user_name, decision, digest, reason)
  select clock_timestamp(), account_id, beneficiary_id, ${user}, 'approve', digest, ''
  from beneficiary_approvals where beneficiary_id = ${beneficiary}`

const LETS_GO: readonly (readonly [what: string, statement: Statement, why: RegExp])[] = [
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
      from payouts p where p.account_id = ${id} limit 1`,
    /is not approved/,
  ],
  [
    'fewer people are to approve it',
    (tx, b) => tx`update beneficiary_approvals set approvers = 1 where beneficiary_id = ${b}`,
    /stays as it is|permission denied/,
  ],
]
for (const [what, statement, why] of LETS_GO) {
  test(`beneficiary that waits, ${what}: refused to service and owner`, async () => {
    const beneficiary = await make()
    await assert.rejects(
      asService(tx => statement(tx, beneficiary)),
      why,
    )
    await assert.rejects(
      asOwner(tx => statement(tx, beneficiary)),
      why,
    )
    assert.equal(await statusOf(beneficiary), 'pending_approval')
  })
}

test('beneficiary that nobody was asked about, under a rule: PostgreSQL refuses it', async () => {
  const insert = (tx: TransactionSql) => tx`
    insert into beneficiaries (created_at, updated_at, account_id, id, details)
    values (now(), now(), ${id}, 'bnf_x',
      ${JSON.stringify(bankBeneficiary)}::text::json)`
  await assert.rejects(asService(insert), /a rule asks/)
  await assert.rejects(asOwner(insert), /a rule asks/)
})

test('beneficiary that waits without an approval, when its transaction ends: PostgreSQL refuses it', async () => {
  const insert = (tx: TransactionSql) => tx`
    insert into beneficiaries (created_at, updated_at, account_id, id, details, approval)
    values (now(), now(), ${id}, 'bnf_x',
      ${JSON.stringify(bankBeneficiary)}::text::json, 'pending_approval')`
  await assert.rejects(asService(insert), /nobody was asked to approve beneficiary bnf_x/)
  await assert.rejects(asOwner(insert), /nobody was asked to approve beneficiary bnf_x/)
  const beneficiary = await make()
  const change = (tx: TransactionSql) => tx`
    update beneficiaries set updated_at = updated_at + interval '1 second'
    where id = ${beneficiary}`
  await assert.rejects(asService(change), /nobody was asked/)
  await assert.rejects(asOwner(change), /nobody was asked/)
})

test('beneficiary that is erased, approved or not: verify names another approval than it had', async () => {
  const approved = await make()
  for (const person of [ann, bob]) await approve(person.headers(id), approved)
  const waiting = await make()
  const cli = await openCli(service.database.url, { CORRIDOR_USER: 'first' })
  for (const beneficiary of [approved, waiting]) {
    const { code, stderr } = await cli.run('privacy', 'erase', beneficiary, '--reason', 'Request 7')
    assert.equal(code, 0, stderr)
  }
  await cli.close()
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

test('beneficiary changed past the triggers after its approval: verify names it', async () => {
  const beneficiary = await make()
  for (const person of [ann, bob]) await approve(person.headers(id), beneficiary)
  const alter = async (from: string, to: string) =>
    asOwner(async tx => {
      await tx`alter table beneficiaries disable trigger user`
      await tx`update beneficiaries set details = replace(details::text, ${from}, ${to})::json
        where id = ${beneficiary}`
      await tx`alter table beneficiaries enable trigger user`
    })
  await alter('123456789012', '123456789099')
  const verdict = await verify(service.database.owner, { account_id: id, all: true })
  await alter('123456789099', '123456789012')
  const named = verdict.ok ? [] : verdict.problems.map(({ table, key }) => `${table} ${key}`)
  assert.ok(named.includes(`beneficiaries ${beneficiary}`), named.join('\n'))
})
