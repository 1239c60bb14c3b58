// Payouts that need an approval and that screening holds as well: neither stands for the other, in
// whatever order they come. The worker, the lanes and the rows are the product's; the rail pays.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { RailPayout } from '../../src/rails/rail.ts'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused, balancesOf } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { approve } from '../support/service/approvals.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import {
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { railOf, report, settleAll } from '../support/service/settling.ts'
import { readLists, readUnList, takeUnList } from '../support/service/un-list.ts'
import { pathOf, Team } from './team.ts'

const REASON = ['--reason', 'Born in another year.']
const LISTED = { ...localPayout.beneficiary_details, type: 'individual', name: 'Eric Badege' }

let un: string
let service: TestService
let cli: Cli
/** Nobody of it is cleared. */
let team: Team
let ann: PersonClient
/** Whom the rail was handed of the account. */
let paid: string[]
/** The balances before the test. */
let balances: Record<string, string>
before(async () => {
  un = await readUnList()
  service = await startTestService({ simulator_delay_ms: 0 })
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'first' })
})
beforeEach(async () => {
  const fund = { USD: 10_000_000n }
  team = new Team(service, await service.openAccount({ currencies: ['USD'], fund }))
  ann = await team.person(`ann.${team.id}`, 'approver')
  await team.addRule()
  paid = []
  balances = await balancesOf(team.account)
})
after(async () => {
  await cli.close()
  await closeVerified(service)
})

async function listIs(text: string): Promise<void> {
  await takeUnList(service, text)
  await readLists(service)
}

/** A list that Eric Badege is not on yet. */
const withoutHim = () => un.replace('BADEGE', 'NOBODY')

async function pay(): Promise<string> {
  const body = { ...localPayout, amount: 1000, beneficiary_details: LISTED }
  const made = await team.account.post('/v3/payout', body)
  assert.equal(made.json.data.status, 'pending_approval', made.text)
  return made.json.data.id
}

async function decided(payout: string, decision: 'approve' | 'reject'): Promise<string> {
  const answer = await team[decision](ann, payout)
  assert.equal(answer.status, 200, answer.text)
  return team.statusOf(payout)
}

async function runs(...args: readonly string[]): Promise<void> {
  const ran = await cli.run(...args, ...REASON)
  assert.equal(ran.code, 0, ran.stderr)
}

const screening = (act: 'clear' | 'confirm', payout: string) => runs('screening', act, payout)

async function settle(): Promise<void> {
  const submit = async ({ id, account_id }: RailPayout) => {
    if (account_id === team.id) paid.push(id)
    return { ...report('succeeded'), ask_again_in_ms: null }
  }
  const rail = railOf({ submit, inquire: async () => undefined })
  await settleAll(service, rail)
  await settleAll(service, rail)
}

async function assertPaidOnce(payout: string): Promise<void> {
  await settle()
  assert.deepEqual([paid, await team.statusOf(payout)], [[payout], 'succeeded'])
}

/** The worker leaves it in this state, and no rail gets it. */
async function assertStays(payout: string, status: string): Promise<void> {
  await settle()
  assert.deepEqual([paid, await team.statusOf(payout)], [[], status])
}

async function assertMoneyBack(): Promise<void> {
  await settle()
  assert.deepEqual([paid, await balancesOf(team.account)], [[], balances])
}

test('payout matched by screening, approved, match cleared: held until cleared, paid once', async () => {
  await listIs(un)
  const payout = await pay()
  await settle()
  assert.equal(await decided(payout, 'approve'), 'compliance_hold')
  await assertStays(payout, 'compliance_hold')
  await screening('clear', payout)
  await assertPaidOnce(payout)
})

test('payout matched by screening, match cleared: still needs its approval, then paid once', async () => {
  await listIs(un)
  const payout = await pay()
  await screening('clear', payout)
  await assertStays(payout, 'pending_approval')
  assert.notEqual(await decided(payout, 'approve'), 'pending_approval')
  await assertPaidOnce(payout)
})

test('payout approved, payee listed before submission: held, approval kept, cleared and paid once', async () => {
  await listIs(withoutHim())
  const payout = await pay()
  assert.equal(await decided(payout, 'approve'), 'processing')
  await listIs(un)
  await assertStays(payout, 'compliance_hold')
  assertRefused(await team.approve(ann, payout), 409, 'already_decided')
  await screening('clear', payout)
  await assertPaidOnce(payout)
})

