// What people do on pages: a maker answers what a payout requires, with documents, once; an
// operator decides who is listed. And what a stranger tries with the browser
// of somebody who is logged in: paths in hidden fields, forms of other sites, floods of files.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AccountRole, UserRole } from '../../src/accounts/user/user.ts'
import { screenParties } from '../../src/app/worker/screen-parties.ts'
import { newId } from '../../src/values/id.ts'
import { rowVersions } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { addNotedPayee, NOTED_BANK } from '../support/service/notice.ts'
import {
  addPerson,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'
import { readUnList, takeUnList } from '../support/service/un-list.ts'

const HOSTILE = `</td><script>alert(1)</script>"'>`

let service: TestService
let account: Client
let id: string
/** An operator who makes payouts of the account, by a key and in a session. */
let key: PersonClient
let ada: Headers
before(async () => {
  service = await startTestService()
  await service.setFees([{ payout_type: 'local' }])
  await service.setRates({ 'USD/HKD': '7.8' })
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  id = account.account.account_id
  key = await addPerson(service, { user: 'ada', role: 'operator', roles: [[id, 'maker']] })
  ada = await logIn(service, 'ada')
})
after(() => service.close())

let people = 0

async function person(of: AccountRole = 'viewer', role: UserRole = 'member') {
  people += 1
  const user = `person-${people}`
  await addPerson(service, { user, role, roles: [[id, of]] })
  return logIn(service, user)
}

type Headers = Partial<Awaited<ReturnType<typeof person>>>

const look = (headers: Headers, url: string) => service.inject({ url, headers })

const send = (headers: Headers, url: string, form: Record<string, string>) =>
  sendForm(service, headers, url, form)

async function payoutThatAsks(): Promise<string> {
  const { json } = await account.post('/v3/payout', localPayout)
  const payout = json.data.id
  const asked = await account.post(`/v3/sandbox/payout/${payout}/transition`, {
    status: 'requires_action',
    description: 'Send the invoice.',
  })
  assert.equal(asked.status, 200, asked.text)
  return payout
}

test("console, bank's notice at the payee: a maker accepts the value; a viewer has no form", async () => {
  const noted = await addNotedPayee(service, account)
  const [maker, viewer] = [await person('maker'), await person('viewer')]
  const path = `/console/${id}/beneficiaries/${noted.id}`
  const seen = (await look(viewer, path)).text
  assert.match(seen, /C01<\/strong> The account number is wrong\./)
  assert.match(seen, /<del>440000000001<\/del> <ins>1918171614<\/ins>/)
  assert.match(seen, /2026-12-04/)
  assert.doesNotMatch(seen, /accept_notice/)
  const form = { payout: noted.payout, number: '1', key: 'accept-1' }
  assert.match((await look(maker, path)).text, new RegExp(`action="${path}/accept_notice"`))
  const refused = await send(viewer, `${path}/accept_notice`, form)
  assert.equal(refused.status, 403)
  const accepted = await send(maker, `${path}/accept_notice`, form)
  assert.equal(accepted.status, 303, accepted.text)
  const { json } = await account.get(`/v3/beneficiary/${noted.id}`)
  assert.equal(json.data.destination_details.bank.account_number, '1918171614')
  const after = (await look(maker, path)).text
  assert.match(after, />accepted</)
  assert.doesNotMatch(after, /accept_notice"/)
})

test("console, bank's notice without a value: no form; after a newer edit: the refusal on the page", async () => {
  const maker = await person('maker')
  const without = await addNotedPayee(service, account, { code: 'C09', corrected: {} })
  const { text } = await look(maker, `/console/${id}/beneficiaries/${without.id}`)
  assert.match(text, /C09<\/strong> .*names no value to take over/s)
  assert.doesNotMatch(text, /accept_notice/)
  const noted = await addNotedPayee(service, account)
  const bank = { ...NOTED_BANK, account_number: '77' }
  const newer = { destination_details: { type: 'bank', bank } }
  assert.equal((await account.put(`/v3/beneficiary/${noted.id}`, newer)).status, 200)
  const path = `/console/${id}/beneficiaries/${noted.id}/accept_notice`
  const form = { payout: noted.payout, number: '1', key: 'accept-2' }
  const refused = await send(maker, path, form)
  assert.equal(refused.status, 409)
  assert.match(refused.text, /no longer has the value/)
})

test('console, payout that requires an action: a maker sends documents; two clicks send one answer', async () => {
  const payout = await payoutThatAsks()
  const [maker, viewer] = [await person('maker'), await person('viewer')]
  const url = `/console/${id}/payouts/${payout}`
  const answer = `${url}/answer`
  assert.match((await look(maker, url)).text, /Send the answer/)
  assert.doesNotMatch((await look(viewer, url)).text, /Send the answer/)
  const form = {
    key: 'one answer',
    'document:0:type': 'invoice',
    'document:0:url': `https://files.example/${HOSTILE}`,
    'document:2:file_name': 'contract.pdf',
    'beneficiary_details.registration_number': '2041-7',
    note: HOSTILE,
  }
  assert.equal((await send(viewer, answer, form)).status, 403)
  const empty = await send(maker, answer, { key: 'nothing' })
  assert.equal(empty.status, 400)
  assert.match(empty.text, /Send at least one of/)
  for (let click = 0; click < 2; click += 1) {
    const sent = await send(maker, answer, form)
    assert.equal(sent.headers.location, `${url}?done=answered`, sent.text)
  }
  const { json } = await account.get(`/v3/payout/${payout}`)
  assert.deepEqual(json.data.documents, [
    { type: 'invoice', url: form['document:0:url'] },
    { file_name: 'contract.pdf' },
  ])
  assert.equal(json.data.beneficiary_details.registration_number, '2041-7')
  const page = await look(maker, url)
  assert.equal(/<script>|href="https:\/\/files/.test(page.text), false)
})

test('console, payout timeline: lists webhook deliveries, each with a link', async () => {
  const payout = await payoutThatAsks()
  const { json } = await account.get(`/v3/event?object_id=${payout}`)
  const event = json.data.results.at(-1)
  const [delivery, endpoint] = [newId('whd'), newId('whe')]
  const { owner } = service.database
  await owner`
    insert into webhook_deliveries (account_id, endpoint_id, number, id, event_id, event_sequence,
      event_type, object_id, created_at, updated_at, status, attempts)
    values (${id}, ${endpoint}, 1, ${delivery}, ${event.id}, ${event.sequence}, ${event.type},
      ${payout}, now(), now(), 'dead', 1)`
  await owner`
    insert into webhook_attempts (account_id, delivery_id, number, created_at, duration_ms,
      status_code, error, answer)
    values (${id}, ${delivery}, 1, now(), 7, 500, '', ${HOSTILE})`
  const page = await look(await person(), `/console/${id}/payouts/${payout}`)
  assert.equal(page.status, 200)
  assert.match(page.text, /webhook not delivered<\/span> <code>payout\.created<\/code>/)
  assert.ok(page.text.includes(`/webhooks/${endpoint}/deliveries/${delivery}">7 ms</a>`))
})

/** All rows but those of sessions, which say when each was seen last. */
async function rows() {
  const { sessions: _, ...others } = await rowVersions(service.database.owner)
  return others
}

test('console form posted from another site, by session or API key: 403', async () => {
  const before = await rows()
  const { cookie = '' } = ada
  const url = `/console/installation/accounts/${id}/freeze`
  for (const by of [{ cookie }, key.headers()]) {
    for (const from of [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'http://evil.example' },
      {},
    ]) {
      const answer = await send({ host: '127.0.0.1:8080', ...by, ...from }, url, { reason: 'x' })
      assert.equal(answer.status, 403, answer.text)
    }
  }
  assert.deepEqual(await rows(), before)
})

test('console, CSV downloads: one at a time per session; a second gets 429 with Retry-After until the first ends', async () => {
  await service.database.owner`
    insert into entities (made_by, account_id, id, type, on_behalf_of, reference_id, details,
      approval_status, approval_history, created_at, updated_at)
    select 'key_1', ${id}, 'ent_' || lpad(n::text, 20, '0'), 'individual', '', '', '{"name":"A"}',
      'pending', '[]', now(), now()
    from generate_series(1, 250) n`
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const url = `${address}/console/${id}/entities.csv`
  const ask = () => fetch(url, { headers: { cookie: ada.cookie ?? '' } })
  const answers = await Promise.all([ask(), ask()])
  const texts = await Promise.all(answers.map(answer => answer.text()))
  const late = answers.findIndex(({ status }) => status === 429)
  assert.equal(answers[late]?.headers.get('retry-after'), '5', texts.join('\n'))
  assert.equal(texts[1 - late]?.split('\r\n').length, 252)
  // Who leaves in the middle gives the place back.
  const left = await ask()
  assert.equal(left.status, 200)
  await left.body?.cancel()
  let again = await ask()
  while (again.status === 429) {
    await again.text()
    again = await ask()
  }
  assert.equal((await again.text()).split('\r\n').length, 252)
  const wrong = await look(ada, `/console/${id}/entities.csv?approval_status=x`)
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /This page cannot be shown/)
})

test('console, repeated parameters, or parameters named like members of every object: a page, no 5xx', async () => {
  for (const path of [
    '/find?q=a&q=b',
    '/payouts?status=failed&status=open',
    '/payouts?done=constructor',
    '/payouts?done=__proto__&done=toString',
    '/transactions?as_of=a&as_of=b',
    '/payouts/new?amount=1&amount=2&currency=USD&currency=EUR',
  ]) {
    const { status, text } = await look(ada, `/console/${id}${path}`)
    assert.ok(status < 500, `${path}: ${status}`)
    assert.equal(/native code|\[object/.test(text), false, path)
  }
})

const ROOT = '/console/installation'

test('console, entity with a match: shown with its score; a person confirms it, then clears it', async () => {
  const headers = await person('viewer', 'operator')
  await takeUnList(service, await readUnList())
  const made = await account.post('/v3/entity', { type: 'individual', name: 'Eric Badege' })
  const entity = made.json.data.id
  while ((await screenParties(service.deps)) > 0);
  const shows = async (path: string) => {
    const answer = await look(headers, `${ROOT}${path}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.text
  }
  assert.match(await shows(''), /payout or party may be on a sanctions list/)
  for (const list of ['/screening', '/screening?of=entity&state=open']) {
    assert.ok((await shows(list)).includes(`${ROOT}/screening/${entity}`), list)
  }
  assert.ok(!(await shows('/screening?of=beneficiary')).includes(entity))
  const shown = await shows(`/screening/${entity}`)
  assert.match(shown, /The entity: score 1000 of 1000<\/h2>/)
  for (const text of ['<td>Eric Badege</td>', '<strong>ERIC BADEGE</strong>', 'Rwanda (RW)']) {
    assert.ok(shown.includes(text), text)
  }
  assert.ok(shown.includes(`${ROOT}/entities/${entity}`))
  assert.ok((await shows(`/entities/${entity}`)).includes(`${ROOT}/screening/${entity}`))
  const says = async (decision: string) => {
    const answer = await send(headers, `${ROOT}/screening/${entity}/${decision}`, {
      reason: 'The passport says so',
      key: decision,
    })
    assert.equal(answer.status, 303, answer.text)
  }
  await says('confirm')
  const confirmed = await shows(`/screening/${entity}`)
  assert.deepEqual([/Clear: it/.test(confirmed), /Confirm: it/.test(confirmed)], [true, false])
  await says('clear')
  assert.ok(!(await shows('/screening')).includes(entity))
})

test('console form, hidden field with encoded dots or a question mark: reaches no other route', async () => {
  await addApprovalRule(service)
  const [rule] = await service.database.owner<{ rule_id: string }[]>`
    select rule_id from approval_rules`
  const remove = `approval_rule/${rule?.rule_id}/remove`
  const before = await rows()
  for (const key_id of [
    `%2e%2e/${remove}?#`,
    `%2e%2e/${remove}?`,
    `.%2e/${remove}?`,
    `%2E%2E%2f${remove}?`,
    `a/../../${remove}?`,
    `key_00000000000000000000/revoke?`,
  ]) {
    const answer = await send(ada, `/console/installation/accounts/${id}/revoke`, { key_id })
    assert.equal(answer.status, 404, `${key_id}: ${answer.status}`)
  }
  for (const like of ['%252e%252e/balance', '%2e%2e%2fbalance', '..%2fbalance?a=b']) {
    const url = `/console/${id}/payouts/new?like=${like}`
    const { text } = await look(ada, url)
    assert.equal(text.includes('/v3/balance'), false, like)
  }
  assert.deepEqual(await rows(), before)
})

test('console, routes: amounts and cut-off in words; without routes: that payouts are refused', async () => {
  const headers = await person('viewer', 'operator')
  await service.setRoutes([{ rail: 'manual', currency: 'HKD', min_amount: 1_000n }])
  const shown = await look(headers, `${ROOT}/rails`)
  assert.match(shown.text, /<td>from 10\.00 HKD<\/td><td>none: at any time<\/td>/)
  assert.doesNotMatch(shown.text, /not now/)
  await service.setRoutes([])
  assert.match(
    (await look(headers, `${ROOT}/rails`)).text,
    /No routes: payouts of live accounts are refused/,
  )
})
