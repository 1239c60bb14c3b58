// Payouts that people must approve: which ones, who may decide, what a decision binds, and that no
// rail and no person gets one before. The worker, the lanes and the rows are the product's.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { ApprovalRule } from '../../src/approval/approval.ts'
import type { AskedDecision } from '../../src/approval/rules.ts'
import { CATALOGUE, Refusal } from '../../src/errors.ts'
import { APPROVAL_SEAL } from '../../src/payout/columns.ts'
import { deleteAccountRole, updateDisabled } from '../../src/user/store.ts'
import { closeVerified } from '../support/assert/books.ts'
import { balancesOf } from '../support/assert/check.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { addApprovalRule, approve, digestOf } from '../support/service/approvals.ts'
import {
  addPerson,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'

const PATH = '/v3/payout'
const FUNDED = '10000000'

let service: TestService
let account: Client
let id: string
/** Two approvers of the account, and a maker who approves, too. */
let ann: PersonClient
let bob: PersonClient
let eve: PersonClient
let count = 0
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setRates({ 'USD/HKD': '7.8' })
})
beforeEach(async () => {
  count += 1
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: BigInt(FUNDED) } })
  id = account.account.account_id
  ann = await addPerson(service, { user: `ann${count}`, roles: [[id, 'approver']] })
  bob = await addPerson(service, { user: `bob${count}`, roles: [[id, 'approver']] })
  eve = await addPerson(service, {
    user: `eve${count}`,
    roles: [
      [id, 'approver'],
      [id, 'maker'],
    ],
  })
})
after(() => closeVerified(service))

async function addRule(rule: Partial<ApprovalRule> = {}): Promise<void> {
  await addApprovalRule(service, { account_id: id, ...rule })
}

interface Shown {
  readonly id: string
  readonly status: string
  readonly failure: { readonly code: string } | null
}

