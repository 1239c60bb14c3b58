// The second factor: enrolled, given after the password, recovered, required and reset. Codes are
// taken once and guesses bounded; a session that lacks its code may do nothing else.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { insertFactorRule } from '../../src/accounts/user/factor-store.ts'
import { MOST_CODES } from '../../src/accounts/user/session.ts'
import { insertAccountRole } from '../../src/accounts/user/store.ts'
import { assertRefused } from '../support/assert/check.ts'
import { watchAllRoutes } from '../support/assert/routes.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import {
  type Answer,
  addPerson,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import {
  addFactor,
  codeNow,
  cookieOf,
  logIn,
  logInByLink,
  OWN,
  PASSWORD,
  sendForm,
} from '../support/service/session.ts'

type Headers = Readonly<Record<string, string>>

let service: TestService
let routes: Awaited<ReturnType<typeof watchAllRoutes>>[1]
let id: string
before(async () => {
  const [started, added] = await watchAllRoutes(() =>
    startTestService({ failed_logins_per_min: 0 }),
  )
  service = started
  routes = added
  id = (await service.openAccount({ currencies: ['USD'] })).account.account_id
})
after(() => service.close())

function call(method: string, url: string, headers: Headers, body?: object, ip?: string) {
  return service.inject({
    method: method as 'GET',
    url,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { payload: JSON.stringify(body) }),
    ...(ip !== undefined && { remoteAddress: ip }),
  })
}

const post = (url: string, headers: Headers, body?: object, ip?: string) =>
  call('POST', url, headers, body, ip)
const give = (headers: Headers, code: string, ip?: string) =>
  post('/v3/session/code', headers, { code }, ip)
const who = (headers: Headers) => call('GET', '/v3/session', headers)
const cookies = (answer: Answer): Headers => ({ ...OWN, cookie: cookieOf(answer) })

/** The person's own device, known by its cookie, in the session of the answer. */
function onDevice(answer: Answer): Headers {
  const set = [answer.headers['set-cookie']].flat().map(one => String(one).split(';', 1)[0])
  return { ...OWN, cookie: set.join('; ') }
}

/** Somebody with a factor, whose open session proves it: the headers, the secret and the codes. */
async function enrolled(user: string) {
  await addPerson(service, { user, roles: [[id, 'viewer']] })
  const first = await logInByLink(service, user)
  const begun = await post('/v3/session/second_factor', first)
  assert.equal(begun.status, 200, begun.text)
  const { secret, link } = begun.json.data
  assert.equal(new URL(link).searchParams.get('secret'), secret)
  const done = await post('/v3/session/second_factor/enrol', first, { code: codeNow(secret) })
  assert.equal(done.status, 200, done.text)
  assert.equal(done.json.data.lacks, null)
  const codes: string[] = done.json.data.recovery_codes
  return { first, done, headers: cookies(done), secret: String(secret), codes }
}

const enter = (user: string, ip?: string) =>
  post('/v3/session', OWN, { user, password: PASSWORD }, ip)

test('second factor enrolled: another session, others end; the next log-in gets in by a code, once', async () => {
  const { first, headers, secret, codes } = await enrolled('mary')
  assert.equal(codes.length, 10)
  assertRefused(await who(first), 401, 'session_over')
  assert.equal((await who(headers)).json.data.lacks, null)
  const half = await enter('mary')
  assert.equal(half.json.data.lacks, 'code')
  assert.equal([half.headers['set-cookie']].flat().length, 1, 'the device is not known yet')
  const lacking = cookies(half)
  const early = await call('GET', '/v3/balance', { ...lacking, 'corridor-account': id })
  assertRefused(early, 403, 'code_needed')
  const code = codeNow(secret, 1)
  const whole = await give(lacking, code)
  assert.equal(whole.status, 200, whole.text)
  assert.equal(whole.json.data.lacks, null)
  assertRefused(await who(lacking), 401, 'session_over')
  const balance = { ...cookies(whole), 'corridor-account': id }
  assert.equal((await call('GET', '/v3/balance', balance)).status, 200)
  const again = cookies(await enter('mary'))
  assertRefused(await give(again, code), 401, 'invalid_login')
  assert.equal((await who(again)).json.data.lacks, 'code')
})

