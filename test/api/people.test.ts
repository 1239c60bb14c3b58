// Who may do what in their own name: keys of users, roles on accounts, and what changes of them do at
// once. Keys of accounts are in access.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  deleteAccountRole,
  insertAccountRole,
  markUserKeyRevoked,
  updateDisabled,
} from '../../src/accounts/user/store.ts'
import { ACCOUNT_ROLES } from '../../src/accounts/user/user.ts'
import type { Access } from '../../src/http/authenticate.ts'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { askAny, bodiesOf, type Route, watchRoutes } from '../support/assert/routes.ts'
import {
  addPerson,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

let service: TestService
let routes: readonly Route[]
let account: Client
let id: string
before(async () => {
  const [started, found] = await watchRoutes(() => startTestService())
  service = started
  routes = found.filter(({ scope }) => scope !== undefined)
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
  id = account.account.account_id
})
after(() => service.close())

const ask = (route: Route, headers: Record<string, string>, payload?: string) =>
  askAny(service, route, headers, payload)

/** What each role on an account reaches of its routes. */
const REACHED: Readonly<Record<string, readonly Access[]>> = {
  viewer: ['read'],
  maker: ['read', 'write'],
  approver: ['read', 'approve'],
  // An owner's own routes are under /v3/session: owner.test.ts.
  owner: ['read'],
}

for (const role of ACCOUNT_ROLES) {
  test(`role ${role}, every route of the account: allowed or refused as in the table; refused: no row changes`, async () => {
    const person = await addPerson(service, { user: `one.${role}`, roles: [[id, role]] })
    const reached = REACHED[role] ?? []
    const before = await rowVersions(service.database.owner)
    for (const route of routes) {
      const { status, json } = await ask(route, person.headers(id))
      const may = route.scope !== undefined && reached.includes(route.scope)
      assert.equal(status === 403, !may, `${route.name}: ${status}`)
      assert.notEqual(status, 401, route.name)
      if (!may && route.method !== 'HEAD') {
        assert.equal(json.errors[0].reason, 'insufficient_scope', route.name)
      }
    }
    assert.deepEqual(await rowVersions(service.database.owner), before)
  })
}

test('user with no role on the account, operator or not: 403 as for an unknown account; request that names no account: 400', async () => {
  const other = await service.openAccount()
  const texts = new Set<string>()
  const people = [
    await addPerson(service, { user: 'none' }),
    await addPerson(service, { user: 'boss', role: 'operator' }),
    await addPerson(service, { user: 'elsewhere', roles: [[other.account.account_id, 'maker']] }),
  ]
  for (const person of people) {
    for (const account_id of [id, 'acc_00000000', '']) {
      const answer = await service.inject({
        url: '/v3/balance',
        headers: person.headers(account_id),
      })
      assertRefused(answer, 403, 'insufficient_scope')
      texts.add(answer.json.errors[0].message.replace(person.user, ''))
    }
  }
  assert.equal(texts.size, 1)
  const [nobody] = people
  const unnamed = await service.inject({ url: '/v3/balance', headers: nobody?.headers() ?? {} })
  assertRefused(unnamed, 400, 'invalid_request', 'Corridor-Account')
})

test('POST /v3/payout by a maker who names the account: created', async () => {
  const maker = await addPerson(service, { user: 'mary', roles: [[id, 'maker']] })
  const route = routes.find(({ name }) => name === 'POST /v3/payout')
  assert.ok(route)
  const [body] = bodiesOf(route)
  const answer = await ask(route, maker.headers(id), JSON.stringify(body))
  assert.equal(answer.status, 200, answer.text)
  const read = await account.get(`/v3/payout/${answer.json.data.id}`)
  assert.deepEqual(read.json.data, answer.json.data)
})

/** Asks until the answer has this status. */
async function until(status: number, person: PersonClient): Promise<void> {
  for (const started = performance.now(); ; ) {
    const answer = await service.inject({ url: '/v3/balance', headers: person.headers(id) })
    if (answer.status === status) return
    await setImmediate()
    assert.ok(performance.now() - started < 120_000, `still ${answer.status}`)
  }
}

test('role given or removed, user disabled or enabled, key revoked: takes effect at once', async () => {
  const person = await addPerson(service, { user: 'changing' })
  const { owner } = service.database
  const given = { user_name: 'changing', account_id: id, role: 'viewer' } as const
  await until(403, person)
  await insertAccountRole(owner, given)
  await until(200, person)
  await deleteAccountRole(owner, given)
  await until(403, person)
  await insertAccountRole(owner, given)
  await until(200, person)
  await updateDisabled(owner, 'changing', 'On leave')
  await until(401, person)
  await updateDisabled(owner, 'changing', '')
  await until(200, person)
  await markUserKeyRevoked(owner, person.key_id)
  await until(401, person)
})

test('PostgreSQL, API key of a user: secret, owner and history cannot change', async () => {
  const { key_id } = await addPerson(service, { user: 'kept' })
  const { owner } = service.database
  const refused = { code: '23001' }
  await assert.rejects(owner`delete from user_keys where key_id = ${key_id}`, refused)
  await assert.rejects(
    owner`update user_keys set user_name = 'first' where key_id = ${key_id}`,
    refused,
  )
  await markUserKeyRevoked(owner, key_id)
  await assert.rejects(
    owner`update user_keys set revoked_at = null where key_id = ${key_id}`,
    refused,
  )
})
