// People log in at a provider of OpenID Connect, which runs here: who they become, what their groups
// give, and what an attacker sends in place of the provider or of the browser.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/variables.ts'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import {
  CLIENT,
  type Fault,
  type IdentityProvider,
  startIdentityProvider,
} from '../support/network/identity-provider.ts'
import {
  type Answer,
  addPerson,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { addFactor, codeNow, OWN, sendForm } from '../support/service/session.ts'

type Headers = Readonly<Record<string, string>>

let idp: IdentityProvider
let service: TestService
let id: string
let file: string
before(async () => {
  idp = await startIdentityProvider()
  file = join(await mkdtemp(join(tmpdir(), 'corridor-provider-')), 'secret')
  await writeFile(file, `${CLIENT.secret}\n`)
  const { provider } = readConfig(settings())
  service = await startTestService({ provider, failed_logins_per_min: 0 })
  id = (await service.openAccount({ currencies: ['USD'] })).account.account_id
  const roles = readConfig(settings(`ops=operator; till=${id}:maker; till=${id}:viewer`)).provider
  // The service reads the same list of roles.
  Object.assign(provider as object, { roles: roles?.roles })
  await addPerson(service, { user: 'first', role: 'operator' })
})
after(async () => {
  await service.close()
  await idp.close()
  await rm(dirname(file), { recursive: true })
})

function settings(roles = 'ops=operator', more: Record<string, string> = {}) {
  return {
    CORRIDOR_OIDC_ISSUER: idp.issuer,
    CORRIDOR_OIDC_CLIENT_ID: CLIENT.id,
    CORRIDOR_OIDC_SECRET_FILE: file,
    CORRIDOR_OIDC_ROLES: roles,
    ...more,
  }
}

const get = (url: string, headers: Headers = OWN) => service.inject({ url, headers })

function cookieIn(answer: Answer, name: string): string {
  const set = [answer.headers['set-cookie']].flat().map(one => String(one).split(';', 1).join())
  return set.find(one => one.startsWith(`${name}=`)) ?? ''
}

/** Another site sends the browser back. */
const BACK = { host: OWN.host, 'sec-fetch-site': 'cross-site' }

/** The person goes to the provider and comes back; `cookie` is what the browser has besides. */
async function enter(person: Readonly<Record<string, unknown>>, query = '', cookie = '') {
  idp.person = person
  const out = await get(`/login/provider${query}`, { ...OWN, cookie })
  assert.equal(out.status, 303, out.text)
  const path = await idp.visit(String(out.headers.location))
  const flow = cookieIn(out, 'corridor-flow')
  return get(path, { ...BACK, cookie: [flow, cookie].filter(Boolean).join('; ') })
}

const sessionOf = (answer: Answer) => ({ ...OWN, cookie: cookieIn(answer, 'corridor') })
const who = async (answer: Answer) => (await get('/v3/session', sessionOf(answer))).json.data

const ADA = { sub: 'a-1', preferred_username: 'Ada.L@example.com', name: 'Ada L', groups: ['till'] }

test('first log-in at the provider: makes a user with the roles of the groups; the second is the same user', async () => {
  const first = await enter(ADA, `?next=/console/${id}/payouts`)
  assert.deepEqual([first.status, first.headers.location], [303, `/console/${id}/payouts`])
  const ada = await who(first)
  assert.deepEqual(
    [ada.user, ada.role, ada.accounts],
    ['ada.l', 'member', [{ account: id, roles: ['maker', 'viewer'] }]],
  )
  const again = await enter({ ...ADA, preferred_username: 'somebody.else', name: 'Other' })
  assert.equal((await who(again)).user, 'ada.l')
  const acts = await service.database.owner<{ by: string; table: string }[]>`
    select distinct changed_by as by, table_name as table from audit_log
    where act = 'log in by provider' order by 1, 2`
  assert.deepEqual(
    acts.map(({ by, table }) => `${by} ${table}`),
    [
      ...['account_roles', 'means_given', 'user_identities', 'users'].map(t => `corridor ${t}`),
      'ada.l sessions',
    ].sort(),
  )
})

test('claims with the name or the e-mail of a user: another user is made, who has nothing of theirs', async () => {
  await addPerson(service, { user: 'mary', role: 'operator', roles: [[id, 'approver']] })
  await service.deps.sql`update users set email = 'mary@example.com' where name = 'mary'`
  const claims = { preferred_username: 'mary', email: 'mary@example.com', email_verified: true }
  const thief = await who(await enter({ sub: 'thief', groups: ['till'], ...claims }))
  assert.equal(thief.user, 'mary-2')
  assert.equal(thief.role, 'member')
  const rows = await service.database.owner<{ name: string; email: string }[]>`
    select name, email from users where name like 'mary%' order by 1`
  assert.deepEqual(
    rows.map(row => ({ ...row })),
    [
      { name: 'mary', email: 'mary@example.com' },
      { name: 'mary-2', email: '' },
    ],
  )
})

test('groups changed at the provider: exactly their roles at the next log-in; none: out, and no session left', async () => {
  const bob = { sub: 'b', preferred_username: 'bob', groups: ['ops'] }
  const boss = await enter(bob)
  assert.equal((await who(boss)).role, 'operator')
  const member = await enter({ ...bob, groups: 'till' })
  assert.deepEqual([(await who(member)).role, (await who(member)).accounts.length], ['member', 1])
  const out = await enter({ ...bob, groups: ['other'] })
  assert.equal(out.status, 401)
  assert.match(out.text, /None of your groups/)
  assertRefused(await get('/v3/session', sessionOf(member)), 401, 'session_over')
  const [row] = await service.database.owner<{ count: number }[]>`
    select count(*)::integer as count from account_roles where user_name = 'bob'`
  assert.equal(row?.count, 0)
  assert.equal(
    (await enter({ sub: 'stranger', preferred_username: 'eve', groups: [] })).status,
    401,
  )
  assert.equal((await service.database.owner`select from users where name = 'eve'`).length, 0)
})

const FAULTS: readonly Fault[] = ['nonce', 'signature', 'unsigned', 'audience', 'issuer', 'expired']
for (const fault of FAULTS) {
  test(`token of the provider with a wrong ${fault}: 401, no row changed`, async () => {
    const rows = await rowVersions(service.database.owner)
    idp.fault = fault
    try {
      const answer = await enter({ ...ADA, sub: `of-${fault}` })
      assert.equal(answer.status, 401, answer.text)
      assert.equal(cookieIn(answer, 'corridor'), '')
    } finally {
      idp.fault = ''
    }
    assert.deepEqual(await rowVersions(service.database.owner), rows)
  })
}

test('way back in another browser, with another state, twice, or with an error of the provider: 401', async () => {
  idp.person = ADA
  const out = await get('/login/provider')
  const flow = cookieIn(out, 'corridor-flow')
  const path = await idp.visit(String(out.headers.location))
  assert.equal((await get(path, BACK)).status, 401)
  const other = cookieIn(await get('/login/provider'), 'corridor-flow')
  assert.equal((await get(path, { ...BACK, cookie: other })).status, 401)
  const own = { ...BACK, cookie: flow }
  assert.equal((await get(path.replace(/state=[^&]*/, 'state=x'), own)).status, 401)
  assert.equal((await get(path, own)).status, 303)
  assert.equal((await get(path, own)).status, 401)
  assert.equal((await get('/login/provider/callback?error=access_denied', own)).status, 401)
  for (const cookie of ['corridor-flow=x', 'corridor-flow=e30']) {
    assert.equal((await get(path, { ...BACK, cookie })).status, 401)
  }
})

test('log-in at the provider: next is a page of the console, the flow’s cookie is short and HttpOnly', async () => {
  const answer = await enter(ADA, '?next=https://evil.example/')
  assert.equal(answer.headers.location, '/console')
  const out = await get('/login/provider')
  const [cookie = ''] = [out.headers['set-cookie']].flat().map(String)
  assert.match(cookie, /^corridor-flow=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/)
  const asked = new URL(String(out.headers.location)).searchParams
  assert.equal(asked.get('redirect_uri'), `http://${OWN.host}/login/provider/callback`)
  for (const name of ['state', 'nonce', 'code_challenge']) assert.ok(asked.get(name), name)
  assert.equal(asked.get('response_type'), 'code')
})

test('password asked for, of who has none: counts the log-in at the provider by auth_time', async () => {
  const now = Math.trunc(Date.now() / 1000)
  const boss = { sub: 'boss', preferred_username: 'boss', groups: ['ops'] }
  const waive = (answer: Answer) =>
    service.inject({
      method: 'POST',
      url: '/v3/operator/second_factor/waive',
      headers: { ...sessionOf(answer), 'content-type': 'application/json' },
      payload: '{}',
    })
  const old = await enter({ ...boss, auth_time: now - 3_600 })
  assertRefused(await waive(old), 403, 'password_needed')
  const page = await get('/console/installation/users', sessionOf(old))
  assert.match(page.text, /href="\/login\/provider\?again=1/)
  assert.doesNotMatch(page.text, /type="password"/)
  assertRefused(await waive(await enter(boss)), 403, 'password_needed')
  const fresh = await enter({ ...boss, auth_time: now }, '?again=1', cookieIn(old, 'corridor'))
  assert.equal(idp.asked.get('prompt'), 'login')
  assertRefused(await waive(fresh), 409, 'invalid_transition')
  assertRefused(await get('/v3/session', sessionOf(old)), 401, 'session_over')
})

test('second factor after the provider: asked for like everybody’s, unless the provider had several factors', async () => {
  const kim = { sub: 'kim', preferred_username: 'kim', groups: ['till'] }
  await enter(kim)
  const secret = await addFactor(service, 'kim')
  const half = await enter(kim)
  assert.match(String(half.headers.location), /^\/login\/code/)
  const form = { code: codeNow(secret), next: '/console' }
  const whole = await sendForm(service, sessionOf(half), '/login/code', form)
  assert.equal((await who(whole)).lacks, null)
  assert.equal((await who(await enter({ ...kim, amr: ['pwd', 'mfa'] }))).lacks, null)
})

test('log-out after the provider: leads there, too; a disabled user: stays out', async () => {
  const lee = { sub: 'lee', preferred_username: 'lee', groups: ['till'] }
  const entered = await enter(lee)
  const out = await sendForm(service, sessionOf(entered), '/logout', {})
  assert.match(out.text, new RegExp(`href="${idp.issuer}/out\\?[^"]*client_id=corridor`))
  assertRefused(await get('/v3/session', sessionOf(entered)), 401, 'session_over')
  await service.deps.sql`
    update users set disabled_at = now(), disabled_reason = 'Left' where name = 'lee'`
  await service.deps.reference.refresh()
  assert.equal((await enter(lee)).status, 401)
})

test('provider that does not answer: 503, and passwords still work; without a provider no page of it', async () => {
  const { provider: known } = readConfig(settings())
  assert.ok(known)
  const silent = { ...known, issuer: 'http://127.0.0.1:26' }
  const away = await service.anotherProcess({ provider: silent })
  assert.equal((await away.inject({ url: '/login/provider', headers: OWN })).status, 503)
  assert.match((await away.inject({ url: '/login', headers: OWN })).text, /organisation.*Password/s)
  await away.close()
  const plain = await service.anotherProcess({ provider: undefined })
  assert.equal((await plain.inject({ url: '/login/provider', headers: OWN })).status, 404)
  assert.doesNotMatch((await plain.inject({ url: '/login', headers: OWN })).text, /organisation/)
  await plain.close()
})

test('CORRIDOR_PUBLIC_URL set: the provider leads back there, examples of /docs name it, its host has sessions, another has none', async () => {
  const { public_url } = readConfig({ CORRIDOR_PUBLIC_URL: 'https://pay.example.com' })
  const behind = await service.anotherProcess({ public_url })
  try {
    const out = await behind.inject({ url: '/login/provider', headers: OWN })
    const asked = new URL(String(out.headers.location)).searchParams
    assert.equal(asked.get('redirect_uri'), `${public_url}/login/provider/callback`)
    const docs = await behind.inject({ url: '/docs/first-payout', headers: OWN })
    assert.match(docs.text, /https:\/\/pay\.example\.com/)
    assert.doesNotMatch(docs.text, new RegExp(`http://${OWN.host}`))
    const entered = await enter({ sub: 'pub-1', preferred_username: 'pub', groups: ['ops'] })
    const { cookie } = sessionOf(entered)
    const under = (host: string) => behind.inject({ url: '/v3/session', headers: { cookie, host } })
    assertRefused(await under('evil.example'), 421, 'misdirected_request')
    assertRefused(await under('pay.example.com.evil.example'), 421, 'misdirected_request')
    // The host is known; what is left to refuse is that the connection has no TLS.
    assertRefused(await under('pay.example.com'), 403, 'insecure_connection')
  } finally {
    await behind.close()
  }
})

test('settings of the provider: https or this machine, a secret in a file, roles that can be read', () => {
  assert.equal(readConfig({}).provider, undefined)
  const wrong: Record<string, string>[] = [
    { CORRIDOR_OIDC_ISSUER: 'http://login.example.com' },
    { CORRIDOR_OIDC_ISSUER: 'login.example.com' },
    { CORRIDOR_OIDC_ISSUER: 'http://127.0.0.1.evil.example' },
    { CORRIDOR_OIDC_CLIENT_ID: '' },
    { CORRIDOR_OIDC_SECRET_FILE: '' },
    { CORRIDOR_OIDC_SECRET_FILE: '/nowhere' },
    { CORRIDOR_OIDC_ROLES: '' },
    { CORRIDOR_OIDC_ROLES: 'all=member' },
  ]
  for (const one of wrong) {
    const [name = ''] = Object.keys(one)
    const message = new RegExp(`^ConfigError: ${name} must`)
    assert.throws(() => readConfig(settings('ops=operator', one)), message)
    assert.throws(() => readConfig(settings('ops=operator', one)), ConfigError)
  }
  const secure = { CORRIDOR_OIDC_ISSUER: 'https://login.example.com' }
  assert.equal(readConfig(settings('ops=operator', secure)).provider?.secret, CLIENT.secret)
})
