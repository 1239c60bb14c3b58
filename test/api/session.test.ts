// How people log in, and what a session may and may not be used for: passwords, links, cookies, other
// sites, other names, other processes. Against a real server where the socket matters.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { MOST_ATTEMPTS } from '../../src/accounts/user/session.ts'
import { endSessions } from '../../src/accounts/user/session-store.ts'
import { updateDisabled } from '../../src/accounts/user/store.ts'
import type { AccountRole } from '../../src/accounts/user/user.ts'
import { newToken } from '../../src/values/secret.ts'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import {
  cookieOf,
  logIn,
  logInByLink,
  makeLink,
  OWN,
  PASSWORD,
} from '../support/service/session.ts'

let service: TestService
let account: Client
let id: string
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
  id = account.account.account_id
})
after(() => service.close())

interface Asked {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly ip?: string
  readonly inject?: TestService['inject']
}

function ask(url: string, { method = 'GET', body, headers = OWN, ip, inject }: Asked = {}) {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  return (inject ?? service.inject)({
    method,
    url,
    headers: { ...json, ...headers },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    ...(ip === undefined ? {} : { remoteAddress: ip }),
  })
}

const enter = (user: string, password: string, asked: Asked = {}) =>
  ask('/v3/session', { method: 'POST', body: { user, password }, ...asked })

/** A user with a password, logged in. */
async function logInAs(user: string, roles: readonly AccountRole[] = ['viewer']) {
  await addPerson(service, { user, roles: roles.map(role => [id, role]) })
  return { ...(await logInByLink(service, user)), 'corridor-account': id }
}

/** A user without a password, with a session: to hash a password is slow. */
async function sessionOf(user: string, roles: readonly AccountRole[] = ['viewer']) {
  await addPerson(service, { user, roles: roles.map(role => [id, role]) })
  return { ...(await logIn(service, user)), 'corridor-account': id }
}

test('login link: sets the password and logs in; the session belongs to the user and reads the account', async () => {
  const headers = await logInAs('mary', ['maker'])
  const { json } = await ask('/v3/session', { headers })
  assert.equal(json.data.user, 'mary')
  assert.deepEqual(json.data.accounts, [{ account: id, roles: ['maker'] }])
  assert.equal((await ask('/v3/balance', { headers })).status, 200)
  const again = await enter('mary', PASSWORD)
  assert.equal(again.status, 200)
  assert.notEqual(cookieOf(again), headers.cookie)
})

test('login link used five times in parallel: only one use sets its password', async () => {
  await addPerson(service, { user: 'raced' })
  const token = await makeLink(service, 'raced')
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, i) => {
      const body = { token, password: `${PASSWORD} ${i}` }
      return ask('/v3/session/link', { method: 'POST', body })
    }),
  )
  const [won, ...more] = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []))
  assert.deepEqual(more, [])
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    assertRefused(answer, 401, 'invalid_login')
  }
  assert.equal((await enter('raced', `${PASSWORD} ${won}`)).status, 200)
})

test('login link expired, replaced or unknown: 401, no password set', async () => {
  await addPerson(service, { user: 'late' })
  const old = await makeLink(service, 'late')
  const { owner } = service.database
  await owner`
    update login_links set expires_at = created_at + interval '1 microsecond' where user_name = 'late'`
  const replaced = await makeLink(service, 'late')
  await makeLink(service, 'late')
  for (const token of [old, replaced, newToken('login'), 'x', '']) {
    const body = { token, password: PASSWORD }
    const answer = await ask('/v3/session/link', { method: 'POST', body })
    assert.ok([400, 401].includes(answer.status), answer.text)
  }
  assertRefused(await enter('late', PASSWORD), 401, 'invalid_login')
})

test('password too short or too long: 400, the login link stays valid', async () => {
  await addPerson(service, { user: 'brief' })
  const token = await makeLink(service, 'brief')
  for (const password of ['', 'x'.repeat(14), 'x'.repeat(257)]) {
    const answer = await ask('/v3/session/link', { method: 'POST', body: { token, password } })
    assertRefused(answer, 400, 'invalid_field')
  }
  const body = { token, password: 'x'.repeat(15) }
  assert.equal((await ask('/v3/session/link', { method: 'POST', body })).status, 200)
})

