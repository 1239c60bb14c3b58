// What the owner of an account does: invites people with roles that the owner has, and makes,
// replaces and revokes keys. Invitations work once, in the owner's name, and only while the owner may.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deleteAccountRole, updateDisabled } from '../../src/accounts/user/store.ts'
import type { AccountRole } from '../../src/accounts/user/user.ts'
import { newToken } from '../../src/values/secret.ts'
import { assertRefused } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import {
  type Answer,
  addPerson,
  basic,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { cookieOf, logIn, OWN, PASSWORD, sendForm } from '../support/service/session.ts'

type Headers = Readonly<Record<string, string>>

let service: TestService
let account: Client
let id: string
before(async () => {
  service = await startTestService({ failed_logins_per_min: 0 })
  await service.setFees([{ payout_type: 'local' }])
  await service.setRates({ 'USD/HKD': '7.8' })
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
  id = account.account.account_id
})
after(() => service.close())

const post = (url: string, headers: Headers, body: object = {}) =>
  service.inject({
    method: 'POST',
    url,
    headers: { ...headers, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
const get = (url: string, headers: Headers) => service.inject({ url, headers })

let people = 0

/** The name and the session's headers of somebody with these roles on the account. */
async function person(...roles: AccountRole[]) {
  people += 1
  const user = `owner-${people}`
  await addPerson(service, { user, roles: roles.map(role => [id, role]) })
  return { user, headers: { ...(await logIn(service, user)), 'corridor-account': id } }
}

const invite = (headers: Headers, roles: readonly string[], email?: string) =>
  post('/v3/session/invitation', headers, { roles, ...(email !== undefined && { email }) })

function tokenOf(answer: Answer): string {
  assert.equal(answer.status, 200, answer.text)
  return new URL(answer.json.data.link).searchParams.get('token') ?? ''
}

const accept = (token: string, user: string) =>
  post('/v3/session/invitation/accept', OWN, {
    ...{ token, user, full_name: 'Bo Diddley', password: PASSWORD },
  })

test('invitation: a new person becomes a user with its roles, once, given in the owner’s name', async () => {
  const { user, headers } = await person('owner', 'maker')
  const made = await invite(headers, ['viewer', 'maker'], 'bo@example.com')
  const token = tokenOf(made)
  assert.equal(made.headers['cache-control'], 'no-store')
  const entered = await accept(token, 'bo')
  assert.equal(entered.status, 200, entered.text)
  assert.deepEqual(entered.json.data.accounts, [{ account: id, roles: ['maker', 'viewer'] }])
  const own = { ...OWN, cookie: cookieOf(entered), 'corridor-account': id }
  assert.equal((await get('/v3/balance', own)).status, 200)
  assertRefused(await accept(token, 'bo.2'), 401, 'invalid_login')
  const given = await service.database.owner<{ means: string; by: string }[]>`
    select means, given_by as by from means_given where user_name = 'bo' order by number`
  assert.deepEqual(
    given.map(({ means, by }) => `${means} ${by}`),
    [`role ${user}`, `role ${user}`],
  )
  const [row] = await service.database.owner<{ email: string }[]>`
    select email from users where name = 'bo'`
  assert.equal(row?.email, 'bo@example.com')
  const { json } = await get('/v3/session/invitation', headers)
  assert.equal(json.data.results[0].accepted_by, 'bo')
  assert.ok(!JSON.stringify(json).includes(token))
})

test('invitation used by five people at once: one becomes a user', async () => {
  const { headers } = await person('owner')
  const token = tokenOf(await invite(headers, ['viewer']))
  const answers = await Promise.all([1, 2, 3, 4, 5].map(n => accept(token, `raced-${n}`)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401])
  const [row] = await service.database.owner<{ count: number }[]>`
    select count(*)::integer as count from users where starts_with(name, 'raced-')`
  assert.equal(row?.count, 1)
})

test('invitation with roles that its owner does not have: 400 names them; by anybody else: 403', async () => {
  const { user, headers } = await person('owner', 'maker')
  const refused = await invite(headers, ['approver', 'viewer'])
  assertRefused(refused, 400, 'invalid_field', 'roles')
  for (const role of ['viewer', 'maker', 'approver'] as const) {
    const other = await person(role)
    assertRefused(await invite(other.headers, ['viewer']), 403, 'insufficient_scope')
    assertRefused(await get('/v3/session/key', other.headers), 403, 'insufficient_scope')
  }
  assertRefused(await invite(headers, ['viewer'], 'no address'), 400, 'invalid_field', 'email')
  await assert.rejects(
    service.deps.sql`
      insert into invitations (invitation_id, secret_hash, account_id, roles, invited_by, expires_at)
      values ('inv_00000000000000000009', sha256('x'), ${id}, '{approver}', ${user},
        now() + interval '1 day')`,
    /gives roles of their own/,
  )
})

test('invitation by an owner who may pay and approve: only as a viewer, also past the service', async () => {
  const { headers, user } = await person('owner', 'maker', 'approver')
  for (const role of ['maker', 'approver', 'owner']) {
    assertRefused(await invite(headers, [role]), 400, 'invalid_field', 'roles')
    await assert.rejects(
      service.database.owner`
        insert into invitations (invitation_id, secret_hash, account_id, roles, invited_by, expires_at)
        values ('inv_00000000000000000009', sha256(${role}::bytea), ${id}, ${[role]}, ${user},
          now() + interval '1 day')`.execute(),
      /gives roles of their own/,
    )
  }
  assert.equal((await invite(headers, ['viewer'])).status, 200)
})

test('invitation revoked, expired, or of an owner who is one no longer: 401, nobody is made', async () => {
  const { user, headers } = await person('owner', 'maker')
  const made = await invite(headers, ['viewer'])
  const { invitation_id } = made.json.data
  const revoked = await post(`/v3/session/invitation/${invitation_id}/revoke`, headers)
  assert.equal(revoked.status, 200, revoked.text)
  assertRefused(await accept(tokenOf(made), 'late'), 401, 'invalid_login')
  const again = await post(`/v3/session/invitation/${invitation_id}/revoke`, headers)
  assertRefused(again, 404, 'not_found')
  const old = tokenOf(await invite(headers, ['viewer']))
  const lost = tokenOf(await invite(headers, ['maker']))
  const gone = tokenOf(await invite(headers, ['viewer']))
  await service.database.owner`alter table invitations disable trigger by_owner`
  await service.database.owner`
    update invitations set expires_at = created_at + interval '1 microsecond'
    where secret_hash = sha256(convert_to(${old}, 'UTF8'))`
  await service.database.owner`alter table invitations enable trigger by_owner`
  const maker = { user_name: user, account_id: id, role: 'maker' } as const
  await deleteAccountRole(service.deps.sql, maker)
  assertRefused(await accept(old, 'late'), 401, 'invalid_login')
  assertRefused(await accept(lost, 'late'), 401, 'invalid_login')
  await updateDisabled(service.deps.sql, user, 'Left')
  assertRefused(await accept(gone, 'late'), 401, 'invalid_login')
  for (const token of [newToken('invitation'), newToken('login'), 'x']) {
    assertRefused(await accept(token, 'late'), 401, 'invalid_login')
  }
  const rows = await service.database.owner`select from users where name = 'late'`
  assert.equal(rows.length, 0)
})

test('invitation accepted by a user who is logged in: the roles are added; its owner may not', async () => {
  const { headers } = await person('owner', 'approver')
  const token = tokenOf(await invite(headers, ['approver']))
  const own = await post('/v3/session/invitation/join', headers, { token })
  assertRefused(own, 409, 'invalid_transition')
  const { user } = await addPerson(service, { user: 'joins' })
  const joined = await post('/v3/session/invitation/join', await logIn(service, user), { token })
  assert.deepEqual(joined.json.data, { account_id: id, roles: ['approver'] })
  const { json } = await get('/v3/session/member', headers)
  const member = json.data.results.find((one: { user: string }) => one.user === user)
  assert.deepEqual(member.roles, ['approver'])
})

test('invitation accepted with a taken name, a taken e-mail or a short password: 400, still open', async () => {
  const { headers } = await person('owner')
  const token = tokenOf(await invite(headers, ['viewer'], 'Twice@example.com'))
  assertRefused(await accept(token, 'first'), 400, 'invalid_field', 'user')
  assertRefused(await accept(token, 'corridor'), 400, 'invalid_field', 'user')
  await service.deps.sql`
    insert into users (name, full_name, role, email)
    values ('twice', 'Twice', 'member', 'twice@example.com')`
  assertRefused(await accept(token, 'thrice'), 400, 'invalid_field', 'user')
  await service.deps.sql`update users set email = '' where name = 'twice'`
  assert.equal((await accept(token, 'thrice')).status, 200)
})

test('key made by an owner: of a scope that the owner has, and owned by them; replaced, revoked', async () => {
  const { user, headers } = await person('owner', 'maker')
  const made = await post('/v3/session/key', headers, { scope: 'write', name: 'till' })
  assert.equal(made.status, 200, made.text)
  const { key_id, secret, owner } = made.json.data
  assert.equal(owner, user)
  const by = (key: string, of: string) => ({ authorization: basic(key, of) })
  assert.equal((await post('/v3/payout', by(key_id, secret), localPayout)).status, 200)
  const next = await post(`/v3/session/key/${key_id}/rotate`, headers)
  assert.equal(next.status, 200, next.text)
  assert.equal((await get('/v3/balance', by(key_id, secret))).status, 200)
  assert.equal((await post(`/v3/session/key/${key_id}/revoke`, headers)).status, 200)
  assertRefused(await get('/v3/balance', by(key_id, secret)), 401, 'invalid_credentials')
  const { key_id: other, secret: its } = next.json.data
  assert.equal((await get('/v3/balance', by(other, its))).status, 200)
  assertRefused(await post(`/v3/session/key/${key_id}/rotate`, headers), 409, 'invalid_transition')
  const { json } = await get('/v3/session/key', headers)
  const listed = json.data.results.find((one: { key_id: string }) => one.key_id === other)
  assert.deepEqual([listed.name, listed.scope, listed.owner], ['till', 'write', user])
})

test('key by an owner, with a right of their own missing: 400; of another account: 404; without the password: 403', async () => {
  const { headers } = await person('owner')
  const write = await post('/v3/session/key', headers, { scope: 'write' })
  assertRefused(write, 400, 'invalid_field', 'scope')
  assertRefused(await post('/v3/session/key', headers, { scope: 'operator' }), 400, 'invalid_field')
  const other = await service.openAccount({ currencies: ['USD'] })
  const foreign = other.key_id
  for (const act of ['rotate', 'revoke']) {
    const answer = await post(`/v3/session/key/${foreign}/${act}`, headers)
    assertRefused(answer, 404, 'not_found')
  }
  const elsewhere = { ...headers, 'corridor-account': other.account.account_id }
  const there = await post('/v3/session/key', elsewhere, { scope: 'read' })
  assertRefused(there, 403, 'insufficient_scope')
  const late = await person('owner')
  await service.database.owner`
    update sessions set confirmed_at = confirmed_at - interval '6 minutes'
    where user_name = ${late.user}`
  const asked = [
    ['/v3/session/key', { scope: 'read' }],
    ['/v3/session/invitation', { roles: ['viewer'] }],
  ] as const
  for (const [url, body] of asked) {
    assertRefused(await post(url, late.headers, body), 403, 'password_needed')
  }
  const keyed = await addPerson(service, { user: 'keyed', roles: [[id, 'owner']] })
  const byKey = await post('/v3/session/key', keyed.headers(id), { scope: 'read' })
  assertRefused(byKey, 403, 'insufficient_scope')
})

test('console, owner: people, an invitation and a key, each secret shown once; not for others', async () => {
  const { headers } = await person('owner', 'maker')
  const viewer = await person('viewer')
  const root = `/console/${id}`
  assert.match((await get(root, headers)).text, /href="[^"]*\/keys"/)
  assert.doesNotMatch((await get(root, viewer.headers)).text, /href="[^"]*\/(keys|people)"/)
  assert.match((await get(`${root}/people`, viewer.headers)).text, /An owner of this account/)
  const form = { 'role:viewer': 'on', email: 'ann@example.com', key: 'i' }
  const invited = await sendForm(service, headers, `${root}/people`, form)
  const link = /https?:\/\/[^<]*\/login\/invitation\?token=[\w-]+/.exec(invited.text)?.[0] ?? ''
  const { pathname, search, searchParams } = new URL(link)
  assert.doesNotMatch((await get(`${root}/people`, headers)).text, /corridor_invitation_/)
  const page = await get(pathname + search, OWN)
  assert.match(page.text, /invites you to <strong>/)
  const token = searchParams.get('token') ?? ''
  const person_ = { token, user: 'ann', full_name: 'Ann', password: 'short' }
  const short = await sendForm(service, OWN, '/login/invitation', person_)
  assert.equal(short.status, 400)
  assert.match(short.text, /value="ann"/)
  const joined = await sendForm(service, OWN, '/login/invitation', {
    ...person_,
    password: PASSWORD,
  })
  assert.equal(joined.status, 303, joined.text)
  const ann = { ...OWN, cookie: cookieOf(joined) }
  assert.equal((await get(root, ann)).status, 200)
  const made = await sendForm(service, headers, `${root}/keys`, {
    scope: 'read',
    name: 'n',
    key: 'k',
  })
  const [, key_id] = /(key_\w{20}):corridor_/.exec(made.text) ?? []
  assert.match(made.text, /shown again/)
  const replaced = await sendForm(service, headers, `${root}/keys/${key_id}/rotate`, { key: 'r' })
  assert.match(replaced.text, new RegExp(`The old key <code>${key_id}`))
  const revoked = await sendForm(service, headers, `${root}/keys/${key_id}/revoke`, { key: 'x' })
  assert.equal(revoked.status, 303, revoked.text)
  assert.match((await get(`${root}/keys`, headers)).text, /revoked <time/)
})

test('e-mail of a user: once for all, in any case; no other text', async () => {
  await addPerson(service, { user: 'boss', role: 'operator' })
  await addPerson(service, { user: 'amy' })
  await addPerson(service, { user: 'ben' })
  const boss = await logIn(service, 'boss')
  const set = (user: string, email: string) =>
    post(`/v3/operator/user/${user}/email`, boss, { email })
  const done = await set('amy', 'Amy@Example.com')
  assert.equal(done.json.data.email, 'Amy@Example.com')
  assertRefused(await set('ben', 'amy@example.com'), 400, 'invalid_field', 'email')
  for (const email of ['amy', 'a b@example.com', '@example.com']) {
    assertRefused(await set('ben', email), 400, 'invalid_field', 'email')
  }
  assert.equal((await set('amy', '')).status, 200)
  assert.equal((await set('ben', 'amy@example.com')).status, 200)
  const made = { name: 'cat', full_name: 'Cat', role: 'member', email: 'AMY@example.com' }
  assertRefused(await post('/v3/operator/user', boss, made), 400, 'invalid_field', 'email')
})
