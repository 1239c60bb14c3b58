// Views that people keep of the console's lists: for themselves alone, once each, and text that
// means harm stays text.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rowVersions } from '../support/assert/check.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

const HOSTILE = `</td><script>alert(1)</script>"'>`

let service: TestService
let account: Client
let id: string
before(async () => {
  service = await startTestService()
  account = await service.openAccount()
  id = account.account.account_id
})
after(() => service.close())

let people = 0

async function person(role: 'member' | 'operator' = 'member') {
  people += 1
  const user = `keeper-${people}`
  await addPerson(service, { user, role, roles: [[id, 'viewer']] })
  return logIn(service, user)
}

type Headers = Partial<Awaited<ReturnType<typeof person>>>

const look = (headers: Headers, url: string) => service.inject({ url, headers })

const send = (headers: Headers, url: string, form: Record<string, string>) =>
  sendForm(service, headers, url, form)

const idsOf = (text: string) => [...text.matchAll(/views\/(viw_\w+)\/rename/g)].map(m => m[1])

test('a view: kept once by two clicks, shown on its list, renamed and deleted', async () => {
  const headers = await person()
  const root = `/console/${id}`
  const place = `${root}/payouts?status=failed&reference_id=a+b`
  const form = { name: HOSTILE, place, key: 'k' }
  const bar = await look(headers, place)
  assert.match(bar.text, /Save this view/)
  for (let click = 0; click < 2; click += 1) {
    const kept = await send(headers, `${root}/views`, form)
    assert.equal(kept.headers.location, `${place}&done=kept`, kept.text)
  }
  const list = await look(headers, `${root}/payouts`)
  assert.equal(list.text.includes('<script>'), false)
  assert.match(list.text, /reference_id=a\+b"[^>]*>&lt;\/td&gt;&lt;script/)
  assert.equal((await look(headers, `${root}/entities`)).text.includes('alert(1)'), false)
  const other = { ...form, place: `${root}/payouts?status=open` }
  const taken = await send(headers, `${root}/views`, other)
  assert.equal(taken.status, 400)
  assert.match(taken.text, /You have a view of this name on this page/)
  const views = await look(headers, `${root}/views`)
  const [view = ''] = idsOf(views.text)
  assert.match(views.text, /payouts, status: failed, reference id: a b/)
  const renamed = await send(headers, `${root}/views/${view}/rename`, { name: 'Failed ones' })
  assert.equal(renamed.status, 303, renamed.text)
  assert.match((await look(headers, `${root}/payouts`)).text, />Failed ones<\/a>/)
  for (let click = 0; click < 2; click += 1) {
    assert.equal((await send(headers, `${root}/views/${view}/delete`, {})).status, 303)
  }
  assert.deepEqual(idsOf((await look(headers, `${root}/views`)).text), [])
})

test('a view of another person: not seen, not renamed, not deleted, not even by its id', async () => {
  const [mine, theirs] = [await person(), await person('operator')]
  const place = `/console/${id}/events?type=payout.failed`
  await send(theirs, `/console/${id}/views`, { name: 'Theirs', place })
  const [view = ''] = idsOf((await look(theirs, `/console/${id}/views`)).text)
  const before = await rowVersions(service.database.owner)
  assert.equal((await look(mine, `/console/${id}/events`)).text.includes('Theirs'), false)
  const path = `/console/${id}/views/${view}`
  assert.equal((await send(mine, `${path}/rename`, { name: 'Mine' })).status, 404)
  await send(mine, `${path}/delete`, {})
  const { 'sec-fetch-site': _, ...bare } = theirs
  assert.equal((await send(bare, `${path}/delete`, {})).status, 403)
  const byHand = service.deps.sql`update saved_views set name = 'Mine' where view_id = ${view}`
  await assert.rejects(byHand, { constraint_name: 'own_view' })
  assert.deepEqual(await rowVersions(service.database.owner), before)
})

test('a view leads to a page of the console and nowhere else; names are lines; 100 at most', async () => {
  const headers = await person()
  const url = `/console/${id}/views`
  const places = [
    'https://example.com/console/acc_00000000/payouts',
    '//example.com',
    '/console/installation/../../login',
    `/console/${id}/payouts?a=\r\nset-cookie: x=y`,
    '/logout',
    '',
  ]
  for (const place of places) {
    const refused = await send(headers, url, { name: 'Away', place })
    assert.equal(refused.status, 400, place)
    assert.equal(refused.headers.location, undefined)
  }
  const place = `/console/${id}/payouts?status=`
  for (const name of ['', ' ', 'a\nb', 'x'.repeat(61), 'turn\u202eed']) {
    assert.equal((await send(headers, url, { name, place })).status, 400, name)
  }
  for (let i = 0; i < 100; i += 1) {
    await send(headers, url, { name: `n${i}`, place: `${place}${i}` })
  }
  const more = await send(headers, url, { name: 'one more', place })
  assert.match(more.text, /100 views at most/)
})
