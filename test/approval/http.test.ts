// Approvals over HTTP: each caller on each route, each state, what a decision answers and tells.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { updateDisabled } from '../../src/user/store.ts'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import {
  type Answer,
  addPerson,
  basic,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'

const PATH = '/v3/payout'

type Headers = Readonly<Record<string, string>>

let service: TestService
let account: Client
let id: string
let ann: PersonClient
let bob: PersonClient
let eve: PersonClient
/** The headers of each caller. */
const callers = new Map<string, Headers>()
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  const open = () => service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  account = await open()
  id = account.account.account_id
  const other = await open()
  const roleless = await addPerson(service, { user: 'roleless' })
  const operator = await addPerson(service, { user: 'opa', role: 'operator' })
  const viewer = await addPerson(service, { user: 'val', roles: [[id, 'viewer']] })
  const maker = await addPerson(service, { user: 'mia', roles: [[id, 'maker']] })
  const stranger = await addPerson(service, {
    user: 'sam',
    roles: [[other.account.account_id, 'approver']],
  })
  const gone = await addPerson(service, { user: 'gus', roles: [[id, 'approver']] })
  ann = await addPerson(service, { user: 'ann', roles: [[id, 'approver']] })
  bob = await addPerson(service, { user: 'bob', roles: [[id, 'approver']] })
  eve = await addPerson(service, {
    user: 'eve',
    roles: [
      [id, 'maker'],
      [id, 'approver'],
    ],
  })
  await updateDisabled(service.deps.sql, 'gus', 'Left')
  const read = await service.addKey(account, 'read')
  const all = await service.addKey(account, 'operator')
  const keyed = ({ key_id, secret }: Client) => ({ authorization: basic(key_id, secret) })
  const named: readonly (readonly [string, Headers])[] = [
    ['nobody', {}],
    ['a wrong secret', { authorization: basic(ann.key_id, 'x') }],
    ['a key that reads', keyed(read)],
    ['a key that writes', keyed(account)],
    ['a key of scope operator', keyed(all)],
    ['a person without a role', roleless.headers(id)],
    ['an operator without a role', operator.headers(id)],
    ['a viewer', viewer.headers(id)],
    ['a maker', maker.headers(id)],
    ['an approver of another account', stranger.headers(id)],
    ['a disabled approver', gone.headers(id)],
    ['an approver without an account', ann.headers()],
    ['an approver', ann.headers(id)],
    ['who made it, an approver too', eve.headers(id)],
  ]
  for (const [name, headers] of named) callers.set(name, headers)
  await addApprovalRule(service, { account_id: id })
  await service.deps.reference.refresh()
})
after(() => closeVerified(service))

async function pay(headers: Headers = eve.headers(id)): Promise<string> {
  const body = { ...localPayout, amount: 1000 }
  const made = await service.inject({ method: 'POST', url: PATH, headers, payload: body })
  assert.equal(made.json.data.status, 'pending_approval', made.text)
  return made.json.data.id
}

const ask = (headers: Headers, method: 'GET' | 'POST', url: string, payload?: object) =>
  service.inject({ method, url, headers, ...(payload && { payload }) })

async function digestOf(payout: string): Promise<string> {
  const shown = await account.get(`${PATH}/${payout}/approval`)
  return shown.json.data.digest
}

const approve = async (headers: Headers, payout: string, more: object = {}): Promise<Answer> =>
  ask(headers, 'POST', `${PATH}/${payout}/approve`, { digest: await digestOf(payout), ...more })

const reject = (headers: Headers, payout: string, reason = 'Not ours.') =>
  ask(headers, 'POST', `${PATH}/${payout}/reject`, { reason })

/** What each caller is answered: by the route that shows, and by those that decide. */
const ANSWERS: readonly (readonly [
  caller: string,
  shown: readonly [number, string],
  decided: readonly [number, string],
])[] = [
  ['nobody', [401, 'missing_credentials'], [401, 'missing_credentials']],
  ['a wrong secret', [401, 'invalid_credentials'], [401, 'invalid_credentials']],
  ['a key that reads', [200, ''], [403, 'insufficient_scope']],
  ['a key that writes', [200, ''], [403, 'insufficient_scope']],
  ['a key of scope operator', [200, ''], [403, 'insufficient_scope']],
  ['a person without a role', [403, 'insufficient_scope'], [403, 'insufficient_scope']],
  ['an operator without a role', [403, 'insufficient_scope'], [403, 'insufficient_scope']],
  ['a viewer', [200, ''], [403, 'insufficient_scope']],
  ['a maker', [200, ''], [403, 'insufficient_scope']],
  ['an approver of another account', [403, 'insufficient_scope'], [403, 'insufficient_scope']],
  ['a disabled approver', [401, 'invalid_credentials'], [401, 'invalid_credentials']],
  ['an approver without an account', [400, 'invalid_request'], [400, 'invalid_request']],
  ['who made it, an approver too', [200, ''], [403, 'approval_not_allowed']],
  ['an approver', [200, ''], [200, '']],
]

