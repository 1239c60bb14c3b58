// Payouts that people must approve: which ones, who may decide, what a decision binds, and that no
// rail and no person gets one before. The worker, the lanes and the rows are the product's.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { makeApiKey } from '../../src/accounts/rules.ts'
import { insertApiKey } from '../../src/accounts/store.ts'
import { deleteAccountRole, updateDisabled } from '../../src/accounts/user/store.ts'
import { countWaiting } from '../../src/app/worker/counts.ts'
import type { ApprovalRule } from '../../src/controls/approval/approval.ts'
import type { AskedDecision } from '../../src/controls/approval/rules.ts'
import { APPROVAL_SEAL } from '../../src/payouts/columns.ts'
import type { TransactionSql } from '../../src/sql/connect.ts'
import { Refusal } from '../../src/values/errors.ts'
import { newId } from '../../src/values/id.ts'
import { newSecret } from '../../src/values/secret.ts'
import { closeVerified } from '../support/assert/books.ts'
import { balancesOf } from '../support/assert/check.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { approve } from '../support/service/approvals.ts'
import { setState } from '../support/service/operate.ts'
import {
  addPerson,
  basic,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'
import { pathOf, Team } from './team.ts'

const PATH = '/v3/payout'
const DAY_S = 86_400

let service: TestService
let team: Team
/** Two approvers, and a maker who approves, too. */
let ann: PersonClient
let bob: PersonClient
let eve: PersonClient
const removals: (() => Promise<void>)[] = []
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setRates({ 'USD/HKD': '7.8' })
  team = await openTeam()
  ann = await team.person('ann', 'approver')
  bob = await team.person('bob', 'approver')
  eve = await team.person('eve', 'maker', 'approver')
})
afterEach(async () => {
  for (const remove of removals.splice(0)) await remove()
})
after(() => closeVerified(service))

async function openTeam(currency = 'USD', sandbox = true): Promise<Team> {
  const fund = { [currency]: 10_000_000n }
  return new Team(service, await service.openAccount({ currencies: [currency], fund, sandbox }))
}

/** A rule until the end of the test. */
async function addRule(rule: Partial<ApprovalRule> = {}, of = team): Promise<void> {
  removals.push(await of.addRule(rule))
}

