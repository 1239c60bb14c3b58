// corridor listen and corridor events replay: events as they happen, and again, forwarded signed to
// a receiver of one's own; and corridor trigger: each type that it names happens, by requests of the API.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { after, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { instantIn } from '../../src/values/id.ts'
import { startFront } from '../support/network/front.ts'
import { freePort, listenOn } from '../support/network/port.ts'
import { BARE, openCli } from '../support/service/cli.ts'
import { pay as payFrom } from '../support/service/payouts.ts'
import { startTestService } from '../support/service/service.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, 012').toString('base64')}`

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any event
type Json = any

let got: Json[] = []
let answers: number[] = []
const service = await startTestService()
const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
const cli = await openCli(service.database.url)
const receiver = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const headers = request.headers as Record<string, string>
  got.push(new Webhook(SECRET).verify(body, headers))
  response.writeHead(answers.shift() ?? 204).end()
})
const url = `http://127.0.0.1:${await listenOn(receiver)}/hook`
beforeEach(() => {
  got = []
  answers = []
})
after(async () => {
  receiver.close()
  front.close()
  await cli.close()
  await service.close()
})

const pay = async (client = account): Promise<string> => (await payFrom(client)).id

async function events(client = account): Promise<Json[]> {
  const answer = await client.get('/v3/event?limit=100')
  return answer.json.data.results.toReversed()
}

/** Runs `corridor listen` while `work` is done, and returns what it printed until `wanted` lines. */
async function listening(args: readonly string[], wanted: number, work: () => Promise<unknown>) {
  const env = { ...BARE, DATABASE_URL: service.database.url }
  const child = spawn(process.execPath, [MAIN, 'listen', ...args], { env })
  let said = ''
  child.stderr.on('data', chunk => {
    said += chunk
  })
  const stderr = createInterface({ input: child.stderr })
  await lineOf(child, stderr, line => line.startsWith('Listening'))
  await work()
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    if (lines.push(line) === wanted) break
  }
  child.kill('SIGINT')
  const [code] = await once(child, 'close')
  assert.equal(code, 0)
  assert.ok(!said.includes(SECRET), 'a secret that was given stays out of logs')
  return lines
}

async function lineOf(
  child: ChildProcess,
  lines: AsyncIterable<string>,
  is: (line: string) => boolean,
): Promise<void> {
  for await (const line of lines) if (is(line)) return
  throw new Error(`corridor listen ended with ${child.exitCode}`)
}

test('corridor listen, no service at the URL: each new event in 80 columns, with its failed delivery; no earlier event', async () => {
  await pay()
  let id = ''
  const nowhere = `http://127.0.0.1:${await freePort()}/hook`
  const args = ['--account', account.account.account_id, '--forward-to', nowhere]
  const lines = await listening(args, 8, async () => {
    await pay(other)
    id = await pay()
  })
  const events = lines.filter((_, i) => i % 2 === 0)
  assert.deepEqual(
    events.map(line => line.split(/ +/)[1]),
    [
      'beneficiary.created',
      'payout_quote.created',
      'payout.created',
      'balance_transaction.created',
    ],
  )
  assert.match(events[2] ?? '', new RegExp(`payout.created +${id}$`))
  for (const line of events) assert.ok(line.length <= 80, line)
  for (let i = 1; i < 8; i += 2) {
    assert.match(lines[i] ?? '', /^ {2}✗ no answer: connection refused in \d+ ms {2}evt_/)
  }
})

test('corridor listen --forward-to: each event sent once, in order, signed, result printed', async () => {
  const before = await events()
  answers = [204, 500]
  const args = ['--forward-to', url, '--secret', SECRET, '--events', 'payout.*', '--json']
  const lines = await listening(args, 2, async () => {
    await pay()
    await pay()
  })
  const happened = (await events()).slice(before.length)
  const payouts = happened.filter(event => event.type === 'payout.created')
  assert.deepEqual(got, payouts)
  const printed = lines.map(line => JSON.parse(line))
  assert.deepEqual(
    printed.map(({ event }) => event),
    payouts,
  )
  assert.deepEqual(
    printed.map(({ forwarded }) => forwarded.status_code),
    [204, 500],
  )
})

test('corridor listen, wrong usage: exit code 2 and one line with the reason', async () => {
  for (const [args, words] of [
    [['--forward-to', 'nowhere'], /--forward-to is a URL/],
    [['--forward-to', 'ftp://a.example/'], /--forward-to is a URL/],
    [['--forward-to', 'http://:word@a.example/'], /--forward-to is a URL/],
    [['--forward-to', 'http://localhost:22/hook'], /port 22 is of another protocol/],
    [['--forward-to', 'http://localhost:0/'], /port 0 is of another protocol/],
    [['--forward-to', 'http://a.example/', '--secret', 'abc'], /--secret is whsec_/],
    [['--events', 'payout.lost'], /no type of event payout\.lost/],
  ] as const) {
    const { code, stderr, stdout } = await cli.run('listen', ...args)
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, words)
  }
})

const OLD_ENDPOINT = 'whe_01m7xpm2kz8t3vqw5n0r'

