// A shard is moved to another machine while its accounts pay, by statements that are sent to the
// machine and name its tables: nothing acknowledged stays behind, and nothing is there twice.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '../../src/sql/connect.ts'
import { checkBooks } from '../support/assert/books.ts'
import { listWorkers, unlessCluster, type Worker, workerOf } from '../support/database/citus.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { checkPaid, repeatAll, startLoad } from '../support/service/load.ts'
import {
  httpClient,
  openAccountOn,
  pickSeed,
  type RunningProcess,
  seeded,
  startProcess,
  tally,
  until,
} from '../support/service/process.ts'

const skip = unlessCluster

let database: TestDatabase
let service: RunningProcess
let workers: readonly Worker[]

before(async () => {
  if (skip !== false) return
  database = await createDatabase()
  workers = await listWorkers(database)
  service = await startProcess({ DATABASE_URL: database.url, CORRIDOR_WEBHOOKS: 'off' })
})
after(async () => {
  if (skip !== false) return
  await service?.kill()
  await database?.drop()
})

/** The books of an account: which shard they are of, where that is, and a machine that has it not. */
async function placeOf(account_id: string) {
  const [row] = await database.owner<{ shard: string }[]>`
    select get_shard_id_for_distribution_column('books', ${account_id}::text)::text as shard`
  const node_id = await workerOf(database, account_id)
  const from = workers.find(worker => worker.node_id === node_id)
  const to = workers.find(worker => worker.node_id !== node_id)
  assert.ok(row !== undefined && from !== undefined && to !== undefined)
  return { shard: row.shard, from, to }
}

/** A shard is not moved to where its tables of an earlier move are, nor while Citus drops them. */
async function cleanUp(): Promise<void> {
  await until('nothing is left of an earlier move', async () => {
    await database.owner`call citus_cleanup_orphaned_resources()`
    const [left] = await database.owner`select from pg_dist_cleanup limit 1`
    return left === undefined
  })
}

function portOf({ url }: Worker): number {
  return Number(new URL(url).port || '5432')
}

test('shard moved to another node and back, under load: nothing lost, nothing twice', {
  skip,
}, async t => {
  const seed = pickSeed()
  const opened = await openAccountOn(database.url, { USD: 1_000_000_000n })
  const { account_id } = opened.account
  const client = httpClient(opened)
  t.after(() => client.close())
  await until('the service knows the account', async () => {
    const { status } = await client.get(service.address, '/v3/balance')
    return status === 200
  })
  const load = startLoad({
    client,
    clients: 8,
    address: () => service.address,
    name: `${account_id}-${seed}`,
    random: seeded(seed),
    quoted_percent: 20,
    retry_ms: 100,
  })
  for (let round = 0; round < 2; round++) {
    await delay(1_000)
    await cleanUp()
    const { shard, from, to } = await placeOf(account_id)
    const [here, there] = [new URL(from.url), new URL(to.url)]
    await database.owner`
      select citus_move_shard_placement(${shard}::bigint, ${here.hostname}, ${portOf(from)}::integer,
        ${there.hostname}, ${portOf(to)}::integer, 'block_writes')`
    const moved_at = performance.now()
    await until('the account pays again', async () =>
      load.asked.some(({ answer, asked_at }) => answer?.status === 200 && asked_at > moved_at),
    )
    assert.equal(await workerOf(database, account_id), to.node_id)
  }
  await load.stop()
  const answers = load.asked.flatMap(({ answer }) => answer ?? [])
  const kinds = tally(answers)
  t.diagnostic(`SEED=${seed} ${JSON.stringify(kinds)}`)
  assert.deepEqual(
    Object.keys(kinds).filter(kind => kind !== '503 service_unavailable'),
    ['200'],
  )
  await repeatAll(client, service.address, load.asked)
  await checkPaid(database.owner, account_id, load.asked)
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})

test('node that does not hold the shard, or no longer: refuses writes to it', {
  skip,
}, async () => {
  const opened = await openAccountOn(database.url, { USD: 1n })
  const { shard, from, to } = await placeOf(opened.account.account_id)
  for (const [worker, code] of [
    [from, undefined],
    [to, '40001'],
  ] as const) {
    const sql = connect(worker.url, { max: 1, as: 'service', spread: true })
    const refused = await sql`select take_shard(${shard}::bigint)`.then(
      () => undefined,
      error => error.code,
    )
    await sql.end()
    assert.equal(refused, code)
  }
})
