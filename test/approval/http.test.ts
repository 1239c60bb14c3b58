// Approvals over HTTP and on the command line: who may decide, each state, what a decision answers and
// tells, and the keys whose payouts wait. Roles on every route are in test/api/people.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused } from '../support/assert/check.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { type CommandResult, openCli } from '../support/service/cli.ts'
import {
  addPerson,
  basic,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'
import { type Caller, pathOf, Team } from './team.ts'

const PATH = '/v3/payout'
const BODY = { ...localPayout, amount: 1000 }
const FAILED = { status: 'failed' }

let service: TestService
let team: Team
let ann: PersonClient
let bob: PersonClient
let eve: PersonClient
const callers = new Map<string, Caller>()
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  const fund = { USD: 100_000_000n }
  team = new Team(service, await service.openAccount({ currencies: ['USD'], fund }))
  ann = await team.person('ann', 'approver')
  bob = await team.person('bob', 'approver')
  eve = await team.person('eve', 'maker', 'approver')
  await team.person('val', 'viewer')
  const other = await service.openAccount()
  await addPerson(service, { user: 'sam', roles: [[other.account.account_id, 'approver']] })
  const operator = await addPerson(service, { user: 'opa', role: 'operator' })
  callers.set('an operator without a role', operator)
  callers.set('the maker, an approver too', eve)
  callers.set('an approver', ann)
})
after(() => closeVerified(service))

const keyed = (key_id: string, secret: string): Caller => {
  return { headers: () => ({ authorization: basic(key_id, secret) }) }
}

/** A payout by eve that needs so many approvals. */
async function pay(approvers = 1): Promise<string> {
  const remove = await team.addRule({ approvers })
  const made = await team.ask(eve, 'POST', PATH, BODY)
  await remove()
  assert.equal(made.json.data.status, 'pending_approval', made.text)
  return made.json.data.id
}

const SCOPE = 'insufficient_scope'
/** What each caller is answered by the route that shows, and by those that decide. */
const ANSWERS: readonly (readonly [
  caller: string,
  shown: number,
  decided: number,
  reason: string,
])[] = [
  ['an operator without a role', 403, 403, SCOPE],
  ['the maker, an approver too', 200, 403, 'approval_not_allowed'],
  ['an approver', 200, 200, ''],
]

for (const [caller, shown, decided, reason] of ANSWERS) {
  test(`approval routes, caller ${caller}: reading ${shown}, approving and rejecting ${decided} ${reason}`, async () => {
    const who = callers.get(caller) ?? assert.fail(caller)
    const [first, second] = [await pay(), await pay()]
    assert.equal((await team.ask(who, 'GET', pathOf(first, '/approval'))).status, shown)
    for (const answer of [await team.approve(who, first), await team.reject(who, second)]) {
      if (decided === 200) assert.equal(answer.status, 200, answer.text)
      else assertRefused(answer, decided, reason)
    }
    const after = decided === 200 ? ['processing', 'failed'] : Array(2).fill('pending_approval')
    assert.deepEqual([await team.statusOf(first), await team.statusOf(second)], after)
  })
}

test('approval routes, API key of every scope: 403, only people decide', async () => {
  const { key_id, secret } = await service.addKey(team.account, 'operator')
  const key = keyed(key_id, secret)
  for (const prefix of ['bnf', 'pim', 'pob', 'pot']) {
    const id = `${prefix}_${'0'.repeat(20)}`
    const digest = '0'.repeat(64)
    const approved = await team.ask(key, 'POST', pathOf(id, '/approve'), { digest })
    for (const answer of [approved, await team.reject(key, id)]) assertRefused(answer, 403, SCOPE)
  }
})