test('payout awaiting approval, payee listed meanwhile: approval accepted, then held', async () => {
  await listIs(withoutHim())
  const payout = await pay()
  await listIs(un)
  await settle()
  assert.equal(await decided(payout, 'approve'), 'compliance_hold')
  await assertStays(payout, 'compliance_hold')
})

test('payout matched, then rejected by an approver: not approvable, held until cleared, then credited back', async () => {
  await listIs(un)
  const bob = await team.person(`bob.${team.id}`, 'approver')
  const payout = await pay()
  const held = await balancesOf(team.account)
  assert.equal(await decided(payout, 'reject'), 'pending_approval')
  const { status } = await team.shown(payout)
  assert.deepEqual([status, await balancesOf(team.account)], ['rejected', held])
  assertRefused(await team.approve(ann, payout), 409, 'already_decided')
  const by_bob = approve(service, { account_id: team.id, payout_id: payout, user: bob.user })
  await assert.rejects(by_bob, /does not wait for approval: it is rejected/)
  const cancelled = await team.account.post(pathOf(payout, '/cancel'), {})
  assertRefused(cancelled, 409, 'payout_not_cancellable')
  await assertStays(payout, 'pending_approval')
  assert.deepEqual(await balancesOf(team.account), held)
  await screening('clear', payout)
  await assertMoneyBack()
  const { status: ended, failure } = await team.read(payout)
  assert.deepEqual(
    [ended, failure.code, failure.message],
    ['failed', 'PF000400', 'Rejected: Not ours.'],
  )
})

test('payout rejected while held, then cleared and cancelled: credited back once', async () => {
  await listIs(un)
  const payout = await pay()
  await decided(payout, 'reject')
  await screening('clear', payout)
  const cancelled = await team.account.post(pathOf(payout, '/cancel'), {})
  assert.equal(cancelled.json.data?.failure.code, 'PF000100', cancelled.text)
  await assertMoneyBack()
})

test('payout rejected while held, match then confirmed: blocked until an operator fails it, never paid', async () => {
  await listIs(un)
  const payout = await pay()
  const held = await balancesOf(team.account)
  await decided(payout, 'reject')
  await screening('confirm', payout)
  await assertStays(payout, 'pending_approval')
  assert.deepEqual(await balancesOf(team.account), held)
  await runs('payout', 'transition', payout, 'failed')
  await assertMoneyBack()
})

test('payout matched, cleared, then rejected: credited back at once', async () => {
  await listIs(un)
  const payout = await pay()
  await screening('clear', payout)
  assert.equal(await decided(payout, 'reject'), 'failed')
  await assertMoneyBack()
})

test('batch rejected, one payout blocked by screening: the others fail, the blocked one stays', async () => {
  await listIs(un)
  const payouts = [
    { ...localPayout, amount: 1000, reference_id: 'blocked', beneficiary_details: LISTED },
    { ...localPayout, amount: 1000, reference_id: 'free' },
  ]
  const batch = (await team.account.post('/v3/payout_batch', { payouts })).json.data.id
  const items = (await team.account.get(pathOf(batch, '/item'))).json.data.results
  const [blocked, free] = items.map((item: { payout: string }) => item.payout)
  await screening('confirm', blocked)
  const answer = await team.reject(ann, batch)
  assert.deepEqual(answer.json.data?.payouts, [{ status: 'failed', payouts: 1 }], answer.text)
  const statuses = [await team.statusOf(blocked), await team.statusOf(free)]
  assert.deepEqual(statuses, ['pending_approval', 'failed'])
  assertRefused(await team.reject(ann, batch), 409, 'invalid_transition')
})

test('payout whose match is confirmed: cannot be rejected; approved: blocked until an operator fails it', async () => {
  await listIs(un)
  const payout = await pay()
  await screening('confirm', payout)
  assertRefused(await team.reject(ann, payout), 409, 'invalid_transition')
  assert.equal(await decided(payout, 'approve'), 'compliance_hold')
  await assertStays(payout, 'compliance_hold')
  await runs('payout', 'transition', payout, 'failed')
  await assertMoneyBack()
})