test('code given by two requests at once: one gets a session', async () => {
  const { secret } = await enrolled('raced')
  const sessions = [await logIn(service, 'raced'), await logIn(service, 'raced')]
  const code = codeNow(secret, 1)
  const { owner } = service.database
  // Both have compared the code before either takes it.
  const { sent } = await owner.begin(async tx => {
    await tx`select from second_factors where user_name = 'raced' for update`
    const sent = sessions.map(headers => give(headers, code))
    while ((await untilBlocked(owner)).length < sent.length) await setImmediate()
    return { sent }
  })
  const answers = await Promise.all(sent)
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401])
})

test('session that lacks a code, every route for people: 403 code_needed, but to give it or leave', async () => {
  await addPerson(service, { user: 'half', role: 'operator', roles: [[id, 'maker']] })
  await addFactor(service, 'half')
  const headers = { ...(await logIn(service, 'half')), 'corridor-account': id }
  const open: string[] = []
  for (const { name, method, url, scope } of routes) {
    if (scope === undefined || scope === 'anyone' || method === 'HEAD') continue
    const path = url.replaceAll(':account', id).replace(/:\w+/g, 'x').replace('*', 'x')
    const answer = await call(method, path, headers)
    const isLed = answer.status === 303 && /^\/login\/code\b/.test(String(answer.headers.location))
    if (isLed || answer.text.includes('code_needed')) continue
    open.push(name)
    if (/logout|DELETE/.test(name)) Object.assign(headers, await logIn(service, 'half'))
  }
  assert.deepEqual(open.sort(), [
    'DELETE /v3/session',
    'GET /login/code',
    'GET /v3/session',
    'POST /login/code',
    'POST /logout',
    'POST /v3/session/code',
  ])
  const listed = await call('GET', '/v3/operator/user', await logIn(service, 'half'))
  assertRefused(listed, 403, 'code_needed')
})

test('wrong codes: bounded by address and in all, not reset by the password; a known device is not kept out', async () => {
  const { done, secret } = await enrolled('guessed')
  const device = onDevice(done)
  const wrong = async (ip: string) =>
    (await give(cookies(await enter('guessed', ip)), '000000', ip)).status
  const from = async (ip: string, times: number) => {
    const statuses: number[] = []
    for (let i = 0; i < times; i++) statuses.push(await wrong(ip))
    return statuses
  }
  const { of_network, of_all } = MOST_CODES
  assert.deepEqual(await from('192.0.2.1', of_network + 1), [...Array(of_network).fill(401), 429])
  await from('192.0.2.2', of_all - of_network - 1)
  assert.deepEqual(await from('192.0.2.3', 1), [429])
  const body = { user: 'guessed', password: PASSWORD }
  const half = await post('/v3/session', { ...OWN, cookie: device.cookie ?? '' }, body)
  const known = (device.cookie ?? '').split('; ').filter(one => one.startsWith('corridor-device'))
  const own = { ...OWN, cookie: [cookieOf(half), ...known].join('; ') }
  assert.equal((await give(own, codeNow(secret, 1))).status, 200)
  const rows = await service.database.owner<{ why: string }[]>`
    select after ->> 'refused' as why from audit_log
    where table_name = 'login_attempts' and after ->> 'user_name' = 'guessed'`
  assert.ok(rows.some(({ why }) => why === 'wrong code'))
  assert.ok(rows.some(({ why }) => why === 'too many attempts'))
})

