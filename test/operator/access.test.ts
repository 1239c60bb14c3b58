// Who may do what by the operator API, by a key and in a session: each caller, each route, from the
// server's own page and from others, and with a password that was given long ago. And what a repeat of
// each write does, such as after an answer was lost. A route that world.ts has no call of is a failure.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import document from '../../docs/operator.openapi.json' with { type: 'json' }
import { assertRefused } from '../support/assert/check.ts'
import { readDocument } from '../support/assert/document.ts'
import { type WrittenTables, watchWrittenTables } from '../support/database/written.ts'
import { type Answer, addPerson } from '../support/service/service.ts'
import { cookieOf, logIn, logInByLink, OWN, PASSWORD } from '../support/service/session.ts'
import {
  CALLS,
  type Call,
  makeCallers,
  makeOperatorWorld,
  newReference,
  OF_SESSIONS,
  type OperatorWorld,
} from './world.ts'

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
    'payout/:id/void',
    'rail/:name/adopt',
    'rail/:name/sweep',
    'rail_sweep/:id/agree',
    'payout/:id/transition',
    'pricing',
    'pricing/remove',
    'rail/:name/resume',
    'clock/confirm',
    'rate',
    'rate/remove',
    'route',
    'route/remove',
    'screening/:id/clear',
    'screening/:id/confirm',
    'screening_list/require',
    'second_factor/require',
    'second_factor/waive',
    'withdraw',
    'account',
    'account/:id/pool',
    'funding_key',
    'funding_key/:id/end',
    'house/:id/reverse',
    'house/deal',
    'house/topup',
    'house/transfer',
    'month/:month/close',
    'nostro',
    'nostro/:name/close',
    'nostro_line/:id/credit',
    'nostro_line/:id/return',
    'nostro/:name/mapping',
    'nostro/:name/rule',
    'nostro/:name/rule/remove',
    'safeguarding/share',
    'safeguarding/sign',
  ].map(path => `POST /v3/operator/${path}`),
  'PATCH /v3/operator/nostro/:name',
  'PATCH /v3/operator/account/:id',
]