test('log-in with a wrong password, unknown user, no password yet or disabled user: the same answer', async () => {
  await logInAs('known')
  await addPerson(service, { user: 'without' })
  await logInAs('gone')
  await updateDisabled(service.deps.sql, 'gone', 'Left')
  const answers = await Promise.all([
    enter('known', `${PASSWORD}!`),
    enter('nobody', PASSWORD),
    enter('without', PASSWORD),
    enter('gone', PASSWORD),
  ])
  for (const answer of answers) assertRefused(answer, 401, 'invalid_login')
  assert.equal(new Set(answers.map(({ json }) => json.errors[0].message)).size, 1)
})

test('log-in, fifty wrong passwords in parallel from one address: five checked, then 429; another address unaffected', async () => {
  await logInAs('guessed')
  const ip = '192.0.2.7'
  const guesses = Array.from({ length: 20 }, (_, i) => enter('guessed', `wrong ${i}`, { ip }))
  const answers = await Promise.all(guesses)
  const judged = answers.filter(({ status }) => status === 401)
  assert.ok(judged.length <= MOST_ATTEMPTS.of_network, `${judged.length} judged`)
  for (const answer of answers.filter(({ status }) => status !== 401)) {
    assertRefused(answer, 429, 'rate_limited')
  }
  assertRefused(await enter('guessed', PASSWORD, { ip }), 429, 'rate_limited')
  assert.equal((await enter('guessed', PASSWORD, { ip: '192.0.2.8' })).status, 200)
})

test('log-in, wrong passwords from many addresses: the user is blocked for all of them', async () => {
  await logInAs('wanted')
  const { owner } = service.database
  await owner`
    insert into login_attempts (user_name, network)
    select 'wanted', '198.51.100.' || n from generate_series(1, ${MOST_ATTEMPTS.of_all}) n`
  assertRefused(await enter('wanted', PASSWORD, { ip: '192.0.2.9' }), 429, 'rate_limited')
})

test('session token chosen by an attacker: ignored, each log-in makes a new token', async () => {
  await logInAs('fixed')
  const chosen = `corridor=${newToken('session')}`
  const answer = await enter('fixed', PASSWORD, { headers: { ...OWN, cookie: chosen } })
  assert.notEqual(cookieOf(answer), chosen)
  const headers = { ...OWN, cookie: chosen }
  assertRefused(await ask('/v3/session', { headers }), 401, 'session_over')
})

const ELSEWHERE: readonly (readonly [what: string, headers: Record<string, string>])[] = [
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['a subdomain', { 'sec-fetch-site': 'same-site' }],
  ['another origin', { origin: 'http://evil.example' }],
  ['another port', { origin: 'http://127.0.0.1:9' }],
  ['an origin that is hidden', { origin: 'null' }],
  ['nothing that says where from', {}],
]

test('request with a session cookie that writes, from another site: 403, no row changes', async () => {
  const { cookie } = await sessionOf('forged', ['maker'])
  const headers = { host: OWN.host, cookie, 'corridor-account': id }
  const before = await rowVersions(service.database.owner)
  for (const [what, from] of ELSEWHERE) {
    for (const [method, url, body] of [
      ['POST', '/v3/sandbox/fund', { currency: 'USD', amount: 1 }],
      ['POST', '/v3/payout', {}],
      ['DELETE', '/v3/session', undefined],
    ] as const) {
      const answer = await ask(url, { method, body, headers: { ...headers, ...from } })
      assert.equal(answer.status, 403, what)
      assertRefused(answer, 403, 'cross_site_request')
    }
  }
  assert.deepEqual(await rowVersions(service.database.owner), before)
  // An origin that is the host is as good as Sec-Fetch-Site.
  const same = { ...headers, origin: `http://${OWN.host}` }
  assert.equal((await ask('/v3/session', { method: 'DELETE', headers: same })).status, 200)
})

test('log-in form, posted from another site: refused', async () => {
  await logInAs('lured')
  for (const from of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'http://evil.example' }]) {
    const answer = await enter('lured', PASSWORD, { headers: { host: OWN.host, ...from } })
    assertRefused(answer, 403, 'cross_site_request')
    assert.equal(answer.headers['set-cookie'], undefined)
  }
})

test('Host header of another host (DNS rebinding) or missing: 421 for sessions, API keys unaffected', async () => {
  const headers = await logInAs('rebound')
  for (const host of [
    'evil.example:8080',
    'localhost:80@evil.example',
    '[::1]evil.example',
    '127.0.0.1:80/evil',
  ]) {
    const answer = await ask('/v3/balance', { headers: { ...headers, host } })
    assertRefused(answer, 421, 'misdirected_request')
  }
  const entered = await enter('rebound', PASSWORD, { headers: { ...OWN, host: 'evil.example' } })
  assertRefused(entered, 421, 'misdirected_request')
  for (const host of ['localhost:8080', '[::1]:8080', '127.0.0.1']) {
    assert.equal((await ask('/v3/balance', { headers: { ...headers, host } })).status, 200, host)
  }
})

