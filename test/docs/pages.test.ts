// The documentation that the service shows: every page and every link of it, its search and its
// Markdown. How it looks to people is in test/console/browser.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PAYOUT_STATUSES, PAYOUT_TRANSITIONS } from '../../src/payouts/states.ts'
import { CATALOGUE, REASONS } from '../../src/values/errors.ts'
import { nextTurn } from '../../src/values/event-loop.ts'
import {
  type Answer,
  addPerson,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'

let service: TestService
let pages: ReadonlyMap<string, Page>
before(async () => {
  service = await startTestService()
  pages = await everyPage()
})
after(() => service.close())

type Page = Pick<Answer, 'status' | 'text' | 'headers'>

/** A page; a busy machine answers 503 now and then, and is asked again. */
const get = async (url: string): Promise<Page> => {
  const { status, text, headers } = await service.inject({ url })
  if (status !== 503) return { status, text, headers }
  // The service reads its reference data only when the event loop turns.
  await nextTurn()
  return get(url)
}

/** Every page that can be reached from /docs, by its path. */
async function everyPage(): Promise<Map<string, Page>> {
  const found = new Map<string, Page>()
  const open = ['/docs']
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const page = await get(path)
    const { status, text, headers } = page
    assert.equal(status, 200, path)
    found.set(path, page)
    if (!String(headers['content-type']).startsWith('text/html')) continue
    for (const [, href = ''] of text.matchAll(/(?:href|src)="([^"]*)"/g)) {
      const [to = ''] = href.split('#')
      const isOurs = /^\/(docs|openapi|llms)/.test(to)
      if (isOurs && !found.has(to) && !open.includes(to)) open.push(to)
    }
  }
  return found
}

test('/docs, every link of every page: leads to a page and an anchor on it', () => {
  assert.ok(pages.size > 40, `${pages.size} pages`)
  for (const [path, { text }] of pages) {
    for (const [, href = ''] of text.matchAll(/<a [^>]*href="([^"]*)"/g)) {
      if (href.startsWith('https://') || href === '/console') continue
      const [to = '', anchor] = href.split('#')
      const target = pages.get(to === '' ? path : to)?.text
      assert.ok(target !== undefined, `${path}: ${href}`)
      if (anchor !== undefined) assert.ok(target.includes(`id="${anchor}"`), `${path}: ${href}`)
    }
  }
})

test('GET /, browser: redirected to the documentation; program: to the OpenAPI document', async () => {
  const ask = async (accept: string, method: 'GET' | 'HEAD' = 'GET') => {
    const { status, headers } = await service.inject({ method, url: '/', headers: { accept } })
    assert.match(String(headers.link), /<\/openapi.json>; rel="service-desc"/)
    return [status, headers.location]
  }
  assert.deepEqual(await ask('text/html,*/*;q=0.8'), [303, '/docs'])
  assert.deepEqual(await ask('*/*'), [303, '/openapi.json'])
  assert.deepEqual(await ask('application/json', 'HEAD'), [303, '/openapi.json'])
  const { status, headers } = await service.inject({ method: 'POST', url: '/' })
  assert.deepEqual([status, headers.allow], [405, 'GET, HEAD'])
})