test('corridor events replay, time range: a new delivery for each event', async () => {
  const { account_id } = account.account
  const { owner } = service.database
  const [endpoint] = await owner<{ id: string }[]>`
    insert into webhook_endpoints (account_id, id, url, description, event_types, status,
      disabled_reason, secret, fanned_out, created_at, updated_at)
    select account_id, ${OLD_ENDPOINT}, ${url}, '', '{}', 'enabled', '', ${SECRET},
      event_count, ${instantIn(OLD_ENDPOINT)}, ${instantIn(OLD_ENDPOINT)}
    from books where account_id = ${account_id} returning id`
  const all = await events()
  const range = ['--from', all.at(-8).created_at]
  const args = [endpoint?.id ?? '', ...range, '--json']
  const { code, json, stderr } = await cli.run('events', 'replay', ...args)
  assert.equal(code, 0, stderr)
  assert.equal(json.deliveries, 8)
  const rows = await owner`
    select event_id from webhook_deliveries where account_id = ${account_id} order by number`
  assert.deepEqual(
    rows.map(row => row.event_id),
    all.slice(-8).map(({ id }) => id),
  )
})

test('corridor events replay, wrong usage: exit code 2 and one line with the reason', async () => {
  for (const [args, words] of [
    [[], /exactly one of --event, --from or --to, and --dead/],
    [['--from', 'Monday'], /--from is an ISO 8601 time/],
    [['--dead', '--events', 'payout.*'], /--events goes/],
  ] as const) {
    const { code, stderr } = await cli.run('events', 'replay', OLD_ENDPOINT, ...args)
    assert.equal(code, 2, stderr)
    assert.match(stderr, words)
  }
})

const payer = await service.openAccount({ currencies: ['HKD'], fund: { HKD: 10_000_000n } })
const front = await startFront(service.app)
const trigger = (type: string, key = `${payer.key_id}:${payer.secret}`) =>
  cli.run('trigger', type, '--key', key, '--url', front.address, '--json')

test('corridor trigger, every listed event type: the event happens to the printed object', async () => {
  const { stdout } = await cli.run('trigger', '--help')
  const types = [...stdout.matchAll(/^ {2}(\w+\.\w+)$/gm)].map(([, type]) => type as string)
  assert.ok(types.length > 10 && types.includes('payout.failed'), stdout)
  for (const type of types) {
    const { code, json, stderr } = await trigger(type)
    assert.equal(code, 0, `${type}: ${stderr}`)
    const { results } = (await payer.get(`/v3/event?type=${type}&limit=1`)).json.data
    const [event] = results
    assert.ok(event, type)
    if (!type.startsWith('balance_')) assert.equal(event.object_id, json.object_id, type)
  }
})

test('corridor trigger, unknown type or wrong key: refused, suggesting the likely one', async () => {
  const unknown = await trigger('payout.sent')
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /payout\.sent: it takes an operator, a person or a bank/)
  const mistyped = await trigger('payout.fialed')
  assert.equal(mistyped.code, 2)
  assert.match(mistyped.stderr, /did you mean payout\.failed\?/)
  const wrong = await trigger('payout.failed', `${payer.key_id}:wrong`)
  assert.equal(wrong.code, 1)
})

test('corridor trigger, no balance in the payout currency: pays from a sufficient balance', async () => {
  await service.setRates({ 'USD/HKD': '8', 'JPY/HKD': '0.05' })
  const currencies = ['HKD', 'JPY', 'USD']
  // JPY 15000 is less than USD 140.00, and more in minor units.
  for (const fund of [{ USD: 10_000_000n }, { JPY: 15_000n, USD: 14_000n }]) {
    const poor = await service.openAccount({ currencies, fund })
    const { code, stderr, json } = await trigger('payout.failed', `${poor.key_id}:${poor.secret}`)
    assert.equal(code, 0, stderr)
    const { status, holding_currency } = (await poor.get(`/v3/payout/${json.object_id}`)).json.data
    assert.deepEqual([status, holding_currency], ['failed', 'USD'])
  }
})

test('corridor trigger, no sufficient balance: refused like a payout in the payout currency', async () => {
  await service.setRates({ 'USD/HKD': '8' })
  const poor = await service.openAccount({ currencies: ['HKD', 'USD'], fund: { USD: 100n } })
  const { code, stderr } = await trigger('payout.failed', `${poor.key_id}:${poor.secret}`)
  assert.equal(code, 1)
  assert.match(stderr, /needs \d+ HKD minor units .* and 0 are available/)
})

test('corridor trigger, key of a live account: refused before any request, no payout', async () => {
  const fund = { HKD: 10_000_000n }
  const live = await service.openAccount({ currencies: ['HKD'], fund, sandbox: false })
  await service.setRoutes([{}])
  await service.setFees([{}])
  const { code, stderr } = await trigger('payout.created', `${live.key_id}:${live.secret}`)
  assert.equal(code, 1)
  assert.match(stderr, /is no sandbox: nothing was made/)
  assert.deepEqual((await live.get('/v3/payout')).json.data.results, [])
})
