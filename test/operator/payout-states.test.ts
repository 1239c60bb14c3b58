// Who may move a payout, and out of which state: each route that moves one, each state, and everybody
// who could call, by a key or in a session. What is refused changes no row.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type WrittenTables, watchWrittenTables } from '../support/database/written.ts'
import { addApprovalRule, digestOf } from '../support/service/approvals.ts'
import { entityOf, operatorSets, pay } from '../support/service/payouts.ts'
import { type Answer, addPerson } from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'
import { share } from '../support/share.ts'
import {
  heldPayout,
  makeCallers,
  makeOperatorWorld,
  newReference,
  type OperatorWorld,
} from './world.ts'

type Headers = Record<string, string>

/** Payouts of this amount need an approval. */
const LARGE = 1_000_000
const REASON = { reason: 'Case 118' }
const TAKE = 'POST /v3/operator/payout/:id/take'
const TRANSITION = 'POST /v3/operator/payout/:id/transition'

const STATES = [
  'awaiting approval',
  'waiting for its rail',
  'taken by the caller',
  'asking its account',
  'held for its entity',
  'held by screening',
  'succeeded',
  'failed',
  'reversed',
] as const
type State = (typeof STATES)[number]

const NOT_ALLOWED = '403 insufficient_scope'
const DONE = '200'
const NO = '409 invalid_transition'
const LATE = '409 payout_not_cancellable'

/** Whoever may call each route, and the states in which it moves the payout; else it is refused. */
const ROUTES: Readonly<
  Record<string, { by: Party; moves: readonly State[]; else: typeof NO | typeof LATE }>
> = {
  'POST /v3/payout/:id/cancel': {
    by: 'makers',
    moves: [
      'awaiting approval',
      'waiting for its rail',
      'asking its account',
      'held for its entity',
    ],
    else: LATE,
  },
  'POST /v3/payout/:id/action': { by: 'makers', moves: ['asking its account'], else: NO },
  'POST /v3/payout/:id/approve': { by: 'approvers', moves: ['awaiting approval'], else: NO },
  'POST /v3/payout/:id/reject': { by: 'approvers', moves: ['awaiting approval'], else: NO },
  [TAKE]: { by: 'operators', moves: ['waiting for its rail'], else: NO },
  'POST /v3/operator/payout/:id/release': {
    by: 'operators',
    moves: ['taken by the caller'],
    else: NO,
  },
  // To failed.
  [TRANSITION]: {
    by: 'operators',
    moves: [
      'awaiting approval',
      'waiting for its rail',
      'taken by the caller',
      'asking its account',
      'held for its entity',
    ],
    else: NO,
  },
  'POST /v3/operator/screening/:id/clear': {
    by: 'operators',
    moves: ['held by screening'],
    else: NO,
  },
  'POST /v3/operator/screening/:id/confirm': {
    by: 'operators',
    moves: ['held by screening'],
    else: NO,
  },
}

const PARTIES = {
  makers: ['account key, write', 'account key, operator', 'maker', 'maker’s session'],
  approvers: ['approver', 'approver’s session'],
  operators: ['operator', 'operator’s session'],
} as const
type Party = keyof typeof PARTIES

let world: OperatorWorld
let written: WrittenTables
let callers: Readonly<Record<string, Headers>>
before(async () => {
  world = await makeOperatorWorld()
  const { service, ada } = world
  const id = world.live.account.account_id
  const { 'wrong secret': _, 'disabled operator': _left, ...others } = await makeCallers(world)
  await addPerson(service, { user: 'opal', role: 'operator' })
  const session = async (user: string) => ({
    ...(await logIn(service, user)),
    'corridor-account': id,
  })
  callers = {
    ...others,
    operator: ada.headers(id),
    auditor: { ...others.auditor, 'corridor-account': id },
    'viewer’s session': await session('m.viewer'),
    'maker’s session': await session('m.maker'),
    'approver’s session': await session('m.approver'),
    'auditor’s session': await session('grace'),
    'operator’s session': await session('opal'),
  }
  const rule = { at_least: BigInt(LARGE), at_least_currency: 'USD' }
  await addApprovalRule(service, { account_id: id, ...rule })
  await service.deps.reference.refresh()
  written = await watchWrittenTables(service.database.owner)
})
after(() => world.close())