const api = readDocument(document)
let world: OperatorWorld
let written: WrittenTables
let callers: Readonly<Record<string, Headers>>
let sessions: Readonly<Record<'operator' | 'auditor' | 'maker' | 'over' | 'old', Headers>>
before(async () => {
  world = await makeOperatorWorld()
  callers = await makeCallers(world)
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
    auditor: await enter('gil', { role: 'auditor' }),
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

/** What each caller gets, by what the route needs. */
const EXPECTED: Readonly<Record<string, readonly [read: Expected, write: Expected]>> = {
  nobody: ['missing_credentials', 'missing_credentials'],
  'wrong secret': ['invalid_credentials', 'invalid_credentials'],
  'disabled operator': ['invalid_credentials', 'invalid_credentials'],
  'account key, read': ['insufficient_scope', 'insufficient_scope'],
  'account key, write': ['insufficient_scope', 'insufficient_scope'],
  'account key, operator': ['insufficient_scope', 'insufficient_scope'],
  viewer: ['insufficient_scope', 'insufficient_scope'],
  maker: ['insufficient_scope', 'insufficient_scope'],
  approver: ['insufficient_scope', 'insufficient_scope'],
  auditor: ['well', 'insufficient_scope'],
}
type Expected = keyof typeof STATUS
const STATUS = {
  well: 200,
  missing_credentials: 401,
  invalid_credentials: 401,
  insufficient_scope: 403,
}

/** Where a request of a browser may come from, other than the server's own page: each in its turn. */
const ELSEWHERE: readonly Headers[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'http://evil.example' },
  { origin: 'null' },
  {},
]

/** Those whose answer has a secret, which is kept nowhere: a repeat makes another one. */
const WITH_SECRET = [
  'POST /v3/operator/account',
  'POST /v3/operator/account/:id/key',
  'POST /v3/operator/user/:name/login_link',
]

/** Whether the document says that a route takes an Idempotency-Key. */
function takesKey(name: string): boolean {
  const [method = '', url = ''] = name.split(' ')
  const paths: Readonly<Record<string, object>> = document.paths
  const path = paths[url.replace(/:(\w+)/g, '{$1}')] as Readonly<Record<string, object>>
  return JSON.stringify(path[method.toLowerCase()]).includes('Idempotency-Key')
}

test('operator routes: each documented, called in this file, and for people only', () => {
  const documented = api.operations
    .filter(({ path }) => path.startsWith('/v3/operator/'))
    .map(({ name }) => name.replace(/\{(\w+)\}/g, ':$1'))
    .sort()
  const names = world.routes.map(({ name }) => name).sort()
  assert.deepEqual(names, documented)
  assert.deepEqual(names, Object.keys(CALLS).sort())
  for (const { name, method, scope } of world.routes) {
    assert.equal(scope, method === 'GET' ? 'installation_read' : 'installation_write', name)
  }
  assert.deepEqual(Object.keys(callers), Object.keys(EXPECTED))
})

/** What each of these callers gets by a key; `well` looks at what is no refusal. */
async function assertAnswers(
  name: string,
  call: Call,
  whos: readonly string[],
  well: (answer: Answer, who: string) => void,
): Promise<void> {
  for (const who of whos) {
    const expected = EXPECTED[who]?.[name.startsWith('GET') ? 0 : 1] ?? assert.fail(who)
    const answer = await world.call(name, call, callers[who] ?? assert.fail(who))
    if (expected === 'well') well(answer, who)
    else assertRefused(answer, STATUS[expected], expected)
  }
}

/** What their path names needs no row. */
const OF_NO_OBJECT = /\/(month|report)\/:/

async function assertNobodys(name: string, call: Call): Promise<void> {
  const [id = ''] = call.ids ?? []
  const nobodys = { ...call, ids: [id.replace(/(?<=_|^C).*/, text => '0'.repeat(text.length))] }
  const isUnknown = (answer: Answer) => assertRefused(answer, 404, 'not_found')
  await assertAnswers(name, nobodys, ['nobody', 'maker', 'auditor'], isUnknown)
  isUnknown(await world.call(name, nobodys))
  const malformed = await world.call(name, { ...call, ids: ['POT_'] })
  assertRefused(malformed, 400, 'invalid_path_parameter')
}

async function assertSessions(name: string, nth: number, call: Call): Promise<void> {
  assertRefused(await world.call(name, call, sessions.maker), 403, 'insufficient_scope')
  assertRefused(await world.call(name, call, sessions.over), 401, 'session_over')
  const read = await world.call(name, call, sessions.auditor)
  if (name.startsWith('GET')) return assert.equal(read.status, 200, read.text)
  assertRefused(read, 403, 'insufficient_scope')
  const { cookie = '' } = sessions.operator
  const headers = { host: OWN.host, cookie, ...ELSEWHERE[nth % ELSEWHERE.length] }
  assertRefused(await world.call(name, call, headers), 403, 'cross_site_request')
  if (!ASKING.includes(name)) return
  assertRefused(await world.call(name, call, sessions.old), 403, 'password_needed')
}

async function auditHead(): Promise<bigint> {
  const [row] = await world.service.database.owner<{ head: bigint }[]>`
    select coalesce(max(change_id), 0) as head from audit_log`
  return row?.head ?? 0n
}

/** The call was answered so. */
async function assertRepeated(name: string, call: Call, first: Answer): Promise<void> {
  await written()
  const head = await auditHead()
  const again = await world.call(name, call)
  if (WITH_SECRET.includes(name)) {
    assert.equal(again.status, 200, again.text)
    const secret = ({ json: { data } }: Answer) => String(data.secret ?? data.link)
    return assert.notEqual(secret(again), secret(first))
  }
  assert.ok(again.status < 500, again.text)
  assert.equal(await auditHead(), head, again.text)
  const keyed = takesKey(name)
  if (keyed) {
    assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
  }
  if (keyed || again.status >= 400) assert.deepEqual(await changed(), [])
}

for (const [nth, [name, callOf]] of Object.entries(CALLS).entries()) {
  const writes = !name.startsWith('GET')
  const asks = ASKING.includes(name)
  const what = takesKey(name)
    ? 'under its key, the first answer, no row changes'
    : WITH_SECRET.includes(name)
      ? 'another one'
      : 'refused, or no new row in the log'

  test(`${name}, each caller by key and session: allowed or refused as in the table, refused before a 404, no row changes; operator: 200 as documented${writes ? `; a password of six minutes ago: ${asks ? 'asked for again' : '200'}; repeated: ${what}` : ''}`, async () => {
    const call = await callOf(world)
    await written()
    await assertAnswers(name, call, Object.keys(callers), ({ status, text }, who) =>
      assert.equal(status, 200, `${who}: ${text}`),
    )
    if (name.includes(':') && !OF_NO_OBJECT.test(name)) await assertNobodys(name, call)
    await assertSessions(name, nth, call)
    assert.deepEqual(await changed(), [])
    const keyed = writes ? { ...call, headers: { 'idempotency-key': newReference() } } : call
    const done = await world.call(name, keyed)
    assert.equal(done.status, 200, done.text)
    const [method = '', url = ''] = name.split(' ')
    const path = url.replace(/:(\w+)/g, '{$1}')
    const schema = api.answerSchema(path, method.toLowerCase(), 200, 'application/json')
    assert.equal(api.mismatch(schema, done.json), '', done.text)
    if (writes) await assertRepeated(name, keyed, done)
    const session = writes && !asks ? sessions.old : sessions.operator
    const entered = await world.call(name, writes ? await callOf(world) : call, session)
    assert.equal(entered.status, 200, entered.text)
  })
}

test('POST /v3/operator/limit, password entered six minutes ago: a cap can be set or lowered; raising it asks for the password', async () => {
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
