// Payouts that `corridor payout import` has made, approved as one: each under its own rules, bound to
// what was shown, in one transaction, however many approve at once and while the import goes on.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { openCli } from '../support/service/cli.ts'
import { importInto } from '../support/service/importing.ts'
import {
  type Answer,
  addPerson,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const PATH = '/v3/payout_import'
const LARGE = 100_000
/** At once. */
const PEOPLE = 20

let service: TestService
let account: Client
let id: string
let people: PersonClient[]
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 10n } })
  id = account.account.account_id
  people = []
  for (let i = 0; i < PEOPLE; i += 1) {
    people.push(await addPerson(service, { user: `p${i}`, roles: [[id, 'approver']] }))
  }
  const rule = { account_id: id, at_least_currency: 'USD' }
  await addApprovalRule(service, { ...rule, at_least: BigInt(LARGE) })
  await addApprovalRule(service, { ...rule, at_least: BigInt(5 * LARGE), approvers: 2 })
  await service.deps.reference.refresh()
})
after(() => closeVerified(service))

const person = (i: number): PersonClient => people[i] as PersonClient

const ask = (who: PersonClient, method: 'GET' | 'POST', url: string, payload?: object) =>
  service.inject({ method, url, headers: who.headers(id), ...(payload && { payload }) })

let files = 0

/** The rows of a file, each told from those of other files. */
function rowsOf(amounts: readonly number[]): object[] {
  files += 1
  return amounts.map((amount, i) => ({ ...localPayout, amount, reference_id: `F-${files}-${i}` }))
}

const shown = async (pim: string) => (await account.get(`${PATH}/${pim}/approval`)).json.data

async function approve(who: PersonClient, pim: string, digest?: string): Promise<Answer> {
  const body = { digest: digest ?? (await shown(pim)).digest }
  return ask(who, 'POST', `${PATH}/${pim}/approve`, body)
}

/** The payouts of an import, the oldest first. */
async function payoutsOf(pim: string): Promise<{ id: string; status: string }[]> {
  const { json } = await account.get(`${PATH}/${pim}/payout?limit=100`)
  return json.data.results.reverse()
}

const statusesOf = async (pim: string) => (await payoutsOf(pim)).map(({ status }) => status)

async function refusedWithoutARow(answer: Promise<Answer>, status: number, reason: string) {
  const before = await rowVersions(service.database.owner)
  assertRefused(await answer, status, reason)
  assert.deepEqual(await rowVersions(service.database.owner), before)
}

test('what waits of a file is shown with its sums, and one act approves all of it', async () => {
  const rows = rowsOf([LARGE, 100, 2 * LARGE])
  const pim = await importInto(service, account, 'salaries.csv', rows)
  const waits = await shown(pim)
  assert.equal(waits.waiting, 2)
  assert.equal(waits.further, 0)
  assert.deepEqual(waits.totals, [{ currency: 'USD', payouts: 2, amount: String(3 * LARGE) }])
  const [first] = await payoutsOf(pim)
  const alone = (await account.get(`/v3/payout/${first?.id}/approval`)).json.data
  assert.equal(alone.payout_import, pim)
  const { status, json, text } = await approve(person(0), pim)
  assert.equal(status, 200, text)
  assert.deepEqual(json.data.payouts, [{ status: 'processing', payouts: 2 }])
  assert.deepEqual(await statusesOf(pim), ['processing', 'processing', 'processing'])
  const after = await shown(pim)
  assert.equal(after.waiting, 0)
  assert.deepEqual(after.ended, [{ status: 'approved', payouts: 2 }])
  const events = await account.get('/v3/event?type=payout.approved&limit=2')
  const told = events.json.data.results.map((event: { object_id: string }) => event.object_id)
  const [one, , third] = await payoutsOf(pim)
  assert.deepEqual(told.sort(), [one?.id, third?.id].sort())
  const [act] = await service.database.owner<{ after: Record<string, string> }[]>`
    select after from audit_log where after ->> 'id' = ${pim} and table_name = 'payout_approvals'`
  assert.equal(act?.after.payouts, '2')
})