test('payout already approved, paid, rejected, cancelled or failed: further decisions refused', async () => {
  const ends: readonly (readonly [status: string, end: (id: string) => Promise<unknown>])[] = [
    ['succeeded', id => team.approve(bob, id).then(() => settleAll(service))],
    ['processing', id => team.approve(bob, id)],
    ['failed', id => team.reject(bob, id)],
    ['failed', id => team.account.post(pathOf(id, '/cancel'), {})],
    ['failed', id => team.account.post(`/v3/sandbox${pathOf(id).slice(3)}/transition`, FAILED)],
  ]
  for (const [status, end] of ends) {
    const payout = await pay()
    await end(payout)
    const before = await team.read(payout)
    assert.equal(before.status, status)
    assertRefused(await team.approve(ann, payout), 409, 'invalid_transition')
    assertRefused(await team.reject(ann, payout), 409, 'invalid_transition')
    assert.deepEqual(await team.read(payout), before)
  }
})

test('approval decision with a wrong or missing digest, or without a reason: refused, nothing decided', async () => {
  const payout = await pay()
  const decide = (what: string, body: object) => team.ask(ann, 'POST', pathOf(payout, what), body)
  assertRefused(await decide('/approve', {}), 400, 'invalid_field', 'digest')
  const { digest } = await team.shown(await pay())
  assertRefused(await decide('/approve', { digest }), 409, 'approval_outdated', 'digest')
  assertRefused(await decide('/reject', {}), 400, 'invalid_field', 'reason')
  const { status, given, decisions } = await team.shown(payout)
  assert.deepEqual([status, given, decisions], ['pending', 0, []])
})

test('approval decision repeated with one Idempotency-Key: the original answer; by another person: a new decision', async () => {
  const payout = await pay(2)
  const key = { 'idempotency-key': 'same' }
  const first = await team.approve(ann, payout, {}, key)
  const again = await team.approve(ann, payout, {}, key)
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(first.json.data.status, 'pending_approval')
  const second = await team.approve(bob, payout, {}, key)
  assert.equal(second.json.data.status, 'processing')
})

interface Item {
  readonly kind: string
  readonly decision: string
  readonly by_hand: { readonly operator: string; readonly reason: string }
  readonly given: number
  readonly needed: number
}

interface Act {
  readonly decision: string
  readonly status: string
}

test('approval of a payout, each step: an event, a timeline entry with the person, an audit row', async () => {
  const payout = await pay(2)
  await team.approve(ann, payout, { reason: 'Seen the invoice' })
  await team.reject(bob, payout, 'Paid last week')
  assert.deepEqual(await team.eventsOf(payout), [
    'payout.created',
    'payout.pending_approval',
    'payout.approved',
    'payout.rejected',
    'payout.failed',
  ])
  const { items } = (await team.account.get(pathOf(payout, '/timeline'))).json.data
  const said = items.flatMap(({ kind, decision, by_hand, given, needed }: Item) =>
    kind === 'approval' ? [[decision, by_hand.operator, by_hand.reason, given, needed]] : [],
  )
  assert.deepEqual(said, [
    ['approve', 'ann', 'Seen the invoice', 1, 2],
    ['reject', 'bob', 'Paid last week', 1, 2],
  ])
  const acts = await service.database.owner<{ changed_by: string; act: string; after: Act }[]>`
    select changed_by, act, after from audit_log
    where table_name = 'payout_approvals' and after ->> 'id' = ${payout} order by change_id`
  assert.deepEqual(
    acts.map(({ changed_by, act, after }) => [changed_by, act, after.decision, after.status]),
    [
      ['ann', 'payout approve', 'approve', 'pending_approval'],
      ['bob', 'payout reject', 'reject', 'failed'],
    ],
  )
})

async function run(user: string, ...args: readonly string[]): Promise<CommandResult> {
  const cli = await openCli(service.database.url, { CORRIDOR_USER: user })
  return cli.run(...args).finally(cli.close)
}

async function newKey(...options: readonly string[]): Promise<Caller> {
  const made = await run(
    'first',
    'key',
    'create',
    team.id,
    '--scope',
    'write',
    ...options,
    '--json',
  )
  assert.equal(made.code, 0, made.stderr)
  await service.deps.reference.refresh()
  return keyed(made.json.key_id, made.json.secret)
}

