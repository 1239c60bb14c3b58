// The way to the database breaks under load and is mended: gone, silent, slow, reset, half closed, and
// cut around a COMMIT. Callers get a 503 soon and never a false failure, the process survives, and
// each key ends in one payout.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { checkBooks } from '../support/assert/books.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Cut, startProxy, type TcpProxy } from '../support/network/proxy.ts'
import {
  checkPaid,
  type KeyedPayout,
  lastAnswers,
  repeatAll,
  startLoad,
} from '../support/service/load.ts'
import {
  type HttpAnswer,
  httpClient,
  openFiles,
  pickSeed,
  seeded,
  tally,
  until,
} from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { promised, share } from '../support/share.ts'

const ANSWERED_WITHIN_MS = 5_000
const BACK_WITHIN_MS = 2_000
/** Until connections that are only silent have been found out, and new ones made. */
const FOUND_OUT_MS = 12_000
/** A fault lasts until everybody has so many answers to what they asked meanwhile. */
const ANSWERS = share(1, 6)
/** By then who waits some times longer after each attempt to connect has fallen far behind. */
const GONE_MS = 6_500
/** New connections in a second: each of the service's tries again after 0.1 s at the soonest. */
const MAX_TRIES = 500
/** What a reader asks in the two seconds: a busy machine makes the questions fewer as well. */
const MOST_REFUSED = 40
/** A client whose connection is lost is refused at once; this long waits who finds no connection. */
const IN_VAIN_MS = 4_000
const CUTS = share(4, 200)
/** More, while each was of what the workers commit, of which no caller hears. */
const MOST_CUTS = 5 * CUTS

const { database, account, client, start, listen } = await openScene()
const [proxy, own] = [await startProxy(database.url), await startProxy(database.url)]
// Workers that look at a payout more often would only make work.
const service = await start({ DATABASE_URL: proxy.url, CORRIDOR_SETTLE_POLL_MS: '1000' })
/** Without workers, which commit as well. */
const off = { CORRIDOR_SETTLE: 'off', CORRIDOR_WEBHOOKS: 'off' }
const workless = await listen({ DATABASE_URL: own.url, ...off })
/** Every payout asked for in this file. */
const asked: KeyedPayout[] = []
const random = seeded(pickSeed())
after(async () => {
  await workless.close()
  await Promise.all([proxy.close(), own.close()])
})

const address = () => service.address

interface Timed extends HttpAnswer {
  readonly client: string
  readonly asked_at: number
  readonly ended_at: number
}

/** Reads side by side until told to stop. */
function startReaders(count: number) {
  const answers: Timed[] = []
  let stopped = false
  const read = async (reader: number) => {
    while (!stopped) {
      const asked_at = performance.now()
      const answer = await client.get(address(), '/v3/payout')
      const ended_at = performance.now()
      answers.push({ ...answer, client: `reader-${reader}`, asked_at, ended_at })
      await delay(50)
    }
  }
  const readers = Array.from({ length: count }, (_, reader) => read(reader))
  return {
    answers,
    async stop() {
      stopped = true
      await Promise.all(readers)
    },
  }
}

/**
 * What the machine adds to every answer meanwhile: the longest that anybody waits for one that needs no
 * database.
 */
function startPings() {
  let slowest_ms = 0
  let stopped = false
  const pinging = (async () => {
    while (!stopped) {
      const { took_ms } = await client.get(address(), '/healthz')
      slowest_ms = Math.max(slowest_ms, took_ms)
      await delay(100)
    }
  })()
  return async () => {
    stopped = true
    await pinging
    return slowest_ms
  }
}

const FAULTS: readonly (readonly [
  what: string,
  begin: (proxy: TcpProxy) => Promise<void> | void,
])[] = [
  ['gone', p => p.down()],
  ['silent', p => p.silence()],
  ['at 200 bytes a second', p => p.slow({ bytes_per_s: 200 })],
  ['reset', p => p.reset()],
  ['half closed', p => p.halfClose()],
  // The usual run is content with one of two slow ones.
  ...share([], [['2 s away', (p: TcpProxy) => p.slow({ latency_ms: 1_000 })] as const]),
]

/** Who pays and who reads. */
const CLIENTS = 8