test('/docs, every page: no resource of another site, no inline style, a policy that forbids both', () => {
  for (const [path, { text, headers }] of pages) {
    if (!text.startsWith('<!doctype')) continue
    assert.doesNotMatch(text, / style="|<style|<script|undefined|\[object /, path)
    assert.doesNotMatch(text, /(?:src|rel="stylesheet" href)="(?:https?:|\/\/)/, path)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; style-src 'self';/, path)
    assert.doesNotMatch(policy, /unsafe|https?:|\*/, path)
  }
})

test('/docs/….md: the Markdown of every page, listed in /llms.txt', async () => {
  const { text: list } = await get('/llms.txt')
  const names = [...list.matchAll(/\]\((\/docs\/[^)]+\.md)\)/g)].map(([, path = '']) => path)
  assert.ok(names.length > 20)
  for (const path of names) {
    const { status, text, headers } = await get(path)
    assert.equal(status, 200, path)
    assert.equal(headers['content-type'], 'text/markdown; charset=utf-8')
    assert.match(text, /^# \S/, path)
  }
})

test('/docs, path of an unknown page or outside /docs: 404', async () => {
  for (const path of [
    'absent',
    'absent.md',
    'assets/absent.css',
    '..%2f..%2fpackage.json',
    '%00',
  ]) {
    const { status, json } = await service.inject({ url: `/docs/${path}` })
    assert.deepEqual([status, json.errors[0].reason], [404, 'not_found'], path)
  }
})

test('/docs/errors: every error reason with status, meaning and remedy', async () => {
  const { text } = await get('/docs/errors.md')
  for (const reason of REASONS) {
    const [, said = ''] = text.split(`### ${reason}\n`)
    assert.ok(said.includes(CATALOGUE[reason].meaning), reason)
    assert.match(said, /^\n\*\d{3}, code \d+\.\*[^#]+\*\*What to do\.\*\* [^#]{10}/, reason)
  }
})

test('/docs/life-of-a-payout: diagram and table have every state and every step', async () => {
  const { text } = await get('/docs/life-of-a-payout')
  const [, drawing = ''] = /<svg(.*?)<\/svg>/s.exec(text) ?? []
  for (const status of PAYOUT_STATUSES) assert.ok(drawing.includes(`>${status}</text>`), status)
  const steps = PAYOUT_STATUSES.flatMap(status => PAYOUT_TRANSITIONS[status])
  assert.equal([...drawing.matchAll(/class="step"/g)].length, steps.length)
})

test('/docs/search: best match first, says when no page has all words, text escaped', async () => {
  const rows: readonly [query: string, first: string][] = [
    ['quote_expired', '/docs/errors#quote_expired'],
    ['idempotency', '/docs/idempotency'],
    ['cancel payout', '/docs/api/payouts#cancel-a-payout-that-the-rail-has-not-taken'],
    ['verify signature', '/docs/webhooks#verify-a-signature'],
  ]
  for (const [query, first] of rows) {
    const { text } = await get(`/docs/search?q=${encodeURIComponent(query)}`)
    const [, hit] = /<ol class="hits"><li><a href="([^"]+)"/.exec(text) ?? []
    assert.equal(hit, first, query)
  }
  assert.match((await get('/docs/search?q=payout+zebra')).text, /Nothing has all of these words/)
  const strange = await get(`/docs/search?q=${encodeURIComponent('<b>"x"</b>')}&q=2`)
  assert.equal(strange.status, 200)
  assert.doesNotMatch(strange.text, /<b>/)
})

test("/docs, maker of a sandbox logged in: examples have the maker's key, no secret, not cached", async () => {
  const { account, key_id, secret } = await service.openAccount()
  await addPerson(service, { user: 'mia', roles: [[account.account_id, 'maker']] })
  await addPerson(service, { user: 'vic', roles: [[account.account_id, 'viewer']] })
  const read = async (user: string) => {
    const headers = await logIn(service, user)
    return service.inject({
      url: '/docs/first-payout',
      headers: { ...headers, host: 'localhost:9000' },
    })
  }
  const own = await read('mia')
  assert.ok(own.text.includes(`${key_id}:YOUR_SECRET`))
  assert.ok(!own.text.includes(secret))
  assert.equal(own.headers['cache-control'], 'private, no-store')
  assert.ok(own.text.includes('http://localhost:9000$2'), 'the address is that of the service')
  for (const other of [await read('vic'), await get('/docs/first-payout')]) {
    assert.ok(!other.text.includes(key_id))
    assert.equal(other.headers['cache-control'], 'no-cache')
  }
})