async function pay(
  fields: object = {},
  by = team,
  person?: PersonClient,
): Promise<{ id: string; status: string }> {
  const body = { ...localPayout, ...fields }
  const answer = await (person === undefined
    ? by.account.post(PATH, body)
    : by.ask(person, 'POST', PATH, body))
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

/** A decision as the command line asks for it, without the checks of a route. */
const decide = (
  payout: { readonly id: string },
  { user }: Pick<PersonClient, 'user'>,
  more: Partial<AskedDecision> = {},
  { id }: Pick<Team, 'id'> = team,
) => approve(service, { account_id: id, payout_id: payout.id, user }, more)

const REJECT = { decision: 'reject', reason: 'Paid before' } as const

/** The reason of the refusal of a decision. */
async function refused(decision: Promise<unknown>): Promise<string> {
  const error = await decision.then(
    () => assert.fail('was not refused'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof Refusal, String(error))
  return String(error.problems[0]?.reason)
}

test('rule by type, country, currency and amount in another currency, for all accounts: payouts from that amount on need approval', async () => {
  const of = { payout_type: 'local', country: 'HK', currency: 'USD', at_least_currency: 'HKD' }
  await addRule({ ...of, at_least: 7801n })
  await addRule({}, await openTeam())
  assert.equal((await pay({ amount: 1000 })).status, 'processing')
  await addRule({ ...of, account_id: null, at_least: 7800n })
  assert.equal((await pay({ amount: 1000 })).status, 'pending_approval')
})

test('rule for a country, wallet payout without a country: needs approval; transfer to another account: proceeds', async () => {
  const payer = await openTeam('USDC')
  const other = await service.openAccount({ currencies: ['USDC'] })
  await addRule({ country: 'DE' }, payer)
  const wallet = {
    deposit_address: '0x52908400098527886E0F7030069857D2E4169EE7',
    type: 'ethereum',
    currency: 'USDC',
  }
  const destination_details = { type: 'wallet', wallet }
  const beneficiary_details = { ...localPayout.beneficiary_details, destination_details }
  const sent = { amount: 1_000_000, currency: 'USDC', type: 'wallet', beneficiary_details }
  assert.equal((await pay(sent, payer)).status, 'pending_approval')
  const inside = internalPayout(other.account.deposit_address, 1_000, 'USDC')
  assert.equal((await pay(inside, payer)).status, 'succeeded')
})

test('payout awaiting approval: debited, neither rail nor operator can advance it, the account can cancel it', async () => {
  await addRule()
  const before = await balancesOf(team.account)
  const payout = await pay()
  assert.notDeepEqual(await balancesOf(team.account), before)
  await settleAll(service)
  for (const status of ['processing', 'succeeded', 'compliance_hold', 'requires_action']) {
    const url = `/v3/sandbox/payout/${payout.id}/transition`
    const moved = await team.account.post(url, { status })
    assert.equal(moved.status, 409, moved.text)
  }
  assert.equal(await team.statusOf(payout.id), 'pending_approval')
  const cancelled = await team.account.post(pathOf(payout.id, '/cancel'), {})
  assert.equal(cancelled.json.data.failure.code, 'PF000100')
  assert.deepEqual(await balancesOf(team.account), before)
  assert.equal(await refused(decide(payout, ann)), 'invalid_transition')
})

test('payout that two people must approve: released only by a second person; the first cannot decide twice', async () => {
  await addRule({ approvers: 2 })
  await addRule({ approvers: 1 })
  const payout = await pay()
  assert.equal(await decide(payout, ann), 'pending_approval')
  assert.equal(await refused(decide(payout, ann)), 'already_decided')
  assert.equal(await refused(decide(payout, ann, REJECT)), 'already_decided')
  assert.equal(await team.statusOf(payout.id), 'pending_approval')
  assert.equal(await decide(payout, bob), 'processing')
  assert.equal(await refused(decide(payout, eve)), 'invalid_transition')
})

test('payout rejected, also after an approval: failed, credited back', async () => {
  await addRule({ approvers: 2 })
  const before = await balancesOf(team.account)
  const payout = await pay()
  await decide(payout, ann)
  assert.equal(await decide(payout, bob, REJECT), 'failed')
  assert.equal((await team.read(payout.id)).failure?.code, 'PF000400')
  assert.deepEqual(await balancesOf(team.account), before)
  assert.equal(await refused(decide(payout, eve)), 'invalid_transition')
})

test('payout awaiting approval: its maker, a user without the role, a disabled or an unknown user cannot decide', async () => {
  await addRule()
  const made = await team.ask(eve, 'POST', PATH, localPayout)
  const payout = made.json.data
  const viewer = await team.person('val', 'viewer')
  const operator = await addPerson(service, { user: 'opa', role: 'operator' })
  const gone = await team.person('gus', 'approver')
  await updateDisabled(service.deps.sql, gone.user, 'Left')
  for (const who of [eve, viewer, operator, gone, { user: 'nobody' }, { user: '' }]) {
    assert.equal(await refused(decide(payout, who)), 'approval_not_allowed', who.user)
    assert.equal(await refused(decide(payout, who, REJECT)), 'approval_not_allowed', who.user)
  }
  assert.equal(await team.statusOf(payout.id), 'pending_approval')
  assert.equal(await decide(payout, ann), 'processing')
})

test('approver loses the role after approving: the approval no longer counts', async () => {
  await addRule({ approvers: 2 })
  const { user } = await team.person('ian', 'approver')
  const payout = await pay()
  await decide(payout, { user })
  await deleteAccountRole(service.deps.sql, {
    user_name: user,
    account_id: team.id,
    role: 'approver',
  })
  assert.equal(await decide(payout, bob), 'pending_approval')
  assert.equal(await decide(payout, eve), 'processing')
})

test('payout whose approval expired: failed, credited back', async () => {
  await addRule({ expires_after_days: 1 })
  const before = await balancesOf(team.account)
  const payout = await pay()
  const advance = (seconds: number) =>
    team.account.post('/v3/sandbox/clock/advance', { seconds: seconds })
  await advance(DAY_S - 60)
  await settleAll(service)
  assert.equal(await team.statusOf(payout.id), 'pending_approval')
  await advance(60)
  assert.equal(await refused(decide(payout, ann)), 'invalid_transition')
  await settleAll(service)
  assert.equal((await team.read(payout.id)).failure?.code, 'PF000410')
  assert.deepEqual(await balancesOf(team.account), before)
})

test('rule for new payees: payouts to the payee need approval until one is approved; another name: a new payee', async () => {
  await addRule({ new_payee: true })
  const named = (name: string) => {
    return { beneficiary_details: { ...localPayout.beneficiary_details, name } }
  }
  const [first, second] = [await pay(named('New Ltd')), await pay(named('New Ltd'))]
  assert.deepEqual([first.status, second.status], ['pending_approval', 'pending_approval'])
  await decide(first, ann, REJECT)
  assert.equal((await pay(named('New Ltd'))).status, 'pending_approval')
  await decide(second, ann)
  assert.equal((await pay(named('New Ltd'))).status, 'processing')
  assert.equal((await pay(named('New Ltd II'))).status, 'pending_approval')
})

test('transfer to another account awaiting approval: receiver credited on approval, not before', async () => {
  await addRule()
  const receiver = await service.openAccount()
  const payout = await pay(internalPayout(receiver.account.deposit_address))
  assert.equal(payout.status, 'pending_approval')
  assert.equal((await balancesOf(receiver)).USD, '0')
  assert.equal(await decide(payout, ann), 'succeeded')
  assert.notEqual((await balancesOf(receiver)).USD, '0')
})

test('payout awaiting approval, account frozen: cannot be approved, can be rejected', async () => {
  const frozen = await openTeam()
  await addRule({}, frozen)
  const fay = await frozen.person('fay', 'approver')
  const payout = await pay({}, frozen)
  await setState(service, frozen.account, 'frozen')
  assert.equal(await refused(decide(payout, fay, {}, frozen)), 'account_frozen')
  assert.equal(await decide(payout, fay, REJECT, frozen), 'failed')
})

/** The payouts that wait, and how long it is until the first of them ends. */
async function told(): Promise<readonly [payouts: number, ends_in_s: number]> {
  await countWaiting(service.deps)
  const text = await service.deps.metrics.registry.metrics()
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  return [value('corridor_payouts_pending_approval'), value('corridor_approvals_end_in_seconds')]
}

test('GET /metrics, payouts pending approval of live accounts: their number and the time until the first expires', async () => {
  await service.setFees([{ payout_type: 'local' }])
  await service.setRoutes([{}])
  const live = await openTeam('USD', false)
  await addRule()
  await pay()
  assert.deepEqual(await told(), [0, 0])
  const made: string[] = []
  for (const expires_after_days of [9, 2]) {
    const remove = await live.addRule({ expires_after_days })
    made.push((await pay({}, live)).id)
    await remove()
  }
  const [two, first_s] = await told()
  assert.equal(two, 2)
  assert.ok(first_s > DAY_S && first_s <= 2 * DAY_S, String(first_s))
  assert.equal((await live.account.post(pathOf(made[1] ?? '', '/cancel'), {})).status, 200)
  const [one, then_s] = await told()
  assert.equal(one, 1)
  assert.ok(then_s > 8 * DAY_S && then_s <= 9 * DAY_S, String(then_s))
})

test("PostgreSQL, digest of approvals: the service's, also of texts that JSON escapes", async () => {
  const { id } = await pay({ reference_id: 'a "quoted" \\ name' })
  const rows = await service.database.owner<{ id: string; same: boolean }[]>`
    select id, approval_digest(p) = ${service.database.owner.unsafe(APPROVAL_SEAL.sql('p'))} as same
    from payouts p`
  assert.ok(rows.some(row => row.id === id))
  assert.deepEqual(
    rows.filter(({ same }) => !same),
    [],
  )
})

/** Does something as this user does it by a command. */
const as = (user: string, act: (tx: TransactionSql) => Promise<unknown>) =>
  service.database.owner.begin(async tx => {
    await tx`select set_config('corridor.operator', ${user}, true)`
    await act(tx)
  })

test('payout by a key of eve that max created: max and mary, whose login link max made, cannot approve it', async () => {
  await addRule()
  const max = await team.person('max', 'approver')
  const mary = await team.person('mary', 'approver')
  const secret = newSecret({ sandbox: true })
  const key = { scope: 'write', name: 'made by max', owner: 'eve', secret } as const
  const made = makeApiKey(team.id, key, newId)
  await as('max', tx => insertApiKey(tx, made))
  await service.deps.reference.refresh()
  const authorization = basic(made.key_id, secret)
  const caller = { headers: () => ({ authorization }) }
  const answer = await team.ask(caller, 'POST', PATH, localPayout)
  assert.equal(answer.status, 200, answer.text)
  const { id } = answer.json.data
  assert.match(await refused(decide({ id }, max)), /approval_not_allowed/)
  const link = (tx: TransactionSql) => tx`
    insert into login_links (secret_hash, user_name, expires_at)
    values (sha256(random()::text::bytea), 'mary', clock_timestamp() + interval '1 day')`
  await as('max', link)
  assert.match(await refused(decide({ id }, mary)), /approval_not_allowed/)
  assert.equal((await team.shown(id)).given, 0)
  await decide({ id }, ann)
  assert.equal(await team.statusOf(id), 'processing')
})

for (const [means, statement] of Object.entries({
  role: `insert into account_roles (user_name, account_id, role)
    select 'amy', account_id, 'viewer' from accounts limit 1`,
  password: `insert into user_passwords (user_name, secret_hash) values ('amy', '$argon2id$x')`,
  key: `insert into user_keys (key_id, user_name, secret_hash)
    values ('usk_' || repeat('7', 20), 'amy', sha256('x'))`,
})) {
  test(`approver with a ${means} made by the payout's maker: refused for 30 days, also by PostgreSQL`, async () => {
    await addRule()
    const amy = await team.person(`amy${means}`, 'approver')
    const { id } = await pay({ reference_id: means }, team, eve)
    const mine = statement.replace("'amy'", `'${amy.user}'`)
    await as('eve', tx => tx.unsafe(mine))
    assert.match(await refused(decide({ id }, amy)), /approval_not_allowed/)
    const { digest } = await team.shown(id)
    await team.assertRefusesBoth(
      'a decision past the service',
      tx => tx`
        insert into approval_decisions
          (decided_at, account_id, payout_id, user_name, decision, digest, reason)
        values (clock_timestamp(), ${team.id}, ${id}, ${amy.user}, 'approve',
          decode(${digest}, 'hex'), '')`,
      /has made payout|never_the_maker/,
    )
    await team.asOwner(async tx => {
      await tx`alter table means_given disable trigger append_only`
      await tx`update means_given set given_at = given_at - interval '31 days'
        where user_name = ${amy.user}`
      await tx`alter table means_given enable trigger append_only`
    })
    await decide({ id }, amy)
    assert.equal(await team.statusOf(id), 'processing')
  })
}