for (const [what, begin] of FAULTS) {
  test(`database ${what} until all requests are answered: 200 or 503; database back: 200`, async t => {
    const name = what.replaceAll(' ', '-')
    const paces = { pause_ms: 100, retry_ms: 250 }
    const load = startLoad({ client, clients: CLIENTS / 2, address, name, random, ...paces })
    const readers = startReaders(CLIENTS / 2)
    const all = () => [...timed(load.asked), ...readers.answers]
    /** Everybody has so many of these answers to what they asked later than that. */
    const have = (count: number, since: number, wanted: (answer: Timed) => boolean) => () => {
      const some = all().filter(one => one.asked_at > since && wanted(one))
      const counts = Map.groupBy(some, one => one.client)
      return counts.size === CLIENTS && [...counts.values()].every(of => of.length >= count)
    }
    const well = ({ status }: Timed) => status === 200
    const pings = startPings()
    let tries = 0
    let back_at = 0
    let ping_ms = 0
    try {
      await until('everybody is served', have(1, 0, well))
      const taken = proxy.taken()
      await begin(proxy)
      const gone_at = performance.now()
      await until(
        'everybody is answered',
        have(ANSWERS, gone_at, () => true),
      )
      if (what === 'gone') await delay(gone_at + GONE_MS - performance.now())
      tries = Math.round((1_000 * (proxy.taken() - taken)) / (performance.now() - gone_at))
      await proxy.up()
      back_at = performance.now()
      await until('everybody is served again', have(1, back_at, well), () => lastAnswers(load))
    } finally {
      ping_ms = await pings()
      await Promise.all([load.stop(), readers.stop()])
    }
    assert.ok(service.running())

    const answers = all()
    assert.equal(answers.length, load.asked.length + readers.answers.length, 'all are answered')
    const refused = answers.filter(({ status }) => status !== 200)
    t.diagnostic(`${JSON.stringify(tally(answers))}; ${tries} connections a second`)
    const ends = answers.filter(one => well(one) && one.asked_at > back_at)
    promised(
      t,
      'served again',
      Math.min(...ends.map(one => one.ended_at)) - back_at,
      BACK_WITHIN_MS,
    )
    const slowest_ms = Math.max(...answers.map(({ took_ms }) => took_ms))
    promised(t, 'the slowest answer', slowest_ms, ANSWERED_WITHIN_MS)
    const most_ms = ANSWERED_WITHIN_MS + 3 * ping_ms
    assert.ok(slowest_ms <= most_ms, `${slowest_ms} ms, and ${ping_ms} ms without a database`)
    assert.deepEqual(Object.keys(tally(refused)), ['503 service_unavailable'])
    for (const { headers } of refused) assert.equal(headers['retry-after'], '1')
    assert.ok(tries < MAX_TRIES, `${tries} connections a second`)
    const after = refused.filter(one => one.asked_at > back_at)
    for (const [who, of] of Map.groupBy(after, one => one.client)) {
      assert.ok(of.length <= MOST_REFUSED, `${who} was refused ${of.length} times what was back`)
    }
    const in_vain = refused.filter(one => one.asked_at > back_at && one.took_ms > IN_VAIN_MS)
    for (const [who, of] of Map.groupBy(in_vain, one => one.client)) {
      assert.equal(of.length, 1, `${who} waited in vain ${of.length} times for what was back`)
    }
    await until('no transaction is left open', noneOpen)
    asked.push(...load.asked)
  })
}

const timed = (all: readonly KeyedPayout[]): Timed[] =>
  all.flatMap(({ answer, key, asked_at, ended_at }) => {
    const who = key.slice(0, key.lastIndexOf('-'))
    return answer === undefined ? [] : { ...answer, client: who, asked_at, ended_at }
  })

async function noneOpen(): Promise<boolean> {
  const open = await database.owner`
    select from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'`
  return open.length === 0
}

/** One payout, remembered with the others. */
async function pay(key: string, at: string, by = client): Promise<HttpAnswer> {
  const asked_at = performance.now()
  const answer = await by.post(at, '/v3/payout', localPayout, key)
  const { amount } = localPayout
  asked.push({ key, amount, asked_at, quoted: false, answer, earlier: [], ended_at: 0 })
  return answer
}