test('unencrypted connection from another machine: no log-in, sessions refused', async () => {
  const headers = { ...(await logInAs('open')), host: '192.0.2.1:8080' }
  assertRefused(await ask('/v3/balance', { headers }), 403, 'insecure_connection')
  const answer = await enter('open', PASSWORD, { headers: { ...OWN, host: '192.0.2.1:8080' } })
  assertRefused(answer, 403, 'insecure_connection')
})

test('session cookie over HTTPS: __Host- prefix and Secure', async () => {
  const proxied = await service.anotherProcess({
    trusted_proxies: { includes: address => address === '127.0.0.1' },
    allowed_hosts: ['pay.example'],
  })
  try {
    await addPerson(service, { user: 'ada', role: 'operator' })
    await addPerson(service, { user: 'bob' })
    await proxied.deps.reference.refresh()
    const token = await makeLink(service, 'ada')
    const headers = {
      host: 'pay.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '203.0.113.5',
      'sec-fetch-site': 'same-origin',
    }
    const { inject } = proxied
    const body = { token, password: PASSWORD }
    const answer = await ask('/v3/session/link', { method: 'POST', body, headers, inject })
    const [cookie = ''] = [answer.headers['set-cookie']].flat().map(String)
    assert.match(
      cookie,
      /^__Host-corridor=corridor_session_[\w-]{49}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      answer.text,
    )
    const kept = { ...headers, cookie: cookie.split(';', 1).join() }
    assert.equal((await ask('/v3/session', { headers: kept, inject })).status, 200)
    // A proxy may pass on what a caller has made up.
    const link = (more: object) => {
      const url = '/v3/operator/user/bob/login_link'
      return ask(url, { method: 'POST', headers: { ...kept, ...more }, inject })
    }
    assertRefused(await link({ 'x-forwarded-host': 'evil.example' }), 421, 'misdirected_request')
    assert.match((await link({})).json.data.link, /^https:\/\/pay\.example\/login\/link/)
    const [row] = await service.database.owner<{ via: string; changed_by: string }[]>`
      select via, changed_by from audit_log
      where table_name = 'sessions' and changed_by = 'ada'`
    assert.deepEqual({ ...row }, { via: 'api from 203.0.113.5', changed_by: 'ada' })
  } finally {
    await proxied.close()
  }
})

test('session ended by log-out, revocation, disabling, idleness or age: refused from then on', async () => {
  const { owner } = service.database
  const ways: readonly (readonly [string, (user: string, cookie: string) => Promise<unknown>])[] = [
    ['out', (_, cookie) => ask('/v3/session', { method: 'DELETE', headers: { ...OWN, cookie } })],
    ['sent', user => endSessions(service.deps.sql, user)],
    ['barred', user => updateDisabled(owner, user, 'Left')],
    [
      'idle',
      user => owner`
        update sessions set last_seen_at = last_seen_at - interval '31 minutes'
        where user_name = ${user}`,
    ],
    [
      'renewed',
      async user => {
        const body = { token: await makeLink(service, user), password: `${PASSWORD} 2` }
        await ask('/v3/session/link', { method: 'POST', body })
      },
    ],
  ]
  for (const [user, end] of ways) {
    const headers = await sessionOf(user)
    assert.equal((await ask('/v3/session', { headers })).status, 200, user)
    await end(user, headers.cookie)
    assertRefused(await ask('/v3/session', { headers }), 401, 'session_over')
    if (user === 'barred') {
      await updateDisabled(owner, user, '')
      await service.deps.reference.refresh()
      assertRefused(await ask('/v3/session', { headers }), 401, 'session_over')
    }
  }
})

test('session ended by one process: the next request to another process is refused', async () => {
  const headers = await sessionOf('twice')
  const other = await service.anotherProcess()
  try {
    const { inject } = other
    assert.equal((await ask('/v3/balance', { headers, inject })).status, 200)
    await ask('/v3/session', { method: 'DELETE', headers })
    assertRefused(await ask('/v3/balance', { headers, inject }), 401, 'session_over')
  } finally {
    await other.close()
  }
})

