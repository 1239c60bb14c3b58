// kill -9 of the service in the middle of a batch, at moments a seed decides: the batch is there
// whole or not at all, and the same key makes it exactly once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { checkBooks } from '../support/assert/books.ts'
import { localPayout } from '../support/given/bodies.ts'
import { pickSeed, seeded, until } from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { share } from '../support/share.ts'

const PATH = '/v3/payout_batch'
const KILLS = share(1, 5)
const PAYOUTS = share(1_000, 3_000)

const { database, account, client, start, listen } = await openScene()

async function countOf(table: string): Promise<number> {
  const [row] = await database.owner.unsafe<{ n: number }[]>(
    `select count(*)::integer as n from ${table}`,
  )
  return row?.n ?? 0
}

async function bookIsLocked(): Promise<boolean> {
  const free = await database.owner`
    select from books where account_id = ${account.account.account_id} for update skip locked`
  return free.length === 0
}

test(`kill -9 in the middle of a batch, ${KILLS} times: all of it or nothing, and once`, async t => {
  const seed = pickSeed()
  const random = seeded(seed)
  const env = { CORRIDOR_SETTLE: 'off' }
  const payouts = Array(PAYOUTS).fill(localPayout)
  const found: string[] = []
  for (let round = 0; round < KILLS; round++) {
    const service = await start(env)
    const body = { mode: round % 2 === 0 ? 'all_or_nothing' : 'best_effort', payouts }
    const key = `batch-${seed}-${round}`
    const asked = client.post(service.address, PATH, body, key).then(
      ({ status }) => String(status),
      () => 'unheard',
    )
    await until('the batch is being written', bookIsLocked)
    await delay(random() * share(300, 900))
    service.signal('SIGKILL')
    await service.ended
    const heard = await asked
    const before = round * PAYOUTS
    const next = await listen(env)
    const answer = await client.post(next.address, PATH, body, key)
    await next.close()
    assert.equal(answer.status, 200, answer.text)
    const replayed = answer.headers['idempotent-replayed'] === 'true'
    assert.ok(heard === 'unheard' || replayed, 'what was answered was committed')
    found.push(replayed ? 'whole' : 'nothing')
    assert.equal(await countOf('payouts'), before + PAYOUTS)
    assert.equal(await countOf('payout_batch_items'), before + PAYOUTS)
    assert.equal(await countOf('payout_batches'), round + 1)
  }
  t.diagnostic(`SEED=${seed}: after each kill there was ${found.join(', ')}`)
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})