test('the file run again with more rows, since it was shown: 409, and what was approved stays', async () => {
  const rows = rowsOf([LARGE, 2 * LARGE])
  const pim = await importInto(service, account, 'more.csv', rows)
  const { digest } = await shown(pim)
  const longer = [...rows, ...rowsOf([LARGE])]
  assert.equal(await importInto(service, account, 'more.csv', longer), pim)
  await refusedWithoutARow(approve(person(0), pim, digest), 409, 'approval_outdated')
  assert.equal((await approve(person(0), pim)).status, 200)
  const last = [...longer, ...rowsOf([LARGE])]
  assert.equal(await importInto(service, account, 'more.csv', last), pim)
  assert.deepEqual(await statusesOf(pim), [...Array(3).fill('processing'), 'pending_approval'])
  const { waiting, ended } = await shown(pim)
  assert.deepEqual({ waiting, ended }, { waiting: 1, ended: [{ status: 'approved', payouts: 3 }] })
})

test('who ran the import, an approver too: 403, and no row changes; another rejects all of it', async () => {
  const pim = await importInto(service, account, 'own.csv', rowsOf([LARGE, LARGE]), 'p7')
  const reject = (who: PersonClient) =>
    ask(who, 'POST', `${PATH}/${pim}/reject`, { reason: 'Paid last week' })
  await refusedWithoutARow(approve(person(7), pim), 403, 'approval_not_allowed')
  await refusedWithoutARow(reject(person(7)), 403, 'approval_not_allowed')
  const { json } = await reject(person(8))
  assert.deepEqual(json.data.payouts, [{ status: 'failed', payouts: 2 }])
})

test('a file of the same name of another account, or none: 404 and its own alone', async () => {
  const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 8n } })
  const pim = await importInto(service, other, 'salaries.csv', rowsOf([LARGE, 100]))
  assert.equal((await other.get(`${PATH}/${pim}/approval`)).status, 200)
  for (const foreign of [pim, `pim_${'0'.repeat(20)}`, `pim_${'z'.repeat(20)}`]) {
    await refusedWithoutARow(approve(person(0), foreign, '0'.repeat(64)), 404, 'not_found')
    assertRefused(await account.get(`${PATH}/${foreign}/approval`), 404, 'not_found')
    assertRefused(await account.get(`${PATH}/${foreign}/payout`), 404, 'not_found')
  }
})

test('what waits as one: batches and imports of the account, the newest first, and no other payout', async () => {
  const fund = { USD: 10n ** 9n }
  const of = await service.openAccount({ currencies: ['USD'], fund })
  const { account_id } = of.account
  const groups = async (client = of) => (await client.get('/v3/payout_group')).json.data.groups
  await addPerson(service, { user: 'gil', roles: [[account_id, 'approver']] })
  await addApprovalRule(service, { account_id })
  assert.equal((await of.post('/v3/payout', { ...localPayout, reference_id: 'ALONE' })).status, 200)
  assert.deepEqual(await groups(), [])
  const payouts = rowsOf([LARGE, LARGE])
  const batch = (await of.post('/v3/payout_batch', { payouts })).json.data
  assert.equal(batch.counts.created, 2)
  const pim = await importInto(service, of, 'groups.csv', rowsOf([LARGE, 2 * LARGE]), 'gil')
  const total = (amount: number) => [{ currency: 'USD', payouts: 2, amount: String(amount) }]
  const told = (await groups()).map(({ since: _, ...group }: { since: string }) => group)
  assert.deepEqual(told, [
    { object: 'payout_group', id: pim, totals: total(3 * LARGE), made_by: ['gil'] },
    { object: 'payout_group', id: batch.id, totals: total(2 * LARGE), made_by: [] },
  ])
  assert.equal(
    (await groups(account)).some(({ id }: { id: string }) => id === pim),
    false,
  )
  const url = `/v3/payout_batch/${batch.id}/reject`
  const headers = (people[0] as PersonClient).headers(account_id)
  const foreign = await service.inject({ method: 'POST', url, headers, payload: { reason: 'No' } })
  assertRefused(foreign, 403, 'insufficient_scope')
  const approval = (await of.get(`${PATH}/${pim}/approval`)).json.data
  assert.deepEqual([approval.made_by, approval.approved_by], [['gil'], []])
})

