// Keys as `corridor key create` makes them: those that only make payouts, which others approve, and
// those of a person, who approves none that they made.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import {
  type Answer,
  addPerson,
  basic,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const PATH = '/v3/payout'

type Headers = Readonly<Record<string, string>>

let service: TestService
let cli: Cli
let id: string
let ann: PersonClient
let bob: PersonClient
before(async () => {
  service = await startTestService()
  const opened = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
  id = opened.account.account_id
  ann = await addPerson(service, { user: 'ann', roles: [[id, 'approver']] })
  bob = await addPerson(service, { user: 'bob', roles: [[id, 'approver']] })
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'first' })
})
after(async () => {
  await cli.close()
  await closeVerified(service)
})

async function newKey(...options: readonly string[]): Promise<Headers> {
  const made = await cli.run('key', 'create', id, ...options, '--json')
  assert.equal(made.code, 0, made.stderr)
  await service.deps.reference.refresh()
  return { authorization: basic(made.json.key_id, made.json.secret) }
}

const ask = (headers: Headers, method: 'GET' | 'POST', url: string, payload?: object) =>
  service.inject({ method, url, headers, ...(payload && { payload }) })

async function pay(key: Headers): Promise<{ id: string; status: string }> {
  const made = await ask(key, 'POST', PATH, { ...localPayout, amount: 1000 })
  assert.equal(made.status, 200, made.text)
  return made.json.data
}

async function shown(payout: string) {
  return (await ask(ann.headers(id), 'GET', `${PATH}/${payout}/approval`)).json.data
}

async function approve(by: Headers, payout: string): Promise<Answer> {
  const { digest } = await shown(payout)
  return ask(by, 'POST', `${PATH}/${payout}/approve`, { digest })
}

test('key create --makes-only, no rule: each of its payouts waits for one approver, those of other keys do not', async () => {
  const [only, other] = [await newKey('--makes-only'), await newKey()]
  assert.equal((await pay(other)).status, 'processing')
  const dry = await ask(only, 'POST', `${PATH}?dry_run=true`, { ...localPayout, amount: 1000 })
  assert.equal(dry.json.data.approvals_needed, 1, dry.text)
  const payout = await pay(only)
  assert.equal(payout.status, 'pending_approval')
  const { needed, made_by } = await shown(payout.id)
  assert.deepEqual([needed, made_by], [1, ''])
  assertRefused(await approve(only, payout.id), 403, 'insufficient_scope')
  assert.equal((await approve(ann.headers(id), payout.id)).status, 200)
  const after = await ask(other, 'GET', `${PATH}/${payout.id}`)
  assert.equal(after.json.data.status, 'processing')
})

test('key create --makes-only, where a rule asks for two: two must approve', async t => {
  const remove = await addApprovalRule(service, { account_id: id, approvers: 2 })
  t.after(remove)
  await service.deps.reference.refresh()
  const payout = await pay(await newKey('--makes-only'))
  assert.equal((await shown(payout.id)).needed, 2)
})

test('key create --owner: its payouts are made by the owner, who approves none of them; somebody else does', async () => {
  const payout = await pay(await newKey('--makes-only', '--owner', 'ann'))
  assert.equal((await shown(payout.id)).made_by, 'ann')
  assertRefused(await approve(ann.headers(id), payout.id), 403, 'approval_not_allowed')
  assert.equal((await approve(bob.headers(id), payout.id)).status, 200)
})

test('key create --owner of nobody: refused, and no key is made', async () => {
  const count = async () => (await cli.run('key', 'list', id, '--json')).json.length
  const before = await count()
  const made = await cli.run('key', 'create', id, '--owner', 'nobody', '--json')
  assert.notEqual(made.code, 0, made.stdout)
  assert.match(made.stderr, /nobody/)
  assert.equal(await count(), before)
})