const PLACES: readonly (readonly [where: Cut, times: number, committed: boolean])[] = [
  ['before COMMIT', CUTS / 4, false],
  ['behind COMMIT', CUTS / 4, true],
  ['before its answer', share(CUTS / 4, CUTS), true],
]
for (const [where, times, committed] of PLACES) {
  test(`database connection cut ${where}, ${times} times: 503; replayed by key: the one payout`, async () => {
    for (let round = 0; round < times; round++) {
      own.cutCommits(where, 1)
      const key = `cut ${where} ${round}`
      const lost = await pay(key, workless.address)
      assert.equal(own.cutsLeft(), 0, lost.text)
      assert.equal(lost.status, 503, lost.text)
      assert.equal(lost.json.errors[0].reason, 'service_unavailable')
      const again = await client.post(workless.address, '/v3/payout', localPayout, key)
      assert.equal(again.status, 200, again.text)
      const replayed = again.headers['idempotent-replayed'] === 'true'
      assert.equal(replayed, committed, `round ${round}`)
    }
  })
}

test(`database connections cut around COMMIT under load, at least ${CUTS} times: 200 or 503, each key paid once`, async t => {
  const load = startLoad({ client, clients: 16, address, name: 'cuts', random, insist: true })
  const paid = () => load.asked.filter(({ answer }) => answer?.status === 200).length
  const heard = () => load.asked.flatMap(({ earlier }) => earlier)
  let cuts = 0
  try {
    for (; cuts < CUTS || (cuts < MOST_CUTS && heard().length === 0); cuts++) {
      const enough = paid() + random() * 20
      await until(
        'payouts go on',
        () => paid() > enough,
        () => lastAnswers(load),
      )
      proxy.cutCommits(PLACES[cuts % PLACES.length]?.[0] as Cut, 1)
      await until('a COMMIT comes', () => proxy.cutsLeft() === 0)
    }
  } finally {
    await load.stop()
  }
  assert.deepEqual([...new Set(heard())], ['503 service_unavailable'])
  t.diagnostic(`${cuts} cuts, ${load.asked.length} keys, ${heard().length} times told 503`)
  asked.push(...load.asked)
})

test('network drops every open connection, new ones possible: 503, then payouts succeed', async t => {
  // Several of each kind are open by then.
  const paces = { pause_ms: 5, retry_ms: 100 }
  const load = startLoad({ client, clients: 8, address, name: 'forgotten', random, ...paces })
  const paid = (since: number) =>
    load.asked.find(({ answer, asked_at }) => answer?.status === 200 && asked_at > since)
  let back_ms = 0
  try {
    await until('paid', () => paid(0) !== undefined)
    proxy.forget()
    const forgotten_at = performance.now()
    await until(
      'paid again',
      () => paid(forgotten_at) !== undefined,
      () => lastAnswers(load),
    )
    back_ms = Math.round((paid(forgotten_at)?.ended_at ?? NaN) - forgotten_at)
  } finally {
    await load.stop()
  }
  const answers = timed(load.asked)
  t.diagnostic(`${JSON.stringify(tally(answers))}`)
  assert.deepEqual(Object.keys(tally(answers)), ['200', '503 service_unavailable'])
  promised(t, 'paid again', back_ms, FOUND_OUT_MS)
  assert.equal((await client.get(address(), '/v3/balance')).status, 200)
  assert.ok(service.running())
  asked.push(...load.asked)
})

test('SIGTERM, database not answering, 20 requests waiting: 503 for each, then exit code 0', async t => {
  const others = httpClient(account)
  t.after(() => others.close())
  const files = await openFiles(client, address())
  proxy.silence()
  const waiting = Array.from({ length: 20 }, (_, i) => pay(`waiting-${i}`, address(), others))
  await until('all are connected', async () => (await openFiles(client, address())) >= files + 20)
  const told_at = performance.now()
  service.signal('SIGTERM')
  const answers = await Promise.all(waiting)
  assert.deepEqual(tally(answers), { '503 service_unavailable': 20 })
  assert.equal(await service.ended, 0)
  promised(t, 'left', performance.now() - told_at, 10_000)
})

test('books after all tests of this file: every key paid exactly once, corridor verify clean', async () => {
  await repeatAll(client, workless.address, asked)
  await checkPaid(database.owner, account.account.account_id, asked)
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})
