// kill -9 of the service, at moments a seed decides, while it writes a batch of payouts, cancels
// scheduled payouts that are due, and records the same entities in many spellings. A batch is there
// whole or not at all, and once. A scheduled payout is cancelled or goes out once, and none before its
// time. No acknowledged entity is lost, and nobody is recorded twice.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { checkBooks } from '../support/assert/books.ts'
import { localPayout } from '../support/given/bodies.ts'
import {
  type HttpAnswer,
  httpClient,
  openAccountOn,
  pickSeed,
  seeded,
  until,
} from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { LONG, share } from '../support/share.ts'
import { EntityWriters } from './entity-writers.ts'

const KILLS = share(1, 20)
const BATCH = 1_000
/** A batch is asked for so long before a kill, at most. */
const BATCH_MS = share(300, 900)
/** Entities that are recorded before each kill, from this time before it on. */
const ENTITIES = 50
const ENTITIES_MS = 1_000
/** Cancels are asked for so long before a kill, at most. */
const CANCELS_MS = 400

const START = 100_000_000n
const AMOUNT = 10_000n
const SCHEDULED = 40
/** From the first payout on: also a busy machine makes them all before the first is due. */
const DUE_MS = 10_000
const SPREAD_MS = 1_000

const seed = pickSeed()
const random = seeded(seed)
const { database, client, account, start, listen } = await openScene(url =>
  openAccountOn(url, { USD: START }),
)
/** The batches have an account of their own: whoever writes one keeps its book locked. */
const of_batches = await openAccountOn(database.url, { USD: 1_000_000_000n })
const batches = httpClient(of_batches)
after(() => batches.close())
const env = { CORRIDOR_RAIL_TIMEOUT_MS: '500' }

/** Makes payouts that are due about `due`; returns their ids. */
async function schedule(address: string, due: number): Promise<string[]> {
  const make = () => {
    const execute_at = new Date(due + random() * SPREAD_MS).toISOString()
    return client.post(address, '/v3/payout', { ...localPayout, execute_at })
  }
  const made = await Promise.all(Array.from({ length: SCHEDULED }, make))
  return made.map(({ json, text }) => json?.data?.id ?? assert.fail(text))
}

/** An answer that is lost is asked for again, by the next process. */
const cancel = (address: string, id: string) =>
  client.post(address, `/v3/payout/${id}/cancel`, {}, id)

/** Sees every scheduled payout end; returns how many were cancelled. */
async function endScheduled(address: string, ids: readonly string[]): Promise<number> {
  let cancelled = 0
  for (const id of ids) {
    const again = await cancel(address, id)
    assert.ok(again.status === 200 || again.status === 409, again.text)
    if (again.status === 200) cancelled += 1
  }
  await until('nothing is open', async () => {
    const open = await database.owner`
      select from open_payouts where account_id = ${account.account.account_id}`
    return open.length === 0
  })
  return cancelled
}

const delayUntil = (at: number) => delay(Math.max(0, at - Date.now()))

interface Batch {
  ask(address: string): Promise<HttpAnswer>
  isBeingWritten(): Promise<boolean>
}

/** Nothing of it is due before the test is over. */
function batchOf(round: number): Batch {
  const execute_at = new Date(Date.now() + 86_400_000).toISOString()
  const payouts = Array(BATCH).fill({ ...localPayout, execute_at })
  const body = { mode: round % 2 === 0 ? 'all_or_nothing' : 'best_effort', payouts }
  return {
    ask: (address: string) => batches.post(address, '/v3/payout_batch', body, `${seed}-${round}`),
    async isBeingWritten() {
      const free = await database.owner`
        select from books where account_id = ${of_batches.account.account_id}
        for update skip locked`
      return free.length === 0
    },
  }
}

async function countOf(table: string): Promise<number> {
  const rows = await database.owner.unsafe(
    `select from ${table} where account_id = '${of_batches.account.account_id}'`,
  )
  return rows.length
}