function assertAnswer(answer: Answer, [status, reason]: readonly [number, string]): void {
  if (status === 200) assert.equal(answer.status, 200, answer.text)
  else assertRefused(answer, status, reason)
}

for (const [caller, shown, decided] of ANSWERS) {
  test(`${caller}: shown ${shown.join(' ')}, approves and rejects ${decided.join(' ')}`, async () => {
    const headers = callers.get(caller) ?? assert.fail(caller)
    const [first, second] = [await pay(), await pay()]
    assertAnswer(await ask(headers, 'GET', `${PATH}/${first}/approval`), shown)
    assertAnswer(await approve(headers, first), decided)
    assertAnswer(await reject(headers, second), decided)
    const after = decided[0] === 200 ? ['processing', 'failed'] : Array(2).fill('pending_approval')
    const statuses = [first, second].map(async payout => {
      return (await account.get(`${PATH}/${payout}`)).json.data.status
    })
    assert.deepEqual(await Promise.all(statuses), after)
  })
}

/** How payouts come to be in each state in which nobody can decide any more. */
const STATES: Readonly<Record<string, () => Promise<string>>> = {
  async approved() {
    const payout = await pay()
    await approve(bob.headers(id), payout)
    return payout
  },
  async paid() {
    const payout = await pay()
    await approve(bob.headers(id), payout)
    await settleAll(service)
    assert.equal((await account.get(`${PATH}/${payout}`)).json.data.status, 'succeeded')
    return payout
  },
  async rejected() {
    const payout = await pay()
    await reject(bob.headers(id), payout)
    return payout
  },
  async cancelled() {
    const payout = await pay()
    await account.post(`${PATH}/${payout}/cancel`, {})
    return payout
  },
  async 'failed by an operator'() {
    const payout = await pay()
    await account.post(`/v3/sandbox/payout/${payout}/transition`, { status: 'failed' })
    return payout
  },
}

for (const [state, make] of Object.entries(STATES)) {
  test(`a payout that is ${state}: nobody approves or rejects it`, async () => {
    const payout = await make()
    const before = (await account.get(`${PATH}/${payout}`)).text
    assertRefused(await approve(ann.headers(id), payout), 409, 'invalid_transition')
    assertRefused(await reject(ann.headers(id), payout), 409, 'invalid_transition')
    assert.equal((await account.get(`${PATH}/${payout}`)).text, before)
  })
}

test('a payout of another account, and one that there is not: 404', async () => {
  const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  const [theirs, nobodys] = [
    (await other.post(PATH, { ...localPayout, amount: 1000 })).json.data.id,
    'pot_00000000000000000000',
  ]
  for (const payout of [theirs, nobodys]) {
    const digest = '0'.repeat(64)
    const answers = [
      await ask(ann.headers(id), 'GET', `${PATH}/${payout}/approval`),
      await ask(ann.headers(id), 'POST', `${PATH}/${payout}/approve`, { digest }),
      await reject(ann.headers(id), payout),
    ]
    for (const answer of answers) assertRefused(answer, 404, 'not_found')
  }
})

test('a body without a digest, with another one, or without a reason: refused, nothing decided', async () => {
  const payout = await pay()
  const url = `${PATH}/${payout}/approve`
  assertRefused(await ask(ann.headers(id), 'POST', url, {}), 400, 'invalid_field', 'digest')
  const wrong = { digest: '0'.repeat(64) }
  assertRefused(await ask(ann.headers(id), 'POST', url, wrong), 409, 'approval_outdated', 'digest')
  const rejecting = ask(ann.headers(id), 'POST', `${PATH}/${payout}/reject`, {})
  assertRefused(await rejecting, 400, 'invalid_field', 'reason')
  const { data } = (await account.get(`${PATH}/${payout}/approval`)).json
  assert.deepEqual([data.status, data.given, data.decisions], ['pending', 0, []])
})

test('a repeat under one Idempotency-Key: the first answer; of another person: a decision of its own', async () => {
  const remove = await addApprovalRule(service, { account_id: id, approvers: 2 })
  const payout = await pay()
  await remove()
  const keyed = (person: PersonClient) => ({ ...person.headers(id), 'idempotency-key': 'same' })
  const first = await approve(keyed(ann), payout)
  const again = await approve(keyed(ann), payout)
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(first.json.data.status, 'pending_approval')
  const second = await approve(keyed(bob), payout)
  assert.equal(second.json.data.status, 'processing')
})

test('each step: told by an event, shown in the timeline with its person, in the audit log', async () => {
  const remove = await addApprovalRule(service, { account_id: id, approvers: 2 })
  const payout = await pay()
  await remove()
  await approve(ann.headers(id), payout, { reason: 'Seen the invoice' })
  await reject(bob.headers(id), payout, 'Paid last week')
  const events = (await account.get(`/v3/event?object_id=${payout}`)).json.data.results
  assert.deepEqual(events.map(({ type }: { type: string }) => type).reverse(), [
    'payout.created',
    'payout.pending_approval',
    'payout.approved',
    'payout.rejected',
    'payout.failed',
  ])
  const { items } = (await account.get(`${PATH}/${payout}/timeline`)).json.data
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