test('recovery code: logs in once; a device’s factor can be removed with it', async () => {
  const { codes } = await enrolled('lost')
  const [one = '', two = ''] = codes
  const back = await give(cookies(await enter('lost')), one.toLowerCase())
  assert.equal(back.status, 200, back.text)
  assertRefused(await give(cookies(await enter('lost')), one), 401, 'invalid_login')
  const removed = await post('/v3/session/second_factor/remove', cookies(back), { code: two })
  assert.equal(removed.status, 200, removed.text)
  assertRefused(await who(cookies(back)), 401, 'session_over')
  assert.equal((await enter('lost')).json.data.lacks, null)
})

test('login link and a new password: the second factor stays', async () => {
  const { headers, secret } = await enrolled('keeps')
  const change = { password: PASSWORD, new_password: `${PASSWORD} again` }
  const changed = await post('/v3/session/password', headers, change)
  assert.equal(changed.json.data.lacks, null, 'this session has proved it')
  const linked = await logInByLink(service, 'keeps')
  assert.equal((await who(linked)).json.data.lacks, 'code')
  assert.equal((await give(linked, codeNow(secret, 1))).status, 200)
})

test('second factor begun: needs the password lately, and no factor; a key may not', async () => {
  const { headers: key } = await addPerson(service, { user: 'begun' })
  assertRefused(await post('/v3/session/second_factor', key()), 403, 'insufficient_scope')
  const headers = await logIn(service, 'begun')
  await service.database.owner`
    update sessions set confirmed_at = confirmed_at - interval '6 minutes' where user_name = 'begun'`
  assertRefused(await post('/v3/session/second_factor', headers), 403, 'password_needed')
  await addFactor(service, 'begun')
  const whole = (await enrolled('begun.2')).headers
  assertRefused(await post('/v3/session/second_factor', whole), 409, 'invalid_transition')
  const early = await logIn(service, (await addPerson(service, { user: 'early' })).user)
  const wrong = await post('/v3/session/second_factor/enrol', early, { code: '123456' })
  assertRefused(wrong, 401, 'invalid_login')
})

test('second factor required of an account: its people enrol first, in open sessions too, and nobody else', async () => {
  const other = (await service.openAccount({ currencies: ['USD'] })).account.account_id
  await addPerson(service, { user: 'inside', roles: [[other, 'viewer']] })
  await addPerson(service, { user: 'outside', roles: [[id, 'viewer']] })
  const inside = await logInByLink(service, 'inside')
  const outside = await logIn(service, 'outside')
  await insertFactorRule(service.deps.sql, other)
  const balance = (headers: Headers, account: string) =>
    call('GET', '/v3/balance', { ...headers, 'corridor-account': account })
  assertRefused(await balance(inside, other), 403, 'enrolment_needed')
  assert.equal((await balance(outside, id)).status, 200)
  assertRefused(
    await post('/v3/session/password', inside, {
      password: PASSWORD,
      new_password: `${PASSWORD}!`,
    }),
    403,
    'enrolment_needed',
  )
  const led = await call('GET', `/console/${other}`, inside)
  assert.match(String(led.headers.location), /^\/login\/second-factor\?next=%2Fconsole%2Facc_/)
  const begun = await post('/v3/session/second_factor', inside)
  const code = codeNow(begun.json.data.secret)
  const done = await post('/v3/session/second_factor/enrol', inside, { code })
  assert.equal((await balance(cookies(done), other)).status, 200)
  await insertAccountRole(service.deps.sql, {
    ...{ user_name: 'outside', account_id: other, role: 'viewer' },
  })
  await service.deps.reference.refresh()
  assertRefused(await balance(outside, id), 403, 'enrolment_needed')
})