test('corridor key create --makes-only: each payout of the key needs one approval, or as many as a rule requires', async () => {
  const [only, other] = [await newKey('--makes-only'), await newKey()]
  assert.equal((await team.ask(other, 'POST', PATH, BODY)).json.data.status, 'processing')
  const dry = await team.ask(only, 'POST', `${PATH}?dry_run=true`, BODY)
  assert.equal(dry.json.data.approvals_needed, 1, dry.text)
  const { id, status } = (await team.ask(only, 'POST', PATH, BODY)).json.data
  const { needed, made_by } = await team.shown(id)
  assert.deepEqual([status, needed, made_by], ['pending_approval', 1, ''])
  assertRefused(await team.approve(only, id), 403, SCOPE)
  assert.equal((await team.approve(ann, id)).json.data.status, 'processing')
  const remove = await team.addRule({ approvers: 2 })
  const more = (await team.ask(only, 'POST', PATH, BODY)).json.data
  await remove()
  assert.equal((await team.shown(more.id)).needed, 2)
})

test("corridor key create --owner: the owner is the maker of the key's payouts and cannot approve them; unknown owner: no key", async () => {
  const key = await newKey('--makes-only', '--owner', 'ann')
  const { id } = (await team.ask(key, 'POST', PATH, BODY)).json.data
  assert.equal((await team.shown(id)).made_by, 'ann')
  assertRefused(await team.approve(ann, id), 403, 'approval_not_allowed')
  assert.equal((await team.approve(bob, id)).status, 200)
  const keys = async () => (await run('first', 'key', 'list', team.id, '--json')).json.length
  const before = await keys()
  const options = ['--scope', 'write', '--owner', 'nobody', '--json']
  const made = await run('first', 'key', 'create', team.id, ...options)
  assert.notEqual(made.code, 0, made.stdout)
  assert.match(made.stderr, /nobody/)
  assert.equal(await keys(), before)
})

test('corridor account create, users exist: the first key belongs to the person who created the account', async () => {
  const money = ['--currencies', 'USD', '--primary-currency', 'USD', '--sandbox']
  const { json } = await run('first', 'account', 'create', '--name', 'New', ...money, '--json')
  const keys = (await run('first', 'key', 'list', json.account_id, '--json')).json
  assert.deepEqual(
    keys.map((key: { key_id: string; owner: string }) => [key.key_id, key.owner]),
    [[json.key_id, 'first']],
  )
})

/** In this order: once a payee needs an approval, so would that of a payout. */
for (const [subject, url, body] of [
  ['payout', PATH, BODY],
  ['beneficiary', '/v3/beneficiary', bankBeneficiary],
] as const) {
  test(`corridor ${subject} approve: approver reads and approves, viewer reads, others refused`, async () => {
    const remove = await team.addRule({ subject })
    const { id } = (await team.account.post(url, body)).json.data
    await remove()
    const stranger = await run('sam', subject, 'approval', id, '--json')
    assert.deepEqual([stranger.code, stranger.stdout], [1, ''])
    assert.match(stranger.stderr, /sam has no role on its account/)
    const { digest } = (await run('val', subject, 'approval', id, '--json')).json
    const decided = await run('val', subject, 'approve', id, '--digest', digest)
    assert.deepEqual([decided.code, decided.stdout], [1, ''], decided.stderr)
    // As of a variable that is not set.
    const empty = await run('ann', subject, 'approve', id, '--digest', '')
    assert.deepEqual([empty.code, empty.stdout], [2, ''])
    assert.match(empty.stderr, /digest/)
    const done = await run('ann', subject, 'approve', id, '--digest', digest)
    assert.match(done.stdout, new RegExp(`^${id} {2}approved`), done.stderr)
  })
}

test('account member, commands outside approvals: refused', async () => {
  for (const args of [
    ['account', 'list'],
    ['key', 'list', team.id],
    ['entity', 'reject', 'ent_x', '--reason', 'x'],
  ]) {
    const { code, stdout, stderr } = await run('ann', ...args)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /ann is a member, who works for accounts by the API/)
  }
})
