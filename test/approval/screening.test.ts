// Payouts that need an approval and that screening holds as well: neither stands for the other, in
// whatever order they come. The worker, the lanes and the rows are the product's; the rail pays.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Rail, RailPayout } from '../../src/rail/rail.ts'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused, balancesOf } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { addApprovalRule, approve } from '../support/service/approvals.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import {
  type Answer,
  addPerson,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { railOf, report, settleAll } from '../support/service/settling.ts'
import { readUnList, takeUnList } from '../support/service/un-list.ts'

const PATH = '/v3/payout'
const LISTED = 'Eric Badege'
const REASON = ['--reason', 'Born in another year.']

let un: string
let service: TestService
let account: Client
let id: string
let ann: PersonClient
let cli: Cli
/** Whom the rail was handed of the account. */
let paid: string[]
before(async () => {
  un = await readUnList()
  service = await startTestService({ simulator_delay_ms: 0 })
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'first' })
})
beforeEach(async () => {
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
  id = account.account.account_id
  ann = await addPerson(service, { user: `ann.${id}`, roles: [[id, 'approver']] })
  await addApprovalRule(service, { account_id: id })
  await service.deps.reference.refresh()
  paid = []
})
after(async () => {
  await cli.close()
  await closeVerified(service)
})

async function listIs(text: string): Promise<void> {
  await takeUnList(service, text)
  // What is read already may have begun before the list came.
  for (let i = 0; i < 2; i++) await service.deps.lists.read()
}

/** A list that Eric Badege is not on yet. */
const withoutHim = () => un.replace('BADEGE', 'NOBODY')

async function pay(): Promise<string> {
  const beneficiary_details = {
    ...localPayout.beneficiary_details,
    type: 'individual',
    name: LISTED,
  }
  const made = await account.post(PATH, { ...localPayout, amount: 1000, beneficiary_details })
  assert.equal(made.json.data.status, 'pending_approval', made.text)
  return made.json.data.id
}

async function decide(payout: string, decision: 'approve' | 'reject'): Promise<Answer> {
  const { digest } = (await account.get(`${PATH}/${payout}/approval`)).json.data
  const payload = decision === 'approve' ? { digest } : { reason: 'Not ours.' }
  const url = `${PATH}/${payout}/${decision}`
  return service.inject({ method: 'POST', url, headers: ann.headers(id), payload })
}

async function decided(payout: string, decision: 'approve' | 'reject'): Promise<string> {
  const answer = await decide(payout, decision)
  assert.equal(answer.status, 200, answer.text)
  return statusOf(payout)
}

async function statusOf(payout: string): Promise<string> {
  return (await account.get(`${PATH}/${payout}`)).json.data.status
}

async function screening(act: 'clear' | 'confirm', payout: string): Promise<void> {
  const ran = await cli.run('screening', act, payout, ...REASON)
  assert.equal(ran.code, 0, ran.stderr)
}

async function settle(): Promise<void> {
  const submit = async (payout: RailPayout) => {
    if (payout.account_id === id) paid.push(payout.id)
    return { ...report('succeeded'), ask_again_in_ms: null }
  }
  const rail: Rail = railOf({ submit, inquire: async () => undefined })
  await settleAll(service, rail)
  await settleAll(service, rail)
}

test('found, then approved, then cleared: held by screening in between, and paid once', async () => {
  await listIs(un)
  const payout = await pay()
  await settle()
  assert.equal(await decided(payout, 'approve'), 'compliance_hold')
  await settle()
  assert.deepEqual([paid, await statusOf(payout)], [[], 'compliance_hold'])
  await screening('clear', payout)
  await settle()
  assert.deepEqual([paid, await statusOf(payout)], [[payout], 'succeeded'])
})

test('found, then cleared: it waits for its approver all the same, then is paid once', async () => {
  await listIs(un)
  const payout = await pay()
  await screening('clear', payout)
  await settle()
  assert.deepEqual([paid, await statusOf(payout)], [[], 'pending_approval'])
  assert.notEqual(await decided(payout, 'approve'), 'pending_approval')
  await settle()
  assert.deepEqual([paid, await statusOf(payout)], [[payout], 'succeeded'])
})

test('approved, then listed before the hand-over: held, its approval stands, and cleared it is paid once', async () => {
  await listIs(withoutHim())
  const payout = await pay()
  assert.equal(await decided(payout, 'approve'), 'processing')
  await listIs(un)
  await settle()
  assert.deepEqual([paid, await statusOf(payout)], [[], 'compliance_hold'])
  assertRefused(await decide(payout, 'approve'), 409, 'already_decided')
  await screening('clear', payout)
  await settle()
  assert.deepEqual([paid, await statusOf(payout)], [[payout], 'succeeded'])
})

test('listed while it waits for its approver: approved, it is held', async () => {
  await listIs(withoutHim())
  const payout = await pay()
  await listIs(un)
  await settle()
  assert.equal(await decided(payout, 'approve'), 'compliance_hold')
  await settle()
  assert.deepEqual(paid, [])
})