async function pay(fields: object = {}, headers?: Record<string, string>): Promise<Shown> {
  const body = { ...localPayout, ...fields }
  const answer =
    headers === undefined
      ? await account.post(PATH, body)
      : await service.inject({ method: 'POST', url: PATH, headers, payload: body })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

async function shown(payout: { readonly id: string }): Promise<Shown> {
  return (await account.get(`${PATH}/${payout.id}`)).json.data
}

const decide = (
  payout: { readonly id: string },
  { user }: Pick<PersonClient, 'user'>,
  more: Partial<AskedDecision> = {},
) => approve(service, { account_id: id, payout_id: payout.id, user }, more)

/** The reason of the refusal of a decision. */
async function refused(decision: Promise<unknown>): Promise<string> {
  const error = await decision.then(
    () => assert.fail('was not refused'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof Refusal, String(error))
  const [problem] = error.problems
  assert.ok(problem && CATALOGUE[problem.reason])
  return problem.reason
}

test('no rule: a payout is processing at once', async () => {
  assert.equal((await pay()).status, 'processing')
})

test('a rule of type, country, currency and an amount in another one: the payout waits from it on', async () => {
  const of = { payout_type: 'local', country: 'HK', currency: 'USD', at_least_currency: 'HKD' }
  await addRule({ ...of, at_least: 7801n })
  assert.equal((await pay({ amount: 1000 })).status, 'processing')
  await addRule({ ...of, at_least: 7800n })
  assert.equal((await pay({ amount: 1000 })).status, 'pending_approval')
})

test('a rule of a country, to a wallet, which may be anywhere: the payout waits; to another account it does not', async () => {
  const opened = await service.openAccount({ currencies: ['USDC'], fund: { USDC: 10_000_000n } })
  const other = await service.openAccount({ currencies: ['USDC'] })
  await addApprovalRule(service, { account_id: opened.account.account_id, country: 'DE' })
  const wallet = {
    deposit_address: '0x52908400098527886E0F7030069857D2E4169EE7',
    type: 'ethereum',
    currency: 'USDC',
  }
  const destination_details = { type: 'wallet', wallet }
  const beneficiary_details = { ...localPayout.beneficiary_details, destination_details }
  const body = { ...localPayout, amount: 1_000_000, currency: 'USDC', type: 'wallet' }
  const made = await opened.post(PATH, { ...body, beneficiary_details })
  assert.equal(made.json.data?.status, 'pending_approval', made.text)
  const inside = internalPayout(other.account.deposit_address, 1_000, 'USDC')
  const paid = await opened.post(PATH, inside)
  assert.equal(paid.json.data?.status, 'succeeded', paid.text)
})

test('a rule of every account: it counts for this one, and one of another account does not', async () => {
  const other = await service.openAccount({ fund: { USD: 1_000_000n } })
  await addRule({ account_id: other.account.account_id })
  assert.equal((await pay()).status, 'processing')
})

test('a payout that waits: its money is held, no rail is asked, and its account can cancel it', async () => {
  await addRule()
  const payout = await pay()
  const held = await balancesOf(account)
  assert.notEqual(held.USD, FUNDED)
  await settleAll(service)
  assert.equal((await shown(payout)).status, 'pending_approval')
  const cancelled = await account.post(`${PATH}/${payout.id}/cancel`, {})
  assert.equal(cancelled.json.data.failure.code, 'PF000100')
  assert.deepEqual(await balancesOf(account), { USD: FUNDED })
  assert.equal(await refused(decide(payout, ann)), 'invalid_transition')
})

test('one approver of one: the payout is processing, and is paid', async () => {
  await addRule()
  const payout = await pay()
  assert.equal(await decide(payout, ann), 'processing')
  await settleAll(service)
  assert.equal((await shown(payout)).status, 'succeeded')
})

test('two approvers: the first alone moves nothing, nobody counts twice', async () => {
  await addRule({ approvers: 2 })
  await addRule({ approvers: 1 })
  const payout = await pay()
  assert.equal(await decide(payout, ann), 'pending_approval')
  assert.equal(await refused(decide(payout, ann)), 'already_decided')
  assert.equal(await refused(decide(payout, ann, { decision: 'reject' })), 'already_decided')
  assert.equal((await shown(payout)).status, 'pending_approval')
  assert.equal(await decide(payout, bob), 'processing')
  assert.equal(await refused(decide(payout, eve)), 'invalid_transition')
})

test('a rejection: the payout fails, and the money is back, whoever has approved before', async () => {
  await addRule({ approvers: 2 })
  const payout = await pay()
  await decide(payout, ann)
  assert.equal(await decide(payout, bob, { decision: 'reject', reason: 'Paid before' }), 'failed')
  assert.equal((await shown(payout)).failure?.code, 'PF000400')
  assert.deepEqual(await balancesOf(account), { USD: FUNDED })
  assert.equal(await refused(decide(payout, eve)), 'invalid_transition')
})

test('who made the payout: neither approves nor rejects it, though an approver', async () => {
  await addRule()
  const payout = await pay({}, eve.headers(id))
  assert.equal(await refused(decide(payout, eve)), 'approval_not_allowed')
  assert.equal(await refused(decide(payout, eve, { decision: 'reject' })), 'approval_not_allowed')
  assert.equal(await decide(payout, ann), 'processing')
})

test('somebody without the role, disabled, or nobody at all: refused', async () => {
  await addRule()
  const payout = await pay()
  const viewer = await addPerson(service, { user: `val${count}`, roles: [[id, 'viewer']] })
  const operator = await addPerson(service, { user: `opa${count}`, role: 'operator' })
  for (const person of [viewer, operator, { user: 'nobody' }, { user: '' }]) {
    assert.equal(await refused(decide(payout, person)), 'approval_not_allowed')
  }
  await updateDisabled(service.deps.sql, ann.user, 'Left')
  assert.equal(await refused(decide(payout, ann)), 'approval_not_allowed')
  assert.equal((await shown(payout)).status, 'pending_approval')
})

test('an approver whose role is taken away after approving: the approval counts no more', async () => {
  await addRule({ approvers: 2 })
  const payout = await pay()
  await decide(payout, ann)
  await deleteAccountRole(service.deps.sql, {
    user_name: ann.user,
    account_id: id,
    role: 'approver',
  })
  assert.equal(await decide(payout, bob), 'pending_approval')
  assert.equal(await decide(payout, eve), 'processing')
})

test('a digest of something else: refused', async () => {
  await addRule()
  const [payout, other] = [await pay(), await pay({ amount: 2000 })]
  const digest = await digestOf(service, other.id)
  assert.equal(await refused(decide(payout, ann, { digest })), 'approval_outdated')
})

test('nobody approves in time: the payout fails, and the money is back', async () => {
  await addRule({ expires_after_days: 1 })
  const payout = await pay()
  await account.post('/v3/sandbox/clock/advance', { seconds: 86_400 - 60 })
  await settleAll(service)
  assert.equal((await shown(payout)).status, 'pending_approval')
  await account.post('/v3/sandbox/clock/advance', { seconds: 60 })
  assert.equal(await refused(decide(payout, ann)), 'invalid_transition')
  await settleAll(service)
  assert.equal((await shown(payout)).failure?.code, 'PF000410')
  assert.deepEqual(await balancesOf(account), { USD: FUNDED })
})

test('a new payee: approved once; another name or account is new again', async () => {
  await addRule({ new_payee: true })
  const first = await pay()
  const second = await pay()
  assert.deepEqual([first.status, second.status], ['pending_approval', 'pending_approval'])
  await decide(first, ann, { decision: 'reject', reason: 'Not yet' })
  assert.equal((await pay()).status, 'pending_approval')
  await decide(second, ann)
  assert.equal((await pay()).status, 'processing')
  const { beneficiary_details } = localPayout
  const renamed = { ...beneficiary_details, name: `${beneficiary_details.name} II` }
  assert.equal((await pay({ beneficiary_details: renamed })).status, 'pending_approval')
})

test('a transfer to another account: credited when it is approved, and not before', async () => {
  await addRule()
  const receiver = await service.openAccount()
  const payout = await pay(internalPayout(receiver.account.deposit_address))
  assert.equal(payout.status, 'pending_approval')
  assert.equal((await balancesOf(receiver)).USD, '0')
  assert.equal(await decide(payout, ann), 'succeeded')
  assert.notEqual((await balancesOf(receiver)).USD, '0')
})

test('the sandbox sets a payout that waits to processing, or any other state but failed: refused', async () => {
  await addRule()
  const payout = await pay()
  for (const status of ['processing', 'succeeded', 'compliance_hold', 'requires_action']) {
    const moved = await account.post(`/v3/sandbox/payout/${payout.id}/transition`, { status })
    assert.equal(moved.status, 409, moved.text)
  }
  assert.equal((await shown(payout)).status, 'pending_approval')
})

test('a frozen account: its payout is not let go, and can be rejected', async () => {
  await addRule()
  const payout = await pay()
  const { owner } = service.database
  await owner.begin(async tx => {
    await tx`set local corridor.maintenance = on`
    await tx`update accounts set state = 'frozen', state_reason = 'A test' where account_id = ${id}`
    await tx`update books set state = 'frozen' where account_id = ${id}`
  })
  assert.equal(await refused(decide(payout, ann)), 'account_frozen')
  assert.equal(await decide(payout, ann, { decision: 'reject', reason: 'No' }), 'failed')
})

test('PostgreSQL computes the digest of approvals by the recipe of the service', async () => {
  const [row] = await service.database.owner<{ source: string }[]>`
    select prosrc as source from pg_proc where proname = 'approval_digest'`
  const words = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
  assert.equal(words(row?.source ?? ''), words(`select ${APPROVAL_SEAL.sql('p')}`))
})
