// Races for one payout that waits for its approval: many approvers at the same moment, in two
// processes, and approvals against rejections, cancellations, the expiry and a role taken away.
// Expects of each one end, and books that agree with it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deleteAccountRole, insertAccountRole } from '../../src/accounts/user/store.ts'
import { expireApprovals } from '../../src/app/worker/end-holds.ts'
import { closeVerified } from '../support/assert/books.ts'
import { localPayout } from '../support/given/bodies.ts'
import {
  type AnotherProcess,
  type Answer,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { share } from '../support/share.ts'
import { pathOf, Team } from './team.ts'

const APPROVERS = 50
const ROUNDS = share(4, 40)

let service: TestService
let other: AnotherProcess
let team: Team
let people: PersonClient[]
before(async () => {
  service = await startTestService()
  const fund = { USD: 100_000_000n }
  team = new Team(service, await service.openAccount({ currencies: ['USD'], fund }))
  people = await team.approvers(Array.from({ length: APPROVERS }, (_, i) => `approver${i}`))
  other = await service.anotherProcess()
})
after(async () => {
  await other.close()
  await closeVerified(service)
})

/** A payout that needs so many approvals, and what its approvers are shown. */
async function pay(approvers: number, expires_after_days = 30) {
  const remove = await team.addRule({ approvers, expires_after_days })
  const made = await team.account.post('/v3/payout', { ...localPayout, amount: 1000 })
  await remove()
  assert.equal(made.json.data.status, 'pending_approval', made.text)
  const payout: string = made.json.data.id
  return { payout, digest: (await team.shown(payout)).digest as string }
}

/** What a busy database has refused to wait for is asked again. */
async function insist(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 503) return answer
  }
}

/** A person's decision, at every other process. */
function decide(
  i: number,
  payout: string,
  what: 'approve' | 'reject',
  payload: object,
  person = people[i % people.length] ?? assert.fail(),
) {
  const { inject } = i % 2 === 0 ? service : other
  const url = pathOf(payout, `/${what}`)
  return insist(() => inject({ method: 'POST', url, headers: person.headers(team.id), payload }))
}

const reasonOf = ({ status, json }: Answer): string =>
  status === 200 ? 'ok' : `${status} ${json.errors[0].reason}`

async function countDecisions(payout: string): Promise<number> {
  const rows = await service.database.owner`
    select from approval_decisions where payout_id = ${payout}`
  return rows.length
}

test(`${APPROVERS} approvers in parallel, two processes: three approvals count, the payout proceeds once`, async () => {
  const { payout, digest } = await pay(3)
  const answers = await Promise.all(people.map((_, i) => decide(i, payout, 'approve', { digest })))
  const reasons = answers.map(reasonOf).toSorted()
  const late = Array(APPROVERS - 3).fill('409 invalid_transition')
  assert.deepEqual(reasons, [...late, 'ok', 'ok', 'ok'])
  assert.equal(await countDecisions(payout), 3)
  assert.equal(await team.statusOf(payout), 'processing')
  assert.deepEqual(await team.eventsOf(payout), [
    'payout.created',
    'payout.pending_approval',
    'payout.approved',
    'payout.approved',
    'payout.approved',
    'payout.processing',
  ])
})

test('one approver, twenty requests in parallel, two processes: counted once', async () => {
  const { payout, digest } = await pay(2)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => decide(i, payout, 'approve', { digest }, people[0])),
  )
  const reasons = answers.map(reasonOf).toSorted()
  assert.deepEqual(reasons, [...Array(19).fill('409 already_decided'), 'ok'])
  assert.equal(await countDecisions(payout), 1)
  assert.equal(await team.statusOf(payout), 'pending_approval')
})

test('approval, rejection and cancellation in parallel: only one takes effect', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { payout, digest } = await pay(1)
    const answers = await Promise.all([
      decide(0, payout, 'approve', { digest }),
      decide(1, payout, 'reject', { reason: 'Not ours' }),
      insist(() => team.account.post(pathOf(payout, '/cancel'), {})),
    ])
    const [approved, rejected, cancelled] = answers.map(({ status }) => status === 200)
    const told = await team.eventsOf(payout)
    // Before the rail is asked, an approved payout can be cancelled.
    assert.equal([approved, rejected, cancelled && !approved].filter(Boolean).length, 1)
    assert.equal(await team.statusOf(payout), approved && !cancelled ? 'processing' : 'failed')
    assert.equal(
      told.filter(type => type === 'payout.failed').length,
      approved && !cancelled ? 0 : 1,
    )
    assert.equal(told.filter(type => type === 'payout.processing').length, approved ? 1 : 0)
  }
})

test('approval at the moment of its expiry: payout proceeds, or is credited back', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { payout, digest } = await pay(1, 1)
    const expire = async () => {
      await team.account.post('/v3/sandbox/clock/advance', { seconds: 86_400 })
      await Promise.all([expireApprovals(service.deps), expireApprovals(other.deps)])
    }
    const [answer] = await Promise.all([decide(round, payout, 'approve', { digest }), expire()])
    await expireApprovals(service.deps)
    const approved = answer.status === 200
    if (!approved) assert.equal(reasonOf(answer), '409 invalid_transition')
    assert.equal(await team.statusOf(payout), approved ? 'processing' : 'failed')
  }
})

test('last approval while an earlier approver loses the role: result as if one came after the other', async () => {
  const given = { user_name: 'approver0', account_id: team.id, role: 'approver' } as const
  for (let round = 0; round < ROUNDS; round++) {
    const { payout, digest } = await pay(2)
    assert.equal(reasonOf(await decide(0, payout, 'approve', { digest })), 'ok')
    const [last] = await Promise.all([
      decide(1, payout, 'approve', { digest }),
      deleteAccountRole(service.deps.sql, given),
    ])
    assert.equal(last.status, 200, last.text)
    const { status } = last.json.data
    assert.match(status, /^(processing|pending_approval)$/)
    // With the role gone, nobody but a third person can complete it.
    if (status === 'pending_approval') {
      const third = await decide(2, payout, 'approve', { digest })
      assert.equal(third.json.data.status, 'processing', third.text)
    }
    await insertAccountRole(service.deps.sql, given)
    await Promise.all([service.deps.reference.refresh(), other.deps.reference.refresh()])
  }
})
