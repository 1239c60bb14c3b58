// The Python client, by the Python of the system: the same behaviour as that of the TypeScript
// client, call by call.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { VERSION_DATES } from '../../src/http/version.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Front, startFront } from '../support/network/front.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { PYTHON_CLIENT, python, noPython as skip } from './python.ts'

const SCRIPT = fileURLToPath(new URL('./client.py', import.meta.url))

let service: TestService
let account: Client
let front: Front
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
  front = await startFront(service.app)
})
beforeEach(() => {
  front.faults = []
  front.seen = []
})
after(async () => {
  front.close()
  await service.close()
})

/** What the script prints of one thing to do. */
async function run(what: string, settings: object = {}): Promise<unknown> {
  const env = { PYTHONPATH: PYTHON_CLIENT, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' }
  const child = spawn(python, [SCRIPT], { env })
  const api_key = `${account.key_id}:${account.secret}`
  const given = { do: what, api_key, base_url: front.address, settings, body: localPayout }
  child.stdin.end(JSON.stringify(given))
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  assert.equal(errors, '')
  return JSON.parse(out)
}

const pay = (settings?: object) => run('pay', settings) as Promise<Record<string, unknown>>

test('Python, every operation of openapi.json: a method, whose request reaches it', {
  skip,
}, async () => {
  const sent = new Set<string>()
  front.observe = (method, url) => {
    const path = url.replace(/\?.*/, '').replaceAll('%7B', '{').replaceAll('%7D', '}')
    sent.add(`${method} ${path}`)
  }
  await run('surface', { max_retries: 0 })
  front.observe = () => {}
  const { paths } = JSON.parse(await readFile('openapi.json', 'utf8'))
  const operations = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.keys(verbs as object).map(verb => `${verb.toUpperCase()} ${path}`),
  )
  assert.deepEqual([...sent].sort(), operations.sort())
})

test('Python, cut off after the commit: one payout, one key, a request id for each attempt', {
  skip,
}, async () => {
  front.faults = ['drop after', { status: 503, headers: { 'retry-after': '0' }, body: 'a proxy' }]
  const answer = await pay()
  assert.deepEqual([answer.replayed, answer.attempts], [true, 3])
  assert.equal(new Set(front.seen.map(({ key }) => key)).size, 1)
  assert.equal(new Set(front.seen.map(({ id }) => id)).size, 3)
  const versions = new Set(front.seen.map(({ version }) => version))
  assert.deepEqual([...versions], [VERSION_DATES.at(-1)])
  const { results } = (await account.get('/v3/payout')).json.data
  assert.deepEqual(
    results.map(({ id }: { id: string }) => id),
    [answer.id],
  )
})

test('Python, refused, without answer, unreadable: with its reason, and only some sent again', {
  skip,
}, async () => {
  const errors = [{ code: 1, reason: 'quote_used', message: 'no', remarks: 'quote' }]
  const body = JSON.stringify({ status: 'error', message: 'no', errors, data: null })
  front.faults = [{ status: 422, body }]
  assert.deepEqual(await run('refused'), { reason: 'quote_used', attempts: 1 })
  front.faults = ['silent', 'silent']
  const timed = await run('refused', { timeout_s: 0.2, max_retries: 1 })
  assert.deepEqual(timed, { reason: 'timed_out', attempts: 2 })
  front.faults = [{ status: 200, body: '<html>' }]
  assert.deepEqual(await run('refused'), { reason: 'invalid_answer', attempts: 1 })
  const large = '{"status":"success","message":"","data":{"amount":9007199254740993}}'
  front.faults = [{ status: 200, body: large }]
  assert.equal(await run('large'), '9007199254740993')
})

test('Python, options of a call that are wrong: refused by name, and nothing is sent', {
  skip,
}, async () => {
  const keys = Array(3).fill('idempotency_key')
  const names = ['timeout_s', 'timeout_s', 'total_timeout_s', 'max_retries', ...keys]
  assert.deepEqual(await run('wrong'), names)
  assert.equal(front.seen.length, 0)
})

test('Python, a Retry-After beyond a minute: not waited for; the error says it', {
  skip,
}, async () => {
  const errors = [{ code: 110, reason: 'rate_limited', message: 'no', remarks: '' }]
  const body = JSON.stringify({ status: 'error', message: 'no', errors, data: null })
  front.faults = [{ status: 429, headers: { 'retry-after': '61' }, body }]
  const settings = { total_timeout_s: 3600 }
  assert.deepEqual(await run('patience', settings), ['rate_limited', 110, 61, 1])
})

test('Python, lists: from new to old, and with ending_before back again', { skip }, async () => {
  for (let i = 0; i < 4; i += 1) await account.post('/v3/payout', localPayout)
  const { results } = (await account.get('/v3/payout?limit=100')).json.data
  const ids = results.map(({ id }: { id: string }) => id)
  assert.deepEqual(await run('list'), { every: ids, back: ids.slice(0, -1).reverse() })
})
