// What a stranger tries against the console, with the browser of somebody who is logged in: paths in
// hidden fields, forms of other sites, parameters that come twice, and floods of files.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rowVersions } from '../support/assert/check.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import {
  addPerson,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

let service: TestService
let account: Client
let id: string
let ada: PersonClient
let headers: Record<string, string>
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  id = account.account.account_id
  ada = await addPerson(service, { user: 'ada', role: 'operator', roles: [[id, 'maker']] })
  headers = await logIn(service, 'ada')
})
after(() => service.close())

const send = (url: string, form: Record<string, string>, by: Record<string, string> = headers) =>
  sendForm(service, by, url, form)

/** All rows but those of sessions, which say when each was seen last. */
async function rows() {
  const { sessions: _, ...others } = await rowVersions(service.database.owner)
  return others
}

test('a hidden field with dots or a question mark, in escapes: leads to no other route', async () => {
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
    const answer = await send(`/console/installation/accounts/${id}/revoke`, { key_id })
    assert.equal(answer.status, 404, `${key_id}: ${answer.status}`)
  }
  for (const like of ['%252e%252e/balance', '%2e%2e%2fbalance', '..%2fbalance?a=b']) {
    const url = `/console/${id}/payouts/new?like=${like}`
    const { text } = await service.inject({ url, headers })
    assert.equal(text.includes('/v3/balance'), false, like)
  }
  assert.deepEqual(await rows(), before)
})

test('a form of another site, in a browser that keeps a session, or a key it was asked for: 403', async () => {
  const before = await rows()
  const { cookie = '' } = headers
  const url = `/console/installation/accounts/${id}/freeze`
  for (const by of [{ cookie }, ada.headers()]) {
    for (const from of [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'http://evil.example' },
      {},
    ]) {
      const answer = await send(url, { reason: 'x' }, { host: '127.0.0.1:8080', ...by, ...from })
      assert.equal(answer.status, 403, answer.text)
    }
  }
  assert.deepEqual(await rows(), before)
})

test('files of lists: one for a session, 429 with Retry-After for the next, and then again', async () => {
  for (let i = 0; i < 250; i += 1) {
    const reference_id = `csv-${i}`
    const made = await account.post('/v3/entity', { type: 'individual', name: 'A', reference_id })
    assert.equal(made.status, 200, made.text)
  }
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const url = `${address}/console/${id}/entities.csv`
  const ask = () => fetch(url, { headers: { cookie: headers.cookie ?? '' } })
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
  const wrong = await service.inject({
    url: `/console/${id}/entities.csv?approval_status=x`,
    headers,
  })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /This page cannot be shown/)
})

test('parameters twice, and names that every object has: a page, and no fault', async () => {
  for (const path of [
    '/find?q=a&q=b',
    '/payouts?status=failed&status=open',
    '/payouts?done=constructor',
    '/payouts?done=__proto__&done=toString',
    '/transactions?as_of=a&as_of=b',
    '/payouts/new?amount=1&amount=2&currency=USD&currency=EUR',
  ]) {
    const { status, text } = await service.inject({ url: `/console/${id}${path}`, headers })
    assert.ok(status < 500, `${path}: ${status}`)
    assert.equal(/native code|\[object/.test(text), false, path)
  }
})