test('second factor reset by an operator: audited, sessions end, the person enrols anew; never their own', async () => {
  const { headers } = await enrolled('reset')
  await addPerson(service, { user: 'boss', role: 'operator' })
  const boss = await logIn(service, 'boss')
  const url = '/v3/operator/user/reset/reset_factor'
  assert.equal((await post(url, boss)).status, 200)
  assertRefused(await who(headers), 401, 'session_over')
  assertRefused(await post(url, boss), 409, 'invalid_transition')
  const own = await post('/v3/operator/user/boss/reset_factor', boss)
  assertRefused(own, 403, 'insufficient_scope')
  const rows = await service.database.owner<{ by: string; table: string }[]>`
    select distinct changed_by as by, table_name as table from audit_log
    where act = 'user reset-factor' order by 2`
  assert.deepEqual(
    rows.map(({ by, table }) => `${by} ${table}`),
    ['boss recovery_codes', 'boss second_factors', 'boss sessions'],
  )
})

test('audit log, second factors: no secret and no code in it; the auditor cannot read the secret', async () => {
  const { secret, codes } = await enrolled('secretive')
  const { owner } = service.database
  const [row] = await owner<{ text: string }[]>`
    select string_agg(before::text || after::text, '') || string_agg(after::text, '') as text
    from audit_log`
  for (const hidden of [secret, ...codes, ...codes.map(one => one.replaceAll('-', ''))]) {
    assert.ok(!(row?.text ?? '').includes(hidden))
  }
  await assert.rejects(
    service.deps.operators.audit`select secret from second_factors`,
    /permission denied/,
  )
})

test('second factor by SQL: no older code, no other secret, no code used twice, no rule of an unknown account', async () => {
  await addPerson(service, { user: 'sql' })
  await addFactor(service, 'sql')
  const { sql } = service.deps
  await sql`update second_factors set last_step = 9 where user_name = 'sql'`
  const stays = /stays as it is/
  await assert.rejects(sql`update second_factors set last_step = 8 where user_name = 'sql'`, stays)
  await assert.rejects(
    sql`update second_factors set secret = ${'B'.repeat(32)} where user_name = 'sql'`,
    stays,
  )
  await sql`insert into recovery_codes values (sha256('used'), 'sql', now())`
  await assert.rejects(sql`update recovery_codes set used_at = null where user_name = 'sql'`)
  await assert.rejects(insertFactorRule(sql, 'acc_00000000'), /there is no account/)
})

test('console, second factor: enrolled on pages by a person who must, given at the next log-in', async () => {
  const other = (await service.openAccount({ currencies: ['USD'] })).account.account_id
  await addPerson(service, { user: 'paper', roles: [[other, 'viewer']] })
  await insertFactorRule(service.deps.sql, other)
  const first = await logInByLink(service, 'paper')
  const page = await call('GET', '/login/second-factor', first)
  assert.match(page.text, /You need a second factor here/)
  const begun = await sendForm(service, first, '/login/second-factor', {})
  assert.match(begun.text, /otpauth:\/\/totp\/Corridor/)
  const secret = /secret=([A-Z2-7]{32})/.exec(begun.text)?.[1] ?? ''
  const enrolment = '/login/second-factor/enrol'
  const wrong = await sendForm(service, first, enrolment, { code: '12' })
  assert.equal(wrong.status, 401)
  assert.ok(wrong.text.includes(secret), 'the same secret, for another try')
  const done = await sendForm(service, first, enrolment, { code: codeNow(secret) })
  assert.match(done.text, /([A-Z2-7]{4}-){3}[A-Z2-7]{4}/)
  assert.equal((await call('GET', `/console/${other}`, cookies(done))).status, 200)
  const next = `/console/${other}`
  const half = await sendForm(service, OWN, '/login', { user: 'paper', password: PASSWORD, next })
  assert.equal(half.headers.location, `/login/code?next=${encodeURIComponent(next)}`)
  const lacking = cookies(half)
  const asked = await call('GET', String(half.headers.location), lacking)
  assert.match(asked.text, /The six digits of your device/)
  const code = { code: codeNow(secret, 1), next }
  const whole = await sendForm(service, lacking, '/login/code', code)
  assert.deepEqual([whole.status, whole.headers.location], [303, next])
  assert.equal((await call('GET', next, cookies(whole))).status, 200)
})
