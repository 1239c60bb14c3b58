// What PostgreSQL holds of approvals, whatever code does: statements of the service's role and of the
// owner that would let a payout go, or count an approval, that nobody has given.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { transactConfined } from '../../src/db/confine.ts'
import type { TransactionSql } from '../../src/db/connect.ts'
import { Refusal } from '../../src/errors.ts'
import { verify } from '../../src/verify/run.ts'
import { localPayout } from '../support/given/bodies.ts'
import { addApprovalRule, approve, digestOf } from '../support/service/approvals.ts'
import {
  addPerson,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

let service: TestService
let account: Client
let id: string
let ann: PersonClient
let bob: PersonClient
/** Has made each payout, and is an approver. */
let eve: PersonClient
/** A payout that needs two approvals. */
let payout: string
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  id = account.account.account_id
  ann = await addPerson(service, { user: 'ann', roles: [[id, 'approver']] })
  bob = await addPerson(service, { user: 'bob', roles: [[id, 'approver']] })
  const both = [
    [id, 'approver'],
    [id, 'maker'],
  ] as const
  eve = await addPerson(service, { user: 'eve', roles: both })
  await addPerson(service, { user: 'val', roles: [[id, 'viewer']] })
  await addApprovalRule(service, { account_id: id, approvers: 2 })
})
beforeEach(async () => {
  const made = await service.inject({
    method: 'POST',
    url: '/v3/payout',
    headers: eve.headers(id),
    payload: { ...localPayout, amount: 1000 },
  })
  assert.equal(made.json.data.status, 'pending_approval', made.text)
  payout = made.json.data.id
})
after(() => service.close())

const asService = (work: (tx: TransactionSql) => PromiseLike<unknown>) =>
  transactConfined(service.deps.sql, [id], async tx => void (await work(tx)))

const asOwner = (work: (tx: TransactionSql) => PromiseLike<unknown>) =>
  service.database.owner.begin(async tx => {
    await tx`set local corridor.maintenance = on`
    await work(tx)
  })

type Statement = (tx: TransactionSql) => PromiseLike<unknown>

const decision = (tx: TransactionSql, user: string, digest: string, what = 'approve') => tx`
  insert into approval_decisions
    (decided_at, account_id, payout_id, user_name, decision, digest, reason)
  values (clock_timestamp(), ${id}, ${payout}, ${user}, ${what}, decode(${digest}, 'hex'), '')`

const LETS_GO: readonly (readonly [what: string, statement: Statement, why: RegExp])[] = [
  [
    'its status is written',
    tx => tx`update open_payouts set status = 'processing' where id = ${payout}`,
    /is not approved/,
  ],
  [
    'it is held in its place',
    tx => tx`update open_payouts set status = 'compliance_hold' where id = ${payout}`,
    /is not approved/,
  ],
  [
    'its rail is to be asked',
    tx => tx`update open_payouts set ask_rail_at = now() where id = ${payout}`,
    /approved_before_it_is_sent/,
  ],
  [
    'a person takes it',
    tx => tx`
      update open_payouts set taken_by = 'ann', taken_at = now() where id = ${payout}`,
    /approved_before_it_is_sent|taken_by_hand/,
  ],
  [
    'a rail gets an attempt',
    tx => tx`
      insert into payout_attempts (account_id, payout_id, number, opened_at, asked_at, rail, uetr)
      values (${id}, ${payout}, 1, now(), now(), 'bank', gen_random_uuid()::text)`,
    /is not approved/,
  ],
  ['it is forgotten', tx => tx`delete from open_payouts where id = ${payout}`, /is not approved/],
  [
    'its approval is said to be complete',
    tx => tx`
      update payout_approvals set outcome = 'approved', ended_at = clock_timestamp()
      where payout_id = ${payout}`,
    /has 0 of 2 approvals/,
  ],
  [
    'its approval is said to have expired',
    tx => tx`
      update payout_approvals set outcome = 'expired', ended_at = clock_timestamp()
      where payout_id = ${payout}`,
    /is not expired/,
  ],
  [
    'its maker approves',
    async tx => decision(tx, 'eve', await digestOf(service, payout)),
    /eve has made payout/,
  ],
  [
    'somebody approves who is no approver',
    async tx => decision(tx, 'val', await digestOf(service, payout)),
    /val is no approver/,
  ],
  [
    'something else is approved',
    tx => decision(tx, 'ann', '0'.repeat(64)),
    /is not as it was shown/,
  ],
]

for (const [what, statement, why] of LETS_GO) {
  test(`a payout that waits, ${what}: refused to service and owner`, async () => {
    await assert.rejects(asService(statement), why)
    await assert.rejects(asOwner(statement), why)
    const { status } = (await account.get(`/v3/payout/${payout}`)).json.data
    assert.equal(status, 'pending_approval')
  })
}

