// Clients that are slow, say nothing, come all at once, or go away in the middle: the service closes
// their connections in time, nobody else notices them, and what they asked for happened whole or not
// at all.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { checkBooks } from '../support/assert/books.ts'
import { localPayout } from '../support/given/bodies.ts'
import { checkPaid, type KeyedPayout, repeatAll, startLoad } from '../support/service/load.ts'
import { openFiles, pickSeed, seeded, until } from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { basic } from '../support/service/service.ts'
import { LONG, promised, share } from '../support/share.ts'

/** Of each kind at once. */
const SLOW = share(25, 500)
const NORMAL = share(10, 50)
/** How much later slow bodies are closed than slow headers; what is measured adds to both. */
const BODY_TO_HEADERS = 2.4
const GONE = share(6, 200)

const { database, account, client, start } = await openScene()
const env = { CORRIDOR_SETTLE_POLL_MS: '1000' }
const service = await start(env)
/** In the long run: has no slow clients, and shows what the machine allows at that time. */
const beside = LONG ? await start(env) : undefined
/** Every payout asked for in this file. */
const asked: KeyedPayout[] = []

const address = () => service.address

/** The head of a payout, with a body of so many bytes to come. */
const headOf = (length: number, more = '') =>
  `POST /v3/payout HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
  `Authorization: ${basic(account.key_id, account.secret)}\r\n` +
  `Content-Length: ${length}\r\n${more}\r\n`

interface Kind {
  readonly what: string
  readonly promised_ms: number
  /** What is sent at once, and what a second from then on. */
  readonly first: () => string
  readonly dripped: string
}
const KINDS: readonly Kind[] = [
  { what: 'silent', promised_ms: 10_000, first: () => '', dripped: '' },
  {
    what: 'slow headers',
    promised_ms: 10_000,
    first: () => 'POST /v3/payout HTTP/1.1\r\nHost: localhost\r\n',
    dripped: 'X-More: 1\r\n',
  },
  { what: 'slow body', promised_ms: 15_000, first: () => `${headOf(50_000)}{`, dripped: ' ' },
]

interface Slow {
  /** The first that the server says, and the milliseconds until it has closed its side. */
  readonly closed: Promise<{ readonly status: string; readonly after_ms: number }>
  readonly socket: Socket
}

/** A client that never closes its own side, and goes on though the server has closed the other. */
function openSlow({ first, dripped }: Kind): Slow {
  const { port, hostname } = new URL(address())
  const opened_at = performance.now()
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  const closed = Promise.withResolvers<{ status: string; after_ms: number }>()
  let said = ''
  const end = () => {
    const status = said.split('\r\n', 1)[0] ?? ''
    closed.resolve({ status, after_ms: performance.now() - opened_at })
  }
  socket.setEncoding('latin1').on('data', text => {
    said += text
  })
  socket.on('error', () => {}).on('end', end)
  if (first() !== '') socket.write(first())
  const dripping = setInterval(() => {
    if (dripped !== '' && socket.writable) socket.write(dripped)
  }, 1_000)
  socket.on('close', () => {
    clearInterval(dripping)
    end()
  })
  return { closed: closed.promise, socket }
}

const p99 = (of: readonly KeyedPayout[]) => {
  const took = of.map(one => one.answer?.took_ms ?? Infinity).sort((a, b) => a - b)
  return Math.round(took[Math.floor(took.length * 0.99)] ?? NaN)
}

test(`${SLOW} silent clients, ${SLOW} slow with headers, ${SLOW} slow with the body: closed, ${NORMAL} others served meanwhile`, async t => {
  const seed = pickSeed()
  const random = seeded(seed)
  const normal = { client, clients: NORMAL, random, pause_ms: share(1_000, 400) }
  const load = startLoad({ ...normal, address, name: `normal-${seed}` })
  const loads = [load]
  const at = beside?.address
  if (at !== undefined) {
    loads.push(startLoad({ ...normal, address: () => at, name: `beside-${seed}` }))
  }
  /** How many have been served what they asked since. */
  const servedSince = (at: number) => {
    const served = load.asked.filter(one => one.asked_at > at && one.answer?.status === 200)
    return new Set(served.map(({ key }) => key.slice(0, key.lastIndexOf('-')))).size
  }
  await until('each has its connection', () => servedSince(0) === NORMAL)
  const files = await openFiles(client, address())
  const begun = loads.map(({ asked }) => asked.length)
  const slow = KINDS.map(kind => ({
    ...kind,
    all: Array.from({ length: SLOW }, () => openSlow(kind)),
  }))
  const sockets = slow.flatMap(({ all }) => all)
  t.after(() => {
    for (const { socket } of sockets) socket.destroy()
  })
  const opened_at = performance.now()
  let first_closed = false
  for (const { closed } of sockets) {
    void closed.then(() => {
      first_closed = true
    })
  }
  await until('all others are served', () => servedSince(opened_at) === NORMAL)
  assert.ok(!first_closed, 'while all the slow ones are open')
  const slowest = new Map<string, number>()
  for (const { what, promised_ms, all } of slow) {
    const ends: { status: string; after_ms: number }[] = []
    for (const { closed } of all) void closed.then(end => ends.push(end))
    await until(`${what} closed`, () => ends.length === SLOW)
    assert.deepEqual(
      [...new Set(ends.map(({ status }) => status))],
      ['HTTP/1.1 408 Request Timeout'],
    )
    slowest.set(what, Math.max(...ends.map(({ after_ms }) => after_ms)))
    promised(t, `${what} closed`, slowest.get(what) ?? NaN, promised_ms)
  }
  // 13 seconds to 8, on whatever machine.
  const times = (slowest.get('slow body') ?? NaN) / (slowest.get('slow headers') ?? NaN)
  assert.ok(times < BODY_TO_HEADERS, `slow bodies are closed ${times} times as late as headers`)
  // They still hold their own side open, and the service has let go of it.
  await until('no socket is left', async () => {
    return (await openFiles(client, address())) < files + 10
  })
  await Promise.all(loads.map(one => one.stop()))
  asked.push(...loads.flatMap(one => one.asked))
  assert.deepEqual(
    asked.filter(({ answer }) => answer?.status !== 200),
    [],
  )
  const [slow_ms = NaN, usual_ms = 0] = loads.map((of, i) => p99(of.asked.slice(begun[i])))
  t.diagnostic(`SEED=${seed} ${load.asked.length} requests of others, p99 beside ${usual_ms} ms`)
  promised(t, 'p99 of the others', slow_ms, 2 * Math.max(usual_ms, 125))
})

/** Node asks the kernel to keep 511; Linux allows 4,096 unless it was changed. */
const BURST = 1_000

test(`${BURST} clients connect while the service is too busy to accept: each connected at once, answered later`, async t => {
  const { port, hostname } = new URL(address())
  service.signal('SIGSTOP')
  t.after(() => service.signal('SIGCONT'))
  const sockets = Array.from({ length: BURST }, () => connect(Number(port), hostname))
  let connected = 0
  const answers = sockets.map(socket => {
    socket.on('connect', () => connected++)
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    return text(socket)
  })
  await until('all are connected', () => connected === BURST)
  service.signal('SIGCONT')
  const statuses = (await Promise.all(answers)).map(answer => answer.split('\r\n', 1)[0])
  assert.deepEqual([...new Set(statuses)], ['HTTP/1.1 200 OK'])
})

const BODY = JSON.stringify(localPayout)
for (const [what, sent] of [
  ['before the body', 0],
  ['in the middle of the body', BODY.length / 2],
  ['before the answer', BODY.length],
] as const) {
  test(`client disconnects ${what}, ${GONE} times: payout complete or absent, once per key`, async t => {
    const { port, hostname } = new URL(address())
    const gone: KeyedPayout[] = []
    for (let i = 0; i < GONE; i++) {
      const key = `gone ${what} ${i}`
      const asked_at = performance.now()
      const { amount } = localPayout
      gone.push({ key, amount, asked_at, quoted: false, earlier: [], ended_at: 0 })
      const socket = connect(Number(port), hostname)
      const head = headOf(BODY.length, `Idempotency-Key: ${key}\r\n`)
      await new Promise(resolve => socket.write(head + BODY.slice(0, sent), resolve))
      // In order, or as when its machine is switched off.
      if (i % 2 === 0) socket.end().destroy()
      else socket.resetAndDestroy()
    }
    const { committed_unanswered } = await repeatAll(client, address(), gone)
    t.diagnostic(`${committed_unanswered} of ${GONE} had committed`)
    if (sent < BODY.length) assert.equal(committed_unanswered, 0)
    asked.push(...gone)
  })
}

test('books after all tests of this file: every key paid exactly once, no transaction left open', async () => {
  await checkPaid(database.owner, account.account.account_id, asked)
  await until('no transaction is left open', async () => {
    const open = await database.owner`
      select from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`
    return open.length === 0
  })
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})
