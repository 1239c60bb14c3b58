// What people approve in the console: payouts, imports as one, and beneficiaries with what was changed
// since the last approval; the digest of what was shown, and each person's part in it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { importInto } from '../support/service/importing.ts'
import { addPerson, startTestService, type TestService } from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

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
  sendForm(service, approver, `/console/${id}${path}`, form)

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

test('console, payout awaiting approval: the digest covers only what the page shows', async () => {
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

test('console, beneficiary awaiting approval: its maker must wait for others; approved with the digest shown; later changes shown', async () => {
  const send = (method: 'POST' | 'PUT', url: string, payload: object) =>
    service.inject({ method, url, headers: maker, payload })
  const made = await send('POST', '/v3/beneficiary', { ...bankBeneficiary, name: 'Harbour Ltd' })
  assert.equal(made.status, 200, made.text)
  const path = `/beneficiaries/${made.json.data.id}`
  assert.match(await look(maker, ''), /new or changed beneficiaries waiting for an approval/)
  assert.match(
    await look(maker, path),
    /You created or changed this, so somebody else must approve it/,
  )
  assert.match(await look(approver, '/approvals'), /Harbour Ltd/)
  const first = await look(approver, path)
  assert.match(first, /Nobody has approved this beneficiary before: check all of its details/)
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
  assert.match(text, /This beneficiary can be approved after it is changed/)
})

test('console, import awaiting approval: listed with its sums, also for its maker; decided with the digest shown', async () => {
  const payer = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 8n } })
  const { account_id } = payer.account
  await addApprovalRule(service, { account_id, approvers: 2 })
  for (const user of ['kim', 'lea']) {
    await addPerson(service, { user, roles: [[account_id, 'approver']] })
  }
  const [kim, lea] = [await logIn(service, 'kim'), await logIn(service, 'lea')]
  const row = (n: number) => ({ ...localPayout, amount: n * 100_000, reference_id: `PAY-${n}` })
  const ran = (rows: number[]) => importInto(service, payer, 'pay.csv', rows.map(row), 'kim')
  const pim = await ran([1, 2])
  const page = async (headers: Record<string, string>, path = `/approvals/${pim}`) =>
    (await service.inject({ url: `/console/${account_id}${path}`, headers })).text
  const decided = (headers: Record<string, string>, decision: string, digest: string) =>
    sendForm(service, headers, `/console/${account_id}/approvals/${pim}/${decision}`, {
      digest,
      reason: 'Paid last week',
    })

  const list = await page(lea, '/approvals')
  assert.match(list, new RegExp(`/approvals/${pim}">Payouts of a file</a></td>`))
  assert.match(list, /<td class="number">2<\/td>[\s\S]*?3,000\.00&nbsp;USD[\s\S]*?<td>kim<\/td>/)
  assert.match(await page(kim), /You created or changed this, so somebody else must approve it/)
  const first = await page(lea)
  assert.match(first, /Approvals needed<\/dt><dd>2</)
  assert.match(first, /PAY-1[\s\S]*PAY-2|PAY-2[\s\S]*PAY-1/)
  const asked = (call: string) => first.lastIndexOf(`<code>GET /v3/payout_import/${pim}/${call}`)
  assert.ok(asked('approval') !== -1 && asked('approval') < asked('payout'))
  const [payout] = (await payer.get(`/v3/payout_import/${pim}/payout`)).json.data.results
  assert.match(await page(lea, `/payouts/${payout.id}`), new RegExp(`/approvals/${pim}">`))

  // The file was run on since: what was not shown is not approved.
  await ran([1, 2, 3])
  const stale = await decided(lea, 'approve', digestIn(first))
  assert.equal(stale.status, 409, stale.text)
  assert.match(stale.text, /Nothing was changed[\s\S]*PAY-3/)
  const done = await decided(lea, 'approve', digestIn(stale.text))
  const path = `/console/${account_id}/approvals/${pim}`
  assert.equal(done.headers.location, `${path}?done=approved`, done.text)
  assert.match(await page(lea), /You have decided. Somebody else must decide, too/)
  assert.equal((await decided(kim, 'approve', digestIn(stale.text))).status, 403)

  await addPerson(service, { user: 'max', roles: [[account_id, 'approver']] })
  const max = await logIn(service, 'max')
  const rejected = await decided(max, 'reject', digestIn(await page(max)))
  assert.equal(rejected.headers.location, `${path}?done=rejected`, rejected.text)
  assert.match(
    await page(max),
    /No payout waits for an approval[\s\S]*3 <span class="state bad">rejected/,
  )
  assert.doesNotMatch(await page(max, '/approvals'), /Payouts of a file/)
})
