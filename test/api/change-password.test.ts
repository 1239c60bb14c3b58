// People change their own passwords: by the API and on a page, once, with the present password.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { MOST_ATTEMPTS } from '../../src/accounts/user/session.ts'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { addPerson, startTestService, type TestService } from '../support/service/service.ts'
import {
  cookieOf,
  logIn,
  logInByLink,
  OWN,
  PASSWORD,
  sendForm,
} from '../support/service/session.ts'

const NEXT = 'nine dry herons dance'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

type Headers = Readonly<Record<string, string>>

function post(url: string, headers: Headers, body: object) {
  return service.inject({
    method: 'POST',
    url,
    headers: { ...headers, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
}

const change = (headers: Headers, password = PASSWORD, new_password = NEXT) =>
  post('/v3/session/password', headers, { password, new_password })

const enter = (user: string, password: string) => post('/v3/session', OWN, { user, password })

const who = async (headers: Headers) =>
  (await service.inject({ url: '/v3/session', headers })).status

async function person(user: string): Promise<Headers> {
  await addPerson(service, { user })
  return logInByLink(service, user)
}

test('POST /v3/session/password, present password right: the new one counts, every other session ends', async () => {
  const mine = await person('mary')
  const other = await logIn(service, 'mary')
  const answer = await change(mine)
  assert.equal(answer.status, 200, answer.text)
  const renewed = { ...OWN, cookie: cookieOf(answer) }
  assert.deepEqual([await who(mine), await who(other), await who(renewed)], [401, 401, 200])
  assertRefused(await enter('mary', PASSWORD), 401, 'invalid_login')
  assert.equal((await enter('mary', NEXT)).status, 200)
  const changes = await service.database.owner<{ changed_by: string; via: string }[]>`
    select changed_by, via from audit_log
    where act = 'change password' and table_name = 'user_passwords'`
  assert.deepEqual(
    changes.map(({ changed_by }) => changed_by),
    ['mary'],
  )
  assert.match(changes[0]?.via ?? '', /^api from /)
})

test('POST /v3/session/password, wrong password: 401, nothing changed; too many: 429', async () => {
  const mine = await person('guess')
  const stored = async () => (await rowVersions(service.database.owner)).user_passwords
  const before = await stored()
  for (let i = 0; i < MOST_ATTEMPTS.of_network; i++) {
    assertRefused(await change(mine, `${PASSWORD}!`), 401, 'invalid_login')
  }
  assertRefused(await change(mine), 429, 'rate_limited')
  assert.equal(await stored(), before)
  assert.equal(await who(mine), 200)
})

test('POST /v3/session/password, new password too short, too long or the same: 400 names it', async () => {
  const mine = await person('brief')
  for (const next of ['x'.repeat(14), 'x'.repeat(257), PASSWORD]) {
    const answer = await change(mine, PASSWORD, next)
    assertRefused(answer, 400, 'invalid_field')
    assert.equal(answer.json.errors[0].remarks, 'new_password')
  }
  assert.equal(await who(mine), 200)
})

test('POST /v3/session/password by a key, or from another site: 403', async () => {
  const { headers } = await addPerson(service, { user: 'keyed' })
  assertRefused(await change(headers()), 403, 'insufficient_scope')
  const mine = await logInByLink(service, 'keyed')
  const foreign = { ...mine, 'sec-fetch-site': 'cross-site' }
  assertRefused(await change(foreign), 403, 'cross_site_request')
  assert.equal((await enter('keyed', PASSWORD)).status, 200)
})

test('POST /v3/session/password, three at once: one changes it', async () => {
  const mine = await person('raced')
  const wanted = [NEXT, `${NEXT} twice`, `${NEXT} thrice`]
  const answers = await Promise.all(wanted.map(next => change(mine, PASSWORD, next)))
  const won = wanted.filter((_, i) => answers[i]?.status === 200)
  assert.equal(won.length, 1)
  for (const answer of answers) assert.ok([200, 401].includes(answer.status), answer.text)
  assert.equal((await enter('raced', won[0] ?? '')).status, 200)
})

test('console, change of the password: a form that says what is wrong, then a new session', async () => {
  const mine = await person('paper')
  const page = await service.inject({ url: '/login/password', headers: mine })
  assert.match(page.text, /<form method="post" action="\/login\/password">/)
  const send = (form: Record<string, string>) => sendForm(service, mine, '/login/password', form)
  const short = await send({ password: PASSWORD, new_password: 'short' })
  assert.equal(short.status, 400)
  assert.match(short.text, /role="alert">A password has 15 to 256 characters/)
  const wrong = await send({ password: 'no', new_password: NEXT })
  assert.equal(wrong.status, 401)
  assert.match(wrong.text, /role="alert">This is not your password/)
  const done = await send({ password: PASSWORD, new_password: NEXT })
  assert.equal(done.status, 200)
  assert.match(done.text, /Your password is changed/)
  const renewed = { ...OWN, cookie: cookieOf(done) }
  assert.deepEqual([await who(mine), await who(renewed)], [401, 200])
  const out = await service.inject({ url: '/login/password', headers: mine })
  assert.deepEqual([out.status, out.headers.location], [303, '/login'])
})
