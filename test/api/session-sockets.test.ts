// Sessions over sockets, of two processes that share nothing but the database: what one ends the other
// refuses, and what a browser would send for another site, or by another name, both refuse.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { assertRefused } from '../support/assert/check.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { type RunningProcess, startProcesses, until } from '../support/service/process.ts'
import {
  type Answer,
  addPerson,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, PASSWORD } from '../support/service/session.ts'

let service: TestService
let here: RunningProcess
let there: RunningProcess
let ada: Cli
let mary: PersonClient
let account_id: string
before(async () => {
  service = await startTestService()
  account_id = (await service.openAccount({ currencies: ['USD'] })).account.account_id
  await addPerson(service, { user: 'ada', role: 'operator' })
  mary = await addPerson(service, { user: 'mary', roles: [[account_id, 'viewer']] })
  await logIn(service, 'mary')
  ada = await openCli(service.database.url, { CORRIDOR_USER: 'ada' })
  const processes = await startProcesses(2, { DATABASE_URL: service.database.url })
  ;[here, there] = processes as [RunningProcess, RunningProcess]
})
after(async () => {
  await Promise.all([here, there].map(process => process?.kill()))
  await ada?.close()
  await service?.close()
})

interface Asked {
  readonly method?: string
  readonly body?: object
  readonly headers?: Record<string, string>
}

/** As a browser on a page of the process; `headers` are laid over. */
function ask(at: RunningProcess, path: string, { method = 'GET', body, headers }: Asked = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const from = { 'sec-fetch-site': 'same-origin', ...json, ...headers }
  const asked = request(at.address + path, { method, headers: from }, async response => {
    let text = ''
    for await (const piece of response.setEncoding('utf8')) text += piece
    const { statusCode: status = 0, headers } = response
    resolve({ status, headers, text, json: JSON.parse(text) } as Answer)
  })
  asked.on('error', reject).end(body && JSON.stringify(body))
  return promise
}

/** The cookie of a session of mary's. */
async function enter(at: RunningProcess, headers: Record<string, string> = {}): Promise<string> {
  const body = { user: 'mary', password: PASSWORD }
  const {
    status,
    text,
    headers: said,
  } = await ask(at, '/v3/session', {
    method: 'POST',
    body,
    headers,
  })
  assert.equal(status, 200, text)
  return String(said['set-cookie']).split(';', 1).join()
}

const balance = (at: RunningProcess, cookie: string, more: Record<string, string> = {}) =>
  ask(at, '/v3/balance', { headers: { cookie, 'corridor-account': account_id, ...more } })

test('a session begun at one process and ended at the other: refused by both with the next request', async () => {
  const cookie = await enter(here)
  for (const at of [here, there]) assert.equal((await balance(at, cookie)).status, 200)
  const out = await ask(there, '/v3/session', { method: 'DELETE', headers: { cookie } })
  assert.equal(out.status, 200, out.text)
  for (const at of [here, there]) assertRefused(await balance(at, cookie), 401, 'session_over')
})

test('a session that was chosen before the log-in: none at any process, also when sent with it', async () => {
  const chosen = `corridor=${'A'.repeat(43)}`
  const cookie = await enter(here, { cookie: chosen })
  assert.notEqual(cookie, chosen)
  for (const at of [here, there]) {
    assertRefused(await balance(at, chosen), 401, 'session_over')
    assert.equal((await balance(at, cookie)).status, 200)
  }
})

test('a session that is used for another site, or by another name of the address: refused by each process', async () => {
  const cookie = await enter(here)
  for (const at of [here, there]) {
    const { host } = new URL(at.address)
    const write = (headers: Record<string, string>) =>
      ask(at, '/v3/session', { method: 'DELETE', headers: { cookie, ...headers } })
    const elsewhere = { 'sec-fetch-site': 'cross-site', origin: 'http://evil.example' }
    assertRefused(await write(elsewhere), 403, 'cross_site_request')
    for (const name of ['evil.example', `evil.example:${new URL(at.address).port}`]) {
      const rebound = { host: name, origin: `http://${name}` }
      assertRefused(await write(rebound), 421, 'misdirected_request')
      assertRefused(await balance(at, cookie, rebound), 421, 'misdirected_request')
    }
    assert.equal((await balance(at, cookie, { host })).status, 200)
  }
})

test('a user who is disabled by a command: sessions are over with the next request, keys as soon as it is told', async () => {
  const cookie = await enter(there)
  const byKey = (at: RunningProcess) =>
    ask(at, '/v3/balance', { headers: mary.headers(account_id) })
  for (const at of [here, there]) assert.equal((await byKey(at)).status, 200)
  const ran = await ada.run('user', 'disable', 'mary', '--reason', 'Left')
  assert.equal(ran.code, 0, ran.stderr)
  for (const at of [here, there]) {
    assertRefused(await balance(at, cookie), 401, 'session_over')
    await until('the key is refused', async () => (await byKey(at)).status === 401)
  }
})