async function bodyOf(name: string, payout: string): Promise<object> {
  if (name.endsWith('/approve'))
    return { digest: (await digestOf(world.service, payout)) || '0'.repeat(64) }
  if (name.endsWith('/action')) return { note: 'As asked' }
  if (name.endsWith('/transition')) return { status: 'failed', ...REASON }
  return name.endsWith('/cancel') || name === TAKE ? {} : REASON
}

/** A payout in this state; whoever takes one is the caller, if the caller may. */
async function payoutIn(state: State, headers: Headers): Promise<string> {
  const { live, service } = world
  if (state === 'held by screening') return heldPayout(world)
  const amount = state === 'awaiting approval' ? LARGE : 10_000
  const entity = state === 'held for its entity' && { on_behalf_of: await entityOf(live) }
  const { id } = await pay(live, { amount, ...entity })
  if (state === 'asking its account') await operatorSets(service, live, id, 'requires_action')
  if (state === 'failed') await operatorSets(service, live, id, 'failed')
  if (state === 'succeeded' || state === 'reversed') {
    await act(TAKE, id, {})
    await act(TRANSITION, id, { status: 'succeeded', reference: newReference() })
  }
  if (state === 'reversed') await act(TRANSITION, id, { status: 'reversed', ...REASON })
  if (state === 'taken by the caller') {
    const { status } = await world.call(TAKE, { ids: [id], body: {} }, headers)
    if (status !== 200) await act(TAKE, id, {})
  }
  return id
}

/** What ada does, on the way to a state. */
async function act(name: string, id: string, body: object): Promise<void> {
  const answer = await world.call(name, { ids: [id], body })
  assert.equal(answer.status, 200, answer.text)
}

const said = ({ status, json }: Answer): string =>
  status === 200 ? DONE : `${status} ${json.errors[0].reason}`

/** What is refused leaves a payout as it is, for the next one to ask. */
const standing = new Map<string, string>()
async function standingIn(state: State, who: string, headers: Headers): Promise<string> {
  const key = state === 'taken by the caller' ? `${state} ${who}` : state
  const id = standing.get(key) ?? (await payoutIn(state, headers))
  standing.set(key, id)
  return id
}

for (const [nth, state] of STATES.entries()) {
  const moving = Object.entries(ROUTES).filter(([, { moves }]) => moves.includes(state))
  const refusing = Object.entries(ROUTES).filter(([, { moves }]) => !moves.includes(state))

  /** The route asked in the state by each of these. */
  const assertAsked = async (name: string, whos: readonly string[], expected: string) => {
    for (const who of whos) {
      const headers = callers[who] ?? assert.fail(who)
      const id = await (expected === DONE
        ? payoutIn(state, headers)
        : standingIn(state, who, headers))
      const body = await bodyOf(name, id)
      await written()
      const answer = await world.call(name, { ids: [id], body }, headers)
      assert.equal(said(answer), expected, `${name}, ${who}: ${answer.text}`)
      const changed = await written()
      assert.equal(changed.length > 0, expected === DONE, `${name}, ${who}: ${changed}`)
    }
  }

  for (const [name, { by }] of moving) {
    test(`payout ${state}, ${name}, by ${by}: ${DONE}`, () => assertAsked(name, PARTIES[by], DONE))
  }

  test(`payout ${state}, every other route by permitted callers: ${NO} or ${LATE}, no row changes`, async () => {
    // Whoever it is: each of them in another state.
    for (const [name, { by, else: refused }] of refusing) {
      const party = PARTIES[by]
      await assertAsked(name, [party[nth % party.length] ?? assert.fail()], refused)
    }
  })

  test(`payout ${state}, every route by other callers: 401 or ${NOT_ALLOWED}, no row changes`, async () => {
    const id = await standingIn(state, 'operator', callers.operator ?? assert.fail())
    const bodies = await Promise.all(Object.keys(ROUTES).map(name => bodyOf(name, id)))
    const others = Object.entries(ROUTES).flatMap(([name, { by }], i) => {
      const allowed: readonly string[] = PARTIES[by]
      const left = Object.keys(callers).filter(who => !allowed.includes(who))
      return left.map(who => ({ name, who, body: bodies[i] ?? {} }))
    })
    await written()
    for (const [i, { name, who, body }] of others.entries()) {
      if (share((i + nth) % 3 !== 0, false)) continue
      const answer = await world.call(name, { ids: [id], body }, callers[who])
      const expected = who === 'nobody' ? '401 missing_credentials' : NOT_ALLOWED
      assert.equal(said(answer), expected, `${name}, ${who}: ${answer.text}`)
    }
    assert.deepEqual(await written(), [])
  })
}
