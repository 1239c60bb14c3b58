// The queue of payouts that wait for an approval: what it shows of each, and a form that approves many
// at once, each by the digest that its row showed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

let service: TestService
let payer: Client
before(async () => {
  service = await startTestService()
  payer = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 9n } })
  await addApprovalRule(service, { account_id: payer.account.account_id, approvers: 2 })
})
after(() => service.close())

/** The headers of a new person of the account. */
async function enter(user: string, role: 'maker' | 'approver') {
  const { account_id } = payer.account
  await addPerson(service, { user, roles: [[account_id, role]] })
  return { ...(await logIn(service, user)), 'corridor-account': account_id }
}

type Headers = Awaited<ReturnType<typeof enter>>

let paid = 0

async function pay(headers?: Headers): Promise<string> {
  paid += 1
  const payload = { ...localPayout, amount: 1_000_00 + paid, reference_id: `Q-${paid}` }
  const made =
    headers === undefined
      ? await payer.post('/v3/payout', payload)
      : await service.inject({ method: 'POST', url: '/v3/payout', headers, payload })
  assert.equal(made.status, 200, made.text)
  return made.json.data.id
}

const path = () => `/console/${payer.account.account_id}/approvals`

const look = async (headers: Headers, query = '') =>
  (await service.inject({ url: `${path()}${query}`, headers })).text

/** The row of the payout in a table. */
function rowOf(page: string, id: string): string {
  return page.split('<tr>').find(row => row.includes(`/payouts/${id}"`)) ?? ''
}

/** The value of the box of the payout's row; '' without one. */
const boxOf = (page: string, id: string) =>
  /name="chosen" value="(pot_\w+ [0-9a-f]{64})"/.exec(rowOf(page, id))?.[1] ?? ''

const send = (headers: Headers, chosen: readonly string[], more: Record<string, string> = {}) =>
  sendForm(service, headers, `${path()}/approve`, [
    ...chosen.map((value): [string, string] => ['chosen', value]),
    ...Object.entries({ key: `k-${headers.cookie.slice(-12)}-${chosen.length}-${paid}`, ...more }),
  ])

const statusOf = async (id: string) => (await payer.get(`/v3/payout/${id}`)).json.data.status

test('queue of approvals: payee, amount, debit with fees, maker, age, who has approved; a box only where the reader may decide', async () => {
  const [mia, amy, bea] = [
    await enter('mia', 'maker'),
    await enter('amy', 'approver'),
    await enter('bea', 'approver'),
  ]
  const id = await pay(mia)
  const { total_debit } = (await payer.get(`/v3/payout/${id}`)).json.data
  assert.ok(Number(total_debit.amount) >= 100_001)
  const row = rowOf(await look(amy), id)
  assert.match(row, /1,000\.01&nbsp;USD/)
  assert.match(row, />mia<[\s\S]*under a minute[\s\S]*0 of 2</)
  assert.ok(boxOf(await look(amy), id))
  assert.equal(boxOf(await look(mia), id), '')
  assert.match(rowOf(await look(mia), id), /You made it/)

  const approved = await send(amy, [boxOf(await look(amy), id)])
  assert.match(approved.text, /1 of 1 payouts approved[\s\S]*Others must approve it, too/)
  assert.match(rowOf(await look(bea), id), /1 of 2: amy/)
  assert.match(rowOf(await look(amy), id), /You approved it/)
})

test('queue of approvals, many approved at once: each result by name, a refused one stops no other', async () => {
  const [cal, dan, eve] = [
    await enter('cal', 'approver'),
    await enter('dan', 'approver'),
    await enter('eve', 'approver'),
  ]
  const ids = [await pay(), await pay(), await pay()]
  const [first = '', second = '', third = ''] = ids
  const shown = await look(cal)
  await send(
    cal,
    ids.map(id => boxOf(shown, id)),
  )
  const page = await look(dan)
  // Cancelled after the page was read.
  assert.equal((await payer.post(`/v3/payout/${second}/cancel`, {})).status, 200)
  // The digest of another payout.
  const foreign = `${third} ${boxOf(page, first).split(' ')[1]}`
  const chosen = [boxOf(page, first), boxOf(page, second), foreign]
  const decided = await send(dan, chosen, { reason: 'Checked' })
  assert.equal(decided.status, 200, decided.text)
  assert.match(decided.text, /<h1>1 of 3 payouts approved<\/h1>/)
  assert.match(
    rowOf(decided.text, first),
    /Harbour Trading Ltd<\/a>[\s\S]*approved<\/span> It is now/,
  )
  assert.match(rowOf(decided.text, second), /not approved<\/span>/)
  assert.match(rowOf(decided.text, third), /not approved<\/span> The digest is not that of/)
  assert.deepEqual(
    [await statusOf(first), await statusOf(second), await statusOf(third)],
    ['processing', 'failed', 'pending_approval'],
  )
  // Sent again, as by a browser that reloads the answer: the same answers, no second decision.
  const again = await send(dan, chosen, { reason: 'Checked' })
  assert.match(again.text, /<h1>1 of 3 payouts approved<\/h1>/)
  const both = await send(eve, [boxOf(await look(eve), third)])
  assert.match(both.text, /1 of 1 payouts approved/)
  assert.equal(await statusOf(third), 'processing')
})

test('queue of approvals, all of the page chosen by a link; none chosen, or no password given: nothing decided', async () => {
  const fay = await enter('fay', 'approver')
  await pay()
  const id = await pay()
  assert.doesNotMatch(rowOf(await look(fay), id), / checked/)
  const page = await look(fay, '?chosen=all')
  assert.match(rowOf(page, id), / checked/)
  // Nobody has seen the rows of another page, so its link chooses none of them.
  const older = await look(fay, `?chosen=all&starting_after=${id}`)
  const newer = /<a rel="prev" href="([^"]*)"/.exec(older)?.[1] ?? assert.fail(older)
  assert.equal(newer.includes('chosen'), false, newer)
  const none = await send(fay, [])
  assert.equal(none.status, 400, none.text)
  assert.match(none.text, /Choose at least one payout/)
  await service.database.owner`
    update sessions set confirmed_at = now() - interval '1 hour' where user_name = 'fay'`
  const asked = await send(fay, [boxOf(page, id)])
  assert.equal(asked.status, 403, asked.text)
  assert.match(asked.text, /type="password"/)
  assert.match(rowOf(asked.text, id), / checked/)
  assert.equal(await statusOf(id), 'pending_approval')
})
