// GET /v3/request_log and corridor logs: the last requests of a sandbox, how each ended and why, by
// whichever process answered, and nothing in them that says who somebody is.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildApp } from '../../src/app/app.ts'
import { type LoggedRequest, MAX_ROWS } from '../../src/sandbox/request-log/request-log.ts'
import { newId } from '../../src/values/id.ts'
import { makeLog } from '../../src/values/log.ts'
import { assertRefused } from '../support/assert/check.ts'
import { assertListed, type Item } from '../support/assert/listing.ts'
import { localPayout } from '../support/given/bodies.ts'
import { BARE, type Cli, openCli } from '../support/service/cli.ts'
import {
  type AnotherProcess,
  addPerson,
  basic,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const PATH = '/v3/request_log'

let service: TestService
let cli: Cli
let account: Client
let other: Client
before(async () => {
  service = await startTestService({ request_log: true })
  cli = await openCli(service.database.url)
  const fund = { USD: 100_000_000n }
  account = await service.openAccount({ currencies: ['USD'], fund })
  other = await service.openAccount({ currencies: ['USD'], fund })
})
after(async () => {
  await cli.close()
  await service.close()
})

/** The log of an account once it holds what was asked. */
async function logged(of: Client, count: number, query = '?limit=100'): Promise<Item[]> {
  for (let turns = 0; ; turns++) {
    await service.deps.requestLog?.write()
    const answer = await of.get(PATH + query)
    assert.equal(answer.status, 200, answer.text)
    if (answer.json.data.results.length >= count) return answer.json.data.results
    assert.ok(turns < 1_000, answer.text)
    // A request is noted when its answer is written, which is after the caller has it.
    await new Promise(setImmediate)
  }
}

const asked = ({ method, path, status, outcome, reason, remarks }: Item) =>
  [method, path, status, outcome, reason, remarks].join(' ')

test(`GET ${PATH}, requests of an account: newest first, each with status and faulty field`, async () => {
  const made = await account.post('/v3/payout', localPayout)
  await account.get(`/v3/payout/${made.json.data.id}`)
  await account.get('/v3/payout?status=failed&reference_id=Miller&limit=5')
  await account.post('/v3/payout', { ...localPayout, beneficary: 'bnf_1' })
  const refused = await account.get('/v3/payout/pot_00000000000000000000')
  const rows = await logged(account, 5)
  assert.deepEqual(rows.map(asked), [
    'GET /v3/payout/pot_00000000000000000000 404 refused not_found ',
    'POST /v3/payout 400 refused invalid_field beneficary',
    'GET /v3/payout?status=failed&reference_id=…&limit=5 200 succeeded  ',
    `GET /v3/payout/${made.json.data.id} 200 succeeded  `,
    'POST /v3/payout 200 succeeded  ',
  ])
  assert.deepEqual(
    [rows[0]?.request_id, rows[0]?.key_id],
    [refused.headers['x-request-id'], account.key_id],
  )
  assert.ok(rows.every(({ duration_ms }) => duration_ms > 0))
  await assertListed(account, PATH, rows)
  const failures = await logged(account, 1, '?outcome=refused&reason=invalid_field')
  assert.deepEqual(failures, [rows[1]])
  assert.deepEqual(await logged(account, 1, `?request_id=${rows[2]?.request_id}`), [rows[2]])
})

test(`GET ${PATH}, two accounts: each reads only its own requests`, async () => {
  await other.get('/v3/account')
  const [row] = await logged(other, 1)
  assert.equal(row?.path, '/v3/account')
  const cursor = await account.get(`${PATH}?starting_after=${row?.id}`)
  assertRefused(cursor, 400, 'invalid_query_parameter', 'starting_after')
})

test('request log, secrets and personal data in requests: masked; codes, amounts and ids kept', async () => {
  const client = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  const texts = ['Zq Canary', 'zq@canary.example', 'zqcanary', 'whsec_zqcanary', '4929zqcanary']
  const [name, email, word, secret, number] = texts
  await client.post('/v3/payout', {
    ...localPayout,
    transaction_description: name,
    reference_id: word,
    metadata: { zqcanary: name, [String(email)]: secret },
    [String(email)]: 17,
    beneficiary_details: {
      ...localPayout.beneficiary_details,
      name,
      email,
      tax_id: number,
      phone: 491_701_234_567,
    },
  })
  await client.post('/v3/payout', { amount: 'zqcanary', currency: 'zqcanary', metadata: { a: 1 } })
  await client.get(`/v3/payout?reference_id=zqcanary`)
  await client.get('/v3/payout/zqcanary')
  await client.get('/v3/payout?metadata[zqcanary]=zqcanary&metadata[__proto__]=1')
  const [searched, ...rows] = await logged(client, 5)
  assert.equal(searched?.path, '/v3/payout?metadata=…')
  assert.doesNotMatch(JSON.stringify(rows), /canary|example|491701234567/i)
  assert.doesNotMatch(JSON.stringify(rows), new RegExp(`${client.secret}|${basic('', '')}`))
})

const noted = (client: Client, path = '/v3/account'): Omit<LoggedRequest, 'id'> => ({
  account_id: client.account.account_id,
  request_id: newId('req'),
  key_id: client.key_id,
  method: 'GET',
  path,
  outcome: 'succeeded',
  status: 200,
  duration_us: 7,
  reason: '',
  remarks: '',
})

async function countRows({ account }: Client): Promise<number> {
  const [row] = await service.database.owner<{ count: number }[]>`
    select count(*)::integer as count from request_log where account_id = ${account.account_id}`
  return row?.count ?? 0
}

test('request log, more entries than it holds: newest kept, memory bounded', async () => {
  const client = await service.openAccount()
  const { requestLog } = service.deps
  for (let i = 0; i < 3 * MAX_ROWS; i++) requestLog?.note(noted(client))
  requestLog?.note(noted(client, '/v3/last'))
  await requestLog?.write()
  assert.equal(await countRows(client), MAX_ROWS)
  for (let i = 0; i < 10; i++) requestLog?.note(noted(client))
  await requestLog?.write()
  assert.equal(await countRows(client), MAX_ROWS)
  const rows = await logged(client, 11, '?limit=11')
  assert.equal(rows.at(-1)?.path, '/v3/last')
})

test('request log, database refuses a write: requests succeed, later ones are logged', async () => {
  const client = await service.openAccount()
  const { owner } = service.database
  await owner`revoke insert on request_log from corridor_service`
  assert.equal((await client.get('/v3/account')).status, 200)
  await service.deps.requestLog?.write()
  await owner`grant insert on request_log to corridor_service`
  await client.get('/v3/balance')
  const rows = await logged(client, 1)
  assert.equal(rows[0]?.path, '/v3/balance')
})

test('request log, its own writer fails: fault reported, the process continues', async t => {
  const client = await service.openAccount()
  const { requestLog } = service.deps
  assert.ok(requestLog !== undefined)
  const thrown = t.mock.method(requestLog, 'note', () => {
    throw new Error('the log is broken')
  })
  const said: string[] = []
  const log = makeLog('error', { write: text => void said.push(text) })
  const broken = await buildApp({ ...service.deps, log })
  try {
    const headers = { authorization: basic(client.key_id, client.secret) }
    assert.equal((await broken.inject({ url: '/v3/account', headers })).statusCode, 200)
    while (thrown.mock.callCount() === 0) await new Promise(setImmediate)
    assert.match(said.join(''), /could not be logged/)
  } finally {
    await broken.close()
  }
})

test('request log, several processes and a restart: one log, entries kept', async () => {
  const client = await service.openAccount()
  const { account_id } = client.account
  const headers = { authorization: basic(client.key_id, client.secret) }
  const ask = (process: AnotherProcess, url: string) => process.inject({ url, headers })
  const second = await service.anotherProcess()
  await ask(second, '/v3/balance')
  await client.get('/v3/account')
  // What the process has noted is written as it ends.
  await second.close()
  const paths = (await logged(client, 2)).map(({ path }) => path)
  assert.deepEqual(paths.toSorted(), ['/v3/account', '/v3/balance'])
  const third = await service.anotherProcess()
  const { json } = await ask(third, PATH)
  await third.close()
  assert.equal(json.data.results.length, 2)
  const shown = await cli.run('logs', '--account', account_id, '--json')
  const lines = shown.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.deepEqual(lines.toReversed(), json.data.results)
})

test('corridor logs --failed: one line per refused request, with the reason', async () => {
  const client = await service.openAccount()
  await client.get('/v3/account')
  const refused = await client.post('/v3/sandbox/fund', { amount: 1 })
  await logged(client, 2)
  const ran = await cli.run('logs', '--account', client.account.account_id, '--failed')
  assert.equal(ran.code, 0, ran.stderr)
  const [line, why, ...more] = ran.stdout.trim().split('\n')
  assert.match(
    String(line),
    /^[\d-]{10}T[\d:]{8}Z {2}400 {2}POST {3}\/v3\/sandbox\/fund {2}[\d.]+ ms$/,
  )
  assert.equal(why, `  invalid_field at currency  ${refused.headers['x-request-id']}`)
  assert.deepEqual(more, [])
})

test('corridor logs --follow: prints each request once, when it ends', async () => {
  const client = await service.openAccount()
  await client.get('/v3/account')
  await logged(client, 1)
  const args = ['logs', '--account', client.account.account_id, '--follow', '--limit', '0']
  const env = { ...BARE, DATABASE_URL: service.database.url }
  const child = spawn(process.execPath, [MAIN, ...args], { env })
  const ended = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await createInterface({ input: child.stderr })[Symbol.asyncIterator]().next()
  for (const path of ['/v3/balance', '/v3/event']) {
    await client.get(path)
    await service.deps.requestLog?.write()
    assert.match(String((await lines.next()).value), new RegExp(` GET {4}${path} `))
  }
  child.kill('SIGINT')
  assert.equal((await ended)[0], 0)
  assert.equal((await lines.next()).done, true)
})

test('request log, live account: route refused, and PostgreSQL refuses its rows', async () => {
  const live = await service.openAccount({ sandbox: false })
  assertRefused(await live.get(PATH), 403, 'sandbox_only')
  service.deps.requestLog?.note(noted(live))
  await service.deps.requestLog?.write()
  assert.equal(await countRows(live), 0)
  const ran = await cli.run('logs', '--account', live.account.account_id)
  assert.equal(ran.code, 1)
  assert.match(ran.stderr, /is no sandbox/)
})

test('console, Requests page: refused requests with the faulty field masked; log off: how to enable it', async () => {
  const client = await service.openAccount()
  const { account_id } = client.account
  await client.post('/v3/sandbox/fund', { amount: 1, note: '<b>Zq</b>' })
  await logged(client, 1)
  await addPerson(service, { user: 'reader', roles: [[account_id, 'viewer']] })
  const headers = await logIn(service, 'reader')
  const look = (query = '') =>
    service.inject({ url: `/console/${account_id}/requests${query}`, headers })
  const { status, text } = await look('?outcome=refused')
  assert.equal(status, 200, text)
  assert.match(text, /POST \/v3\/sandbox\/fund[\s\S]*invalid_field[\s\S]*<code>currency<\/code>/)
  assert.doesNotMatch(text, /Zq|<b>/)
  assert.match((await look('?outcome=failed')).text, /Nothing matches these filters/)
})

test('request log, off: nothing stored, its path is 404', async () => {
  const client = await service.openAccount()
  const { account_id } = client.account
  await addPerson(service, { user: 'looker', roles: [[account_id, 'viewer']] })
  const session = await logIn(service, 'looker')
  const off = await service.anotherProcess({ request_log: false })
  try {
    assert.equal(off.deps.requestLog, undefined)
    const headers = { authorization: basic(client.key_id, client.secret) }
    const answer = await off.inject({ url: PATH, headers })
    assertRefused(answer, 404, 'not_found')
    assert.match(answer.json.message, /CORRIDOR_REQUEST_LOG/)
    const page = await off.inject({ url: `/console/${account_id}/requests`, headers: session })
    assert.match(page.text, /CORRIDOR_REQUEST_LOG=on/)
  } finally {
    await off.close()
  }
})
