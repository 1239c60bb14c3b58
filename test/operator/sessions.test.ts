// The operator API in sessions: each route by whoever has logged in, from the server's own page and
// from others, and with a password that was given long ago.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused } from '../support/assert/check.ts'
import { type WrittenTables, watchWrittenTables } from '../support/database/written.ts'
import { addPerson } from '../support/service/service.ts'
import { cookieOf, logIn, logInByLink, OWN, PASSWORD } from '../support/service/session.ts'
import { CALLS, makeOperatorWorld, OF_SESSIONS, type OperatorWorld } from './world.ts'

type Headers = Record<string, string>

/**
 * The routes that ask for the password again: what they make outlives the session, or they move
 * money, let more of it move, or say what it costs and where it goes.
 */
const ASKING = [
  ...Object.keys(CALLS).filter(name => OF_SESSIONS.test(name)),
  ...[
    'account/:id/key',
    'account/:id/unfreeze',
    'adjust',
    'approval_rule/:id/remove',
    'balance_transaction/:id/reverse',
    'bank_file/:id/release',
    'entity/:id/review',
    'fee',
    'fee/remove',
    'fund',
    'key/:id/revoke',
    'limit/:id/remove',
    'payout/:id/close_exception',
    'payout/:id/transition',
    'pricing',
    'pricing/remove',
    'rail/:name/resume',
    'rate',
    'rate/remove',
    'route',
    'route/remove',
    'screening/:id/clear',
    'screening/:id/confirm',
    'screening_list/require',
    'withdraw',
    'account',
  ].map(path => `POST /v3/operator/${path}`),
  'PATCH /v3/operator/account/:id',
]

let world: OperatorWorld
let written: WrittenTables
let sessions: Readonly<Record<'operator' | 'auditor' | 'maker' | 'over' | 'old', Headers>>
before(async () => {
  world = await makeOperatorWorld()
  const { service, live } = world
  const enter = async (user: string, who: Omit<Parameters<typeof addPerson>[1], 'user'>) => {
    await addPerson(service, { user, ...who })
    return logIn(service, user)
  }
  const over = await enter('oscar', { role: 'operator' })
  const out = await service.inject({ method: 'DELETE', url: '/v3/session', headers: over })
  assert.equal(out.status, 200, out.text)
  // Ada takes the payouts of the calls.
  const old = await logInByLink(service, 'ada')
  const { count } = await service.database.owner`
    update sessions set confirmed_at = confirmed_at - interval '6 minutes' where user_name = 'ada'`
  assert.equal(count, 1)
  const again = await service.inject({
    method: 'POST',
    url: '/v3/session',
    headers: { ...OWN, 'content-type': 'application/json' },
    payload: JSON.stringify({ user: 'ada', password: PASSWORD }),
  })
  assert.equal(again.status, 200, again.text)
  sessions = {
    operator: { ...OWN, cookie: cookieOf(again) },
    auditor: await enter('grace', { role: 'auditor' }),
    maker: await enter('mo', { roles: [[live.account.account_id, 'maker']] }),
    over,
    old,
  }
  written = await watchWrittenTables(service.database.owner)
})
after(() => world.close())

/** The tables written since the last question, but for sessions, which say when each was seen last. */
async function changed(): Promise<string[]> {
  return (await written()).filter(table => table !== 'sessions')
}

/** Where a request of a browser may come from, other than the server's own page: each in its turn. */
const ELSEWHERE: readonly Headers[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'http://evil.example' },
  { origin: 'null' },
  {},
]

for (const [nth, [name, callOf]] of Object.entries(CALLS).entries()) {
  const writes = !name.startsWith('GET')
  const asks = ASKING.includes(name)
  const old = asks ? '403 password_needed' : '200'
  const elsewhere = '403 cross_site_request from elsewhere, and no row changes'

  test(`${name}, in sessions: of an operator 200${writes ? `, ${elsewhere}; of a password of six minutes ago ${old}` : ''}; of nobody else who ${writes ? 'writes' : 'is no auditor'}`, async () => {
    const call = await callOf(world)
    await written()
    assertRefused(await world.call(name, call, sessions.maker), 403, 'insufficient_scope')
    assertRefused(await world.call(name, call, sessions.over), 401, 'session_over')
    const read = await world.call(name, call, sessions.auditor)
    if (writes) assertRefused(read, 403, 'insufficient_scope')
    else assert.equal(read.status, 200, read.text)
    const { cookie = '' } = sessions.operator
    if (writes) {
      const headers = { host: OWN.host, cookie, ...ELSEWHERE[nth % ELSEWHERE.length] }
      assertRefused(await world.call(name, call, headers), 403, 'cross_site_request')
    }
    if (asks) assertRefused(await world.call(name, call, sessions.old), 403, 'password_needed')
    assert.deepEqual(await changed(), [])
    const done = await world.call(name, call, sessions.operator)
    assert.equal(done.status, 200, done.text)
    if (!writes || asks) return
    const late = await world.call(name, await callOf(world), sessions.old)
    assert.equal(late.status, 200, late.text)
  })
}

test('POST /v3/operator/limit, a password of six minutes ago: a cap is set and falls; to rise it takes the password', async () => {
  const set = (amount: number, headers: Headers) =>
    world.service.inject({
      method: 'POST',
      url: '/v3/operator/limit',
      headers: { ...headers, 'content-type': 'application/json' },
      payload: JSON.stringify({ amount, currency: 'USD', per: 'day', zone: 'Asia/Tokyo' }),
    })
  assert.equal((await set(5_000_000, sessions.old)).status, 200)
  assert.equal((await set(4_000_000, sessions.old)).status, 200)
  await written()
  assertRefused(await set(4_000_001, sessions.old), 403, 'password_needed')
  assert.deepEqual(await changed(), [])
  assert.equal((await set(4_000_001, sessions.operator)).status, 200)
})