test('pages of what it has made: in both directions, and a cursor of another account is refused', async () => {
  const pim = await importInto(service, account, 'pages.csv', rowsOf([1, 2, 3, 4, 5]))
  const all = (await payoutsOf(pim)).map(payout => payout.id).reverse()
  const page = async (query: string) => {
    const { json, text } = await account.get(`${PATH}/${pim}/payout?limit=2${query}`)
    assert.ok(json.data, text)
    return [json.data.results.map((one: { id: string }) => one.id), json.data.has_more]
  }
  assert.deepEqual(await page(''), [all.slice(0, 2), true])
  assert.deepEqual(await page(`&starting_after=${all[2]}`), [all.slice(3), false])
  assert.deepEqual(await page(`&ending_before=${all[3]}`), [all.slice(1, 3), true])
  assert.deepEqual(await page('&created.lt=2020-01-01T00:00:00Z'), [[], false])
  const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 8n } })
  const foreign = (await other.post('/v3/payout', localPayout)).json.data.id
  const wrong = await account.get(`${PATH}/${pim}/payout?starting_after=${foreign}`)
  assertRefused(wrong, 400, 'invalid_query_parameter')
})

test(`${PEOPLE} approvers at once, while the file is run on: one effect, of what they were shown`, async () => {
  const rows = rowsOf(Array.from({ length: 300 }, () => LARGE))
  const pim = await importInto(service, account, 'race.csv', rows)
  const { digest } = await shown(pim)
  const more = rowsOf(Array.from({ length: 50 }, () => LARGE))
  const [answers] = await Promise.all([
    Promise.all(people.map(who => approve(who, pim, digest))),
    importInto(service, account, 'race.csv', [...rows, ...more]),
  ])
  const won = answers.filter(({ status }) => status === 200)
  assert.ok(won.length <= 1, won.map(({ text }) => text).join('\n'))
  for (const { json } of won) {
    assert.deepEqual(json.data.payouts, [{ status: 'processing', payouts: 300 }])
  }
  const others = answers.filter(({ status }) => status !== 200)
  for (const { status, text } of others) assert.equal(status, 409, text)
  // None of them, when the import came between what was shown and the first.
  if (won.length === 0) assert.equal((await approve(person(0), pim)).status, 200)
  const [told] = await service.database.owner<{ payouts: number; decisions: number }[]>`
    select count(distinct p.id)::integer as payouts, count(*)::integer as decisions
    from payouts p join approval_decisions d on d.account_id = p.account_id and d.payout_id = p.id
    where p.reference_id like ${`F-${files - 1}-%`}`
  assert.deepEqual(told, { payouts: 300, decisions: 300 })
  const { waiting, ended } = await shown(pim)
  assert.equal(waiting + ended[0].payouts, 350)
})

test('by the command line: told by the import, shown, and approved under its digest', async () => {
  const cli = await openCli(service.database.url, { CORRIDOR_USER: 'p1' })
  try {
    const pim = await importInto(service, account, 'by-cli.csv', rowsOf([LARGE, 2 * LARGE]))
    const text = await cli.run('payout', 'approval', pim)
    assert.match(text.stdout, /^pim_\w+ {2}2 payouts wait\nUSD 3000\.00 in 2 payouts\n/)
    const [first] = await payoutsOf(pim)
    const alone = await cli.run('payout', 'approval', first?.id ?? '')
    assert.match(alone.stdout, new RegExp(`\\nimport {5}${pim}, which can be approved as one\\n`))
    const { digest } = (await cli.run('payout', 'approval', pim, '--json')).json
    const wrong = await cli.run('payout', 'approve', pim, '--digest', '0'.repeat(64))
    assert.match(wrong.stderr, /look at it again/)
    const done = await cli.run('payout', 'approve', pim, '--digest', digest)
    assert.equal(done.stdout, `${pim}  approved; 2 processing\n`, done.stderr)
    const none = await cli.run('payout', 'approval', `pim_${'0'.repeat(20)}`)
    assert.match(none.stderr, /there is no payout import pim_/)
  } finally {
    await cli.close()
  }
})