test('found, then rejected by its approver: nobody approves it any more, its money stays held until it is cleared, and then is back', async () => {
  await listIs(un)
  await addPerson(service, { user: 'bob', roles: [[id, 'approver']] })
  const before = await balancesOf(account)
  const payout = await pay()
  const held = await balancesOf(account)
  assert.equal(await decided(payout, 'reject'), 'pending_approval')
  const { status } = (await account.get(`${PATH}/${payout}/approval`)).json.data
  assert.deepEqual([status, await balancesOf(account)], ['rejected', held])
  assertRefused(await decide(payout, 'approve'), 409, 'already_decided')
  const by_bob = approve(service, { account_id: id, payout_id: payout, user: 'bob' })
  await assert.rejects(by_bob, /does not wait for approval: it is rejected/)
  assertRefused(await account.post(`${PATH}/${payout}/cancel`, {}), 409, 'payout_not_cancellable')
  await settle()
  assert.deepEqual([await statusOf(payout), await balancesOf(account)], ['pending_approval', held])
  await screening('clear', payout)
  await settle()
  const { data } = (await account.get(`${PATH}/${payout}`)).json
  assert.deepEqual([data.status, data.failure.code], ['failed', 'PF000400'])
  assert.equal(data.failure.message, 'Rejected: Not ours.')
  assert.deepEqual([paid, await balancesOf(account)], [[], before])
})

test('rejected while it was held, then cleared and cancelled by its account: its money is back once', async () => {
  await listIs(un)
  const before = await balancesOf(account)
  const payout = await pay()
  await decided(payout, 'reject')
  await screening('clear', payout)
  const cancelled = await account.post(`${PATH}/${payout}/cancel`, {})
  assert.equal(cancelled.json.data?.failure.code, 'PF000100', cancelled.text)
  await settle()
  assert.deepEqual([paid, await balancesOf(account)], [[], before])
})

test('rejected while it was held, then confirmed: blocked until an operator fails it, and never paid', async () => {
  await listIs(un)
  const before = await balancesOf(account)
  const payout = await pay()
  const held = await balancesOf(account)
  await decided(payout, 'reject')
  await screening('confirm', payout)
  await settle()
  assert.deepEqual([await statusOf(payout), await balancesOf(account)], ['pending_approval', held])
  const failed = await cli.run('payout', 'transition', payout, 'failed', ...REASON)
  assert.equal(failed.code, 0, failed.stderr)
  await settle()
  assert.deepEqual([paid, await balancesOf(account)], [[], before])
})

test('found, then cleared, then rejected: its money is back with the answer', async () => {
  await listIs(un)
  const before = await balancesOf(account)
  const payout = await pay()
  await screening('clear', payout)
  assert.equal(await decided(payout, 'reject'), 'failed')
  await settle()
  assert.deepEqual([paid, await balancesOf(account)], [[], before])
})

test('a batch rejected, of which one is blocked: the others end, and it is left', async () => {
  await listIs(un)
  const badege = { ...localPayout.beneficiary_details, type: 'individual', name: LISTED }
  const payouts = [
    { ...localPayout, amount: 1000, reference_id: 'blocked', beneficiary_details: badege },
    { ...localPayout, amount: 1000, reference_id: 'free' },
  ]
  const batch = (await account.post('/v3/payout_batch', { payouts })).json.data.id
  const items = (await account.get(`/v3/payout_batch/${batch}/item`)).json.data.results
  const [blocked, free] = items.map((item: { payout: string }) => item.payout)
  await screening('confirm', blocked)
  const reject = () => {
    const url = `/v3/payout_batch/${batch}/reject`
    const payload = { reason: 'Not ours.' }
    return service.inject({ method: 'POST', url, headers: ann.headers(id), payload })
  }
  const answer = await reject()
  assert.deepEqual(answer.json.data?.payouts, [{ status: 'failed', payouts: 1 }], answer.text)
  assert.deepEqual([await statusOf(blocked), await statusOf(free)], ['pending_approval', 'failed'])
  assertRefused(await reject(), 409, 'invalid_transition')
})

test('found and confirmed: its approver cannot reject it; approved, it stays blocked until an operator fails it', async () => {
  await listIs(un)
  const before = await balancesOf(account)
  const payout = await pay()
  await screening('confirm', payout)
  assertRefused(await decide(payout, 'reject'), 409, 'invalid_transition')
  assert.equal(await decided(payout, 'approve'), 'compliance_hold')
  await settle()
  assert.deepEqual([paid, await statusOf(payout)], [[], 'compliance_hold'])
  const failed = await cli.run('payout', 'transition', payout, 'failed', ...REASON)
  assert.equal(failed.code, 0, failed.stderr)
  await settle()
  assert.deepEqual([paid, await balancesOf(account)], [[], before])
})
