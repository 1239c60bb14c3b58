// Beneficiaries that people approve, in the console: what was changed since the last approval, the
// digest of what was shown, and each person's part in it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { addPerson, startTestService, type TestService } from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'

const HOSTILE = `</td><script>alert(1)</script>"'>`

let service: TestService
let id: string
let maker: Record<string, string>
let approver: Record<string, string>
before(async () => {
  service = await startTestService()
  await service.setFees([{ payout_type: 'local' }])
  await service.setRates({ 'USD/HKD': '7.8' })
  id = (await service.openAccount({ currencies: ['USD'] })).account.account_id
  const enter = async (user: string, role: 'maker' | 'approver') => {
    await addPerson(service, { user, roles: [[id, role]] })
    return { ...(await logIn(service, user)), 'corridor-account': id }
  }
  maker = await enter('mia', 'maker')
  approver = await enter('ann', 'approver')
  await addApprovalRule(service, { account_id: id, subject: 'beneficiary' })
})
after(() => service.close())

const look = async (headers: Record<string, string>, path: string) =>
  (await service.inject({ url: `/console/${id}${path}`, headers })).text

const decide = (path: string, form: Record<string, string>) =>
  service.inject({
    method: 'POST',
    url: `/console/${id}${path}`,
    headers: { ...approver, 'content-type': 'application/x-www-form-urlencoded' },
    payload: String(new URLSearchParams(form)),
  })

const digestIn = (page: string) => /name="digest" value="([0-9a-f]{64})"/.exec(page)?.[1] ?? ''

/**
 * The digest is read before all that is shown, and what a page renews by itself is the whole of it,
 * so that nobody decides about more than they see.
 */
function assertShownAsDecided(page: string, path: string): void {
  const asked = (call: string) => page.lastIndexOf(`<code>GET ${call}</code>`)
  assert.ok(asked(`${path}/approval`) !== -1 && asked(`${path}/approval`) < asked(path), path)
  const [before = '', renewed = ''] = page.split('data-live-part')
  assert.match(renewed.split('name="digest"').at(-1) ?? '', /<dl class="facts">/)
  assert.match(renewed, /<\/div>\s*<details class="calls">/)
  assert.doesNotMatch(before, /<dl class="facts">/)
}

test('a payout that waits: its digest is of no more than the page shows', async () => {
  const payer = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 8n } })
  const { account_id } = payer.account
  await addApprovalRule(service, { account_id })
  await addPerson(service, { user: 'bob', roles: [[account_id, 'approver']] })
  const made = await payer.post('/v3/payout', localPayout)
  assert.equal(made.status, 200, made.text)
  const url = `/console/${account_id}/payouts/${made.json.data.id}`
  const page = await service.inject({ url, headers: await logIn(service, 'bob') })
  assertShownAsDecided(page.text, `/v3/payout/${made.json.data.id}`)
})

test('a beneficiary: waits for its maker, is approved as it was shown, and shows what was changed since', async () => {
  const send = (method: 'POST' | 'PUT', url: string, payload: object) =>
    service.inject({ method, url, headers: maker, payload })
  const made = await send('POST', '/v3/beneficiary', { ...bankBeneficiary, name: 'Harbour Ltd' })
  assert.equal(made.status, 200, made.text)
  const path = `/beneficiaries/${made.json.data.id}`
  assert.match(await look(maker, ''), /new or changed payees waiting for an approval/)
  assert.match(await look(maker, path), /You made it, so somebody else approves it/)
  assert.match(await look(approver, '/approvals'), /Harbour Ltd/)
  const first = await look(approver, path)
  assert.match(first, /Nobody has approved it before: compare all of it/)
  assertShownAsDecided(first, `/v3${path.replace('ies/', 'y/')}`)
  const approved = await decide(`${path}/approve`, { digest: digestIn(first) })
  assert.equal(approved.headers.location, `/console/${id}${path}?done=approved`, approved.text)
  assert.doesNotMatch(await look(approver, '/approvals'), /Harbour Ltd/)

  const changed = await send('PUT', `/v3${path.replace('ies/', 'y/')}`, { name: HOSTILE })
  assert.equal(changed.status, 200, changed.text)
  const second = await look(approver, path)
  assert.match(second, /<del>Harbour Ltd<\/del><\/dd>\s*<dd><ins>&lt;\/td&gt;&lt;script/)
  assert.equal(second.includes('<script>alert'), false)
  // Changed again after the page was read: what was not shown is not approved.
  await send('PUT', `/v3${path.replace('ies/', 'y/')}`, { name: 'Another Ltd' })
  const stale = await decide(`${path}/approve`, { digest: digestIn(second) })
  assert.equal(stale.status, 409, stale.text)
  assert.match(stale.text, /Nothing was changed/)
  const rejected = await decide(`${path}/reject`, { digest: digestIn(stale.text), reason: 'No' })
  assert.equal(rejected.headers.location, `/console/${id}${path}?done=refused`, rejected.text)
  const { text } = await service.inject({ url: `/console/${id}${path}`, headers: approver })
  assert.match(text, /Once it is changed, it can be approved/)
})
