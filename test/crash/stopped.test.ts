// SIGTERM under load, with a second process beside: no connection is reset, no acknowledged write is
// lost, the process ends in time with code 0, and the other one serves on.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { checkBooks } from '../support/assert/books.ts'
import { checkPaid, type KeyedPayout, repeatAll, startLoad } from '../support/service/load.ts'
import { httpClient, pickSeed, seeded, until } from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { promised, share } from '../support/share.ts'

/** Each has a request in flight. */
const CLIENTS = share(80, 200)
/** Of those, as a client may be between two. */
const IN_FLIGHT = 0.95 * CLIENTS
const ROUNDS = share(1, 20)

const { database, account, start, listen } = await openScene()
const env = { CORRIDOR_SETTLE_POLL_MS: '1000' }

test(`SIGTERM, ${CLIENTS} keep-alive clients and two idle ones, ${ROUNDS} times: no connection reset, nothing lost, exit code 0`, async t => {
  const staying = await listen(env)
  const seed = pickSeed()
  const random = seeded(seed)
  const all: KeyedPayout[] = []
  const ends: number[] = []
  const in_flight: number[] = []
  const errors: Record<string, number> = {}
  for (let round = 0; round < ROUNDS; round++) {
    const leaving = await start(env)
    const { address } = leaving
    const client = httpClient(account)
    // A client goes on with the leaving process until it cannot connect to it any more.
    const moved = new Set<number>()
    const load = startLoad({
      client,
      clients: CLIENTS,
      name: `term-${seed}-${round}`,
      random,
      // Those that have come over only have to be served.
      pause_ms: worker => (moved.has(worker) ? 1_000 : 0),
      address: worker => (moved.has(worker) ? staying.address : address),
      onEnd(one, worker) {
        if (one.error !== undefined) errors[one.error] = (errors[one.error] ?? 0) + 1
        if (one.error === 'ECONNREFUSED') moved.add(worker)
      },
    })
    // Connections that never ask are not waited for.
    const { port, hostname } = new URL(address)
    const idle = ['', 'POST /v3/payout HTTP/1.1\r\nHost: x\r\n'].map(sent => {
      const socket = connect(Number(port), hostname).on('error', () => {})
      if (sent !== '') socket.write(sent)
      return socket
    })
    await delay(share(100, 300) + random() * share(200, 300))
    leaving.signal('SIGTERM')
    const told_at = performance.now()
    const flying = load.asked.filter(({ ended_at }) => ended_at === 0)
    assert.equal(await leaving.ended, 0, JSON.stringify(leaving.log.slice(-3)))
    ends.push(Math.round(performance.now() - told_at))
    for (const socket of idle) socket.destroy()
    await until('all have come over', () => moved.size === CLIENTS)
    await load.stop()
    all.push(...load.asked)
    in_flight.push(flying.filter(({ answer }) => answer?.status === 200).length)
    client.close()
  }
  const client = httpClient(account)
  const { acknowledged } = await repeatAll(client, staying.address, all)
  client.close()
  t.diagnostic(
    `SEED=${seed} ${ROUNDS} stops, ${all.length} requests, ${acknowledged} acknowledged, ` +
      `${JSON.stringify(errors)}; ${in_flight.join(', ')} were in flight and answered; ended after ` +
      `${ends.join(', ')} ms`,
  )
  assert.deepEqual(errors, { ECONNREFUSED: ROUNDS * CLIENTS })
  promised(t, 'the longest', Math.max(...ends), 10_000)
  assert.ok(Math.min(...in_flight) >= IN_FLIGHT)
  await checkPaid(database.owner, account.account.account_id, all)
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})