test('action that needs re-authentication, password entered some minutes ago: password required', async () => {
  const headers = await logInAs('careful', ['approver'])
  const { owner } = service.database
  await owner`
    update sessions set confirmed_at = confirmed_at - interval '6 minutes'
    where user_name = 'careful'`
  const confirm = (password: string) =>
    ask('/v3/session/confirm', { method: 'POST', body: { password }, headers })
  assertRefused(await confirm('not it, but as long'), 401, 'invalid_login')
  const stale = async () => {
    const [row] = await owner<{ stale: boolean }[]>`
      select confirmed_at < clock_timestamp() - interval '5 minutes' as stale from sessions
      where user_name = 'careful'`
    return row?.stale
  }
  assert.equal(await stale(), true)
  const approve = () => {
    const body = { digest: '0'.repeat(64) }
    return ask('/v3/payout/pot_00000000000000000000/approve', { method: 'POST', body, headers })
  }
  assertRefused(await approve(), 403, 'password_needed')
  assert.equal((await confirm(PASSWORD)).status, 200)
  assert.equal(await stale(), false)
  assertRefused(await approve(), 404, 'not_found')
})

test('audit log, failed log-ins: only of known users, bounded in number, without the attempted password', async () => {
  await logInAs('knocked')
  const ip = '203.0.113.77'
  const tried = 'not it, but long enough'
  const statuses: number[] = []
  for (let i = 0; i < MOST_ATTEMPTS.of_network + 3; i++) {
    for (const user of ['knocked', 'nobody.here']) {
      statuses.push((await enter(user, tried, { ip })).status)
    }
  }
  const pairs = (status: number, count: number) => Array(2 * count).fill(status)
  assert.deepEqual(statuses, [...pairs(401, MOST_ATTEMPTS.of_network), ...pairs(429, 3)])
  const rows = await service.database.owner<Record<string, unknown>[]>`
    select act, via, after - 'network' as after from audit_log
    where table_name = 'login_attempts' and via = ${`api from ${ip}`} order by change_id`
  const refused = (why: string) => ({
    ...{ act: 'log in', via: `api from ${ip}` },
    after: { user_name: 'knocked', refused: why },
  })
  const wrong = Array(MOST_ATTEMPTS.of_network).fill(refused('wrong password'))
  assert.deepEqual([...rows], [...wrong, refused('too many attempts')])
  assert.doesNotMatch(JSON.stringify(rows), new RegExp(tried))
})

test('database, passwords and tokens: in no row, also not in the audit log', async () => {
  const headers = await logInAs('secretive')
  const token = headers.cookie.slice('corridor='.length)
  const { owner } = service.database
  const [row] = await owner<{ text: string }[]>`
    select concat((select string_agg(u::text, '') from user_passwords u),
      (select string_agg(s::text, '') from sessions s), (select string_agg(l::text, '') from login_links l),
      (select string_agg(a::text, '') from audit_log a)) as text`
  const text = row?.text ?? ''
  const digest = createHash('sha256').update(token).digest('hex')
  assert.ok(text.includes(digest), 'sessions are there')
  for (const secret of [PASSWORD, token]) assert.ok(!text.includes(secret))
  const acts = await owner<{ act: string }[]>`
    select act from audit_log where changed_by = 'secretive' order by change_id`
  assert.deepEqual([...new Set(acts.map(({ act }) => act))], ['log in by link'])
})

test('console, browser without scripts: the form logs in and out, over a real socket', async () => {
  await logInAs('paper')
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(origin + path, {
      method: 'POST',
      body: new URLSearchParams(form),
      redirect: 'manual',
      headers: { origin, ...headers },
    })
  const page = await fetch(`${origin}/login`)
  assert.match(await page.text(), /<form method="post" action="\/login">/)
  assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
  const wrong = await post('/login', { user: 'paper', password: '<script>' })
  assert.equal(wrong.status, 401)
  assert.match(await wrong.text(), /role="alert">No user has this name and password/)
  const entered = await post('/login', { user: 'paper', password: PASSWORD })
  assert.equal(entered.status, 303)
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';', 1).join()
  const inside = await fetch(`${origin}/login`, { headers: { cookie } })
  assert.match(await inside.text(), /logged in as <strong>paper/)
  const token = await makeLink(service, 'paper')
  const shown = await (await fetch(`${origin}/login/link?token=${token}%22%3E`)).text()
  assert.ok(shown.includes(`value="${token}&quot;&gt;"`), 'the token is escaped')
  assert.equal((await post('/logout', {}, { cookie, 'sec-fetch-site': 'cross-site' })).status, 403)
  assert.equal((await post('/logout', {}, { cookie })).status, 303)
  assert.doesNotMatch(
    await (await fetch(`${origin}/login`, { headers: { cookie } })).text(),
    /paper/,
  )
  const good = await post('/login/link', { token, password: `${PASSWORD} again` })
  assert.equal(good.status, 303)
})
