// What operators do with users over HTTP: another person comes in by a link and may what was given to
// them, the log names both, and nobody gives anything to themselves.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { insertAccountRole, updateRole } from '../../src/accounts/user/store.ts'
import { makeLoginLink } from '../../src/operator/users.ts'
import type { Sql } from '../../src/sql/connect.ts'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { cookieOf, logInByLink, OWN, PASSWORD } from '../support/service/session.ts'
import { CALLS, makeOperatorWorld, OF_SESSIONS, type OperatorWorld } from './world.ts'

let world: OperatorWorld
let ada: Record<string, string>
before(async () => {
  world = await makeOperatorWorld()
  ada = await logInByLink(world.service, 'ada')
})
after(() => world.close())

/** In ada's session. */
const send = (path: string, body: object = {}, more = {}) =>
  world.service.inject({
    method: 'POST',
    url: `/v3/operator/user${path}`,
    headers: { ...ada, 'content-type': 'application/json', ...more },
    payload: JSON.stringify(body),
  })

const account_id = () => world.live.account.account_id

test('user created over HTTP: logs in by link, approves, logged out at once when disabled; the log names both people', async () => {
  const person = { name: 'bob', full_name: 'Bob Noyce', role: 'member' }
  assert.equal((await send('', person)).status, 200)
  assertRefused(await send('', person), 400, 'invalid_field', 'name')
  const given = await send('/bob/account_role', { account_id: account_id(), role: 'approver' })
  assert.deepEqual(given.json.data.accounts, [{ account_id: account_id(), role: 'approver' }])
  const links = [await send('/bob/login_link'), await send('/bob/login_link')]
  const [first, link] = links.map(({ json }) => new URL(json.data.link))
  assert.equal(link?.host, OWN.host)
  assert.equal(links[1]?.headers['cache-control'], 'no-store')
  const enter = (url: URL | undefined) =>
    world.service.inject({
      method: 'POST',
      url: '/v3/session/link',
      headers: { ...OWN, 'content-type': 'application/json' },
      payload: JSON.stringify({ token: url?.searchParams.get('token'), password: PASSWORD }),
    })
  assertRefused(await enter(first), 401, 'invalid_login')
  const cookie = cookieOf(await enter(link))
  const who = () => world.service.inject({ url: '/v3/session', headers: { ...OWN, cookie } })
  assert.deepEqual((await who()).json.data.accounts, [
    { account: account_id(), roles: ['approver'] },
  ])
  assert.equal((await send('/bob/disable', { reason: 'Left' })).status, 200)
  assertRefused(await who(), 401, 'session_over')
  assertRefused(await send('/bob/login_link'), 409, 'invalid_transition')
  const rows = await world.service.database.owner<{ by: string; of: string; secret: boolean }[]>`
    select changed_by as by, after ->> 'user_name' as of, after::text like '%token%' as secret
    from audit_log where act = 'user login-link'`
  assert.ok(rows.length >= 2)
  for (const row of rows) assert.deepEqual({ ...row }, { by: 'ada', of: 'bob', secret: false })
})

test('own user of an operator: 403 on every user route, refused by PostgreSQL too; allowed by command', async () => {
  for (const [name, callOf] of Object.entries(CALLS)) {
    if (!OF_SESSIONS.test(name) || !name.includes(':name')) continue
    const { body } = await callOf(world)
    const rows = await rowVersions(world.service.database.owner)
    const path = name.slice(name.indexOf(':name') + ':name'.length)
    assertRefused(await send(`/ada${path}`, body), 403, 'insufficient_scope')
    assert.deepEqual(await rowVersions(world.service.database.owner), rows, name)
  }
  const { operators } = world.service.deps
  const author = { operator: 'ada', origin: {}, act: 'user role', via: 'api from 127.0.0.1' }
  const role = { user_name: 'ada', account_id: account_id(), role: 'approver' } as const
  const works: readonly ((sql: Sql) => Promise<unknown>)[] = [
    sql => insertAccountRole(sql, role),
    sql => updateRole(sql, 'ada', 'auditor'),
    sql => makeLoginLink(sql, 'ada'),
  ]
  for (const work of works) {
    await assert.rejects(operators.change(author, work), { constraint_name: 'rights_by_another' })
  }
  const byCommand = { ...author, via: 'cli at home' }
  assert.equal(await operators.change(byCommand, sql => insertAccountRole(sql, role)), true)
})

test('API key of an operator: reads users, cannot change them', async () => {
  const key = world.ada.headers()
  assert.equal((await world.call('GET /v3/operator/user', {}, key)).status, 200)
  for (const [name, callOf] of Object.entries(CALLS)) {
    if (!OF_SESSIONS.test(name)) continue
    const call = await callOf(world)
    const rows = await rowVersions(world.service.database.owner)
    assertRefused(await world.call(name, call, key), 403, 'insufficient_scope')
    assert.deepEqual(await rowVersions(world.service.database.owner), rows, name)
  }
})

test('two operators disable each other in parallel over HTTP: one stays enabled', async () => {
  const { owner } = world.service.database
  await owner`update users set role = 'member' where name not in ('ada', 'alan')`
  const alan = await logInByLink(world.service, 'alan')
  const answers = await Promise.all([
    send('/alan/disable', { reason: 'Race' }),
    send('/ada/disable', { reason: 'Race' }, alan),
  ])
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const { status, text } of answers) assert.ok([200, 401, 409].includes(status), text)
  const left = await owner`select from users where role = 'operator' and disabled_at is null`
  assert.equal(left.length, 1)
})
