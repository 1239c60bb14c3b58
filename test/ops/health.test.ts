// /healthz and /readyz: the one says that the process lives, the other that it can serve, and it
// changes its mind within two seconds of whatever takes that away.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { OpenedAccount } from '../../src/cli/account.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { localPayout } from '../support/given/bodies.ts'
import { startProxy, type TcpProxy } from '../support/network/proxy.ts'
import {
  type HttpClient,
  httpClient,
  openAccountOn,
  type RunningProcess,
  startProcess,
  until,
} from '../support/service/process.ts'
import { basic } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const FLIP_LIMIT_MS = 2_000
/** Of a process that has nothing else to do, on a machine that has. */
const ALIVE_LIMIT_MS = share(2_500, 500)
/** So long a process goes by what it knew of keys, from when it last looked: twice a second. */
const BLIND_MS = 3_000
const BETWEEN_LOOKS_MS = 500

let database: TestDatabase
let proxy: TcpProxy
let service: RunningProcess
let client: HttpClient
let opened: OpenedAccount

before(async () => {
  database = await createDatabase()
  proxy = await startProxy(database.url)
  opened = await openAccountOn(database.url, { USD: 1_000_000n })
  client = httpClient(opened)
  service = await startProcess({ DATABASE_URL: proxy.url, CORRIDOR_DRAIN_MS: '1500' })
})
after(async () => {
  client?.close()
  await service?.kill()
  await proxy.close()
  await database.drop()
})

interface Looked {
  readonly asked_at: number
  readonly answered_at: number
  readonly status: number
  readonly reason: string
  readonly alive_ms: number
}

/** Asks both all the while, a question every 50 ms whether or not the one before is answered. */
function watch() {
  const seen: Looked[] = []
  const asking: Promise<void>[] = []
  const ask = async () => {
    const asked_at = performance.now()
    const [ready, alive] = await Promise.all([
      client.get(service.address, '/readyz'),
      client.get(service.address, '/healthz'),
    ])
    assert.equal(alive.status, 200)
    const { status, json } = ready
    const reason = json.reason ?? json.status
    const answered_at = performance.now()
    seen.push({ asked_at, answered_at, status, reason, alive_ms: alive.took_ms })
  }
  const timer = setInterval(() => asking.push(ask()), 50)
  return {
    seen,
    async stop() {
      clearInterval(timer)
      await Promise.all(asking)
    },
  }
}

/** How long after `at` the first answer of this status came to a question of after `at`. */
function flip(seen: readonly Looked[], at: number, status: number): number {
  const answers = seen.filter(one => one.asked_at > at && one.status === status)
  return Math.round(Math.min(...answers.map(one => one.answered_at)) - at)
}

for (const [how, away_ms] of [
  ['down', 800],
  ['silence', 2_300],
] as const) {
  test(`GET /readyz, the database away by ${how}: 503 within 2 s, never 200, and back within 2 s`, async t => {
    const watched = watch()
    await until('ready', 5_000, () => watched.seen.some(one => one.status === 200))
    await proxy[how]()
    const gone_at = performance.now()
    await delay(away_ms)
    const back_at = performance.now()
    await proxy.up()
    await until('ready again', 5_000, () => flip(watched.seen, back_at, 200) < Infinity)
    await watched.stop()
    const { seen } = watched
    const away = seen.filter(one => one.asked_at > gone_at && one.answered_at < back_at)
    assert.deepEqual([...new Set(away.map(one => one.reason))], ['database does not answer'])
    const [off_ms, on_ms] = [flip(seen, gone_at, 503), flip(seen, back_at, 200)]
    const alive_ms = Math.round(Math.max(...seen.map(one => one.alive_ms)))
    t.diagnostic(`off after ${off_ms} ms, on after ${on_ms} ms; /healthz at most ${alive_ms} ms`)
    assert.ok(off_ms <= FLIP_LIMIT_MS, `off after ${off_ms} ms`)
    assert.ok(on_ms <= FLIP_LIMIT_MS, `on after ${on_ms} ms`)
    assert.ok(alive_ms <= ALIVE_LIMIT_MS, `/healthz took ${alive_ms} ms`)
  })
}

/** The status of a request with these credentials, when it was asked and when answered. */
async function judge(authorization?: string) {
  const asked_at = performance.now()
  const headers = authorization === undefined ? {} : { authorization }
  const { status } = await fetch(`${service.address}/v3/balance`, { headers })
  return { asked_at, answered_at: performance.now(), status }
}

test('the database silent: a wrong key is judged for 3 s by what was known, then every request is 503', async t => {
  const right = basic(opened.key_id, opened.secret)
  const wrong = basic(opened.key_id, `${opened.secret}x`)
  assert.equal((await judge(wrong)).status, 401)
  proxy.silence()
  const silent_at = performance.now()
  const answers: Awaited<ReturnType<typeof judge>>[] = []
  try {
    while (performance.now() < silent_at + BLIND_MS + 2 * BETWEEN_LOOKS_MS) {
      answers.push(await judge(wrong))
      await delay(60)
    }
    const [none, valid] = await Promise.all([judge(), judge(right)])
    assert.deepEqual([none.status, valid.status], [503, 503])
    assert.ok(valid.answered_at - valid.asked_at < 1_000, 'at once')
  } finally {
    await proxy.up()
  }
  const blind_at = answers.find(({ status }) => status === 503)?.asked_at ?? Number.NaN
  t.diagnostic(`503 from ${Math.round(blind_at - silent_at)} ms on`)
  // Its last look was before that, by no more than the time between two of them.
  const early = answers.filter(one => one.answered_at < silent_at + BLIND_MS - 700)
  const late = answers.filter(one => one.asked_at > silent_at + BLIND_MS + 300)
  assert.ok(early.length > 5 && late.length > 2)
  assert.deepEqual([...new Set(early.map(({ status }) => status))], [401])
  assert.deepEqual([...new Set(late.map(({ status }) => status))], [503])
  await until('judged again', 5_000, async () => (await judge(wrong)).status === 401)
})

test('GET /readyz, a migration missing: 503 that says so, and 200 when it is there', async () => {
  const ready = async () => {
    const { status, json } = await client.get(service.address, '/readyz')
    return [status, json.reason ?? json.status]
  }
  const { owner } = database
  const [row] = await owner<{ name: string; hash: string }[]>`
    delete from schema_migrations where name = (select max(name) from schema_migrations)
    returning name, hash`
  assert.deepEqual(await ready(), [503, 'migrations pending'])
  await owner`insert into schema_migrations (name, hash)
    values (${row?.name ?? ''}, ${row?.hash ?? ''})`
  assert.deepEqual(await ready(), [200, 'ready'])
})

test('GET /readyz, the process told to stop: 503 at once, while it still serves and says so', async () => {
  service.signal('SIGTERM')
  const told_at = performance.now()
  const ready = () => client.get(service.address, '/readyz')
  await until('not ready', FLIP_LIMIT_MS, async () => (await ready()).status === 503)
  const [draining, alive, paid] = await Promise.all([
    ready(),
    client.get(service.address, '/healthz'),
    client.post(service.address, '/v3/payout', localPayout),
  ])
  assert.ok(performance.now() - told_at < 1_500, 'before the listener closes')
  assert.equal(draining.json.reason, 'shutting down')
  assert.deepEqual([alive.status, paid.status], [200, 200])
  assert.equal(await service.ended, 0)
})
