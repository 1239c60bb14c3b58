// /healthz and /readyz: the one says that the process lives, the other that it can serve, and it
// changes its mind before any caller is given up.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { localPayout } from '../support/given/bodies.ts'
import { startProxy } from '../support/network/proxy.ts'
import { until } from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { basic } from '../support/service/service.ts'
import { promised } from '../support/share.ts'

const FLIP_LIMIT_MS = 2_000
/** So long a process goes by what it knew of keys, from when it last looked. */
const BLIND_MS = 3_000

/** From being told to stop until the listener closes: for longer than anything here takes. */
const DRAIN_MS = '60000'

const { database, account, client, start } = await openScene()
const proxy = await startProxy(database.url)
after(() => proxy.close())
const service = await start({
  DATABASE_URL: proxy.url,
  CORRIDOR_DRAIN_MS: DRAIN_MS,
  // One of these is asked again and again.
  CORRIDOR_FAILED_LOGINS_PER_MIN: '0',
})

const READY = '/readyz'
const ready = async () => {
  const { status, json } = await client.get(service.address, READY)
  return [status, json.reason ?? json.status]
}
const AWAY = [503, 'database does not answer']

type Answered = { readonly status: number }

/** These side by side: which was answered in which order, and how. */
async function inOrder<Name extends string>(asked: Readonly<Record<Name, Promise<Answered>>>) {
  const order: string[] = []
  const answers = Object.entries<Promise<Answered>>(asked).map(async ([name, answer]) => {
    const { status } = await answer
    order.push(name)
    return [name, status]
  })
  const statuses = Object.fromEntries(await Promise.all(answers)) as Record<Name, number>
  return { order, statuses }
}

for (const how of ['down', 'silence'] as const) {
  test(`GET /readyz, database lost by ${how}: 503 before callers time out, never 200; database back: 200`, async t => {
    await until('ready', async () => (await ready())[0] === 200)
    await proxy[how]()
    const gone_at = performance.now()
    const { order, statuses } = await inOrder({
      alive: client.get(service.address, '/healthz'),
      ready: client.get(service.address, READY),
      payout: client.post(service.address, '/v3/payout', localPayout),
    })
    promised(t, 'a payout given up', performance.now() - gone_at, 5_000)
    assert.deepEqual(statuses, { alive: 200, ready: 503, payout: 503 })
    assert.deepEqual(order, ['alive', 'ready', 'payout'])
    const asked_at = performance.now()
    assert.deepEqual(await ready(), AWAY)
    promised(t, 'not ready', performance.now() - asked_at, FLIP_LIMIT_MS)
    await proxy.up()
    const back_at = performance.now()
    await until('ready again', async () => (await ready())[0] === 200)
    promised(t, 'ready again', performance.now() - back_at, FLIP_LIMIT_MS)
  })
}

/** A request with these credentials. */
const balance = (authorization?: string) =>
  fetch(`${service.address}/v3/balance`, {
    headers: authorization === undefined ? {} : { authorization },
  })

test('database silent, wrong API key: 401 from the cache for a while, then 503 for every request', async t => {
  const right = basic(account.key_id, account.secret)
  const wrong = basic(account.key_id, `${account.secret}x`)
  assert.equal((await balance(wrong)).status, 401)
  proxy.silence()
  const silent_at = performance.now()
  const told: number[] = []
  try {
    await until('every request is 503', async () => {
      const { status } = await balance(wrong)
      if (status !== told.at(-1)) told.push(status)
      return status === 503
    })
    // What was known is as old as the last look, which was before the silence.
    promised(t, 'judged by what was known', performance.now() - silent_at, BLIND_MS + 300)
    assert.deepEqual(told, [401, 503])
    const asked_at = performance.now()
    const all = await Promise.all([balance(), balance(wrong), balance(right)])
    assert.deepEqual(
      all.map(({ status }) => status),
      [503, 503, 503],
    )
    promised(t, 'refused at once', performance.now() - asked_at, 1_000)
  } finally {
    await proxy.up()
  }
  await until('judged again', async () => (await balance(wrong)).status === 401)
})

test('GET /readyz, a migration missing: 503 naming it; applied: 200', async () => {
  const { owner } = database
  const [row] = await owner<{ name: string; hash: string }[]>`
    delete from schema_migrations where name = (select max(name) from schema_migrations)
    returning name, hash`
  assert.deepEqual(await ready(), [503, 'migrations pending'])
  await owner`insert into schema_migrations (name, hash)
    values (${row?.name ?? ''}, ${row?.hash ?? ''})`
  assert.deepEqual(await ready(), [200, 'ready'])
})

test('GET /readyz after SIGTERM: 503 from then on, while requests are still served', async () => {
  service.signal('SIGTERM')
  await until('not ready', async () => (await ready())[0] === 503)
  assert.deepEqual(await ready(), [503, 'shutting down'])
  const [alive, paid] = await Promise.all([
    client.get(service.address, '/healthz'),
    client.post(service.address, '/v3/payout', localPayout),
  ])
  assert.deepEqual([alive.status, paid.status], [200, 200])
})