/** Asks for a batch again that nobody or somebody has heard of: it is there whole, and once. */
async function endBatch(batch: Batch, address: string, heard: string, round: number) {
  const answer = await batch.ask(address)
  assert.equal(answer.status, 200, answer.text)
  const replayed = answer.headers['idempotent-replayed'] === 'true'
  assert.ok(heard === 'unheard' || replayed, 'what was answered was committed')
  const payouts = (round + 1) * BATCH
  assert.equal(await countOf('payouts'), payouts)
  assert.equal(await countOf('payout_batch_items'), payouts)
  assert.equal(await countOf('payout_batches'), round + 1)
  return replayed ? 'whole' : 'nothing'
}

test(`kill -9, ${KILLS} times during a batch, cancellations and entity writes: each write complete once or absent`, async t => {
  // In the long run another process records entities as well, and is not killed.
  const beside = LONG ? await listen(env) : undefined
  let address = ''
  const writers = new EntityWriters(
    client,
    writer => (writer % 2 === 1 && beside?.address) || address,
    random,
  )
  let cancelled = 0
  const found: string[] = []
  for (let round = 0; round < KILLS; round++) {
    const service = await start(env)
    address = service.address
    const due = Date.now() + DUE_MS
    const ids = await schedule(address, due)
    /** Of the kill, or a little later on a busy machine. */
    const moment = due + random() * SPREAD_MS
    await delayUntil(moment - ENTITIES_MS)
    const enough = writers.answered + ENTITIES
    writers.start()
    await until('entities are recorded', () => writers.answered > enough)
    const dying = address
    const cancels = ids.map(async id => {
      await delayUntil(moment - random() * CANCELS_MS)
      await cancel(dying, id).catch(() => {})
    })
    await delayUntil(moment - random() * BATCH_MS)
    const batch = batchOf(round)
    const asked = batch.ask(address).then(
      ({ status }) => String(status),
      () => 'unheard',
    )
    await until('the batch is being written', batch.isBeingWritten)
    // Every other one of the long run has committed when the kill comes.
    if (round % 2 === 1) {
      await until('the batch is written', async () => !(await batch.isBeingWritten()))
    }
    await delayUntil(moment)
    await service.kill()
    await Promise.all(cancels)
    const next = beside ?? (await listen(env))
    address = next.address
    await writers.stop()
    found.push(await endBatch(batch, address, await asked, round))
    cancelled += await endScheduled(address, ids)
  }
  const { entities, ...of_entities } = await writers.askAgain()
  t.diagnostic(
    `SEED=${seed} batches: ${found.join(', ')}; ${cancelled} cancelled of ${KILLS * SCHEDULED}; ` +
      `${entities} entities, ${JSON.stringify(of_entities)}`,
  )
  const { acknowledged, unheard } = of_entities
  assert.ok(acknowledged > KILLS * ENTITIES && unheard > 0, 'the kills hit services at work')
  await checkEnds(cancelled, entities)
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})

async function checkEnds(cancelled: number, entities: number): Promise<void> {
  const { owner } = database
  const { account_id } = account.account
  const wrong = await owner`
    select p.id, s.status, p.execute_at, s.updated_at
    from payouts p join payout_states s using (account_id, id)
    where p.account_id = ${account_id}
      and not (s.status = 'failed' and s.failure ->> 'code' = 'PF000100' and s.rail_attempts = 0
        or s.status = 'succeeded' and s.updated_at >= p.execute_at and s.rail_attempts > 0)`
  assert.deepEqual([...wrong], [])
  const paid = BigInt(SCHEDULED * KILLS - cancelled)
  const [left] = await owner`select available from balances where account_id = ${account_id}`
  assert.equal(left?.available, START - paid * AMOUNT)
  const [row] = await owner<{ n: number }[]>`
    select count(*)::integer as n from entities where approval_status <> 'rejected'`
  assert.equal(row?.n, entities)
}