const REWRITES: readonly (readonly [what: string, statement: Statement])[] = [
  [
    'fewer approvers',
    tx => tx`update payout_approvals set approvers = 1 where payout_id = ${payout}`,
  ],
  [
    'another digest',
    tx => tx`update payout_approvals set digest = sha256('') where payout_id = ${payout}`,
  ],
  ['another maker', tx => tx`update payout_approvals set made_by = '' where payout_id = ${payout}`],
  [
    'later',
    tx =>
      tx`update payout_approvals set expires_at = now() + interval '1 year' where payout_id = ${payout}`,
  ],
  ['gone', tx => tx`delete from payout_approvals where payout_id = ${payout}`],
  [
    'decisions changed',
    tx => tx`update approval_decisions set user_name = 'bob' where payout_id = ${payout}`,
  ],
  ['decisions gone', tx => tx`delete from approval_decisions where payout_id = ${payout}`],
]

for (const [what, statement] of REWRITES) {
  test(`what a payout needs, ${what}: refused to service and owner`, async () => {
    await approve(service, { account_id: id, payout_id: payout, user: ann.user })
    await assert.rejects(asService(statement))
    await assert.rejects(asOwner(statement))
  })
}

test('a payout that waits without an approval, when its transaction ends: refused to service and owner', async () => {
  const insert = (tx: TransactionSql) => tx`
    insert into open_payouts select (jsonb_populate_record(o, jsonb_build_object(
      'id', left(o.id, -1) || case right(o.id, 1) when 'z' then 'y' else 'z' end))).*
    from open_payouts o where o.id = ${payout}`
  await assert.rejects(asService(insert), /nobody was asked to approve payout/)
  await assert.rejects(asOwner(insert), /nobody was asked to approve payout/)
})

const COUNTRYLESS = JSON.stringify({
  ...localPayout.beneficiary_details,
  destination_details: { type: 'bank', bank: { account_number: '12345678' } },
})

test('a payout that a rule fits and that does not wait: refused to service and owner, also where nobody knows its country', async () => {
  const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  const of = other.account.account_id
  const made = (await other.post('/v3/payout', localPayout)).json.data.id
  const copy = (details: string | null) => (tx: TransactionSql) =>
    tx`
    insert into payouts select (jsonb_populate_record(p, jsonb_build_object(
      'id', left(p.id, -1) || case right(p.id, 1) when 'z' then 'y' else 'z' end,
      'destination_country', case when ${details}::text is null then p.destination_country else '' end,
      'beneficiary_details', coalesce(${details}::text::jsonb, p.beneficiary_details::jsonb)))).*
    from payouts p where p.account_id = ${of} and p.id = ${made}`
  const attempts = (statement: Statement) => [
    () => transactConfined(service.deps.sql, [of], async tx => void (await statement(tx))),
    () => asOwner(statement),
  ]
  for (const [rule, details] of [
    [{ currency: 'USD' }, null],
    [{ country: 'DE' }, COUNTRYLESS],
  ] as const) {
    const remove = await addApprovalRule(service, { account_id: of, ...rule })
    for (const attempt of attempts(copy(details))) {
      await assert.rejects(attempt, /a rule asks for the approval of the payout/)
    }
    await remove()
  }
})

/** Past the trigger that keeps rows, as somebody who has taken it off. */
async function change(amount: number): Promise<void> {
  await asOwner(async tx => {
    await tx`alter table payouts disable trigger user`
    await tx`update payouts set amount = ${amount} where id = ${payout}`
    await tx`alter table payouts enable trigger user`
  })
}

test('a payout that is changed after an approval: refused by the service, and by PostgreSQL', async () => {
  const key = { account_id: id, payout_id: payout }
  await approve(service, { ...key, user: ann.user })
  const digest = await digestOf(service, payout)
  await change(900)
  await assert.rejects(approve(service, { ...key, user: bob.user }, { digest }), error => {
    assert.ok(error instanceof Refusal)
    assert.equal(error.problems[0]?.reason, 'approval_outdated')
    return true
  })
  await assert.rejects(
    asService(async tx => {
      await decision(tx, 'bob', digest)
      await tx`
        update payout_approvals set outcome = 'approved', ended_at = clock_timestamp()
        where payout_id = ${payout}`
    }),
    /cannot be approved/,
  )
  const verdict = await verify(service.database.owner, { account_id: null, all: true })
  const named = verdict.ok ? [] : verdict.problems.map(({ table, key }) => `${table} ${key}`)
  assert.ok(named.includes(`payout_approvals ${payout}`), named.join())
  await change(1000)
})

test('corridor verify: an approval that nobody has given is named', async () => {
  const key = { account_id: id, payout_id: payout }
  await approve(service, { ...key, user: ann.user })
  await approve(service, { ...key, user: bob.user })
  const before = await verify(service.database.owner, { account_id: null, all: true })
  assert.deepEqual(before.ok ? [] : before.problems, [])
  await asOwner(async tx => {
    await tx`alter table approval_decisions disable trigger user`
    await tx`delete from approval_decisions where payout_id = ${payout} and user_name = 'bob'`
    await tx`alter table approval_decisions enable trigger user`
  })
  const verdict = await verify(service.database.owner, { account_id: null, all: true })
  const named = verdict.ok ? [] : verdict.problems.map(({ table, key }) => `${table} ${key}`)
  assert.deepEqual(named, [`payout_approvals ${payout}`])
})
