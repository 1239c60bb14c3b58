// Behind PgBouncer: whole sessions are as good as PostgreSQL itself; shared ones are refused before
// anything is asked of them, as a role or a lock would stay behind for others.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onDatabase } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config/config.ts'
import { inspectDatabase } from '../../src/postgres/inspect.ts'
import { connect } from '../../src/sql/connect.ts'
import { openPool } from '../../src/sql/pool.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { NO_POOLER, type Pooler, startPooler } from '../support/database/pooler.ts'
import { localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import { startListening } from '../support/service/listening.ts'
import { httpClient, openAccountOn, until } from '../support/service/process.ts'
import { share } from '../support/share.ts'

const skip = NO_POOLER ?? false

let database: TestDatabase
let pooler: Pooler
before(async () => {
  if (NO_POOLER !== undefined) return
  database = await createDatabase({ empty: true })
  pooler = await startPooler(database.url)
})
after(async () => {
  if (NO_POOLER !== undefined) return
  await pooler.close()
  await database.drop()
})

const SHARED =
  /^corridor: the pooler at DATABASE_URL hands sessions of the server around, .*: set pool_mode = session .*\n$/

for (const [mode, ...args] of [
  ['transaction', 'start'],
  ['transaction', 'migrate'],
  ['statement', 'account', 'list'],
] as const) {
  test(`corridor ${args.join(' ')}, PgBouncer in ${mode} mode: exit code 1, one sentence, nothing made`, {
    skip,
  }, async () => {
    const cli = await openCli(pooler.url(mode), { PORT: '0' })
    const { code, stdout, stderr } = await cli.run(...args)
    await cli.close()
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, SHARED)
    const [made] = await database.owner`select to_regclass('schema_migrations') as found`
    assert.equal(made?.found, null)
  })
}

test('PgBouncer in transaction mode, other clients active: refused too', {
  skip,
}, async () => {
  const busy = openPool(pooler.url('transaction'), { max: 8 })
  let working = true
  const work = Array.from({ length: 8 }, async () => {
    while (working) await busy.unsafe('begin; select pg_sleep(0.002); commit')
  })
  try {
    for (let round = 0; round < share(10, 50); round++) {
      await assert.rejects(inspectDatabase(pooler.url('transaction')), /hands sessions/)
    }
  } finally {
    working = false
    await Promise.all(work)
    await busy.end({ timeout: 5 })
  }
})

test('PgBouncer with room for two sessions: refused, one sentence names the shortage', {
  skip,
}, async () => {
  await assert.rejects(inspectDatabase(pooler.url('crowded')), {
    name: 'Error',
    message: /has no room for 3 sessions: raise its default_pool_size/,
  })
})

test('PgBouncer in session mode: service migrates, serves, pays, receives NOTIFY, verifies', {
  skip,
}, async () => {
  const url = pooler.url('session')
  const service = await startListening({ DATABASE_URL: url })
  const cli = await openCli(url)
  try {
    const opened = await openAccountOn(url, { USD: 100_000n })
    const client = httpClient(opened)
    const { address } = service
    await until('the key is known', async () => {
      return (await client.get(address, '/v3/balance')).status === 200
    })
    const paid = await client.post(address, '/v3/payout', localPayout)
    assert.equal(paid.status, 200, paid.text)
    const { id } = paid.json.data
    await until('it settles', async () => {
      return (await client.get(address, `/v3/payout/${id}`)).json.data.status === 'succeeded'
    })
    assert.equal((await cli.run('key', 'revoke', opened.key_id)).code, 0)
    await until('the key is refused', async () => {
      return (await client.get(address, '/v3/balance')).status === 401
    })
    client.close()
    const verified = await cli.run('verify')
    assert.equal(verified.code, 0, verified.stdout + verified.stderr)
  } finally {
    await service.close()
    await cli.close()
  }
})

test("PgBouncer in session mode, server connection reused: has none of Corridor's roles", {
  skip,
}, async () => {
  const config = readConfig({ DATABASE_URL: pooler.url('session'), LOG_LEVEL: 'silent' })
  const roleOf = async () =>
    onDatabase(config, pooler.url('session'), async ({ sql, audit }) => {
      const [mine] = await sql<{ role: string }[]>`select current_user as role`
      const [all] = await audit<{ role: string }[]>`select current_user as role`
      return [mine?.role, all?.role]
    })
  for (let round = 0; round < 5; round++) {
    assert.deepEqual(await roleOf(), ['corridor_service', 'corridor_auditor'])
    const plain = connect(pooler.url('session'), { max: 1, as: 'owner' })
    const [row] = await plain<{ role: string }[]>`select current_user as role`
    await plain.end({ timeout: 5 })
    assert.equal(row?.role, new URL(database.url).username)
  }
})
